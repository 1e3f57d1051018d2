/* How a layer (C, or an instruction set) is written.
 *
 * A layer is one source file. It has a body for each family of positions.h:
 *
 *     QPEL_BODY(COPY) { ... }
 *
 * and ends with QPEL_LAYER(name), which expands every position, size and
 * operation from them: the kernels, the entries of the dsp door, and
 * qpel_layer_name(), which enters all of them in the tables. kernels.c lists it. */
#ifndef QPEL_CPU_LAYER_H
#define QPEL_CPU_LAYER_H

#include "../positions.h"
#include "kernels.h"

#define QPEL_INLINE   static inline __attribute__((always_inline))
#define QPEL_NOINLINE static __attribute__((noinline))

/* What becomes of the predicted samples. Bodies hand it to their layer's store
 * function untouched; all its members are constants where a kernel is expanded. */
struct last_step {
    enum qpel_operation operation;
};

/* One family. dx, dy: the whole samples, 0 or 1, by which a plane of the family
 * is moved: dx columns of plane B, dy rows of plane B (of plane A for DIAGONAL).
 * All but the first four arguments are constants. */
#define QPEL_BODY(family)                                                                          \
    QPEL_INLINE void body_##family(uint8_t *restrict dst, const uint8_t *restrict src,             \
                                   ptrdiff_t dst_stride, ptrdiff_t src_stride, int dx, int dy,     \
                                   int width, int height, struct last_step last)

#define QPEL_LAYER(name)                                                                           \
    QPEL_POSITIONS(QPEL_LAYER_DEFINE)                                                              \
    void qpel_layer_##name(struct qpel_cpu_tables *tables)                                         \
    {                                                                                              \
        QPEL_POSITIONS(QPEL_LAYER_ENTER)                                                           \
    }

/* Each size of a position, each operation of a size. */
#define QPEL_LAYER_DEFINE(x, y, family, a_dx, a_dy, b_dx, b_dy)                                    \
    QPEL_LAYER_DEFINE_SIZE(16, x, y, family, (a_dx) + (b_dx), (a_dy) + (b_dy))                     \
    QPEL_LAYER_DEFINE_SIZE(8, x, y, family, (a_dx) + (b_dx), (a_dy) + (b_dy))                      \
    QPEL_LAYER_DEFINE_SIZE(4, x, y, family, (a_dx) + (b_dx), (a_dy) + (b_dy))

#define QPEL_LAYER_DEFINE_SIZE(n, x, y, family, dx, dy)                                            \
    QPEL_LAYER_DEFINE_ENTRY(put, QPEL_PUT, n, x, y, family, dx, dy)                                \
    QPEL_LAYER_DEFINE_ENTRY(avg, QPEL_AVG, n, x, y, family, dx, dy)

#define QPEL_LAYER_DEFINE_ENTRY(op, operation, n, x, y, family, dx, dy)                            \
    QPEL_NOINLINE void op##_##n##_mc##x##y(uint8_t *restrict dst, const uint8_t *restrict src,     \
                                           ptrdiff_t dst_stride, ptrdiff_t src_stride)             \
    {                                                                                              \
        body_##family(dst, src, dst_stride, src_stride, dx, dy, n, n,                              \
                      (struct last_step){ operation });                                            \
    }                                                                                              \
    static void dsp_##op##_##n##_mc##x##y(uint8_t *dst, const uint8_t *src, ptrdiff_t stride)      \
    {                                                                                              \
        op##_##n##_mc##x##y(dst, src, stride, stride);                                             \
    }

/* The same where code size matters more than two additions: a kernel per family,
 * size and operation, whose positions are entries that jump to it. dx and dy are
 * then arguments at run time. */
#define QPEL_COMPACT_LAYER(name)                                                                   \
    QPEL_FAMILIES(QPEL_LAYER_KERNEL)                                                               \
    QPEL_POSITIONS(QPEL_LAYER_JUMP)                                                                \
    void qpel_layer_##name(struct qpel_cpu_tables *tables)                                         \
    {                                                                                              \
        QPEL_POSITIONS(QPEL_LAYER_ENTER)                                                           \
    }

