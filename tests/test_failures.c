/* A GPU that fails: in time, for good, in every function; that lies; that is a parent's. */
#define _GNU_SOURCE /* fork() */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "batch.h"
#include "guard.h"
#include "harness.h"
#include "mock_vulkan.h"

static bool vulkan_here;

static void need_vulkan(void)
{
    if (!vulkan_here)
        SKIP_TEST("no Vulkan device to stand in for others");
    mock_reset();
}

/* Long, for slow machines that compile shaders at first use; the mock's never takes so long. */
enum { TIMEOUT_MS = 120000 };

static struct qpel_context *open_context(enum qpel_backend backend)
{
    struct qpel_context *context;
    struct qpel_context_params params = { .backend = backend, .timeout_ms = TIMEOUT_MS };

    assert_int_equal(qpel_context_create(&context, &params), QPEL_OK);
    return context;
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

/* Runs a batch on plain memory; dst is as before, or right, as the result promises. */
static enum qpel_result run_plain(struct qpel_context *context, enum qpel_backend backend,
                                  const struct batch *b, struct qpel_report *report)
{
    struct qpel_dispatch_params params = batch_params(b, backend);
    uint8_t *dst = aligned_alloc(64, (b->dst_size + 63) / 64 * 64);

    assert_non_null(dst);
    memcpy(dst, b->before, b->dst_size);
    params.dst.data = dst;
    params.src.data = b->src;
    enum qpel_result r = qpel_dispatch(context, &params, report);
    if (memcmp(dst, r ? b->before : b->expected, b->dst_size))
        fail_msg("%s, %s: dst is wrong (%s failed)", qpel_backend_name(report->backend),
                 qpel_result_name(r), mock.failed ? mock.failed : "nothing");
    if (r)
        assert_string_not_equal(report->reason, "");
    free(dst);
    return r;
}

/* After a loss: the GPU stays lost, the CPU works, and the reason is told. */
static void expect_lost(struct qpel_context *context, const struct batch *b)
{
    struct qpel_report report;
    char reason[QPEL_REASON_SIZE] = "";
    unsigned calls = mock.calls;

    assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, b, &report), QPEL_ERROR_DEVICE_LOST);
    assert_int_equal(qpel_context_gpu(context, NULL, reason), QPEL_ERROR_DEVICE_LOST);
    assert_string_not_equal(reason, "");
    assert_int_equal(run_plain(context, QPEL_BACKEND_CPU, b, &report), QPEL_OK);
    assert_int_equal(run_plain(context, QPEL_BACKEND_AUTO, b, &report), QPEL_OK);
    assert_int_equal(report.backend, QPEL_BACKEND_CPU);
    /* None of that asked the driver. */
    assert_int_equal(mock.calls, calls);
}

/* ---- a fence that never signals, a device that is lost ---- */

/* In memory that the GPU may still be writing: a buffer stays until the work is seen to end. */
static void a_fence_that_never_signals(void **state)
{
    struct random r = random_stream(1);
    struct qpel_report report;
    struct qpel_buffer *buffer;
    void *data;

    (void)state;
    need_vulkan();
    struct batch b = small_batch(&r, QPEL_PUT);
    struct qpel_context *context = open_context(QPEL_BACKEND_AUTO);
    assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_OK);
    assert_int_equal(qpel_buffer_create(context, b.dst_size, QPEL_NEAR_CPU, &buffer), QPEL_OK);
    mock.fence = MOCK_FENCE_NEVER;
    assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_ERROR_TIMEOUT);
    printf("# %s\n", report.reason);
    assert_true(mock.timeout_ns == UINT64_C(1000000) * TIMEOUT_MS);
    expect_lost(context, &b);
    /* The buffer can still be used, by the CPU. */
    assert_int_equal(qpel_buffer_begin(buffer, QPEL_READ_WRITE, &data), QPEL_OK);
    memcpy(data, b.before, b.dst_size);
    assert_int_equal(qpel_buffer_end(buffer), QPEL_OK);
    struct qpel_dispatch_params params = batch_params(&b, QPEL_BACKEND_AUTO);
    params.dst.buffer = buffer;
    params.src.data = b.src;
    assert_int_equal(qpel_dispatch(context, &params, &report), QPEL_OK);
    assert_int_equal(qpel_buffer_begin(buffer, QPEL_READ, &data), QPEL_OK);
    assert_memory_equal(data, b.expected, b.dst_size);
    assert_int_equal(qpel_buffer_end(buffer), QPEL_OK);
    qpel_buffer_destroy(&buffer);
    /* A new one is the CPU's own. */
    enum qpel_result made = qpel_buffer_create(context, 100, QPEL_NEAR_CPU, &buffer);
    assert_true(made == QPEL_OK || made == QPEL_ERROR_DEVICE_LOST);
    qpel_buffer_destroy(&buffer);
    /* It ends at last, so that all can be freed. */
    mock.fence = MOCK_FENCE_REAL;
    qpel_context_destroy(&context);
    assert_int_equal(mock.live, 0);
    batch_free(&b);
}

