/* The NEON layer, for AArch64 and for 32-bit Arm.
 *
 * Filters along columns keep their last six units in registers; the loops are
 * unrolled whole, which turns moving that window on into nothing. */
#include "neon.h"

#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* Makes a value unknown to the compiler, which would otherwise compute all addresses
 * beforehand, and unroll what is left rolled on purpose. Emits nothing. */
#define FIX_REGISTER(value) __asm__("" : "+r"(value))

QPEL_INLINE const uint8_t *moved_src(const uint8_t *src, ptrdiff_t by)
{
    src += by;
    FIX_REGISTER(src);
    return src;
}

QPEL_INLINE uint8_t *moved_dst(uint8_t *dst, ptrdiff_t by)
{
    dst += by;
    FIX_REGISTER(dst);
    return dst;
}

#define FOR_EACH_UNIT                                                                              \
    UNROLL                                                                                         \
    for (int y = 0; y < height; y += UNIT_ROWS, dst = moved_dst(dst, UNIT_ROWS * dst_stride),      \
             src = moved_src(src, UNIT_ROWS * src_stride))

/* A family's body. One 16 wide is done in parts, by the same instructions again and
 * again: unrolled as a whole it would fill the instruction cache. */
#define BODY_IN_PARTS(family, part_width, part_height)                                             \
    QPEL_INLINE void part_##family(uint8_t *restrict dst, const uint8_t *restrict src,             \
                                   ptrdiff_t dst_stride, ptrdiff_t src_stride, int dx, int dy,     \
                                   int width, int height, struct last_step last);                  \
    QPEL_BODY(family)                                                                              \
    {                                                                                              \
        const int w = width < (part_width) ? width : (part_width);                                 \
        const int h = height < (part_height) ? height : (part_height);                             \
                                                                                                   \
        int parts = width / w * (height / h);                                                      \
                                                                                                   \
        if (parts > 1)                                                                             \
            FIX_REGISTER(parts);                                                                   \
        do {                                                                                       \
            part_##family(dst, src, dst_stride, src_stride, dx, dy, w, h, last);                   \
            dst += w < width ? w : h * dst_stride;                                                 \
            src += w < width ? w : h * src_stride;                                                 \
        } while (--parts);                                                                         \
    }                                                                                              \
    QPEL_INLINE void part_##family(uint8_t *restrict dst, const uint8_t *restrict src,             \
                                   ptrdiff_t dst_stride, ptrdiff_t src_stride, int dx, int dy,     \
                                   int width, int height, struct last_step last)

/* Rows are cheap to load again; sums of rows are not. */
#define BODY_BY_ROWS(family)    BODY_IN_PARTS(family, 16, 8)
#define BODY_BY_COLUMNS(family) BODY_IN_PARTS(family, 16, 8)

#define SRC src, src_stride, width
#define DST dst, dst_stride, width

/* Every fourth vector of sums goes the way without subtracting products (neon.h). With the
 * rounding and the store, that is where both pipes are busy alike. */
#define WAY (y % (32 / width) == 32 / width - 1 ? SHIFT : MULTIPLY)

QPEL_INLINE struct samples half_h(const struct taps *t, int width, enum way way)
{
    return half(six_taps(t, width, way), width);
}

/* --- the window of a filter along columns ---
 *
 * Unit e begins with row y - 2, f with y - 1, and so on to j with y + 3: of a
 * block 4 wide, whose units have two rows, each row is in two of them. */

struct column {
    struct taps taps;
    uint8x8_t row; /* width 4: the last row that was loaded */
};

QPEL_INLINE struct samples next_unit(struct column *c, const uint8_t *src, int width)
{
    struct samples s;

    if (width == 4) {
        const uint8x8_t row = load_4(src);

        s.narrow = pair_rows(c->row, row).val[0];
        c->row = row;
        return s;
    }
    return load(src, 0, width);
}

/* Before the first unit: all but what advance() adds. src is the block's. */
QPEL_INLINE struct column column(const uint8_t *src, ptrdiff_t stride, int width)
{
    struct column c;

    src -= 2 * stride;
    if (width == 4) {
        c.row = load_4(src);
        src += stride;
        c.taps.g = next_unit(&c, src, width);
        src += stride;
        c.taps.h = next_unit(&c, src, width);
    } else {
        c.taps.f = next_unit(&c, src, width);
        src += stride;
        c.taps.g = next_unit(&c, src, width);
        src += stride;
        c.taps.h = next_unit(&c, src, width);
    }
    src += stride;
    c.taps.i = next_unit(&c, src, width);
    src += stride;
    c.taps.j = next_unit(&c, src, width);
    return c;
}

/* No product of one unit is worth keeping for the next. */
QPEL_INLINE void fix_taps(struct taps *t, int width)
{
    if (width == 16) {
        FIX(t->e.wide);
        FIX(t->f.wide);
        FIX(t->g.wide);
        FIX(t->h.wide);
        FIX(t->i.wide);
        FIX(t->j.wide);
    } else {
        FIX(t->e.narrow);
        FIX(t->f.narrow);
        FIX(t->g.narrow);
        FIX(t->h.narrow);
        FIX(t->i.narrow);
        FIX(t->j.narrow);
    }
}

/* To the unit whose first row src points at. */
QPEL_INLINE const struct taps *advance(struct column *c, const uint8_t *src, ptrdiff_t stride,
                                       int width)
{
    struct taps *t = &c->taps;

    src += 3 * stride;
    t->e = t->f, t->f = t->g, t->g = t->h, t->h = t->i, t->i = t->j;
    t->j = next_unit(c, src, width);
    if (width == 4) {
        src += stride;
        t->e = t->f, t->f = t->g, t->g = t->h, t->h = t->i, t->i = t->j;
        t->j = next_unit(c, src, width);
    }
    fix_taps(t, width);
    return t;
}

