#include "vulkan_run.h"

#include <string.h>

#include "harness.h"

/* ---- what the library does with the queue ---- */

struct spy spy;

static VKAPI_ATTR VkResult VKAPI_CALL spy_submit(VkQueue queue, uint32_t count,
                                                 const VkSubmitInfo *infos, VkFence fence)
{
    spy.submits++;
    spy.unlocked_submits += !spy.locked;
    return spy.submit(queue, count, infos, fence);
}

static VKAPI_ATTR void VKAPI_CALL spy_destroy_device(VkDevice device,
                                                     const VkAllocationCallbacks *allocator)
{
    (void)device, (void)allocator;
    spy.forbidden++;
}

static VKAPI_ATTR void VKAPI_CALL spy_destroy_instance(VkInstance instance,
                                                       const VkAllocationCallbacks *allocator)
{
    (void)instance, (void)allocator;
    spy.forbidden++;
}

static VKAPI_ATTR VkResult VKAPI_CALL spy_queue_idle(VkQueue queue)
{
    (void)queue;
    spy.forbidden++;
    return VK_ERROR_UNKNOWN;
}

static VKAPI_ATTR VkResult VKAPI_CALL spy_device_idle(VkDevice device)
{
    (void)device;
    spy.forbidden++;
    return VK_ERROR_UNKNOWN;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL spy_device_proc(VkDevice device, const char *name)
{
    PFN_vkVoidFunction real = spy.get_device_proc(device, name);

    if (!strcmp(name, "vkQueueSubmit")) {
        spy.submit = (PFN_vkQueueSubmit)real;
        return (PFN_vkVoidFunction)spy_submit;
    }
    if (!strcmp(name, "vkDestroyDevice"))
        return (PFN_vkVoidFunction)spy_destroy_device;
    if (!strcmp(name, "vkQueueWaitIdle"))
        return (PFN_vkVoidFunction)spy_queue_idle;
    if (!strcmp(name, "vkDeviceWaitIdle"))
        return (PFN_vkVoidFunction)spy_device_idle;
    return real;
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL spy_instance_proc(VkInstance instance,
                                                                  const char *name)
{
    if (!strcmp(name, "vkGetDeviceProcAddr"))
        return (PFN_vkVoidFunction)spy_device_proc;
    if (!strcmp(name, "vkDestroyInstance"))
        return (PFN_vkVoidFunction)spy_destroy_instance;
    return spy.get_instance_proc(instance, name);
}

static void lock_queue(void *user)
{
    assert_ptr_equal(user, &spy);
    assert_false(spy.locked);
    spy.locked = true;
    spy.locks++;
}

static void unlock_queue(void *user)
{
    assert_ptr_equal(user, &spy);
    assert_true(spy.locked);
    spy.locked = false;
    spy.unlocks++;
}

struct qpel_vulkan_params spied(const struct own_vulkan *v)
{
    struct qpel_vulkan_params on = own_vulkan_params(v);

    memset(&spy, 0, sizeof spy);
    spy.get_instance_proc = v->get_proc;
    spy.get_device_proc = (PFN_vkGetDeviceProcAddr)v->get_proc(v->instance, "vkGetDeviceProcAddr");
    on.get_instance_proc_addr = spy_instance_proc;
    on.lock_queue = lock_queue;
    on.unlock_queue = unlock_queue;
    on.user = &spy;
    return on;
}

/* ---- contexts ---- */

struct own_vulkan own;
static bool own_here;

void need_vulkan(void)
{
    if (!own_here)
        SKIP_TEST("no Vulkan 1.2 device with timeline semaphores");
}

const struct qpel_context_params patient = { .timeout_ms = 120000, .log = print_log };

struct target open_target(const struct qpel_vulkan_params *on)
{
    struct target t = { .name = "the program's device", .backend = QPEL_BACKEND_GPU };
    char reason[QPEL_REASON_SIZE];
    enum qpel_result r = qpel_vulkan_context_create(&t.context, &patient, on, reason);

    if (r)
        fail_msg("%s: %s", qpel_result_name(r), reason);
    assert_string_equal(reason, "");
    return t;
}

struct target open_plain(void)
{
    struct qpel_vulkan_params on = own_vulkan_params(&own);
    return open_target(&on);
}

void device_works(void)
{
    struct own_buffer b = own_buffer_make(&own, 256);
    struct own_commands c = own_commands_begin(&own);

    own.CmdFillBuffer(c.buffer, b.handle, 0, 256, 0x5a5a5a5a);
    own_commands_end(&own, &c);
    own_commands_run(&own, &c, NULL);
    for (int i = 0; i < 256; i++)
        assert_int_equal(b.data[i], 0x5a);
    own_commands_free(&own, &c);
    own_buffer_free(&own, &b);
}

void vulkan_run_open(void)
{
    own_here = own_vulkan_open(&own, NULL, VK_API_VERSION_1_2, true);
}

int vulkan_run_close(int status)
{
    /* What a failed test has left stays. */
    if (own_here && (!status || status == EXIT_SKIPPED))
        own_vulkan_close(&own);
    return status;
}
