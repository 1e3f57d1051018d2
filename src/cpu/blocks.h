/* What the picture door needs of the CPU besides luma's kernels: chroma and weights. */
#ifndef QPEL_CPU_BLOCKS_H
#define QPEL_CPU_BLOCKS_H

#include "kernels.h"

/* Chroma (8.4.2.2.2): bilinear with eighth-sample fractions, 0..7. step: bytes from a sample to its
 * right neighbour, 1, or 2 where Cb and Cr are interleaved; width in bytes, 2 to 16. Reads column
 * `width` (by step) only if x_frac, row `height` only if y_frac. */
void qpel_chroma_predict(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src,
                         ptrdiff_t src_stride, int width, int height, int step, int x_frac,
                         int y_frac, enum qpel_operation operation);

/* One row of weights (8.4.2.3.2): log_wd 0..7, weights and offset -128..128. */
struct weights {
    int log_wd;
    int w0, w1;
    int offset; /* one reference: o0; two: (o0 + o1 + 1) >> 1 */
};

/* dst and the predictions a and b are apart; width in bytes, 2 to 16. Where step is 2, Cb and Cr
 * alternate, and only the bytes of `phase` change, 0 for Cb or 1 for Cr. */
void qpel_weight_one(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *a, ptrdiff_t stride,
                     int width, int height, int step, int phase, struct weights w);
void qpel_weight_two(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *a, const uint8_t *b,
                     ptrdiff_t stride, int width, int height, int step, int phase,
                     struct weights w);

#endif
