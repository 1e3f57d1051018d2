/* What a batch of the picture door has on the device. */
#ifndef QPEL_VK_PICTURE_BATCH_H
#define QPEL_VK_PICTURE_BATCH_H

#include "commands.h"
#include "memory.h"
#include "plan.h"

struct gpu_batch {
    struct gpu_batch *next; /* of the gpu */
    struct qvk_commands commands;
    struct plan plan;
    unsigned sources;
    struct picture_chunk *chunks[PLAN_SOURCE_MAX]; /* by source */
    struct gpu_buffer *upload;                     /* chunks, tables; null: not needed so far */
    /* Likewise, for pictures in buffers that lack them: */
    struct gpu_buffer *scratch, *slots;
    uint32_t slot_room; /* of each source */
    bool tiny;          /* a plane of a reference is less than a word wide, or ends its memory */
    /* What is in the upload buffer: up to then, so many of each are; and where, in rows of 16
     * bytes, and of groups in words. */
    bool uploaded;
    size_t weight_count, reference_count, block_count;
    uint32_t references, weights, groups;
};

/* What the caller of qpel/vulkan.h adds; null: nothing. */
struct gpu_wish {
    VkCommandBuffer commands; /* record here, and don't submit */
    const struct qpel_vulkan_semaphores *semaphores;
};

/* Waits for what is in flight, at most so long for each; whether none is left. */
bool qvk_batches_idle(struct gpu *gpu, uint64_t timeout_ns);
/* Destroys all; none may be in flight. */
void qvk_batches_close(struct gpu *gpu);

/* UNSUPPORTED, and why, where the device can't reach the picture. */
enum qpel_result qvk_picture_reached(const struct qpel_picture *picture,
                                     char reason[QPEL_REASON_SIZE]);

/* Forgets what was planned. */
void qvk_batch_begin(struct gpu_batch *gpu_batch, const struct qpel_batch *batch);
/* Plans blocks that are not planned yet. UNSUPPORTED fills reason. */
enum qpel_result qvk_batch_plan(struct qvk_device *device, struct gpu_batch *gpu_batch,
                                const struct qpel_batch *batch, char reason[QPEL_REASON_SIZE]);
/* Plans all, and writes whatever is missing of what the shaders read but samples. */
enum qpel_result qvk_batch_upload(struct qvk_device *device, struct gpu_batch *gpu_batch,
                                  const struct qpel_batch *batch, char reason[QPEL_REASON_SIZE]);

/* The bytes of a target's buffer from its first sample to behind its last, from a whole word on. */
struct qvk_span {
    size_t first, size;
};
struct qvk_span qvk_target_span(const struct qpel_picture *target);

/* Makes the pipelines that an uploaded batch needs. */
enum qpel_result qvk_batch_prepare(struct gpu *gpu, struct gpu_batch *gpu_batch,
                                   const struct qpel_batch *batch);
/* Then records its work into any command buffer, with the barriers between, none before and
 * after. */
void qvk_batch_record(struct gpu *gpu, struct gpu_batch *gpu_batch, const struct qpel_batch *batch,
                      VkCommandBuffer commands);

#endif
