/* Pictures and batches from inside. */
#ifndef QPEL_SRC_PICTURE_H
#define QPEL_SRC_PICTURE_H

#include "picture_memory.h"
#include "qpel/picture.h"

/* A plane of samples, as frame rows. Chroma that is interleaved is two planes with a step of 2. */
struct samples {
    uint8_t *data;
    ptrdiff_t stride;
    int width, height; /* samples */
    int step;          /* bytes from a sample to the next in its row: 1, or 2 where interleaved */
};

/* Y, Cb, Cr. */
enum { COMPONENT_COUNT = 3 };

/* Where the planes lie: planar 3 (4:0:0: 1), interleaved 2. Strides are positive. */
struct picture_planes {
    size_t offset[QPEL_PLANE_MAX];
    size_t stride[QPEL_PLANE_MAX];
};

/* Who carries out a submission. */
enum runner {
    RUNNER_CPU,
    RUNNER_GPU,
    RUNNER_CALLER, /* executes what the library has recorded */
    RUNNER_COUNT
};

/* Of a picture: submissions that are not done. */
struct uses {
    unsigned reading, writing;
};

struct qpel_picture {
    struct qpel_context *context;
    struct qpel_picture_format format;
    struct qpel_picture_data data; /* as the caller sees it */
    struct picture_planes planes;  /* from the start of `memory`; wrapped: all 0 */
    struct samples component[COMPONENT_COUNT];
    int components; /* 1 for 4:0:0 */
    struct picture_memory memory;
    enum qpel_memory_kind kind;
    bool unmapped;                 /* the CPU does not reach it, */
    char reason[QPEL_REASON_SIZE]; /* why not; or why the GPU doesn't, or why it is not cached */

    /* With the context's lock held: */
    unsigned holds;         /* the caller's one, and one a batch that names the picture */
    unsigned reads, writes; /* open CPU accesses */
    struct uses uses[RUNNER_COUNT];
};

/* The rows of a component that a parity names. */
static inline struct samples samples_rows(struct samples s, enum qpel_parity parity)
{
    if (parity == QPEL_FRAME)
        return s;
    s.data += parity == QPEL_BOTTOM_FIELD ? s.stride : 0;
    s.height = (s.height + (parity == QPEL_TOP_FIELD)) / 2;
    s.stride *= 2;
    return s;
}

/* Whether every component has rows of this parity: of two rows of 4:2:0 chroma has one. */
static inline bool has_rows(const struct qpel_picture *picture, enum qpel_parity parity)
{
    return samples_rows(picture->component[picture->components - 1], parity).height > 0;
}

/* 4:2:0 and 4:2:2 halve chroma's columns, 4:2:0 its rows. */
static inline int chroma_shift_x(enum qpel_chroma chroma)
{
    return chroma == QPEL_CHROMA_420 || chroma == QPEL_CHROMA_422;
}
static inline int chroma_shift_y(enum qpel_chroma chroma)
{
    return chroma == QPEL_CHROMA_420;
}

/* A picture without memory; null: there is none for it. */
struct qpel_picture *qpel_picture_new(struct qpel_context *context,
                                      const struct qpel_picture_format *format);
/* One of 64x128 and the like for the self-test: in the GPU's memory, of this sort. NOMEM,
 * DEVICE_LOST. */
enum qpel_result qpel_picture_create_sort(struct qpel_context *context, struct gpu *gpu,
                                          const struct qpel_picture_format *format,
                                          enum memory_sort sort, struct qpel_picture **out);
/* Its planes, from the start of its memory, and all that follows from them. */
void qpel_picture_set_planes(struct qpel_picture *picture, const struct picture_planes *planes);
/* Lets the GPU use memory that is not the library's, if it can; else `reason` says why not. NOMEM,
 * DEVICE_LOST. base, size: of a caller's memory, else of the dma-buf that it has. */
enum qpel_result qpel_picture_reach(struct qpel_picture *picture, void *base, size_t size);

/* With the context's lock held. */
void qpel_picture_hold(struct qpel_picture *picture);
/* Gives one hold back; true: that was the last, and the caller frees it with qpel_picture_free(),
 * without the lock. */
bool qpel_picture_drop(struct qpel_picture *picture);
void qpel_picture_free(struct qpel_picture *picture);

struct reference {
    struct qpel_picture *picture;
    enum qpel_parity parity;
    struct samples rows[COMPONENT_COUNT]; /* the picture's, of that parity */
    unsigned target_rows; /* which rows of the target these are: 1 top field's, 2 bottom field's */
};

enum batch_state {
    BATCH_EMPTY, /* no target */
    BATCH_COLLECTING,
    BATCH_RUNNING, /* submitted; its ticket is not done */
    BATCH_DONE
};

/* What recipes count of a batch's blocks, recipe_batch.c. */
struct batch_counts {
    size_t blocks;                           /* that have been counted: the first so many */
    uint64_t lists, samples, axes;           /* of luma, see enum qpel_term */
    uint64_t weighted_luma, weighted_chroma; /* chroma: as if it had luma's samples */
};

struct qpel_batch {
    struct qpel_context *context;
    struct qpel_batch *next; /* of the context; with its lock held */
    /* Changes under the context's lock once submitted. Atomic, as a thread that runs the last
     * slice ends a submission, and the batch's owner may ask meanwhile what it can do. */
    _Atomic enum batch_state state;
    struct qpel_picture *target;
    struct reference references[QPEL_REFERENCE_MAX];
    size_t reference_count;
    struct qpel_weight *weights;
    size_t weight_count, weight_room;
    struct qpel_picture_block *blocks;
    size_t block_count, block_room;
    uint64_t *cover; /* which samples are written, see batch.c */
    size_t cover_words;
    unsigned rows_written, rows_read; /* of the target, a bit a field */
    unsigned rows_entered;            /* as references */
    bool bi, weighted;                /* a block has two references; a block has weights */
    struct batch_counts counts;
    /* Of the last submission; with the context's lock held: */
    qpel_ticket ticket;
    enum qpel_result result;
    unsigned slices, slices_left;
    uint64_t *slices_taken; /* a bit each */
    size_t slices_room;
    bool fd_wished;        /* it may be asked for a descriptor that tells its end */
    bool event_open;       /* it was asked for, of the CPU: */
    int event;             /* ours, an eventfd that is written at the end */
    struct gpu_batch *gpu; /* null: not needed so far */
    bool for_gpu;          /* the last submission went there, so likely will the next */
    enum runner runner;    /* of one that runs */
    bool submitted;        /* it has been handed over to the GPU, so that its fence tells */
    double gpu_seconds;    /* of one that is done: by the GPU's clock; negative: not known */
    unsigned waiters;      /* threads that wait for the fence */
};

/* Ends what a batch has in flight, for its destruction. */
void qpel_submission_end(struct qpel_batch *batch);

/* qpel_submit() to the GPU, or as `wish` has it, which may be to record: then there is no ticket.
 * The report has been cleared. */
enum qpel_result qpel_submit_gpu(struct qpel_batch *batch, const struct qpel_submit_params *params,
                                 const struct gpu_wish *wish, enum runner runner,
                                 qpel_ticket *ticket, struct qpel_report *report);

/* Predicts blocks first..end-1 of a batch in the caller's thread. */
void qpel_picture_run_cpu(const struct qpel_batch *batch, size_t first, size_t end);

#endif
