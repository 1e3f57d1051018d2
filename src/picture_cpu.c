/* The picture door on the CPU: block by block, with the kernels of the dsp door. */
#include "clamped.h"
#include "cpu/blocks.h"
#include "rows_ahead.h"

#define INLINE   static inline __attribute__((always_inline))
#define NOINLINE static __attribute__((noinline))

/* Predictions on their way to being weighted. */
enum { PREDICTION_STRIDE = 16, PREDICTION_SIZE = 16 * PREDICTION_STRIDE };

/* A pass makes one component of all blocks; of interleaved chroma, both at once. What they have in
 * common: */
struct pass {
    const struct qpel_batch *batch;
    const struct qpel_kernels *kernels;
    int component; /* the first; Cr follows at the next byte where samples have a step of 2 */
    bool quarter;  /* luma's filters, which 4:4:4 has for chroma, too */
    int x_shift, y_shift; /* from luma's columns and rows to the component's */
    struct samples targets[QPEL_BOTTOM_FIELD + 1]; /* rows by parity */
    /* Luma's window of one sample, by position: how much further than a block its window reaches.
     */
    struct qpel_rectangle reach[QPEL_POSITION_COUNT];
    struct samples references[QPEL_REFERENCE_MAX];
};

/* A block's share. */
struct part {
    int x, y, width, height;
};

INLINE struct part part_of(const struct qpel_picture_block *b, int x_shift, int y_shift)
{
    return (struct part){ b->x >> x_shift, b->y >> y_shift, b->width >> x_shift,
                          b->height >> y_shift };
}

/* Few windows leave their reference: apart, so that the others keep what they need in registers. */
NOINLINE const uint8_t *fetch(const struct samples *ref, int x, int y,
                              const struct qpel_rectangle *one, int width, int height,
                              uint8_t *room)
{
    return window_clamped(ref, x, y, one, width, height, room, CLAMPED_BYTES);
}

INLINE enum qpel_size size_of(int side)
{
    return (enum qpel_size)(QPEL_SIZE_4 - (side >> 3));
}

/* Luma, and chroma of 4:4:4 (8.4.2.2.1). */
INLINE void predict_quarter(const struct pass *pass, const struct samples *ref, struct part p,
                            const int16_t mv[2], uint8_t *dst, ptrdiff_t dst_stride,
                            enum qpel_operation operation)
{
    uint8_t room[CLAMPED_SIZE(CLAMPED_BYTES)];
    const int side = p.width < p.height ? p.width : p.height;
    const int position = (mv[0] & 3) + 4 * (mv[1] & 3);
    qpel_kernel_fn *kernel =
        (operation == QPEL_PUT ? pass->kernels->put : pass->kernels->avg)[size_of(side)][position];
    const int x = p.x + (mv[0] >> 2), y = p.y + (mv[1] >> 2);
    const struct qpel_rectangle *one = &pass->reach[position];
    ptrdiff_t stride = ref->stride;
    const uint8_t *src;
    if (__builtin_expect(window_leaves(ref, x, y, one, p.width, p.height), 0)) {
        src = fetch(ref, x, y, one, p.width, p.height, room);
        stride = CLAMPED_BYTES;
    } else {
        src = ref->data + y * stride + x;
    }
    kernel(dst, src, dst_stride, stride);
    if (p.width == p.height)
        return;
    if (p.width > side)
        kernel(dst + side, src + side, dst_stride, stride);
    else
        kernel(dst + side * dst_stride, src + side * stride, dst_stride, stride);
}

/* Table 8-9: between fields of different parity, a quarter of a chroma sample, in eighths. */
static int parity_offset(const struct pass *pass, const struct qpel_picture_block *b, int list)
{
    const enum qpel_parity other = pass->batch->references[b->reference[list]].parity;
    if (!pass->y_shift || b->parity == QPEL_FRAME || other == QPEL_FRAME)
        return 0;
    return 2 * ((int)b->parity - (int)other);
}

/* Chroma of 4:2:0 and 4:2:2 (8.4.1.4, 8.4.2.2.2). */
INLINE void predict_eighth(const struct pass *pass, const struct samples *ref, struct part p,
                           const int16_t mv[2], int offset, uint8_t *dst, ptrdiff_t dst_stride,
                           enum qpel_operation operation)
{
    uint8_t room[CLAMPED_SIZE(CLAMPED_BYTES)];
    /* Vertically, 4:2:2 has the rows of luma, and quarter samples of its own. */
    const int unit = 2 + pass->y_shift, my = mv[1] + offset;
    const int x_frac = mv[0] & 7, y_frac = (my & ((1 << unit) - 1)) << (3 - unit);
    const int x = p.x + (mv[0] >> 3), y = p.y + (my >> unit);
    const struct qpel_rectangle one = { 0, 0, x_frac > 0, y_frac > 0 };
    ptrdiff_t stride = ref->stride;
    const uint8_t *src;
    if (__builtin_expect(window_leaves(ref, x, y, &one, p.width, p.height), 0)) {
        src = fetch(ref, x, y, &one, p.width, p.height, room);
        stride = CLAMPED_BYTES;
    } else {
        src = ref->data + y * stride + x * ref->step;
    }
    pass->kernels->chroma(dst, dst_stride, src, stride, p.width * ref->step, p.height, ref->step,
                          x_frac, y_frac, operation);
}

