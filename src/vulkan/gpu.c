/* Opening, closing, and the buffers of gpu.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "external.h"
#include "gpu_internal.h"

/* ---- opening ---- */

/* What every device gets, once there is one; else it is closed. */
static enum qpel_result equip(struct gpu *g, enum qpel_result r, char reason[QPEL_REASON_SIZE])
{
    if (!r)
        r = qvk_pipelines_open(&g->pipelines, &g->device, reason);
    if (!r)
        r = qvk_queue_open(&g->queue, &g->device, g->timeout_ms, reason);
    if (r) {
        qvk_pipelines_close(&g->pipelines);
        qvk_device_close(&g->device);
    }
    return r;
}

/* Tells of a device why it is taken, and what it can't do though it says so. */
static void describe_taken(struct qpel_device *info, const struct qvk_device *d, const char *wanted)
{
    const char *why = wanted && *wanted ? "asked for" : "the best kind of device here";
    info->taken = true;
    qpel_reason_set(info->reason, "%s", why);
    if (!d->refused)
        return;
    info->dmabuf_import = info->dmabuf_export = info->host_import = info->completion_fd = false;
    qpel_reason_set(info->reason,
                    "%s; it shares nothing: its driver refuses the extensions that it offers (%s "
                    "from vkCreateDevice)",
                    why, qvk_result_name(d->refused));
}

/* Takes the best device whose driver lets itself be opened; those that fail get their reason. */
static enum qpel_result take_device(struct gpu *g, const char *wanted,
                                    char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = QPEL_ERROR_UNSUPPORTED;
    int best;
    while (g->taken < 0 && (best = qvk_list_best(&g->list)) >= 0) {
        struct qpel_device *info = &g->list.info[best];
        struct qvk_candidate *at = &g->list.candidates[best];
        at->rank = 0;
        r = qvk_device_create(&g->device, &g->instance, info, at, &g->health, reason);
        r = equip(g, r, reason);
        if (r) {
            qpel_reason_set(info->reason, "%s", reason);
            continue;
        }
        g->taken = best;
        describe_taken(info, &g->device, wanted);
    }
    for (size_t i = 0; i < g->list.count; i++)
        if (g->list.candidates[i].rank)
            qpel_reason_set(g->list.info[i].reason, "another device was preferred");
    return r;
}

/* Why none was taken. */
static void sum_up(const struct gpu *g, const char *wanted, char reason[QPEL_REASON_SIZE])
{
    const struct qpel_device *info = g->list.info;
    if (g->list.count == 0)
        qpel_reason_set(reason, "no Vulkan device");
    else if (g->list.count == 1)
        qpel_reason_set(reason, "%.80s: %.110s", info->name, info->reason);
    else if (wanted && *wanted)
        qpel_reason_set(reason, "none of %zu Vulkan devices fits \"%.100s\"", g->list.count,
                        wanted);
    else
        qpel_reason_set(reason, "none of %zu Vulkan devices fits; %.60s: %.90s", g->list.count,
                        info->name, info->reason);
}

static enum qpel_result open_device(struct gpu *g, const struct gpu_params *params,
                                    char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = qvk_instance_open(&g->instance, params->loader, g->log, reason);
    if (!r)
        r = qvk_list_open(&g->list, &g->instance, params->device, g->log, reason);
    if (r)
        return r;
    r = take_device(g, params->device, reason);
    if (r)
        sum_up(g, params->device, reason);
    return r;
}

/* A caller's device, the only one of the list. */
static enum qpel_result adopt_device(struct gpu *g, const struct qpel_vulkan_params *on,
                                     char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r =
        qvk_instance_adopt(&g->instance, on->get_instance_proc_addr, on->instance, reason);
    if (!r)
        r = qvk_list_adopt(&g->list, &g->instance, on, reason);
    if (r)
        return r;
    struct qpel_device *info = &g->list.info[0];
    r = qvk_device_adopt(&g->device, &g->instance, info, &g->list.candidates[0], &g->health, on,
                         reason);
    r = equip(g, r, reason);
    if (r)
        return r;
    g->taken = 0;
    info->taken = true;
    qpel_reason_set(info->reason, "the caller's device");
    return QPEL_OK;
}

