/* The checks of places and overlaps, against maps of bytes drawn from the oracle's reads. */
#include <stdlib.h>
#include <string.h>

#include <qpel/qpel.h>

#include "harness.h"
#include "kernels.h"
#include "oracle.h"
#include "random.h"

enum { MEMORY = 1600, BLOCKS_MAX = 6, CASES = 30000 };

/* One request: both planes are parts of one memory. */
struct request {
    struct kernel kernel;
    size_t dst_first, dst_size, src_first, src_size;
    ptrdiff_t dst_stride, src_stride;
    size_t count;
    struct qpel_block blocks[BLOCKS_MAX];
};

struct verdict {
    enum qpel_fault fault;
    size_t block;
};

/* ---- what a block touches, byte by byte ---- */

/* The offsets from G of the bytes that a kernel reads, for one stride. */
struct reads {
    ptrdiff_t at[21 * 21];
    size_t count;
    ptrdiff_t stride;
};

static int note(const void *user, int x, int y)
{
    struct reads *r = (struct reads *)(uintptr_t)user;
    ptrdiff_t at = y * r->stride + x;

    for (size_t i = 0; i < r->count; i++)
        if (r->at[i] == at)
            return 0;
    r->at[r->count++] = at;
    return 0;
}

static void reads_of(struct kernel k, ptrdiff_t stride, struct reads *r)
{
    int width = kernel_width(k);

    r->count = 0;
    r->stride = stride;
    for (int y = 0; y < width; y++)
        for (int x = 0; x < width; x++)
            oracle_luma(note, r, x, y, k.position % 4, k.position / 4, 8);
}

static bool inside(ptrdiff_t at, size_t size)
{
    return at >= 0 && (size_t)at < size;
}

static bool block_inside(const struct request *q, size_t i, const struct reads *reads,
                         enum qpel_fault *fault)
{
    int width = kernel_width(q->kernel);

    *fault = QPEL_FAULT_DST;
    for (int y = 0; y < width; y++)
        for (int x = 0; x < width; x++)
            if (!inside((ptrdiff_t)q->blocks[i].dst + y * q->dst_stride + x, q->dst_size))
                return false;
    *fault = QPEL_FAULT_SRC;
    for (size_t n = 0; n < reads->count; n++)
        if (!inside((ptrdiff_t)q->blocks[i].src + reads->at[n], q->src_size))
            return false;
    return true;
}

/* The rule, in the order of the contract. */
static struct verdict judge(const struct request *q)
{
    static struct reads reads;
    static bool written[MEMORY];
    int width = kernel_width(q->kernel);
    enum qpel_fault fault;

    reads_of(q->kernel, q->src_stride, &reads);
    for (size_t i = 0; i < q->count; i++)
        if (!block_inside(q, i, &reads, &fault))
            return (struct verdict){ fault, i };
    memset(written, 0, sizeof written);
    for (size_t i = 0; i < q->count; i++)
        for (int n = 0; n < width * width; n++) {
            size_t at =
                q->dst_first + q->blocks[i].dst + (size_t)(n / width * q->dst_stride + n % width);
            if (written[at])
                return (struct verdict){ QPEL_FAULT_OVERLAP_DST, i };
            written[at] = true;
        }
    for (size_t i = 0; i < q->count; i++)
        for (size_t n = 0; n < reads.count; n++)
            if (written[q->src_first + q->blocks[i].src + (size_t)reads.at[n]])
                return (struct verdict){ QPEL_FAULT_OVERLAP_SRC, i };
    return (struct verdict){ QPEL_FAULT_NONE, SIZE_MAX };
}

/* ---- drawing requests ---- */

static ptrdiff_t draw_stride(struct random *r, int least, int most)
{
    int pitch = random_between(r, least, most);

    return random_next(r) & 1 ? pitch : -pitch;
}

