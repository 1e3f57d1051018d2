/* Chroma (8.4.2.2.2) with SSSE3. Two samples are the bytes of a word, which pmaddubsw weighs with
 * theirs: sums of at most 64 * 255. */
#include <stdbool.h>
#include <tmmintrin.h>

#include "../blocks.h"
#include "eight.h"

/* Which neighbours a block's samples have. */
enum neighbours { RIGHT, BELOW, BOTH };

struct filter {
    enum neighbours neighbours; /* a constant */
    int step;
    __m128i first, second; /* weights: BOTH: of (A, B), and of (C, D); else of the one pair */
};

/* What a row takes part in sums with: its samples, with their right neighbours if those count. */
QPEL_INLINE __m128i enter(const uint8_t *src, ptrdiff_t stride, int width, struct filter f)
{
    const __m128i row = load_eight(src, stride, width);

    return f.neighbours == BELOW ? row
                                 : _mm_unpacklo_epi8(row, load_eight(src + f.step, stride, width));
}

/* Of a row and the one below it. */
QPEL_INLINE __m128i filtered(__m128i row, __m128i below, struct filter f)
{
    __m128i sum =
        _mm_maddubs_epi16(f.neighbours == BELOW ? _mm_unpacklo_epi8(row, below) : row, f.first);

    if (f.neighbours == BOTH)
        sum = _mm_add_epi16(sum, _mm_maddubs_epi16(below, f.second));
    /* (sum + 32) >> 6 */
    return _mm_mulhrs_epi16(sum, _mm_set1_epi16(512));
}

/* Eight bytes. */
QPEL_INLINE void finish(uint8_t *dst, ptrdiff_t stride, int width, __m128i samples,
                        enum qpel_operation operation)
{
    if (operation == QPEL_AVG)
        samples = _mm_avg_epu8(samples, load_eight(dst, stride, width));
    store_eight(dst, stride, width, samples);
}

QPEL_INLINE __m128i packed(__m128i words)
{
    return _mm_packus_epi16(words, words);
}

/* Columns of 8. A block has an even number of rows. */
QPEL_INLINE void wide_rows(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t stride,
                           int height, struct filter f, enum qpel_operation operation)
{
    __m128i row = enter(src, stride, 8, f), next;

    for (int y = 0; y < height; y += 2, dst += 2 * dst_stride, src += 2 * stride) {
        next = enter(src + stride, stride, 8, f);
        finish(dst, dst_stride, 8, packed(filtered(row, next, f)), operation);
        /* Of the last row only what lies below it is read here, if that counts. */
        if (f.neighbours != RIGHT || y + 2 < height)
            row = enter(src + 2 * stride, stride, 8, f);
        finish(dst + dst_stride, dst_stride, 8, packed(filtered(next, row, f)), operation);
    }
}

/* Two rows of 4 or 2 at once. */
QPEL_INLINE void narrow_rows(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src,
                             ptrdiff_t stride, int width, int height, struct filter f,
                             enum qpel_operation operation)
{
    for (int y = 0; y < height; y += 2, dst += 2 * dst_stride, src += 2 * stride) {
        const __m128i two = enter(src, stride, width, f);
        const __m128i below = f.neighbours == RIGHT ? two : enter(src + stride, stride, width, f);

        finish(dst, dst_stride, width, packed(filtered(two, below, f)), operation);
    }
}

QPEL_INLINE void rows(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t stride,
                      int width, int height, struct filter f, enum qpel_operation operation)
{
    if (width < 8)
        narrow_rows(dst, dst_stride, src, stride, width, height, f, operation);
    for (int x = 0; x + 8 <= width; x += 8)
        wide_rows(dst + x, dst_stride, src + x, stride, height, f, operation);
}

/* Whole samples. */
QPEL_INLINE void copy(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t stride,
                      int width, int height, enum qpel_operation operation)
{
    const int step = EIGHT_ROWS(width);

    for (int y = 0; y < height; y += step, dst += step * dst_stride, src += step * stride)
        for (int x = 0; x < width; x += 8)
            finish(dst + x, dst_stride, width, load_eight(src + x, stride, width), operation);
}

static __m128i pair(int first, int second, int both)
{
    return _mm_set1_epi16((int16_t)(first * both | second * both << 8));
}

void qpel_chroma_ssse3(uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src, ptrdiff_t src_stride,
                       int width, int height, int step, int x_frac, int y_frac,
                       enum qpel_operation operation)
{
    struct filter f = { .step = step };

#define ROWS(w, op) rows(dst, dst_stride, src, src_stride, w, height, f, op)
#define COPY(w, op) copy(dst, dst_stride, src, src_stride, w, height, op)
    if (x_frac && y_frac) {
        f.neighbours = BOTH;
        f.first = pair(8 - x_frac, x_frac, 8 - y_frac);
        f.second = pair(8 - x_frac, x_frac, y_frac);
        QPEL_WITH_WIDTH(width, operation, ROWS)
    } else if (x_frac) {
        f.neighbours = RIGHT;
        f.first = pair(8 - x_frac, x_frac, 8);
        QPEL_WITH_WIDTH(width, operation, ROWS)
    } else if (y_frac) {
        f.neighbours = BELOW;
        f.first = pair(8 - y_frac, y_frac, 8);
        QPEL_WITH_WIDTH(width, operation, ROWS)
    } else {
        QPEL_WITH_WIDTH(width, operation, COPY)
    }
#undef COPY
#undef ROWS
}
