#include "blocks.h"

static inline uint8_t average(int a, int b)
{
    return (uint8_t)((a + b + 1) >> 1);
}

static inline uint8_t clip(int value)
{
    return (uint8_t)(value < 0 ? 0 : value > 255 ? 255 : value);
}

/* The rows of one width and step, constants, so that the loops become vector code. A fraction of 0
 * in one direction leaves two taps, and the neighbours in that direction unread. */
static inline __attribute__((always_inline)) void chroma_rows(
    uint8_t *restrict dst, ptrdiff_t dst_stride, const uint8_t *restrict src, ptrdiff_t src_stride,
    int width, int height, int step, int x_frac, int y_frac, enum qpel_operation operation)
{
    const int a = (8 - x_frac) * (8 - y_frac), b = x_frac * (8 - y_frac);
    const int c = (8 - x_frac) * y_frac, d = x_frac * y_frac;
    const ptrdiff_t neighbour = d ? 0 : c ? src_stride : step;

    for (int y = 0; y < height; y++, dst += dst_stride, src += src_stride) {
        uint8_t row[16];
        if (d) {
            for (int x = 0; x < width; x++)
                row[x] = (uint8_t)((a * src[x] + b * src[x + step] + c * src[src_stride + x] +
                                    d * src[src_stride + x + step] + 32) >>
                                   6);
        } else if (b + c) {
            for (int x = 0; x < width; x++)
                row[x] = (uint8_t)((a * src[x] + (b + c) * src[x + neighbour] + 32) >> 6);
        } else {
            for (int x = 0; x < width; x++)
                row[x] = src[x];
        }
        for (int x = 0; x < width; x++)
            dst[x] = operation == QPEL_AVG ? average(dst[x], row[x]) : row[x];
    }
}

void chroma_predict(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t src_stride,
                    int width, int height, int step, int x_frac, int y_frac,
                    enum qpel_operation operation)
{
#define CASE(w, s)                                                                                 \
    if (width == (w) && step == (s)) {                                                             \
        if (operation == QPEL_PUT)                                                                 \
            chroma_rows(dst, dst_stride, src, src_stride, w, height, s, x_frac, y_frac, QPEL_PUT); \
        else                                                                                       \
            chroma_rows(dst, dst_stride, src, src_stride, w, height, s, x_frac, y_frac, QPEL_AVG); \
        return;                                                                                    \
    }
    CASE(8, 1)
    CASE(4, 1)
    CASE(2, 1)
    CASE(16, 2)
    CASE(8, 2)
    CASE(4, 2)
#undef CASE
}

void weight_one(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *a, ptrdiff_t stride, int width,
                int height, int step, struct weights w)
{
    const int round = w.log_wd ? 1 << (w.log_wd - 1) : 0;

    for (int y = 0; y < height; y++, dst += dst_stride, a += stride)
        for (int x = 0; x < width * step; x += step)
            dst[x] = clip(((a[x] * w.w0 + round) >> w.log_wd) + w.offset);
}

void weight_two(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *a, const uint8_t *b,
                ptrdiff_t stride, int width, int height, int step, struct weights w)
{
    const int round = 1 << w.log_wd;

    for (int y = 0; y < height; y++, dst += dst_stride, a += stride, b += stride)
        for (int x = 0; x < width * step; x += step)
            dst[x] = clip(((a[x] * w.w0 + b[x] * w.w1 + round) >> (w.log_wd + 1)) + w.offset);
}
