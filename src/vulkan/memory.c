/* MAP_ANONYMOUS */
#define _GNU_SOURCE
#include "memory.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* Of a buffer that grows with its load. */
#define FIRST_SIZE ((size_t)64 << 10)

/* ---- the policy ---- */

/* How well a type of memory serves a use; 0: not at all.
 *
 * The CPU must reach it. What the CPU reads should be cached, unless the GPU comes first: reading
 * write-combined memory is tens of times slower (a 1080p plane on an H200: 78 ms against 0.2). What
 * it only writes should lie with the GPU, where that has a memory of its own (a staged 1080p
 * dispatch there: 0.46 ms against 0.78 from the CPU's memory). On V3D all this is idle, there is
 * but one type (device-local, coherent, write-combined). Types with flags beyond the five of Vulkan
 * 1.0 need features that we don't enable. */
static unsigned suitability(VkMemoryPropertyFlags flags, enum qvk_use use)
{
    const VkMemoryPropertyFlags known =
        VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT |
        VK_MEMORY_PROPERTY_HOST_COHERENT_BIT | VK_MEMORY_PROPERTY_HOST_CACHED_BIT |
        VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT;
    if (!(flags & VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT) || flags & ~known)
        return 0;
    unsigned local = !!(flags & VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    unsigned coherent = !!(flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT);
    unsigned cached = !!(flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT);
    if (use == QVK_NEAR_GPU)
        return 1 + 8 * local + 4 * cached + 2 * coherent;
    if (use == QVK_UPLOAD)
        return 1 + 4 * local + 2 * coherent + !cached;
    return 1 + 4 * cached + 2 * coherent + local;
}

/* The best type among those in `bits`; -1: none. */
static int next_type(const struct qvk_device *d, uint32_t bits, enum qvk_use use)
{
    unsigned best = 0;
    int type = -1;
    for (uint32_t i = 0; i < d->at.memory.memoryTypeCount; i++) {
        unsigned s = suitability(d->at.memory.memoryTypes[i].propertyFlags, use);
        if (bits >> i & 1 && s > best) {
            best = s;
            type = (int)i;
        }
    }
    return type;
}

/* ---- a buffer ---- */

/* From the best type of memory that has room: on a desktop, memory that is the GPU's and the CPU
 * reaches may be as small as 256 MiB. */
static enum qpel_result allocate(struct qvk_device *d, struct gpu_buffer *b, enum qvk_use use,
                                 bool exported)
{
    /* Some drivers want memory that is exported to be of one buffer alone, and all allow it. */
    VkMemoryDedicatedAllocateInfo alone = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO,
        .buffer = b->handle,
    };
    VkExportMemoryAllocateInfo export = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO,
        .pNext = &alone,
        .handleTypes = VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT,
    };
    VkMemoryRequirements needs;
    d->vk.vkGetBufferMemoryRequirements(d->handle, b->handle, &needs);
    /* Whole atoms, so that ranges rounded to atoms lie inside. */
    b->allocated = (needs.size + d->at.atom - 1) / d->at.atom * d->at.atom;
    if (exported)
        b->allocated = needs.size; /* a dedicated one is no larger; its buffer is whole atoms */
    uint32_t bits = needs.memoryTypeBits;
    VkResult v = VK_ERROR_OUT_OF_DEVICE_MEMORY;
    int type;
    while ((type = next_type(d, bits, use)) >= 0) {
        VkMemoryAllocateInfo info = {
            .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
            .pNext = exported ? &export : NULL,
            .allocationSize = b->allocated,
            .memoryTypeIndex = (uint32_t)type,
        };
        v = d->vk.vkAllocateMemory(d->handle, &info, NULL, &b->memory);
        if (v != VK_ERROR_OUT_OF_DEVICE_MEMORY && v != VK_ERROR_OUT_OF_HOST_MEMORY)
            break;
        b->memory = VK_NULL_HANDLE;
        bits &= ~((uint32_t)1 << type);
    }
    enum qpel_result r = qvk_check(d->health, v, "vkAllocateMemory()");
    if (r) {
        b->memory = VK_NULL_HANDLE;
        return r;
    }
    VkMemoryPropertyFlags flags = d->at.memory.memoryTypes[type].propertyFlags;
    b->coherent = flags & VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    b->cached = flags & VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    r = QVK_CHECK(d->health, d->vk.vkBindBufferMemory(d->handle, b->handle, b->memory, 0));
    if (!r)
        r = QVK_CHECK(d->health,
                      d->vk.vkMapMemory(d->handle, b->memory, 0, VK_WHOLE_SIZE, 0, &b->data));
    return r;
}

