/* The vocabulary of the AVX2 layer: what its bodies are written in.
 *
 * A vector has two lanes, and all but a few instructions work inside a lane. So
 * the rows of a block go to the lanes in turn, and a group of rows that is
 * handled in one step is
 *
 *   16 wide   2 rows    [ row 0 | row 1 ]
 *    8 wide   4 rows    [ rows 0, 2 | rows 1, 3 ]
 *    4 wide   4 rows    [ rows 0, 1, 2, 3 | anything ]
 *
 * as samples; as words, two vectors of 16 become one of samples: lo, hi. No load
 * may go beyond a row's window, be it by a byte: hence the many small ones. */
#ifndef QPEL_CPU_X86_AVX2_H
#define QPEL_CPU_X86_AVX2_H

#include <immintrin.h>

#include "common.h"

typedef __m256i vec;

#define GROUP_ROWS(width) ((width) == 16 ? 2 : 4)

/* Windows that roll down the columns take a block at its full width. */
#define STRIP(width) (width)

/* The centre's: the same. */
#define CENTRE_ROWS(width)  GROUP_ROWS(width)
#define CENTRE_PARTS(width) 1

/* --- Loads and stores --- */

/* 8 or 4 bytes, into every place of their size: a load with no further cost. */
QPEL_INLINE vec load8(const uint8_t *src)
{
    int64_t bytes;

    memcpy(&bytes, src, sizeof(bytes));
    return _mm256_set1_epi64x(bytes);
}

QPEL_INLINE vec load4(const uint8_t *src)
{
    return _mm256_set1_epi32(get4(src));
}

/* Lane 0 of the one, lane 1 of the other. */
QPEL_INLINE vec lanes(vec a, vec b)
{
    return _mm256_blend_epi32(a, b, 0xf0);
}

/* In each lane, the lower half of the one, the upper of the other. */
QPEL_INLINE vec halves(vec a, vec b)
{
    return _mm256_blend_epi32(a, b, 0xcc);
}

QPEL_INLINE vec load16_lanes(const uint8_t *a, const uint8_t *b)
{
    return _mm256_inserti128_si256(_mm256_castsi128_si256(load_row(a, 16)), load_row(b, 16), 1);
}

QPEL_INLINE vec load(const uint8_t *src, ptrdiff_t stride, int width)
{
    if (width == 16)
        return load16_lanes(src, src + stride);
    if (width == 8)
        return lanes(halves(load8(src), load8(src + 2 * stride)),
                     halves(load8(src + stride), load8(src + 3 * stride)));
    return halves(_mm256_blend_epi32(load4(src), load4(src + stride), 0x22),
                  _mm256_blend_epi32(load4(src + 2 * stride), load4(src + 3 * stride), 0x88));
}

QPEL_INLINE void store_lane(uint8_t *dst, ptrdiff_t stride, int width, __m128i lane)
{
    if (width == 16) {
        _mm_storeu_si128((__m128i *)dst, lane);
    } else if (width == 8) {
        _mm_storel_epi64((__m128i *)dst, lane);
        store_upper(dst + 2 * stride, lane);
    } else {
        put4(dst, _mm_cvtsi128_si32(lane));
        put4(dst + stride, _mm_extract_epi32(lane, 1));
        put4(dst + 2 * stride, _mm_extract_epi32(lane, 2));
        put4(dst + 3 * stride, _mm_extract_epi32(lane, 3));
    }
}

QPEL_INLINE vec average(vec a, vec b)
{
    return _mm256_avg_epu8(a, b);
}

QPEL_INLINE void store(uint8_t *dst, ptrdiff_t stride, int width, vec samples,
                       struct last_step last)
{
    if (last.operation == QPEL_AVG)
        samples = average(samples, load(dst, stride, width));
    store_lane(dst, stride, width, _mm256_castsi256_si128(samples));
    if (width != 4)
        store_lane(dst + stride, stride, width, _mm256_extracti128_si256(samples, 1));
}

/* Puts a group aside, to be read as it is. */
QPEL_INLINE void keep(uint8_t *kept, int width, vec samples)
{
    (void)width;
    *(vec *)kept = samples;
}

