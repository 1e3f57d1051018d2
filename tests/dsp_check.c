#include "dsp_check.h"

#include <stdio.h>
#include <string.h>

#include "guard.h"

/* ---- many blocks ---- */

/* Samples to every side of a block that are watched, or that windows may reach into. */
#define MARGIN       8
#define STRIDE_LEAST 16
#define STRIDE_MOST  80
#define ROWS         (16 + 2 * MARGIN)
#define REGION       (ROWS * STRIDE_MOST + 64)

/* src has room for blocks at several places. */
#define SRC_ROWS (2 * ROWS)
#define SRC_SIZE (SRC_ROWS * STRIDE_MOST + 64)

/* Blocks made from one filling of src. */
#define BLOCKS_A_FILLING 50

struct field {
    _Alignas(64) uint8_t src[SRC_SIZE];
    _Alignas(64) uint8_t before[REGION];
    _Alignas(64) uint8_t expected[REGION];
    _Alignas(64) uint8_t actual[REGION];
};

/* Where in a region with a margin a block of a stride starts, moved by `shift` bytes. */
static ptrdiff_t block_start(ptrdiff_t stride, ptrdiff_t pitch, int rows_above, int shift)
{
    ptrdiff_t first_row = stride < 0 ? ROWS - 1 - rows_above : rows_above;

    return first_row * pitch + (pitch > MARGIN ? MARGIN : 0) + shift;
}

static int check_block(struct kernel k, const struct candidate *candidates, int count,
                       struct field *f, ptrdiff_t src_at, ptrdiff_t dst_at, ptrdiff_t stride)
{
    int width = kernel_width(k);
    struct block_shape shape = { dst_at, stride, width, width };

    memcpy(f->expected, f->before, REGION);
    expected_block(k, f->expected + dst_at, stride, f->src + src_at, stride);
    for (int i = 0; i < count; i++) {
        memcpy(f->actual, f->before, REGION);
        candidates[i].function(f->actual + dst_at, f->src + src_at, stride);
        if (!regions_equal(f->expected, f->actual, REGION, shape, candidates[i].name))
            return i;
    }
    return -1;
}

int check_blocks(struct kernel k, const struct candidate *candidates, int count, int blocks,
                 struct random *r)
{
    struct field f;

    memset(&f, 0x55, sizeof f);
    for (int n = 0; n < blocks; n++) {
        if (n % BLOCKS_A_FILLING == 0) {
            int kind = n / BLOCKS_A_FILLING % HOSTILE_KINDS;
            hostile_fill_kind(r, kind, f.src, STRIDE_MOST, STRIDE_MOST, SRC_SIZE / STRIDE_MOST);
            hostile_fill(r, f.before, STRIDE_MOST, STRIDE_MOST, REGION / STRIDE_MOST);
        }
        ptrdiff_t pitch = random_between(r, STRIDE_LEAST, STRIDE_MOST);
        /* A period-3 pattern of rows keeps it only at the stride that it was filled with. */
        if (n % 2)
            pitch = STRIDE_MOST;
        ptrdiff_t stride = random_next(r) & 1 ? pitch : -pitch;
        ptrdiff_t src_at = block_start(stride, pitch, MARGIN, random_between(r, 0, 15)) +
                           random_between(r, 0, ROWS - 1) * pitch;
        ptrdiff_t dst_at = block_start(stride, pitch, MARGIN, random_between(r, 0, 15));
        int failed = check_block(k, candidates, count, &f, src_at, dst_at, stride);
        if (failed >= 0)
            return failed;
    }
    return -1;
}

int check_alignments(struct kernel k, const struct candidate *candidates, int count,
                     ptrdiff_t stride, struct random *r)
{
    struct field f;
    ptrdiff_t pitch = stride < 0 ? -stride : stride;

    memset(&f, 0x55, sizeof f);
    hostile_fill(r, f.src, pitch, (int)pitch, ROWS + 1);
    hostile_fill(r, f.before, pitch, (int)pitch, ROWS);
    /* In an order in which every 16 pairs have all alignments of both. */
    int pairs = repetitions(16 * 16);
    for (int n = 0; n < pairs || n < 16; n++) {
        ptrdiff_t at = block_start(stride, pitch, MARGIN, 0) & -(ptrdiff_t)16;
        int failed =
            check_block(k, candidates, count, &f, at + n % 16, at + (3 * n + n / 16) % 16, stride);
        if (failed >= 0)
            return failed;
    }
    return -1;
}

/* ---- forbidden pages ---- */

/* Rows of a window, and more than those of a block. */
#define FENCE_ROWS (16 + 5)

struct call {
    qpel_mc_fn *function;
    uint8_t *dst;
    const uint8_t *src;
    ptrdiff_t stride;
};

static void do_call(void *user)
{
    const struct call *c = user;

    c->function(c->dst, c->src, c->stride);
}

