/* The sixteen quarter-sample positions (8.4.2.2.1, figure 8-4 and table 8-12).
 *
 * THE table: kernels, windows, shaders' parameters, tests and benchmarks are
 * expanded from it. A position is one or two of four planes of samples
 *
 *   FULL    whole samples                       G
 *   H       half-sample between columns         b
 *   V       half-sample between rows            h
 *   CENTRE  half-sample between both            j
 *
 * each taken at an offset of 0 or 1 whole samples; of two, the upward-rounded
 * average is taken. Columns: the fractions, the family, then plane A with its
 * offset and plane B with its own. B's plane is that of the family.
 *
 * A family is a kernel: which planes it takes. Offsets are its parameters. */
#ifndef QPEL_POSITIONS_H
#define QPEL_POSITIONS_H

/*    x  y  family            A: dx dy  B: dx dy */
#define QPEL_POSITIONS(X)                                                                          \
    X(0, 0, COPY, 0, 0, 0, 0)                                                                      \
    X(1, 0, H_FULL, 0, 0, 0, 0)                                                                    \
    X(2, 0, H, 0, 0, 0, 0)                                                                         \
    X(3, 0, H_FULL, 0, 0, 1, 0)                                                                    \
    X(0, 1, V_FULL, 0, 0, 0, 0)                                                                    \
    X(1, 1, DIAGONAL, 0, 0, 0, 0)                                                                  \
    X(2, 1, CENTRE_H, 0, 0, 0, 0)                                                                  \
    X(3, 1, DIAGONAL, 0, 0, 1, 0)                                                                  \
    X(0, 2, V, 0, 0, 0, 0)                                                                         \
    X(1, 2, CENTRE_V, 0, 0, 0, 0)                                                                  \
    X(2, 2, CENTRE, 0, 0, 0, 0)                                                                    \
    X(3, 2, CENTRE_V, 0, 0, 1, 0)                                                                  \
    X(0, 3, V_FULL, 0, 0, 0, 1)                                                                    \
    X(1, 3, DIAGONAL, 0, 1, 0, 0)                                                                  \
    X(2, 3, CENTRE_H, 0, 0, 0, 1)                                                                  \
    X(3, 3, DIAGONAL, 0, 1, 1, 0)

/* The families: name for people (recipes, reports, SPIR-V modules), plane A, plane B. */
#define QPEL_FAMILIES(X)                                                                           \
    X(COPY, "copy", FULL, NONE)                                                                    \
    X(H, "h", H, NONE)                                                                             \
    X(H_FULL, "h-full", H, FULL)                                                                   \
    X(V, "v", V, NONE)                                                                             \
    X(V_FULL, "v-full", V, FULL)                                                                   \
    X(DIAGONAL, "diagonal", H, V)                                                                  \
    X(CENTRE, "centre", CENTRE, NONE)                                                              \
    X(CENTRE_H, "centre-h", CENTRE, H)                                                             \
    X(CENTRE_V, "centre-v", CENTRE, V)

/* The picture door's kernels. Each makes units of the family that it is named after, and of the
 * second one here, which is the first one's plane A alone: a dispatch costs more than a branch. */
#define QPEL_KERNELS(X)                                                                            \
    X(COPY, COPY)                                                                                  \
    X(H_FULL, H)                                                                                   \
    X(V_FULL, V)                                                                                   \
    X(DIAGONAL, DIAGONAL)                                                                          \
    X(CENTRE_H, CENTRE)                                                                            \
    X(CENTRE_V, CENTRE_V)

enum plane_kind { PLANE_NONE, PLANE_FULL, PLANE_H, PLANE_V, PLANE_CENTRE };

#define QPEL_FAMILY_ENUM(name, text, a, b) FAMILY_##name,
enum family { QPEL_FAMILIES(QPEL_FAMILY_ENUM) FAMILY_COUNT };
#undef QPEL_FAMILY_ENUM

#define QPEL_KERNEL_ENUM(name, alone) KERNEL_##name,
enum picture_kernel { QPEL_KERNELS(QPEL_KERNEL_ENUM) KERNEL_COUNT };
#undef QPEL_KERNEL_ENUM

struct position {
    enum family family;
    int a_dx, a_dy; /* plane A's offset, whole samples, 0 or 1 */
    int b_dx, b_dy; /* plane B's */
};

struct family_info {
    const char *name;
    enum plane_kind a, b;
};

extern const struct position qpel_positions[16]; /* [x + 4 * y] */
extern const struct family_info qpel_families[FAMILY_COUNT];

/* "mc00" .. "mc33" */
extern const char *const qpel_position_names[16];

#endif
