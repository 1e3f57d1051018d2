/* Eight bytes at a time, as chroma and weights take them: of a row, or two rows of 4 or 2. */
#ifndef QPEL_CPU_X86_EIGHT_H
#define QPEL_CPU_X86_EIGHT_H

#include "common.h"

/* How many rows that is. */
#define EIGHT_ROWS(width) ((width) >= 8 ? 1 : 2)

/* Two rows of 4 or 2 bytes, side by side. */
QPEL_INLINE __m128i load_two(const uint8_t *src, ptrdiff_t stride, int width)
{
    uint16_t rows[2];

    if (width == 4)
        return _mm_unpacklo_epi32(load_row(src, 4), load_row(src + stride, 4));
    memcpy(&rows[0], src, 2);
    memcpy(&rows[1], src + stride, 2);
    return _mm_cvtsi32_si128((int32_t)(rows[0] | (uint32_t)rows[1] << 16));
}

QPEL_INLINE __m128i load_eight(const uint8_t *src, ptrdiff_t stride, int width)
{
    return width >= 8 ? load_row(src, 8) : load_two(src, stride, width);
}

QPEL_INLINE void store_two(uint8_t *dst, ptrdiff_t stride, int width, __m128i rows)
{
    const uint32_t low = (uint32_t)_mm_cvtsi128_si32(rows);
    const uint16_t halves[2] = { (uint16_t)low, (uint16_t)(low >> 16) };

    if (width == 4) {
        store_row(dst, 4, rows);
        store_row(dst + stride, 4, _mm_shuffle_epi32(rows, 1));
    } else {
        memcpy(dst, &halves[0], 2);
        memcpy(dst + stride, &halves[1], 2);
    }
}

QPEL_INLINE void store_eight(uint8_t *dst, ptrdiff_t stride, int width, __m128i samples)
{
    if (width >= 8)
        store_row(dst, 8, samples);
    else
        store_two(dst, stride, width, samples);
}

#endif
