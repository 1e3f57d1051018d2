/* The words in which the NEON kernels are written, for AArch64 and for 32-bit Arm.
 *
 * Work is done in units: a row of a block 16 or 8 wide, two rows of one 4 wide.
 * `width` is a constant wherever these functions are expanded. No load or store
 * claims an alignment, and none reaches beyond what its row needs. */
#ifndef QPEL_CPU_ARM_NEON_H
#define QPEL_CPU_ARM_NEON_H

#include <arm_neon.h>
#include <string.h>

#include "../layer.h"

#define UNIT_ROWS (width == 4 ? 2 : 1)

/* A unit of samples: `wide` is used at width 16, `narrow` at 8 and 4. */
struct samples {
    uint8x16_t wide;
    uint8x8_t narrow;
};

/* A unit of 16-bit sums: `high`, columns 8 to 15, is used at width 16. */
struct sums {
    int16x8_t low, high;
};

/* The six units that a filter weighs, named as in 8.4.2.2.1. */
struct taps {
    struct samples e, f, g, h, i, j;
};
struct sum_taps {
    struct sums e, f, g, h, i, j;
};

/* --- loads --- */

/* Four samples, then four of no meaning. */
QPEL_INLINE uint8x8_t load_4(const uint8_t *src)
{
#ifdef __aarch64__
    uint8x8_t samples;

    /* Compilers would go through a general register. */
    __asm__("ldr %s0, %1" : "=w"(samples) : "m"(*(const uint8_t(*)[4])src));
    return samples;
#else
    uint32_t word;

    memcpy(&word, src, 4);
    return vreinterpret_u8_u32(vdup_n_u32(word));
#endif
}

/* The first halves of both, and the second halves. */
QPEL_INLINE uint8x8x2_t pair_rows(uint8x8_t a, uint8x8_t b)
{
    const uint32x2x2_t pair = vtrn_u32(vreinterpret_u32_u8(a), vreinterpret_u32_u8(b));

    return (uint8x8x2_t){ { vreinterpret_u8_u32(pair.val[0]), vreinterpret_u8_u32(pair.val[1]) } };
}

QPEL_INLINE struct samples load(const uint8_t *src, ptrdiff_t stride, int width)
{
    struct samples s;

    if (width == 16)
        s.wide = vld1q_u8(src);
    else if (width == 8)
        s.narrow = vld1_u8(src);
    else
        s.narrow = pair_rows(load_4(src), load_4(src + stride)).val[0];
    return s;
}

/* Two samples further in each row: the last two of a, the first two of b. */
QPEL_INLINE uint8x8_t between(uint8x8_t a, uint8x8_t b)
{
    return vreinterpret_u8_u32(
        vsli_n_u32(vshr_n_u32(vreinterpret_u32_u8(a), 16), vreinterpret_u32_u8(b), 16));
}

/* The taps of the filter along rows. */
QPEL_INLINE struct taps load_taps(const uint8_t *src, ptrdiff_t stride, int width)
{
    struct taps t;

    if (width == 4) {
        /* 9 samples of a row are needed: -2..5 and -1..6. */
        const uint8x8x2_t ei = pair_rows(vld1_u8(src - 2), vld1_u8(src + stride - 2));
        const uint8x8x2_t fj = pair_rows(vld1_u8(src - 1), vld1_u8(src + stride - 1));

        t.e.narrow = ei.val[0];
        t.f.narrow = fj.val[0];
        t.g.narrow = between(ei.val[0], ei.val[1]);
        t.h.narrow = between(fj.val[0], fj.val[1]);
        t.i.narrow = ei.val[1];
        t.j.narrow = fj.val[1];
        return t;
    }
    t.e = load(src - 2, stride, width);
    t.f = load(src - 1, stride, width);
    t.g = load(src, stride, width);
    t.h = load(src + 1, stride, width);
    t.i = load(src + 2, stride, width);
    t.j = load(src + 3, stride, width);
    return t;
}

/* --- stores --- */

QPEL_INLINE void store_16(uint8_t *dst, uint8x16_t samples)
{
#ifdef __aarch64__
    /* The same bytes as str, which costs the Cortex-A76 twice as much by llvm's model. */
    __asm__("st1 {%1.16b}, %0" : "=Q"(*(uint8_t(*)[16])dst) : "w"(samples));
#else
    vst1q_u8(dst, samples);
#endif
}

QPEL_INLINE struct samples average(struct samples a, struct samples b, int width)
{
    if (width == 16)
        a.wide = vrhaddq_u8(a.wide, b.wide);
    else
        a.narrow = vrhadd_u8(a.narrow, b.narrow);
    return a;
}

QPEL_INLINE void store(uint8_t *dst, ptrdiff_t stride, int width, struct samples s,
                       struct last_step last)
{
    if (last.operation == QPEL_AVG)
        s = average(s, load(dst, stride, width), width);
    if (width == 16) {
        store_16(dst, s.wide);
    } else if (width == 8) {
        vst1_u8(dst, s.narrow);
    } else {
        const uint32x2_t words = vreinterpret_u32_u8(s.narrow);
        const uint32_t first = vget_lane_u32(words, 0), second = vget_lane_u32(words, 1);

        memcpy(dst, &first, 4);
        memcpy(dst + stride, &second, 4);
    }
}

/* Keeps clang from taking apart what was put together for the machine: it would share
 * a product between rows, which costs an addition for each multiplication saved, and
 * turn shifts back into multiplications. Emits nothing; gcc does none of that, and is
 * better left alone. */
#ifdef __clang__
#define FIX(value) __asm__("" : "+w"(value))
#else
#define FIX(value) ((void)(value))
#endif

