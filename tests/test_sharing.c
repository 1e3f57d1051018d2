/* Blocks and calls that share what they don't write: cache lines, words, contexts, buffers. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "guard.h"
#include "harness.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;

static void need_targets(void)
{
    assert_int_equal(failed_devices, 0);
    if (!target_count)
        SKIP_TEST("no device");
}

/* ---- adjacent blocks ---- */

/* Every 4x4 block of a plane in one call, again and again: neighbours share cache lines. */
static void neighbours_share_cache_lines(void **state)
{
    enum { REPEATS = 1000 };

    (void)state;
    need_targets();
    for (int i = 0; i < target_count; i++)
        for (int operation = 0; operation < QPEL_OPERATION_COUNT; operation++) {
            struct random r = random_stream(100);
            struct batch_shape shape = {
                .kernel = { (enum qpel_operation)operation, QPEL_SIZE_4, 9 },
                .count = 256,
                .dst_stride = 32,
                .dst_unit = 4,
                .src_align = -1,
                .packed = true,
            };
            struct batch b = batch_make(&shape, &r);
            for (int n = 0; n < repetitions(REPEATS); n++)
                if (!batch_run(&b, &targets[i], n & 1 ? BUFFER : PLAIN, n & 2 ? BUFFER : PLAIN, &r,
                               NULL))
                    fail_msg("repeat %d", n);
            batch_free(&b);
        }
}

/* ---- a picture after a picture ---- */

enum { CHAIN_SIDE = 64, CHAIN_BORDER = 8, CHAIN_LENGTH = 100 };

struct chain_picture {
    uint8_t at[CHAIN_SIDE + 2 * CHAIN_BORDER][CHAIN_SIDE + 2 * CHAIN_BORDER];
};
#define CHAIN_STRIDE ((ptrdiff_t)sizeof((struct chain_picture *)0)->at[0])
#define CHAIN_ORIGIN (CHAIN_BORDER * CHAIN_STRIDE + CHAIN_BORDER)

/* Every 8x8 block moved by its own few samples. */
static void chain_blocks(struct qpel_block blocks[64], struct random *r)
{
    for (int i = 0; i < 64; i++) {
        ptrdiff_t at = CHAIN_ORIGIN + i / 8 * 8 * CHAIN_STRIDE + i % 8 * 8;
        blocks[i].dst = (uint32_t)at;
        blocks[i].src =
            (uint32_t)(at + random_between(r, -5, 4) * CHAIN_STRIDE + random_between(r, -5, 4));
    }
}

/* Each picture is predicted from the one before, in buffers, with no CPU access between. */
static void pictures_refer_to_pictures(void **state)
{
    (void)state;
    need_targets();
    for (int t = 0; t < target_count; t++) {
        struct qpel_buffer *buffers[2];
        struct chain_picture expected[2];
        struct random r = random_stream(200);
        void *data;
        hostile_fill_kind(&r, 1, &expected[0].at[0][0], CHAIN_STRIDE, CHAIN_STRIDE, CHAIN_STRIDE);
        expected[1] = expected[0];
        for (int i = 0; i < 2; i++) {
            assert_int_equal(qpel_buffer_create(targets[t].context, sizeof *expected, QPEL_NEAR_CPU,
                                                &buffers[i]),
                             QPEL_OK);
            assert_int_equal(qpel_buffer_begin(buffers[i], QPEL_WRITE, &data), QPEL_OK);
            memcpy(data, &expected[i], sizeof *expected);
            assert_int_equal(qpel_buffer_end(buffers[i]), QPEL_OK);
        }
        for (int n = 0; n < CHAIN_LENGTH; n++) {
            struct qpel_block blocks[64];
            struct kernel k = { n % 5 ? QPEL_PUT : QPEL_AVG, QPEL_SIZE_8, n % 16 };
            int to = (n + 1) % 2, from = n % 2;
            struct qpel_dispatch_params params = {
                .backend = targets[t].backend,
                .operation = k.operation,
                .size = k.size,
                .position = k.position,
                .dst = { .buffer = buffers[to], .size = sizeof *expected, .stride = CHAIN_STRIDE },
                .src = { .buffer = buffers[from],
                         .size = sizeof *expected,
                         .stride = CHAIN_STRIDE },
                .blocks = blocks,
                .count = 64,
            };
            chain_blocks(blocks, &r);
            assert_int_equal(qpel_dispatch(targets[t].context, &params, NULL), QPEL_OK);
            for (int i = 0; i < 64; i++)
                expected_block(k, &expected[to].at[0][0] + blocks[i].dst, CHAIN_STRIDE,
                               &expected[from].at[0][0] + blocks[i].src, CHAIN_STRIDE);
        }
        for (int i = 0; i < 2; i++) {
            assert_int_equal(qpel_buffer_begin(buffers[i], QPEL_READ, &data), QPEL_OK);
            assert_memory_equal(data, &expected[i], sizeof *expected);
            assert_int_equal(qpel_buffer_end(buffers[i]), QPEL_OK);
            qpel_buffer_destroy(&buffers[i]);
        }
    }
}

