/* Batches of the picture door: lifetime, submission, the wait. */
#include "picture_batch.h"

#include <stdlib.h>
#include <unistd.h>

#include "gpu_internal.h"

#define NS_PER_MS UINT64_C(1000000)

enum qpel_result qpel_gpu_batch_create(struct gpu *g, struct gpu_batch **out)
{
    *out = NULL;
    enum qpel_result r = qvk_usable(g, NULL);
    if (r)
        return r;
    struct gpu_batch *b = calloc(1, sizeof *b);
    if (!b)
        return QPEL_ERROR_NOMEM;
    r = qpel_plan_open(&b->plan, g->device.luma_runs);
    if (!r)
        r = qvk_commands_open(&b->commands, &g->device, NULL);
    if (r) {
        qpel_plan_close(&b->plan);
        free(b);
        return r;
    }
    pthread_mutex_lock(&g->pictures_lock);
    b->next = g->batches;
    g->batches = b;
    pthread_mutex_unlock(&g->pictures_lock);
    *out = b;
    return QPEL_OK;
}

static void destroy(struct gpu *g, struct gpu_batch *b)
{
    qvk_commands_close(&b->commands, &g->device);
    qvk_buffer_destroy(&g->device, b->upload);
    qvk_buffer_destroy(&g->device, b->scratch);
    qvk_buffer_destroy(&g->device, b->slots);
    qpel_plan_close(&b->plan);
    free(b);
}

void qpel_gpu_batch_destroy(struct gpu *g, struct gpu_batch *b)
{
    if (!b || g->process != getpid())
        return;
    qvk_commands_wait(&b->commands, &g->device, 0);
    if (b->commands.pending)
        return;
    pthread_mutex_lock(&g->pictures_lock);
    struct gpu_batch **link = &g->batches;
    while (*link != b)
        link = &(*link)->next;
    *link = b->next;
    pthread_mutex_unlock(&g->pictures_lock);
    destroy(g, b);
}

bool qvk_batches_idle(struct gpu *g, uint64_t timeout_ns)
{
    bool idle = true;
    pthread_mutex_lock(&g->pictures_lock);
    for (struct gpu_batch *b = g->batches; b; b = b->next) {
        qvk_commands_wait(&b->commands, &g->device, idle ? timeout_ns : 0);
        idle &= !b->commands.pending;
    }
    pthread_mutex_unlock(&g->pictures_lock);
    return idle;
}

void qvk_batches_close(struct gpu *g)
{
    while (g->batches) {
        struct gpu_batch *b = g->batches;
        g->batches = b->next;
        destroy(g, b);
    }
}

bool qpel_gpu_picture_refuses(const struct qpel_picture *picture, char reason[QPEL_REASON_SIZE])
{
    return qvk_picture_reached(picture, reason) != QPEL_OK;
}

bool qpel_gpu_batch_refuses(const struct qpel_batch *batch, char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = qvk_picture_reached(batch->target, reason);
    for (size_t i = 0; i < batch->reference_count && !r; i++)
        r = qvk_picture_reached(batch->references[i].picture, reason);
    return r != QPEL_OK;
}

void qpel_gpu_batch_begin(struct gpu_batch *b, const struct qpel_batch *batch)
{
    qvk_batch_begin(b, batch);
}

void qpel_gpu_batch_add(struct gpu *g, struct gpu_batch *b, const struct qpel_batch *batch)
{
    /* Blocks may come one at a time, and the looks below are a system call. */
    enum { ENOUGH = 64 };
    char reason[QPEL_REASON_SIZE];
    if (batch->block_count - b->plan.blocks >= ENOUGH && !qvk_usable(g, NULL))
        qvk_batch_plan(&g->device, b, batch, reason);
}

/* Pictures that others share, too, are taken from them before the work, and given back behind it.
 */
