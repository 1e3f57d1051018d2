/* What both x86 vocabularies have in common: single rows, with SSE2. */
#ifndef QPEL_CPU_X86_ROW_H
#define QPEL_CPU_X86_ROW_H

#include <emmintrin.h>
#include <string.h>

#include "../layer.h"

/* Windows that roll down the columns turn over without moves within 4 groups. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll_count(4)")
#define ROLLED _Pragma("clang loop unroll(disable)")
#else
#define UNROLL _Pragma("GCC unroll 4")
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

#endif