/* ---- what lies outside the windows has no influence ---- */

static void surroundings_have_no_influence(void **state)
{
    (void)state;
    need_targets();
    for (int n = 0; n < KERNEL_COUNT; n++)
        for (int t = 0; t < target_count; t++) {
            struct kernel k = kernel_of(n);
            int width = kernel_width(k);
            struct qpel_window w = qpel_window(k.position, width, width);
            struct random r = random_stream(300);
            struct batch_shape shape = { .kernel = k, .count = 1, .dst_unit = 4, .src_align = -1 };
            struct batch b = batch_make(&shape, &r);
            const struct qpel_rectangle parts[] = { w.row, w.column };
            for (int poison = 0; poison < 256; poison += 255) {
                uint8_t *clean = b.src, *dirty = malloc(b.src_size);
                assert_non_null(dirty);
                memset(dirty, poison, b.src_size);
                for (int i = 0; i < 2; i++)
                    for (int y = parts[i].top; y <= parts[i].bottom; y++) {
                        ptrdiff_t at = b.blocks[0].src + y * b.src_stride + parts[i].left;
                        memcpy(dirty + at, clean + at,
                               (size_t)(parts[i].right - parts[i].left + 1));
                    }
                b.src = dirty;
                bool good = batch_run(&b, &targets[t], PLAIN, n & 1 ? BUFFER : PLAIN, &r, NULL);
                b.src = clean;
                free(dirty);
                assert_true(good);
            }
            batch_free(&b);
        }
}

/* ---- threads ---- */

enum { THREADS = 2, THREAD_CALLS = 60, HALF = 64, HEIGHT = 32 };

/* One picture, plain or a buffer; each thread writes its half of each row. */
struct shared {
    const struct target *target;
    struct qpel_plane dst;
    struct qpel_buffer *src;
    const uint8_t *src_bytes;
    uint8_t *expected;
};

struct worker {
    struct shared *shared;
    int number;
    enum qpel_result result;
    bool wrong;
};

#define SHARED_STRIDE (THREADS * HALF)
#define SHARED_SIZE   (SHARED_STRIDE * HEIGHT)

/* Calls of its own, into memory of its own, then calls into its half of what is shared. */
static void *work(void *user)
{
    struct worker *w = user;
    struct shared *s = w->shared;
    struct random r = random_stream(400 + (uint64_t)w->number);
    struct batch_shape shape = { .count = 40, .dst_unit = 4, .src_align = -1, .kind = 0 };

    for (int n = 0; n < THREAD_CALLS && !w->result && !w->wrong; n++) {
        shape.kernel = kernel_of((n * 7 + w->number * 13) % KERNEL_COUNT);
        struct batch b = batch_make(&shape, &r);
        w->wrong = !batch_run(&b, s->target, n & 1, n >> 1 & 1, &r, NULL);
        batch_free(&b);

        struct kernel k = { n & 1 ? QPEL_AVG : QPEL_PUT, QPEL_SIZE_8, n % 16 };
        struct qpel_block blocks[HALF / 8 * HEIGHT / 8];
        struct qpel_dispatch_params params = {
            .backend = s->target->backend,
            .operation = k.operation,
            .size = k.size,
            .position = k.position,
            .dst = s->dst,
            .src = { .buffer = s->src, .size = SHARED_SIZE, .stride = SHARED_STRIDE },
            .blocks = blocks,
            .count = sizeof blocks / sizeof *blocks,
        };
        for (size_t i = 0; i < params.count; i++) {
            size_t x = i % (HALF / 8) * 8 + (size_t)w->number * HALF, y = i / (HALF / 8) * 8;
            blocks[i].dst = (uint32_t)(y * SHARED_STRIDE + x);
            blocks[i].src = (uint32_t)(random_between(&r, 2, HEIGHT - 11) * SHARED_STRIDE +
                                       random_between(&r, 2, SHARED_STRIDE - 11));
            expected_block(k, s->expected + blocks[i].dst, SHARED_STRIDE,
                           s->src_bytes + blocks[i].src, SHARED_STRIDE);
        }
        w->result = qpel_dispatch(s->target->context, &params, NULL);
    }
    return NULL;
}

