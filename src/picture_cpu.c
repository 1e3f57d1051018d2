/* The picture door on the CPU: block by block, with the kernels of the dsp door. */
#include "clamped.h"
#include "cpu/blocks.h"
#include "rows_ahead.h"

/* Predictions on their way to being weighted. */
enum { PREDICTION_STRIDE = 16, PREDICTION_SIZE = 16 * PREDICTION_STRIDE };

/* What the blocks of a run have in common. */
struct run {
    const struct qpel_batch *batch;
    const struct qpel_kernels *kernels;
    enum qpel_chroma chroma;
    struct samples target[QPEL_BOTTOM_FIELD + 1][COMPONENT_COUNT]; /* rows by parity */
    /* The window of one sample, by position: how much further than a block its window reaches. */
    struct qpel_rectangle reach[QPEL_POSITION_COUNT];
};

/* A block's share of one plane; of interleaved chroma, of both components at once. */
struct part {
    const struct samples *target; /* the plane's rows of the block's parity */
    int component; /* the first; Cr follows at the next byte where target's step is 2 */
    int x, y, width, height;
};

/* Few windows leave their reference: apart, so that the others keep what they need in registers. */
static __attribute__((noinline)) const uint8_t *fetch(const struct samples *ref, int x, int y,
                                                      const struct qpel_rectangle *one, int width,
                                                      int height, uint8_t *room)
{
    return window_clamped(ref, x, y, one, width, height, room, CLAMPED_BYTES);
}

static inline enum qpel_size size_of(int side)
{
    return (enum qpel_size)(QPEL_SIZE_4 - (side >> 3));
}

/* Luma, and chroma of 4:4:4 (8.4.2.2.1). */
static inline void predict_quarter(const struct run *run, const struct samples *ref,
                                   const struct part *p, const int16_t mv[2], uint8_t *dst,
                                   ptrdiff_t dst_stride, enum qpel_operation operation)
{
    uint8_t scratch[CLAMPED_SIZE(CLAMPED_BYTES)];
    int side = p->width < p->height ? p->width : p->height;
    int position = (mv[0] & 3) + 4 * (mv[1] & 3);
    qpel_kernel_fn *kernel =
        (operation == QPEL_PUT ? run->kernels->put : run->kernels->avg)[size_of(side)][position];
    int x = p->x + (mv[0] >> 2), y = p->y + (mv[1] >> 2);
    const struct qpel_rectangle *one = &run->reach[position];
    ptrdiff_t stride = ref->stride;
    const uint8_t *src;
    if (__builtin_expect(window_leaves(ref, x, y, one, p->width, p->height), 0)) {
        src = fetch(ref, x, y, one, p->width, p->height, scratch);
        stride = CLAMPED_BYTES;
    } else {
        src = ref->data + y * stride + x;
    }
    kernel(dst, src, dst_stride, stride);
    if (p->width > side)
        kernel(dst + side, src + side, dst_stride, stride);
    else if (p->height > side)
        kernel(dst + side * dst_stride, src + side * stride, dst_stride, stride);
}

