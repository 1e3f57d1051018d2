/* The CPU's kernels, for the doors. */
#ifndef QPEL_CPU_KERNELS_H
#define QPEL_CPU_KERNELS_H

#include <qpel/dsp.h>

/* As qpel_mc_fn (qpel/dsp.h), with a stride for each plane. In this order, so
 * that an entry of the dsp door is one register move and a jump. */
typedef void qpel_kernel_fn(uint8_t *dst, const uint8_t *src, ptrdiff_t dst_stride,
                            ptrdiff_t src_stride);

/* Chroma (8.4.2.2.2): bilinear with eighth-sample fractions, 0..7. step: bytes from a sample to its
 * right neighbour, 1, or 2 where Cb and Cr are interleaved; width in bytes, 2 to 16; height even.
 * Reads column `width` (by step) only if x_frac, row `height` only if y_frac. */
typedef void qpel_chroma_fn(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src,
                            ptrdiff_t src_stride, int width, int height, int step, int x_frac,
                            int y_frac, enum qpel_operation operation);

/* One row of weights (8.4.2.3.2): log_wd 0..7, weights and offset -128..128. */
struct weights {
    int log_wd;
    int w[2];
    int offset; /* one reference: o0; two: (o0 + o1 + 1) >> 1 */
};

/* Weighs the predictions a and b, or a alone where b is null. dst is apart from them; width in
 * bytes, 2 to 16; height even. Where step is 2, Cb and Cr alternate, and only the bytes of `phase`
 * change, 0 for Cb or 1 for Cr. */
typedef void qpel_weight_fn(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *a, const uint8_t *b,
                            ptrdiff_t stride, int width, int height, int step, int phase,
                            struct weights w);

struct qpel_kernels {
    qpel_kernel_fn *put[QPEL_SIZE_COUNT][QPEL_POSITION_COUNT];
    qpel_kernel_fn *avg[QPEL_SIZE_COUNT][QPEL_POSITION_COUNT];
    qpel_chroma_fn *chroma;
    qpel_weight_fn *weight;
};

/* Both tables, which are always made of the same layers. */
struct qpel_cpu_tables {
    struct qpel_kernels kernels;
    struct qpel_dsp dsp;
};

/* Sets every entry to the fastest function that cpu_mask and this machine allow. */
void qpel_kernels_init(struct qpel_kernels *kernels, unsigned cpu_mask);
void qpel_cpu_tables_init(struct qpel_cpu_tables *tables, unsigned cpu_mask);

#endif
