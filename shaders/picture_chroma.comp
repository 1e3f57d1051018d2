/* The picture door, chroma of 4:2:0 and 4:2:2. A lane makes a word of each row of a unit: of Cb or
 * of Cr; where they are interleaved, the left half or the right one. Units whose chroma is half a
 * word wide are picture_narrow.comp's. */
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "strip.glsl"
#include "chroma.glsl"

layout(constant_id = QPEL_SPEC_LOOPED) const bool LOOPED = false;

chroma_source from;
samples above;
void make_two_rows()
{
    samples row = filtered_row(from);
    uint word = word_between(above, row, from.fy);
    above = filtered_row(from);
    put_two_words(word, word_between(row, above, from.fy));
}

/* Those of four rows of luma. */
void make_rows()
{
    make_two_rows();
    if (CHROMA_422)
        make_two_rows();
}

void main()
{
    uint part = gl_LocalInvocationID.x & 1u;
    uvec4 item = load_item(gl_WorkGroupID.x, gl_LocalInvocationID.x >> 1);
    uint without = INTERLEAVED ? part * QPEL_ITEM_NARROW : QPEL_ITEM_NARROW;
    bool idle = (item.x & (QPEL_ITEM_NONE | without)) != 0;
    if (PICKY && (idle || rejected(item)))
        return;
    uint plane = 1, bytes = 0, base = dst_base;
    if (INTERLEAVED) {
        bytes = (part & ~item.x) * 4;
    } else {
        plane += part;
        base = part != 0 ? dst_base_cr : dst_base;
    }
    place_strip(item, idle, base, (item_x(item) >> 1) * PAIR + bytes, chroma_line(item));
    strip_rows = item_rows(item);
    from = chroma_source_of(item, plane, bytes);
    if (STEP == QPEL_STEP_WEIGH) {
        weights_even = weights_odd = load_weights(item, plane);
        if (INTERLEAVED)
            weights_odd = load_weights(item, 2);
    }
    above = filtered_row(from);
    if (LOOPED) {
        uint row = 0;
        [[dont_unroll]] do {
            make_rows();
            row += 4;
        } while (row < strip_rows);
        return;
    }
    make_rows();
    if (HIGHER(4)) {
        make_rows();
        if (HIGHER(8)) {
            make_rows();
            make_rows();
        }
    }
}
