/* How chroma (8.4.2.2.2) walks over a block, the same in all vector layers. The file that includes
 * this one says what it is made of, in units of eight bytes (a row, or two rows of 4 or 2):
 *
 *   eight                                    eight samples
 *   row                                      what a row takes part in sums with
 *   struct filter                            weights; and `neighbours`, a constant where it is used
 *   filter_of(x_frac, y_frac, step)          the weights; neighbours are set here
 *   enter(src, stride, width, filter)        a row: its samples, and their right neighbours if
 *                                            those count
 *   filtered(row, below, filter)             eight samples of two rows
 *   load_eight(), finish()                   finish() averages with what is there, or does not
 *
 * and expands QPEL_CHROMA(function). */
#ifndef QPEL_CPU_CHROMA_ROWS_H
#define QPEL_CPU_CHROMA_ROWS_H

/* Columns of 8. A block has an even number of rows. */
QPEL_INLINE void wide_rows(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t stride,
                           int height, struct filter f, enum qpel_operation operation)
{
    row above = enter(src, stride, 8, f), below;

    for (int y = 0; y < height; y += 2, dst += 2 * dst_stride, src += 2 * stride) {
        below = enter(src + stride, stride, 8, f);
        finish(dst, dst_stride, 8, filtered(above, below, f), operation);
        /* Of the last row only what lies below it is read here, if that counts. */
        if (f.neighbours != RIGHT || y + 2 < height)
            above = enter(src + 2 * stride, stride, 8, f);
        finish(dst + dst_stride, dst_stride, 8, filtered(below, above, f), operation);
    }
}

/* Two rows of 4 or 2 at once. */
QPEL_INLINE void narrow_rows(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src,
                             ptrdiff_t stride, int width, int height, struct filter f,
                             enum qpel_operation operation)
{
    for (int y = 0; y < height; y += 2, dst += 2 * dst_stride, src += 2 * stride) {
        const row two = enter(src, stride, width, f);
        const row below = f.neighbours == RIGHT ? two : enter(src + stride, stride, width, f);

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

#define QPEL_CHROMA(function)                                                                      \
    void function(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t src_stride,    \
                  int width, int height, int step, int x_frac, int y_frac,                         \
                  enum qpel_operation operation)                                                   \
    {                                                                                              \
        struct filter f = filter_of(x_frac, y_frac, step);                                         \
                                                                                                   \
        if (x_frac && y_frac) {                                                                    \
            f.neighbours = BOTH;                                                                   \
            QPEL_WITH_WIDTH(width, operation, QPEL_CHROMA_ROWS)                                    \
        } else if (x_frac) {                                                                       \
            f.neighbours = RIGHT;                                                                  \
            QPEL_WITH_WIDTH(width, operation, QPEL_CHROMA_ROWS)                                    \
        } else if (y_frac) {                                                                       \
            f.neighbours = BELOW;                                                                  \
            QPEL_WITH_WIDTH(width, operation, QPEL_CHROMA_ROWS)                                    \
        } else {                                                                                   \
            QPEL_WITH_WIDTH(width, operation, QPEL_CHROMA_COPY)                                    \
        }                                                                                          \
    }
#define QPEL_CHROMA_ROWS(w, op) rows(dst, dst_stride, src, src_stride, w, height, f, op)
#define QPEL_CHROMA_COPY(w, op) copy(dst, dst_stride, src, src_stride, w, height, op)

#endif
