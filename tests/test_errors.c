/* Every request that breaks the contract: the same answer on every target, and nothing done. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "random.h"
#include "targets.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;

static void need_targets(void)
{
    assert_int_equal(failed_devices, 0);
    if (!target_count)
        SKIP_TEST("no device");
}

/* ---- one valid request, and ways to break it ---- */

enum { STRIDE = 64, ROWS = 40, SIZE = STRIDE * ROWS, COUNT = 6 };

struct request {
    struct qpel_context *context, *other;
    struct qpel_dispatch_params params;
    struct qpel_block blocks[COUNT];
    struct qpel_buffer *buffer, *foreign; /* foreign: of another context */
    _Alignas(64) uint8_t dst[SIZE];
    uint8_t src[SIZE];
};

static void request_init(struct request *q, struct qpel_context *context, enum qpel_backend backend)
{
    q->context = context;
    for (int i = 0; i < COUNT; i++)
        q->blocks[i] = (struct qpel_block){ (uint32_t)(i * 8), 4 * STRIDE + 4 + (uint32_t)i };
    q->params = (struct qpel_dispatch_params){
        .backend = backend,
        .operation = QPEL_PUT,
        .size = QPEL_SIZE_8,
        .position = 10,
        .dst = { .data = q->dst, .size = SIZE, .stride = STRIDE },
        .src = { .data = q->src, .size = SIZE, .stride = STRIDE },
        .blocks = q->blocks,
        .count = COUNT,
    };
}

typedef void break_fn(struct request *q);

struct case_ {
    const char *name;
    break_fn *break_it;
    enum qpel_fault fault;
    size_t block;
};

#define BREAK(name, ...)                                                                           \
    static void name(struct request *q)                                                            \
    {                                                                                              \
        struct qpel_dispatch_params *p = &q->params;                                               \
        struct qpel_block *b = q->blocks;                                                          \
        (void)p, (void)b;                                                                          \
        __VA_ARGS__                                                                                \
    }

/* First bytes of the last places where blocks and windows fit: 8x8 of mc22 reads -2..10. */
#define DST_LAST  (SIZE - 7 * STRIDE - 8)
#define SRC_FIRST (2 * STRIDE + 2)
#define SRC_LAST  (SIZE - 10 * STRIDE - 11)

BREAK(blocks_null, p->blocks = NULL;)
BREAK(dst_null, p->dst.data = NULL;)
BREAK(src_null, p->src.data = NULL;)
BREAK(dst_both, p->dst.buffer = q->buffer;)
BREAK(src_both, p->src.buffer = q->buffer;)
BREAK(backend_3, p->backend = (enum qpel_backend)3;)
BREAK(backend_negative, p->backend = (enum qpel_backend) - 1;)
BREAK(operation_2, p->operation = QPEL_OPERATION_COUNT;)
BREAK(operation_negative, p->operation = (enum qpel_operation) - 1;)
BREAK(size_3, p->size = QPEL_SIZE_COUNT;)
BREAK(size_negative, p->size = (enum qpel_size) - 1;)
BREAK(position_16, p->position = 16;)
BREAK(position_negative, p->position = -1;)
BREAK(position_least, p->position = INT32_MIN;)
BREAK(depth_7, p->bit_depth = 7;)
BREAK(depth_10, p->bit_depth = 10;)
BREAK(depth_negative, p->bit_depth = -8;)
BREAK(count_wraps, p->count = SIZE_MAX / sizeof *b + 2;)
BREAK(count_most, p->count = SIZE_MAX;)
BREAK(dst_wraps, p->dst.size = SIZE_MAX;)
BREAK(src_wraps, p->src.size = SIZE_MAX - 5;)
BREAK(src_ends_beyond, p->src.size = UINTPTR_MAX - (uintptr_t)q->src + 1;)
BREAK(plain_offset, p->dst.offset = 4;)
BREAK(buffer_offset, p->src = (struct qpel_plane){
                         .buffer = q->buffer, .offset = SIZE + 1, .size = 0, .stride = STRIDE };)
