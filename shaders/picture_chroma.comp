/* The picture door, chroma of 4:2:0 and 4:2:2 (8.4.1.4, 8.4.2.2.2): both lists of a unit in one lane, so that
 * dst is written once. A lane makes a word wide: 4 samples of Cb or of Cr, or 2 pairs of them where they
 * are interleaved. Reads as many words as its samples lie in. */
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "filters.glsl"
#include "picture.glsl"

layout(constant_id = QPEL_SPEC_STEP) const uint STEP = QPEL_STEP_PUT;
layout(constant_id = QPEL_SPEC_INTERLEAVED) const bool INTERLEAVED = false;
layout(constant_id = QPEL_SPEC_CHROMA_422) const bool CHROMA_422 = false;
layout(constant_id = QPEL_SPEC_NARROW) const uint NARROW = QPEL_NARROW_NOT;

const int PAIR = INTERLEAVED ? 2 : 1; /* bytes from a sample to its neighbour */

/* One list of a unit: where it reads. */
struct source {
    uvec4 row;  /* of the reference table */
    int x, y;   /* the first sample's column and row */
    uint fx, fy; /* eighths */
    bool outside;
    uint above_even, above_odd; /* the row above, filtered along the row */
};

/* Bytes at a column (in bytes) and row, and those one sample to the right. */
void load_row(source s, int y, out uint here, out uint right)
{
    if (s.outside) {
        uint base = s.row.QPEL_REFERENCE_BASE +
                    clamp(y, 0, int(s.row.QPEL_REFERENCE_HEIGHT) - 1) * s.row.QPEL_REFERENCE_STRIDE;
        uint byte[6];
        [[unroll]] for (int i = 0; i < 4 + PAIR; i++) {
            int column = clamp(s.x + i / PAIR, 0, int(s.row.QPEL_REFERENCE_WIDTH) - 1);
            uint at = base + column * PAIR + i % PAIR;
            byte[i] = src[at >> 2] >> ((at & 3) * 8) & 255u;
        }
        here = byte[0] | byte[1] << 8 | byte[2] << 16 | byte[3] << 24;
        right = byte[PAIR] | byte[PAIR + 1] << 8 | byte[PAIR + 2] << 16 | byte[PAIR + 3] << 24;
        return;
    }
    uint at = s.row.QPEL_REFERENCE_BASE + y * s.row.QPEL_REFERENCE_STRIDE + s.x * PAIR;
    uint w0 = src[at >> 2], w1 = src[(at >> 2) + 1];
    uint bits = (at & 3) << 3;
    here = bytes_at(w0, w1, bits);
    /* Up to 5 or 6 bytes are needed; the third word only where they reach it. */
    uint last = bits >> 3;
    uint w2 = INTERLEAVED && last == 3 ? src[(at >> 2) + 2] : 0;
    right = last + PAIR >= 4 ? bytes_at(w1, w2, bits + 8 * PAIR) : bytes_at(w0, w1, bits + 8 * PAIR);
}

/* A row filtered along itself: sums of 8 times a sample, in pairs. */
void filter_row(source s, int y, out uint even, out uint odd)
{
    uint here, right, here_even, here_odd, right_even, right_odd;
    load_row(s, y, here, right);
    split(here, here_even, here_odd);
    split(right, right_even, right_odd);
    even = here_even * (8 - s.fx) + right_even * s.fx;
    odd = here_odd * (8 - s.fx) + right_odd * s.fx;
}

source open_source(uvec4 item, uint mv_word, uint reference, uint component, int column)
{
    source s;
    ivec2 mv = vector(mv_word);
    uvec4 row = upload[references + reference * QPEL_REFERENCE_ROWS + component];
    /* The reference's parity is told by the host in the height's high bits. */
    uint other = row.w >> 30;
    row.w &= 0x3fffffffu;
    uint parity = PARITY(item);
    if (!CHROMA_422 && parity != 0 && other != 0)
        mv.y += 2 * (int(parity) - int(other));
    s.row = row;
    s.x = item_x(item) / 2 + (mv.x >> 3) + column;
    s.fx = uint(mv.x & 7);
    if (CHROMA_422) {
        s.y = item_y(item) + (mv.y >> 2);
        s.fy = uint(mv.y & 3) * 2;
    } else {
        s.y = item_y(item) / 2 + (mv.y >> 3);
        s.fy = uint(mv.y & 7);
    }
    int rows = CHROMA_422 ? 8 : 4;
    s.outside = s.x < 0 || s.y < 0 || s.x + 4 / PAIR >= int(row.QPEL_REFERENCE_WIDTH) ||
                s.y + rows >= int(row.QPEL_REFERENCE_HEIGHT);
    filter_row(s, s.y, s.above_even, s.above_odd);
    return s;
}