/* --- the same for the sums of the filter along rows --- */

struct sum_column {
    struct sum_taps taps;
    struct sums rows; /* width 4: the last two rows */
};

QPEL_INLINE struct sums sum_row(const uint8_t *src, ptrdiff_t stride, int width)
{
    const struct taps t = load_taps(src, stride, width);

    /* The second pass keeps the other pipe busy. */
    return six_taps(&t, width, MULTIPLY);
}

/* The last row of a and the first of b. */
QPEL_INLINE struct sums straddle(struct sums a, struct sums b)
{
    a.low = vextq_s16(a.low, b.low, 4);
    return a;
}

QPEL_INLINE struct sum_column sum_column(const uint8_t *src, ptrdiff_t stride, int width)
{
    struct sum_column c;

    if (width == 4) {
        c.taps.g = sum_row(src - 2 * stride, stride, width);
        c.taps.i = sum_row(src, stride, width);
        c.taps.h = straddle(c.taps.g, c.taps.i);
        c.rows = sum_row(src + 2 * stride, stride, width);
        c.taps.j = straddle(c.taps.i, c.rows);
    } else {
        c.taps.f = sum_row(src - 2 * stride, stride, width);
        c.taps.g = sum_row(src - stride, stride, width);
        c.taps.h = sum_row(src, stride, width);
        c.taps.i = sum_row(src + stride, stride, width);
        c.taps.j = sum_row(src + 2 * stride, stride, width);
    }
    return c;
}

QPEL_INLINE const struct sum_taps *sum_advance(struct sum_column *c, const uint8_t *src,
                                               ptrdiff_t stride, int width, int is_last)
{
    struct sum_taps *t = &c->taps;

    if (width == 4) {
        /* The last unit's window ends in the middle of two rows. */
        const struct sums rows = sum_row(src + 4 * stride, is_last ? 0 : stride, width);

        t->e = t->g, t->f = t->h, t->g = t->i, t->h = t->j;
        t->i = c->rows;
        t->j = straddle(c->rows, rows);
        c->rows = rows;
    } else {
        t->e = t->f, t->f = t->g, t->g = t->h, t->h = t->i, t->i = t->j;
        t->j = sum_row(src + 3 * stride, stride, width);
    }
    return t;
}

#define LAST_UNIT (y + UNIT_ROWS == height)

/* --- the families --- */

QPEL_BODY(COPY)
{
    (void)dx, (void)dy;
    UNROLL
    for (int y = 0; y < height; y += 2 * UNIT_ROWS) {
        FIX_REGISTER(src);

        const struct samples a = load(SRC);
        const struct samples b = load(src + UNIT_ROWS * src_stride, src_stride, width);

        store(DST, a, last);
        dst += UNIT_ROWS * dst_stride;
        store(DST, b, last);
        dst += UNIT_ROWS * dst_stride;
        src += 2 * UNIT_ROWS * src_stride;
    }
}

BODY_BY_ROWS(H)
{
    (void)dx, (void)dy;
    FOR_EACH_UNIT
    {
        const struct taps t = load_taps(SRC);

        store(DST, half_h(&t, width, WAY), last);
    }
}

BODY_BY_ROWS(H_FULL)
{
    (void)dy;
    FOR_EACH_UNIT
    {
        const struct taps t = load_taps(SRC);

        store(DST, average(half_h(&t, width, WAY), dx ? t.h : t.g, width), last);
    }
}

BODY_BY_ROWS(V)
{
    struct column c = column(SRC);

    (void)dx, (void)dy;
    FOR_EACH_UNIT
    {
        const struct taps *t = advance(&c, SRC);

        store(DST, half(six_taps(t, width, WAY), width), last);
    }
}

BODY_BY_ROWS(V_FULL)
{
    struct column c = column(SRC);

    (void)dx;
    FOR_EACH_UNIT
    {
        const struct taps *t = advance(&c, SRC);

        store(DST, average(half(six_taps(t, width, WAY), width), dy ? t->h : t->g, width), last);
    }
}

BODY_BY_ROWS(DIAGONAL)
{
    struct column c = column(src + dx, src_stride, width);

    FOR_EACH_UNIT
    {
        const struct taps *v = advance(&c, src + dx, src_stride, width);
        const struct taps h = load_taps(src + dy * src_stride, src_stride, width);

        store(DST, average(half_h(&h, width, WAY), half(six_taps(v, width, WAY), width), width),
              last);
    }
}

BODY_BY_COLUMNS(CENTRE)
{
    struct sum_column c = sum_column(SRC);

    (void)dx, (void)dy;
    FOR_EACH_UNIT
    {
        const struct sum_taps *t = sum_advance(&c, SRC, LAST_UNIT);

        store(DST, centre(t, width), last);
    }
}

BODY_BY_COLUMNS(CENTRE_H)
{
    struct sum_column c = sum_column(SRC);

    (void)dx;
    FOR_EACH_UNIT
    {
        const struct sum_taps *t = sum_advance(&c, SRC, LAST_UNIT);

        store(DST, average(centre(t, width), half(dy ? t->h : t->g, width), width), last);
    }
}

BODY_BY_COLUMNS(CENTRE_V)
{
    struct sum_column c = sum_column(SRC);
    struct column v = column(src + dx, src_stride, width);

    (void)dy;
    FOR_EACH_UNIT
    {
        const struct sum_taps *t = sum_advance(&c, SRC, LAST_UNIT);
        const struct taps *u = advance(&v, src + dx, src_stride, width);

        store(DST, average(centre(t, width), half(six_taps(u, width, MULTIPLY), width), width),
              last);
    }
}

QPEL_LAYER(neon)
