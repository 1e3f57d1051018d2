/* Memory of other kinds, and the ranges of it that are bound. */
#define _GNU_SOURCE /* aligned_alloc() */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mock_internal.h"

#define LOCAL    VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT
#define VISIBLE  VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT
#define COHERENT VK_MEMORY_PROPERTY_HOST_COHERENT_BIT
#define CACHED   VK_MEMORY_PROPERTY_HOST_CACHED_BIT

static const VkMemoryPropertyFlags memory_types[][4] = {
    [MOCK_MEMORY_V3D] = { LOCAL | VISIBLE | COHERENT },
    [MOCK_MEMORY_NOT_COHERENT] = { LOCAL | VISIBLE | CACHED },
    [MOCK_MEMORY_SPLIT] = { LOCAL, VISIBLE | COHERENT, VISIBLE | COHERENT | CACHED },
    [MOCK_MEMORY_INVISIBLE] = { LOCAL },
};

static uint32_t type_count(enum mock_memory memory)
{
    uint32_t n = 0;

    while (memory_types[memory][n])
        n++;
    return n;
}

VKAPI_ATTR void VKAPI_CALL
mock_GetPhysicalDeviceMemoryProperties(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties *p)
{
    enum mock_memory memory = mock_device_of(device)->memory;

    REAL(GetPhysicalDeviceMemoryProperties)(mock_real_device(), p);
    if (memory == MOCK_MEMORY_REAL)
        return;
    p->memoryTypeCount = type_count(memory);
    for (uint32_t i = 0; i < p->memoryTypeCount; i++)
        p->memoryTypes[i] = (VkMemoryType){ memory_types[memory][i], 0 };
}

VKAPI_ATTR void VKAPI_CALL mock_GetBufferMemoryRequirements(VkDevice device, VkBuffer buffer,
                                                            VkMemoryRequirements *needs)
{
    REAL(GetBufferMemoryRequirements)(device, buffer, needs);
    if (mock_taken->memory != MOCK_MEMORY_REAL)
        needs->memoryTypeBits = (1u << type_count(mock_taken->memory)) - 1;
}

/* Of memory that is not coherent the CPU gets a copy, which flushes and invalidates carry. */
struct allocation {
    VkDeviceMemory memory;
    VkDeviceSize size;
    uint8_t *mapped, *copy;
    VkMemoryPropertyFlags flags;
    struct mock_file file;
};
static struct allocation allocations[4096];

static struct allocation *find_allocation(VkDeviceMemory memory)
{
    for (size_t i = 0; i < sizeof allocations / sizeof *allocations; i++)
        if (allocations[i].memory == memory)
            return &allocations[i];
    abort();
}

VKAPI_ATTR VkResult VKAPI_CALL mock_AllocateMemory(VkDevice device,
                                                   const VkMemoryAllocateInfo *info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkDeviceMemory *out)
{
    VkMemoryAllocateInfo real = *info;
    VkImportMemoryHostPointerInfoEXT host;
    struct mock_file file = { .fd = -1 };
    VkResult r = mock_step("vkAllocateMemory");

    if (mock_taken->memory != MOCK_MEMORY_REAL)
        real.memoryTypeIndex = 0; /* a software device has one */
    r = r ? r : mock_file_open(&file, &real, &host);
    r = r ? r : REAL(AllocateMemory)(device, &real, allocator, out);
    if (r) {
        mock_file_close(&file);
        return r;
    }
    /* A descriptor that is imported is Vulkan's from then on. */
    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR)
            close(((const VkImportMemoryFdInfoKHR *)s)->fd);
    struct allocation *a = find_allocation(VK_NULL_HANDLE);
    *a = (struct allocation){ .memory = *out, .size = info->allocationSize, .file = file };
    a->flags = mock_taken->memory == MOCK_MEMORY_REAL
                   ? VISIBLE | COHERENT
                   : memory_types[mock_taken->memory][info->memoryTypeIndex];
    mock.live++;
    return r;
}

VKAPI_ATTR void VKAPI_CALL mock_FreeMemory(VkDevice device, VkDeviceMemory memory,
                                           const VkAllocationCallbacks *allocator)
{
    if (memory) {
        struct allocation *a = find_allocation(memory);
        struct mock_file file = a->file;
        free(a->copy);
        *a = (struct allocation){ 0 };
        mock.live--;
        REAL(FreeMemory)(device, memory, allocator);
        mock_file_close(&file);
    }
}