BREAK(buffer_size, p->src = (struct qpel_plane){
                       .buffer = q->buffer, .offset = 1, .size = SIZE, .stride = STRIDE };)
BREAK(buffer_wraps, p->dst = (struct qpel_plane){
                        .buffer = q->buffer, .offset = 8, .size = SIZE_MAX - 4, .stride = STRIDE };)
BREAK(buffer_foreign,
      p->dst = (struct qpel_plane){ .buffer = q->foreign, .size = SIZE, .stride = STRIDE };)
BREAK(stride_7, p->dst.stride = 7;)
BREAK(stride_minus_7, p->dst.stride = -7;)
BREAK(stride_0, p->dst.stride = 0;)
BREAK(stride_most, p->dst.stride = PTRDIFF_MAX;)
BREAK(stride_least, p->dst.stride = PTRDIFF_MIN;)
BREAK(src_stride_most, p->src.stride = PTRDIFF_MAX;)
BREAK(src_stride_least, p->src.stride = PTRDIFF_MIN;)
BREAK(src_stride_wraps, p->src.stride = PTRDIFF_MAX / 8;)
BREAK(dst_beyond, b[3].dst = DST_LAST + 1;)
BREAK(dst_far_beyond, b[0].dst = UINT32_MAX;)
BREAK(dst_size_0, p->dst.size = 0;)
BREAK(dst_size_less, p->dst.size = 7 * STRIDE + 7;)
BREAK(dst_above, p->dst.stride = -STRIDE; for (int i = 0; i < COUNT; i++) b[i].dst += 7 * STRIDE;
      b[2].dst = 7 * STRIDE - 1;)
BREAK(src_above, b[4].src = SRC_FIRST - 1;)
BREAK(src_beyond, b[5].src = SRC_LAST + 1;)
BREAK(src_far_beyond, b[1].src = UINT32_MAX;)
BREAK(src_size_0, p->src.size = 0;)
BREAK(src_turned, p->src.stride = -STRIDE;)
BREAK(dst_before_src, b[2].dst = DST_LAST + 1; b[2].src = 0; b[3].src = 0;)
BREAK(src_first, b[2].src = 0; b[3].dst = UINT32_MAX;)
BREAK(dst_twice, b[4].dst = b[1].dst;)
BREAK(dst_one_sample, b[5].dst = b[4].dst + 7 * STRIDE + 7;)
BREAK(dst_over_line_end, b[0].dst = STRIDE - 4; b[1].dst = 2 * STRIDE;)
BREAK(in_place, p->src.data = q->dst;)
BREAK(reads_written, p->src.data = q->dst; for (int i = 0; i < COUNT; i++) b[i].src += 16 * STRIDE;
      b[3].src = 9 * STRIDE + 4;)

