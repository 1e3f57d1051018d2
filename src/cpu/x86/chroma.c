/* Chroma (8.4.2.2.2) with SSSE3. Two samples are the bytes of a word, which pmaddubsw weighs with
 * theirs: sums of at most 64 * 255. */
#include <tmmintrin.h>

#include "../blocks.h"
#include "eight.h"

typedef __m128i row, eight;

struct filter {
    enum neighbours neighbours; /* a constant */
    int step;
    __m128i first, second; /* weights: BOTH: of (A, B), and of (C, D); else of the one pair */
};

QPEL_INLINE row enter(const uint8_t *src, ptrdiff_t stride, int width, struct filter f)
{
    const __m128i here = load_eight(src, stride, width);

    return f.neighbours == BELOW ? here
                                 : _mm_unpacklo_epi8(here, load_eight(src + f.step, stride, width));
}

QPEL_INLINE eight filtered(row above, row below, struct filter f)
{
    __m128i sum =
        _mm_maddubs_epi16(f.neighbours == BELOW ? _mm_unpacklo_epi8(above, below) : above, f.first);

    if (f.neighbours == BOTH)
        sum = _mm_add_epi16(sum, _mm_maddubs_epi16(below, f.second));
    /* (sum + 32) >> 6 */
    sum = _mm_mulhrs_epi16(sum, _mm_set1_epi16(512));
    return _mm_packus_epi16(sum, sum);
}

QPEL_INLINE void finish(uint8_t *dst, ptrdiff_t stride, int width, eight samples,
                        enum qpel_operation operation)
{
    if (operation == QPEL_AVG)
        samples = _mm_avg_epu8(samples, load_eight(dst, stride, width));
    store_eight(dst, stride, width, samples);
}

static __m128i pair(int first, int second, int both)
{
    return _mm_set1_epi16((int16_t)(first * both | second * both << 8));
}

static struct filter filter_of(int x_frac, int y_frac, int step)
{
    return (struct filter){
        .step = step,
        .first = x_frac ? pair(8 - x_frac, x_frac, 8 - y_frac) : pair(8 - y_frac, y_frac, 8),
        .second = pair(8 - x_frac, x_frac, y_frac),
    };
}

#include "../chroma_rows.h"

QPEL_CHROMA(qpel_chroma_ssse3)