/* The same, and it never ends: destroying gives up after the timeout, and leaves the memory be. */
static void destroying_does_not_hang(void **state)
{
    struct random r = random_stream(2);
    struct qpel_report report;

    (void)state;
    need_vulkan();
    struct batch b = small_batch(&r, QPEL_AVG);
    struct qpel_context *context = open_context(QPEL_BACKEND_AUTO);
    assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_OK);
    mock.fence = MOCK_FENCE_NEVER;
    assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_ERROR_TIMEOUT);
    mock.timeout_ns = 0;
    qpel_context_destroy(&context);
    assert_true(mock.timeout_ns == UINT64_C(1000000) * TIMEOUT_MS);
    assert_true(mock.live > 0);
    batch_free(&b);
}

static void a_lost_device(void **state)
{
    struct random r = random_stream(3);
    struct qpel_report report;

    (void)state;
    need_vulkan();
    struct batch b = small_batch(&r, QPEL_AVG);
    struct qpel_context *context = open_context(QPEL_BACKEND_AUTO);
    assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_OK);
    mock.fence = MOCK_FENCE_LOST;
    assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_ERROR_DEVICE_LOST);
    assert_non_null(strstr(report.reason, "VK_ERROR_DEVICE_LOST"));
    expect_lost(context, &b);
    qpel_context_destroy(&context);
    assert_int_equal(mock.live, 0);
    batch_free(&b);
}

/* ---- lies ---- */

/* A device that computes something else: the self-test turns it off before it does harm. */
static void a_lying_device_is_found_out(void **state)
{
    struct random r = random_stream(4);
    struct qpel_report report;

    (void)state;
    need_vulkan();
    struct batch b = small_batch(&r, QPEL_PUT);
    for (int lie = MOCK_LIE_DX; lie <= MOCK_LIE_LANES; lie++) {
        struct qpel_context *context;
        struct qpel_context_params gpu = { .backend = QPEL_BACKEND_GPU, .timeout_ms = TIMEOUT_MS };
        mock.lie = (enum mock_lie)lie;
        assert_int_equal(qpel_context_create(&context, &gpu), QPEL_ERROR_DEVICE_LOST);
        assert_null(context);
        context = open_context(QPEL_BACKEND_AUTO);
        assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_ERROR_DEVICE_LOST);
        assert_non_null(strstr(report.reason, "self-test"));
        expect_lost(context, &b);
        qpel_context_destroy(&context);
        assert_int_equal(mock.live, 0);
    }
    batch_free(&b);
}

/* One that starts to lie later is seen by what our other tests compare with. */
static void the_tests_see_lies(void **state)
{
    struct random r = random_stream(5);
    struct target t = { .name = "liar", .backend = QPEL_BACKEND_GPU };

    (void)state;
    need_vulkan();
    t.context = open_context(QPEL_BACKEND_GPU);
    regions_quiet = true;
    for (int lie = MOCK_NO_LIE; lie <= MOCK_LIE_LANES; lie++)
        for (int n = 0; n < KERNEL_COUNT; n++) {
            struct kernel k = kernel_of(n);
            struct batch_shape shape = {
                .kernel = k, .count = 20, .dst_unit = 4, .src_align = -1, .kind = 1
            };
            /* Parameters that a family has no use for change nothing. */
            int x = k.position % 4, y = k.position / 4;
            bool matters = lie == MOCK_LIE_DX   ? x % 2
                           : lie == MOCK_LIE_DY ? y % 2
                                                : lie != MOCK_NO_LIE;
            struct batch b = batch_make(&shape, &r);
            mock.lie = (enum mock_lie)lie;
            bool same = batch_run(&b, &t, BUFFER, BUFFER, &r, NULL);
            mock.lie = MOCK_NO_LIE;
            batch_free(&b);
            if (same == matters) {
                char name[KERNEL_NAME_SIZE];
                fail_msg("lie %d about %s was %s", lie, kernel_name(k, name),
                         matters ? "not seen" : "seen");
            }
        }
    regions_quiet = false;
    qpel_context_destroy(&t.context);
    assert_int_equal(mock.live, 0);
}