static const struct case_ cases[] = {
    { "null blocks", blocks_null, QPEL_FAULT_NULL, SIZE_MAX },
    { "dst without memory", dst_null, QPEL_FAULT_NULL, SIZE_MAX },
    { "src without memory", src_null, QPEL_FAULT_NULL, SIZE_MAX },
    { "dst with both memories", dst_both, QPEL_FAULT_NULL, SIZE_MAX },
    { "src with both memories", src_both, QPEL_FAULT_NULL, SIZE_MAX },
    { "backend 3", backend_3, QPEL_FAULT_BACKEND, SIZE_MAX },
    { "backend -1", backend_negative, QPEL_FAULT_BACKEND, SIZE_MAX },
    { "operation 2", operation_2, QPEL_FAULT_OPERATION, SIZE_MAX },
    { "operation -1", operation_negative, QPEL_FAULT_OPERATION, SIZE_MAX },
    { "size 3", size_3, QPEL_FAULT_SIZE, SIZE_MAX },
    { "size -1", size_negative, QPEL_FAULT_SIZE, SIZE_MAX },
    { "position 16", position_16, QPEL_FAULT_POSITION, SIZE_MAX },
    { "position -1", position_negative, QPEL_FAULT_POSITION, SIZE_MAX },
    { "least position", position_least, QPEL_FAULT_POSITION, SIZE_MAX },
    { "depth 7", depth_7, QPEL_FAULT_BIT_DEPTH, SIZE_MAX },
    { "depth 10", depth_10, QPEL_FAULT_BIT_DEPTH, SIZE_MAX },
    { "depth -8", depth_negative, QPEL_FAULT_BIT_DEPTH, SIZE_MAX },
    { "count whose bytes wrap", count_wraps, QPEL_FAULT_COUNT, SIZE_MAX },
    { "largest count", count_most, QPEL_FAULT_COUNT, SIZE_MAX },
    { "dst of all memory", dst_wraps, QPEL_FAULT_PLANE, SIZE_MAX },
    { "src that wraps", src_wraps, QPEL_FAULT_PLANE, SIZE_MAX },
    { "src to the end of memory", src_ends_beyond, QPEL_FAULT_PLANE, SIZE_MAX },
    { "plain memory with an offset", plain_offset, QPEL_FAULT_PLANE, SIZE_MAX },
    { "offset outside its buffer", buffer_offset, QPEL_FAULT_PLANE, SIZE_MAX },
    { "end outside its buffer", buffer_size, QPEL_FAULT_PLANE, SIZE_MAX },
    { "offset and size that wrap", buffer_wraps, QPEL_FAULT_PLANE, SIZE_MAX },
    { "another context's buffer", buffer_foreign, QPEL_FAULT_PLANE, SIZE_MAX },
    { "stride 7", stride_7, QPEL_FAULT_STRIDE, SIZE_MAX },
    { "stride -7", stride_minus_7, QPEL_FAULT_STRIDE, SIZE_MAX },
    { "stride 0", stride_0, QPEL_FAULT_STRIDE, SIZE_MAX },
    { "largest stride", stride_most, QPEL_FAULT_STRIDE, SIZE_MAX },
    { "least stride", stride_least, QPEL_FAULT_STRIDE, SIZE_MAX },
    { "largest src stride", src_stride_most, QPEL_FAULT_STRIDE, SIZE_MAX },
    { "least src stride", src_stride_least, QPEL_FAULT_STRIDE, SIZE_MAX },
    { "src stride whose rows wrap", src_stride_wraps, QPEL_FAULT_STRIDE, SIZE_MAX },
    { "dst one byte beyond", dst_beyond, QPEL_FAULT_DST, 3 },
    { "dst far beyond", dst_far_beyond, QPEL_FAULT_DST, 0 },
    { "empty dst", dst_size_0, QPEL_FAULT_DST, 0 },
    { "dst a byte too small", dst_size_less, QPEL_FAULT_DST, 0 },
    { "bottom-up dst above its start", dst_above, QPEL_FAULT_DST, 2 },
    { "window one byte before", src_above, QPEL_FAULT_SRC, 4 },
    { "window one byte beyond", src_beyond, QPEL_FAULT_SRC, 5 },
    { "window far beyond", src_far_beyond, QPEL_FAULT_SRC, 1 },
    { "empty src", src_size_0, QPEL_FAULT_SRC, 0 },
    { "src turned bottom-up", src_turned, QPEL_FAULT_SRC, 0 },
    { "dst and src of one block", dst_before_src, QPEL_FAULT_DST, 2 },
    { "src of a block before dst of the next", src_first, QPEL_FAULT_SRC, 2 },
    { "two blocks in one place", dst_twice, QPEL_FAULT_OVERLAP_DST, 4 },
    { "two blocks that share a sample", dst_one_sample, QPEL_FAULT_OVERLAP_DST, 5 },
    { "a block over the end of a line", dst_over_line_end, QPEL_FAULT_OVERLAP_DST, 1 },
    { "in place", in_place, QPEL_FAULT_OVERLAP_SRC, 0 },
    { "a window that is written", reads_written, QPEL_FAULT_OVERLAP_SRC, 3 },
};

