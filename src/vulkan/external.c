/* F_DUPFD_CLOEXEC */
#define _POSIX_C_SOURCE 200809L
#include "external.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define DMA_BUF VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT
#define HOST    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

/* What a driver says of memory that is not its own is no fault of the device. */
static enum qpel_result judge(struct qvk_device *d, VkResult v, const char *call,
                              char reason[QPEL_REASON_SIZE])
{
    if (v == VK_SUCCESS)
        return QPEL_OK;
    qpel_reason_set(reason, "%s from %s", qvk_result_name(v), call);
    if (v == VK_ERROR_DEVICE_LOST)
        return qvk_check(d->health, v, call);
    return v == VK_ERROR_OUT_OF_HOST_MEMORY || v == VK_ERROR_OUT_OF_DEVICE_MEMORY ||
                   v == VK_ERROR_TOO_MANY_OBJECTS
               ? QPEL_ERROR_NOMEM
               : QPEL_ERROR_UNSUPPORTED;
}

static enum qpel_result refuse(char reason[QPEL_REASON_SIZE], const char *why)
{
    qpel_reason_set(reason, "%s", why);
    return QPEL_ERROR_UNSUPPORTED;
}

/* The imported memory, as part of VkMemoryAllocateInfo. */
struct import {
    const void *next;
    VkDeviceSize size;
    uint32_t types; /* memory types that it can be, a bit each */
    bool dedicated; /* must be the buffer's alone */
};

static int first_type(const struct qvk_device *d, uint32_t bits, VkMemoryPropertyFlags wanted)
{
    for (uint32_t i = 0; i < d->at.memory.memoryTypeCount; i++)
        if (bits >> i & 1 && (d->at.memory.memoryTypes[i].propertyFlags & wanted) == wanted)
            return (int)i;
    return -1;
}

/* The memory of a buffer that has a handle. `wanted`: what its type must be. */
static enum qpel_result import_memory(struct qvk_device *d, struct gpu_buffer *b,
                                      const struct import *import, VkMemoryPropertyFlags wanted,
                                      char reason[QPEL_REASON_SIZE])
{
    VkMemoryRequirements needs;
    d->vk.vkGetBufferMemoryRequirements(d->handle, b->handle, &needs);
    if (needs.size > import->size) {
        qpel_reason_set(reason, "the device needs %" PRIu64 " bytes for a buffer of %" PRIu64,
                        (uint64_t)needs.size, (uint64_t)import->size);
        return QPEL_ERROR_UNSUPPORTED;
    }
    int type = first_type(d, needs.memoryTypeBits & import->types, wanted);
    if (type < 0)
        return refuse(reason, "the device can't use such memory for buffers");
    VkMemoryDedicatedAllocateInfo alone = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .pNext = import->next,
        .buffer = b->handle,
    };
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .pNext = import->dedicated ? &alone : import->next,
        .allocationSize = import->dedicated ? needs.size : import->size,
        .memoryTypeIndex = (uint32_t)type,
    };
    VkResult v = d->vk.vkAllocateMemory(d->handle, &info, NULL, &b->memory);
    if (v) {
        b->memory = VK_NULL_HANDLE;
        return judge(d, v, "vkAllocateMemory", reason);
    }
    b->allocated = info.allocationSize;
    return judge(d, d->vk.vkBindBufferMemory(d->handle, b->handle, b->memory, 0),
                 "vkBindBufferMemory", reason);
}

/* A buffer of `size` bytes at `data`, with a handle. The CPU's side is seen to by others. */
static enum qpel_result open_buffer(struct qvk_device *d, void *data, size_t size,
                                    VkExternalMemoryHandleTypeFlagBits type,
                                    struct gpu_buffer **out, char reason[QPEL_REASON_SIZE])
{
    *out = NULL;
    if (size > d->at.max_allocation)
        return refuse(reason, "larger than this device's maxMemoryAllocationSize");
    struct gpu_buffer *b = calloc(1, sizeof *b);
    enum qpel_result r = b ? QPEL_OK : QPEL_ERROR_NOMEM;
    if (b) {
        b->data = data;
        b->size = size;
        b->coherent = b->cached = true;
        r = qvk_buffer_make_handle(d, b, type);
    }
    if (r) {
        qpel_reason_set(reason, "no buffer for the memory: %s", qpel_result_name(r));
        free(b);
        return r;
    }
    *out = b;
    return QPEL_OK;
}

/* The last step: *out is destroyed where r, or this one, has failed. */
static enum qpel_result close_buffer(struct qvk_device *d, enum qpel_result r,
                                     struct gpu_buffer **out, char reason[QPEL_REASON_SIZE])
{
    if (!r) {
        r = qvk_buffer_make_set(d, *out);
        if (r)
            qpel_reason_set(reason, "no descriptor set: %s", qpel_result_name(r));
    }
    if (r) {
        qvk_buffer_destroy(d, *out);
        *out = NULL;
    }
    return r;
}

/* ---- dma-bufs ---- */