static void run_threads(const struct target *target, enum memory memory)
{
    static _Alignas(64) uint8_t plain[SHARED_SIZE], expected[SHARED_SIZE];
    struct shared shared = { .target = target, .expected = expected };
    struct worker workers[THREADS];
    pthread_t threads[THREADS];
    struct qpel_buffer *dst = NULL;
    void *data;
    struct random r = random_stream(500);

    random_seed(); /* printed here, not by two threads at once */
    assert_int_equal(qpel_buffer_create(target->context, SHARED_SIZE, QPEL_NEAR_CPU, &shared.src),
                     QPEL_OK);
    assert_int_equal(qpel_buffer_begin(shared.src, QPEL_WRITE, &data), QPEL_OK);
    hostile_fill_kind(&r, 0, data, SHARED_STRIDE, SHARED_STRIDE, HEIGHT);
    uint8_t *copy = malloc(SHARED_SIZE);
    assert_non_null(copy);
    memcpy(copy, data, SHARED_SIZE);
    shared.src_bytes = copy;
    assert_int_equal(qpel_buffer_end(shared.src), QPEL_OK);
    memset(expected, 77, sizeof expected);
    memset(plain, 77, sizeof plain);
    shared.dst = (struct qpel_plane){ .size = SHARED_SIZE, .stride = SHARED_STRIDE };
    if (memory == BUFFER) {
        assert_int_equal(qpel_buffer_create(target->context, SHARED_SIZE, QPEL_NEAR_CPU, &dst),
                         QPEL_OK);
        assert_int_equal(qpel_buffer_begin(dst, QPEL_WRITE, &data), QPEL_OK);
        memset(data, 77, SHARED_SIZE);
        assert_int_equal(qpel_buffer_end(dst), QPEL_OK);
        shared.dst.buffer = dst;
    } else {
        shared.dst.data = plain;
    }
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){ .shared = &shared, .number = i };
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(workers[i].result, QPEL_OK);
        assert_false(workers[i].wrong);
    }
    if (dst)
        assert_int_equal(qpel_buffer_begin(dst, QPEL_READ, &data), QPEL_OK);
    assert_true(regions_equal(expected, dst ? data : plain, SHARED_SIZE,
                              (struct block_shape){ 0, SHARED_STRIDE, SHARED_STRIDE, HEIGHT },
                              "two threads, one picture"));
    if (dst)
        assert_int_equal(qpel_buffer_end(dst), QPEL_OK);
    qpel_buffer_destroy(&dst);
    qpel_buffer_destroy(&shared.src);
    free(copy);
}

static void threads_share_a_context(void **state)
{
    (void)state;
    need_targets();
    for (int i = 0; i < target_count; i++)
        for (int memory = 0; memory < MEMORY_COUNT; memory++)
            run_threads(&targets[i], (enum memory)memory);
}

/* Contexts made and destroyed by several threads at once. Returns null where all went well. */
static char params_failed[] = "not created", gpu_failed[] = "no GPU";

static void *create_and_destroy(void *user)
{
    const struct qpel_device *device = user;
    char uuid[UUID_TEXT_SIZE] = "";

    if (device)
        uuid_text(device, uuid);
    for (int i = 0; i < 5; i++) {
        struct qpel_context *c;
        struct qpel_context_params params = { .device = device ? uuid : NULL,
                                              .timeout_ms = 120000 };
        struct qpel_device found;
        if (qpel_context_create(&c, &params))
            return params_failed;
        if (device && qpel_context_gpu(c, &found, NULL))
            return gpu_failed;
        qpel_context_destroy(&c);
    }
    return NULL;
}

static void threads_create_contexts(void **state)
{
    enum { COUNT = 8 };
    pthread_t threads[COUNT];

    (void)state;
    need_targets();
    struct target *last = &targets[target_count - 1];
    struct qpel_device *device = last->backend == QPEL_BACKEND_GPU ? &last->device : NULL;
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, create_and_destroy, device), 0);
    for (int i = 0; i < COUNT; i++) {
        void *fault;
        pthread_join(threads[i], &fault);
        if (fault)
            fail_msg("%s", (const char *)fault);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surroundings_have_no_influence),
        cmocka_unit_test(pictures_refer_to_pictures),
        cmocka_unit_test(threads_share_a_context),
        cmocka_unit_test(threads_create_contexts),
        cmocka_unit_test(neighbours_share_cache_lines),
    };
    target_count = targets_open(targets, &failed_devices);
    int status = RUN_GROUP("sharing", tests);
    targets_close(targets, target_count);
    return status;
}
