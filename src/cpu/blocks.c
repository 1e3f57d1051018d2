/* Everything is done for a group of 16 bytes or fewer at a time, rows of one width, in loops of
 * constant length over local arrays, which compilers turn into vector code (see layer_c.c). */
#include "blocks.h"

#include <string.h>

#define BLOCK_INLINE static inline __attribute__((always_inline))

#ifdef __clang__
#define AS_WHOLE _Pragma("clang loop unroll(disable)")
#else
#define AS_WHOLE _Pragma("GCC unroll 1")
#endif

/* Blocks have 2 rows or more, and an even number. */
#define GROUP_ROWS(width) ((width) == 16 ? 1 : 2)

struct group {
    uint8_t at[16];
};

BLOCK_INLINE void load(struct group *group, const uint8_t *src, ptrdiff_t stride, int width)
{
    for (int row = 0; row < GROUP_ROWS(width); row++)
        memcpy(group->at + row * width, src + row * stride, (size_t)width);
}

BLOCK_INLINE void store(uint8_t *dst, ptrdiff_t stride, const struct group *group, int width)
{
    for (int row = 0; row < GROUP_ROWS(width); row++)
        memcpy(dst + row * stride, group->at + row * width, (size_t)width);
}

#define FOR_EACH_SAMPLE(k) AS_WHOLE for (int k = 0; k < size; k++)

/* ---- chroma ---- */

/* A fraction of 0 takes a neighbour's weight of 0, and for its value the sample's own. */
BLOCK_INLINE void chroma_rows(uint8_t *restrict dst, ptrdiff_t dst_stride,
                              const uint8_t *restrict src, ptrdiff_t stride, int width, int height,
                              int step, int x_frac, int y_frac, enum qpel_operation operation)
{
    const uint16_t a = (uint16_t)((8 - x_frac) * (8 - y_frac));
    const uint16_t b = (uint16_t)(x_frac * (8 - y_frac));
    const uint16_t c = (uint16_t)((8 - x_frac) * y_frac), d = (uint16_t)(x_frac * y_frac);
    const ptrdiff_t right = x_frac ? step : 0, below = y_frac ? stride : 0;
    const int size = GROUP_ROWS(width) * width;

    for (int y = 0; y < height; y += GROUP_ROWS(width)) {
        struct group s[4], new, old;

        load(&s[0], src, stride, width);
        if (x_frac | y_frac) {
            load(&s[1], src + right, stride, width);
            load(&s[2], src + below, stride, width);
            load(&s[3], src + below + right, stride, width);
            FOR_EACH_SAMPLE(k)
            {
                /* At most 64 * 255 + 32. */
                new.at[k] = (uint8_t)((uint16_t)(a * s[0].at[k] + b * s[1].at[k] + c * s[2].at[k] +
                                                 d * s[3].at[k] + 32) >>
                                      6);
            }
        } else {
            new = s[0];
        }
        if (operation == QPEL_AVG) {
            load(&old, dst, dst_stride, width);
            FOR_EACH_SAMPLE(k)
            {
                new.at[k] = (uint8_t)((old.at[k] + new.at[k] + 1) >> 1);
            }
        }
        store(dst, dst_stride, &new, width);
        dst += GROUP_ROWS(width) * dst_stride;
        src += GROUP_ROWS(width) * stride;
    }
}

void qpel_chroma_c(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t src_stride,
                   int width, int height, int step, int x_frac, int y_frac,
                   enum qpel_operation operation){
#define ROWS(w, op)                                                                                \
    chroma_rows(dst, dst_stride, src, src_stride, w, height, step, x_frac, y_frac, op)
    QPEL_WITH_WIDTH(width, operation, ROWS)
#undef ROWS
}

/* ---- weights ---- */

BLOCK_INLINE uint8_t clip(int16_t value)
{
    value = value < 0 ? 0 : value;
    value = value > 255 ? 255 : value;
    return (uint8_t)value;
}

/* Of the bytes of a group, those of one component are taken from `new`. */
BLOCK_INLINE void store_component(uint8_t *dst, ptrdiff_t stride, const struct group *new,
                                  int width, int step, int phase)
{
    const int size = GROUP_ROWS(width) * width;
    struct group old = *new;

    if (step == 2) {
        load(&old, dst, stride, width);
        FOR_EACH_SAMPLE(k)
        {
            old.at[k] = k % 2 == phase ? new->at[k] : old.at[k];
        }
    }
    store(dst, stride, &old, width);
}

BLOCK_INLINE void weight_rows(uint8_t *restrict dst, ptrdiff_t dst_stride,
                              const uint8_t *restrict a, const uint8_t *restrict b,
                              ptrdiff_t stride, int width, int height, int step, int phase,
                              struct weights w)
{
    const int16_t w0 = (int16_t)w.w[0], w1 = (int16_t)w.w[1], offset = (int16_t)w.offset;
    const int16_t round_0 = (int16_t)WEIGHT_ROUND(w.log_wd, 0);
    const int16_t round_1 = (int16_t)WEIGHT_ROUND(w.log_wd, 1);
    const int shift = w.log_wd, size = GROUP_ROWS(width) * width;

    for (int y = 0; y < height; y += GROUP_ROWS(width)) {
        struct group p0, p1, new;

        load(&p0, a, stride, width);
        if (b)
            load(&p1, b, stride, width);
        FOR_EACH_SAMPLE(k)
        {
            int16_t value = (int16_t)(p0.at[k] * w0 + round_0);
            if (b) {
                int16_t other = (int16_t)(p1.at[k] * w1 + round_1);
                /* Floor of half the sum: the bits of both, and half of those of one. */
                value = (int16_t)((value & other) + ((int16_t)(value ^ other) >> 1));
            }
            new.at[k] = clip((int16_t)((value >> shift) + offset));
        }
        store_component(dst, dst_stride, &new, width, step, phase);
        dst += GROUP_ROWS(width) * dst_stride;
        a += GROUP_ROWS(width) * stride;
        b = b ? b + GROUP_ROWS(width) * stride : NULL;
    }
}

void qpel_weight_c(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *a, const uint8_t *b,
                   ptrdiff_t stride, int width, int height, int step, int phase, struct weights w)
{
    QPEL_WEIGHT_ROWS(weight_rows, phase, w)
}