static struct fence_span row_of(struct qpel_rectangle r, int y)
{
    if (y < r.top || y > r.bottom)
        return (struct fence_span){ 1, 0 };
    return (struct fence_span){ r.left, r.right };
}

static struct fence_span around(struct fence_span a, struct fence_span b)
{
    if (a.left > a.right)
        return b;
    if (b.left > b.right)
        return a;
    return (struct fence_span){ a.left < b.left ? a.left : b.left,
                                a.right > b.right ? a.right : b.right };
}

/* The rows of a window, as spans. */
static int window_spans(const struct qpel_window *w, struct fence_span spans[FENCE_ROWS])
{
    int count = w->bounds.bottom - w->bounds.top + 1;

    for (int i = 0; i < count; i++) {
        int y = w->bounds.top + i;
        spans[i] = around(row_of(w->row, y), row_of(w->column, y));
    }
    return count;
}

/* The edges that matter, four of src by two of dst. */
struct edge {
    int column;
    enum guard_side side;
};

static const char *call_fenced(struct kernel k, const struct call *call, const uint8_t *dst_before)
{
    int width = kernel_width(k);
    uint8_t expected[16 * 16], actual[16 * 16];

    for (int y = 0; y < width; y++)
        memcpy(call->dst + y * call->stride, dst_before + y * width, (size_t)width);
    memcpy(expected, dst_before, (size_t)(width * width));
    expected_block(k, expected, width, call->src, call->stride);
    if (!guard_run(do_call, (void *)call))
        return "it touched a forbidden page";
    for (int y = 0; y < width; y++)
        memcpy(actual + y * width, call->dst + y * call->stride, (size_t)width);
    return regions_equal(expected, actual, (size_t)(width * width),
                         (struct block_shape){ 0, width, width, width }, "between pages")
               ? NULL
               : "wrong samples";
}

static void fill_window(struct random *r, const struct qpel_window *w, uint8_t *g, ptrdiff_t stride)
{
    const struct qpel_rectangle parts[] = { w->row, w->column };

    for (int i = 0; i < 2; i++)
        hostile_fill(r, g + parts[i].top * stride + parts[i].left, stride,
                     parts[i].right - parts[i].left + 1, parts[i].bottom - parts[i].top + 1);
}

/* One arrangement of the edges. */
static int check_fenced(struct kernel k, const struct candidate *candidates, int count,
                        struct fence fences[2], struct edge src_edge, struct edge dst_edge,
                        bool flipped, struct random *r)
{
    int width = kernel_width(k);
    struct qpel_window window = qpel_window(k.position, width, width);
    struct fence_span src_spans[FENCE_ROWS], dst_spans[16];
    int rows = window_spans(&window, src_spans);
    struct call call = { .stride = flipped ? -fence_stride() : fence_stride() };
    uint8_t before[16 * 16];

    for (int i = 0; i < width; i++)
        dst_spans[i] = (struct fence_span){ 0, width - 1 };
    uint8_t *g = fence_lay(&fences[0], src_spans, window.bounds.top, rows, src_edge.column,
                           src_edge.side, flipped);
    fill_window(r, &window, g, call.stride);
    call.src = g;
    call.dst = fence_lay(&fences[1], dst_spans, 0, width, dst_edge.column, dst_edge.side, flipped);
    hostile_fill(r, before, width, width, width);
    for (int i = 0; i < count; i++) {
        call.function = candidates[i].function;
        const char *fault = call_fenced(k, &call, before);
        if (fault) {
            if (!regions_quiet)
                printf("# %s: %s; src column %d %s a page, dst column %d %s one, stride %td\n",
                       candidates[i].name, fault, src_edge.column,
                       src_edge.side == GUARD_BEFORE ? "starts" : "ends", dst_edge.column,
                       dst_edge.side == GUARD_BEFORE ? "starts" : "ends", call.stride);
            return i;
        }
    }
    return -1;
}

int check_pages(struct kernel k, const struct candidate *candidates, int count, struct random *r)
{
    int width = kernel_width(k), failed = -1;
    struct qpel_window w = qpel_window(k.position, width, width);
    const struct edge src_edges[] = {
        { w.row.left, GUARD_BEFORE },
        { w.row.right, GUARD_AFTER },
        { w.column.left, GUARD_BEFORE },
        { w.column.right, GUARD_AFTER },
    };
    const struct edge dst_edges[] = { { 0, GUARD_BEFORE }, { width - 1, GUARD_AFTER } };
    struct fence fences[2] = { fence_open(FENCE_ROWS), fence_open(16) };

    for (int n = 0; n < 4 * 2 * 2 && failed < 0; n++)
        failed = check_fenced(k, candidates, count, fences, src_edges[n & 3], dst_edges[n >> 2 & 1],
                              n >> 3, r);
    fence_close(&fences[0]);
    fence_close(&fences[1]);
    return failed;
}