static void expect(struct request *q, const struct case_ *c, const char *where)
{
    static uint8_t dst[SIZE], src[SIZE], buffer[SIZE];
    struct qpel_report report;
    void *data;

    memset(&report, 0x77, sizeof report);
    memcpy(dst, q->dst, SIZE);
    memcpy(src, q->src, SIZE);
    assert_int_equal(qpel_buffer_begin(q->buffer, QPEL_READ, &data), QPEL_OK);
    memcpy(buffer, data, SIZE);
    assert_int_equal(qpel_buffer_end(q->buffer), QPEL_OK);
    enum qpel_result r = qpel_dispatch(q->context, &q->params, &report);
    if (r != QPEL_ERROR_INVALID || report.fault != c->fault || report.fault_block != c->block)
        fail_msg("%s, %s: %s, fault %d (%s), block %zu; not fault %d, block %zu", c->name, where,
                 qpel_result_name(r), (int)report.fault, qpel_fault_name(report.fault),
                 report.fault_block, (int)c->fault, c->block);
    assert_int_equal(report.backend, QPEL_BACKEND_AUTO);
    assert_string_equal(report.device, "");
    assert_int_equal(report.blocks, 0);
    assert_int_equal(report.copies, 0);
    assert_int_equal(report.copied_bytes, 0);
    assert_true(report.gpu_seconds < 0);
    assert_string_not_equal(report.reason, "");
    /* The same without a report. */
    assert_int_equal(qpel_dispatch(q->context, &q->params, NULL), QPEL_ERROR_INVALID);
    assert_memory_equal(dst, q->dst, SIZE);
    assert_memory_equal(src, q->src, SIZE);
    assert_int_equal(qpel_buffer_begin(q->buffer, QPEL_READ, &data), QPEL_OK);
    assert_memory_equal(data, buffer, SIZE);
    assert_int_equal(qpel_buffer_end(q->buffer), QPEL_OK);
}

static void bad_requests_are_refused(void **state)
{
    static struct request q;
    struct random r = random_stream(1);

    (void)state;
    need_targets();
    hostile_fill_kind(&r, 1, q.dst, STRIDE, STRIDE, ROWS);
    hostile_fill_kind(&r, 1, q.src, STRIDE, STRIDE, ROWS);
    for (int i = 0; i < target_count; i++) {
        struct qpel_context_params cpu = { .backend = QPEL_BACKEND_CPU };
        const enum qpel_backend backends[] = { targets[i].backend, QPEL_BACKEND_AUTO };
        assert_int_equal(qpel_context_create(&q.other, &cpu), QPEL_OK);
        assert_int_equal(qpel_buffer_create(targets[i].context, SIZE, QPEL_NEAR_CPU, &q.buffer),
                         QPEL_OK);
        assert_int_equal(qpel_buffer_create(q.other, SIZE, QPEL_NEAR_CPU, &q.foreign), QPEL_OK);
        for (int b = 0; b < 2; b++) {
            for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
                request_init(&q, targets[i].context, backends[b]);
                cases[c].break_it(&q);
                expect(&q, &cases[c], targets[i].name);
            }
            /* What is not broken runs. */
            request_init(&q, targets[i].context, backends[b]);
            assert_int_equal(qpel_dispatch(q.context, &q.params, NULL), QPEL_OK);
        }
        qpel_buffer_destroy(&q.buffer);
        qpel_buffer_destroy(&q.foreign);
        qpel_context_destroy(&q.other);
    }
}

