/* Arithmetic on samples, two to a 32-bit word.
 *
 * A pair word holds two samples, or two sums of samples, in 16-bit fields. Sums may be
 * negative: the low field then borrows from the high one, which is harmless as long as only
 * sums, differences and left shifts follow; a bias makes both fields positive before they are
 * taken apart. Where bits are disjoint, + stands for |: V3D's multiplier adds, too, while
 * logic and shifts run in its other ALU only, which is the narrow place. */
#ifndef QPEL_FILTERS_GLSL
#define QPEL_FILTERS_GLSL

/* What is worked on at once: a word, or two of them. */
#if defined(WIDE)
#define WORDS uvec2
#else
#define WORDS uint
#endif

const uint EVEN_BYTES = 0x00ff00ffu;

/* Four bytes that begin `bits` / 8 bytes into lo; hi follows lo. Only bits modulo 32 counts.
 * The factor is 2^(32 - bits), 0 for 0: a product in place of two shifts and a mask. */
uint bytes_at(uint lo, uint hi, uint bits)
{
    return (lo >> (bits & 31u)) + hi * (2u << (~bits & 31u));
}

/* Bytes 0 and 2, and bytes 1 and 3, as pairs. */
void split(WORDS bytes, out WORDS even, out WORDS odd)
{
    even = bytes & EVEN_BYTES;
    odd = (bytes - even) >> 8;
}

WORDS join(WORDS even, WORDS odd)
{
    return even + (odd << 8);
}

/* Four averages of bytes, rounded upwards (8.4.2.2.1, and 8.4.2.3.1). */
WORDS mean(WORDS a, WORDS b)
{
    return (a | b) - (((a ^ b) >> 1) & 0x7f7f7f7fu);
}

/* (1, -5, 20, 20, -5, 1): 8.4.2.2.1. Of samples: -2550..10710. */
WORDS six_taps(WORDS a, WORDS b, WORDS c, WORDS d, WORDS e, WORDS f)
{
    WORDS v = ((c + d) << 2) - (b + e);
    return v * 5u + (a + f);
}

/* Four samples of two pairs: fields >> shift, clipped to 0..255. The fields are biased so that
 * their two highest used bits tell: 0 below the range, 1 in it, 2 above. */
WORDS clip_word(WORDS even, WORDS odd, int shift)
{
    WORDS bytes = ((even >> shift) & EVEN_BYTES) + ((odd << (8 - shift)) & ~EVEN_BYTES);
    WORDS where = ((even >> (8 + shift)) & 0x00030003u) + ((odd >> shift) & 0x03000300u);
    WORDS within = where & 0x01010101u;
    WORDS above = (where - within) >> 1;
    return (bytes & (within * 255u)) + above * 255u;
}

/* Half-samples b and h from the sums of six samples: Clip1((sum + 16) >> 5).
 * The bias moves 0..8191 to 8192..16383. */
WORDS half_word(WORDS even, WORDS odd)
{
    const uint bias = (8192u + 16u) * 0x10001u;
    return clip_word(even + bias, odd + bias, 5);
}

/* Half-sample j, from six sums of six samples: floor(y / 16) + 32 + 16384 of
 * y = a - 5 b + 20 c, where a, b, c are the sums of the outer, middle and inner two.
 *
 * y / 16 = c + (a - b) / 16 + (c - b) / 4. Both differences are -26520..26520; their sum
 * would need 17 bits, so the quarter of c - b is taken apart from its remainder:
 * floor(y / 16) = c + floor((c - b) / 4) + floor((a - b + 4 ((c - b) mod 4)) / 16).
 * y is -214200..475320, so the result is 2996..46091. */
WORDS centre_sum(WORDS r0, WORDS r1, WORDS r2, WORDS r3, WORDS r4, WORDS r5)
{
    const uint bias = 26624u; /* a multiple of 16 that makes the differences positive */
    WORDS c = r2 + r3;
    WORDS b = r1 + r4 - bias * 0x10001u;
    WORDS outer = r0 + r5 - b;
    WORDS inner = c - b;
    WORDS rest = inner & 0x00030003u;
    WORDS sixteenths = ((outer + (rest << 2)) & 0xfff0fff0u) >> 4;
    WORDS quarters = (inner - rest) >> 2;
    return c + quarters + sixteenths + (16384u + 32u - bias / 4u - bias / 16u) * 0x10001u;
}

/* Clip1((y + 512) >> 10) of what centre_sum() gives. */
WORDS centre_word(WORDS even, WORDS odd)
{
    return clip_word(even, odd, 6);
}

#endif