/* --- The six-tap filter, 8.4.2.2.1 --- */

/* Of the three pairs of neighbours that a sample is filtered from: -2550..10710. */
QPEL_INLINE vec six_taps(vec ef, vec gh, vec ij)
{
    return _mm256_add_epi16(
        _mm256_add_epi16(_mm256_maddubs_epi16(ef, _mm256_set1_epi16(TAP_PAIR(1, -5))),
                         _mm256_maddubs_epi16(ij, _mm256_set1_epi16(TAP_PAIR(-5, 1)))),
        _mm256_maddubs_epi16(gh, _mm256_set1_epi16(TAP_PAIR(20, 20))));
}

/* (sum + 16) >> 5 */
QPEL_INLINE vec round5(vec sums)
{
    return _mm256_mulhrs_epi16(sums, _mm256_set1_epi16(1024));
}

QPEL_INLINE vec half(vec lo, vec hi, int width)
{
    vec samples = _mm256_packus_epi16(round5(lo), round5(hi));

    /* 4 wide has only lo: rows 0, 1 | 2, 3. */
    return width == 4 ? _mm256_permute4x64_epi64(samples, 0x08) : samples;
}

/* --- Along rows --- */

QPEL_INLINE vec pairs16(vec bytes, int n)
{
    return _mm256_shuffle_epi8(bytes, _mm256_setr_epi8(PAIRS16(n), PAIRS16(n)));
}

/* 16 bytes at -2 serve the sums of columns 0..7, those at 3 the others. */
QPEL_INLINE vec sums16(vec bytes, int n)
{
    return six_taps(pairs16(bytes, n), pairs16(bytes, n + 2), pairs16(bytes, n + 4));
}

/* One row, 16 wide: columns 0..7 | 8..15. */
QPEL_INLINE vec sums_row16(const uint8_t *src)
{
    const vec bytes = load16_lanes(src - 2, src + 3);

    return six_taps(_mm256_shuffle_epi8(bytes, _mm256_setr_epi8(PAIRS16(0), PAIRS16(3))),
                    _mm256_shuffle_epi8(bytes, _mm256_setr_epi8(PAIRS16(2), PAIRS16(5))),
                    _mm256_shuffle_epi8(bytes, _mm256_setr_epi8(PAIRS16(4), PAIRS16(7))));
}

QPEL_INLINE vec pairs8(vec bytes, int n)
{
    return _mm256_shuffle_epi8(bytes, _mm256_setr_epi8(PAIRS13(n), PAIRS13(n)));
}

/* Two rows, 8 wide, one a lane: their bytes at -2..5 and 3..10. */
QPEL_INLINE vec sums_rows8(const uint8_t *a, const uint8_t *b)
{
    const vec bytes = lanes(halves(load8(a - 2), load8(a + 3)), halves(load8(b - 2), load8(b + 3)));

    return six_taps(pairs8(bytes, 0), pairs8(bytes, 2), pairs8(bytes, 4));
}

QPEL_INLINE vec pairs4(vec bytes, int n)
{
    return _mm256_shuffle_epi8(bytes, _mm256_setr_epi8(PAIRS8_8(n), PAIRS8_8(n)));
}

/* Rows of 9 bytes, 4 wide: those at -2..5 and, for the last tap, those at -1..6. */
QPEL_INLINE vec sums4(vec at_a, vec at_b)
{
    return six_taps(pairs4(at_a, 0), pairs4(at_a, 2), pairs4(at_b, 3));
}

/* Four rows, 8 bytes of each. */
QPEL_INLINE vec load8_rows(const uint8_t *src, ptrdiff_t stride)
{
    return lanes(halves(load8(src), load8(src + stride)),
                 halves(load8(src + 2 * stride), load8(src + 3 * stride)));
}

QPEL_INLINE vec sums_rows4(const uint8_t *src, ptrdiff_t stride)
{
    return sums4(load8_rows(src - 2, stride), load8_rows(src - 1, stride));
}

