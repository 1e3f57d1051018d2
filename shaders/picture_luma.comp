/* The picture door, luma (and all planes of 4:4:4): units of one kernel. A lane makes 4 columns of
 * a unit. Compiled once a kernel (QPEL_KERNELS), by defining FAMILY_<name>; `one_plane` tells units of
 * the kernel's second family.
 *
 * Reads whole words, as dispatch.comp does. A word of dst is written by one lane, and never read. */
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "filters.glsl"
#include "picture.glsl"

layout(constant_id = QPEL_SPEC_STEP) const uint STEP = QPEL_STEP_PUT;

uint strip_src, strip_dst; /* byte offsets of the strip's first sample */
uint src_stride, strip_step;
uint strip_rows;
#define ROWS   strip_rows
#define ROLLED false
int dx, dy;

struct cursor {
    uint at;   /* byte offset */
    uint bits; /* where it is in its word, times 8, modulo 32 */
};
struct four {
    uint w0, w1, bits;
};
struct nine {
    uint w0, w1, w2, bits;
};

cursor cursor_at(int x, int y)
{
    uint at = strip_src + x + y * src_stride;
    return cursor(at, at << 3);
}

void next_row(inout cursor c)
{
    c.at += src_stride;
}

four load_four(cursor c)
{
    return four(src[c.at >> 2], src[(c.at >> 2) + 1], c.bits);
}

nine load_nine(cursor c)
{
    return nine(src[c.at >> 2], src[(c.at >> 2) + 1], src[(c.at >> 2) + 2], c.bits);
}

bool one_plane, two_references, weighted;

uint both_planes(uint a, uint b)
{
    return mean(a, one_plane ? a : b);
}

void put_word(uint word)
{
    if (STEP != QPEL_STEP_PUT) {
#if defined(FAMILY_CENTRE_V) /* to read early, this one lacks registers */
        uint list0 = word;
        if (two_references)
            list0 = other[(strip_dst + other_base) >> 2];
#else
        /* Read whether it is needed or not: cheaper than a branch a row. */
        uint list0 = other[(strip_dst + other_base) >> 2];
        list0 = two_references ? list0 : word;
#endif
        if (STEP == QPEL_STEP_WEIGH && weighted)
            word = weigh_even(list0, word) + weigh_odd(list0, word);
        else
            word = mean(word, list0);
    }
    dst[strip_dst >> 2] = word;
    strip_dst += strip_step;
}

#include "families.glsl"

void main()
{
    uint index = first_item + (gl_GlobalInvocationID.x >> 1);
    if (index >= end_item)
        return;
    uvec4 item = upload[items + index];
    int strip = int(gl_GlobalInvocationID.x & 1) * QPEL_STRIP_COLUMNS;
    if (strip != 0 && (item.x & QPEL_ITEM_WIDE) == 0)
        return;
    int x = item_x(item) + strip, y = item_y(item);
    uint parity = PARITY(item);
    ivec2 mv = vector(item.y);
    strip_dst = dst_at(dst_base, parity, x, y);
    strip_step = dst_step(parity);
    strip_rows = (item.x & QPEL_ITEM_TALL) != 0 ? 8u : 4u;
    dx = (mv.x & 3) == 3 ? 1 : 0;
    dy = (mv.y & 3) == 3 ? 1 : 0;
#if defined(FAMILY_H_FULL)
    one_plane = (mv.x & 3) == 2;
#elif defined(FAMILY_V_FULL) || defined(FAMILY_CENTRE_H)
    one_plane = (mv.y & 3) == 2;
#else
    one_plane = false;
#endif
    if (index >= outside_first) {
        src_stride = QPEL_SLOT_STRIDE;
        strip_src = slots_base + (index + slot_shift) * QPEL_SLOT_SIZE +
                    2 * QPEL_SLOT_STRIDE + 2 + strip;
    } else {
        uint reference = (item.w >> QPEL_ITEM_REFERENCE_SHIFT & 255u) * QPEL_REFERENCE_ROWS;
        uvec4 row = upload[references + reference + component];
        src_stride = row.QPEL_REFERENCE_STRIDE;
        strip_src = row.QPEL_REFERENCE_BASE + (y + (mv.y >> 2)) * src_stride + x + (mv.x >> 2);
    }
    if (STEP != QPEL_STEP_PUT)
        two_references = (item.x & QPEL_ITEM_BI) != 0;
    if (STEP == QPEL_STEP_WEIGH)
        weighted = load_weights(item, component);
    make_strip();
}