static void change_owner(struct gpu *g, const struct gpu_batch *b, const struct qpel_batch *batch,
                         VkCommandBuffer commands, bool ours)
{
    const struct picture_chunk *target = batch->target->memory.chunk;
    VkBuffer shared[PLAN_SOURCE_MAX + 1];
    uint32_t count = 0;
    _Static_assert(PLAN_SOURCE_MAX + 1 <= QVK_OWNED_MAX, "there is room for all");
    if (target->buffer->foreign)
        shared[count++] = target->buffer->handle;
    for (unsigned s = 0; s < b->sources; s++)
        if (b->chunks[s] != target && b->chunks[s]->buffer->foreign)
            shared[count++] = b->chunks[s]->buffer->handle;
    qvk_barrier_owner(&g->device, commands, shared, count, ours);
}

static void record(struct gpu *g, struct gpu_batch *b, const struct qpel_batch *batch,
                   VkCommandBuffer commands)
{
    change_owner(g, b, batch, commands, true);
    qvk_batch_record(g, b, batch, commands);
    change_owner(g, b, batch, commands, false);
}

static enum qpel_result submit(struct gpu *g, struct gpu_batch *b, const struct qpel_batch *batch,
                               bool timed, const struct qpel_vulkan_semaphores *semaphores)
{
    enum qpel_result r = qvk_stamps_use(&b->commands.stamps, &g->device, timed);
    if (!r)
        r = qvk_commands_begin(&b->commands, &g->device);
    if (r)
        return r;
    record(g, b, batch, b->commands.buffer);
    qvk_commands_finish(&b->commands, &g->device);
    return qvk_commands_submit(&b->commands, &g->device, semaphores);
}

enum qpel_result qpel_gpu_batch_submit(struct gpu *g, struct gpu_batch *b,
                                       const struct qpel_batch *batch, bool timed,
                                       const struct gpu_wish *wish, char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = qvk_usable(g, reason);
    if (r)
        return r;
    r = qvk_batch_upload(&g->device, b, batch, reason);
    if (!r)
        r = qvk_batch_prepare(g, b, batch);
    if (!r && wish && wish->commands) {
        qvk_barrier_first(&g->device, wish->commands);
        record(g, b, batch, wish->commands);
    } else if (!r) {
        r = submit(g, b, batch, timed, wish ? wish->semaphores : NULL);
    }
    if (r == QPEL_ERROR_NOMEM)
        qpel_reason_set(reason, "out of memory for the GPU");
    else if (r == QPEL_ERROR_DEVICE_LOST)
        qvk_usable(g, reason);
    return r;
}

enum qpel_result qpel_gpu_batch_wish_fd(struct gpu *g, struct gpu_batch *b, bool wish,
                                        char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = qvk_usable(g, reason);
    return r ? r : qvk_commands_signal(&b->commands, &g->device, wish, reason);
}

enum qpel_result qpel_gpu_batch_fd(struct gpu *g, struct gpu_batch *b, int *fd)
{
    enum qpel_result r = qvk_usable(g, NULL);
    return r ? r : qvk_commands_fd(&b->commands, &g->device, fd);
}

enum qpel_result qpel_gpu_batch_wait(struct gpu *g, struct gpu_batch *b, uint64_t timeout_ns)
{
    enum qpel_result r = qvk_usable(g, NULL);
    if (r)
        return r;
    uint64_t most = g->timeout_ms * NS_PER_MS;
    r = qvk_commands_wait(&b->commands, &g->device, timeout_ns < most ? timeout_ns : most);
    if (r != QPEL_ERROR_TIMEOUT || timeout_ns < most)
        return r;
    qvk_lose(&g->health, "the GPU did not finish within %u ms", g->timeout_ms);
    return QPEL_ERROR_DEVICE_LOST;
}

double qpel_gpu_batch_seconds(struct gpu *g, struct gpu_batch *b)
{
    double seconds = -1;
    if (b->commands.stamps.used && !qvk_usable(g, NULL))
        qvk_stamps_read(&b->commands.stamps, &g->device, &seconds);
    return seconds;
}
