#include "device.h"

#include <string.h>

/* Extensions that are enabled and whose functions are missing are as good as none. */
static void check_extensions(struct qvk_device *d)
{
    const struct VolkDeviceTable *vk = &d->vk;
    d->on.memory_fd &= vk->vkGetMemoryFdKHR && vk->vkGetMemoryFdPropertiesKHR &&
                       vk->vkGetBufferMemoryRequirements2;
    d->on.dma_buf &= d->on.memory_fd;
    d->on.memory_host &= vk->vkGetMemoryHostPointerPropertiesEXT != NULL;
    d->on.semaphore_fd &= vk->vkGetSemaphoreFdKHR != NULL;
}

/* Invocations of a software device run in step, and a branch costs whether it is taken or not. To a
 * GPU a dispatch costs more. */
static unsigned luma_runs(enum qpel_device_kind kind)
{
    return kind == QPEL_DEVICE_SOFTWARE ? PLAN_BY_FAMILY : PLAN_BY_KERNEL;
}

static enum qpel_result init(struct qvk_device *d, const struct qpel_device *info,
                             const struct qvk_candidate *at, struct qvk_health *health,
                             char reason[QPEL_REASON_SIZE])
{
    memset(d, 0, sizeof *d);
    d->health = health;
    d->info = info;
    d->luma_runs = luma_runs(info->kind);
    d->at = *at;
    d->on = at->extensions;
    if (pthread_mutex_init(&d->queue_lock, NULL)) {
        qpel_reason_set(reason, "out of memory");
        return QPEL_ERROR_NOMEM;
    }
    return QPEL_OK;
}

/* The functions and the layout, of a device that is there. */
static enum qpel_result equip(struct qvk_device *d, const struct qvk_instance *instance,
                              char reason[QPEL_REASON_SIZE])
{
    if (!qvk_device_table(instance, d->handle, &d->vk)) {
        qpel_reason_set(reason, "driver failed: a function of Vulkan 1.0 is missing");
        return QPEL_ERROR_UNSUPPORTED;
    }
    check_extensions(d);
    VkDescriptorSetLayoutBinding binding = {
        .binding = 0,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .descriptorCount = 1,
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
    };
    VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = 1,
        .pBindings = &binding,
    };
    enum qpel_result r =
        QVK_CHECK_OPEN(d->health->log, reason,
                       d->vk.vkCreateDescriptorSetLayout(d->handle, &layout, NULL, &d->set_layout));
    if (r)
        d->set_layout = VK_NULL_HANDLE;
    return r;
}

/* Whether it can have been the extensions. */
static bool is_refusal(VkResult v)
{
    return v < 0 && v != VK_ERROR_OUT_OF_HOST_MEMORY && v != VK_ERROR_OUT_OF_DEVICE_MEMORY &&
           v != VK_ERROR_TOO_MANY_OBJECTS && v != VK_ERROR_DEVICE_LOST;
}

/* With the extensions that are on, or else with none: nothing needs them. */
static VkResult create_handle(struct qvk_device *d, const struct qvk_instance *instance,
                              VkDeviceCreateInfo *info)
{
    VkResult v = qvk_create_device(instance, d->at.handle, info, &d->handle);
    if (!is_refusal(v) || !info->enabledExtensionCount)
        return v;
    qpel_log_line(d->health->log, QPEL_LOG_WARNING,
                  "%s from vkCreateDevice(), once more without extensions", qvk_result_name(v));
    d->refused = v;
    d->on = (struct qvk_extensions){ .memory_fd = false };
    info->enabledExtensionCount = 0;
    return qvk_create_device(instance, d->at.handle, info, &d->handle);
}

enum qpel_result qvk_device_create(struct qvk_device *d, const struct qvk_instance *instance,
                                   const struct qpel_device *info, const struct qvk_candidate *at,
                                   struct qvk_health *health, char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = init(d, info, at, health, reason);
    if (r)
        return r;
    const char *names[QVK_EXTENSION_COUNT];
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = at->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = qvk_extensions_names(&d->on, names),
        .ppEnabledExtensionNames = names,
    };
    VkResult v = create_handle(d, instance, &create);
    r = qvk_check_open(health->log, reason, v, "vkCreateDevice()");
    if (r) {
        d->handle = VK_NULL_HANDLE;
        pthread_mutex_destroy(&d->queue_lock);
        return r;
    }
    d->owned = true;
    r = equip(d, instance, reason);
    if (r)
        qvk_device_close(d);
    else
        d->vk.vkGetDeviceQueue(d->handle, d->at.family, 0, &d->queue);
    return r;
}

static bool has_extension(const struct qpel_vulkan_params *on, const char *name)
{
    for (uint32_t i = 0; i < on->extension_count; i++)
        if (!strcmp(on->extensions[i], name))
            return true;
    return false;
}

/* Of instance and device the older one's version counts. */
static bool has_timelines(const struct qpel_vulkan_params *on, const struct qpel_device *info)
{
    uint32_t device = VK_MAKE_API_VERSION(0, info->api_version[0], info->api_version[1], 0);
    return (on->api_version >= VK_API_VERSION_1_2 && device >= VK_API_VERSION_1_2) ||
           has_extension(on, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME);
}

enum qpel_result qvk_device_adopt(struct qvk_device *d, const struct qvk_instance *instance,
                                  const struct qpel_device *info, const struct qvk_candidate *at,
                                  struct qvk_health *health, const struct qpel_vulkan_params *on,
                                  char reason[QPEL_REASON_SIZE])
{
    memset(d, 0, sizeof *d);
    if (on->timeline_semaphore && !has_timelines(on, info)) {
        qpel_reason_set(reason, "timeline_semaphore: needs Vulkan 1.2 or its extension");
        return QPEL_ERROR_INVALID;
    }
    enum qpel_result r = init(d, info, at, health, reason);
    if (r)
        return r;
    d->handle = on->device;
    d->queue = on->queue;
    d->lock_queue = on->lock_queue;
    d->unlock_queue = on->unlock_queue;
    d->lock_user = on->user;
    d->timelines = on->timeline_semaphore;
    r = equip(d, instance, reason);
    if (r)
        qvk_device_close(d);
    return r;
}

void qvk_device_close(struct qvk_device *d)
{
    if (!d->handle)
        return;
    if (d->set_layout)
        d->vk.vkDestroyDescriptorSetLayout(d->handle, d->set_layout, NULL);
    if (d->owned)
        qvk_destroy_device(&d->vk, d->handle);
    pthread_mutex_destroy(&d->queue_lock);
    memset(d, 0, sizeof *d);
}
