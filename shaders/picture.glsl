/* What the picture door's shaders share: buffers, push constants, items. */
#ifndef QPEL_PICTURE_GLSL
#define QPEL_PICTURE_GLSL

#include "interface.h"
#include "picture_interface.h"

layout(local_size_x = QPEL_GROUP_LANES) in;

layout(std430, set = QPEL_PICTURE_SET_UPLOAD, binding = 0) restrict readonly buffer Upload
{
    uvec4 upload[];
};
layout(std430, set = QPEL_PICTURE_SET_SRC, binding = 0) restrict readonly buffer Src
{
    uint src[];
};
layout(std430, set = QPEL_PICTURE_SET_DST, binding = 0) restrict buffer Dst
{
    uint dst[];
};
layout(std430, set = QPEL_PICTURE_SET_OTHER, binding = 0) restrict readonly buffer Other
{
    uint other[];
};
#define MEMBER(type, name) type name;
layout(push_constant) uniform Push
{
    QPEL_PICTURE_PUSH_CONSTANTS(MEMBER)
};

int width_of(uvec4 reference)
{
    return int(reference.QPEL_REFERENCE_EXTENT & 0xffffu);
}
int height_of(uvec4 reference)
{
    return int(reference.QPEL_REFERENCE_EXTENT >> 16);
}

#define PARITY(item) ((item).x >> QPEL_ITEM_PARITY_SHIFT & 3u)

/* First column and row of a unit, in luma samples of its parity. */
int item_x(uvec4 item)
{
    return int((item.x >> QPEL_ITEM_X_SHIFT & QPEL_ITEM_PLACE_MASK) * 4);
}
int item_y(uvec4 item)
{
    return int((item.x >> QPEL_ITEM_Y_SHIFT & QPEL_ITEM_PLACE_MASK) * 4);
}

ivec2 vector(uint word)
{
    return ivec2(int(word) << 16 >> 16, int(word) >> 16);
}

/* The byte in dst of a row of the parity, at a column. */
uint dst_at(uint base, uint parity, int column, int row)
{
    uint line = parity == 0 ? uint(row) : uint(row) * 2 + parity - 1;
    return base + line * dst_stride + uint(column);
}

uint dst_step(uint parity)
{
    return parity == 0 ? dst_stride : dst_stride * 2;
}

/* ---- weights (8.4.2.3.2), a lane's ---- */

int weight_a, weight_b, weight_round, weight_shift, weight_offset;

/* For (a, b): with two references both lists, with one b alone. False: default weighting. */
bool load_weights(uvec4 item, uint component)
{
    uint index = item.w >> QPEL_ITEM_WEIGHT_SHIFT;
    if (index == 0)
        return false;
    uvec4 row = upload[weights + (index - 1) * QPEL_WEIGHT_ROWS + component];
    if (row.w == QPEL_WEIGHT_DEFAULT)
        return false;
    int o0 = int(row.z) << 16 >> 16, o1 = int(row.z) >> 16;
    bool bi = (item.x & QPEL_ITEM_BI) != 0;
    weight_a = bi ? int(row.x) : 0;
    weight_b = bi ? int(row.y) : int(row.x);
    weight_shift = int(row.w) + (bi ? 1 : 0);
    weight_round = 1 << weight_shift >> 1;
    weight_offset = bi ? (o0 + o1 + 1) >> 1 : o0;
    return true;
}

uint weigh_sample(uint a, uint b, int at)
{
    int sum = int(a >> at & 255u) * weight_a + int(b >> at & 255u) * weight_b + weight_round;
    return uint(clamp((sum >> weight_shift) + weight_offset, 0, 255)) << at;
}

/* Bytes 0 and 2. */
uint weigh_even(uint a, uint b)
{
    return weigh_sample(a, b, 0) + weigh_sample(a, b, 16);
}

uint weigh_odd(uint a, uint b)
{
    return weigh_sample(a, b, 8) + weigh_sample(a, b, 24);
}

#endif