/* ---- every function of the driver fails in turn ---- */

/* All that a context does with a GPU. Returns the first failure. */
static enum qpel_result use_gpu(const struct batch *put, const struct batch *avg)
{
    struct qpel_context *context = open_context(QPEL_BACKEND_AUTO);
    struct qpel_report report;
    struct qpel_buffer *buffer = NULL;
    void *data;
    enum qpel_result first = qpel_context_gpu(context, NULL, NULL), r;

    r = run_plain(context, QPEL_BACKEND_GPU, put, &report);
    first = first ? first : r;
    r = run_plain(context, QPEL_BACKEND_GPU, avg, &report);
    first = first ? first : r;
    r = qpel_buffer_create(context, put->dst_size, QPEL_NEAR_GPU, &buffer);
    first = first ? first : r;
    if (!r) {
        struct qpel_dispatch_params params = batch_params(put, QPEL_BACKEND_GPU);
        params.dst.buffer = buffer;
        params.src.data = put->src;
        params.timed = true;
        r = qpel_dispatch(context, &params, &report);
        first = first ? first : r;
        r = qpel_buffer_begin(buffer, QPEL_READ, &data);
        first = first ? first : r;
        if (!r) {
            r = qpel_buffer_end(buffer);
            first = first ? first : r;
        }
    }
    /* The CPU always works. */
    assert_int_equal(run_plain(context, QPEL_BACKEND_CPU, put, &report), QPEL_OK);
    assert_int_equal(run_plain(context, QPEL_BACKEND_AUTO, avg, &report), QPEL_OK);
    qpel_buffer_destroy(&buffer);
    qpel_context_destroy(&context);
    return first;
}

/* Whether no call of this name comes before, or none after. */
static bool first_or_last(const char *const *names, unsigned n, unsigned count)
{
    bool before = false, after = false;

    for (unsigned i = 0; i < count; i++)
        if (i != n && !strcmp(names[i], names[n])) {
            before = before || i < n;
            after = after || i > n;
        }
    return !before || !after;
}

/* The first and the last of each of the driver's functions. */
static void calls_fail_in_turn(enum mock_memory memory, VkResult with)
{
    struct random r = random_stream(6);
    struct batch put = small_batch(&r, QPEL_PUT), avg = small_batch(&r, QPEL_AVG);

    mock_reset();
    mock.devices[0].memory = memory;
    assert_int_equal(use_gpu(&put, &avg), QPEL_OK);
    assert_int_equal(mock.live, 0);
    unsigned calls = mock.calls, failed = 0;
    static const char *names[sizeof mock.names / sizeof *mock.names];
    assert_in_range(calls, 1, sizeof names / sizeof *names);
    memcpy(names, mock.names, sizeof names);
    for (unsigned n = 1; n <= calls; n++) {
        if (!first_or_last(names, n - 1, calls))
            continue;
        failed++;
        mock_reset();
        mock.devices[0].memory = memory;
        mock.fail_at = n;
        mock.fail_with = with;
        enum qpel_result result = use_gpu(&put, &avg);
        assert_non_null(mock.failed);
        /* Some can be done without: a cache, a name, another type of memory. */
        if (result && result != QPEL_ERROR_NOMEM && result != QPEL_ERROR_UNSUPPORTED &&
            result != QPEL_ERROR_DEVICE_LOST)
            fail_msg("%s fails with %d: %s", mock.failed, (int)with, qpel_result_name(result));
        if (mock.live)
            fail_msg("%s fails with %d: %d objects are left", mock.failed, (int)with, mock.live);
        assert_int_equal(mock.violations, 0);
    }
    printf("# of %u calls, %u failed in turn\n", calls, failed);
    batch_free(&put);
    batch_free(&avg);
}

static void out_of_device_memory(void **state)
{
    (void)state;
    need_vulkan();
    calls_fail_in_turn(MOCK_MEMORY_V3D, VK_ERROR_OUT_OF_DEVICE_MEMORY);
}

