/* The portable layer, which all others replace in part. Loops of constant shape
 * that compilers turn into vector code. */
#include "layer.h"

/* 8.4.2.2.1: the six-tap filter, -2550..10710 for samples. */
QPEL_INLINE int six_taps(int e, int f, int g, int h, int i, int j)
{
    return e + j - 5 * (f + i) + 20 * (g + h);
}

QPEL_INLINE int clip(int value)
{
    return value < 0 ? 0 : value > 255 ? 255 : value;
}

QPEL_INLINE int half(int sum)
{
    return clip((sum + 16) >> 5);
}

QPEL_INLINE int average(int a, int b)
{
    return (a + b + 1) >> 1;
}

QPEL_INLINE int row_sum(const uint8_t *s)
{
    return six_taps(s[-2], s[-1], s[0], s[1], s[2], s[3]);
}

QPEL_INLINE int column_sum(const uint8_t *s, ptrdiff_t stride)
{
    return six_taps(s[-2 * stride], s[-stride], s[0], s[stride], s[2 * stride], s[3 * stride]);
}

QPEL_INLINE int centre(const uint8_t *s, ptrdiff_t stride)
{
    int sum = six_taps(row_sum(s - 2 * stride), row_sum(s - stride), row_sum(s),
                       row_sum(s + stride), row_sum(s + 2 * stride), row_sum(s + 3 * stride));

    return clip((sum + 512) >> 10);
}

QPEL_INLINE void store(uint8_t *dst, int sample, struct last_step last)
{
    *dst = (uint8_t)(last.operation == QPEL_AVG ? average(*dst, sample) : sample);
}

#define FOR_EACH_SAMPLE(s, expression)                                                             \
    for (int y = 0; y < height; y++) {                                                             \
        for (int x = 0; x < width; x++) {                                                          \
            const uint8_t *s = src + y * src_stride + x;                                           \
            store(dst + y * dst_stride + x, expression, last);                                     \
        }                                                                                          \
    }                                                                                              \
    (void)dx, (void)dy

QPEL_BODY(COPY)
{
    FOR_EACH_SAMPLE(s, s[0]);
}

QPEL_BODY(H)
{
    FOR_EACH_SAMPLE(s, half(row_sum(s)));
}

QPEL_BODY(H_FULL)
{
    FOR_EACH_SAMPLE(s, average(half(row_sum(s)), s[dx]));
}

QPEL_BODY(V)
{
    FOR_EACH_SAMPLE(s, half(column_sum(s, src_stride)));
}

QPEL_BODY(V_FULL)
{
    FOR_EACH_SAMPLE(s, average(half(column_sum(s, src_stride)), s[dy * src_stride]));
}

QPEL_BODY(DIAGONAL)
{
    FOR_EACH_SAMPLE(
        s, average(half(row_sum(s + dy * src_stride)), half(column_sum(s + dx, src_stride))));
}

QPEL_BODY(CENTRE)
{
    FOR_EACH_SAMPLE(s, centre(s, src_stride));
}

QPEL_BODY(CENTRE_H)
{
    FOR_EACH_SAMPLE(s, average(centre(s, src_stride), half(row_sum(s + dy * src_stride))));
}

QPEL_BODY(CENTRE_V)
{
    FOR_EACH_SAMPLE(s, average(centre(s, src_stride), half(column_sum(s + dx, src_stride))));
}

QPEL_LAYER(c)
