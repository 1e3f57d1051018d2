/* What a call tells about itself: who ran, what was copied, and why. */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "harness.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;

static void need_targets(void)
{
    assert_int_equal(failed_devices, 0);
    if (!target_count)
        SKIP_TEST("no device");
}

static struct batch small_batch(struct random *r, enum qpel_operation operation)
{
    struct batch_shape shape = {
        .kernel = { operation, QPEL_SIZE_8, 6 },
        .count = 20,
        .dst_unit = 4,
        .src_align = -1,
    };
    return batch_make(&shape, r);
}

static void report_tells_who_ran(void **state)
{
    struct random r = random_stream(1);

    (void)state;
    need_targets();
    for (int i = 0; i < target_count; i++)
        for (int memory = 0; memory < 4; memory++)
            for (int operation = 0; operation < QPEL_OPERATION_COUNT; operation++) {
                bool gpu = targets[i].backend == QPEL_BACKEND_GPU;
                struct batch b = small_batch(&r, (enum qpel_operation)operation);
                struct qpel_report report;
                memset(&report, 0x77, sizeof report);
                assert_true(batch_run(&b, &targets[i], memory & 1, memory >> 1, &r, &report));
                assert_int_equal(report.backend, targets[i].backend);
                assert_string_equal(report.device, gpu ? targets[i].device.name
                                                       : strchr(targets[i].name, ' ') + 1);
                assert_int_equal(report.blocks, b.count);
                assert_int_equal(report.fault, QPEL_FAULT_NONE);
                assert_int_equal(report.fault_block, SIZE_MAX);
                assert_true(report.gpu_seconds < 0); /* not asked for */
                assert_string_not_equal(report.reason, "");
                /* Plain memory goes up once, and comes back once. */
                bool plain_dst = gpu && !(memory & 1), plain_src = gpu && !(memory >> 1);
                unsigned copies = plain_src + plain_dst * (operation == QPEL_AVG ? 2 : 1);
                assert_int_equal(report.copies, copies);
                assert_int_equal(report.copied_bytes > 0, copies > 0);
                assert_true(report.copied_bytes <= b.src_size + 2 * b.dst_size);
                batch_free(&b);
            }
}

static void time_is_told_when_asked_for(void **state)
{
    struct random r = random_stream(2);

    (void)state;
    need_targets();
    for (int i = 0; i < target_count; i++) {
        bool clock = targets[i].backend == QPEL_BACKEND_GPU && targets[i].device.timestamps;
        struct batch b = small_batch(&r, QPEL_PUT);
        struct qpel_dispatch_params params = batch_params(&b, targets[i].backend);
        struct qpel_report report;
        uint8_t *dst = aligned_alloc(64, (b.dst_size + 63) / 64 * 64);
        assert_non_null(dst);
        params.dst.data = dst;
        params.src.data = b.src;
        params.timed = true;
        assert_int_equal(qpel_dispatch(targets[i].context, &params, &report), QPEL_OK);
        assert_int_equal(report.gpu_seconds >= 0, clock);
        assert_true(report.gpu_seconds < 60);
        free(dst);
        batch_free(&b);
    }
}

/* ---- 32-bit words of dst have one owner ---- */

struct odd {
    const char *what;
    size_t base, stride, offset;
};

/* AUTO, in a context that may choose. Buffers are a context's own, so they come as plain memory. */
static enum qpel_result dispatch_auto(const struct target *t,
                                      const struct qpel_dispatch_params *params,
                                      struct qpel_report *report)
{
    char uuid[UUID_TEXT_SIZE];
    struct qpel_context *context;
    struct qpel_context_params choose = { .device = uuid };
    struct qpel_dispatch_params p = *params;
    void *bytes = NULL;

    uuid_text(&t->device, uuid);
    assert_int_equal(qpel_context_create(&context, &choose), QPEL_OK);
    p.backend = QPEL_BACKEND_AUTO;
    if (p.dst.buffer) {
        assert_int_equal(qpel_buffer_begin(p.dst.buffer, QPEL_READ_WRITE, &bytes), QPEL_OK);
        p.dst.data = (uint8_t *)bytes + p.dst.offset;
        p.dst.buffer = NULL;
        p.dst.offset = 0;
    }
    enum qpel_result result = qpel_dispatch(context, &p, report);
    if (bytes)
        assert_int_equal(qpel_buffer_end(params->dst.buffer), QPEL_OK);
    qpel_context_destroy(&context);
    return result;
}

