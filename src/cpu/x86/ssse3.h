/* The vocabulary of the SSSE3 layer: what its bodies are written in.
 *
 * A group of rows that is handled in one step is 16 samples, one vector; as words
 * it is two, lo and hi:
 *
 *   16 wide   1 row
 *    8 wide   2 rows, one in lo and one in hi
 *    4 wide   4 rows, two in lo and two in hi
 *
 * No load may go beyond a row's window, be it by a byte: hence the many small ones. */
#ifndef QPEL_CPU_X86_SSSE3_H
#define QPEL_CPU_X86_SSSE3_H

#include <tmmintrin.h>

#include "common.h"

typedef __m128i vec;

#define GROUP_ROWS(width) (16 / (width))

/* Windows that roll down the columns fill the registers with 8 of them. */
#define STRIP(width) ((width) < 8 ? (width) : 8)

/* The centre of 16 wide is done in two parts, of even and of odd columns. */
#define CENTRE_ROWS(width)  ((width) == 4 ? 4 : 2)
#define CENTRE_PARTS(width) ((width) == 16 ? 2 : 1)

/* --- Loads and stores --- */

/* 8 bytes of each. */
QPEL_INLINE vec load8_two(const uint8_t *a, const uint8_t *b)
{
    return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(load_row(a, 8)), (const __m64 *)b));
}

QPEL_INLINE vec load(const uint8_t *src, ptrdiff_t stride, int width)
{
    if (width == 16)
        return load_row(src, 16);
    if (width == 8)
        return load8_two(src, src + stride);
    return _mm_unpacklo_epi64(
        _mm_unpacklo_epi32(load_row(src, 4), load_row(src + stride, 4)),
        _mm_unpacklo_epi32(load_row(src + 2 * stride, 4), load_row(src + 3 * stride, 4)));
}

QPEL_INLINE vec average(vec a, vec b)
{
    return _mm_avg_epu8(a, b);
}

QPEL_INLINE void store(uint8_t *dst, ptrdiff_t stride, int width, vec samples,
                       struct last_step last)
{
    if (last.operation == QPEL_AVG)
        samples = average(samples, load(dst, stride, width));
    if (width == 16) {
        _mm_storeu_si128((__m128i *)dst, samples);
    } else if (width == 8) {
        _mm_storel_epi64((__m128i *)dst, samples);
        store_upper(dst + stride, samples);
    } else {
        store_row(dst, 4, samples);
        store_row(dst + stride, 4, _mm_shuffle_epi32(samples, 1));
        store_row(dst + 2 * stride, 4, _mm_shuffle_epi32(samples, 2));
        store_row(dst + 3 * stride, 4, _mm_shuffle_epi32(samples, 3));
    }
}

/* Puts a group aside, in a row-by-row block. */
QPEL_INLINE void keep(uint8_t *kept, int width, vec samples)
{
    if (width == 16)
        store(kept, width, 8, samples, (struct last_step){ QPEL_PUT });
    else
        *(vec *)kept = samples;
}

/* --- The six-tap filter, 8.4.2.2.1 --- */

/* Of the three pairs of neighbours that a sample is filtered from: -2550..10710. */
QPEL_INLINE vec six_taps(vec ef, vec gh, vec ij)
{
    return _mm_add_epi16(_mm_add_epi16(_mm_maddubs_epi16(ef, _mm_set1_epi16(TAP_PAIR(1, -5))),
                                       _mm_maddubs_epi16(ij, _mm_set1_epi16(TAP_PAIR(-5, 1)))),
                         _mm_maddubs_epi16(gh, _mm_set1_epi16(TAP_PAIR(20, 20))));
}

/* (sum + 16) >> 5 */
QPEL_INLINE vec round5(vec sums)
{
    return _mm_mulhrs_epi16(sums, _mm_set1_epi16(1024));
}

QPEL_INLINE vec half(vec lo, vec hi)
{
    return _mm_packus_epi16(round5(lo), round5(hi));
}

/* --- Along rows --- */

