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

/* ---- weights (8.4.2.3) ---- */

/* Of two samples at once, in fields of 16 bits: QPEL_WEIGHT_... says why they suffice. */
struct weighting {
    uint a, b; /* of list 0's sample and this one's; of one reference b counts, and a is 0 */
    uint bias; /* makes both fields' sums positive, and rounds */
    uint shift, mask;
    uint offset; /* makes 0x8000 of 0 */
};

weighting load_weights(uvec4 item, uint plane)
{
    uint two = (item.x & QPEL_ITEM_SECOND) / QPEL_ITEM_SECOND;
    uint index = (item.z >> QPEL_ITEM_WEIGHT_SHIFT & 0xffffu) * 2 + two;
    uvec4 row = upload[weights + plane + index * QPEL_WEIGHT_ROWS];
    weighting w;
    w.a = row.QPEL_WEIGHT_A;
    w.b = row.QPEL_WEIGHT_B;
    w.bias = row.QPEL_WEIGHT_BIAS;
    w.shift = row.QPEL_WEIGHT_SHIFT_OFFSET & 0xffffu;
    w.mask = (0xffffu >> w.shift) * 0x10001u;
    w.offset = (row.QPEL_WEIGHT_SHIFT_OFFSET >> 16) * 0x10001u;
    return w;
}

WORDS weigh_pair(weighting w, WORDS a, WORDS b)
{
    return ((a * w.a + b * w.b + w.bias) >> w.shift & w.mask) + w.offset;
}

/* 0xff of each byte that is 0x80, and not 0. */
WORDS whole_bytes(WORDS tops)
{
    return tops + (tops - (tops >> 7));
}

/* Four samples, clipped: even and odd bytes have weights of their own. A field's high byte is 128
 * where the sample is in 0..255. */
WORDS weigh(weighting w_even, weighting w_odd, WORDS first, WORDS word)
{
    WORDS first_even, first_odd, even, odd;
    split(first, first_even, first_odd);
    split(word, even, odd);
    even = weigh_pair(w_even, first_even, even);
    odd = weigh_pair(w_odd, first_odd, odd);
    WORDS low = even & EVEN_BYTES, high = odd & ~EVEN_BYTES;
    WORDS bytes = low + ((odd - high) << 8);
    high += (even - low) >> 8;
    WORDS positive = high & 0x80808080u;
    WORDS above = (high - positive + 0x7f7f7f7fu) & 0x80808080u;
    return (bytes | whole_bytes(above)) & whole_bytes(positive);
}

#endif
