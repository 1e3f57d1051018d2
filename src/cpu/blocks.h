/* What the picture door needs of the CPU besides luma's kernels: chroma and weights. */
#ifndef QPEL_CPU_BLOCKS_H
#define QPEL_CPU_BLOCKS_H

#include "kernels.h"

/* Chroma with bilinear filters, by layer (kernels.h). */
qpel_chroma_fn qpel_chroma_c, qpel_chroma_ssse3, qpel_chroma_neon;

/* Expands rows(w, op) with the constants that width, in bytes, and operation are. */
#define QPEL_WITH_WIDTH(width, operation, rows)                                                    \
    if ((operation) == QPEL_PUT) {                                                                 \
        QPEL_WITH_WIDTH_ALONE(width, rows, QPEL_PUT)                                               \
    } else {                                                                                       \
        QPEL_WITH_WIDTH_ALONE(width, rows, QPEL_AVG)                                               \
    }
#define QPEL_WITH_WIDTH_ALONE(width, rows, argument)                                               \
    switch (width) {                                                                               \
    case 16:                                                                                       \
        rows(16, argument);                                                                        \
        break;                                                                                     \
    case 8:                                                                                        \
        rows(8, argument);                                                                         \
        break;                                                                                     \
    case 4:                                                                                        \
        rows(4, argument);                                                                         \
        break;                                                                                     \
    default:                                                                                       \
        rows(2, argument);                                                                         \
    }

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