/* 16 wide. Bytes are pairs of neighbours as they lie: those of the even columns;
 * and one byte further on, those of the odd ones. */
QPEL_INLINE vec sums_row16(const uint8_t *src)
{
    return six_taps(load_row(src - 2, 16), load_row(src, 16), load_row(src + 2, 16));
}

/* Even columns, odd columns. */
QPEL_INLINE vec in_order(vec samples)
{
    return _mm_shuffle_epi8(samples,
                            _mm_setr_epi8(0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15));
}

QPEL_INLINE vec pairs8(vec bytes, int n)
{
    return _mm_shuffle_epi8(bytes, _mm_setr_epi8(PAIRS13(n)));
}

/* 8 wide: the bytes at -2..5 and 3..10. */
QPEL_INLINE vec sums_row8(const uint8_t *src)
{
    const vec bytes = load8_two(src - 2, src + 3);

    return six_taps(pairs8(bytes, 0), pairs8(bytes, 2), pairs8(bytes, 4));
}

QPEL_INLINE vec pairs4(vec bytes, int n)
{
    return _mm_shuffle_epi8(bytes, _mm_setr_epi8(PAIRS8_8(n)));
}

/* Two rows, 4 wide, of 9 bytes: those at -2..5 and, for the last tap, -1..6. */
QPEL_INLINE vec sums_rows4(const uint8_t *a, const uint8_t *b)
{
    const vec bytes = load8_two(a - 2, b - 2);

    return six_taps(pairs4(bytes, 0), pairs4(bytes, 2), pairs4(load8_two(a - 1, b - 1), 3));
}

QPEL_INLINE vec half_h(const uint8_t *src, ptrdiff_t stride, int width)
{
    if (width == 16)
        return in_order(half(sums_row16(src), sums_row16(src + 1)));
    if (width == 8)
        return half(sums_row8(src), sums_row8(src + stride));
    return half(sums_rows4(src, src + stride), sums_rows4(src + 2 * stride, src + 3 * stride));
}

/* --- Along columns: strips of 8 or 4 --- */

/* Pairs of a row with the next, for the rows that the next group needs: rows
 * -2..1; and row 2. And the next row to load. */
struct column {
    const uint8_t *next;
    vec pairs[4], row;
};

QPEL_INLINE vec column_pairs(struct column *column, ptrdiff_t stride)
{
    const vec row = load_row(column->next, 8), pairs = _mm_unpacklo_epi8(column->row, row);

    column->row = row;
    column->next += stride;
    return pairs;
}

QPEL_INLINE void column_begin(struct column *column, const uint8_t *src, ptrdiff_t stride,
                              int width)
{
    column->next = src - 2 * stride;
    if (width == 4)
        return;
    column->row = load_row(column->next, 8);
    column->next += stride;
    for (int i = 0; i < 4; i++)
        column->pairs[i] = column_pairs(column, stride);
}

/* Pairs of rows 0, 1 of 4 columns. */
QPEL_INLINE vec pairs_of_rows4(const uint8_t *src, ptrdiff_t stride)
{
    const vec a = load_row(src, 4), b = load_row(src + stride, 4),
              c = load_row(src + 2 * stride, 4);

    return _mm_unpacklo_epi64(_mm_unpacklo_epi8(a, b), _mm_unpacklo_epi8(b, c));
}

QPEL_INLINE vec half_v4(const uint8_t *src, ptrdiff_t stride)
{
    const vec p0 = pairs_of_rows4(src, stride), p2 = pairs_of_rows4(src + 2 * stride, stride),
              p4 = pairs_of_rows4(src + 4 * stride, stride),
              p6 = pairs_of_rows4(src + 6 * stride, stride);

    return half(six_taps(p0, p2, p4), six_taps(p2, p4, p6));
}

/* The next group. */
QPEL_INLINE vec half_v(struct column *column, ptrdiff_t stride, int width)
{
    if (width == 4)
        return half_v4(column->next, stride);

    vec *p = column->pairs;
    const vec p4 = column_pairs(column, stride), lo = six_taps(p[0], p[2], p4),
              p5 = column_pairs(column, stride), hi = six_taps(p[1], p[3], p5);

    p[0] = p[2];
    p[1] = p[3];
    p[2] = p4;
    p[3] = p5;
    FIX(column->next);
    return half(lo, hi);
}

