/* Rows of references, asked of memory before the blocks that read them are predicted.
 *
 * Block by block, a window is a cache line from each of many rows. Memory answers that slowly, be
 * it asked ahead or not, but several times as fast along a row. A batch tells which rows that will
 * be: a look some way ahead at its blocks moves a mark down each reference, a row at a time, and
 * the row is asked for whole. */
#ifndef QPEL_SRC_ROWS_AHEAD_H
#define QPEL_SRC_ROWS_AHEAD_H

#include "picture.h"

enum {
    AHEAD_LINE = 64, /* bytes of a cache line */
    AHEAD_ROWS = 12, /* how far ahead: the blocks that so many rows of the frame have on average */
    /* A row is asked for when blocks have come that read this part of its samples: blocks read less
     * of a reference that is seldom used than asking for it would cost. But blocks must come faster
     * than rows, for marks to stay ahead. */
    AHEAD_PART = 8,
    AHEAD_BELOW = 3, /* rows below a block in its window, at most */
};

/* Of a reference. */
struct mark {
    int row;     /* the next to ask for */
    int samples; /* that blocks read since the last one */
};

struct rows_ahead {
    const struct qpel_picture_block *blocks;
    size_t distance, end;
    const struct samples *references; /* rows of the component that is predicted */
    struct mark *marks;               /* as many */
    int y_shift;                      /* from luma's rows to the component's */
    int area_shift;                   /* and from its samples */
};

static inline struct rows_ahead rows_ahead_of(const struct qpel_batch *batch, size_t end,
                                              const struct samples *references, int x_shift,
                                              int y_shift, struct mark marks[QPEL_REFERENCE_MAX])
{
    for (size_t i = 0; i < batch->reference_count; i++)
        marks[i] = (struct mark){ .row = 0 };
    return (struct rows_ahead){
        .blocks = batch->blocks,
        .distance = batch->block_count * AHEAD_ROWS / batch->target->format.height,
        .end = end,
        .references = references,
        .marks = marks,
        .y_shift = y_shift,
        .area_shift = x_shift + y_shift,
    };
}

static inline void rows_ahead_ask(const struct samples *reference, int row)
{
    const uint8_t *at = reference->data + row * reference->stride;
    const int bytes = reference->width * reference->step;
    for (int x = 0; x < bytes; x += AHEAD_LINE)
        __builtin_prefetch(at + x);
}

/* Before block `at` is predicted. */
static inline void rows_ahead_look(const struct rows_ahead *a, size_t at)
{
    if (at + a->distance >= a->end)
        return;
    const struct qpel_picture_block *b = &a->blocks[at + a->distance];
    const int y = b->y >> a->y_shift, height = b->height >> a->y_shift;
    for (int list = 0; list < b->references; list++) {
        const struct samples *ref = &a->references[b->reference[list]];
        struct mark *mark = &a->marks[b->reference[list]];
        const int top = y + (b->mv[list][1] >> (2 + a->y_shift));
        mark->samples += b->width * b->height >> a->area_shift;
        if (mark->row >= top + height + AHEAD_BELOW || mark->samples * AHEAD_PART < ref->width)
            continue;
        mark->samples = 0;
        /* On to where blocks are now; but a lone long vector does not carry the mark away. */
        if (mark->row < top && mark->row < y)
            mark->row = top < y ? top : y;
        if (mark->row < ref->height)
            rows_ahead_ask(ref, mark->row++);
    }
}

#endif
