/* The GPU as the rest of the library sees it. src/vulkan/ fulfils this; where the
 * library is built without Vulkan, src/gpu_none.c does. Nothing outside src/vulkan/
 * knows Vulkan. Arguments have been checked by the caller. */
#ifndef QPEL_GPU_H
#define QPEL_GPU_H

#include "log.h"
#include "qpel/context.h"
#include "qpel/dispatch.h"

struct gpu;        /* an opened device */
struct gpu_buffer; /* host-visible memory with a descriptor set of its own */

struct qpel_vulkan_params; /* qpel/vulkan.h */

struct gpu_params {
    const char *device; /* as qpel_context_params.device; null: the first real GPU */
    /* A device of the caller's to use instead of one that is looked for; null: none. */
    const struct qpel_vulkan_params *vulkan;
    unsigned timeout_ms;
    const struct log *log; /* outlives the gpu */
    /* For tests: a vkGetInstanceProcAddr to use instead of the system's. Null: libvulkan's. */
    void (*loader)(void);
};

/* Opens the loader, lists the devices into the gpu (also those not taken, each with its reason) and
 * takes one. On failure `reason` is filled. If there were devices to list, *out is set all
 * the same, so that they can be told; it then has no taken device and only qpel_gpu_devices() and
 * qpel_gpu_close() may be used. UNSUPPORTED: no loader, or no device that fits. INVALID: the
 * caller's device is not as it should be. */
enum qpel_result qpel_gpu_open(struct gpu **out, const struct gpu_params *params,
                               char reason[QPEL_REASON_SIZE]);

/* Waits for the device, at most the timeout, and frees all. Null is fine. */
void qpel_gpu_close(struct gpu *gpu);

/* All devices; *count is set, *taken the index of the opened one or -1. */
const struct qpel_device *qpel_gpu_devices(const struct gpu *gpu, size_t *count, int *taken);

/* For tests, which prove on one device what others do: luma is split as `runs` (plan.h) says, in
 * batches that are made from then on. */
void qpel_gpu_split_luma(struct gpu *gpu, unsigned runs);

/* After DEVICE_LOST every call answers so at once; `reason` (may be null) says what failed. */
bool qpel_gpu_is_lost(struct gpu *gpu, char reason[QPEL_REASON_SIZE]);

/* Zero-filled, address a multiple of 64, rounded up and padded by at least 16 bytes for whole-word
 * reads. */
enum qpel_result qpel_gpu_buffer_create(struct gpu *gpu, size_t size, enum qpel_near near,
                                        struct gpu_buffer **out);
void qpel_gpu_buffer_destroy(struct gpu *gpu, struct gpu_buffer *buffer);
void *qpel_gpu_buffer_data(const struct gpu_buffer *buffer);
/* For memory that is not coherent; nothing otherwise, also after a loss. size 0: all of it. */
enum qpel_result qpel_gpu_buffer_invalidate(struct gpu *gpu, struct gpu_buffer *buffer,
                                            size_t offset, size_t size);
enum qpel_result qpel_gpu_buffer_flush(struct gpu *gpu, struct gpu_buffer *buffer, size_t offset,
                                       size_t size);
/* Ranges that share no multiple of this are apart, also where memory is not coherent. */
#define GPU_BUFFER_ATOM 256

/* ---- memory that others share ----
 *
 * Such a buffer has no padding of its own, and what it held it holds. UNSUPPORTED (the device, or
 * this memory on it), NOMEM and DEVICE_LOST all fill reason. */

/* A dma-buf; `data` is what qpel_gpu_buffer_data() will answer, and whatever the CPU does there is
 * the caller's business. The descriptor stays the caller's. */
enum qpel_result qpel_gpu_buffer_import(struct gpu *gpu, int fd, size_t size, void *data,
                                        struct gpu_buffer **out, char reason[QPEL_REASON_SIZE]);
/* The CPU's own memory, which must outlive the buffer. */
enum qpel_result qpel_gpu_buffer_import_host(struct gpu *gpu, void *base, size_t size,
                                             struct gpu_buffer **out,
                                             char reason[QPEL_REASON_SIZE]);
/* As qpel_gpu_buffer_create(), and qpel_gpu_buffer_export() gives dma-bufs of it: a new descriptor
 * each time, of *size bytes. */
enum qpel_result qpel_gpu_buffer_create_shared(struct gpu *gpu, size_t size, enum qpel_near near,
                                               struct gpu_buffer **out,
                                               char reason[QPEL_REASON_SIZE]);
enum qpel_result qpel_gpu_buffer_export(struct gpu *gpu, const struct gpu_buffer *buffer, int *fd,
                                        size_t *size, char reason[QPEL_REASON_SIZE]);

/* Whether it is cached for the CPU; whether shaders can use it, which takes a range that the device
 * binds. */
bool qpel_gpu_buffer_cached(const struct gpu_buffer *buffer);
bool qpel_gpu_buffer_bound(const struct gpu_buffer *buffer);

