/* Rows of references, asked of memory before the blocks that read them are predicted.
 *
 * Block by block, a window is a cache line from each of many rows. Memory answers that slowly, be
 * it asked ahead or not, but several times as fast along a row. A batch tells which rows that will
 * be: a look some way ahead at its blocks moves a mark down each reference, a row at a time, and
 * the row is asked for whole. */
#ifndef QPEL_SRC_ROWS_AHEAD_H
#define QPEL_SRC_ROWS_AHEAD_H

#include <string.h>

#include "picture.h"

enum {
    AHEAD_LINE = 64, /* bytes of a cache line */
    AHEAD_ROWS = 8,  /* how far ahead: the blocks that so many rows of the frame have on average */
    AHEAD_BELOW = 3, /* rows below a block in its window, at most */
};

struct rows_ahead {
    const struct qpel_picture_block *blocks;
    size_t distance, end;
    const struct samples *references; /* rows of the component that is predicted */
    int y_shift;                      /* from luma's rows to the component's */
    int *marks;                       /* by reference: the next row to ask for */
};

/* marks: room for them. */
static inline struct rows_ahead rows_ahead_of(const struct qpel_batch *batch, size_t end,
                                              const struct samples *references, int y_shift,
                                              int marks[QPEL_REFERENCE_MAX])
{
    memset(marks, 0, batch->reference_count * sizeof *marks);
    return (struct rows_ahead){
        .blocks = batch->blocks,
        .distance = batch->block_count * AHEAD_ROWS / batch->target->format.height,
        .end = end,
        .references = references,
        .y_shift = y_shift,
        .marks = marks,
    };
}

/* The mark goes on to `from` at least. Apart, so that its caller keeps what it needs in registers.
 */
static __attribute__((noinline)) void rows_ahead_ask(int *mark, const struct samples *reference,
                                                     int from)
{
    if (*mark < from)
        *mark = from;
    if (*mark >= reference->height)
        return;
    const uint8_t *row = reference->data + (*mark)++ * reference->stride;
    const int bytes = reference->width * reference->step;
    for (int x = 0; x < bytes; x += AHEAD_LINE)
        __builtin_prefetch(row + x);
}

/* Before block `at` is predicted. Each block asks for one row more while its window is not above
 * the mark: blocks come several times as fast as rows, and of a reference that few blocks read,
 * not all rows are asked for. Marks go on to where blocks are now; but a lone long vector does not
 * carry them away. */
static inline void rows_ahead_look(const struct rows_ahead *a, size_t at)
{
    if (at + a->distance >= a->end)
        return;
    const struct qpel_picture_block *b = &a->blocks[at + a->distance];
    const int y = b->y >> a->y_shift, height = b->height >> a->y_shift;
    for (int list = 0; list < b->references; list++) {
        const int reference = b->reference[list], top = y + (b->mv[list][1] >> (2 + a->y_shift));
        if (a->marks[reference] < top + height + AHEAD_BELOW)
            rows_ahead_ask(&a->marks[reference], &a->references[reference], top < y ? top : y);
    }
}

#endif
