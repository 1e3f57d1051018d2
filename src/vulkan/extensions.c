#include "extensions.h"

#include <string.h>

void qvk_extensions_add(struct qvk_extensions *e, const char *name)
{
#define ADD(member, its_name)                                                                      \
    if (!strcmp(name, its_name))                                                                   \
        e->member = true;
    QVK_EXTENSIONS(ADD)
#undef ADD
}

uint32_t qvk_extensions_names(const struct qvk_extensions *e,
                              const char *names[QVK_EXTENSION_COUNT])
{
    uint32_t count = 0;
#define NAME(member, its_name)                                                                     \
    if (e->member)                                                                                 \
        names[count++] = its_name;
    QVK_EXTENSIONS(NAME)
#undef NAME
    return count;
}

static VkExternalMemoryFeatureFlags buffers_of(const struct qvk_instance *instance,
                                               VkPhysicalDevice device,
                                               VkExternalMemoryHandleTypeFlagBits type)
{
    VkPhysicalDeviceExternalBufferInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .usage = QVK_BUFFER_USAGE,
        .handleType = type,
    };
    VkExternalBufferProperties answer = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES,
    };
    instance->GetPhysicalDeviceExternalBufferProperties(device, &info, &answer);
    return answer.externalMemoryProperties.externalMemoryFeatures;
}

static VkDeviceSize host_alignment(const struct qvk_instance *instance, VkPhysicalDevice device)
{
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT,
    };
    VkPhysicalDeviceProperties2 all = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &host,
    };
    instance->GetPhysicalDeviceProperties2(device, &all);
    return host.minImportedHostPointerAlignment;
}

static bool exports_sync_fd(const struct qvk_instance *instance, VkPhysicalDevice device)
{
    VkPhysicalDeviceExternalSemaphoreInfo info = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_SEMAPHORE_INFO,
        .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
    };
    VkExternalSemaphoreProperties answer = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_SEMAPHORE_PROPERTIES,
    };
    instance->GetPhysicalDeviceExternalSemaphoreProperties(device, &info, &answer);
    return answer.externalSemaphoreFeatures & VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT;
}

void qvk_sharing_ask(struct qvk_sharing *s, const struct qvk_instance *instance,
                     VkPhysicalDevice device, const struct qvk_extensions *offered)
{
    *s = (struct qvk_sharing){ .host_alignment = 0 };
    if (offered->memory_fd && offered->dma_buf)
        s->dma_buf = buffers_of(instance, device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT);
    if (offered->memory_host) {
        s->host =
            buffers_of(instance, device, VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT);
        s->host_alignment = host_alignment(instance, device);
    }
    s->sync_fd = offered->semaphore_fd && exports_sync_fd(instance, device);
}
