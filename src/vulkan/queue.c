#include "queue.h"

#include <string.h>

#define NS_PER_MS UINT64_C(1000000)

enum { STAMP_BEGIN, STAMP_END, STAMP_COUNT };

static enum qpel_result make(struct qvk_queue *q, char reason[QPEL_REASON_SIZE])
{
    struct qvk_device *d = q->device;
    const struct log *log = d->health->log;
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = d->at.family,
    };
    enum qpel_result r =
        QVK_CHECK_OPEN(log, reason, d->vk.vkCreateCommandPool(d->handle, &pool, NULL, &q->pool));
    if (r) {
        q->pool = VK_NULL_HANDLE;
        return r;
    }
    VkCommandBufferAllocateInfo commands = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = q->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    r = QVK_CHECK_OPEN(log, reason,
                       d->vk.vkAllocateCommandBuffers(d->handle, &commands, &q->commands));
    if (r)
        return r;
    VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    r = QVK_CHECK_OPEN(log, reason, d->vk.vkCreateFence(d->handle, &fence, NULL, &q->fence));
    if (r) {
        q->fence = VK_NULL_HANDLE;
        return r;
    }
    if (!d->info->timestamps)
        return QPEL_OK;
    VkQueryPoolCreateInfo stamps = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = STAMP_COUNT,
    };
    r = QVK_CHECK_OPEN(log, reason, d->vk.vkCreateQueryPool(d->handle, &stamps, NULL, &q->stamps));
    if (r)
        q->stamps = VK_NULL_HANDLE;
    return r;
}

enum qpel_result qvk_queue_open(struct qvk_queue *q, struct qvk_device *device, unsigned timeout_ms,
                                char reason[QPEL_REASON_SIZE])
{
    memset(q, 0, sizeof *q);
    q->device = device;
    q->timeout_ms = timeout_ms;
    enum qpel_result r = make(q, reason);
    if (r)
        qvk_queue_close(q);
    return r;
}

void qvk_queue_close(struct qvk_queue *q)
{
    struct qvk_device *d = q->device;
    if (!d)
        return;
    if (q->stamps)
        d->vk.vkDestroyQueryPool(d->handle, q->stamps, NULL);
    if (q->fence)
        d->vk.vkDestroyFence(d->handle, q->fence, NULL);
    if (q->pool)
        d->vk.vkDestroyCommandPool(d->handle, q->pool, NULL);
    memset(q, 0, sizeof *q);
}

enum qpel_result qvk_queue_begin(struct qvk_queue *q, bool timed)
{
    struct qvk_device *d = q->device;
    enum qpel_result r = QVK_CHECK(d->health, d->vk.vkResetCommandPool(d->handle, q->pool, 0));
    if (r)
        return r;
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    r = QVK_CHECK(d->health, d->vk.vkBeginCommandBuffer(q->commands, &begin));
    if (r)
        return r;
    /* Also for what earlier submissions wrote: V3D's driver had bugs with barriers at a command
     * buffer's end. */
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_HOST_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT,
    };
    d->vk.vkCmdPipelineBarrier(
        q->commands, VK_PIPELINE_STAGE_HOST_BIT | VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
        VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    q->timed = timed && q->stamps;
    if (q->timed) {
        d->vk.vkCmdResetQueryPool(q->commands, q->stamps, 0, STAMP_COUNT);
        d->vk.vkCmdWriteTimestamp(q->commands, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, q->stamps,
                                  STAMP_BEGIN);
    }
    return QPEL_OK;
}

static enum qpel_result end(struct qvk_queue *q)
{
    struct qvk_device *d = q->device;
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_SHADER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT,
    };
    d->vk.vkCmdPipelineBarrier(q->commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                               VK_PIPELINE_STAGE_HOST_BIT, 0, 1, &barrier, 0, NULL, 0, NULL);
    if (q->timed)
        d->vk.vkCmdWriteTimestamp(q->commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, q->stamps,
                                  STAMP_END);
    return QVK_CHECK(d->health, d->vk.vkEndCommandBuffer(q->commands));
}

/* The only vkQueueSubmit. The fence is unsignalled whenever nothing is pending. */
static enum qpel_result submit(struct qvk_queue *q)
{
    struct qvk_device *d = q->device;
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &q->commands,
    };
    enum qpel_result r = QVK_CHECK(d->health, d->vk.vkQueueSubmit(d->queue, 1, &info, q->fence));
    q->pending = !r;
    return r;
}

/* Waits for the fence. Work that can't be seen to end stays pending, but for that of a
 * device of which Vulkan says that it is lost: then all work counts as ended. */
static enum qpel_result wait(struct qvk_queue *q)
{
    struct qvk_device *d = q->device;
    VkResult v = d->vk.vkWaitForFences(d->handle, 1, &q->fence, VK_TRUE, q->timeout_ms * NS_PER_MS);
    if (v == VK_TIMEOUT)
        qvk_lose(d->health, "the GPU did not finish within %u ms", q->timeout_ms);
    else if (v != VK_SUCCESS)
        /* Whatever it is, also out of memory: the work was submitted and its end is not known. */
        qvk_lose(d->health, "%s from vkWaitForFences", qvk_result_name(v));
    enum qpel_result r = qvk_check(d->health, v, "vkWaitForFences()");
    if (v == VK_SUCCESS || v == VK_ERROR_DEVICE_LOST)
        q->pending = false;
    return r == QPEL_ERROR_NOMEM ? QPEL_ERROR_DEVICE_LOST : r;
}

/* -1 where the figures are not there, which is no error. */
static enum qpel_result read_stamps(struct qvk_queue *q, double *seconds)
{
    struct qvk_device *d = q->device;
    uint64_t stamps[STAMP_COUNT] = { 0 };
    enum qpel_result r = QVK_CHECK(
        d->health, d->vk.vkGetQueryPoolResults(d->handle, q->stamps, 0, STAMP_COUNT, sizeof stamps,
                                               stamps, sizeof *stamps, VK_QUERY_RESULT_64_BIT));
    if (r == QPEL_ERROR_DEVICE_LOST)
        return r;
    if (r == QPEL_OK) {
        uint64_t mask =
            d->at.timestamp_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << d->at.timestamp_bits) - 1;
        *seconds = (double)((stamps[STAMP_END] - stamps[STAMP_BEGIN]) & mask) * d->at.tick_seconds;
    }
    return QPEL_OK;
}

enum qpel_result qvk_queue_run(struct qvk_queue *q, double *seconds)
{
    struct qvk_device *d = q->device;
    *seconds = -1;
    enum qpel_result r = end(q);
    if (!r)
        r = submit(q);
    if (!r)
        r = wait(q);
    if (!r)
        r = QVK_CHECK(d->health, d->vk.vkResetFences(d->handle, 1, &q->fence));
    if (!r && q->timed)
        r = read_stamps(q, seconds);
    return r;
}

bool qvk_queue_idle(struct qvk_queue *q, unsigned timeout_ms)
{
    struct qvk_device *d = q->device;
    if (!q->pending)
        return true;
    VkResult v =
        timeout_ms ? d->vk.vkWaitForFences(d->handle, 1, &q->fence, VK_TRUE, timeout_ms * NS_PER_MS)
                   : d->vk.vkGetFenceStatus(d->handle, q->fence);
    if (v == VK_SUCCESS || v == VK_ERROR_DEVICE_LOST)
        q->pending = false;
    return !q->pending;
}
