/* Opens a device from below: the library's vkQueueSubmit() is replaced by one that also takes the
 * time, and a second device is made on the same hardware. */
#include "door_vulkan.h"

#include <stdlib.h>
#include <string.h>

#include "context.h"

#define WAIT_NS UINT64_C(10000000000)

/* ---- the library's ---- */

/* What the functions below belong to: they are told nothing but Vulkan's handles. */
static struct door_device *stamped;

static VKAPI_ATTR VkResult VKAPI_CALL submit_stamped(VkQueue queue, uint32_t count,
                                                     const VkSubmitInfo *infos, VkFence fence)
{
    stamped->queued_at = measure_now();
    return stamped->library_submit(queue, count, infos, fence);
}

static void open_library(struct door_device *d)
{
    struct VolkDeviceTable *vk = &d->gpu->device.vk;

    d->library_submit = vk->vkQueueSubmit;
    stamped = d;
    vk->vkQueueSubmit = submit_stamped;
}

static void close_library(struct door_device *d)
{
    if (!d->library_submit)
        return;
    d->gpu->device.vk.vkQueueSubmit = d->library_submit;
    stamped = NULL;
}

double door_device_queued_at(const struct door_device *d)
{
    return d->queued_at;
}

/* ---- our own ---- */

static bool make_stamps(struct door_device *d)
{
    const VkQueryPoolCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = STAMP_COUNT,
    };

    return !d->timestamps || !d->vk.vkCreateQueryPool(d->handle, &info, NULL, &d->stamps);
}

/* 0 where there is none. */
static double gpu_seconds(const struct door_device *d)
{
    const uint32_t bits = d->at->timestamp_bits;
    const uint64_t mask = bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
    uint64_t at[STAMP_COUNT] = { 0 };

    if (!d->timestamps ||
        d->vk.vkGetQueryPoolResults(d->handle, d->stamps, 0, STAMP_COUNT, sizeof at, at, sizeof *at,
                                    VK_QUERY_RESULT_64_BIT))
        return 0;
    return (double)((at[STAMP_END] - at[STAMP_BEGIN]) & mask) * d->at->tick_seconds;
}

static bool has_extension(struct door_device *d, const char *name)
{
    const struct qvk_instance *instance = &d->gpu->instance;
    VkExtensionProperties *all = NULL;
    uint32_t count = 0;
    bool found = false;

    if (!instance->EnumerateDeviceExtensionProperties(d->at->handle, NULL, &count, NULL))
        all = malloc((count + 1) * sizeof(*all));
    if (all && !instance->EnumerateDeviceExtensionProperties(d->at->handle, NULL, &count, all))
        for (uint32_t i = 0; i < count; i++)
            found |= !strcmp(all[i].extensionName, name);
    free(all);
    return found;
}

/* The baseline wants single bytes; without them it is not run. */
static void ask_for_bytes(struct door_device *d, VkPhysicalDevice8BitStorageFeaturesKHR *bytes)
{
    const struct qvk_instance *instance = &d->gpu->instance;
    PFN_vkGetPhysicalDeviceFeatures2 get = (PFN_vkGetPhysicalDeviceFeatures2)instance->get_proc(
        instance->handle, "vkGetPhysicalDeviceFeatures2");
    VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = bytes,
    };

    if (get && has_extension(d, VK_KHR_8BIT_STORAGE_EXTENSION_NAME))
        get(d->at->handle, &features);
    d->bytes = bytes->storageBuffer8BitAccess;
}

static bool create(struct door_device *d)
{
    static const char *const extensions[] = { VK_KHR_8BIT_STORAGE_EXTENSION_NAME };
    static const float priority = 1;
    VkPhysicalDevice8BitStorageFeaturesKHR bytes = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES_KHR,
    };
    const VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = d->at->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .ppEnabledExtensionNames = extensions,
    };

    ask_for_bytes(d, &bytes);
    bytes.uniformAndStorageBuffer8BitAccess = bytes.storagePushConstant8 = VK_FALSE;
    if (d->bytes) {
        info.pNext = &bytes;
        info.enabledExtensionCount = 1;
    }
    return !d->gpu->instance.CreateDevice(d->at->handle, &info, NULL, &d->handle) &&
           qvk_device_table(&d->gpu->instance, d->handle, &d->vk);
}

static bool open_own(struct door_device *d)
{
    const VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    const VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = d->at->family,
    };
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandBufferCount = 1,
    };

    if (!create(d))
        return false;
    d->vk.vkGetDeviceQueue(d->handle, d->at->family, 0, &d->queue);
    if (d->vk.vkCreateCommandPool(d->handle, &pool, NULL, &d->pool))
        return false;
    commands.commandPool = d->pool;
    return !d->vk.vkAllocateCommandBuffers(d->handle, &commands, &d->commands) &&
           !d->vk.vkCreateFence(d->handle, &fence, NULL, &d->fence) && make_stamps(d);
}

