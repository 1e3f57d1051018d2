#include "validate.h"

/* Strides beyond this can't hold a valid block; below it, offsets of rows don't overflow. */
#define STRIDE_MAX (PTRDIFF_MAX / 32)

/* Offsets, from a block's own, of the lowest byte of a set of rectangles and of the byte
 * after the highest. */
struct reach {
    int64_t low, high;
};

static struct reach reach_of(struct qpel_rectangle r, int64_t stride)
{
    int64_t top = r.top * stride, bottom = r.bottom * stride;
    return (struct reach){
        .low = (top < bottom ? top : bottom) + r.left,
        .high = (top < bottom ? bottom : top) + r.right + 1,
    };
}

static struct reach reach_window(const struct qpel_window *w, int64_t stride)
{
    struct reach a = reach_of(w->row, stride), b = reach_of(w->column, stride);
    return (struct reach){
        .low = a.low < b.low ? a.low : b.low,
        .high = a.high > b.high ? a.high : b.high,
    };
}

enum qpel_fault qpel_validate_kernel(const struct qpel_dispatch_params *p)
{
    if ((unsigned)p->backend > QPEL_BACKEND_GPU)
        return QPEL_FAULT_BACKEND;
    if ((unsigned)p->operation >= QPEL_OPERATION_COUNT)
        return QPEL_FAULT_OPERATION;
    if ((unsigned)p->size >= QPEL_SIZE_COUNT)
        return QPEL_FAULT_SIZE;
    if ((unsigned)p->position >= QPEL_POSITION_COUNT)
        return QPEL_FAULT_POSITION;
    if (p->bit_depth != 0 && p->bit_depth != 8)
        return QPEL_FAULT_BIT_DEPTH;
    return QPEL_FAULT_NONE;
}

static enum qpel_fault take_plane(const struct qpel_context *context, const struct qpel_plane *p,
                                  struct job_plane *out)
{
    if (!p->data == !p->buffer)
        return QPEL_FAULT_NULL;
    *out = (struct job_plane){ .size = p->size, .stride = p->stride };
    if (p->buffer) {
        const struct qpel_buffer *b = p->buffer;
        if (b->context != context || p->offset > b->size || p->size > b->size - p->offset)
            return QPEL_FAULT_PLANE;
        out->data = (uint8_t *)b->data + p->offset;
        out->buffer = b->gpu_buffer;
        out->offset = p->offset;
    } else {
        if (p->offset || p->size > PTRDIFF_MAX || p->size > UINTPTR_MAX - (uintptr_t)p->data)
            return QPEL_FAULT_PLANE;
        out->data = p->data;
    }
    return QPEL_FAULT_NONE;
}

static enum qpel_fault check_stride(ptrdiff_t stride, ptrdiff_t least)
{
    if (stride > STRIDE_MAX || stride < -STRIDE_MAX)
        return QPEL_FAULT_STRIDE;
    return stride >= least || stride <= -least ? QPEL_FAULT_NONE : QPEL_FAULT_STRIDE;
}

/* Offsets of blocks that keep a reach inside the plane: [least, most], or none if least > most. */
struct range {
    int64_t least, most;
};

static struct range inside(struct reach reach, size_t size)
{
    return (struct range){ .least = -reach.low, .most = (int64_t)size - reach.high };
}

static enum qpel_result fail(struct qpel_report *report, enum qpel_fault fault, size_t block)
{
    report->fault = fault;
    report->fault_block = block;
    return QPEL_ERROR_INVALID;
}

static enum qpel_result check_blocks(const struct qpel_dispatch_params *p, struct job *job,
                                     struct qpel_report *report)
{
    int width = block_width(p->size);
    struct qpel_window window = qpel_window(p->position, width, width);
    struct reach write =
        reach_of((struct qpel_rectangle){ 0, 0, width - 1, width - 1 }, p->dst.stride);
    struct reach read = reach_window(&window, p->src.stride);
    struct range dst = inside(write, p->dst.size), src = inside(read, p->src.size);
    uint32_t dst_low = UINT32_MAX, dst_high = 0, src_low = UINT32_MAX, src_high = 0, dst_bits = 0;

    for (size_t i = 0; i < p->count; i++) {
        struct qpel_block b = p->blocks[i];
        if (b.dst < dst.least || b.dst > dst.most)
            return fail(report, QPEL_FAULT_DST, i);
        if (b.src < src.least || b.src > src.most)
            return fail(report, QPEL_FAULT_SRC, i);
        dst_low = b.dst < dst_low ? b.dst : dst_low;
        dst_high = b.dst > dst_high ? b.dst : dst_high;
        src_low = b.src < src_low ? b.src : src_low;
        src_high = b.src > src_high ? b.src : src_high;
        dst_bits |= b.dst;
    }
    if (p->count) {
        job->dst.first = (size_t)(dst_low + write.low);
        job->dst.end = (size_t)(dst_high + write.high);
        job->src.first = (size_t)(src_low + read.low);
        job->src.end = (size_t)(src_high + read.high);
        job->words = ((dst_bits | (uintptr_t)job->dst.data | (size_t)p->dst.stride) & 3) == 0;
    }
    return QPEL_OK;
}

enum qpel_result qpel_validate_dispatch(const struct qpel_context *context,
                                        const struct qpel_dispatch_params *p, struct job *job,
                                        struct qpel_report *report)
{
    enum qpel_fault fault = qpel_validate_kernel(p);
    if (fault)
        return fail(report, fault, SIZE_MAX);
    *job = (struct job){
        .operation = p->operation,
        .size = p->size,
        .position = p->position,
        .blocks = p->blocks,
        .count = p->count,
        .timed = p->timed,
    };
    if (p->count && !p->blocks)
        return fail(report, QPEL_FAULT_NULL, SIZE_MAX);
    if (p->count > PTRDIFF_MAX / sizeof *p->blocks)
        return fail(report, QPEL_FAULT_COUNT, SIZE_MAX);
    if ((fault = take_plane(context, &p->dst, &job->dst)) ||
        (fault = take_plane(context, &p->src, &job->src)) ||
        (fault = check_stride(p->dst.stride, block_width(p->size))) ||
        (fault = check_stride(p->src.stride, 0)))
        return fail(report, fault, SIZE_MAX);
    return check_blocks(p, job, report);
}