/* A pool for each set needs no lock and never fragments; buffers are few. */
enum qpel_result qvk_buffer_make_set(struct qvk_device *d, struct gpu_buffer *b)
{
    if (b->size > d->info->max_storage_range)
        return QPEL_OK;
    VkDescriptorPoolSize one = {
        .type = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .descriptorCount = 1,
    };
    VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 1,
        .pPoolSizes = &one,
    };
    enum qpel_result r =
        QVK_CHECK(d->health, d->vk.vkCreateDescriptorPool(d->handle, &pool, NULL, &b->pool));
    if (r) {
        b->pool = VK_NULL_HANDLE;
        return r;
    }
    VkDescriptorSetAllocateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = b->pool,
        .descriptorSetCount = 1,
        .pSetLayouts = &d->set_layout,
    };
    r = QVK_CHECK(d->health, d->vk.vkAllocateDescriptorSets(d->handle, &set, &b->set));
    if (r)
        return r;
    VkDescriptorBufferInfo whole = { .buffer = b->handle, .offset = b->first, .range = b->size };
    VkWriteDescriptorSet write = {
        .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
        .dstSet = b->set,
        .descriptorCount = 1,
        .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
        .pBufferInfo = &whole,
    };
    d->vk.vkUpdateDescriptorSets(d->handle, 1, &write, 0, NULL);
    return QPEL_OK;
}

enum qpel_result qvk_buffer_make_handle(struct qvk_device *d, struct gpu_buffer *b,
                                        VkExternalMemoryHandleTypeFlags shared)
{
    VkExternalMemoryBufferCreateInfo external = {
        .sType = VK_STRUCTURE_TYPE_EXTERNAL_MEMORY_BUFFER_CREATE_INFO,
        .handleTypes = shared,
    };
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .pNext = shared ? &external : NULL,
        .size = b->size,
        .usage = QVK_BUFFER_USAGE,
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    enum qpel_result r =
        QVK_CHECK(d->health, d->vk.vkCreateBuffer(d->handle, &info, NULL, &b->handle));
    if (r)
        b->handle = VK_NULL_HANDLE;
    return r;
}

static enum qpel_result make(struct qvk_device *d, struct gpu_buffer *b, enum qvk_use use,
                             bool exported)
{
    enum qpel_result r =
        qvk_buffer_make_handle(d, b, exported ? VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT : 0);
    if (!r)
        r = allocate(d, b, use, exported);
    if (!r)
        r = qvk_buffer_make_set(d, b);
    if (r)
        return r;
    memset(b->data, 0, (size_t)b->size);
    return qvk_buffer_flush(d, b, 0, b->size);
}

static enum qpel_result create(struct qvk_device *d, size_t size, enum qvk_use use, bool exported,
                               struct gpu_buffer **out)
{
    *out = NULL;
    if (size > d->at.max_allocation || size > SIZE_MAX - QVK_EXTRA)
        return QPEL_ERROR_NOMEM;
    struct gpu_buffer *b = calloc(1, sizeof *b);
    if (!b)
        return QPEL_ERROR_NOMEM;
    b->foreign = exported;
    VkDeviceSize unit = exported && d->at.atom > QVK_ALIGNMENT ? d->at.atom : QVK_ALIGNMENT;
    b->size = (size + QVK_PADDING + unit - 1) / unit * unit;
    enum qpel_result r = make(d, b, use, exported);
    if (r)
        qvk_buffer_destroy(d, b);
    else
        *out = b;
    return r;
}

