#include "plain_predict.h"
#include "pictures.h"

enum { SIDE = 16, WINDOW = SIDE + 5 };

/* One plane's rows, of the frame or of a field. */
struct rows {
    uint8_t *data;
    ptrdiff_t stride;
    int width, height;
    int wide; /* samples of two bytes */
};

static int clip3(int low, int high, int v)
{
    return v < low ? low : v > high ? high : v;
}

static struct rows rows_of(const struct picture *p, int plane, int parity)
{
    struct rows r = { p->data.data[plane], p->data.stride[plane],
                      (int)p->format.width >> shift_x(&p->format, plane),
                      (int)picture_plane_rows(&p->format, plane), bytes_shift(&p->format) };
    if (parity == QPEL_BOTTOM_FIELD)
        r.data += r.stride;
    if (parity != QPEL_FRAME) {
        r.stride *= 2;
        r.height /= 2;
    }
    return r;
}

/* Coordinates are clamped to the picture or field (8-239, 8-240, 8-262 ff). */
static void fetch(int window[WINDOW][WINDOW], const struct rows *r, int x, int y, int w, int h)
{
    for (int i = 0; i < h; i++) {
        const uint8_t *row = r->data + clip3(0, r->height - 1, y + i) * r->stride;
        for (int k = 0; k < w; k++) {
            int at = clip3(0, r->width - 1, x + k);
            window[i][k] = r->wide ? ((const uint16_t *)(const void *)row)[at] : row[at];
        }
    }
}

/* ---- luma, 8.4.2.2.1; names as in figure 8-4 ---- */

static int six(const int *p, int step)
{
    return p[-2 * step] - 5 * p[-step] + 20 * p[0] + 20 * p[step] - 5 * p[2 * step] + p[3 * step];
}

static int clip1(int v, int max)
{
    return clip3(0, max, v);
}

static int half_b(const int *p, int max)
{
    return clip1((six(p, 1) + 16) >> 5, max);
}

static int half_h(const int *p, int max)
{
    return clip1((six(p, WINDOW) + 16) >> 5, max);
}

static int half_j(const int *p, int max)
{
    int b1[6];
    for (int i = 0; i < 6; i++)
        b1[i] = six(p + (i - 2) * WINDOW, 1);
    return clip1((six(b1 + 2, 1) + 512) >> 10, max);
}

static int mean(int a, int b)
{
    return (a + b + 1) >> 1;
}

/* table 8-12: G at p, by xFrac + 4 * yFrac */
static int luma(const int *p, int fraction, int max)
{
    const int *right = p + 1, *below = p + WINDOW;
    switch (fraction) {
    case 0:
        return *p; /* G */
    case 1:
        return mean(*p, half_b(p, max)); /* a */
    case 2:
        return half_b(p, max); /* b */
    case 3:
        return mean(half_b(p, max), *right); /* c */
    case 4:
        return mean(*p, half_h(p, max)); /* d */
    case 5:
        return mean(half_b(p, max), half_h(p, max)); /* e */
    case 6:
        return mean(half_b(p, max), half_j(p, max)); /* f */
    case 7:
        return mean(half_b(p, max), half_h(right, max)); /* g */
    case 8:
        return half_h(p, max); /* h */
    case 9:
        return mean(half_h(p, max), half_j(p, max)); /* i */
    case 10:
        return half_j(p, max); /* j */
    case 11:
        return mean(half_j(p, max), half_h(right, max)); /* k */
    case 12:
        return mean(half_h(p, max), *below); /* n */
    case 13:
        return mean(half_h(p, max), half_b(below, max)); /* p */
    case 14:
        return mean(half_j(p, max), half_b(below, max)); /* q */
    default:
        return mean(half_h(right, max), half_b(below, max)); /* r */
    }
}

/* x and y in quarter samples */
static void predict_luma(int out[SIDE][SIDE], const struct rows *r, int x, int y, int w, int h,
                         int max)
{
    int window[WINDOW][WINDOW];
    fetch(window, r, (x >> 2) - 2, (y >> 2) - 2, w + 5, h + 5);
    for (int i = 0; i < h; i++)
        for (int k = 0; k < w; k++)
            out[i][k] = luma(&window[i + 2][k + 2], (x & 3) + 4 * (y & 3), max);
}

