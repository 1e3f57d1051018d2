/* Dispatches that are checked whenever they are made. */
#ifndef BENCH_DISPATCH_H
#define BENCH_DISPATCH_H

#include "bench.h"

/* Memory for a src and a dst plane: a context's buffers, or plain. */
struct memory {
    bool plain;
    void *src, *dst; /* to touch only between memory_begin() and memory_end() */
    struct qpel_buffer *src_buffer, *dst_buffer;
    size_t src_size, dst_size;
};

/* Buffers of a context; plain memory for null. False: no memory. */
bool memory_create(struct memory *memory, struct qpel_context *context, enum qpel_near near,
                   size_t src_size, size_t dst_size);
void memory_destroy(struct memory *memory);
/* Opens both planes to the CPU. */
bool memory_begin(struct memory *memory);
bool memory_end(struct memory *memory);
/* Opens both, carries out one of these, ends. The CPU touches a buffer only in order and only by
 * whole copies, since some are very slow to read. */
bool memory_write_src(struct memory *memory, const void *src);
bool memory_write_dst(struct memory *memory, const void *dst); /* null: zeros */
bool memory_read_dst(struct memory *memory, void *dst);
/* Makes them the planes of a dispatch. */
void memory_planes(const struct memory *memory, struct qpel_dispatch_params *params);

/* Dispatches and checks all that can be: the result, the backend, the count, and that nothing was
 * copied of buffers. Adds the GPU's seconds. False: `why` tells what was wrong. */
bool checked_dispatch(struct qpel_context *context, const struct qpel_dispatch_params *params,
                      double *gpu_seconds, char why[BENCH_LINE_SIZE]);

/* What each device costs before any block: a dispatch of one, and reading its memory. */
void bench_calibrate(struct bench *bench);

#endif