/* Whether a buffer's memory must be its alone. */
static bool wants_dedicated(struct qvk_device *d, const struct gpu_buffer *b)
{
    VkBufferMemoryRequirementsInfo2 info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_REQUIREMENTS_INFO_2,
        .buffer = b->handle,
    };
    VkMemoryDedicatedRequirements dedicated = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_REQUIREMENTS,
    };
    VkMemoryRequirements2 needs = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_REQUIREMENTS_2,
        .pNext = &dedicated,
    };
    d->vk.vkGetBufferMemoryRequirements2(d->handle, &info, &needs);
    return dedicated.requiresDedicatedAllocation ||
           d->at.sharing.dma_buf & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
}

static enum qpel_result import_dmabuf(struct qvk_device *d, struct gpu_buffer *b, int fd,
                                      char reason[QPEL_REASON_SIZE])
{
    VkMemoryFdPropertiesKHR properties = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_FD_PROPERTIES_KHR,
    };
    enum qpel_result r =
        judge(d, d->vk.vkGetMemoryFdPropertiesKHR(d->handle, DMA_BUF, fd, &properties),
              "vkGetMemoryFdPropertiesKHR", reason);
    if (r)
        return r;
    /* One that is imported is Vulkan's from then on. */
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0) {
        qpel_reason_set(reason, "there are too many descriptors");
        return QPEL_ERROR_NOMEM;
    }
    VkImportMemoryFdInfoKHR with = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR,
        .handleType = DMA_BUF,
        .fd = own,
    };
    struct import import = {
        .next = &with,
        .size = b->size,
        .types = properties.memoryTypeBits,
        .dedicated = wants_dedicated(d, b),
    };
    r = import_memory(d, b, &import, 0, reason);
    if (!b->memory)
        close(own);
    return r;
}

enum qpel_result qvk_buffer_import_dmabuf(struct qvk_device *d, int fd, size_t size, void *data,
                                          struct gpu_buffer **out, char reason[QPEL_REASON_SIZE])
{
    *out = NULL;
    if (!d->on.dma_buf || !(d->at.sharing.dma_buf & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT))
        return refuse(reason, "the device imports no dma-bufs");
    enum qpel_result r = open_buffer(d, data, size, DMA_BUF, out, reason);
    if (r)
        return r;
    (*out)->foreign = true;
    return close_buffer(d, import_dmabuf(d, *out, fd, reason), out, reason);
}

enum qpel_result qvk_check_export(const struct qvk_device *d, char reason[QPEL_REASON_SIZE])
{
    if (!d->on.dma_buf || !(d->at.sharing.dma_buf & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT))
        return refuse(reason, "the device exports no dma-bufs");
    return QPEL_OK;
}

enum qpel_result qvk_buffer_export(struct qvk_device *d, const struct gpu_buffer *b, int *fd,
                                   char reason[QPEL_REASON_SIZE])
{
    VkMemoryGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_GET_FD_INFO_KHR,
        .memory = b->memory,
        .handleType = DMA_BUF,
    };
    return judge(d, d->vk.vkGetMemoryFdKHR(d->handle, &info, fd), "vkGetMemoryFdKHR", reason);
}

/* ---- the CPU's own memory ---- */

static enum qpel_result import_host(struct qvk_device *d, struct gpu_buffer *b,
                                    char reason[QPEL_REASON_SIZE])
{
    VkMemoryHostPointerPropertiesEXT properties = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_HOST_POINTER_PROPERTIES_EXT,
    };
    enum qpel_result r =
        judge(d, d->vk.vkGetMemoryHostPointerPropertiesEXT(d->handle, HOST, b->data, &properties),
              "vkGetMemoryHostPointerPropertiesEXT", reason);
    if (r)
        return r;
    VkImportMemoryHostPointerInfoEXT with = {
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = HOST,
        .pHostPointer = b->data,
    };
    struct import import = {
        .next = &with,
        .size = b->size,
        .types = properties.memoryTypeBits,
    };
    /* Of other memory the CPU's side would have to be mapped, and tended to. */
    return import_memory(d, b, &import, VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, reason);
}

enum qpel_result qvk_buffer_import_host(struct qvk_device *d, void *base, size_t size,
                                        struct gpu_buffer **out, char reason[QPEL_REASON_SIZE])
{
    *out = NULL;
    VkDeviceSize unit = d->at.sharing.host_alignment;
    const VkExternalMemoryFeatureFlags features = d->at.sharing.host;
    if (!d->on.memory_host || !unit || !(features & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) ||
        features & VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT)
        return refuse(reason, "the device does not reach the caller's memory");
    if ((uintptr_t)base % unit || size % unit) {
        qpel_reason_set(reason, "base or size of the memory is no multiple of %" PRIu64 " bytes",
                        (uint64_t)unit);
        return QPEL_ERROR_UNSUPPORTED;
    }
    enum qpel_result r = open_buffer(d, base, size, HOST, out, reason);
    return r ? r : close_buffer(d, import_host(d, *out, reason), out, reason);
}
