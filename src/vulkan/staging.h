/* Plain memory's way to the GPU and back. */
#ifndef QPEL_VK_STAGING_H
#define QPEL_VK_STAGING_H

#include "gpu.h"
#include "memory.h"

enum qvk_stage { QVK_STAGE_BLOCKS, QVK_STAGE_SRC, QVK_STAGE_DST, QVK_STAGE_COUNT };

/* Buffers that are kept, so that in steady state nothing is allocated. One thread at a time. */
struct qvk_staging {
    struct gpu_buffer *buffers[QVK_STAGE_COUNT]; /* null: not needed yet */
    uint8_t *rows; /* dst's range on its way back from memory that is slow to read */
    size_t rows_size;
};

/* A plane where the GPU sees it. */
struct qvk_place {
    struct gpu_buffer *buffer;
    uint32_t base; /* of the plane's offset 0 in the buffer, modulo 2^32 */
};

/* Nothing may be using them. */
void qvk_staging_close(struct qvk_staging *staging, struct qvk_device *device);

/* Bytes that staging a plane takes in its buffer. */
size_t qvk_stage_size(const struct job_plane *plane);

/* Make room and copy in; report counts the copies of planes. A plane in a buffer is where it is. */
enum qpel_result qvk_stage_blocks(struct qvk_staging *staging, struct qvk_device *device,
                                  const struct job *job);
enum qpel_result qvk_stage_src(struct qvk_staging *staging, struct qvk_device *device,
                               const struct job *job, struct qvk_place *place,
                               struct qpel_report *report);
enum qpel_result qvk_stage_dst(struct qvk_staging *staging, struct qvk_device *device,
                               const struct job *job, struct qvk_place *place,
                               struct qpel_report *report);

/* Copies each block's samples, and nothing else, back into plain memory. */
enum qpel_result qvk_stage_back(struct qvk_staging *staging, struct qvk_device *device,
                                const struct job *job, struct qpel_report *report);

#endif
