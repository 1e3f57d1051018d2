/* The picture door, chroma of 4:2:0 and 4:2:2 (8.4.1.4, 8.4.2.2.2): both lists of a unit in one
 * lane, so that dst is written once. A lane makes a word wide: 4 samples of Cb or of Cr, or 2 pairs
 * of them where they are interleaved. Reads whole words, at most one beyond its samples' last. */
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
    uvec4 row;   /* of the reference table */
    bool second; /* from the other buffer; a constant after inlining */
    int x, y;    /* the first sample's column and row */
    uint fx, fy; /* eighths */
    bool outside;
    uint above_even, above_odd; /* the row above, filtered along the row */
};

uint word_of(source s, uint at)
{
    return s.second ? other[at >> 2] : src[at >> 2];
}

/* Bytes at a row, from s.x on, and those one sample to the right. */
void load_row(source s, int y, out uint here, out uint right)
{
    if (s.outside) {
        uint base = s.row.QPEL_REFERENCE_BASE +
                    clamp(y, 0, height_of(s.row) - 1) * s.row.QPEL_REFERENCE_STRIDE;
        uint bytes[6];
        [[unroll]] for (int i = 0; i < 4 + PAIR; i++) {
            int column = clamp(s.x + i / PAIR, 0, width_of(s.row) - 1);
            uint at = base + column * PAIR + i % PAIR;
            bytes[i] = word_of(s, at) >> ((at & 3) * 8) & 255u;
        }
        here = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
        right = bytes[PAIR] | bytes[PAIR + 1] << 8 | bytes[PAIR + 2] << 16 | bytes[PAIR + 3] << 24;
        return;
    }
    uint at = s.row.QPEL_REFERENCE_BASE + y * s.row.QPEL_REFERENCE_STRIDE + s.x * PAIR;
    uint w0 = word_of(s, at), w1 = word_of(s, at + 4);
    uint bits = (at & 3) << 3;
    here = bytes_at(w0, w1, bits);
    /* Pairs start at even bytes, so two words hold all bytes either way. */
    right = (at & 3) + PAIR == 4 ? w1 : bytes_at(w0, w1, bits + 8 * PAIR);
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

source open_source(uvec4 item, uint mv_word, uvec4 row, bool second, int column)
{
    source s;
    ivec2 mv = vector(mv_word);
    /* Between fields of different parity, a quarter of a chroma sample (table 8-9). */
    uint parity = PARITY(item), from = row.QPEL_REFERENCE_TAG & QPEL_TAG_PARITY_MASK;
    if (!CHROMA_422 && parity != 0 && from != 0)
        mv.y += 2 * (int(parity) - int(from));
    s.second = second;
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
    s.outside = s.x < 0 || s.y < 0 || s.x + 4 / PAIR >= width_of(row) ||
                s.y + rows >= height_of(row);
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
    uint component;
    bool bi;
    source main, list0;
};

uvec4 reference_row(uint index, uint component)
{
    return upload[references + (index & 255u) * QPEL_REFERENCE_ROWS + component];
}

uint source_of(uvec4 row)
{
    return row.QPEL_REFERENCE_TAG >> QPEL_TAG_SOURCE_SHIFT;
}

/* False: another dispatch makes it, where its references are bound. */
bool open_maker(out maker m, uvec4 item, uint component, int column)
{
    uvec4 main_row = reference_row(item.w >> QPEL_ITEM_REFERENCE_SHIFT, component);
    uvec4 other_row = reference_row(item.w >> QPEL_ITEM_OTHER_SHIFT, component);
    if (source_of(main_row) + (source_of(other_row) << 16) != sources)
        return false;
    m.item = item;
    m.component = component;
    m.bi = (item.x & QPEL_ITEM_BI) != 0;
    m.main = open_source(item, item.y, main_row, false, column);
    if (STEP != QPEL_STEP_PUT && m.bi)
        m.list0 = open_source(item, item.z, other_row, true, column);
    return true;
}

uint make_word(inout maker m)
{
    uint word = next_word(m.main);
    if (STEP == QPEL_STEP_PUT)
        return word;
    uint list0 = word;
    if (m.bi)
        list0 = next_word(m.list0);
    uint result = mean(word, list0);
    if (STEP == QPEL_STEP_WEIGH) {
        if (!INTERLEAVED) {
            if (load_weights(m.item, m.component))
                result = weigh_even(list0, word) + weigh_odd(list0, word);
        } else {
            if (load_weights(m.item, 1))
                result = (result & ~EVEN_BYTES) + weigh_even(list0, word);
            if (load_weights(m.item, 2))
                result = (result & EVEN_BYTES) + weigh_odd(list0, word);
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
    maker m, n;
    if (!open_maker(m, item, component, column) ||
        (NARROW == QPEL_NARROW_PAIR && !open_maker(n, upload[items + index + 1], component, 0)))
        return;
    for (int row = 0; row < rows; row++, at += dst_step(parity)) {
        uint word = make_word(m);
        if (NARROW == QPEL_NARROW_PAIR)
            word = (word & 0xffffu) + (make_word(n) << 16);
        if (NARROW == QPEL_NARROW_ALONE) {
            /* The other half is nobody's in this dispatch: it stays as it is, however often. */
            uint whole = dst[at >> 2];
            word = (at & 2) == 0 ? (whole & 0xffff0000u) + (word & 0xffffu)
                                 : (whole & 0xffffu) + (word << 16);
        }
        dst[at >> 2] = word;
    }
}
