/* Chroma (8.4.2.2.2) with NEON: widening multiply-adds of at most 64 * 255. */
#include "../blocks.h"
#include "eight.h"

/* Which neighbours a block's samples have. */
enum neighbours { RIGHT, BELOW, BOTH };

struct filter {
    enum neighbours neighbours; /* a constant */
    int step;
    uint8x8_t a, b, c, d; /* weights of a sample, its right one, and of those below */
};

/* A row's samples, and their right neighbours if those count. */
struct row {
    uint8x8_t here, right;
};

QPEL_INLINE struct row enter(const uint8_t *src, ptrdiff_t stride, int width, struct filter f)
{
    struct row row = { .here = load_eight(src, stride, width) };

    row.right = f.neighbours == BELOW ? row.here : load_eight(src + f.step, stride, width);
    return row;
}

QPEL_INLINE uint8x8_t filtered(struct row row, struct row below, struct filter f)
{
    uint16x8_t sum = vmull_u8(row.here, f.a);

    if (f.neighbours != BELOW)
        sum = vmlal_u8(sum, row.right, f.b);
    if (f.neighbours != RIGHT)
        sum = vmlal_u8(sum, below.here, f.c);
    if (f.neighbours == BOTH)
        sum = vmlal_u8(sum, below.right, f.d);
    return vrshrn_n_u16(sum, 6);
}

QPEL_INLINE void finish(uint8_t *dst, ptrdiff_t stride, int width, uint8x8_t samples,
                        enum qpel_operation operation)
{
    if (operation == QPEL_AVG)
        samples = vrhadd_u8(samples, load_eight(dst, stride, width));
    store_eight(dst, stride, width, samples);
}

/* Columns of 8. A block has an even number of rows. */
QPEL_INLINE void wide_rows(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t stride,
                           int height, struct filter f, enum qpel_operation operation)
{
    struct row row = enter(src, stride, 8, f), next;

    for (int y = 0; y < height; y += 2, dst += 2 * dst_stride, src += 2 * stride) {
        next = enter(src + stride, stride, 8, f);
        finish(dst, dst_stride, 8, filtered(row, next, f), operation);
        /* Of the last row only what lies below it is read here, if that counts. */
        if (f.neighbours != RIGHT || y + 2 < height)
            row = enter(src + 2 * stride, stride, 8, f);
        finish(dst + dst_stride, dst_stride, 8, filtered(next, row, f), operation);
    }
}

/* Two rows of 4 or 2 at once. */
QPEL_INLINE void narrow_rows(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src,
                             ptrdiff_t stride, int width, int height, struct filter f,
                             enum qpel_operation operation)
{
    for (int y = 0; y < height; y += 2, dst += 2 * dst_stride, src += 2 * stride) {
        const struct row two = enter(src, stride, width, f);
        const struct row below =
            f.neighbours == RIGHT ? two : enter(src + stride, stride, width, f);

        finish(dst, dst_stride, width, filtered(two, below, f), operation);
    }
}

QPEL_INLINE void rows(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t stride,
                      int width, int height, struct filter f, enum qpel_operation operation)
{
    if (width < 8)
        narrow_rows(dst, dst_stride, src, stride, width, height, f, operation);
    for (int x = 0; x + 8 <= width; x += 8)
        wide_rows(dst + x, dst_stride, src + x, stride, height, f, operation);
}

/* Whole samples. */
QPEL_INLINE void copy(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t stride,
                      int width, int height, enum qpel_operation operation)
{
    const int step = EIGHT_ROWS(width);

    for (int y = 0; y < height; y += step, dst += step * dst_stride, src += step * stride)
        for (int x = 0; x < width; x += 8)
            finish(dst + x, dst_stride, width, load_eight(src + x, stride, width), operation);
}

void qpel_chroma_neon(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t src_stride,
                      int width, int height, int step, int x_frac, int y_frac,
                      enum qpel_operation operation)
{
    const int left = 8 - x_frac, upper = 8 - y_frac;
    struct filter f = {
        .step = step,
        .a = vdup_n_u8((uint8_t)(left * upper)),
        .b = vdup_n_u8((uint8_t)(x_frac * upper)),
        .c = vdup_n_u8((uint8_t)(left * y_frac)),
        .d = vdup_n_u8((uint8_t)(x_frac * y_frac)),
    };

#define ROWS(w, op) rows(dst, dst_stride, src, src_stride, w, height, f, op)
#define COPY(w, op) copy(dst, dst_stride, src, src_stride, w, height, op)
    if (x_frac && y_frac) {
        f.neighbours = BOTH;
        QPEL_WITH_WIDTH(width, operation, ROWS)
    } else if (x_frac) {
        f.neighbours = RIGHT;
        QPEL_WITH_WIDTH(width, operation, ROWS)
    } else if (y_frac) {
        f.neighbours = BELOW;
        QPEL_WITH_WIDTH(width, operation, ROWS)
    } else {
        QPEL_WITH_WIDTH(width, operation, COPY)
    }
#undef COPY
#undef ROWS
}
