/* The picture door on the CPU: block by block, with the kernels of the dsp door. */
#include <string.h>

#include "cpu/blocks.h"
#include "picture.h"

/* Room for a clamped copy of a window: 21 samples either way, or 9 pairs of 2 bytes. */
enum { SCRATCH_STRIDE = 32, SCRATCH_ROWS = 21 };

/* Predictions on their way to being weighted. */
enum { PREDICTION_STRIDE = 16, PREDICTION_SIZE = 16 * PREDICTION_STRIDE };

/* A block's share of one plane; of interleaved chroma, of both components at once. */
struct part {
    struct samples target; /* the plane's rows of the block's parity */
    int component;         /* the first; Cr follows at the next byte where target.step is 2 */
    int x, y, width, height;
};

static int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Where the sample at (x, y) of the reference lies. If the window w around it leaves the reference,
 * in a copy of the window with clamped coordinates (8.4.2.2.1, xInt and yInt). */
static const uint8_t *fetch(const struct samples *ref, int x, int y, struct qpel_rectangle w,
                            uint8_t scratch[SCRATCH_ROWS * SCRATCH_STRIDE], ptrdiff_t *stride)
{
    if (x + w.left >= 0 && y + w.top >= 0 && x + w.right < ref->width &&
        y + w.bottom < ref->height) {
        *stride = ref->stride;
        return ref->data + y * ref->stride + x * ref->step;
    }
    uint8_t *out = scratch;
    for (int row = w.top; row <= w.bottom; row++, out += SCRATCH_STRIDE) {
        const uint8_t *line = ref->data + clamp(y + row, 0, ref->height - 1) * ref->stride;
        for (int column = w.left; column <= w.right; column++)
            memcpy(out + (column - w.left) * ref->step,
                   line + clamp(x + column, 0, ref->width - 1) * ref->step, (size_t)ref->step);
    }
    *stride = SCRATCH_STRIDE;
    return scratch - w.top * SCRATCH_STRIDE - w.left * ref->step;
}

/* Luma, and chroma of 4:4:4 (8.4.2.2.1). */
static void predict_quarter(const struct qpel_kernels *kernels, const struct samples *ref,
                            const struct part *p, const int16_t mv[2], uint8_t *dst,
                            ptrdiff_t dst_stride, enum qpel_operation operation)
{
    uint8_t scratch[SCRATCH_ROWS * SCRATCH_STRIDE];
    int side = p->width < p->height ? p->width : p->height;
    enum qpel_size size = side == 16 ? QPEL_SIZE_16 : side == 8 ? QPEL_SIZE_8 : QPEL_SIZE_4;
    int position = (mv[0] & 3) + 4 * (mv[1] & 3);
    qpel_kernel_fn *kernel = (operation == QPEL_PUT ? kernels->put : kernels->avg)[size][position];
    ptrdiff_t stride;
    const uint8_t *src = fetch(ref, p->x + (mv[0] >> 2), p->y + (mv[1] >> 2),
                               qpel_window(position, p->width, p->height).bounds, scratch, &stride);
    for (int v = 0; v < p->height; v += side)
        for (int u = 0; u < p->width; u += side)
            kernel(dst + v * dst_stride + u, src + v * stride + u, dst_stride, stride);
}

/* Chroma of 4:2:0 and 4:2:2 (8.4.1.4, 8.4.2.2.2). */
static void predict_chroma(enum qpel_chroma chroma, const struct samples *ref, const struct part *p,
                           const int16_t mv[2], int parity_offset, uint8_t *dst,
                           ptrdiff_t dst_stride, enum qpel_operation operation)
{
    uint8_t scratch[SCRATCH_ROWS * SCRATCH_STRIDE];
    /* Vertically, 4:2:2 has the rows of luma, and quarter samples of its own. */
    int unit = chroma == QPEL_CHROMA_420 ? 3 : 2;
    int my = mv[1] + parity_offset;
    int x_frac = mv[0] & 7, y_frac = (my & ((1 << unit) - 1)) << (3 - unit);
    struct qpel_rectangle w = { 0, 0, p->width - !x_frac, p->height - !y_frac };
    ptrdiff_t stride;
    const uint8_t *src = fetch(ref, p->x + (mv[0] >> 3), p->y + (my >> unit), w, scratch, &stride);
    chroma_predict(dst, dst_stride, src, stride, p->width * p->target.step, p->height,
                   p->target.step, x_frac, y_frac, operation);
}

