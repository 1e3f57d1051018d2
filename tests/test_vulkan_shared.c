/* qpel/vulkan.h on a device that shares: a mock of V3D, opened by the program. */
#include <string.h>
#include <unistd.h>

#include "own_vulkan.h"
#include "sharing_device.h"

enum { CASES = 20 };

static const char *const extensions[] = {
    VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME,    VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME,
    VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME,
    VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME, /* the last */
};
enum { EXTENSION_COUNT = sizeof extensions / sizeof *extensions };

static struct qpel_context *open_context(const struct own_vulkan *v)
{
    struct qpel_context_params params = { .timeout_ms = PATIENCE_MS };
    struct qpel_vulkan_params on = own_vulkan_params(v);
    struct qpel_context *context;
    char reason[QPEL_REASON_SIZE];

    assert_int_equal(qpel_vulkan_context_create(&context, &params, &on, reason), QPEL_OK);
    return context;
}

static void close_all(struct qpel_context *context, struct own_vulkan *v)
{
    qpel_context_destroy(&context);
    own_vulkan_close(v);
    assert_int_equal(mock.live, 0);
    assert_int_equal(mock.violations, 0);
}

static uint64_t value_of(const struct own_vulkan *v, VkSemaphore timeline)
{
    PFN_vkGetSemaphoreCounterValue get =
        (PFN_vkGetSemaphoreCounterValue)v->get_proc(v->instance, "vkGetSemaphoreCounterValue");
    uint64_t value = 0;

    assert_int_equal(get(v->device, timeline, &value), VK_SUCCESS);
    return value;
}

static void set_value(const struct own_vulkan *v, VkSemaphore timeline, uint64_t value)
{
    PFN_vkSignalSemaphore set =
        (PFN_vkSignalSemaphore)v->get_proc(v->instance, "vkSignalSemaphore");
    VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
        .semaphore = timeline,
        .value = value,
    };

    assert_int_equal(set(v->device, &info), VK_SUCCESS);
}

/* A submission with all that it can have: semaphores either way, as many as there may be, a
 * descriptor for its end, the time that it takes. */
static void an_end_beside_semaphores(void **state)
{
    const struct qpel_submit_params params = { .timed = true, .completion_fd = true };
    struct qpel_vulkan_semaphore wait, signal[QPEL_VULKAN_SEMAPHORE_MAX];
    struct qpel_vulkan_semaphores semaphores = { &wait, 1, signal, 0 };
    VkSemaphore timelines[QPEL_VULKAN_SEMAPHORE_MAX];
    struct random r = random_stream(1);
    struct qpel_device device;
    struct own_vulkan v;
    qpel_ticket ticket;
    uint64_t value = 0;

    (void)state;
    need_vulkan();
    assert_true(own_vulkan_open_with(&v, extensions, EXTENSION_COUNT));
    struct qpel_context *context = open_context(&v);
    assert_int_equal(qpel_context_gpu(context, &device, NULL), QPEL_OK);
    assert_true(device.completion_fd);
    for (int i = 0; i < QPEL_VULKAN_SEMAPHORE_MAX; i++)
        timelines[i] = own_semaphore(&v, true);
    for (int n = 0; n < CASES; n++) {
        struct picture_case c = case_draw(60, &r);
        struct running run = running_open(&c, context, CREATED, CREATED);
        double seconds;
        int fd;
        running_collect(&run);
        semaphores.signal_count = n % 2 ? QPEL_VULKAN_SEMAPHORE_MAX : 1;
        wait = (struct qpel_vulkan_semaphore){ timelines[0], ++value };
        for (uint32_t i = 0; i < semaphores.signal_count; i++)
            signal[i] = (struct qpel_vulkan_semaphore){ timelines[i], value + 1 };
        set_value(&v, timelines[0], value);
        value++;
        assert_int_equal(qpel_vulkan_submit(run.batch, &params, &semaphores, &ticket, NULL),
                         QPEL_OK);
        assert_int_equal(qpel_ticket_fd(context, ticket, &fd), QPEL_OK);
        assert_true(fd_readable(fd, PATIENCE_MS));
        close(fd);
        assert_int_equal(qpel_wait(context, ticket, WAIT_NS), QPEL_OK);
        for (uint32_t i = 0; i < semaphores.signal_count; i++)
            assert_int_equal(value_of(&v, timelines[i]), value);
        assert_int_equal(qpel_ticket_gpu_seconds(context, ticket, &seconds), QPEL_OK);
        assert_int_equal(seconds > 0, device.timestamps);
        running_check(&run, "with everything");
        /* Not asked for: not to be had. */
        assert_int_equal(qpel_vulkan_submit(run.batch, NULL, NULL, &ticket, NULL), QPEL_OK);
        assert_int_equal(qpel_ticket_fd(context, ticket, &fd), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_wait(context, ticket, WAIT_NS), QPEL_OK);
        assert_int_equal(qpel_ticket_gpu_seconds(context, ticket, &seconds), QPEL_OK);
        assert_true(seconds < 0);
        running_close(&run);
        case_free(&c);
    }
    for (int i = 0; i < QPEL_VULKAN_SEMAPHORE_MAX; i++)
        v.DestroySemaphore(v.device, timelines[i], NULL);
    close_all(context, &v);
}