uint next_word(inout source s)
{
    uint even, odd;
    s.y++;
    filter_row(s, s.y, even, odd);
    uint out_even = (s.above_even * (8 - s.fy) + even * s.fy + 0x00200020u) >> 6 & EVEN_BYTES;
    uint out_odd = (s.above_odd * (8 - s.fy) + odd * s.fy + 0x00200020u) >> 6 & EVEN_BYTES;
    s.above_even = even;
    s.above_odd = odd;
    return join(out_even, out_odd);
}

/* One unit's word, row by row. */
struct maker {
    uvec4 item;
    source main, other;
    uint component;
    bool bi;
};

maker open_maker(uvec4 item, uint component, int column)
{
    maker m;
    m.item = item;
    m.component = component;
    m.bi = (item.x & QPEL_ITEM_BI) != 0;
    m.main = open_source(item, item.y, item.w >> QPEL_ITEM_REFERENCE_SHIFT & 255u, component, column);
    if (STEP != QPEL_STEP_PUT && m.bi)
        m.other = open_source(item, item.z, item.w >> QPEL_ITEM_OTHER_SHIFT & 255u, component, column);
    return m;
}

uint make_word(inout maker m)
{
    uint word = next_word(m.main);
    if (STEP == QPEL_STEP_PUT)
        return word;
    uint other = word;
    if (m.bi)
        other = next_word(m.other);
    uint result = mean(word, other);
    if (STEP == QPEL_STEP_WEIGH) {
        if (!INTERLEAVED) {
            if (load_weights(m.item, m.component))
                result = weigh_even(other, word) + weigh_odd(other, word);
        } else {
            if (load_weights(m.item, 1))
                result = (result & ~EVEN_BYTES) + weigh_even(other, word);
            if (load_weights(m.item, 2))
                result = (result & EVEN_BYTES) + weigh_odd(other, word);
        }
    }
    return result;
}

void main()
{
    uint lane = gl_GlobalInvocationID.x & 1;
    uint index = gl_GlobalInvocationID.x >> 1;
    index = first_item + (NARROW == QPEL_NARROW_PAIR ? index * 2 : index);
    if (index >= end_item)
        return;
    uvec4 item = upload[items + index];
    bool wide = (item.x & QPEL_ITEM_WIDE) != 0;
    /* Interleaved: both lanes of a unit, one of a narrow one. Planar: a lane a component. */
    if (INTERLEAVED ? lane != 0 && !wide : NARROW == QPEL_NARROW_NOT && !wide)
        return;
    uint component = INTERLEAVED ? 1 : 1 + lane;
    int column = INTERLEAVED ? int(lane) * 2 : 0;
    uint parity = PARITY(item);
    int rows = ((item.x & QPEL_ITEM_TALL) != 0 ? 4 : 2) * (CHROMA_422 ? 2 : 1);
    int byte = (item_x(item) / 2 + column) * PAIR;
    uint at = dst_at(!INTERLEAVED && lane != 0 ? dst_base_cr : dst_base, parity, byte,
                     CHROMA_422 ? item_y(item) : item_y(item) / 2);
    maker m = open_maker(item, component, column), n;
    if (NARROW == QPEL_NARROW_PAIR)
        n = open_maker(upload[items + index + 1], component, 0);
    for (int row = 0; row < rows; row++, at += dst_step(parity)) {
        uint word = make_word(m);
        if (NARROW == QPEL_NARROW_PAIR)
            word = (word & 0xffffu) + (make_word(n) << 16);
        if (NARROW == QPEL_NARROW_ALONE) {
            /* The other half is nobody's in this dispatch: it is written back as it is, however often. */
            uint whole = dst[at >> 2];
            word = (at & 2) == 0 ? (whole & 0xffff0000u) + (word & 0xffffu)
                                 : (whole & 0xffffu) + (word << 16);
        }
        dst[at >> 2] = word;
    }
}
