/* No sample is written twice in a call, and none that is read is written: otherwise
 * the result would depend on an order that only the CPU has. */
#include <string.h>

#include "validate.h"

/* A set of small numbers, one bit each. */
struct bits {
    uint64_t *words;
};

static bool bit_test_and_set(struct bits b, size_t i)
{
    uint64_t mask = UINT64_C(1) << (i & 63);
    bool was = b.words[i >> 6] & mask;
    b.words[i >> 6] |= mask;
    return was;
}

/* n bits from i on, n <= 32, as masks of the word that holds i and of the next. */
struct run {
    size_t word;
    uint64_t low, high;
};

static struct run run_of(size_t i, unsigned n)
{
    unsigned shift = i & 63;
    uint64_t mask = (UINT64_C(1) << n) - 1;
    return (struct run){
        .word = i >> 6,
        .low = mask << shift,
        .high = shift + n > 64 ? mask >> (64 - shift) : 0,
    };
}

static bool run_test(struct bits b, struct run r)
{
    return (b.words[r.word] & r.low) || (r.high && b.words[r.word + 1] & r.high);
}

static void run_set(struct bits b, struct run r)
{
    b.words[r.word] |= r.low;
    if (r.high)
        b.words[r.word + 1] |= r.high;
}

static size_t words_for(size_t bits)
{
    return bits / 64 + 2;
}

static enum qpel_result fail(struct qpel_report *report, enum qpel_fault fault, size_t block)
{
    report->fault = fault;
    report->fault_block = block;
    return QPEL_ERROR_INVALID;
}

/* Where all blocks lie on one grid of the block size, as a decoder's do, two of them are the same
 * cell or apart. Cells tile memory: lines of |stride| bytes, `width` lines high. */
struct grid {
    uint32_t origin; /* column of the first cell's first sample */
    uint32_t stride, width;
    uint32_t phase; /* of the cells' top line, modulo width */
    uint32_t shift; /* from a block's offset to that of its lowest line */
    size_t cells;
};

static bool grid_cell(const struct grid *g, uint32_t dst, size_t *cell)
{
    uint32_t top = dst - g->shift;
    if (top < g->origin)
        return false;
    uint32_t line = (top - g->origin) / g->stride, column = (top - g->origin) % g->stride;
    if (column % g->width || line % g->width != g->phase)
        return false;
    *cell = (size_t)(line / g->width) * (g->stride / g->width) + column / g->width;
    return true;
}

static bool grid_init(struct grid *g, const struct job *job)
{
    uint32_t width = (uint32_t)block_width(job->size);
    size_t stride = (size_t)(job->dst.stride < 0 ? -job->dst.stride : job->dst.stride);
    if (stride % width || stride > UINT32_MAX / 16)
        return false;
    g->stride = (uint32_t)stride;
    g->width = width;
    g->shift = job->dst.stride < 0 ? (width - 1) * g->stride : 0;
    uint32_t top = job->blocks[0].dst - g->shift;
    g->origin = top % g->stride % width;
    g->phase = (top - g->origin) / g->stride % width;
    g->cells = (job->dst.end / g->stride / width + 1) * (g->stride / width);
    return true;
}

/* 1: found one; 0: all apart; -1: not on one grid. */
static int grid_check(const struct grid *g, const struct job *job, struct bits seen, size_t *block)
{
    for (size_t i = 0; i < job->count; i++) {
        size_t cell;
        if (!grid_cell(g, job->blocks[i].dst, &cell))
            return -1;
        if (bit_test_and_set(seen, cell)) {
            *block = i;
            return 1;
        }
    }
    return 0;
}

/* Marks the bytes that the blocks write. Count: all apart; else the first that meets an earlier
 * one. */
static size_t mark_bytes(const struct job *job, struct bits bytes)
{
    int width = block_width(job->size);
    for (size_t i = 0; i < job->count; i++) {
        size_t at = job->blocks[i].dst - job->dst.first;
        for (int y = 0; y < width; y++, at += (size_t)job->dst.stride) {
            struct run run = run_of(at, (unsigned)width);
            if (run_test(bytes, run))
                return i;
            run_set(bytes, run);
        }
    }
    return job->count;
}

/* Whether a rectangle of src, around the byte at `g`, meets marked bytes of dst. */
static bool rectangle_marked(const struct job *job, struct bits bytes, const uint8_t *g,
                             struct qpel_rectangle r)
{
    uintptr_t low = (uintptr_t)(job->dst.data + job->dst.first);
    uintptr_t high = (uintptr_t)(job->dst.data + job->dst.end);
    for (int y = r.top; y <= r.bottom; y++) {
        uintptr_t first = (uintptr_t)g + (uintptr_t)(y * job->src.stride) + (uintptr_t)r.left;
        uintptr_t end = first + (uintptr_t)(r.right - r.left + 1);
        first = first < low ? low : first;
        end = end > high ? high : end;
        if (first < end && run_test(bytes, run_of(first - low, (unsigned)(end - first))))
            return true;
    }
    return false;
}

static size_t find_marked_window(const struct job *job, struct bits bytes)
{
    int width = block_width(job->size);
    struct qpel_window w = qpel_window(job->position, width, width);
    for (size_t i = 0; i < job->count; i++) {
        const uint8_t *g = job->src.data + job->blocks[i].src;
        if (rectangle_marked(job, bytes, g, w.row) || rectangle_marked(job, bytes, g, w.column))
            return i;
    }
    return job->count;
}

static bool planes_meet(const struct job *job)
{
    uintptr_t dst = (uintptr_t)job->dst.data, src = (uintptr_t)job->src.data;
    return dst + job->dst.first < src + job->src.end && src + job->src.first < dst + job->dst.end;
}

enum qpel_result qpel_validate_overlap(struct qpel_context *context, const struct job *job,
                                       struct qpel_report *report)
{
    bool meet = planes_meet(job);
    if (job->count == 1 && !meet)
        return QPEL_OK;
    struct grid grid;
    bool gridded = !meet && grid_init(&grid, job);
    size_t words = words_for(gridded ? grid.cells : job->dst.end - job->dst.first);
    struct scratch *scratch = qpel_context_scratch_take(context, words);
    if (!scratch)
        return QPEL_ERROR_NOMEM;
    struct bits bits = { scratch->words };
    memset(bits.words, 0, words * sizeof *bits.words);

    enum qpel_result result = QPEL_OK;
    size_t block = job->count;
    if (gridded && grid_check(&grid, job, bits, &block) < 0) {
        qpel_context_scratch_give(context, scratch);
        words = words_for(job->dst.end - job->dst.first);
        scratch = qpel_context_scratch_take(context, words);
        if (!scratch)
            return QPEL_ERROR_NOMEM;
        bits.words = scratch->words;
        memset(bits.words, 0, words * sizeof *bits.words);
        gridded = false;
    }
    if (!gridded)
        block = mark_bytes(job, bits);
    if (block < job->count) {
        result = fail(report, QPEL_FAULT_OVERLAP_DST, block);
    } else if (meet) {
        block = find_marked_window(job, bits);
        if (block < job->count)
            result = fail(report, QPEL_FAULT_OVERLAP_SRC, block);
    }
    qpel_context_scratch_give(context, scratch);
    return result;
}