/* Chroma of 4:2:0 and 4:2:2 (8.4.1.4, 8.4.2.2.2). */
static void predict_chroma(const struct run *run, const struct samples *ref, const struct part *p,
                           const int16_t mv[2], int parity_offset, uint8_t *dst,
                           ptrdiff_t dst_stride, enum qpel_operation operation)
{
    uint8_t scratch[CLAMPED_SIZE(CLAMPED_BYTES)];
    /* Vertically, 4:2:2 has the rows of luma, and quarter samples of its own. */
    int unit = run->chroma == QPEL_CHROMA_420 ? 3 : 2;
    int my = mv[1] + parity_offset;
    int x_frac = mv[0] & 7, y_frac = (my & ((1 << unit) - 1)) << (3 - unit);
    int x = p->x + (mv[0] >> 3), y = p->y + (my >> unit);
    const struct qpel_rectangle one = { 0, 0, x_frac > 0, y_frac > 0 };
    ptrdiff_t stride = ref->stride;
    const uint8_t *src;
    if (__builtin_expect(window_leaves(ref, x, y, &one, p->width, p->height), 0)) {
        src = fetch(ref, x, y, &one, p->width, p->height, scratch);
        stride = CLAMPED_BYTES;
    } else {
        src = ref->data + y * stride + x * ref->step;
    }
    run->kernels->chroma(dst, dst_stride, src, stride, p->width * p->target->step, p->height,
                         p->target->step, x_frac, y_frac, operation);
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

/* One list's prediction of a part. */
static inline void predict_list(const struct run *run, const struct qpel_picture_block *b,
                                const struct part *p, int list, uint8_t *dst, ptrdiff_t dst_stride,
                                enum qpel_operation operation)
{
    const struct reference *r = &run->batch->references[b->reference[list]];
    const struct samples *ref = &r->rows[p->component];
    if (p->component == 0 || run->chroma == QPEL_CHROMA_444) {
        predict_quarter(run, ref, p, b->mv[list], dst, dst_stride, operation);
        return;
    }
    /* Table 8-9: between fields of different parity, a quarter of a chroma sample, in eighths. */
    int offset = 0;
    if (run->chroma == QPEL_CHROMA_420 && b->parity != QPEL_FRAME && r->parity != QPEL_FRAME)
        offset = 2 * ((int)b->parity - (int)r->parity);
    predict_chroma(run, ref, p, b->mv[list], offset, dst, dst_stride, operation);
}

static void weight_part(const struct run *run, const struct qpel_weight *w, int references,
                        const struct part *p, uint8_t *dst, uint8_t predictions[2][PREDICTION_SIZE])
{
    for (int i = 0; i < p->target->step; i++) {
        int component = p->component + i;
        struct weights weights = { .w = { 1, 1 } }; /* default: (a + b + 1) >> 1, or a */
        if (w->planes >> component & 1)
            weights = weights_of(w, component, references);
        run->kernels->weight(dst, p->target->stride, predictions[0],
                             references == 2 ? predictions[1] : NULL, PREDICTION_STRIDE,
                             p->width * p->target->step, p->height, p->target->step, i, weights);
    }
}

/* Few blocks are weighted: apart from the others, which then keep what they need in registers. */
static __attribute__((noinline)) void predict_weighted(const struct run *run,
                                                       const struct qpel_picture_block *b,
                                                       const struct part *p, uint8_t *dst,
                                                       const struct qpel_weight *weight)
{
    uint8_t predictions[2][PREDICTION_SIZE];
    for (int l = 0; l < b->references; l++)
        predict_list(run, b, p, l, predictions[l], PREDICTION_STRIDE, QPEL_PUT);
    weight_part(run, weight, b->references, p, dst, predictions);
}

static inline void predict_part(const struct run *run, const struct qpel_picture_block *b,
                                const struct part *p)
{
    uint8_t *dst = p->target->data + p->y * p->target->stride + p->x * p->target->step;
    const struct qpel_weight *weight = b->weight ? &run->batch->weights[b->weight - 1] : NULL;
    if (weight && weight->planes >> p->component & ((1u << p->target->step) - 1)) {
        predict_weighted(run, b, p, dst, weight);
        return;
    }
    predict_list(run, b, p, 0, dst, p->target->stride, QPEL_PUT);
    if (b->references == 2)
        predict_list(run, b, p, 1, dst, p->target->stride, QPEL_AVG);
}

static void run_luma(const struct run *run, size_t first, size_t end)
{
    struct rows_ahead ahead;
    rows_ahead_start(&ahead, run->batch, 0, end);
    for (size_t i = first; i < end; i++) {
        const struct qpel_picture_block *b = &run->batch->blocks[i];
        rows_ahead_look(&ahead, i);
        predict_part(run, b,
                     &(struct part){
                         .target = &run->target[b->parity][0],
                         .x = b->x,
                         .y = b->y,
                         .width = b->width,
                         .height = b->height,
                     });
    }
}

static void run_chroma(const struct run *run, int component, size_t first, size_t end)
{
    int sx = chroma_shift_x(run->chroma), sy = chroma_shift_y(run->chroma);
    struct rows_ahead ahead;
    rows_ahead_start(&ahead, run->batch, component, end);
    for (size_t i = first; i < end; i++) {
        const struct qpel_picture_block *b = &run->batch->blocks[i];
        rows_ahead_look(&ahead, i);
        predict_part(run, b,
                     &(struct part){
                         .target = &run->target[b->parity][component],
                         .component = component,
                         .x = b->x >> sx,
                         .y = b->y >> sy,
                         .width = b->width >> sx,
                         .height = b->height >> sy,
                     });
    }
}

void qpel_picture_run_cpu(const struct qpel_batch *batch, size_t first, size_t end)
{
    const struct qpel_picture *target = batch->target;
    struct run run = {
        .batch = batch,
        .kernels = &batch->context->kernels,
        .chroma = target->format.chroma,
    };
    for (int position = 0; position < QPEL_POSITION_COUNT; position++)
        run.reach[position] = qpel_window(position, 1, 1).bounds;
    for (int parity = QPEL_FRAME; parity <= QPEL_BOTTOM_FIELD; parity++)
        for (int c = 0; c < target->components; c++)
            run.target[parity][c] = samples_rows(target->component[c], (enum qpel_parity)parity);
    run_luma(&run, first, end);
    for (int c = 1; c < target->components; c += target->component[c].step)
        run_chroma(&run, c, first, end);
}