/* An offset near one of the plane's ends, or anywhere, where a reach of bytes might fit. */
static uint32_t draw_offset(struct random *r, ptrdiff_t low, ptrdiff_t high, size_t size)
{
    ptrdiff_t first = -low, last = (ptrdiff_t)size - high;

    if (random_below(r, 40) == 0)
        return random_next(r) & 1 ? random_next(r) : random_below(r, MEMORY);
    if (last < first)
        return (uint32_t)(first > 0 ? first : 0);
    ptrdiff_t at = random_below(r, 30) == 0 ? (random_next(r) & 1 ? first - 1 : last + 1)
                                            : random_between(r, (int)first, (int)last);
    return (uint32_t)(at < 0 ? 0 : at);
}

static void draw(struct request *q, struct random *r)
{
    static const int sizes[] = { 2, 2, 2, 2, 1, 1, 0 };
    *q = (struct request){
        .kernel = { QPEL_PUT, (enum qpel_size)sizes[random_below(r, 7)],
                    (int)random_below(r, QPEL_POSITION_COUNT) },
        .count = 1 + random_below(r, BLOCKS_MAX),
    };
    int width = kernel_width(q->kernel);
    /* Small strides make blocks wrap round lines; multiples of the width make grids. */
    q->dst_stride = draw_stride(r, width, width + 40);
    if (random_next(r) & 1)
        q->dst_stride = q->dst_stride / width * width;
    q->src_stride = draw_stride(r, 0, 60);
    q->dst_size = random_between(r, MEMORY / 3, MEMORY);
    q->src_size = random_between(r, MEMORY / 3, MEMORY);
    q->dst_first = random_below(r, (uint32_t)(MEMORY - q->dst_size + 1));
    q->src_first = random_below(r, (uint32_t)(MEMORY - q->src_size + 1));
    ptrdiff_t rows = (width - 1) * q->dst_stride;
    struct qpel_window w = qpel_window(q->kernel.position, width, width);
    ptrdiff_t top = w.bounds.top * q->src_stride, bottom = w.bounds.bottom * q->src_stride;
    bool grid = random_next(r) & 1;
    for (size_t i = 0; i < q->count; i++) {
        struct qpel_block *b = &q->blocks[i];
        b->dst = draw_offset(r, rows < 0 ? rows : 0, (rows > 0 ? rows : 0) + width, q->dst_size);
        if (grid)
            b->dst -= b->dst % (uint32_t)width;
        b->src = draw_offset(r, (top < bottom ? top : bottom) + w.bounds.left,
                             (top < bottom ? bottom : top) + w.bounds.right + 1, q->src_size);
    }
}

static void expect(struct qpel_context *context, const struct request *q, uint64_t number,
                   size_t counts[])
{
    static _Alignas(64) uint8_t memory[MEMORY], before[MEMORY];
    struct verdict v = judge(q);
    struct qpel_report report;
    struct qpel_dispatch_params params = {
        .backend = QPEL_BACKEND_CPU,
        .operation = q->kernel.operation,
        .size = q->kernel.size,
        .position = q->kernel.position,
        .dst = { .data = memory + q->dst_first, .size = q->dst_size, .stride = q->dst_stride },
        .src = { .data = memory + q->src_first, .size = q->src_size, .stride = q->src_stride },
        .blocks = q->blocks,
        .count = q->count,
    };

    for (int i = 0; i < MEMORY; i++)
        before[i] = memory[i] = (uint8_t)(i * 37 + i / 7);
    enum qpel_result r = qpel_dispatch(context, &params, &report);
    counts[v.fault]++;
    if (report.fault != v.fault || report.fault_block != v.block || !r != !v.fault) {
        char name[KERNEL_NAME_SIZE];
        printf("# %s, memory %d; dst first %zu size %zu stride %td; src first %zu size %zu "
               "stride %td\n",
               kernel_name(q->kernel, name), MEMORY, q->dst_first, q->dst_size, q->dst_stride,
               q->src_first, q->src_size, q->src_stride);
        for (size_t i = 0; i < q->count; i++)
            printf("#   block %zu: dst %u src %u\n", i, q->blocks[i].dst, q->blocks[i].src);
        fail_msg("case %d: %s, block %zu; right is %s, block %zu", (int)number,
                 qpel_fault_name(report.fault), report.fault_block, qpel_fault_name(v.fault),
                 v.block);
    }
    if (v.fault)
        assert_memory_equal(memory, before, MEMORY);
}