enum qpel_result qpel_gpu_open(struct gpu **out, const struct gpu_params *params,
                               char reason[QPEL_REASON_SIZE])
{
    *out = NULL;
    struct gpu *g = calloc(1, sizeof *g);
    if (!g) {
        qpel_reason_set(reason, "out of memory");
        return QPEL_ERROR_NOMEM;
    }
    g->log = params->log;
    g->timeout_ms = params->timeout_ms;
    g->taken = -1;
    g->process = getpid();
    if (!qvk_health_init(&g->health, params->log)) {
        free(g);
        qpel_reason_set(reason, "out of memory");
        return QPEL_ERROR_NOMEM;
    }
    if (pthread_mutex_init(&g->lock, NULL) || pthread_mutex_init(&g->pictures_lock, NULL)) {
        qvk_health_destroy(&g->health);
        free(g);
        qpel_reason_set(reason, "out of memory");
        return QPEL_ERROR_NOMEM;
    }
    enum qpel_result r =
        params->vulkan ? adopt_device(g, params->vulkan, reason) : open_device(g, params, reason);
    if (g->list.count)
        *out = g;
    else
        qpel_gpu_close(g);
    return r;
}

/* ---- closing ---- */

static void free_orphans(struct gpu *g)
{
    while (g->orphans) {
        struct gpu_buffer *b = g->orphans;
        g->orphans = b->next;
        qvk_buffer_destroy(&g->device, b);
    }
}

static void close_vulkan(struct gpu *g)
{
    free_orphans(g);
    qvk_batches_close(g);
    qvk_picture_pipelines_close(&g->picture_pipelines, &g->device);
    qvk_staging_close(&g->staging, &g->device);
    qvk_queue_close(&g->queue);
    qvk_pipelines_close(&g->pipelines);
    qvk_device_close(&g->device);
    qvk_instance_close(&g->instance);
}

void qpel_gpu_close(struct gpu *g)
{
    if (!g)
        return;
    /* What work that won't end is using can't be freed: it stays until the process ends. So does
     * what belongs to the parent of a forked child. */
    if (g->process != getpid())
        ;
    else if (g->taken >= 0 && !qvk_idle(g, g->timeout_ms))
        qpel_log_line(g->log, QPEL_LOG_ERROR, "the GPU is still at work; its memory is not freed");
    else
        close_vulkan(g);
    pthread_mutex_destroy(&g->pictures_lock);
    pthread_mutex_destroy(&g->lock);
    qvk_health_destroy(&g->health);
    qvk_list_close(&g->list);
    free(g);
}

/* ---- state ---- */

void qpel_gpu_split_luma(struct gpu *g, unsigned runs)
{
    g->device.luma_runs = runs;
}

const struct qpel_device *qpel_gpu_devices(const struct gpu *g, size_t *count, int *taken)
{
    *count = g->list.count;
    *taken = g->taken;
    return g->list.info;
}

enum qpel_result qvk_usable(struct gpu *g, char reason[QPEL_REASON_SIZE])
{
    if (g->process != getpid()) {
        if (reason)
            qpel_reason_set(reason, "the process was forked; the GPU is its parent's");
        return QPEL_ERROR_DEVICE_LOST;
    }
    if (!qvk_lost(&g->health))
        return QPEL_OK;
    if (reason)
        qpel_reason_set(reason, "%s", g->health.reason);
    return QPEL_ERROR_DEVICE_LOST;
}

bool qpel_gpu_is_lost(struct gpu *g, char reason[QPEL_REASON_SIZE])
{
    return qvk_usable(g, reason) != QPEL_OK;
}