/* --- Both: the centre --- */

/* The row filter's sums, unrounded, of the rows that the next group needs, from
 * row -2. And the next row to load. */
struct centre {
    const uint8_t *next;
    vec sums[5];
};

/* Rows 1, 2 of rows 0, 1 and 2, 3. */
QPEL_INLINE vec between(vec a, vec b)
{
    return _mm_alignr_epi8(b, a, 8);
}

/* The column filter over sums, as common.h has it. */
QPEL_INLINE vec centre_words(vec e, vec f, vec g, vec h, vec i, vec j)
{
    const vec a = _mm_add_epi16(e, j), b = _mm_add_epi16(f, i), c = _mm_add_epi16(g, h);
    const vec inner = _mm_adds_epi16(_mm_srai_epi16(_mm_sub_epi16(a, b), 2), _mm_sub_epi16(c, b));

    return _mm_mulhrs_epi16(_mm_add_epi16(_mm_srai_epi16(inner, 2), c), _mm_set1_epi16(512));
}

/* One row, 8 columns. */
QPEL_INLINE vec centre_sums(struct centre *centre, ptrdiff_t stride, int width)
{
    const uint8_t *row = centre->next;

    centre->next += stride;
    return width == 16 ? sums_row16(row) : sums_row8(row);
}

QPEL_INLINE void centre_begin(struct centre *centre, const uint8_t *src, ptrdiff_t stride,
                              int width)
{
    centre->next = src - 2 * stride;
    if (width == 4)
        return;
    for (int i = 0; i < 5; i++)
        centre->sums[i] = centre_sums(centre, stride, width);
}

/* The next group. If wanted, averaged with the samples between columns: half_h()
 * of the same rows. */
QPEL_INLINE vec centre_samples(struct centre *centre, ptrdiff_t stride, int width, int rows,
                               int with_h)
{
    vec *s = centre->sums;
    vec lo, hi, lo_h, hi_h, samples;

    (void)rows;
    if (width == 4) {
        const uint8_t *row = centre->next;
        const vec s0 = sums_rows4(row, row + stride),
                  s2 = sums_rows4(row + 2 * stride, row + 3 * stride),
                  s4 = sums_rows4(row + 4 * stride, row + 5 * stride),
                  s6 = sums_rows4(row + 6 * stride, row + 7 * stride),
                  s8 = sums_rows4(row + 8 * stride, row + 8 * stride);
        const vec s3 = between(s2, s4), s5 = between(s4, s6);

        lo = centre_words(s0, between(s0, s2), s2, s3, s4, s5);
        hi = centre_words(s2, s3, s4, s5, s6, between(s6, s8));
        lo_h = s2;
        hi_h = s4;
    } else {
        const vec s5 = centre_sums(centre, stride, width);

        lo = centre_words(s[0], s[1], s[2], s[3], s[4], s5);

        const vec s6 = centre_sums(centre, stride, width);

        hi = centre_words(s[1], s[2], s[3], s[4], s5, s6);
        lo_h = s[2];
        hi_h = s[3];
        s[0] = s[2];
        s[1] = s[3];
        s[2] = s[4];
        s[3] = s5;
        s[4] = s6;
    }
    FIX(centre->next);
    samples = _mm_packus_epi16(lo, hi);
    return with_h ? average(samples, half(lo_h, hi_h)) : samples;
}

/* Group i of a block; 16 wide, of two rows' even and odd columns, which are half a
 * block apart. */
QPEL_INLINE vec all_parts(const vec *kept, int i, int width)
{
    if (width != 16)
        return kept[i];

    const vec even = kept[i / 2], odd = kept[8 + i / 2];

    return i % 2 ? _mm_unpackhi_epi8(even, odd) : _mm_unpacklo_epi8(even, odd);
}

#endif