QPEL_INLINE vec half_h(const uint8_t *src, ptrdiff_t stride, int width)
{
    if (width == 16)
        return half(sums16(load16_lanes(src - 2, src - 2 + stride), 0),
                    sums16(load16_lanes(src + 3, src + 3 + stride), 3), width);
    if (width == 8)
        return half(sums_rows8(src, src + stride), sums_rows8(src + 2 * stride, src + 3 * stride),
                    width);

    const vec sums = sums_rows4(src, stride);

    return half(sums, sums, width);
}

/* --- Along columns --- */

/* Pairs of a row with the next, for the rows that the next group needs: those of
 * rows -2, 0 in lane 0, of rows -1, 1 in lane 1. And the next row to load. */
struct column {
    const uint8_t *next;
    vec lo[2], hi[2];
};

/* Row 0 | row 1, each of them in full. */
QPEL_INLINE vec two_rows(const uint8_t *src, ptrdiff_t stride, int width)
{
    return width == 16 ? load16_lanes(src, src + stride) : lanes(load8(src), load8(src + stride));
}

QPEL_INLINE void column_pairs(struct column *column, vec *lo, vec *hi, ptrdiff_t stride, int width)
{
    const vec a = two_rows(column->next, stride, width),
              b = two_rows(column->next + stride, stride, width);

    *lo = _mm256_unpacklo_epi8(a, b);
    if (width == 16)
        *hi = _mm256_unpackhi_epi8(a, b);
    column->next += 2 * stride;
}

QPEL_INLINE void column_begin(struct column *column, const uint8_t *src, ptrdiff_t stride,
                              int width)
{
    column->next = src - 2 * stride;
    if (width == 4)
        return;
    for (int i = 0; i < 2; i++)
        column_pairs(column, &column->lo[i], &column->hi[i], stride, width);
}

/* Pairs of rows 0, 1 of 4 columns, in each lane. */
QPEL_INLINE vec pairs_of_rows4(const uint8_t *src, ptrdiff_t stride)
{
    const vec a = load4(src), b = load4(src + stride), c = load4(src + 2 * stride);

    return halves(_mm256_unpacklo_epi8(a, b), _mm256_unpacklo_epi8(b, c));
}

QPEL_INLINE vec half_v4(const uint8_t *src, ptrdiff_t stride)
{
    const vec p0 = pairs_of_rows4(src, stride), p2 = pairs_of_rows4(src + 2 * stride, stride),
              p4 = pairs_of_rows4(src + 4 * stride, stride),
              p6 = pairs_of_rows4(src + 6 * stride, stride);
    const vec sums = six_taps(lanes(p0, p2), lanes(p2, p4), lanes(p4, p6));

    return half(sums, sums, 4);
}

/* The next group. */
QPEL_INLINE vec half_v(struct column *column, ptrdiff_t stride, int width)
{
    if (width == 4)
        return half_v4(column->next, stride);

    vec *lo = column->lo, *hi = column->hi;
    vec next_lo[2], next_hi[2], sums_lo, sums_hi;

    column_pairs(column, &next_lo[0], &next_hi[0], stride, width);
    sums_lo = six_taps(lo[0], lo[1], next_lo[0]);
    if (width == 16) {
        sums_hi = six_taps(hi[0], hi[1], next_hi[0]);
        lo[0] = lo[1];
        hi[0] = hi[1];
        lo[1] = next_lo[0];
        hi[1] = next_hi[0];
    } else {
        column_pairs(column, &next_lo[1], &next_hi[1], stride, width);
        sums_hi = six_taps(lo[1], next_lo[0], next_lo[1]);
        lo[0] = next_lo[0];
        lo[1] = next_lo[1];
    }
    FIX(column->next);
    return half(sums_lo, sums_hi, width);
}

/* --- Both: the centre --- */

/* The row filter's sums, unrounded, of the rows that the next group needs, from
 * row -2: 16 wide a row a vector; 8 wide a row and the next one. And the next row
 * to load. */
struct centre {
    const uint8_t *next;
    vec sums[5];
};

/* [ n + 1 | n + 2 ] of [ n | n + 1 ] and [ n + 2 | n + 3 ] */
QPEL_INLINE vec between(vec a, vec b)
{
    return _mm256_permute2x128_si256(a, b, 0x21);
}

