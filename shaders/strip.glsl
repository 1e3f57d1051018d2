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
        uint nowhere = idle_base + gl_LocalInvocationID.x * (QPEL_GROUP_LANES * 4 / gl_WorkGroupSize.x);
        strip_dst = idle ? nowhere : strip_dst;
        strip_first = idle ? nowhere : strip_first;
        strip_step = idle ? 0 : strip_step;
    }
}

#if defined(WIDE)
uint far; /* 1; or 0: the strip is one word wide, and reads no word beyond */

WORDS first_list()
{
    return uvec2(scratch[strip_first >> 2], scratch[(strip_first >> 2) + far]);
}
#else
WORDS first_list()
{
    return scratch[strip_first >> 2];
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

#endif
