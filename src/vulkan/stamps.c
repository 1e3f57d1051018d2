#include "stamps.h"

enum { STAMP_BEGIN, STAMP_END, STAMP_COUNT };

enum qpel_result qvk_stamps_use(struct qvk_stamps *s, struct qvk_device *d, bool timed)
{
    enum qpel_result r = QPEL_OK;
    if (timed && !s->pool && d->info->timestamps) {
        VkQueryPoolCreateInfo info = {
            .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
            .queryType = VK_QUERY_TYPE_TIMESTAMP,
            .queryCount = STAMP_COUNT,
        };
        r = QVK_CHECK(d->health, d->vk.vkCreateQueryPool(d->handle, &info, NULL, &s->pool));
        if (r)
            s->pool = VK_NULL_HANDLE;
    }
    s->used = timed && s->pool;
    return r;
}

void qvk_stamps_begin(struct qvk_stamps *s, struct qvk_device *d, VkCommandBuffer buffer)
{
    if (!s->used)
        return;
    d->vk.vkCmdResetQueryPool(buffer, s->pool, 0, STAMP_COUNT);
    d->vk.vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_TOP_OF_PIPE_BIT, s->pool, STAMP_BEGIN);
}

void qvk_stamps_end(struct qvk_stamps *s, struct qvk_device *d, VkCommandBuffer buffer)
{
    if (s->used)
        d->vk.vkCmdWriteTimestamp(buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, s->pool, STAMP_END);
}

enum qpel_result qvk_stamps_read(const struct qvk_stamps *s, struct qvk_device *d, double *seconds)
{
    uint64_t stamps[STAMP_COUNT] = { 0 };
    *seconds = -1;
    if (!s->used)
        return QPEL_OK;
    enum qpel_result r = QVK_CHECK(
        d->health, d->vk.vkGetQueryPoolResults(d->handle, s->pool, 0, STAMP_COUNT, sizeof stamps,
                                               stamps, sizeof *stamps, VK_QUERY_RESULT_64_BIT));
    if (r)
        return r == QPEL_ERROR_DEVICE_LOST ? r : QPEL_OK;
    uint64_t mask =
        d->at.timestamp_bits >= 64 ? UINT64_MAX : (UINT64_C(1) << d->at.timestamp_bits) - 1;
    *seconds = (double)((stamps[STAMP_END] - stamps[STAMP_BEGIN]) & mask) * d->at.tick_seconds;
    return QPEL_OK;
}

void qvk_stamps_close(struct qvk_stamps *s, struct qvk_device *d)
{
    if (s->pool)
        d->vk.vkDestroyQueryPool(d->handle, s->pool, NULL);
    *s = (struct qvk_stamps){ .used = false };
}
