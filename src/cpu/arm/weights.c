/* Weights (8.4.2.3.2) with NEON, in 16 bits: blocks.h tells how. */
#include "../blocks.h"
#include "eight.h"

struct factors {
    int16x8_t w[2], round[2], offset, shift;
    uint8x8_t kept; /* which bytes of dst stay */
};

QPEL_INLINE int16x8_t weighed(uint8x8_t samples, int16x8_t w, int16x8_t round)
{
    return vmlaq_s16(round, vreinterpretq_s16_u16(vmovl_u8(samples)), w);
}

QPEL_INLINE void rows(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *a, const uint8_t *b,
                      ptrdiff_t stride, int width, int height, int step, struct factors f)
{
    for (int y = 0; y < height; y += EIGHT_ROWS(width))
        for (int x = 0; x < width; x += 8) {
            uint8_t *out = dst + y * dst_stride + x;
            int16x8_t s =
                weighed(load_eight(a + y * stride + x, stride, width), f.w[0], f.round[0]);
            uint8x8_t samples;

            if (b)
                s = vhaddq_s16(
                    s, weighed(load_eight(b + y * stride + x, stride, width), f.w[1], f.round[1]));
            samples = vqmovun_s16(vaddq_s16(vshlq_s16(s, f.shift), f.offset));
            if (step == 2)
                samples = vbsl_u8(f.kept, load_eight(out, dst_stride, width), samples);
            store_eight(out, dst_stride, width, samples);
        }
}

void qpel_weight_neon(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *a, const uint8_t *b,
                      ptrdiff_t stride, int width, int height, int step, int phase,
                      struct weights w)
{
    const struct factors f = {
        .w = { vdupq_n_s16((int16_t)w.w[0]), vdupq_n_s16((int16_t)w.w[1]) },
        .round = { vdupq_n_s16((int16_t)WEIGHT_ROUND(w.log_wd, 0)),
                   vdupq_n_s16((int16_t)WEIGHT_ROUND(w.log_wd, 1)) },
        .offset = vdupq_n_s16((int16_t)w.offset),
        .shift = vdupq_n_s16((int16_t)-w.log_wd),
        .kept = vreinterpret_u8_u16(vdup_n_u16(phase ? 0x00ff : 0xff00)),
    };

    QPEL_WEIGHT_ROWS(rows, f)
}