/* One list's prediction of a part. quarter: as the pass has it, a constant. */
INLINE void predict(const struct pass *pass, const struct qpel_picture_block *b, struct part p,
                    int list, uint8_t *dst, ptrdiff_t dst_stride, enum qpel_operation operation,
                    bool quarter)
{
    const struct samples *ref = &pass->references[b->reference[list]];
    if (quarter)
        predict_quarter(pass, ref, p, b->mv[list], dst, dst_stride, operation);
    else
        predict_eighth(pass, ref, p, b->mv[list], parity_offset(pass, b, list), dst, dst_stride,
                       operation);
}

static struct weights weights_of(const struct qpel_weight *w, int component, int references)
{
    int o0 = w->o[0][component], o1 = w->o[1][component];
    return (struct weights){
        .log_wd = w->log_wd[component],
        .w = { w->w[0][component], w->w[1][component] },
        .offset = references == 1 ? o0 : (o0 + o1 + 1) >> 1,
    };
}

/* False: the block's weights are not of these components. Few are weighted: apart, as fetch(). */
NOINLINE bool predict_weighted(const struct pass *pass, const struct qpel_picture_block *b)
{
    const struct qpel_weight *weight = &pass->batch->weights[b->weight - 1];
    const struct samples *target = &pass->targets[b->parity];
    const struct part p = part_of(b, pass->x_shift, pass->y_shift);
    uint8_t *dst = target->data + p.y * target->stride + p.x * target->step;
    uint8_t predictions[2][PREDICTION_SIZE];
    if (!(weight->planes >> pass->component & ((1u << target->step) - 1)))
        return false;
    for (int list = 0; list < b->references; list++)
        if (pass->quarter)
            predict(pass, b, p, list, predictions[list], PREDICTION_STRIDE, QPEL_PUT, true);
        else
            predict(pass, b, p, list, predictions[list], PREDICTION_STRIDE, QPEL_PUT, false);
    for (int i = 0; i < target->step; i++) {
        int component = pass->component + i;
        struct weights weights = { .w = { 1, 1 } }; /* default: (a + b + 1) >> 1, or a */
        if (weight->planes >> component & 1)
            weights = weights_of(weight, component, b->references);
        pass->kernels->weight(dst, target->stride, predictions[0],
                              b->references == 2 ? predictions[1] : NULL, PREDICTION_STRIDE,
                              p.width * target->step, p.height, target->step, i, weights);
    }
    return true;
}

INLINE void run(const struct pass *pass, size_t first, size_t end, bool quarter)
{
    const int x_shift = quarter ? 0 : pass->x_shift, y_shift = quarter ? 0 : pass->y_shift;
    int marks[QPEL_REFERENCE_MAX];
    const struct rows_ahead ahead =
        rows_ahead_of(pass->batch, end, pass->references, y_shift, marks);
    for (size_t i = first; i < end; i++) {
        const struct qpel_picture_block *b = &pass->batch->blocks[i];
        rows_ahead_look(&ahead, i);
        if (__builtin_expect(b->weight, 0) && predict_weighted(pass, b))
            continue;
        const struct part p = part_of(b, x_shift, y_shift);
        const struct samples *target = &pass->targets[b->parity];
        uint8_t *dst = target->data + p.y * target->stride + p.x * (quarter ? 1 : target->step);
        predict(pass, b, p, 0, dst, target->stride, QPEL_PUT, quarter);
        if (b->references == 2)
            predict(pass, b, p, 1, dst, target->stride, QPEL_AVG, quarter);
    }
}

NOINLINE void run_quarter(const struct pass *pass, size_t first, size_t end)
{
    run(pass, first, end, true);
}

NOINLINE void run_eighth(const struct pass *pass, size_t first, size_t end)
{
    run(pass, first, end, false);
}

static void start_pass(struct pass *pass, int component)
{
    const struct qpel_batch *batch = pass->batch;
    const struct qpel_picture *target = batch->target;
    const enum qpel_chroma chroma = component ? target->format.chroma : QPEL_CHROMA_444;
    pass->component = component;
    pass->quarter = chroma == QPEL_CHROMA_444;
    pass->x_shift = chroma_shift_x(chroma);
    pass->y_shift = chroma_shift_y(chroma);
    for (int parity = QPEL_FRAME; parity <= QPEL_BOTTOM_FIELD; parity++)
        pass->targets[parity] =
            samples_rows(target->component[component], (enum qpel_parity)parity);
    for (size_t i = 0; i < batch->reference_count; i++)
        pass->references[i] = batch->references[i].rows[component];
}

void qpel_picture_run_cpu(const struct qpel_batch *batch, size_t first, size_t end)
{
    const struct qpel_picture *target = batch->target;
    struct pass pass;
    pass.batch = batch;
    pass.kernels = &batch->context->kernels;
    for (int position = 0; position < QPEL_POSITION_COUNT; position++)
        pass.reach[position] = qpel_window(position, 1, 1).bounds;
    for (int c = 0; c < target->components; c += target->component[c].step) {
        start_pass(&pass, c);
        (pass.quarter ? run_quarter : run_eighth)(&pass, first, end);
    }
}
