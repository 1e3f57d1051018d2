#include "queue.h"

#include <string.h>

#define NS_PER_MS UINT64_C(1000000)

enum { STAMP_BEGIN, STAMP_END, STAMP_COUNT };

static enum qpel_result make(struct qvk_queue *q, char reason[QPEL_REASON_SIZE])
{
    struct qvk_device *d = q->device;
    const struct log *log = d->health->log;
    enum qpel_result r = qvk_commands_open(&q->commands, d, reason);
    if (r)
        return r;
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
    qvk_commands_close(&q->commands, d);
    memset(q, 0, sizeof *q);
}

enum qpel_result qvk_queue_begin(struct qvk_queue *q, bool timed)
{
    struct qvk_device *d = q->device;
    enum qpel_result r = qvk_commands_begin(&q->commands, d);
    if (r)
        return r;
    qvk_barrier_first(d, q->commands.buffer);
    q->timed = timed && q->stamps;
    if (q->timed) {
        d->vk.vkCmdResetQueryPool(q->commands.buffer, q->stamps, 0, STAMP_COUNT);
        d->vk.vkCmdWriteTimestamp(q->commands.buffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, q->stamps,
                                  STAMP_BEGIN);
    }
    return QPEL_OK;
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
    qvk_barrier_last(d, q->commands.buffer);
    if (q->timed)
        d->vk.vkCmdWriteTimestamp(q->commands.buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                  q->stamps, STAMP_END);
    enum qpel_result r = qvk_commands_submit(&q->commands, d, NULL);
    if (!r)
        r = qvk_commands_wait(&q->commands, d, q->timeout_ms * NS_PER_MS);
    if (r == QPEL_ERROR_TIMEOUT)
        qvk_lose(d->health, "the GPU did not finish within %u ms", q->timeout_ms);
    if (!r && q->timed)
        r = read_stamps(q, seconds);
    return r;
}
