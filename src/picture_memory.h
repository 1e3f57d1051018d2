/* Where pictures lie: pictures of one size share buffers, so that a batch's references are mostly
 * in one, which is what a GPU's dispatch reads from. */
#ifndef QPEL_PICTURE_MEMORY_H
#define QPEL_PICTURE_MEMORY_H

#include <stdint.h>

#include "context.h"

enum { CHUNK_PICTURES_MAX = 16 };

/* A buffer of the GPU's, cut into equal pieces for pictures. Behind them what submissions work
 * with, which all share, since one queue carries them out one after the other: a piece more, the
 * scratch picture (for list 0 of blocks with two references), slots (picture_interface.h), and
 * words that idle lanes write. A buffer without these has `slot_room` 0; a batch then works in its
 * own. */
struct picture_chunk {
    struct picture_chunk *next;
    struct gpu_buffer *buffer;
    enum qpel_near near;
    size_t piece;                /* bytes */
    unsigned count;              /* pieces */
    unsigned taken, used;        /* a bit a piece: now; ever */
    size_t scratch, slots, idle; /* where they begin */
    size_t slot_room;            /* slots */
};

/* A piece, or the CPU's own memory. Neither: a caller's. */
struct picture_memory {
    struct picture_chunk *chunk;
    size_t offset; /* in the chunk's buffer */
    void *own;
};

/* Zero-filled, and as qpel_gpu_buffer_create() has it. units: of 8x8 samples that the picture has.
 * NOMEM, DEVICE_LOST. */
enum qpel_result qpel_picture_memory_take(struct qpel_context *context, size_t size, size_t units,
                                          enum qpel_near near, struct picture_memory *out);
void qpel_picture_memory_give(struct qpel_context *context, struct picture_memory *memory);

void *qpel_picture_memory_data(const struct picture_memory *memory);

/* What the GPU wrote is visible to the CPU, and the other way round. */
enum qpel_result qpel_picture_memory_to_cpu(struct qpel_context *context,
                                            const struct picture_memory *memory);
enum qpel_result qpel_picture_memory_to_gpu(struct qpel_context *context,
                                            const struct picture_memory *memory);

#endif
