#include "oracle_picture.h"

#include "oracle.h"

static int clip3(int low, int high, int value)
{
    return value < low ? low : value > high ? high : value;
}

static int clip1(int value)
{
    return clip3(0, 255, value);
}

/* ---- 8.4.2.1: the reference: a frame, or a field of it ---- */

struct selected {
    const struct oracle_samples *frame;
    enum oracle_rows rows;
};

/* Of a frame with an odd number of rows the top field has one more. */
static int selected_height(const struct selected *s)
{
    switch (s->rows) {
    case ORACLE_TOP_FIELD:
        return (s->frame->height + 1) / 2;
    case ORACLE_BOTTOM_FIELD:
        return s->frame->height / 2;
    default:
        return s->frame->height;
    }
}

static unsigned char *selected_sample(const struct selected *s, int x, int y)
{
    int row = s->rows == ORACLE_FRAME ? y : s->rows == ORACLE_TOP_FIELD ? 2 * y : 2 * y + 1;

    return s->frame->first + row * s->frame->stride + (long)x * s->frame->step;
}

/* With the coordinates clamped as in 8.4.2.2.1 and 8.4.2.2.2: to the height of the field where
 * a field is selected. An oracle_sample_fn. */
static int fetch(const void *selected, int x, int y)
{
    const struct selected *s = selected;

    return *selected_sample(s, clip3(0, s->frame->width - 1, x),
                            clip3(0, selected_height(s) - 1, y));
}

/* ---- 8.4.1.4: chroma vectors ---- */

/* Samples of luma to one of chroma (table 6-1). */
static int sub_width(int chroma_format_idc)
{
    return chroma_format_idc == 3 ? 1 : 2;
}

static int sub_height(int chroma_format_idc)
{
    return chroma_format_idc == 1 ? 2 : 1;
}

/* mvCLX[1], in units of 1 / (4 * SubHeightC) chroma samples. Table 8-9 adds an offset where
 * both are fields and their parities differ, in 4:2:0 alone. */
static int chroma_mv_y(int chroma_format_idc, enum oracle_rows current,
                       const struct oracle_reference *r)
{
    if (chroma_format_idc == 1 && current == ORACLE_TOP_FIELD && r->rows == ORACLE_BOTTOM_FIELD)
        return r->mv[1] - 2;
    if (chroma_format_idc == 1 && current == ORACLE_BOTTOM_FIELD && r->rows == ORACLE_TOP_FIELD)
        return r->mv[1] + 2;
    return r->mv[1];
}

/* ---- 8.4.2.2: one sample from one reference ---- */

/* A coordinate in fractions of 1 / units: the whole samples, rounded down, and the rest. */
static int whole(int coordinate, int units)
{
    int rest = coordinate % units;

    return (coordinate - (rest < 0 ? rest + units : rest)) / units;
}

static int rest(int coordinate, int units)
{
    return coordinate - whole(coordinate, units) * units;
}

static int predict_luma(const struct selected *s, const int mv[2], int x, int y)
{
    return oracle_luma(fetch, s, x + whole(mv[0], 4), y + whole(mv[1], 4), rest(mv[0], 4),
                       rest(mv[1], 4), 8);
}

/* 8.4.2.2.2; x, y: in chroma samples. Fractions are in eighths whatever the vectors' units. */
static int predict_chroma(const struct selected *s, int chroma_format_idc, int mv_x, int mv_y,
                          int x, int y)
{
    int units_x = 4 * sub_width(chroma_format_idc), units_y = 4 * sub_height(chroma_format_idc);
    int x_int = x + whole(mv_x, units_x), y_int = y + whole(mv_y, units_y);
    int x_frac = rest(mv_x, units_x) * (8 / units_x), y_frac = rest(mv_y, units_y) * (8 / units_y);
    int a = fetch(s, x_int, y_int), b = fetch(s, x_int + 1, y_int);
    int c = fetch(s, x_int, y_int + 1), d = fetch(s, x_int + 1, y_int + 1);

    return ((8 - x_frac) * (8 - y_frac) * a + x_frac * (8 - y_frac) * b +
            (8 - x_frac) * y_frac * c + x_frac * y_frac * d + 32) >>
           6;
}

static int predict(const struct oracle_block *block, int list, int component, int x, int y)
{
    const struct oracle_reference *r = &block->reference[list];
    struct selected s = { &r->picture->component[component], r->rows };
    int format = r->picture->chroma_format_idc;

    /* The chroma of 4:4:4 is predicted as luma. */
    if (component == 0 || format == 3)
        return predict_luma(&s, r->mv, x, y);
    return predict_chroma(&s, format, r->mv[0], chroma_mv_y(format, block->rows, r), x, y);
}

/* ---- 8.4.2.3: weights ---- */

/* 8.4.2.3.2 */
static int qpel_weight_one(const struct oracle_weights *w, int component, int p)
{
    int log_wd = w->log_wd[component], w0 = w->w0[component], o0 = w->o0[component];

    if (log_wd >= 1)
        return clip1(((p * w0 + (1 << (log_wd - 1))) >> log_wd) + o0);
    return clip1(p * w0 + o0);
}

static int qpel_weight_two(const struct oracle_weights *w, int component, int p0, int p1)
{
    int log_wd = w->log_wd[component];

    return clip1(((p0 * w->w0[component] + p1 * w->w1[component] + (1 << log_wd)) >> (log_wd + 1)) +
                 ((w->o0[component] + w->o1[component] + 1) >> 1));
}

static int predict_sample(const struct oracle_block *block, int component, int x, int y)
{
    int weighted = block->weights && block->weights->weighted[component];
    int p0 = predict(block, 0, component, x, y);

    if (block->references == 1)
        return weighted ? qpel_weight_one(block->weights, component, p0) : p0;
    int p1 = predict(block, 1, component, x, y);
    return weighted ? qpel_weight_two(block->weights, component, p0, p1) : oracle_average(p0, p1);
}

void oracle_predict(const struct oracle_picture *target, const struct oracle_block *block)
{
    int format = target->chroma_format_idc;

    for (int component = 0; component < (format == 0 ? 1 : 3); component++) {
        struct selected s = { &target->component[component], block->rows };
        int sub_x = component == 0 ? 1 : sub_width(format);
        int sub_y = component == 0 ? 1 : sub_height(format);
        int x0 = block->x / sub_x, y0 = block->y / sub_y;
        for (int y = y0; y < y0 + block->height / sub_y; y++)
            for (int x = x0; x < x0 + block->width / sub_x; x++)
                *selected_sample(&s, x, y) = (unsigned char)predict_sample(block, component, x, y);
    }
}