const struct mock_file *mock_file_of(VkDeviceMemory memory)
{
    const struct mock_file *file = &find_allocation(memory)->file;

    return file->data ? file : NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL mock_MapMemory(VkDevice device, VkDeviceMemory memory,
                                              VkDeviceSize offset, VkDeviceSize size,
                                              VkMemoryMapFlags flags, void **data)
{
    struct allocation *a = find_allocation(memory);
    VkResult r = mock_step("vkMapMemory");

    if (!(a->flags & VISIBLE))
        mock_violation("invisible memory is mapped");
    if (offset || size != VK_WHOLE_SIZE)
        abort(); /* not needed so far */
    r = r ? r : REAL(MapMemory)(device, memory, offset, size, flags, data);
    if (r || a->flags & COHERENT)
        return r;
    a->mapped = *data;
    a->copy = aligned_alloc(4096, ((size_t)a->size + 4095) / 4096 * 4096);
    if (!a->copy)
        return VK_ERROR_MEMORY_MAP_FAILED;
    memset(a->copy, 0xee, (size_t)a->size);
    *data = a->copy;
    return r;
}

/* Ranges must be whole atoms, or reach the end. */
static void carry(uint32_t count, const VkMappedMemoryRange *ranges, bool to_device)
{
    for (uint32_t i = 0; i < count; i++) {
        struct allocation *a = find_allocation(ranges[i].memory);
        VkDeviceSize first = ranges[i].offset, size = ranges[i].size;
        if (size == VK_WHOLE_SIZE)
            size = a->size - first;
        if (first % 256 || (size % 256 && first + size != a->size) || first + size > a->size)
            mock_violation("a range that is not whole atoms, or outside its memory");
        else if (a->copy)
            memcpy((to_device ? a->mapped : a->copy) + first,
                   (to_device ? a->copy : a->mapped) + first, (size_t)size);
    }
}

VKAPI_ATTR VkResult VKAPI_CALL mock_FlushMappedMemoryRanges(VkDevice device, uint32_t count,
                                                            const VkMappedMemoryRange *ranges)
{
    (void)device;
    VkResult r = mock_step("vkFlushMappedMemoryRanges");
    if (!r)
        carry(count, ranges, true);
    return r;
}

VKAPI_ATTR VkResult VKAPI_CALL mock_InvalidateMappedMemoryRanges(VkDevice device, uint32_t count,
                                                                 const VkMappedMemoryRange *ranges)
{
    (void)device;
    VkResult r = mock_step("vkInvalidateMappedMemoryRanges");
    if (!r)
        carry(count, ranges, false);
    return r;
}

/* ---- buffers and their ranges ---- */

struct made_buffer {
    VkBuffer buffer;
    VkDeviceSize size;
};
static struct made_buffer made_buffers[4096];

VKAPI_ATTR VkResult VKAPI_CALL mock_CreateBuffer(VkDevice device, const VkBufferCreateInfo *info,
                                                 const VkAllocationCallbacks *allocator,
                                                 VkBuffer *out)
{
    static size_t next;
    VkResult r = mock_step("vkCreateBuffer");

    VkExternalMemoryBufferCreateInfo host = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT,
    };
    VkBufferCreateInfo real = *info;
    real.pNext = info->pNext ? &host : NULL; /* what it is for, see mock_external.c */
    r = r ? r : REAL(CreateBuffer)(device, &real, allocator, out);
    if (!r) {
        made_buffers[next++ % (sizeof made_buffers / sizeof *made_buffers)] =
            (struct made_buffer){ *out, info->size };
        mock.live++;
    }
    return r;
}

static VkDeviceSize size_of_buffer(VkBuffer buffer)
{
    VkDeviceSize size = 0;

    for (size_t i = 0; i < sizeof made_buffers / sizeof *made_buffers; i++)
        if (made_buffers[i].buffer == buffer)
            size = made_buffers[i].size; /* an old one of the same handle may be there too */
    return size;
}

VKAPI_ATTR void VKAPI_CALL mock_UpdateDescriptorSets(VkDevice device, uint32_t count,
                                                     const VkWriteDescriptorSet *writes,
                                                     uint32_t copy_count,
                                                     const VkCopyDescriptorSet *copies)
{
    mock.updates++;
    for (uint32_t i = 0; i < count && mock_taken->max_storage_range; i++) {
        const VkDescriptorBufferInfo *b = writes[i].pBufferInfo;
        VkDeviceSize range =
            b->range == VK_WHOLE_SIZE ? size_of_buffer(b->buffer) - b->offset : b->range;
        if (range > mock_taken->max_storage_range)
            mock_violation("a range beyond maxStorageBufferRange");
    }
    REAL(UpdateDescriptorSets)(device, count, writes, copy_count, copies);
}