bool qvk_idle(struct gpu *g, unsigned timeout_ms)
{
    uint64_t timeout_ns = timeout_ms * UINT64_C(1000000);
    pthread_mutex_lock(&g->lock);
    qvk_commands_wait(&g->queue.commands, &g->device, timeout_ns);
    bool idle = !g->queue.commands.pending;
    pthread_mutex_unlock(&g->lock);
    return qvk_batches_idle(g, timeout_ns) && idle;
}

/* ---- buffers ---- */

static enum qvk_use use_of(enum qpel_near near)
{
    return near == QPEL_NEAR_GPU ? QVK_NEAR_GPU : QVK_SHARED;
}

enum qpel_result qpel_gpu_buffer_create(struct gpu *g, size_t size, enum qpel_near near,
                                        struct gpu_buffer **out)
{
    *out = NULL;
    enum qpel_result r = qvk_usable(g, NULL);
    return r ? r : qvk_buffer_create(&g->device, size, use_of(near), out);
}

enum qpel_result qpel_gpu_buffer_import(struct gpu *g, int fd, size_t size, void *data,
                                        struct gpu_buffer **out, char reason[QPEL_REASON_SIZE])
{
    *out = NULL;
    enum qpel_result r = qvk_usable(g, reason);
    return r ? r : qvk_buffer_import_dmabuf(&g->device, fd, size, data, out, reason);
}

enum qpel_result qpel_gpu_buffer_import_host(struct gpu *g, void *base, size_t size,
                                             struct gpu_buffer **out, char reason[QPEL_REASON_SIZE])
{
    *out = NULL;
    enum qpel_result r = qvk_usable(g, reason);
    return r ? r : qvk_buffer_import_host(&g->device, base, size, out, reason);
}

enum qpel_result qpel_gpu_buffer_create_shared(struct gpu *g, size_t size, enum qpel_near near,
                                               struct gpu_buffer **out,
                                               char reason[QPEL_REASON_SIZE])
{
    *out = NULL;
    enum qpel_result r = qvk_usable(g, reason);
    if (!r)
        r = qvk_check_export(&g->device, reason);
    if (r)
        return r;
    r = qvk_buffer_create_exported(&g->device, size, use_of(near), out);
    if (r)
        qpel_reason_set(reason, "no memory for export: %s", qpel_result_name(r));
    return r;
}

enum qpel_result qpel_gpu_buffer_export(struct gpu *g, const struct gpu_buffer *b, int *fd,
                                        size_t *size, char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = qvk_usable(g, reason);
    *size = (size_t)b->allocated;
    return r ? r : qvk_buffer_export(&g->device, b, fd, reason);
}

bool qpel_gpu_buffer_cached(const struct gpu_buffer *b)
{
    return b->cached;
}

bool qpel_gpu_buffer_bound(const struct gpu_buffer *b)
{
    return b->set != VK_NULL_HANDLE;
}

void qpel_gpu_buffer_destroy(struct gpu *g, struct gpu_buffer *b)
{
    if (!b || g->process != getpid())
        return;
    /* A device that timed out may still be writing it. */
    if (qvk_lost(&g->health)) {
        bool idle = qvk_idle(g, 0);
        pthread_mutex_lock(&g->lock);
        if (!idle) {
            b->next = g->orphans;
            g->orphans = b;
        }
        pthread_mutex_unlock(&g->lock);
        if (!idle)
            return;
    }
    qvk_buffer_destroy(&g->device, b);
}

void *qpel_gpu_buffer_data(const struct gpu_buffer *b)
{
    return b->data;
}

enum qpel_result qpel_gpu_buffer_invalidate(struct gpu *g, struct gpu_buffer *b, size_t offset,
                                            size_t size)
{
    if (b->coherent || g->process != getpid())
        return QPEL_OK;
    return qvk_buffer_invalidate(&g->device, b, offset, size ? size : b->size);
}

enum qpel_result qpel_gpu_buffer_flush(struct gpu *g, struct gpu_buffer *b, size_t offset,
                                       size_t size)
{
    if (b->coherent || g->process != getpid())
        return QPEL_OK;
    return qvk_buffer_flush(&g->device, b, offset, size ? size : b->size);
}
