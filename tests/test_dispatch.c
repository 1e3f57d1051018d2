/* The dispatch door: every kernel on every target, exact against the oracle. */
#include "batch.h"
#include "harness.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;

/* In which memory src and dst are, by turns. */
static void run_everywhere(const struct batch *b, int turn, struct random *r)
{
    for (int i = 0; i < target_count; i++)
        if (!batch_run(b, &targets[i], turn & 1, turn >> 1 & 1, r, NULL))
            fail_msg("not exact, see above");
}

static int dst_unit(void)
{
    for (int i = 0; i < target_count; i++)
        if (targets[i].backend == QPEL_BACKEND_GPU)
            return 4;
    return 1;
}

static void need_targets(void)
{
    assert_int_equal(failed_devices, 0);
    if (!target_count)
        SKIP_TEST("no device");
}

/* 10^4 blocks of each kernel: every kind of data, mixtures of memory, strides of both signs, drawn
 * offsets. */
static void blocks_are_exact(void **state)
{
    enum { BATCHES = 2 * HOSTILE_KINDS, BLOCKS = 500 };

    (void)state;
    need_targets();
    for (int n = 0; n < KERNEL_COUNT; n++) {
        struct random r = random_stream(5000 + (uint64_t)n);
        for (int turn = 0; turn < BATCHES; turn++) {
            struct batch_shape shape = {
                .kernel = kernel_of(n),
                .count = (size_t)repetitions(BLOCKS),
                .dst_unit = dst_unit(),
                .src_align = -1,
                .kind = turn % HOSTILE_KINDS,
            };
            struct batch b = batch_make(&shape, &r);
            run_everywhere(&b, turn + turn / HOSTILE_KINDS, &r);
            batch_free(&b);
        }
    }
}

/* Whole samples at every offset to a word and to a cache line's quarter. */
static void every_source_offset_is_exact(void **state)
{
    (void)state;
    need_targets();
    for (int n = 0; n < KERNEL_COUNT; n++) {
        struct random r = random_stream(6000 + (uint64_t)n);
        for (int align = 0; align < 16; align++) {
            struct batch_shape shape = {
                .kernel = kernel_of(n),
                .count = 12,
                .dst_unit = dst_unit(),
                .src_stride = align & 1 ? 99 : -128,
                .src_align = align,
                .kind = align % HOSTILE_KINDS,
            };
            struct batch b = batch_make(&shape, &r);
            run_everywhere(&b, align, &r);
            batch_free(&b);
        }
    }
}

static void every_batch_size_is_exact(void **state)
{
    static const size_t counts[] = { 0, 1, 2, 15, 16, 17, 255, 256, 257 };
    const int step = 8 / repetitions(8); /* emulators: the large for one kernel in 8 */

    (void)state;
    need_targets();
    for (int n = 0; n < KERNEL_COUNT; n++) {
        struct random r = random_stream(7000 + (uint64_t)n);
        for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
            if (counts[i] > 17 && (n + (int)i) % step)
                continue;
            struct batch_shape shape = {
                .kernel = kernel_of(n),
                .count = counts[i],
                .dst_unit = dst_unit(),
                .src_align = -1,
                .packed = i & 1,
                .kind = (int)i % HOSTILE_KINDS,
            };
            struct batch b = batch_make(&shape, &r);
            run_everywhere(&b, (int)i + n, &r);
            batch_free(&b);
        }
    }
}

/* A picture of 3840x2176 in 8x8 blocks, and in 4x4 blocks more lanes than a device has groups in a
 * dimension times those of a group. */
static void large_batches_are_exact(void **state)
{
    static const struct {
        int x, y;
        enum qpel_size size;
        size_t count;
    } cases[] = {
        { 0, 0, QPEL_SIZE_16, 130560 }, { 2, 0, QPEL_SIZE_8, 130560 },
        { 1, 2, QPEL_SIZE_8, 130560 },  { 3, 1, QPEL_SIZE_4, 130560 },
        { 0, 2, QPEL_SIZE_4, 1000000 },
    };

    (void)state;
    need_targets();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct random r = random_stream(8000 + i);
        struct batch_shape shape = {
            .kernel = { i & 1 ? QPEL_AVG : QPEL_PUT, cases[i].size, cases[i].x + 4 * cases[i].y },
            .count = (size_t)repetitions((int)cases[i].count),
            .dst_unit = dst_unit(),
            .src_align = -1,
            .packed = true,
            .kind = 0,
        };
        struct batch b = batch_make(&shape, &r);
        run_everywhere(&b, i % 2 ? 3 : 0, &r);
        batch_free(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_batch_size_is_exact),
        cmocka_unit_test(every_source_offset_is_exact),
        cmocka_unit_test(blocks_are_exact),
        cmocka_unit_test(large_batches_are_exact),
    };
    target_count = targets_open(targets, &failed_devices);
    int status = RUN_GROUP("dispatch", tests);
    targets_close(targets, target_count);
    return status;
}
