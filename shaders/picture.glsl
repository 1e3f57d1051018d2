/* What the picture door's shaders share: buffers, push constants, items, steps. */
#ifndef QPEL_PICTURE_GLSL
#define QPEL_PICTURE_GLSL

#include "filters.glsl"
#include "interface.h"
#include "picture_interface.h"

/* Two lanes an item; or WIDE, one. */
#if defined(WIDE)
layout(local_size_x = QPEL_CHUNK_ITEMS) in;
#else
layout(local_size_x = QPEL_GROUP_LANES) in;
#endif

layout(std430, set = QPEL_PICTURE_SET_UPLOAD, binding = 0) restrict readonly buffer Upload
{
    uvec4 upload[];
};
layout(std430, set = QPEL_PICTURE_SET_UPLOAD, binding = 0) restrict readonly buffer Words
{
    uint upload_words[];
};
layout(std430, set = QPEL_PICTURE_SET_SRC, binding = 0) restrict readonly buffer Src
{
    uint src[];
};
layout(std430, set = QPEL_PICTURE_SET_DST, binding = 0) restrict buffer Dst
{
    uint dst[];
};
layout(std430, set = QPEL_PICTURE_SET_SCRATCH, binding = 0) restrict readonly buffer Scratch
{
    uint scratch[];
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

/* ---- items ---- */

uvec4 load_item(uint chunk, uint index)
{
    return upload[upload_words[groups + chunk] + index];
}

uint item_x(uvec4 item)
{
    return item.x & QPEL_ITEM_X_MASK;
}
uint item_line(uvec4 item)
{
    return item.x >> QPEL_ITEM_LINE_SHIFT;
}
/* 1: its rows are a field's. */
uint item_field(uvec4 item)
{
    return item.x / QPEL_ITEM_FIELD & 1u;
}
uint item_rows(uvec4 item)
{
    return item.z >> QPEL_ITEM_ROWS_SHIFT;
}
int vector_x(uvec4 item)
{
    return int(item.y) << 16 >> 16;
}
int vector_y(uvec4 item)
{
    return int(item.y) >> 16;
}
uvec4 reference_of(uvec4 item, uint plane)
{
    return upload[references + (item.z & QPEL_ITEM_REFERENCE_MASK) + plane];
}

/* Where the item's slot is, if it has one. */
uint slot_of(uvec4 item)
{
    return slots_base + item.w * QPEL_SLOT_SIZE;
}

/* Picky dispatches: not now, or not to this dst. */
bool rejected(uvec4 item)
{
    return (item.x & reject) != 0 || item.w - first_slot >= slot_count;
}

/* ---- weights (8.4.2.3.2) ---- */

struct weighting {
    bool used; /* or else default weighting */
    int a, b;  /* of list 0's sample and this one's; of one reference b counts */
    int round, shift, offset;
};

weighting load_weights(uvec4 item, uint plane)
{
    weighting w = weighting(false, 0, 0, 0, 0, 0);
    uint index = item.z >> QPEL_ITEM_WEIGHT_SHIFT & 0xffffu;
    if (index == 0)
        return w;
    uvec4 row = upload[weights + (index - 1) * QPEL_WEIGHT_ROWS + plane];
    int o0 = int(row.z) << 16 >> 16, o1 = int(row.z) >> 16;
    bool two = (item.x & QPEL_ITEM_SECOND) != 0;
    w.used = row.w != QPEL_WEIGHT_DEFAULT;
    w.a = two ? int(row.x) : 0;
    w.b = two ? int(row.y) : int(row.x);
    w.shift = int(row.w) + (two ? 1 : 0);
    w.round = 1 << w.shift >> 1;
    w.offset = two ? (o0 + o1 + 1) >> 1 : o0;
    return w;
}

uint weigh_sample(weighting w, uint a, uint b, int at)
{
    int sum = int(a >> at & 255u) * w.a + int(b >> at & 255u) * w.b + w.round;
    return uint(clamp((sum >> w.shift) + w.offset, 0, 255)) << at;
}

/* Bytes 0 and 2. */
uint weigh_even(weighting w, uint a, uint b)
{
    return weigh_sample(w, a, b, 0) + weigh_sample(w, a, b, 16);
}

uint weigh_odd(weighting w, uint a, uint b)
{
    return weigh_sample(w, a, b, 8) + weigh_sample(w, a, b, 24);
}

#endif
