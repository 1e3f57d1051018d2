/* libqpel, first door: one block at a time, on the CPU.
 *
 * For a decoder that predicts block by block. The table has the meaning of
 * libavcodec's H264QpelContext, so that its entries can be copied from ours one
 * by one. */
#ifndef QPEL_DSP_H
#define QPEL_DSP_H

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Predicts one block of N x N luma samples at a quarter-sample position
 * (8.4.2.2.1; N and the position are the table's indices).
 *
 *   dst     the block's first sample, of any alignment
 *   src     sample G of the standard: the sample that the whole part of the
 *           motion vector points at, for the block's first sample
 *   stride  bytes from a row to the next, of dst and of src; any value, negative too
 *
 * Exactly the N x N samples of dst are written (and read, by avg). Of src,
 * exactly the read window of the position is read and no byte beside it:
 * qpel_window() tells it. Reading outside a picture is the caller's to prevent:
 * a padded picture, or a copy with clamped coordinates (8.4.2.2.1, xInt and yInt).
 * dst must not overlap the window.
 *
 * Cannot fail, keeps nothing, allocates nothing; any thread. */
typedef void qpel_mc_fn(uint8_t *dst, const uint8_t *src, ptrdiff_t stride);

struct qpel_dsp {
    qpel_mc_fn *put[QPEL_SIZE_COUNT][QPEL_POSITION_COUNT]; /* dst = p */
    qpel_mc_fn *avg[QPEL_SIZE_COUNT][QPEL_POSITION_COUNT]; /* dst = (dst + p + 1) >> 1 */
};

/* CPU features that a table may use, for cpu_mask. A feature hidden by the mask
 * is never used, one that the machine lacks never either. */
#define QPEL_CPU_NONE 0u          /* portable C only */
#define QPEL_CPU_ALL  0xffffffffu /* whatever the machine has */

#define QPEL_CPU_NEON  (1u << 0) /* Arm, 64-bit (ASIMD) and 32-bit */
#define QPEL_CPU_SSSE3 (1u << 2) /* x86 */
#define QPEL_CPU_AVX2  (1u << 3) /* x86; needs no QPEL_CPU_SSSE3 beside it */

/* Fills the table with the fastest functions for this machine.
 *
 *   dsp        out; every entry is set
 *   bit_depth  8 (9, 10, 12 and 14 are to come: QPEL_ERROR_UNSUPPORTED)
 *   cpu_mask   QPEL_CPU_ALL; or fewer features, for tests
 *
 * Returns QPEL_OK; QPEL_ERROR_INVALID for a null dsp or a depth that H.264 does
 * not have; QPEL_ERROR_UNSUPPORTED for one that this version lacks: *dsp is then
 * as before. Entries hold no state: the table may be copied and shared freely
 * between threads. Any thread. */
QPEL_API enum qpel_result qpel_dsp_init(struct qpel_dsp *dsp, int bit_depth, unsigned cpu_mask);

/* Names the fastest CPU layer that qpel_dsp_init() takes with this mask on this
 * machine: "c", or the name of an instruction set. Static storage; any thread. */
QPEL_API const char *qpel_dsp_layer(unsigned cpu_mask);

/* The samples of src that a block at a position needs, relative to src and with
 * both ends included: columns left..right of rows top..bottom.
 *
 * Diagonal positions (mc11, 31, 13, 33) need a cross: the rectangle of the
 * row filter and that of the column filter. Others need one rectangle, given as
 * the row filter's, and column filter's is the same. The four corners between a
 * cross's arms are not read. */
struct qpel_rectangle {
    int left, top, right, bottom;
};
struct qpel_window {
    struct qpel_rectangle row;    /* what the filter along rows reads (or all) */
    struct qpel_rectangle column; /* what the filter along columns reads (or all) */
    struct qpel_rectangle bounds; /* the smallest rectangle around both */
};

/* The read window of a w x h block at a position; the one rule that every
 * backend, check and test of the library uses.
 *
 *   position       0..15; other values are taken modulo 16
 *   width, height  samples, 1 or more
 *
 * Cannot fail; any thread. */
QPEL_API struct qpel_window qpel_window(int position, int width, int height);

#ifdef __cplusplus
}
#endif

#endif
