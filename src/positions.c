#include "positions.h"

#define POSITION(x, y, family, a_dx, a_dy, b_dx, b_dy)                                             \
    [(x) + 4 * (y)] = { FAMILY_##family, a_dx, a_dy, b_dx, b_dy },
const struct position qpel_positions[16] = { QPEL_POSITIONS(POSITION) };

#define NAME(x, y, family, a_dx, a_dy, b_dx, b_dy) [(x) + 4 * (y)] = "mc" #x #y,
const char *const qpel_position_names[16] = { QPEL_POSITIONS(NAME) };

#define FAMILY(name, text, a, b) [FAMILY_##name] = { text, PLANE_##a, PLANE_##b },
const struct family_info qpel_families[FAMILY_COUNT] = { QPEL_FAMILIES(FAMILY) };
