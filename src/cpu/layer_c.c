/* The portable layer, which others replace where they are faster.
 *
 * Everything is done for a group of rows at a time, in loops of constant length
 * over local arrays, which compilers turn into vector code. */
#include <string.h>

#include "layer.h"

/* What compilers need for that. gcc: whole vectors, so two rows of a block 8 wide
 * or four of one 4 wide make a group of 16; and loops that are not unrolled before
 * its vectoriser sees them. clang: a group that is one row; and not to see the
 * words from which a group was loaded, or it keeps the next step's sample in a
 * register, which stops its vectoriser. */
#ifdef __clang__
#define GROUP(width) (width)
#define AS_WHOLE     _Pragma("clang loop unroll(disable)")
#define FORGET(x)    __asm__("" : "+m"(x))
#else
#define GROUP(width) 16
#define AS_WHOLE     _Pragma("GCC unroll 1")
#define FORGET(x)    (void)(x)
#endif

#define GROUP_MAX         16
#define GROUP_ROWS(width) (GROUP(width) / (width))

#define FOR_EACH_SAMPLE(k) AS_WHOLE for (int k = 0; k < GROUP(width); k++)

struct group {
    uint8_t at[GROUP_MAX];
};

QPEL_INLINE void load(struct group *group, const uint8_t *src, ptrdiff_t stride, int width)
{
    for (int row = 0; row < GROUP_ROWS(width); row++)
        memcpy(group->at + row * width, src + row * stride, (size_t)width);
    FORGET(*group);
}

QPEL_INLINE void store(uint8_t *dst, ptrdiff_t stride, int width, const struct group *group)
{
    for (int row = 0; row < GROUP_ROWS(width); row++)
        memcpy(dst + row * stride, group->at + row * width, (size_t)width);
}

/* What the six-tap filter takes for a group: samples -2..3 steps away. */
struct taps {
    struct group at[6];
};

QPEL_INLINE void load_taps(struct taps *taps, const uint8_t *src, ptrdiff_t step, ptrdiff_t stride,
                           int width)
{
    for (int i = 0; i < 6; i++)
        load(&taps->at[i], src + (i - 2) * step, stride, width);
}

/* 8.4.2.2.1: -2550..10710 */
QPEL_INLINE int16_t six_taps(const struct taps *t, int k)
{
    return (int16_t)(t->at[0].at[k] + t->at[5].at[k] - 5 * (t->at[1].at[k] + t->at[4].at[k]) +
                     20 * (t->at[2].at[k] + t->at[3].at[k]));
}

QPEL_INLINE uint8_t clip(int16_t value)
{
    value = value < 0 ? 0 : value;
    value = value > 255 ? 255 : value;
    return (uint8_t)value;
}

QPEL_INLINE uint8_t half(int16_t sum)
{
    return clip((int16_t)((int16_t)(sum + 16) >> 5));
}

QPEL_INLINE uint8_t average(uint8_t a, uint8_t b)
{
    return (uint8_t)((a + b + 1) >> 1);
}

/* The row filter's sums for all rows that the centre position takes, row -2 first. */
#define SUM_ROWS(height) ((height) + 5)
#define MAX_SUMS         (SUM_ROWS(16) * 16)

QPEL_INLINE void sum_rows(int16_t *sums, const uint8_t *src, ptrdiff_t stride, int width,
                          int height)
{
    const int end = SUM_ROWS(height) - GROUP_ROWS(width);

    for (int y = 0; y < SUM_ROWS(height); y += GROUP_ROWS(width)) {
        /* The last group reaches back rather than out of the window. */
        const int row = y < end ? y : end;
        struct taps taps;

        load_taps(&taps, src + (row - 2) * stride, 1, stride, width);
        FOR_EACH_SAMPLE(k)
        {
            sums[row * width + k] = six_taps(&taps, k);
        }
    }
}

/* The column filter over sums. Its own sum s = a - 5 b + 20 c needs 20 bits, but
 *
 *     floor(s / 16) = c + floor((c - b + floor((a - b) / 4)) / 4)
 *
 * is within -13388..29707, and every term fits in 16 bits once c - b is split
 * into a multiple of 4 and a rest. (s + 512) >> 10 follows exactly. */