static void places_and_overlaps_are_exact(void **state)
{
    struct qpel_context *context;
    struct qpel_context_params cpu = { .backend = QPEL_BACKEND_CPU };
    struct random r = random_stream(1);
    size_t counts[QPEL_FAULT_BUFFER_BUSY + 1] = { 0 };

    (void)state;
    assert_int_equal(qpel_context_create(&context, &cpu), QPEL_OK);
    for (uint64_t n = 0; n < (uint64_t)repetitions(CASES); n++) {
        struct request q;
        draw(&q, &r);
        expect(context, &q, n, counts);
    }
    qpel_context_destroy(&context);
    /* The draw is worth something only if every answer occurs often. */
    printf("# none %zu, dst %zu, src %zu, written twice %zu, read and written %zu\n",
           counts[QPEL_FAULT_NONE], counts[QPEL_FAULT_DST], counts[QPEL_FAULT_SRC],
           counts[QPEL_FAULT_OVERLAP_DST], counts[QPEL_FAULT_OVERLAP_SRC]);
    assert_true(counts[QPEL_FAULT_NONE] > (size_t)repetitions(CASES) / 100);
    assert_true(counts[QPEL_FAULT_DST] > (size_t)repetitions(CASES) / 100);
    assert_true(counts[QPEL_FAULT_SRC] > (size_t)repetitions(CASES) / 100);
    assert_true(counts[QPEL_FAULT_OVERLAP_DST] > (size_t)repetitions(CASES) / 100);
    assert_true(counts[QPEL_FAULT_OVERLAP_SRC] > (size_t)repetitions(CASES) / 100);
}

/* Many blocks on a grid, then one that breaks it: off the grid and apart, off the grid and over
 * another, on the grid and over another. */
static void one_among_many(void **state)
{
    enum { SIDE = 256, COUNT = 1024 };
    static uint8_t dst[(SIDE + 16) * SIDE], src[SIDE * SIDE];
    static struct qpel_block blocks[COUNT];
    struct qpel_context *context;
    struct qpel_context_params cpu = { .backend = QPEL_BACKEND_CPU };
    struct qpel_report report;
    static const struct {
        size_t block;
        uint32_t dst;
        enum qpel_fault fault;
    } cases[] = {
        { 5, SIDE * SIDE, QPEL_FAULT_NONE },
        { 5, SIDE * SIDE + 3, QPEL_FAULT_NONE },
        { 1023, SIDE * SIDE + 3 * SIDE + 1, QPEL_FAULT_NONE },
        { 1023, 1, QPEL_FAULT_OVERLAP_DST },
        { 1023, 1022 % 32 * 8 + 1022 / 32 * 8 * SIDE, QPEL_FAULT_OVERLAP_DST },
        { 1000, SIDE, QPEL_FAULT_OVERLAP_DST },
    };

    (void)state;
    assert_int_equal(qpel_context_create(&context, &cpu), QPEL_OK);
    for (int sign = 1; sign >= -1; sign -= 2)
        for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
            uint32_t shift = sign < 0 ? 7 * SIDE : 0;
            for (uint32_t i = 0; i < COUNT; i++)
                blocks[i] =
                    (struct qpel_block){ i % 32 * 8 + i / 32 * 8 * SIDE + shift, 8 * SIDE + 8 };
            blocks[cases[n].block].dst = cases[n].dst + shift;
            struct qpel_dispatch_params params = {
                .backend = QPEL_BACKEND_CPU,
                .size = QPEL_SIZE_8,
                .position = 6,
                .dst = { .data = dst, .size = sizeof dst, .stride = sign * SIDE },
                .src = { .data = src, .size = sizeof src, .stride = SIDE },
                .blocks = blocks,
                .count = COUNT,
            };
            qpel_dispatch(context, &params, &report);
            assert_int_equal(report.fault, cases[n].fault);
            assert_int_equal(report.fault_block, cases[n].fault ? cases[n].block : SIZE_MAX);
        }
    qpel_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_and_overlaps_are_exact),
        cmocka_unit_test(one_among_many),
    };
    return RUN_GROUP("overlap", tests);
}
