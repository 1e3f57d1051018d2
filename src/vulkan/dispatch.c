/* A dispatch on the GPU: staging, recording, the run. */
#include "gpu_internal.h"

/* Jobs of one submission, at most: 100 ms by that model, so that the timeout, which holds for
 * each submission, is far away. A longer list of blocks is several submissions, one after another.
 */
#define JOBS_PER_SUBMISSION 4u

static uint32_t lanes_per_block(enum qpel_size size)
{
    uint32_t samples = 16u >> size;
    return QPEL_LANES_PER_BLOCK(samples);
}

const char *qpel_gpu_refuses(const struct gpu *g, const struct job *job)
{
    const struct job_plane *planes[] = { &job->dst, &job->src };
    uint64_t most = g->device.info->max_storage_range;
    if (!job->words)
        return "dst's base, stride and offsets of blocks must be multiples of 4";
    if (job->count > UINT32_MAX / 2 / lanes_per_block(job->size) ||
        job->count * sizeof *job->blocks + QVK_EXTRA > most)
        return "the list of blocks is larger than this device's maxStorageBufferRange";
    for (size_t i = 0; i < sizeof planes / sizeof *planes; i++) {
        if (planes[i]->buffer && !planes[i]->buffer->set)
            return "the buffer is larger than this device's maxStorageBufferRange";
        if (!planes[i]->buffer && (uint64_t)qvk_stage_size(planes[i]) + QVK_EXTRA > most)
            return "the plane's part is larger than this device's maxStorageBufferRange";
    }
    return NULL;
}

static struct qvk_push parameters(const struct job *job, struct qvk_place dst, struct qvk_place src)
{
    const struct position *p = &qpel_positions[job->position];
    /* Strides wrap modulo 2^32 like all of the shaders' arithmetic. */
    return (struct qvk_push){
        .src_base = src.base,
        .dst_base = dst.base,
        .src_stride = (int32_t)(uint32_t)job->src.stride,
        .dst_stride = (int32_t)(uint32_t)job->dst.stride,
        .dx = p->b_dx,
        .dy = p->a_dy | p->b_dy,
    };
}

/* Records lanes from `first` on, as many as one submission takes; returns where it stopped. */
static uint32_t record(struct gpu *g, struct qvk_push push, uint32_t first, uint32_t lanes)
{
    const struct VolkDeviceTable *vk = &g->device.vk;
    VkCommandBuffer commands = g->queue.commands.buffer;
    uint32_t groups = g->device.info->max_groups;
    if (groups > GROUPS_PER_JOB)
        groups = GROUPS_PER_JOB;
    for (unsigned job = 0; job < JOBS_PER_SUBMISSION && first < lanes; job++) {
        uint32_t left = (lanes - first + QPEL_GROUP_LANES - 1) / QPEL_GROUP_LANES;
        uint32_t now = left < groups ? left : groups;
        uint32_t end = left <= groups ? lanes : first + now * QPEL_GROUP_LANES;
        if (job)
            /* Blocks don't depend on each other, but to Vulkan each job reads and writes whole
             * buffers. */
            qvk_barrier_between(&g->device, commands);
        push.first_lane = first;
        push.end_lane = end;
        vk->vkCmdPushConstants(commands, g->pipelines.layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                               sizeof push, &push);
        vk->vkCmdDispatch(commands, now, 1, 1);
        first = end;
    }
    return first;
}

/* How a submission of a call failed. One that follows others can't leave no effect: dst is part
 * written, as by a device that is lost. */
static enum qpel_result submission_failed(struct gpu *g, enum qpel_result r, uint32_t lanes_done)
{
    if (r != QPEL_ERROR_NOMEM || !lanes_done)
        return r;
    qvk_lose(&g->health, "out of memory between the submissions of a call");
    return QPEL_ERROR_DEVICE_LOST;
}

static enum qpel_result run(struct gpu *g, const struct job *job, VkPipeline pipeline,
                            struct qvk_place dst, struct qvk_place src, struct qpel_report *report)
{
    const struct VolkDeviceTable *vk = &g->device.vk;
    const VkDescriptorSet sets[QVK_SETS] = {
        [QPEL_SET_BLOCKS] = g->staging.buffers[QVK_STAGE_BLOCKS]->set,
        [QPEL_SET_SRC] = src.buffer->set,
        [QPEL_SET_DST] = dst.buffer->set,
    };
    struct qvk_push push = parameters(job, dst, src);
    uint32_t lanes = (uint32_t)job->count * lanes_per_block(job->size);
    double total = 0;
    for (uint32_t lane = 0; lane < lanes;) {
        enum qpel_result r = qvk_queue_begin(&g->queue, job->timed);
        if (r)
            return submission_failed(g, r, lane);
        vk->vkCmdBindPipeline(g->queue.commands.buffer, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
        vk->vkCmdBindDescriptorSets(g->queue.commands.buffer, VK_PIPELINE_BIND_POINT_COMPUTE,
                                    g->pipelines.layout, 0, QVK_SETS, sets, 0, NULL);
        uint32_t done = lane;
        lane = record(g, push, lane, lanes);
        double seconds;
        r = qvk_queue_run(&g->queue, &seconds);
        if (r)
            return submission_failed(g, r, done);
        total = seconds < 0 || total < 0 ? -1 : total + seconds;
    }
    report->gpu_seconds = total;
    return QPEL_OK;
}

/* With the lock held. */
static enum qpel_result dispatch(struct gpu *g, const struct job *job, struct qpel_report *report)
{
    VkPipeline pipeline;
    struct qvk_place dst, src;
    enum qpel_result r =
        qvk_pipeline(&g->pipelines, qpel_positions[job->position].family, job->size, job->operation,
                     job->src.stride % 4 == 0, &pipeline);
    if (!r)
        r = qvk_stage_blocks(&g->staging, &g->device, job);
    if (!r)
        r = qvk_stage_src(&g->staging, &g->device, job, &src, report);
    if (!r)
        r = qvk_stage_dst(&g->staging, &g->device, job, &dst, report);
    if (!r)
        r = run(g, job, pipeline, dst, src, report);
    if (!r)
        r = qvk_stage_back(&g->staging, &g->device, job, report);
    return r;
}

enum qpel_result qpel_gpu_dispatch(struct gpu *g, const struct job *job, struct qpel_report *report)
{
    report->copies = 0;
    report->copied_bytes = 0;
    report->gpu_seconds = -1;
    enum qpel_result r = qvk_usable(g, report->reason);
    if (r)
        return r;
    pthread_mutex_lock(&g->lock);
    r = qvk_usable(g, report->reason);
    if (!r)
        r = dispatch(g, job, report);
    else {
        pthread_mutex_unlock(&g->lock);
        return r;
    }
    pthread_mutex_unlock(&g->lock);
    if (r == QPEL_ERROR_NOMEM)
        qpel_reason_set(report->reason, "out of memory for the GPU");
    else if (r)
        qvk_usable(g, report->reason);
    return r;
}