/* gcc would else make copies for constant arguments. */
#ifdef __clang__
#define QPEL_ONE_COPY QPEL_NOINLINE
#else
#define QPEL_ONE_COPY QPEL_NOINLINE __attribute__((noclone))
#endif

#define QPEL_LAYER_KERNEL(family, text, a, b)                                                      \
    QPEL_LAYER_KERNEL_SIZE(16, family)                                                             \
    QPEL_LAYER_KERNEL_SIZE(8, family)                                                              \
    QPEL_LAYER_KERNEL_SIZE(4, family)

#define QPEL_LAYER_KERNEL_SIZE(n, family)                                                          \
    QPEL_LAYER_KERNEL_ENTRY(put, QPEL_PUT, n, family)                                              \
    QPEL_LAYER_KERNEL_ENTRY(avg, QPEL_AVG, n, family)

#define QPEL_LAYER_KERNEL_ENTRY(op, operation, n, family)                                          \
    QPEL_ONE_COPY void op##_##n##_##family(uint8_t *restrict dst, const uint8_t *restrict src,     \
                                           ptrdiff_t dst_stride, ptrdiff_t src_stride, int dx,     \
                                           int dy)                                                 \
    {                                                                                              \
        body_##family(dst, src, dst_stride, src_stride, dx, dy, n, n,                              \
                      (struct last_step){ operation });                                            \
    }

#define QPEL_LAYER_JUMP(x, y, family, a_dx, a_dy, b_dx, b_dy)                                      \
    QPEL_LAYER_JUMP_SIZE(16, x, y, family, (a_dx) + (b_dx), (a_dy) + (b_dy))                       \
    QPEL_LAYER_JUMP_SIZE(8, x, y, family, (a_dx) + (b_dx), (a_dy) + (b_dy))                        \
    QPEL_LAYER_JUMP_SIZE(4, x, y, family, (a_dx) + (b_dx), (a_dy) + (b_dy))

#define QPEL_LAYER_JUMP_SIZE(n, x, y, family, dx, dy)                                              \
    QPEL_LAYER_JUMP_ENTRY(put, n, x, y, family, dx, dy)                                            \
    QPEL_LAYER_JUMP_ENTRY(avg, n, x, y, family, dx, dy)

#define QPEL_LAYER_JUMP_ENTRY(op, n, x, y, family, dx, dy)                                         \
    static void op##_##n##_mc##x##y(uint8_t *dst, const uint8_t *src, ptrdiff_t dst_stride,        \
                                    ptrdiff_t src_stride)                                          \
    {                                                                                              \
        op##_##n##_##family(dst, src, dst_stride, src_stride, dx, dy);                             \
    }                                                                                              \
    static void dsp_##op##_##n##_mc##x##y(uint8_t *dst, const uint8_t *src, ptrdiff_t stride)      \
    {                                                                                              \
        op##_##n##_##family(dst, src, stride, stride, dx, dy);                                     \
    }

#define QPEL_LAYER_ENTER(x, y, family, a_dx, a_dy, b_dx, b_dy)                                     \
    QPEL_LAYER_ENTER_SIZE(16, x, y)                                                                \
    QPEL_LAYER_ENTER_SIZE(8, x, y)                                                                 \
    QPEL_LAYER_ENTER_SIZE(4, x, y)

#define QPEL_LAYER_ENTER_SIZE(n, x, y)                                                             \
    QPEL_LAYER_ENTER_ENTRY(put, n, x, y)                                                           \
    QPEL_LAYER_ENTER_ENTRY(avg, n, x, y)

#define QPEL_LAYER_ENTER_ENTRY(op, n, x, y)                                                        \
    tables->kernels.op[QPEL_SIZE_##n][(x) + 4 * (y)] = op##_##n##_mc##x##y;                        \
    tables->dsp.op[QPEL_SIZE_##n][(x) + 4 * (y)] = dsp_##op##_##n##_mc##x##y;

typedef void qpel_layer_fn(struct qpel_cpu_tables *tables);

/* Every layer there is; those of other architectures are not built. */
qpel_layer_fn qpel_layer_c, qpel_layer_neon, qpel_layer_ssse3, qpel_layer_avx2;

#endif
