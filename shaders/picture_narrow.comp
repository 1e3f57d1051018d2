/* The picture door, planar chroma of units 4 wide: half a word. Items 2 i and 2 i + 1 are the left
 * and the right half of a word's column, or one of them is none: the other half then stays as it is,
 * however often this runs. A lane makes a column of Cb or of Cr. */
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "strip.glsl"
#include "chroma.glsl"

/* Two rows' words of a half; only the two low samples count. */
uvec2 two_words(uvec4 item, uint plane, uint row)
{
    chroma_source from = chroma_source_of(item, plane, 0);
    from.at += row * from.stride;
    samples a = filtered_row(from), b = filtered_row(from);
    uvec2 words;
    words.x = word_between(a, b, from.fy);
    a = filtered_row(from);
    words.y = word_between(b, a, from.fy);
    return words;
}

void main()
{
    uint plane = 1 + (gl_LocalInvocationID.x & 1u), base = plane == 1 ? dst_base : dst_base_cr;
    uint left = gl_LocalInvocationID.x & ~1u;
    if (left >= QPEL_CHUNK_ITEMS)
        return;
    uvec4 item = load_item(gl_WorkGroupID.x, left);
    uint side = 0, sides = 2;
    if ((item.x & QPEL_ITEM_NONE) != 0) {
        side = 1;
        item = load_item(gl_WorkGroupID.x, left + 1);
    } else if ((load_item(gl_WorkGroupID.x, left + 1).x & QPEL_ITEM_NONE) != 0) {
        sides = 1;
    }
    if ((item.x & QPEL_ITEM_NONE) != 0 || (item.x & reject) != 0)
        return;
    place_strip(item, false, base, item_x(item) >> 1 & ~3u, chroma_line(item));
    uint rows = CHROMA_422 ? item_rows(item) : item_rows(item) / 2;
    [[dont_unroll]] for (uint row = 0; row < rows; row += 2) {
        uvec2 words = uvec2(0), first = uvec2(0);
        uint made = 0;
        if (STEP != QPEL_STEP_PUT)
            first = uvec2(scratch[strip_first >> 2], scratch[(strip_first + strip_step) >> 2]);
        [[dont_unroll]] for (uint i = side; i < sides; i++) {
            uvec4 own = load_item(gl_WorkGroupID.x, left + i);
            uint shift = i * 16;
            /* A half whose window is not in a slot now is made in its turn. */
            if (own.w - first_slot >= slot_count)
                continue;
            if (STEP == QPEL_STEP_WEIGH)
                weights_even = weights_odd = load_weights(own, plane);
            uvec2 word = two_words(own, plane, row);
            words.x += (mixed(word.x, first.x >> shift) & 0xffffu) << shift;
            words.y += (mixed(word.y, first.y >> shift) & 0xffffu) << shift;
            made += 0xffffu << shift;
        }
        if (made == 0)
            return;
        if (made != ~0u) {
            words.x += dst[strip_dst >> 2] & ~made;
            words.y += dst[(strip_dst + strip_step) >> 2] & ~made;
        }
        put(words.x);
        put(words.y);
    }
}