static void out_of_host_memory(void **state)
{
    (void)state;
    need_vulkan();
    calls_fail_in_turn(MOCK_MEMORY_NOT_COHERENT, VK_ERROR_OUT_OF_HOST_MEMORY);
}

static void device_lost_anywhere(void **state)
{
    (void)state;
    need_vulkan();
    calls_fail_in_turn(MOCK_MEMORY_V3D, VK_ERROR_DEVICE_LOST);
}

/* ---- processes ---- */

/* 0, or the number of the check that failed. */
static int in_child(struct qpel_context *context, const struct batch *b)
{
    struct qpel_dispatch_params params = batch_params(b, QPEL_BACKEND_GPU);
    struct qpel_report report;
    uint8_t *dst = malloc(b->dst_size);

    if (!dst)
        return 1;
    memcpy(dst, b->before, b->dst_size);
    params.dst.data = dst;
    params.src.data = b->src;
    if (qpel_dispatch(context, &params, &report) != QPEL_ERROR_DEVICE_LOST)
        return 2;
    if (!strstr(report.reason, "fork"))
        return 3;
    params.backend = QPEL_BACKEND_AUTO;
    if (qpel_dispatch(context, &params, &report) || report.backend != QPEL_BACKEND_CPU)
        return 4;
    if (memcmp(dst, b->expected, b->dst_size))
        return 5;
    free(dst);
    qpel_context_destroy(&context);
    return 0;
}

static void a_child_leaves_the_gpu_alone(void **state)
{
    struct random r = random_stream(7);
    struct qpel_report report;
    int status;

    (void)state;
    need_vulkan();
    struct batch b = small_batch(&r, QPEL_PUT);
    struct qpel_context *context = open_context(QPEL_BACKEND_AUTO);
    assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_OK);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(in_child(context, &b));
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_OK);
    qpel_context_destroy(&context);
    assert_int_equal(mock.live, 0);
    batch_free(&b);
}

static int open_files(void)
{
    DIR *d = opendir("/proc/self/fd");
    int count = 0;

    if (!d)
        return 0;
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}

static void contexts_leave_nothing_open(void **state)
{
    struct random r = random_stream(8);
    struct qpel_report report;
    int before = 0;

    (void)state;
    need_vulkan();
    struct batch b = small_batch(&r, QPEL_PUT);
    for (int i = 0; i < 50; i++) {
        struct qpel_context *context = open_context(QPEL_BACKEND_AUTO);
        assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_OK);
        qpel_context_destroy(&context);
        if (i == 4)
            before = open_files(); /* what loader and driver keep has been opened */
    }
    assert_int_equal(open_files(), before);
    assert_int_equal(mock.live, 0);
    batch_free(&b);
}

/* Steady state asks the driver for nothing but to record, submit and wait. */
static void steady_state_makes_nothing(void **state)
{
    struct random r = random_stream(9);
    struct qpel_report report;
    unsigned calls = 0;

    (void)state;
    need_vulkan();
    struct batch b = small_batch(&r, QPEL_PUT);
    struct qpel_context *context = open_context(QPEL_BACKEND_AUTO);
    for (int i = 0; i < 6; i++) {
        int live = mock.live;
        unsigned before = mock.calls, waits = mock.waits;
        assert_int_equal(run_plain(context, QPEL_BACKEND_GPU, &b, &report), QPEL_OK);
        if (i > 1) {
            assert_int_equal(mock.live, live);
            assert_int_equal(mock.calls - before, calls);
            assert_int_equal(mock.waits - waits, 1);
        }
        calls = mock.calls - before;
    }
    /* Reset, begin, end, submit, wait, reset the fence. */
    assert_true(calls <= 6);
    qpel_context_destroy(&context);
    batch_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fence_that_never_signals),
        cmocka_unit_test(a_lost_device),
        cmocka_unit_test(a_lying_device_is_found_out),
        cmocka_unit_test(the_tests_see_lies),
        cmocka_unit_test(out_of_device_memory),
        cmocka_unit_test(out_of_host_memory),
        cmocka_unit_test(device_lost_anywhere),
        cmocka_unit_test(a_child_leaves_the_gpu_alone),
        cmocka_unit_test(contexts_leave_nothing_open),
        cmocka_unit_test(steady_state_makes_nothing),
        cmocka_unit_test(destroying_does_not_hang),
    };
    vulkan_here = mock_possible();
    return RUN_GROUP("failures", tests);
}