/* A plane of a checked dispatch. */
struct job_plane {
    uint8_t *data;             /* plain memory's or the buffer's byte at the plane's offset 0 */
    struct gpu_buffer *buffer; /* null: plain memory, to be staged */
    size_t offset;             /* of the plane in the buffer */
    size_t size;
    ptrdiff_t stride;
    /* The bytes that the blocks touch, [first, end) in the plane: what staging must copy. */
    size_t first, end;
};

/* A checked dispatch, the same for every backend. */
struct job {
    enum qpel_operation operation;
    enum qpel_size size;
    int position;
    struct job_plane dst, src;
    const struct qpel_block *blocks;
    size_t count; /* at least 1 */
    /* Ask the GPU's clock. Not free everywhere: V3D's driver stops the queue for a timestamp. */
    bool timed;
    bool words; /* dst's base, stride and all its blocks' offsets are multiples of 4 */
};

/* Why this device can't run the job; null if it can. Static storage. */
const char *qpel_gpu_refuses(const struct gpu *gpu, const struct job *job);

/* Runs a job that qpel_gpu_refuses() did not refuse, and waits for it. Fills report->copies,
 * copied_bytes and gpu_seconds, and on failure report->reason. Any thread; one job at a time is on
 * the queue. */
enum qpel_result qpel_gpu_dispatch(struct gpu *gpu, const struct job *job,
                                   struct qpel_report *report);

/* ---- pictures ---- */

struct qpel_picture;
struct qpel_batch;
struct gpu_batch; /* what a batch keeps from one submission to the next */

/* NOMEM, DEVICE_LOST. */
enum qpel_result qpel_gpu_batch_create(struct gpu *gpu, struct gpu_batch **out);
/* Null is fine. What is still in flight is left to qpel_gpu_close(). */
void qpel_gpu_batch_destroy(struct gpu *gpu, struct gpu_batch *batch);

/* Whether a picture is not where the device reaches it; then `reason` tells why. */
bool qpel_gpu_picture_refuses(const struct qpel_picture *picture, char reason[QPEL_REASON_SIZE]);
/* Whether a picture of the batch, which has a target, is not; then `reason` tells why. */
bool qpel_gpu_batch_refuses(const struct qpel_batch *batch, char reason[QPEL_REASON_SIZE]);

/* What is planned of a batch is forgotten: it begins anew, with this target. */
void qpel_gpu_batch_begin(struct gpu_batch *gpu_batch, const struct qpel_batch *batch);

/* Plans the blocks that were added, for a batch that is collecting and likely to be submitted to
 * this gpu; so the submission has less to do. Whatever fails here, or was never planned, is up to
 * the submission. */
void qpel_gpu_batch_add(struct gpu *gpu, struct gpu_batch *gpu_batch,
                        const struct qpel_batch *batch);

/* What the caller's own Vulkan adds to a submission, of which src/vulkan/ alone knows. */
struct gpu_wish;

/* Starts the prediction of a batch, which has a target and is not in flight, and returns. Whatever
 * was submitted before to this gpu comes before. timed: ask the GPU's clock, as struct job has it.
 * `wish` is null, or may be to record instead, and then there is nothing to wait for.
 * UNSUPPORTED (as above, or one of the device's limits), NOMEM, DEVICE_LOST: nothing was started;
 * `reason` tells why. */
enum qpel_result qpel_gpu_batch_submit(struct gpu *gpu, struct gpu_batch *gpu_batch,
                                       const struct qpel_batch *batch, bool timed,
                                       const struct gpu_wish *wish, char reason[QPEL_REASON_SIZE]);

/* Before a submission: whether it will be asked for a descriptor that tells its end. UNSUPPORTED
 * (the device has none), NOMEM, DEVICE_LOST: reason is filled. */
enum qpel_result qpel_gpu_batch_wish_fd(struct gpu *gpu, struct gpu_batch *batch, bool wish,
                                        char reason[QPEL_REASON_SIZE]);
/* That descriptor, of the last submission: a new one that becomes readable; -1: it has ended.
 * NOMEM; DEVICE_LOST. No other thread submits or asks at the same time. */
enum qpel_result qpel_gpu_batch_fd(struct gpu *gpu, struct gpu_batch *batch, int *fd);

/* Waits for a submission; 0 just looks. TIMEOUT: it is not done. DEVICE_LOST: it never will be;
 * also where nothing has come of it in the gpu's own timeout. Any thread, several at once; the
 * batch is not to be submitted again before they are back. */
enum qpel_result qpel_gpu_batch_wait(struct gpu *gpu, struct gpu_batch *batch, uint64_t timeout_ns);

/* By the GPU's clock, of a submission that was waited for; negative where that was not asked for,
 * or there is no figure. The batch's wait is over, and it is not submitted meanwhile. */
double qpel_gpu_batch_seconds(struct gpu *gpu, struct gpu_batch *batch);

#endif
