/* Weights (8.4.2.3.2) with SSSE3, in 16 bits: blocks.h tells how. */
#include <tmmintrin.h>

#include "../blocks.h"
#include "eight.h"

struct factors {
    __m128i w[2], round[2], offset, shift;
    __m128i kept; /* which bytes of dst stay */
};

/* Floor of half the sum: the bits of both, and half of those of one. */
QPEL_INLINE __m128i half_sum(__m128i a, __m128i b)
{
    return _mm_add_epi16(_mm_and_si128(a, b), _mm_srai_epi16(_mm_xor_si128(a, b), 1));
}

QPEL_INLINE void rows(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *a, const uint8_t *b,
                      ptrdiff_t stride, int width, int height, int step, struct factors f)
{
    const __m128i zero = _mm_setzero_si128();

    for (int y = 0; y < height; y += EIGHT_ROWS(width))
        for (int x = 0; x < width; x += 8) {
            uint8_t *out = dst + y * dst_stride + x;
            __m128i s = _mm_unpacklo_epi8(load_eight(a + y * stride + x, stride, width), zero), t;

            s = _mm_add_epi16(_mm_mullo_epi16(s, f.w[0]), f.round[0]);
            if (b) {
                t = _mm_unpacklo_epi8(load_eight(b + y * stride + x, stride, width), zero);
                s = half_sum(s, _mm_add_epi16(_mm_mullo_epi16(t, f.w[1]), f.round[1]));
            }
            s = _mm_add_epi16(_mm_sra_epi16(s, f.shift), f.offset);
            s = _mm_packus_epi16(s, s);
            if (step == 2)
                s = _mm_or_si128(_mm_andnot_si128(f.kept, s),
                                 _mm_and_si128(f.kept, load_eight(out, dst_stride, width)));
            store_eight(out, dst_stride, width, s);
        }
}

void qpel_weight_ssse3(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *a, const uint8_t *b,
                       ptrdiff_t stride, int width, int height, int step, int phase,
                       struct weights w)
{
    const struct factors f = {
        .w = { _mm_set1_epi16((int16_t)w.w[0]), _mm_set1_epi16((int16_t)w.w[1]) },
        .round = { _mm_set1_epi16((int16_t)WEIGHT_ROUND(w.log_wd, 0)),
                   _mm_set1_epi16((int16_t)WEIGHT_ROUND(w.log_wd, 1)) },
        .offset = _mm_set1_epi16((int16_t)w.offset),
        .shift = _mm_cvtsi32_si128(w.log_wd),
        .kept = _mm_set1_epi16(phase ? 0x00ff : (int16_t)0xff00),
    };

    QPEL_WEIGHT_ROWS(rows, f)
}
