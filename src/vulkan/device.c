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

/* Takes a device that exists already into use. */
static enum qpel_result adopt(struct qvk_device *d, const struct qvk_instance *instance,
                              char reason[QPEL_REASON_SIZE])
{
    if (!qvk_device_table(instance, d->handle, &d->vk)) {
        qpel_reason_set(reason, "driver failed: a function of Vulkan 1.0 is missing");
        return QPEL_ERROR_UNSUPPORTED;
    }
    check_extensions(d);
    d->vk.vkGetDeviceQueue(d->handle, d->at.family, 0, &d->queue);
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
    return QVK_CHECK_OPEN(
        d->health->log, reason,
        d->vk.vkCreateDescriptorSetLayout(d->handle, &layout, NULL, &d->set_layout));
}

enum qpel_result qvk_device_create(struct qvk_device *d, const struct qvk_instance *instance,
                                   const struct qpel_device *info, const struct qvk_candidate *at,
                                   struct qvk_health *health, char reason[QPEL_REASON_SIZE])
{
    memset(d, 0, sizeof *d);
    d->health = health;
    d->info = info;
    d->at = *at;
    d->on = at->extensions;
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
    if (pthread_mutex_init(&d->queue_lock, NULL)) {
        qpel_reason_set(reason, "out of memory");
        return QPEL_ERROR_NOMEM;
    }
    VkResult v = qvk_create_device(instance, at->handle, &create, &d->handle);
    enum qpel_result r = qvk_check_open(health->log, reason, v, "vkCreateDevice()");
    if (r) {
        d->handle = VK_NULL_HANDLE;
        pthread_mutex_destroy(&d->queue_lock);
        return r;
    }
    d->owned = true;
    r = adopt(d, instance, reason);
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
