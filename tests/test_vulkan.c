/* qpel/vulkan.h: contexts on a device and a queue of the program's own. */
#define _POSIX_C_SOURCE 200809L /* setenv() */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "harness.h"
#include "picture_run.h"
#include "vulkan_run.h"

/* Both doors, the queue locked around each submission, and the device as it was afterwards. */
static void everything_works_on_it(void **state)
{
    struct random r = random_stream(1);
    struct qpel_device device, listed[2];
    size_t count = 2;

    (void)state;
    need_vulkan();
    struct qpel_vulkan_params on = spied(&own);
    struct target t = open_target(&on);
    assert_true(spy.submits > 0); /* the self-test */
    assert_int_equal(qpel_context_gpu(t.context, &device, NULL), QPEL_OK);
    assert_true(device.taken);
    assert_string_equal(device.reason, "the caller's device");
    assert_int_equal(qpel_context_devices(t.context, listed, &count), QPEL_OK);
    assert_int_equal(count, 1);
    assert_string_equal(listed[0].name, device.name);

    for (int n = 0; n < KERNEL_COUNT; n++) {
        struct batch_shape shape = {
            .kernel = kernel_of(n),
            .count = 50,
            .dst_unit = 4,
            .src_align = -1,
        };
        struct batch b = batch_make(&shape, &r);
        assert_true(batch_run(&b, &t, n & 1, n >> 1 & 1, &r, NULL));
        batch_free(&b);
    }
    for (int n = 0; n < 60; n++) {
        struct picture_case c = case_draw(60, &r);
        assert_true(case_run(&c, &t, CREATED, CREATED));
        case_free(&c);
    }
    qpel_context_destroy(&t.context);
    assert_int_equal(spy.locks, spy.submits);
    assert_int_equal(spy.unlocks, spy.submits);
    assert_int_equal(spy.unlocked_submits, 0);
    assert_int_equal(spy.forbidden, 0);
    device_works();
}

/* Two at once, and an instance of Vulkan 1.1 without timelines. */
static void several_contexts(void **state)
{
    struct random r = random_stream(2);
    struct own_vulkan old;

    (void)state;
    need_vulkan();
    struct target a = open_plain(), b = open_plain();
    struct picture_case c = case_draw(60, &r);
    assert_true(case_run(&c, &a, CREATED, CREATED));
    qpel_context_destroy(&a.context);
    assert_true(case_run(&c, &b, CREATED, CREATED));
    qpel_context_destroy(&b.context);

    assert_true(own_vulkan_open(&old, NULL, VK_API_VERSION_1_1, false));
    struct qpel_vulkan_params on = own_vulkan_params(&old);
    struct target t = open_target(&on);
    assert_true(case_run(&c, &t, CREATED, CREATED));
    qpel_context_destroy(&t.context);
    own_vulkan_close(&old);
    case_free(&c);
}

/* ---- what is refused ---- */

static void expect_refused(const struct qpel_vulkan_params *on, enum qpel_backend backend,
                           enum qpel_result expected, const char *what)
{
    struct qpel_context *context = (struct qpel_context *)&own;
    struct qpel_context_params params = { .backend = backend };
    char reason[QPEL_REASON_SIZE] = "";
    enum qpel_result r = qpel_vulkan_context_create(&context, &params, on, reason);

    if (r != expected || context || !strstr(reason, what))
        fail_msg("%s: %s, \"%s\"", what, qpel_result_name(r), reason);
    assert_int_equal(qpel_vulkan_context_create(&context, &params, on, NULL), expected);
}

#define REFUSED(change, expected, what)                                                            \
    do {                                                                                           \
        on = spied(&own);                                                                          \
        change;                                                                                    \
        expect_refused(&on, QPEL_BACKEND_AUTO, expected, what);                                    \
    } while (0)

static void bad_devices_are_refused(void **state)
{
    static const char *const names[] = { "VK_KHR_something", NULL };
    struct qpel_context *context = NULL;
    struct qpel_vulkan_params on;

    (void)state;
    need_vulkan();
    REFUSED(on.get_instance_proc_addr = NULL, QPEL_ERROR_INVALID, "get_instance_proc_addr");
    REFUSED(on.instance = NULL, QPEL_ERROR_INVALID, "instance");
    REFUSED(on.physical_device = NULL, QPEL_ERROR_INVALID, "physical_device");
    REFUSED(on.device = NULL, QPEL_ERROR_INVALID, "device");
    REFUSED(on.queue = NULL, QPEL_ERROR_INVALID, "queue");
    REFUSED(on.queue_family = 1000, QPEL_ERROR_INVALID, "queue_family");
    REFUSED(on.queue_family = UINT32_MAX, QPEL_ERROR_INVALID, "queue_family");
    REFUSED(on.lock_queue = NULL, QPEL_ERROR_INVALID, "lock_queue");
    REFUSED(on.unlock_queue = NULL, QPEL_ERROR_INVALID, "unlock_queue");
    REFUSED(on.extension_count = 1, QPEL_ERROR_INVALID, "extensions");
    REFUSED((on.extensions = names, on.extension_count = 2), QPEL_ERROR_INVALID, "extension");
    REFUSED(on.api_version = 0, QPEL_ERROR_UNSUPPORTED, "api_version");
    REFUSED(on.api_version = VK_API_VERSION_1_0, QPEL_ERROR_UNSUPPORTED, "1.0");
    REFUSED((on.api_version = VK_API_VERSION_1_1, on.extensions = names, on.extension_count = 1),
            QPEL_ERROR_INVALID, "timeline_semaphore");
    on = spied(&own);
    expect_refused(&on, QPEL_BACKEND_CPU, QPEL_ERROR_INVALID, "backend");
    expect_refused(NULL, QPEL_BACKEND_AUTO, QPEL_ERROR_INVALID, "null");
    assert_int_equal(qpel_vulkan_context_create(NULL, NULL, &on, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(setenv("QPEL_BACKEND", "cpu", 1), 0);
    expect_refused(&on, QPEL_BACKEND_AUTO, QPEL_ERROR_UNSUPPORTED, "CPU");
    assert_int_equal(setenv("QPEL_BACKEND", "what", 1), 0);
    expect_refused(&on, QPEL_BACKEND_AUTO, QPEL_ERROR_INVALID, "QPEL_ERROR_INVALID");
    assert_int_equal(unsetenv("QPEL_BACKEND"), 0);
    assert_int_equal(spy.submits + spy.forbidden, 0);
    assert_null(context);
    device_works();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_works_on_it),
        cmocka_unit_test(several_contexts),
        cmocka_unit_test(bad_devices_are_refused),
    };
    return RUN_VULKAN_GROUP("vulkan", tests);
}