/* --- the six-tap filter over samples: sums of -2550..10710 --- */

/* Two ways to the same sums. Of the two vector pipes of a Cortex-A72 or A76 only
 * one multiplies, so the shortest way keeps it twice as busy as the other. */
enum way { MULTIPLY, SHIFT };

QPEL_INLINE int16x8_t six_taps_low(uint8x8_t e, uint8x8_t f, uint8x8_t g, uint8x8_t h, uint8x8_t i,
                                   uint8x8_t j, enum way way)
{
    uint16x8_t sum = vaddl_u8(e, j);

    FIX(sum);
    sum = vmlal_u8(sum, g, vdup_n_u8(20));
    FIX(sum);
    sum = vmlal_u8(sum, h, vdup_n_u8(20));
    FIX(sum);
    if (way == MULTIPLY) {
        sum = vmlsl_u8(sum, f, vdup_n_u8(5));
        FIX(sum);
        sum = vmlsl_u8(sum, i, vdup_n_u8(5));
    } else {
        uint16x8_t fi = vaddl_u8(f, i);

        sum = vsubq_u16(sum, fi);
        fi = vshlq_n_u16(fi, 2);
        FIX(fi);
        sum = vsubq_u16(sum, fi);
    }
    return vreinterpretq_s16_u16(sum);
}

QPEL_INLINE int16x8_t six_taps_high(uint8x16_t e, uint8x16_t f, uint8x16_t g, uint8x16_t h,
                                    uint8x16_t i, uint8x16_t j, enum way way)
{
#ifdef __aarch64__
    uint16x8_t sum = vaddl_high_u8(e, j);

    FIX(sum);
    sum = vmlal_high_u8(sum, g, vdupq_n_u8(20));
    FIX(sum);
    sum = vmlal_high_u8(sum, h, vdupq_n_u8(20));
    FIX(sum);
    if (way == MULTIPLY) {
        sum = vmlsl_high_u8(sum, f, vdupq_n_u8(5));
        FIX(sum);
        sum = vmlsl_high_u8(sum, i, vdupq_n_u8(5));
    } else {
        uint16x8_t fi = vaddl_high_u8(f, i);

        sum = vsubq_u16(sum, fi);
        fi = vshlq_n_u16(fi, 2);
        FIX(fi);
        sum = vsubq_u16(sum, fi);
    }
    return vreinterpretq_s16_u16(sum);
#else
    return six_taps_low(vget_high_u8(e), vget_high_u8(f), vget_high_u8(g), vget_high_u8(h),
                        vget_high_u8(i), vget_high_u8(j), way);
#endif
}

QPEL_INLINE struct sums six_taps(const struct taps *t, int width, enum way way)
{
    struct sums s;

    if (width == 16) {
        s.low = six_taps_low(vget_low_u8(t->e.wide), vget_low_u8(t->f.wide), vget_low_u8(t->g.wide),
                             vget_low_u8(t->h.wide), vget_low_u8(t->i.wide), vget_low_u8(t->j.wide),
                             MULTIPLY);
        s.high =
            six_taps_high(t->e.wide, t->f.wide, t->g.wide, t->h.wide, t->i.wide, t->j.wide, way);
    } else {
        s.low = six_taps_low(t->e.narrow, t->f.narrow, t->g.narrow, t->h.narrow, t->i.narrow,
                             t->j.narrow, way);
    }
    return s;
}

/* Appends clip((high + 2^(shift - 1)) >> shift) to low. */
#ifdef __aarch64__
#define ROUND_HIGH(low, high, shift) vqrshrun_high_n_s16(low, high, shift)
#else
#define ROUND_HIGH(low, high, shift) vcombine_u8(low, vqrshrun_n_s16(high, shift))
#endif

QPEL_INLINE struct samples half(struct sums sums, int width)
{
    struct samples s;
    const uint8x8_t low = vqrshrun_n_s16(sums.low, 5);

    if (width == 16)
        s.wide = ROUND_HIGH(low, sums.high, 5);
    else
        s.narrow = low;
    return s;
}

/* --- the six-tap filter over sums, for the centre position --- */

/* floor((e - 5 f + 20 g + 20 h - 5 i + j) / 16), -13388..29707, all in 16 bits. With
 * a = e + j, b = f + i, c = g + h it is
 *
 *     c + floor((floor((a - b) / 4) + c - b) / 4)
 *
 * a - b = (e - f) + (j - i) and c - b = (g - f) + (h - i): each within -26520..26520.
 * The sum in the middle reaches -33150 and 33150: a halving add keeps its 17 bits. */
QPEL_INLINE int16x8_t second_pass(int16x8_t e, int16x8_t f, int16x8_t g, int16x8_t h, int16x8_t i,
                                  int16x8_t j)
{
    const int16x8_t ab = vsubq_s16(vsubq_s16(j, i), vsubq_s16(f, e));
    const int16x8_t cb = vsubq_s16(vsubq_s16(g, f), vsubq_s16(i, h));
    const int16x8_t middle = vhaddq_s16(vshrq_n_s16(ab, 2), cb);

    return vsraq_n_s16(vaddq_s16(g, h), middle, 1);
}

QPEL_INLINE struct samples centre(const struct sum_taps *t, int width)
{
    struct samples s;
    const uint8x8_t low =
        vqrshrun_n_s16(second_pass(t->e.low, t->f.low, t->g.low, t->h.low, t->i.low, t->j.low), 6);

    if (width == 16)
        s.wide = ROUND_HIGH(
            low, second_pass(t->e.high, t->f.high, t->g.high, t->h.high, t->i.high, t->j.high), 6);
    else
        s.narrow = low;
    return s;
}

#endif
