/* Where pictures lie: pictures of one size share buffers, so that a batch's references are mostly
 * in one, which is what a GPU's dispatch reads from. Those that others share, too, have a buffer
 * each. */
#ifndef QPEL_PICTURE_MEMORY_H
#define QPEL_PICTURE_MEMORY_H

#include <stdint.h>

#include "context.h"
#include "dmabuf.h"
#include "picture_kind.h"

enum { CHUNK_PICTURES_MAX = 16 };

/* What may be read behind a picture's planes: shaders read a row of chroma, and everywhere a word,
 * of which they make nothing. */
enum chunk_behind { BEHIND_ROWS, BEHIND_WORD, BEHIND_NOTHING };

/* A buffer of the GPU's, cut into equal pieces for pictures. Behind them what submissions work
 * with, which all share, since one queue carries them out one after the other: a piece more, the
 * scratch picture (for list 0 of blocks with two references), slots (picture_interface.h), and
 * words that idle lanes write. A buffer without these has `slot_room` 0; a batch then works in its
 * own. */
struct picture_chunk {
    struct picture_chunk *next;
    struct gpu_buffer *buffer;
    enum qpel_near near;
    bool alone;      /* of one picture, which may be shared: never handed on */
    bool exportable; /* by the GPU */
    enum chunk_behind behind;
    size_t piece;                /* bytes */
    unsigned count;              /* pieces */
    unsigned taken, used;        /* a bit a piece: now; ever */
    size_t scratch, slots, idle; /* where they begin */
    size_t slot_room;            /* slots */
};

/* A piece, or the CPU's own memory, or a dma-buf, whose piece may also be the GPU's. None of them:
 * a caller's. */
struct picture_memory {
    struct picture_chunk *chunk;
    size_t offset; /* in the chunk's buffer */
    void *own;
    struct dmabuf dmabuf;

    /* With the context's lock held: */
    unsigned users;  /* of the CPU, */
    unsigned access; /* what it may do for them */
    bool changing;   /* a thread is at it, without the lock */
};

/* What a picture's memory is to hold. */
struct picture_need {
    size_t size;
    size_t row;   /* bytes of the longest row */
    size_t units; /* of 8x8 samples that the picture has */
    enum qpel_near near;
    bool exportable;
};

/* Zero-filled, and as qpel_gpu_buffer_create() has it, or of a dma-heap where the GPU's memory
 * would not be cached for a CPU that wants it near. UNSUPPORTED: it can't be exported; NOMEM,
 * DEVICE_LOST. reason is filled then, and also if a heap was wanted and is not there. */
enum qpel_result qpel_picture_memory_take(struct qpel_context *context,
                                          const struct picture_need *need,
                                          struct picture_memory *out,
                                          char reason[QPEL_REASON_SIZE]);

/* Lets the GPU, if there is one that can, use what `memory` has as a dma-buf; or the caller's
 * memory at base, which is in whole pages. Where it can't, chunk stays null and reason says why;
 * that is no error. NOMEM, DEVICE_LOST. */
enum qpel_result qpel_picture_memory_import(struct qpel_context *context, enum chunk_behind behind,
                                            struct picture_memory *memory,
                                            char reason[QPEL_REASON_SIZE]);
enum qpel_result qpel_picture_memory_wrap(struct qpel_context *context, void *base, size_t size,
                                          enum chunk_behind behind, struct picture_memory *memory,
                                          char reason[QPEL_REASON_SIZE]);

/* The GPU's buffer, of so many bytes, which is the memory's from then on, also on failure: NOMEM.
 */
enum qpel_result qpel_picture_memory_adopt(struct qpel_context *context, struct gpu_buffer *buffer,
                                           size_t size, enum chunk_behind behind,
                                           struct picture_memory *memory);

/* A new descriptor, of *size bytes. UNSUPPORTED, NOMEM, DEVICE_LOST. */
enum qpel_result qpel_picture_memory_export(struct qpel_context *context,
                                            const struct picture_memory *memory, int *fd,
                                            size_t *size, char reason[QPEL_REASON_SIZE]);

/* Of memory that the GPU uses. */
enum memory_sort qpel_picture_memory_sort(const struct picture_memory *memory);

/* As qpel_picture_memory_take(), of this sort, from the GPU's driver. NOMEM, DEVICE_LOST. */
enum qpel_result qpel_picture_memory_take_sort(struct qpel_context *context, struct gpu *gpu,
                                               const struct picture_need *need,
                                               enum memory_sort sort, struct picture_memory *out);

void qpel_picture_memory_give(struct qpel_context *context, struct picture_memory *memory);

/* Null: a caller's. */
void *qpel_picture_memory_data(const struct picture_memory *memory);

/* The CPU begins to use it: what the GPU wrote is visible. And it ends: what the CPU wrote is
 * visible to the GPU, once the last has ended. With the context's lock held, which is given up
 * meanwhile: that the GPU does not use it is seen to by the picture's counts. */
enum qpel_result qpel_picture_memory_open(struct qpel_context *context,
                                          struct picture_memory *memory, enum qpel_access access);
enum qpel_result qpel_picture_memory_close(struct qpel_context *context,
                                           struct picture_memory *memory);

#endif