QPEL_INLINE uint8_t centre(const int16_t *t, int width)
{
    const int16_t a = (int16_t)(t[0] + t[5 * width]);
    const int16_t b = (int16_t)(t[width] + t[4 * width]);
    const int16_t c = (int16_t)(t[2 * width] + t[3 * width]);
    const int16_t cb = (int16_t)(c - b);
    const int16_t rest = (int16_t)(((int16_t)(a - b) >> 2) + (cb & 3));

    return clip((int16_t)((int16_t)(c + (cb >> 2) + (rest >> 2) + 32) >> 6));
}

/* The last step, for the group at dst; the expression predicts its k-th sample. */
#define PREDICT(expression)                                                                        \
    do {                                                                                           \
        struct group new, old;                                                                     \
                                                                                                   \
        if (last.operation == QPEL_AVG)                                                            \
            load(&old, dst, dst_stride, width);                                                    \
        FOR_EACH_SAMPLE(k)                                                                         \
        {                                                                                          \
            new.at[k] =                                                                            \
                last.operation == QPEL_AVG ? average(old.at[k], expression) : (expression);        \
        }                                                                                          \
        store(dst, dst_stride, width, &new);                                                       \
    } while (0)

#define FOR_EACH_GROUP                                                                             \
    (void)dx, (void)dy;                                                                            \
    for (int y = 0; y < height; y += GROUP_ROWS(width), dst += GROUP_ROWS(width) * dst_stride,     \
             src += GROUP_ROWS(width) * src_stride)

QPEL_BODY(COPY)
{
    FOR_EACH_GROUP
    {
        struct group full;

        load(&full, src, src_stride, width);
        PREDICT(full.at[k]);
    }
}

QPEL_BODY(H)
{
    FOR_EACH_GROUP
    {
        struct taps row;

        load_taps(&row, src, 1, src_stride, width);
        PREDICT(half(six_taps(&row, k)));
    }
}

QPEL_BODY(H_FULL)
{
    FOR_EACH_GROUP
    {
        struct taps row;

        load_taps(&row, src, 1, src_stride, width);
        PREDICT(average(half(six_taps(&row, k)), row.at[2 + dx].at[k]));
    }
}

QPEL_BODY(V)
{
    FOR_EACH_GROUP
    {
        struct taps column;

        load_taps(&column, src, src_stride, src_stride, width);
        PREDICT(half(six_taps(&column, k)));
    }
}

QPEL_BODY(V_FULL)
{
    FOR_EACH_GROUP
    {
        struct taps column;

        load_taps(&column, src, src_stride, src_stride, width);
        PREDICT(average(half(six_taps(&column, k)), column.at[2 + dy].at[k]));
    }
}

QPEL_BODY(DIAGONAL)
{
    FOR_EACH_GROUP
    {
        struct taps row, column;

        load_taps(&row, src + dy * src_stride, 1, src_stride, width);
        load_taps(&column, src + dx, src_stride, src_stride, width);
        PREDICT(average(half(six_taps(&row, k)), half(six_taps(&column, k))));
    }
}

QPEL_BODY(CENTRE)
{
    int16_t sums[MAX_SUMS];
    const int16_t *t = sums;

    sum_rows(sums, src, src_stride, width, height);
    FOR_EACH_GROUP
    {
        PREDICT(centre(t + k, width));
        t += GROUP(width);
    }
}

QPEL_BODY(CENTRE_H)
{
    int16_t sums[MAX_SUMS];
    const int16_t *t = sums;

    sum_rows(sums, src, src_stride, width, height);
    FOR_EACH_GROUP
    {
        PREDICT(average(centre(t + k, width), half(t[(2 + dy) * width + k])));
        t += GROUP(width);
    }
}

QPEL_BODY(CENTRE_V)
{
    int16_t sums[MAX_SUMS];
    const int16_t *t = sums;

    sum_rows(sums, src, src_stride, width, height);
    FOR_EACH_GROUP
    {
        struct taps column;

        load_taps(&column, src + dx, src_stride, src_stride, width);
        PREDICT(average(centre(t + k, width), half(six_taps(&column, k))));
        t += GROUP(width);
    }
}

QPEL_COMPACT_LAYER(c)
