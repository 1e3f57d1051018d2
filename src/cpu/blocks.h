/* What the picture door needs of the CPU besides luma's kernels: chroma and weights. */
#ifndef QPEL_CPU_BLOCKS_H
#define QPEL_CPU_BLOCKS_H

#include "kernels.h"

/* Chroma with bilinear filters, by layer (kernels.h). */
qpel_chroma_fn qpel_chroma_c, qpel_chroma_ssse3, qpel_chroma_neon;

/* Which neighbours a block's samples have. */
enum neighbours { RIGHT, BELOW, BOTH };

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

/* Weights, by layer. */
qpel_weight_fn qpel_weight_c, qpel_weight_ssse3, qpel_weight_neon;

/* They are made in 16 bits, of which vectors have twice as many as of 32. Products are
 * -32640..32640; of two, each takes a part of the rounding, so that half of the sum is that of the
 * standard's:
 *
 *   (a + b + 2^logWD) >> (logWD + 1) = ((a + round 0 + b + round 1) >> 1) >> logWD
 *
 * Part 0 is also the rounding of one alone, 2^(logWD - 1), or 0 where logWD is 0. */
#define WEIGHT_ROUND(log_wd, part)                                                                 \
    ((part) ? (1 << (log_wd)) - (1 << (log_wd)) / 2 : (1 << (log_wd)) / 2)

/* Expands rows(dst, dst_stride, a, b, stride, width, height, step, ...) with constants for width
 * and step, and for b whether it is null. */
#define QPEL_WEIGHT_ROWS(rows, ...)                                                                \
    if (b) {                                                                                       \
        QPEL_WEIGHT_ROWS_OF(rows, b, __VA_ARGS__)                                                  \
    } else {                                                                                       \
        QPEL_WEIGHT_ROWS_OF(rows, NULL, __VA_ARGS__)                                               \
    }
#define QPEL_WEIGHT_ROWS_OF(rows, b, ...)                                                          \
    switch (width | (step - 1) << 5) {                                                             \
        QPEL_WEIGHT_CASE(rows, b, 16, 1, __VA_ARGS__)                                              \
        QPEL_WEIGHT_CASE(rows, b, 8, 1, __VA_ARGS__)                                               \
        QPEL_WEIGHT_CASE(rows, b, 4, 1, __VA_ARGS__)                                               \
        QPEL_WEIGHT_CASE(rows, b, 2, 1, __VA_ARGS__)                                               \
        QPEL_WEIGHT_CASE(rows, b, 16, 2, __VA_ARGS__)                                              \
        QPEL_WEIGHT_CASE(rows, b, 8, 2, __VA_ARGS__)                                               \
        QPEL_WEIGHT_CASE(rows, b, 4, 2, __VA_ARGS__)                                               \
    }
#define QPEL_WEIGHT_CASE(rows, b, w, s, ...)                                                       \
    case (w) | ((s)-1) << 5:                                                                       \
        rows(dst, dst_stride, a, b, stride, w, height, s, __VA_ARGS__);                            \
        break;

#endif
