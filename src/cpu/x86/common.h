/* What both x86 vocabularies have in common: single rows, with SSE2, and numbers. */
#ifndef QPEL_CPU_X86_COMMON_H
#define QPEL_CPU_X86_COMMON_H

#include <emmintrin.h>
#include <string.h>

#include "../layer.h"

/* Windows that roll down the columns turn over by moves, which unrolling saves. gcc
 * makes do with 2 groups at a time: with 4 its code grows by a fifth and gains 1 %,
 * where clang gains 5 %. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll_count(4)")
#define ROLLED _Pragma("clang loop unroll(disable)")
#else
#define UNROLL _Pragma("GCC unroll 2")
#define ROLLED _Pragma("GCC unroll 1")
#endif

/* Keeps compilers from giving each row of an unrolled loop a pointer of its own, of
 * which there are then more than registers. Emits nothing. */
#define FIX(pointer) __asm__("" : "+r"(pointer))

QPEL_INLINE int32_t get4(const uint8_t *src)
{
    int32_t bytes;

    memcpy(&bytes, src, sizeof(bytes));
    return bytes;
}

QPEL_INLINE void put4(uint8_t *dst, int32_t bytes)
{
    memcpy(dst, &bytes, sizeof(bytes));
}

QPEL_INLINE __m128i load_row(const uint8_t *src, int width)
{
    return width == 16  ? _mm_loadu_si128((const __m128i *)src)
           : width == 8 ? _mm_loadl_epi64((const __m128i *)src)
                        : _mm_cvtsi32_si128(get4(src));
}

QPEL_INLINE void store_row(uint8_t *dst, int width, __m128i row)
{
    if (width == 16)
        _mm_storeu_si128((__m128i *)dst, row);
    else if (width == 8)
        _mm_storel_epi64((__m128i *)dst, row);
    else
        put4(dst, _mm_cvtsi128_si32(row));
}

/* The upper 8 bytes. */
QPEL_INLINE void store_upper(uint8_t *dst, __m128i row)
{
    _mm_storeh_pi((__m64 *)dst, _mm_castsi128_ps(row));
}

/* Taps for two neighbours, as the bytes of a word. */
#define TAP_PAIR(first, second) ((int16_t)((uint8_t)(first) | (second)*256))

/* Shuffles of bytes that make pairs of neighbours, from byte n on. Of 16 bytes as
 * they lie: */
#define PAIRS16(n)                                                                                 \
    (n), (n) + 1, (n) + 1, (n) + 2, (n) + 2, (n) + 3, (n) + 3, (n) + 4, (n) + 4, (n) + 5, (n) + 5, \
        (n) + 6, (n) + 6, (n) + 7, (n) + 7, (n) + 8

/* Of a row of 13 bytes, the window of 8 wide, as bytes 0..7 and then 5..12: */
#define AT13(n) ((n) < 8 ? (n) : (n) + 3)
#define PAIRS13(n)                                                                                 \
    AT13(n), AT13((n) + 1), AT13((n) + 1), AT13((n) + 2), AT13((n) + 2), AT13((n) + 3),            \
        AT13((n) + 3), AT13((n) + 4), AT13((n) + 4), AT13((n) + 5), AT13((n) + 5), AT13((n) + 6),  \
        AT13((n) + 6), AT13((n) + 7), AT13((n) + 7), AT13((n) + 8)

/* Of two rows, 4 wide, 8 bytes of each: */
#define PAIRS8_8(n)                                                                                \
    (n), (n) + 1, (n) + 1, (n) + 2, (n) + 2, (n) + 3, (n) + 3, (n) + 4, (n) + 8, (n) + 9, (n) + 9, \
        (n) + 10, (n) + 10, (n) + 11, (n) + 11, (n) + 12

/* The centre's column filter works on sums of the row filter, -2550..10710. Its own
 * sum y = a - 5 b + 20 c needs 20 bits, but
 *
 *     floor(y / 16) = c + floor((floor((a - b) / 4) + c - b) / 4)
 *
 * takes 16, save that the inner sum is within -33150..33150. It is added with
 * saturation: where that changes it, y is so far out that the sample is clipped to
 * the same 0 or 255. What is left of (y + 512) >> 10 is then (... + 32) >> 6. */

#endif
