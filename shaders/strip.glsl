/* Where a lane's strip of a unit lies: a word wide, in dst and in src. Needs STEP and PICKY. */
#ifndef QPEL_STRIP_GLSL
#define QPEL_STRIP_GLSL

#include "picture.glsl"

layout(constant_id = QPEL_SPEC_STEP) const uint STEP = QPEL_STEP_PUT;
layout(constant_id = QPEL_SPEC_PICKY) const bool PICKY = false;

uint strip_dst, strip_step; /* bytes to the next row's word, and from row to row */
uint strip_src, src_stride;

/* Places the strip in dst: at a byte of a row, or where it does not matter. */
void place_strip(uvec4 item, bool idle, uint base, uint column, uint line)
{
    strip_dst = base + column + line * dst_stride;
    if (STEP == QPEL_STEP_PUT)
        strip_dst += (item.x & QPEL_ITEM_FIRST) != 0 ? scratch_base : 0;
    strip_step = dst_stride << item_field(item);
    if (!PICKY) {
        strip_dst = idle ? idle_base + gl_LocalInvocationID.x * 4 : strip_dst;
        strip_step = idle ? 0 : strip_step;
    }
}

uint first_list()
{
    return scratch[(strip_dst + scratch_base) >> 2];
}

void put(uint word)
{
    dst[strip_dst >> 2] = word;
    strip_dst += strip_step;
}

#endif
