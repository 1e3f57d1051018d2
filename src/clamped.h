/* Copies of windows that leave their reference. */
#ifndef QPEL_SRC_CLAMPED_H
#define QPEL_SRC_CLAMPED_H

#include <qpel/dsp.h>
#include <string.h>

#include "picture.h"

/* Room for one: 21 samples either way, or 9 pairs of 2 bytes. A row of it takes CLAMPED_BYTES,
 * which are written, whatever the window's width. */
enum { CLAMPED_BYTES = 32, CLAMPED_ROWS = 21 };
#define CLAMPED_SIZE(stride) ((CLAMPED_ROWS + 1) * (stride))

static inline int clamp(int value, int low, int high)
{
    return value < low ? low : value > high ? high : value;
}

/* Whether the window of width x height samples around (x, y) leaves the reference. one: that of one
 * sample, which grows by the block. */
static inline bool window_leaves(const struct samples *ref, int x, int y,
                                 const struct qpel_rectangle *one, int width, int height)
{
    /* Distances to the sides: one is negative where the window leaves the reference. */
    return ((x + one->left) | (y + one->top) | (ref->width - width - one->right - x) |
            (ref->height - height - one->bottom - y)) < 0;
}

/* CLAMPED_BYTES of one sample, or pair; the compiler knows their number, which is the point: what
 * is too much is overwritten by what follows. */
static inline void clamped_repeat(uint8_t *out, const uint8_t *sample, int step)
{
    if (step == 1)
        memset(out, *sample, CLAMPED_BYTES);
    else
        for (int i = 0; i < CLAMPED_BYTES; i += 2)
            memcpy(out + i, sample, 2);
}

/* Likewise: count bytes, up to 32, as two pieces of constant size that may overlap. */
static inline void clamped_bytes(uint8_t *out, const uint8_t *src, int count)
{
#define TWO_OF(size)                                                                               \
    if (count >= (size)) {                                                                         \
        memcpy(out, src, size);                                                                    \
        memcpy(out + count - (size), src + count - (size), size);                                  \
        return;                                                                                    \
    }
    TWO_OF(16)
    TWO_OF(8)
    TWO_OF(4)
    TWO_OF(2)
    TWO_OF(1)
#undef TWO_OF
}

/* A copy of that window with clamped coordinates (8.4.2.2.1, xInt and yInt), in rows of `stride`
 * bytes; returns where (x, y) is in it. */
static inline const uint8_t *window_clamped(const struct samples *ref, int x, int y,
                                            const struct qpel_rectangle *one, int width, int height,
                                            uint8_t *room, ptrdiff_t stride)
{
    const int step = ref->step, first = x + one->left;
    const int count = one->right - one->left + width;
    const int left = clamp(-first, 0, count), right = clamp(first + count - ref->width, 0, count);
    uint8_t *out = room;
    for (int line = one->top; line < one->bottom + height; line++, out += stride) {
        const uint8_t *row = ref->data + clamp(y + line, 0, ref->height - 1) * ref->stride;
        if (left)
            clamped_repeat(out, row, step);
        if (left + right < count)
            clamped_bytes(out + left * step, row + (first + left) * step,
                          (count - left - right) * step);
        if (right)
            clamped_repeat(out + (count - right) * step, row + (ref->width - 1) * step, step);
    }
    return room - one->top * stride - one->left * step;
}

#endif