static void words_have_one_owner(void **state)
{
    static const struct odd cases[] = {
        { "base", 1, 64, 0 },   { "base", 2, 64, 0 },   { "stride", 0, 63, 0 },
        { "stride", 0, 66, 0 }, { "offset", 0, 64, 2 }, { "offset", 0, 64, 63 },
    };
    static _Alignas(64) uint8_t dst[2048], before[2048], expected[2048], src[2048];
    struct random r = random_stream(3);
    struct kernel k = { QPEL_PUT, QPEL_SIZE_4, 5 };

    (void)state;
    need_targets();
    hostile_fill_kind(&r, 1, src, 64, 64, 32);
    hostile_fill_kind(&r, 1, before, 64, 64, 32);
    for (int i = 0; i < target_count; i++)
        for (size_t c = 0; c < sizeof cases / sizeof *cases; c++)
            for (int in_buffer = 0; in_buffer < 2; in_buffer++) {
                struct qpel_buffer *buffer = NULL;
                struct qpel_report report;
                void *bytes = dst;
                /* The second block shares a word with the first's end, but no sample. */
                struct qpel_block blocks[2] = { { (uint32_t)cases[c].offset, 5 * 64 + 9 },
                                                { (uint32_t)cases[c].offset + 4, 9 * 64 + 30 } };
                struct qpel_dispatch_params params = {
                    .backend = targets[i].backend,
                    .operation = k.operation,
                    .size = k.size,
                    .position = k.position,
                    .dst = { .data = dst + cases[c].base,
                             .size = sizeof dst - 64,
                             .stride = (ptrdiff_t)cases[c].stride },
                    .src = { .data = src, .size = sizeof src, .stride = 64 },
                    .blocks = blocks,
                    .count = 2,
                };
                if (in_buffer) {
                    assert_int_equal(
                        qpel_buffer_create(targets[i].context, sizeof dst, QPEL_NEAR_CPU, &buffer),
                        QPEL_OK);
                    params.dst.data = NULL;
                    params.dst.buffer = buffer;
                    params.dst.offset = cases[c].base;
                    assert_int_equal(qpel_buffer_begin(buffer, QPEL_READ_WRITE, &bytes), QPEL_OK);
                    assert_int_equal(qpel_buffer_end(buffer), QPEL_OK);
                }
                memcpy(bytes, before, sizeof dst);
                memcpy(expected, before, sizeof dst);
                enum qpel_result result = qpel_dispatch(targets[i].context, &params, &report);
                if (targets[i].backend == QPEL_BACKEND_GPU) {
                    assert_int_equal(result, QPEL_ERROR_UNSUPPORTED);
                    assert_non_null(strstr(report.reason, "multiple"));
                    assert_int_equal(report.fault, QPEL_FAULT_NONE);
                    assert_int_equal(report.backend, QPEL_BACKEND_AUTO);
                    assert_memory_equal(bytes, before, sizeof dst);
                    result = dispatch_auto(&targets[i], &params, &report);
                    assert_non_null(strstr(report.reason, "multiple"));
                }
                assert_int_equal(result, QPEL_OK);
                assert_int_equal(report.backend, QPEL_BACKEND_CPU);
                for (int n = 0; n < 2; n++)
                    expected_block(k, expected + cases[c].base + blocks[n].dst,
                                   (ptrdiff_t)cases[c].stride, src + blocks[n].src, 64);
                assert_memory_equal(bytes, expected, sizeof dst);
                qpel_buffer_destroy(&buffer);
            }
}

/* The same plane is fine where only src is odd. */
static void odd_sources_are_fine(void **state)
{
    struct random r = random_stream(4);

    (void)state;
    need_targets();
    for (int i = 0; i < target_count; i++)
        for (int align = 0; align < 16; align++) {
            struct batch_shape shape = {
                .kernel = { QPEL_PUT, QPEL_SIZE_4, align },
                .count = 4,
                .src_stride = 97 + align,
                .dst_unit = 4,
                .src_align = align,
            };
            struct batch b = batch_make(&shape, &r);
            assert_true(batch_run(&b, &targets[i], PLAIN, PLAIN, &r, NULL));
            batch_free(&b);
        }
}

/* ---- a GPU that is not to be had ---- */

static void a_cpu_context_has_no_gpu(void **state)
{
    struct qpel_context *context;
    struct qpel_context_params cpu = { .backend = QPEL_BACKEND_CPU };
    struct random r = random_stream(5);
    struct batch b = small_batch(&r, QPEL_PUT);
    struct qpel_dispatch_params params = batch_params(&b, QPEL_BACKEND_GPU);
    struct qpel_report report;
    uint8_t *dst = malloc(b.dst_size);

    (void)state;
    assert_non_null(dst);
    memcpy(dst, b.before, b.dst_size);
    params.dst.data = dst;
    params.src.data = b.src;
    assert_int_equal(qpel_context_create(&context, &cpu), QPEL_OK);
    assert_int_equal(qpel_dispatch(context, &params, &report), QPEL_ERROR_UNSUPPORTED);
    assert_string_not_equal(report.reason, "");
    assert_int_equal(report.backend, QPEL_BACKEND_AUTO);
    assert_memory_equal(dst, b.before, b.dst_size);
    params.backend = QPEL_BACKEND_AUTO;
    assert_int_equal(qpel_dispatch(context, &params, &report), QPEL_OK);
    assert_int_equal(report.backend, QPEL_BACKEND_CPU);
    assert_string_not_equal(report.reason, "");
    assert_true(batch_equal(&b, dst, "AUTO without GPU"));
    qpel_context_destroy(&context);
    free(dst);
    batch_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(report_tells_who_ran),     cmocka_unit_test(time_is_told_when_asked_for),
        cmocka_unit_test(words_have_one_owner),     cmocka_unit_test(odd_sources_are_fine),
        cmocka_unit_test(a_cpu_context_has_no_gpu),
    };
    target_count = targets_open(targets, &failed_devices);
    int status = RUN_GROUP("report", tests);
    targets_close(targets, target_count);
    return status;
}