static void close_own(struct door_device *d)
{
    if (!d->handle || !d->vk.vkDestroyDevice)
        return;
    for (int i = 0; i < 2; i++)
        door_buffer_destroy(d, &d->rouse[i]);
    d->vk.vkDestroyQueryPool(d->handle, d->stamps, NULL);
    d->vk.vkDestroyFence(d->handle, d->fence, NULL);
    d->vk.vkDestroyCommandPool(d->handle, d->pool, NULL);
    d->vk.vkDestroyDevice(d->handle, NULL);
}

/* ---- lifetime ---- */

struct door_device *door_device_open(struct qpel_context *context, char why[BENCH_LINE_SIZE])
{
    struct door_device *d = calloc(1, sizeof(*d));

    snprintf(why, BENCH_LINE_SIZE, "no second device");
    if (!d)
        return NULL;
    d->gpu = context->gpu;
    d->at = &d->gpu->device.at;
    d->timestamps = d->gpu->device.info->timestamps;
    if (!open_own(d)) {
        door_device_close(d);
        return NULL;
    }
    open_library(d);
    return d;
}

void door_device_close(struct door_device *d)
{
    if (!d)
        return;
    close_library(d);
    close_own(d);
    free(d);
}

/* ---- buffers ---- */

static bool find_type(const struct door_device *d, uint32_t bits, VkMemoryPropertyFlags wanted,
                      uint32_t *type)
{
    const VkPhysicalDeviceMemoryProperties *memory = &d->at->memory;

    for (*type = 0; *type < memory->memoryTypeCount; ++*type)
        if (bits >> *type & 1 && !(wanted & ~memory->memoryTypes[*type].propertyFlags))
            return true;
    return false;
}

bool door_buffer_create(struct door_device *d, size_t size, enum door_memory memory,
                        struct door_buffer *out)
{
    const VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    const VkMemoryPropertyFlags mapped =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    const VkMemoryPropertyFlags best[] = {
        [DOOR_OWN] = local,
        [DOOR_SHARED] = mapped | local,
        [DOOR_SHOWN] = mapped | VK_MEMORY_PROPERTY_HOST_CACHED_BIT,
    };
    const VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    VkMemoryAllocateInfo allocation = { .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO };
    VkMemoryRequirements needs;

    if (d->vk.vkCreateBuffer(d->handle, &info, NULL, &out->handle))
        return false;
    d->vk.vkGetBufferMemoryRequirements(d->handle, out->handle, &needs);
    allocation.allocationSize = needs.size;
    if (!find_type(d, needs.memoryTypeBits, best[memory], &allocation.memoryTypeIndex) &&
        !find_type(d, needs.memoryTypeBits, memory == DOOR_OWN ? local : mapped,
                   &allocation.memoryTypeIndex))
        return false;
    return !d->vk.vkAllocateMemory(d->handle, &allocation, NULL, &out->memory) &&
           !d->vk.vkBindBufferMemory(d->handle, out->handle, out->memory, 0) &&
           (memory == DOOR_OWN ||
            !d->vk.vkMapMemory(d->handle, out->memory, 0, VK_WHOLE_SIZE, 0, &out->data));
}

void door_buffer_destroy(struct door_device *d, struct door_buffer *buffer)
{
    d->vk.vkDestroyBuffer(d->handle, buffer->handle, NULL);
    d->vk.vkFreeMemory(d->handle, buffer->memory, NULL);
    *buffer = (struct door_buffer){ .data = NULL };
}

/* ---- commands ---- */

bool door_commands_begin(struct door_device *d)
{
    const VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };

    if (d->vk.vkResetCommandPool(d->handle, d->pool, 0) ||
        d->vk.vkBeginCommandBuffer(d->commands, &begin))
        return false;
    if (d->timestamps) {
        d->vk.vkCmdResetQueryPool(d->commands, d->stamps, 0, STAMP_COUNT);
        d->vk.vkCmdWriteTimestamp(d->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, d->stamps,
                                  STAMP_BEGIN);
    }
    return true;
}

void door_commands_separate(struct door_device *d)
{
    const VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_MEMORY_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT,
    };

    d->vk.vkCmdPipelineBarrier(d->commands, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                               VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT, 0,
                               1, &barrier, 0, NULL, 0, NULL);
}

bool door_commands_run(struct door_device *d, double *gpu, double *wall)
{
    const VkSubmitInfo submit = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &d->commands,
    };
    double start;

    door_commands_separate(d);
    if (d->timestamps)
        d->vk.vkCmdWriteTimestamp(d->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, d->stamps,
                                  STAMP_END);
    if (d->vk.vkEndCommandBuffer(d->commands) || d->vk.vkResetFences(d->handle, 1, &d->fence))
        return false;
    start = measure_now();
    if (d->vk.vkQueueSubmit(d->queue, 1, &submit, d->fence) ||
        d->vk.vkWaitForFences(d->handle, 1, &d->fence, VK_TRUE, WAIT_NS))
        return false;
    *wall = measure_now() - start;
    *gpu = gpu_seconds(d);
    return true;
}
