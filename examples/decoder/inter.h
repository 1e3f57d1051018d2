/* Inter prediction: the decoder's calls, function by function, become blocks of the picture door.
 *
 * For each partition libavcodec calls, list by list, luma (twice where it isn't square), chroma
 * and, where it is weighted, the weighting functions. A luma call alone says all: place, reference,
 * parity and vector. The others are counted and, with `check`, compared with what luma implies. */
#ifndef DECODER_INTER_H
#define DECODER_INTER_H

#include "pictures.h"

struct decoder;

enum { WEIGHT_CACHE = 256 };

struct inter {
    /* The window that the edge function was last asked for: its address stands for the place. */
    struct {
        const uint8_t *from, *to;
        ptrdiff_t stride;
        int x, y;
        struct place origin;
    } window;
    /* The last luma call, where the next one may belong to the same partition. */
    struct {
        bool open, twice;
        int list, k, position;
        int x, y, from_x, from_y;
    } last;
    struct qpel_weight weight;           /* of the block that is being put together */
    uint16_t weight_cache[WEIGHT_CACHE]; /* by hash: an index of the batch's weights, or 0 */
};

struct inter_counts {
    uint64_t luma_calls, chroma_calls, edge_calls;
    uint64_t blocks, max_blocks, bi, weighted, field_rows, samples;
};

void inter_luma(struct decoder *d, bool avg, int k, int position, const uint8_t *dst,
                const uint8_t *src, ptrdiff_t stride);
void inter_chroma(struct decoder *d, bool avg, int k, const uint8_t *dst, const uint8_t *src,
                  ptrdiff_t stride, int h, int x, int y);
/* bi: both lists' weights, w[0] that of dst; o is the sum of both offsets */
void inter_weight(struct decoder *d, bool bi, int k, const uint8_t *dst, ptrdiff_t stride, int h,
                  int log_wd, const int w[2], int o);
void inter_edge(struct decoder *d, const uint8_t *dst, const uint8_t *src, ptrdiff_t dst_stride,
                ptrdiff_t src_stride, int block_h, int x, int y, int w, int h);
/* The block that is being put together is complete. */
void inter_close_block(struct decoder *d);
/* All of the picture are: ready for the next. */
void inter_end_picture(struct decoder *d);

#endif
