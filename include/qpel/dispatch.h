/* libqpel, second door: one kernel over many blocks, now.
 *
 * A kernel is an operation (put, avg), a size and a position. The call returns
 * when all blocks are done, with the same bytes on every backend. */
#ifndef QPEL_DISPATCH_H
#define QPEL_DISPATCH_H

#include "context.h"
#include "dsp.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Rows of samples in memory. Either plain memory, `data` and `size`; or a part of
 * a buffer: `buffer`, `offset` and `size`, with data null. Offsets of blocks
 * count from the start of this range, its lowest address, whatever the stride's sign. */
struct qpel_plane {
    void *data;
    struct qpel_buffer *buffer;
    size_t offset;    /* in the buffer */
    size_t size;      /* bytes that may be touched */
    ptrdiff_t stride; /* bytes from a row to the next; negative for bottom-up rows.
                       * Of dst at least the block's width either way. */
};

/* One block: where its first sample lies in dst, and where sample G (dsp.h) lies in src. */
struct qpel_block {
    uint32_t dst, src;
};

struct qpel_dispatch_params {
    enum qpel_backend backend; /* GPU: an error if it can't; never a quiet CPU run */
    enum qpel_operation operation;
    enum qpel_size size;
    int position;  /* 0..15 */
    int bit_depth; /* 8, or 0 for 8 */
    struct qpel_plane dst, src;
    const struct qpel_block *blocks; /* read during the call only */
    size_t count;                    /* 0 is fine: nothing is done */
    /* Ask the GPU's own clock, for report.gpu_seconds. Not free everywhere: V3D's driver stops its
     * queue for a timestamp. */
    bool timed;
};

/* Which argument broke its contract. */
enum qpel_fault {
    QPEL_FAULT_NONE,
    QPEL_FAULT_NULL, /* a pointer that must not be null; or a plane with both or neither of data and
                        buffer */
    QPEL_FAULT_BACKEND, /* not an enum qpel_backend */
    QPEL_FAULT_OPERATION,
    QPEL_FAULT_SIZE,
    QPEL_FAULT_POSITION,
    QPEL_FAULT_BIT_DEPTH,
    QPEL_FAULT_COUNT,  /* more blocks than memory could hold */
    QPEL_FAULT_PLANE,  /* a plane's range wraps round the address space, leaves its buffer, or the
                        * buffer is another context's */
    QPEL_FAULT_STRIDE, /* dst's stride is smaller than the block's width */
    QPEL_FAULT_DST,    /* a block's samples are not all inside dst */
    QPEL_FAULT_SRC,    /* a block's read window is not all inside src */
    QPEL_FAULT_OVERLAP_SRC, /* a block writes bytes that a block of the call reads */
    QPEL_FAULT_OVERLAP_DST, /* two blocks write the same sample */
    QPEL_FAULT_BUFFER_BUSY  /* a CPU access of a buffer is open (QPEL_ERROR_BUSY) */
};
/* "none", "null pointer", ...: what is wrong, for people. Static storage; any thread. */
QPEL_API const char *qpel_fault_name(enum qpel_fault fault);

/* What happened. Filled by every call that is given one, also by calls that fail. */
struct qpel_report {
    enum qpel_backend backend;   /* who ran, CPU or GPU; AUTO when nothing did */
    char device[QPEL_NAME_SIZE]; /* the CPU layer's or the GPU's name; "" when nothing ran */
    size_t blocks;               /* blocks predicted */
    unsigned copies;       /* staging copies of plane memory made for the GPU, 0 for buffers */
    uint64_t copied_bytes; /* bytes in those copies */
    double gpu_seconds; /* by the GPU's own clock; negative where that was not asked for, there is
                           none, or it did not run */
    enum qpel_fault fault; /* on QPEL_ERROR_INVALID and QPEL_ERROR_BUSY: what */
    size_t fault_block;    /* the first block at fault; SIZE_MAX where it is no block's fault */
    char reason[QPEL_REASON_SIZE]; /* why this backend, or what failed */
};

/* Predicts `count` blocks.
 *
 * Checked before anything runs, in this order and alike on every backend: the
 * enums and pointers, the planes, then for each block in turn that its N x N
 * samples lie inside dst and its read window (qpel_window(); of a diagonal the
 * cross) inside src; last that no block writes what another reads or writes.
 * At the first fault the call returns QPEL_ERROR_INVALID, the report names it, and
 * nothing is written.
 *
 * The GPU additionally wants, of dst, that base, stride and every block's offset
 * be multiples of 4 (a 32-bit word has one owner), and that what it binds
 * fits the device: if not, backend GPU answers QPEL_ERROR_UNSUPPORTED with the reason,
 * and AUTO uses the CPU. Plain memory is staged for it: once each way, and only the
 * rows that the blocks touch; of dst just the blocks' samples are written back.
 *
 *   params  read during the call only
 *   report  may be null
 *
 * QPEL_OK; QPEL_ERROR_INVALID; QPEL_ERROR_BUSY; QPEL_ERROR_NOMEM; QPEL_ERROR_UNSUPPORTED;
 * QPEL_ERROR_DEVICE_LOST and QPEL_ERROR_TIMEOUT (GPU only: dst's blocks are undefined if they lie
 * in a buffer, untouched if in plain memory). AUTO retries neither: a failed GPU run is an error,
 * and the next AUTO call runs on the CPU. avg reads dst, so a failed call must not be repeated on
 * it.
 *
 * Any thread, any number at once on one context, as long as the written samples are distinct. */
QPEL_API enum qpel_result qpel_dispatch(struct qpel_context *context,
                                        const struct qpel_dispatch_params *params,
                                        struct qpel_report *report);

#ifdef __cplusplus
}
#endif

#endif