/* The column filter over sums, as common.h has it. */
QPEL_INLINE vec centre_words(vec e, vec f, vec g, vec h, vec i, vec j)
{
    const vec a = _mm256_add_epi16(e, j), b = _mm256_add_epi16(f, i), c = _mm256_add_epi16(g, h);
    const vec inner =
        _mm256_adds_epi16(_mm256_srai_epi16(_mm256_sub_epi16(a, b), 2), _mm256_sub_epi16(c, b));

    return _mm256_mulhrs_epi16(_mm256_add_epi16(_mm256_srai_epi16(inner, 2), c),
                               _mm256_set1_epi16(512));
}

/* One row; or two. The last row of a window has no next one. */
QPEL_INLINE vec centre_sums(struct centre *centre, ptrdiff_t stride, int width, int is_last)
{
    const uint8_t *row = centre->next;

    centre->next += (width == 16 ? 1 : 2) * stride;
    return width == 16 ? sums_row16(row) : sums_rows8(row, is_last ? row : row + stride);
}

QPEL_INLINE void centre_begin(struct centre *centre, const uint8_t *src, ptrdiff_t stride,
                              int width)
{
    vec *s = centre->sums;

    centre->next = src - 2 * stride;
    if (width == 16) {
        for (int i = 0; i < 5; i++)
            s[i] = centre_sums(centre, stride, width, 0);
    } else if (width == 8) {
        for (int i = 0; i < 5; i += 2)
            s[i] = centre_sums(centre, stride, width, 0);
        s[1] = between(s[0], s[2]);
        s[3] = between(s[2], s[4]);
    }
}

/* The next group. If wanted, averaged with the samples between columns: half_h()
 * of the same rows. rows: how many are left. */
QPEL_INLINE vec centre_samples(struct centre *centre, ptrdiff_t stride, int width, int rows,
                               int with_h)
{
    vec *s = centre->sums;
    vec t[4], lo, hi, lo_h, hi_h, samples;

    if (width == 16) {
        t[0] = centre_sums(centre, stride, width, 0);
        t[1] = centre_sums(centre, stride, width, 0);
        lo = centre_words(s[0], s[1], s[2], s[3], s[4], t[0]);
        hi = centre_words(s[1], s[2], s[3], s[4], t[0], t[1]);
        lo_h = s[2];
        hi_h = s[3];
        s[0] = s[2];
        s[1] = s[3];
        s[2] = s[4];
        s[3] = t[0];
        s[4] = t[1];
    } else if (width == 8) {
        t[1] = centre_sums(centre, stride, width, 0);
        t[3] = centre_sums(centre, stride, width, rows == 4);
        t[0] = between(s[4], t[1]);
        t[2] = between(t[1], t[3]);
        lo = centre_words(s[0], s[1], s[2], s[3], s[4], t[0]);
        hi = centre_words(s[2], s[3], s[4], t[0], t[1], t[2]);
        lo_h = s[2];
        hi_h = s[4];
        s[0] = s[4];
        for (int i = 0; i < 4; i++)
            s[i + 1] = t[i];
    } else {
        const uint8_t *row = centre->next;
        const vec s0 = sums_rows4(row, stride), s4 = sums_rows4(row + 4 * stride, stride),
                  s8 = sums4(load8(row + 8 * stride - 2), load8(row + 8 * stride - 1));
        const vec s2 = between(s0, s4), s6 = between(s4, s8);

        lo = hi = centre_words(s0, _mm256_alignr_epi8(s2, s0, 8), s2, _mm256_alignr_epi8(s4, s2, 8),
                               s4, _mm256_alignr_epi8(s6, s4, 8));
        lo_h = hi_h = s2;
    }
    FIX(centre->next);
    samples = _mm256_packus_epi16(lo, hi);
    if (with_h)
        samples = average(samples, _mm256_packus_epi16(round5(lo_h), round5(hi_h)));
    return width == 16  ? _mm256_permute4x64_epi64(samples, 0xd8)
           : width == 4 ? _mm256_permute4x64_epi64(samples, 0x08)
                        : samples;
}

/* Group i of a block. */
QPEL_INLINE vec all_parts(const vec *kept, int i, int width)
{
    (void)width;
    return kept[i];
}

#endif