static void limits_are_exact(void **state)
{
    static struct request q;

    (void)state;
    need_targets();
    for (int i = 0; i < target_count; i++) {
        request_init(&q, targets[i].context, targets[i].backend);
        q.blocks[0].dst = DST_LAST;
        q.blocks[0].src = SRC_FIRST;
        q.blocks[5].src = SRC_LAST;
        assert_int_equal(qpel_dispatch(q.context, &q.params, NULL), QPEL_OK);
        /* Planes of exactly what is touched. */
        q.params.count = 1;
        q.blocks[0] = (struct qpel_block){ 0, SRC_FIRST };
        q.params.dst.size = 7 * STRIDE + 8;
        q.params.src.size = SRC_FIRST + 10 * STRIDE + 11;
        assert_int_equal(qpel_dispatch(q.context, &q.params, NULL), QPEL_OK);
    }
}

static void null_arguments(void **state)
{
    static struct request q;
    struct qpel_report report;

    (void)state;
    need_targets();
    request_init(&q, targets[0].context, targets[0].backend);
    assert_int_equal(qpel_dispatch(NULL, &q.params, &report), QPEL_ERROR_INVALID);
    assert_int_equal(report.fault, QPEL_FAULT_NULL);
    assert_int_equal(qpel_dispatch(q.context, NULL, &report), QPEL_ERROR_INVALID);
    assert_int_equal(report.fault, QPEL_FAULT_NULL);
    assert_int_equal(qpel_dispatch(NULL, NULL, NULL), QPEL_ERROR_INVALID);
    /* With no blocks there is nothing to point at. */
    q.params.blocks = NULL;
    q.params.count = 0;
    assert_int_equal(qpel_dispatch(q.context, &q.params, &report), QPEL_OK);
    assert_int_equal(report.blocks, 0);
    assert_int_equal(report.fault, QPEL_FAULT_NONE);
}

/* ---- buffers ---- */

static void open_access_is_busy(void **state)
{
    static struct request q;
    struct qpel_report report;
    void *data;

    (void)state;
    need_targets();
    for (int i = 0; i < target_count; i++)
        for (int side = 0; side < 2; side++) {
            request_init(&q, targets[i].context, targets[i].backend);
            assert_int_equal(qpel_buffer_create(q.context, SIZE, QPEL_NEAR_CPU, &q.buffer),
                             QPEL_OK);
            struct qpel_plane *plane = side ? &q.params.dst : &q.params.src;
            *plane = (struct qpel_plane){ .buffer = q.buffer, .size = SIZE, .stride = STRIDE };
            for (int open = 1; open <= 2; open++)
                assert_int_equal(qpel_buffer_begin(q.buffer, QPEL_READ, &data), QPEL_OK);
            for (int open = 2; open > 0; open--) {
                assert_int_equal(qpel_dispatch(q.context, &q.params, &report), QPEL_ERROR_BUSY);
                assert_int_equal(report.fault, QPEL_FAULT_BUFFER_BUSY);
                assert_int_equal(report.fault_block, SIZE_MAX);
                assert_int_equal(qpel_buffer_end(q.buffer), QPEL_OK);
            }
            assert_int_equal(qpel_dispatch(q.context, &q.params, &report), QPEL_OK);
            assert_int_equal(qpel_buffer_end(q.buffer), QPEL_ERROR_INVALID);
            qpel_buffer_destroy(&q.buffer);
            assert_null(q.buffer);
        }
}