enum qpel_result qvk_buffer_create(struct qvk_device *d, size_t size, enum qvk_use use,
                                   struct gpu_buffer **out)
{
    return create(d, size, use, false, out);
}

enum qpel_result qvk_buffer_create_exported(struct qvk_device *d, size_t size, enum qvk_use use,
                                            struct gpu_buffer **out)
{
    return create(d, size, use, true, out);
}

enum qpel_result qvk_buffer_adopt(struct qvk_device *d, VkBuffer handle, VkDeviceSize first,
                                  size_t size, void *data, struct gpu_buffer **out)
{
    *out = NULL;
    struct gpu_buffer *b = calloc(1, sizeof *b);
    if (!b)
        return QPEL_ERROR_NOMEM;
    b->handle = handle;
    b->callers = true;
    b->first = first;
    b->size = size;
    b->data = data;
    b->coherent = true;
    enum qpel_result r = QPEL_OK;
    if (!data) {
        void *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        b->data = b->reserved = p == MAP_FAILED ? NULL : p;
        r = b->data ? QPEL_OK : QPEL_ERROR_NOMEM;
    }
    if (!r)
        r = qvk_buffer_make_set(d, b);
    if (r)
        qvk_buffer_destroy(d, b);
    else
        *out = b;
    return r;
}

enum qpel_result qvk_buffer_reserve(struct qvk_device *d, struct gpu_buffer **buffer, size_t size,
                                    enum qvk_use use)
{
    struct gpu_buffer *old = *buffer;
    if (old && old->size >= size + QVK_PADDING)
        return QPEL_OK;
    size_t wanted = FIRST_SIZE;
    while (wanted < size && wanted <= SIZE_MAX / 4)
        wanted *= 2;
    uint64_t most = d->info->max_storage_range;
    if (wanted < size || wanted + QVK_EXTRA > most)
        wanted = size;
    qvk_buffer_destroy(d, old);
    *buffer = NULL;
    return qvk_buffer_create(d, wanted, use, buffer);
}

void qvk_buffer_destroy(struct qvk_device *d, struct gpu_buffer *b)
{
    if (!b)
        return;
    if (b->pool)
        d->vk.vkDestroyDescriptorPool(d->handle, b->pool, NULL);
    if (b->handle && !b->callers)
        d->vk.vkDestroyBuffer(d->handle, b->handle, NULL);
    if (b->reserved)
        munmap(b->reserved, (size_t)b->size);
    if (b->memory)
        d->vk.vkFreeMemory(d->handle, b->memory, NULL);
    free(b);
}

/* ---- memory that is not coherent ---- */

static VkMappedMemoryRange atoms(const struct qvk_device *d, const struct gpu_buffer *b,
                                 VkDeviceSize offset, VkDeviceSize size)
{
    VkDeviceSize first = offset / d->at.atom * d->at.atom;
    VkDeviceSize end = (offset + size + d->at.atom - 1) / d->at.atom * d->at.atom;
    return (VkMappedMemoryRange){
        .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
        .memory = b->memory,
        .offset = first,
        .size = end - first,
    };
}

enum qpel_result qvk_buffer_flush(struct qvk_device *d, struct gpu_buffer *b, VkDeviceSize offset,
                                  VkDeviceSize size)
{
    if (b->coherent || !size)
        return QPEL_OK;
    VkMappedMemoryRange range = atoms(d, b, offset, size);
    return QVK_CHECK(d->health, d->vk.vkFlushMappedMemoryRanges(d->handle, 1, &range));
}

enum qpel_result qvk_buffer_invalidate(struct qvk_device *d, struct gpu_buffer *b,
                                       VkDeviceSize offset, VkDeviceSize size)
{
    if (b->coherent || !size)
        return QPEL_OK;
    VkMappedMemoryRange range = atoms(d, b, offset, size);
    return QVK_CHECK(d->health, d->vk.vkInvalidateMappedMemoryRanges(d->handle, 1, &range));
}
