/* Where a lane's strip of a unit lies, in dst and in src: a word wide; or WIDE, two. */
#ifndef QPEL_STRIP_GLSL
#define QPEL_STRIP_GLSL

#include "picture.glsl"

layout(constant_id = QPEL_SPEC_STEP) const uint STEP = QPEL_STEP_PUT;
layout(constant_id = QPEL_SPEC_PICKY) const bool PICKY = false;
layout(constant_id = QPEL_SPEC_MOST_ROWS) const uint MOST_ROWS = QPEL_UNIT_ROWS;

/* Whether the strip has more rows of luma than n, 4 or 8. */
uint strip_rows;
#define HIGHER(n) (MOST_ROWS > n && strip_rows > n)

/* Bytes to the next row's word in dst, to that of list 0 in the scratch picture, and from row to
 * row. */
uint strip_dst, strip_first, strip_step;
uint strip_src, src_stride;

/* Places the strip in dst: at a byte of a row, or where it does not matter. */
void place_strip(uvec4 item, bool idle, uint base, uint column, uint line)
{
    strip_dst = base + column + line * dst_stride;
    if (STEP == QPEL_STEP_PUT)
        strip_dst += (item.x & QPEL_ITEM_FIRST) != 0 ? scratch_base : 0;
    strip_first = strip_dst + scratch_base;
    strip_step = dst_stride << item_field(item);
    if (!PICKY) {
        uint size = QPEL_GROUP_LANES * 4 / gl_WorkGroupSize.x;
        uint nowhere = idle_base + gl_LocalInvocationID.x * size;
        strip_dst = idle ? nowhere : strip_dst;
        strip_step = idle ? 0 : strip_step;
    }
}

#if defined(WIDE)
uint far; /* 1; or 0: the strip is one word wide, and reads no word beyond */

WORDS first_list(uint at)
{
    return uvec2(scratch[at >> 2], scratch[(at >> 2) + far]);
}
#else
WORDS first_list(uint at)
{
    return scratch[at >> 2];
}
#endif

void put(WORDS words)
{
#if defined(WIDE)
    dst[strip_dst >> 2] = words.x;
    if (far != 0)
        dst[(strip_dst >> 2) + 1] = words.y;
#else
    dst[strip_dst >> 2] = words;
#endif
    strip_dst += strip_step;
    strip_first += strip_step;
}

weighting weights_even, weights_odd; /* of bytes */

WORDS mixed(WORDS word, WORDS first)
{
    if (STEP == QPEL_STEP_MEAN)
        word = mean(word, first);
    if (STEP == QPEL_STEP_WEIGH)
        word = weigh(weights_even, weights_odd, first, word);
    return word;
}

void put_word(WORDS word)
{
    WORDS first = WORDS(0);
    /* A branch where none is needed: loads that come before it would take too many registers. */
    if (STEP == QPEL_STEP_MEAN || (STEP == QPEL_STEP_WEIGH && weights_even.a != 0))
        first = first_list(strip_first);
    put(mixed(word, first));
}

/* Of two rows: see families.glsl. */
void put_two_words(WORDS a, WORDS b)
{
    WORDS first = WORDS(0), second = WORDS(0);
    if (STEP != QPEL_STEP_PUT) {
        first = first_list(strip_first);
        second = first_list(strip_first + strip_step);
    }
    a = mixed(a, first);
    b = mixed(b, second);
    put(a);
    put(b);
}

#endif