static void buffers_check_their_arguments(void **state)
{
    (void)state;
    need_targets();
    for (int i = 0; i < target_count; i++) {
        struct qpel_context *c = targets[i].context;
        struct qpel_buffer *b = (struct qpel_buffer *)&b;
        void *data = &b, *again;
        assert_int_equal(qpel_buffer_create(c, 0, QPEL_NEAR_CPU, &b), QPEL_ERROR_INVALID);
        assert_null(b);
        assert_int_equal(qpel_buffer_create(NULL, 16, QPEL_NEAR_CPU, &b), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_buffer_create(c, 16, QPEL_NEAR_CPU, NULL), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_buffer_create(c, SIZE_MAX, QPEL_NEAR_CPU, &b), QPEL_ERROR_NOMEM);
        assert_int_equal(qpel_buffer_create(c, PTRDIFF_MAX, QPEL_NEAR_CPU, &b), QPEL_ERROR_NOMEM);
        assert_null(b);
        qpel_buffer_destroy(&b);
        qpel_buffer_destroy(NULL);
        assert_int_equal(qpel_buffer_size(NULL), 0);
        for (size_t size = 1; size < 5000; size = size * 3 + 1) {
            assert_int_equal(qpel_buffer_create(c, size, QPEL_NEAR_CPU, &b), QPEL_OK);
            assert_int_equal(qpel_buffer_size(b), size);
            assert_int_equal(qpel_buffer_begin(b, (enum qpel_access)0, &data), QPEL_ERROR_INVALID);
            assert_int_equal(qpel_buffer_begin(b, (enum qpel_access)4, &data), QPEL_ERROR_INVALID);
            assert_int_equal(qpel_buffer_begin(b, QPEL_READ, NULL), QPEL_ERROR_INVALID);
            assert_int_equal(qpel_buffer_begin(NULL, QPEL_READ, &data), QPEL_ERROR_INVALID);
            assert_int_equal(qpel_buffer_end(NULL), QPEL_ERROR_INVALID);
            assert_int_equal(qpel_buffer_end(b), QPEL_ERROR_INVALID);
            assert_int_equal(qpel_buffer_begin(b, QPEL_READ_WRITE, &data), QPEL_OK);
            assert_int_equal((uintptr_t)data % 64, 0);
            for (size_t n = 0; n < size; n++)
                assert_int_equal(((uint8_t *)data)[n], 0);
            memset(data, 0xff, size);
            assert_int_equal(qpel_buffer_end(b), QPEL_OK);
            assert_int_equal(qpel_buffer_begin(b, QPEL_READ, &again), QPEL_OK);
            assert_ptr_equal(data, again);
            assert_int_equal(qpel_buffer_end(b), QPEL_OK);
            qpel_buffer_destroy(&b);
            assert_null(b);
        }
    }
}

/* ---- names ---- */

static void names_are_for_people(void **state)
{
    (void)state;
    for (int f = QPEL_FAULT_NONE; f <= QPEL_FAULT_BUFFER_BUSY; f++)
        assert_string_not_equal(qpel_fault_name((enum qpel_fault)f), "unknown");
    assert_string_equal(qpel_fault_name((enum qpel_fault) - 1), "unknown");
    assert_string_equal(qpel_fault_name((enum qpel_fault)(QPEL_FAULT_BUFFER_BUSY + 1)), "unknown");
    for (int r = QPEL_OK; r >= QPEL_ERROR_INTERNAL; r--)
        assert_memory_equal(qpel_result_name((enum qpel_result)r), "QPEL_", 5);
    assert_string_equal(qpel_result_name((enum qpel_result)1), "unknown");
    assert_string_equal(qpel_result_name((enum qpel_result)(QPEL_ERROR_INTERNAL - 1)), "unknown");
    assert_string_equal(qpel_result_name((enum qpel_result)INT32_MIN), "unknown");
    assert_string_equal(qpel_backend_name(QPEL_BACKEND_GPU), "gpu");
    assert_string_equal(qpel_backend_name((enum qpel_backend)9), "unknown");
    assert_string_equal(qpel_device_kind_name(QPEL_DEVICE_SOFTWARE), "software");
    assert_string_equal(qpel_origin_name(QPEL_ORIGIN_MEASURED), "measured");
    assert_string_equal(qpel_version(), QPEL_VERSION_STRING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_requests_are_refused),
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(null_arguments),
        cmocka_unit_test(open_access_is_busy),
        cmocka_unit_test(buffers_check_their_arguments),
        cmocka_unit_test(names_are_for_people),
    };
    target_count = targets_open(targets, &failed_devices);
    int status = RUN_GROUP("errors", tests);
    targets_close(targets, target_count);
    return status;
}
