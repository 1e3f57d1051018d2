/* The dispatch door: one kernel over a list of blocks. Compiled once a family, by defining
 * FAMILY_<name>.
 *
 * Reads of src are whole words: those that hold the samples of the position's window, and at
 * most one more to the right of a row (so up to 4 bytes past the window's last word, which may
 * be past the plane's end). Nothing is read to the left of the first word or in other rows.
 * Every word of dst is written, and by avg read, by one invocation. */
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "interface.h"
#include "filters.glsl"

layout(local_size_x = QPEL_GROUP_LANES) in;
layout(constant_id = QPEL_SPEC_SIZE) const uint SIZE = 16;
layout(constant_id = QPEL_SPEC_OPERATION) const uint OPERATION = 0; /* enum qpel_operation */
layout(constant_id = QPEL_SPEC_ALIGNED) const uint ALIGNED = 0;
const uint ROWS = QPEL_STRIP_ROWS(SIZE);
#define HIGHER(n) (ROWS > n)
#define PAIRED    (ALIGNED != 0)
#define ROLLED    (ALIGNED == 0)
#define SCARCE    false
#define ANY_STRIDE (ALIGNED == 0)


layout(std430, set = QPEL_SET_BLOCKS, binding = 0) restrict readonly buffer Blocks
{
    uvec2 blocks[]; /* dst, src */
};
layout(std430, set = QPEL_SET_SRC, binding = 0) restrict readonly buffer Src
{
    uint src[];
};
layout(std430, set = QPEL_SET_DST, binding = 0) restrict buffer Dst
{
    uint dst[];
};
#define MEMBER(type, name) type name;
layout(push_constant) uniform Push
{
    QPEL_PUSH_CONSTANTS(MEMBER)
};

uint strip_src, strip_dst; /* byte offsets of the strip's first sample */

void put_word(uint word)
{
    if (OPERATION != 0)
        word = mean(word, dst[strip_dst >> 2]);
    dst[strip_dst >> 2] = word;
    strip_dst += dst_stride;
}

void put_two_words(uint a, uint b)
{
    if (OPERATION != 0) {
        uint first = dst[strip_dst >> 2], second = dst[(strip_dst + dst_stride) >> 2];
        a = mean(a, first);
        b = mean(b, second);
    }
    dst[strip_dst >> 2] = a;
    strip_dst += dst_stride;
    dst[strip_dst >> 2] = b;
    strip_dst += dst_stride;
}

#include "families.glsl"

void main()
{
    uint lane = first_lane + gl_GlobalInvocationID.x;
    if (lane >= end_lane)
        return;
    const uint lanes = QPEL_LANES_PER_BLOCK(SIZE);
    const uint across = SIZE / QPEL_STRIP_COLUMNS;
    uvec2 block = blocks[lane / lanes];
    uint strip = lane % lanes;
    uint x = strip % across * QPEL_STRIP_COLUMNS;
    uint y = strip / across * ROWS;
    strip_dst = block.x + dst_base + x + y * dst_stride;
    strip_src = block.y + src_base + x + y * src_stride;
    make_strip(false);
}
