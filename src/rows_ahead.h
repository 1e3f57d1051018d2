/* Rows of pictures, asked of memory before the blocks that read and write them are predicted.
 *
 * Block by block, a window is a cache line from each of many rows. Memory answers that slowly, be
 * it asked ahead or not, but several times as fast along a row. A batch tells which rows that will
 * be: a look some way ahead at its blocks moves a mark down each picture, a row at a time, and the
 * row is asked for whole. */
#ifndef QPEL_SRC_ROWS_AHEAD_H
#define QPEL_SRC_ROWS_AHEAD_H

#include <string.h>

#include "picture.h"

enum {
    AHEAD_LINE = 64, /* bytes of a cache line */
    AHEAD_ROWS = 8,  /* how far ahead: the blocks that so many rows of the frame have on average */
    AHEAD_BELOW = 3, /* rows below a block in its window, at most */
};

/* The next row to ask for. */
struct marks {
    int targets[QPEL_BOTTOM_FIELD + 1]; /* by parity */
    int references[QPEL_REFERENCE_MAX];
};

/* targets, references: their rows of the component that is predicted; y_shift: from luma's rows
 * to the component's. */
struct rows_ahead {
    const struct qpel_picture_block *blocks;
    size_t distance, end;
    const struct samples *targets, *references;
    int y_shift;
    struct marks *marks;
};

/* marks: room for them. */
static inline struct rows_ahead rows_ahead_of(const struct qpel_batch *batch, size_t end,
                                              const struct samples *targets,
                                              const struct samples *references, int y_shift,
                                              struct marks *marks)
{
    memset(marks->targets, 0, sizeof marks->targets);
    memset(marks->references, 0, batch->reference_count * sizeof *marks->references);
    return (struct rows_ahead){
        .blocks = batch->blocks,
        .distance = batch->block_count * AHEAD_ROWS / batch->target->format.height,
        .end = end,
        .targets = targets,
        .references = references,
        .y_shift = y_shift,
        .marks = marks,
    };
}

/* Apart, so that its callers keep what they need in registers. */
static __attribute__((noinline)) void mark_ask(int *mark, const struct samples *picture, int from)
{
    if (*mark < from)
        *mark = from;
    if (*mark >= picture->height)
        return;
    const uint8_t *row = picture->data + (*mark)++ * picture->stride;
    const int bytes = picture->width * picture->step;
    for (int x = 0; x < bytes; x += AHEAD_LINE)
        __builtin_prefetch(row + x);
}

/* Rows top..end-1 are taken by a block whose own begin at y. One more is asked for: blocks come
 * several times as fast as rows, and of a picture that few blocks take, not all are asked for. The
 * mark goes on to where blocks are now, but a lone long vector does not carry it away. */
static inline void mark_rows(int *mark, const struct samples *picture, int top, int end, int y)
{
    if (*mark < end)
        mark_ask(mark, picture, top < y ? top : y);
}

/* Before block `at` is predicted. */
static inline void rows_ahead_look(const struct rows_ahead *a, size_t at)
{
    if (at + a->distance >= a->end)
        return;
    const struct qpel_picture_block *b = &a->blocks[at + a->distance];
    const int y = b->y >> a->y_shift, height = b->height >> a->y_shift;
    mark_rows(&a->marks->targets[b->parity], &a->targets[b->parity], y, y + height, y);
    for (int list = 0; list < b->references; list++) {
        const int reference = b->reference[list], top = y + (b->mv[list][1] >> (2 + a->y_shift));
        mark_rows(&a->marks->references[reference], &a->references[reference], top,
                  top + height + AHEAD_BELOW, y);
    }
}

#endif