static struct weights weights_of(const struct qpel_weight *w, int component, int references)
{
    int o0 = w->o[0][component], o1 = w->o[1][component];
    return (struct weights){
        .log_wd = w->log_wd[component],
        .w0 = w->w[0][component],
        .w1 = w->w[1][component],
        .offset = references == 1 ? o0 : (o0 + o1 + 1) >> 1,
    };
}

/* One list's prediction of a part. */
static void predict_list(const struct qpel_batch *batch, const struct qpel_picture_block *b,
                         const struct part *p, int list, uint8_t *dst, ptrdiff_t dst_stride,
                         enum qpel_operation operation)
{
    const struct reference *r = &batch->references[b->reference[list]];
    struct samples ref = samples_rows(r->picture->component[p->component], r->parity);
    enum qpel_chroma chroma = batch->target->format.chroma;
    if (p->component == 0 || chroma == QPEL_CHROMA_444) {
        predict_quarter(&batch->context->kernels, &ref, p, b->mv[list], dst, dst_stride, operation);
        return;
    }
    /* Table 8-9: between fields of different parity, a quarter of a chroma sample, in eighths. */
    int offset = 0;
    if (chroma == QPEL_CHROMA_420 && b->parity != QPEL_FRAME && r->parity != QPEL_FRAME)
        offset = 2 * ((int)b->parity - (int)r->parity);
    predict_chroma(chroma, &ref, p, b->mv[list], offset, dst, dst_stride, operation);
}

static void weight_part(const struct qpel_batch *batch, const struct qpel_picture_block *b,
                        const struct part *p, uint8_t *dst, uint8_t predictions[2][PREDICTION_SIZE])
{
    const struct qpel_weight *w = &batch->weights[b->weight - 1];
    for (int i = 0; i < p->target.step; i++) {
        int component = p->component + i;
        struct weights weights = { .w0 = 1, .w1 = 1 }; /* default: (a + b + 1) >> 1, or a */
        if (w->planes >> component & 1)
            weights = weights_of(w, component, b->references);
        if (b->references == 1)
            weight_one(dst + i, p->target.stride, predictions[0] + i, PREDICTION_STRIDE, p->width,
                       p->height, p->target.step, weights);
        else
            weight_two(dst + i, p->target.stride, predictions[0] + i, predictions[1] + i,
                       PREDICTION_STRIDE, p->width, p->height, p->target.step, weights);
    }
}

static void predict_part(const struct qpel_batch *batch, const struct qpel_picture_block *b,
                         const struct part *p)
{
    uint8_t *dst = p->target.data + p->y * p->target.stride + p->x * p->target.step;
    unsigned planes = b->weight ? batch->weights[b->weight - 1].planes >> p->component : 0;
    if (!(planes & ((1u << p->target.step) - 1))) {
        predict_list(batch, b, p, 0, dst, p->target.stride, QPEL_PUT);
        if (b->references == 2)
            predict_list(batch, b, p, 1, dst, p->target.stride, QPEL_AVG);
        return;
    }
    uint8_t predictions[2][PREDICTION_SIZE];
    for (int l = 0; l < b->references; l++)
        predict_list(batch, b, p, l, predictions[l], PREDICTION_STRIDE, QPEL_PUT);
    weight_part(batch, b, p, dst, predictions);
}

void picture_run_cpu(const struct qpel_batch *batch, size_t first, size_t end)
{
    const struct qpel_picture *target = batch->target;
    for (size_t i = first; i < end; i++) {
        const struct qpel_picture_block *b = &batch->blocks[i];
        for (int c = 0; c < target->components; c += c ? target->component[1].step : 1) {
            int sx = c ? chroma_shift_x(target->format.chroma) : 0;
            int sy = c ? chroma_shift_y(target->format.chroma) : 0;
            struct part p = {
                .target = samples_rows(target->component[c], (enum qpel_parity)b->parity),
                .component = c,
                .x = b->x >> sx,
                .y = b->y >> sy,
                .width = b->width >> sx,
                .height = b->height >> sy,
            };
            predict_part(batch, b, &p);
        }
    }
}