/* A device whose extension is not on has no such end; nothing has started. */
static void no_end_without_the_extension(void **state)
{
    const struct qpel_submit_params params = { .completion_fd = true };
    struct random r = random_stream(2);
    struct qpel_report report;
    struct own_vulkan v;
    qpel_ticket ticket = 99;

    (void)state;
    need_vulkan();
    assert_true(own_vulkan_open(&v, NULL, VK_API_VERSION_1_2, true));
    struct qpel_context *context = open_context(&v);
    struct target t = { .name = "the program's", .backend = QPEL_BACKEND_GPU, .context = context };
    struct picture_case c = case_draw(60, &r);
    struct running run = running_open(&c, context, CREATED, CREATED);
    running_collect(&run);
    assert_int_equal(qpel_vulkan_submit(run.batch, &params, NULL, &ticket, &report),
                     QPEL_ERROR_UNSUPPORTED);
    assert_int_equal(ticket, 99);
    assert_non_null(strstr(report.reason, "descriptor"));
    assert_int_equal(running_submit(&run, &t), QPEL_OK);
    running_check(&run, "without");
    running_close(&run);
    case_free(&c);
    close_all(context, &v);
}

/* ---- whose pictures are ---- */

enum way { SUBMITTED, RECORDED };

/* Runs a case, and returns how many buffers changed hands. */
static unsigned transfers(const struct target *t, const struct own_vulkan *v, enum way way,
                          const struct picture_case *c, enum place target, enum place references)
{
    struct running run = place_open(c, t->context, target, references);

    running_collect(&run);
    if (way == SUBMITTED)
        assert_int_equal(running_submit(&run, t),
                         QPEL_OK); /* after the self-test of such pictures */
    mock.acquired = mock.released = 0;
    if (way == SUBMITTED) {
        assert_int_equal(running_submit(&run, t), QPEL_OK);
    } else {
        struct own_commands commands = own_commands_begin(v);
        assert_int_equal(qpel_vulkan_record(run.batch, commands.buffer, NULL), QPEL_OK);
        own_commands_end(v, &commands);
        /* Each time they are taken and given back. */
        own_commands_run(v, &commands, NULL);
        own_commands_run(v, &commands, NULL);
        assert_int_equal(qpel_vulkan_recorded_done(run.batch), QPEL_OK);
        own_commands_free(v, &commands);
    }
    assert_int_equal(mock.acquired, mock.released);
    running_check(&run, "with pictures that others share");
    running_close(&run);
    place_free_pages();
    return mock.acquired;
}

static bool is_shared(enum place place)
{
    return place == PLACE_EXPORTABLE || place == PLACE_IMPORTED;
}

/* Of pictures that other devices may see each is taken from them once, and given back; of others
 * none. */
static void check_owners(const struct target *t, const struct own_vulkan *v, enum way way)
{
    struct random r = random_stream(3);

    for (int target = 0; target < PLACE_COUNT; target++)
        for (int references = 0; references < PLACE_COUNT; references++) {
            struct picture_case c = place_case(place_format(&r), &r);
            unsigned shared = is_shared((enum place)target);
            if (is_shared((enum place)references))
                shared += (unsigned)c.image_count;
            assert_int_equal(transfers(t, v, way, &c, (enum place)target, (enum place)references),
                             shared);
            case_free(&c);
        }
}

static void owners_of_submitted_pictures(void **state)
{
    (void)state;
    for (int foreign = 0; foreign < 2; foreign++) {
        need_vulkan();
        mock.devices[0].foreign = foreign;
        mock.devices[0].host_import = true;
        struct target t = sharing_open(QPEL_BACKEND_GPU);
        check_owners(&t, NULL, SUBMITTED);
        sharing_close(&t);
    }
}

static void owners_of_recorded_pictures(void **state)
{
    (void)state;
    for (uint32_t foreign = 0; foreign < 2; foreign++) {
        struct own_vulkan v;
        need_vulkan();
        /* What its owner enables counts, not what it offers. */
        mock.devices[0].foreign = true;
        mock.devices[0].host_import = true;
        assert_true(own_vulkan_open_with(&v, extensions, EXTENSION_COUNT - 1 + foreign));
        struct target t = { .name = "the program's", .context = open_context(&v) };
        check_owners(&t, &v, RECORDED);
        close_all(t.context, &v);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_end_beside_semaphores),
        cmocka_unit_test(no_end_without_the_extension),
        cmocka_unit_test(owners_of_submitted_pictures),
        cmocka_unit_test(owners_of_recorded_pictures),
    };
    return RUN_GROUP("vulkan_shared", tests);
}
