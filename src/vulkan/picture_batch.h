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
    struct picture_chunk *chunks[PLAN_SOURCE_MAX]; /* by source */
    struct gpu_buffer *upload;                     /* null: not needed so far */
    struct gpu_buffer *scratch; /* list 0 of units with two references; likewise */
    /* Sections of the upload buffer: rows of 16 bytes. */
    uint32_t weights, items, slots, rows;
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

/* Plans the batch and writes all that the shaders read of it but samples. UNSUPPORTED fills
 * reason. */
enum qpel_result qvk_batch_upload(struct qvk_device *device, struct gpu_batch *gpu_batch,
                                  const struct qpel_batch *batch, char reason[QPEL_REASON_SIZE]);

/* Makes the pipelines that an uploaded batch needs. */
enum qpel_result qvk_batch_prepare(struct gpu *gpu, struct gpu_batch *gpu_batch,
                                   const struct qpel_batch *batch);
/* Then records its work into any command buffer, with the barriers before and between, none
 * after. */
void qvk_batch_record(struct gpu *gpu, struct gpu_batch *gpu_batch, const struct qpel_batch *batch,
                      VkCommandBuffer commands);

#endif