/* ---- chroma, 8.4.2.2.2; x and y in eighths ---- */

static void predict_chroma(int out[SIDE][SIDE], const struct rows *r, int x, int y, int w, int h)
{
    int window[WINDOW][WINDOW], fx = x & 7, fy = y & 7;
    fetch(window, r, x >> 3, y >> 3, w + 1, h + 1);
    for (int i = 0; i < h; i++)
        for (int k = 0; k < w; k++)
            out[i][k] = ((8 - fx) * (8 - fy) * window[i][k] + fx * (8 - fy) * window[i][k + 1] +
                         (8 - fx) * fy * window[i + 1][k] + fx * fy * window[i + 1][k + 1] + 32) >>
                        6;
}

/* ---- weights, 8.4.2.3 ---- */

static int weigh_one(int a, const struct qpel_weight *w, int p, int scale)
{
    int log_wd = w->log_wd[p], v = a * w->w[0][p];
    if (log_wd >= 1)
        v = (v + (1 << (log_wd - 1))) >> log_wd;
    return v + w->o[0][p] * scale;
}

static int weigh_two(int a, int b, const struct qpel_weight *w, int p, int scale)
{
    int log_wd = w->log_wd[p];
    return ((a * w->w[0][p] + b * w->w[1][p] + (1 << log_wd)) >> (log_wd + 1)) +
           ((w->o[0][p] * scale + w->o[1][p] * scale + 1) >> 1);
}

/* ---- a block ---- */

static void predict_list(int out[SIDE][SIDE], const struct batch *batch,
                         const struct qpel_picture_block *block, int plane, int list, int w, int h,
                         int max)
{
    const struct reference *ref = &batch->references[block->reference[list]];
    const struct qpel_picture_format *f = &ref->picture->format;
    struct rows r = rows_of(ref->picture, plane, ref->parity);
    int x = block->x * 4 + block->mv[list][0], y = block->y * 4 + block->mv[list][1];
    if (!plane || f->chroma == QPEL_CHROMA_444) {
        predict_luma(out, &r, x, y, w, h, max);
        return;
    }
    if (f->chroma == QPEL_CHROMA_422)
        y *= 2; /* quarter samples of chroma, too */
    else if (block->parity != QPEL_FRAME)
        y += 2 * (block->parity - ref->parity); /* table 8-9 */
    predict_chroma(out, &r, x, y, w, h);
}

static void predict_plane(const struct batch *batch, const struct qpel_picture_block *block,
                          int plane)
{
    const struct qpel_picture_format *f = &batch->target->format;
    int sx = shift_x(f, plane), sy = shift_y(f, plane), w = block->width >> sx,
        h = block->height >> sy, max = (1 << f->bit_depth) - 1, scale = 1 << (f->bit_depth - 8);
    const struct qpel_weight *weight = block->weight ? &batch->weights[block->weight - 1] : NULL;
    if (weight && !(weight->planes >> plane & 1))
        weight = NULL;
    int pred[2][SIDE][SIDE];
    for (int list = 0; list < block->references; list++)
        predict_list(pred[list], batch, block, plane, list, w, h, max);

    struct rows dst = rows_of(batch->target, plane, block->parity);
    for (int i = 0; i < h; i++) {
        uint8_t *row = dst.data + ((block->y >> sy) + i) * dst.stride;
        for (int k = 0; k < w; k++) {
            int x = (block->x >> sx) + k, v = pred[0][i][k];
            if (block->references == 2)
                v = weight ? weigh_two(v, pred[1][i][k], weight, plane, scale)
                           : mean(v, pred[1][i][k]);
            else if (weight)
                v = weigh_one(v, weight, plane, scale);
            if (dst.wide)
                ((uint16_t *)(void *)row)[x] = (uint16_t)clip1(v, max);
            else
                row[x] = (uint8_t)clip1(v, max);
        }
    }
}

void plain_predict(const struct batch *batch, const struct qpel_picture_block *block)
{
    for (unsigned plane = 0; plane < picture_planes(&batch->target->format); plane++)
        predict_plane(batch, block, (int)plane);
}
