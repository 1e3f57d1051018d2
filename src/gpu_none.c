/* The GPU of a library that was built without Vulkan: there is none, and it says so. Since
 * qpel_gpu_open() never succeeds, the functions below it are never reached. */
#include "gpu.h"

static const char none[] = "built without Vulkan";

enum qpel_result qpel_gpu_open(struct gpu **out, const struct gpu_params *params,
                               char reason[QPEL_REASON_SIZE])
{
    (void)params;
    *out = NULL;
    qpel_reason_set(reason, "%s", none);
    return QPEL_ERROR_UNSUPPORTED;
}

void qpel_gpu_close(struct gpu *gpu)
{
    (void)gpu;
}

const struct qpel_device *qpel_gpu_devices(const struct gpu *gpu, size_t *count, int *taken)
{
    (void)gpu;
    *count = 0;
    *taken = -1;
    return NULL;
}

bool qpel_gpu_is_lost(struct gpu *gpu, char reason[QPEL_REASON_SIZE])
{
    (void)gpu;
    if (reason)
        qpel_reason_set(reason, "%s", none);
    return true;
}

enum qpel_result qpel_gpu_buffer_create(struct gpu *gpu, size_t size, enum qpel_near near,
                                        struct gpu_buffer **out)
{
    (void)gpu, (void)size, (void)near;
    *out = NULL;
    return QPEL_ERROR_UNSUPPORTED;
}

void qpel_gpu_buffer_destroy(struct gpu *gpu, struct gpu_buffer *buffer)
{
    (void)gpu, (void)buffer;
}

void *qpel_gpu_buffer_data(const struct gpu_buffer *buffer)
{
    (void)buffer;
    return NULL;
}

enum qpel_result qpel_gpu_buffer_invalidate(struct gpu *gpu, struct gpu_buffer *buffer,
                                            size_t offset, size_t size)
{
    (void)gpu, (void)buffer, (void)offset, (void)size;
    return QPEL_ERROR_UNSUPPORTED;
}

enum qpel_result qpel_gpu_buffer_flush(struct gpu *gpu, struct gpu_buffer *buffer, size_t offset,
                                       size_t size)
{
    (void)gpu, (void)buffer, (void)offset, (void)size;
    return QPEL_ERROR_UNSUPPORTED;
}

enum qpel_result qpel_gpu_buffer_import(struct gpu *gpu, int fd, size_t size, void *data,
                                        struct gpu_buffer **out, char reason[QPEL_REASON_SIZE])
{
    (void)gpu, (void)fd, (void)size, (void)data;
    *out = NULL;
    qpel_reason_set(reason, "%s", none);
    return QPEL_ERROR_UNSUPPORTED;
}

enum qpel_result qpel_gpu_buffer_import_host(struct gpu *gpu, void *base, size_t size,
                                             struct gpu_buffer **out, char reason[QPEL_REASON_SIZE])
{
    return qpel_gpu_buffer_import(gpu, -1, size, base, out, reason);
}

enum qpel_result qpel_gpu_buffer_create_shared(struct gpu *gpu, size_t size, enum qpel_near near,
                                               struct gpu_buffer **out,
                                               char reason[QPEL_REASON_SIZE])
{
    (void)near;
    return qpel_gpu_buffer_import(gpu, -1, size, NULL, out, reason);
}

enum qpel_result qpel_gpu_buffer_export(struct gpu *gpu, const struct gpu_buffer *buffer, int *fd,
                                        size_t *size, char reason[QPEL_REASON_SIZE])
{
    (void)gpu, (void)buffer, (void)fd, (void)size;
    qpel_reason_set(reason, "%s", none);
    return QPEL_ERROR_UNSUPPORTED;
}

bool qpel_gpu_buffer_cached(const struct gpu_buffer *buffer)
{
    (void)buffer;
    return false;
}

bool qpel_gpu_buffer_bound(const struct gpu_buffer *buffer)
{
    (void)buffer;
    return false;
}

const char *qpel_gpu_refuses(const struct gpu *gpu, const struct job *job)
{
    (void)gpu, (void)job;
    return none;
}

enum qpel_result qpel_gpu_dispatch(struct gpu *gpu, const struct job *job,
                                   struct qpel_report *report)
{
    (void)gpu, (void)job;
    qpel_reason_set(report->reason, "%s", none);
    return QPEL_ERROR_UNSUPPORTED;
}

enum qpel_result qpel_gpu_batch_create(struct gpu *gpu, struct gpu_batch **out)
{
    (void)gpu;
    *out = NULL;
    return QPEL_ERROR_UNSUPPORTED;
}

bool qpel_gpu_picture_refuses(const struct qpel_picture *picture, char reason[QPEL_REASON_SIZE])
{
    (void)picture;
    qpel_reason_set(reason, "%s", none);
    return true;
}

bool qpel_gpu_batch_refuses(const struct qpel_batch *batch, char reason[QPEL_REASON_SIZE])
{
    (void)batch;
    qpel_reason_set(reason, "%s", none);
    return true;
}

void qpel_gpu_batch_destroy(struct gpu *gpu, struct gpu_batch *batch)
{
    (void)gpu, (void)batch;
}

void qpel_gpu_batch_begin(struct gpu_batch *batch, const struct qpel_batch *of)
{
    (void)batch, (void)of;
}

void qpel_gpu_batch_add(struct gpu *gpu, struct gpu_batch *batch, const struct qpel_batch *of)
{
    (void)gpu, (void)batch, (void)of;
}

enum qpel_result qpel_gpu_batch_submit(struct gpu *gpu, struct gpu_batch *gpu_batch,
                                       const struct qpel_batch *batch, bool timed,
                                       const struct gpu_wish *wish, char reason[QPEL_REASON_SIZE])
{
    (void)gpu, (void)gpu_batch, (void)batch, (void)timed, (void)wish;
    qpel_reason_set(reason, "%s", none);
    return QPEL_ERROR_UNSUPPORTED;
}

enum qpel_result qpel_gpu_batch_wish_fd(struct gpu *gpu, struct gpu_batch *batch, bool wish,
                                        char reason[QPEL_REASON_SIZE])
{
    (void)gpu, (void)batch, (void)wish;
    qpel_reason_set(reason, "%s", none);
    return QPEL_ERROR_UNSUPPORTED;
}

void qpel_gpu_split_luma(struct gpu *gpu, unsigned runs)
{
    (void)gpu, (void)runs;
}

enum qpel_result qpel_gpu_batch_fd(struct gpu *gpu, struct gpu_batch *batch, int *fd)
{
    (void)gpu, (void)batch, (void)fd;
    return QPEL_ERROR_DEVICE_LOST;
}

enum qpel_result qpel_gpu_batch_wait(struct gpu *gpu, struct gpu_batch *batch, uint64_t timeout_ns)
{
    (void)gpu, (void)batch, (void)timeout_ns;
    return QPEL_ERROR_DEVICE_LOST;
}

double qpel_gpu_batch_seconds(struct gpu *gpu, struct gpu_batch *batch)
{
    (void)gpu, (void)batch;
    return -1;
}
