#include "spirv.h"

#include "spirv_arrays.h" /* made at build time from shaders/ */

#define MODULE(name, text, a, b) [FAMILY_##name] = { spirv_##name, sizeof spirv_##name },
const struct qvk_spirv qpel_spirv[FAMILY_COUNT] = { QPEL_FAMILIES(MODULE) };
