/* Eight bytes at a time, as chroma and weights take them: of a row, or two rows of 4 or 2. */
#ifndef QPEL_CPU_ARM_EIGHT_H
#define QPEL_CPU_ARM_EIGHT_H

#include "neon.h"

/* How many rows that is. */
#define EIGHT_ROWS(width) ((width) >= 8 ? 1 : 2)

/* Two rows of 4 or 2 bytes, side by side. */
QPEL_INLINE uint8x8_t load_two(const uint8_t *src, ptrdiff_t stride, int width)
{
    uint16_t rows[2];

    if (width == 4)
        return pair_rows(load_4(src), load_4(src + stride)).val[0];
    memcpy(&rows[0], src, 2);
    memcpy(&rows[1], src + stride, 2);
    return vreinterpret_u8_u32(vdup_n_u32(rows[0] | (uint32_t)rows[1] << 16));
}

QPEL_INLINE uint8x8_t load_eight(const uint8_t *src, ptrdiff_t stride, int width)
{
    return width >= 8 ? vld1_u8(src) : load_two(src, stride, width);
}

QPEL_INLINE void store_eight(uint8_t *dst, ptrdiff_t stride, int width, uint8x8_t samples)
{
    const uint32_t low = vget_lane_u32(vreinterpret_u32_u8(samples), 0);
    const uint32_t high = vget_lane_u32(vreinterpret_u32_u8(samples), 1);
    const uint16_t halves[2] = { (uint16_t)low, (uint16_t)(low >> 16) };

    if (width >= 8) {
        vst1_u8(dst, samples);
    } else if (width == 4) {
        memcpy(dst, &low, 4);
        memcpy(dst + stride, &high, 4);
    } else {
        memcpy(dst, &halves[0], 2);
        memcpy(dst + stride, &halves[1], 2);
    }
}

#endif
