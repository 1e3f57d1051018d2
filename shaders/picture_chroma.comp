/* The picture door, chroma of 4:2:0 and 4:2:2 (8.4.1.4, 8.4.2.2.2): both lists of a unit in one
 * lane, so that dst is written once. A lane makes all of a unit: Cb, then Cr; where they are
 * interleaved, its left half, then the right one. Reads whole words, at most one beyond the last that
 * holds a sample of the unit. */
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
/* Rows that are made at once; more of weighted ones would spill. */
const int CHUNK = STEP == QPEL_STEP_WEIGH ? 2 : 4;

/* Samples in pair words (filters.glsl). Of a narrow unit there are two samples, both in `even`. */
struct samples {
    uint even, odd;
};

/* What the lane makes: these words of this unit (of a pair: the left one). */
uint unit;      /* its item */
uint plane;     /* component: 1, 2; interleaved: 1 for both */
int column;     /* of the words, in samples from the unit's first */

/* One list of a unit: where its words come from. */
struct source {
    int right;   /* 1: of a pair's right unit */
    bool second; /* from the other buffer; a constant after inlining */
    bool outside;
    uint at, stride; /* of the next row */
    uint fx, fy;     /* eighths */
};

uint word_of(source s, uint at)
{
    return s.second ? other[at >> 2] : src[at >> 2];
}

/* The sample (interleaved: the pair) at a column that is clamped. */
uint sample_at(source s, uint base, int width, int column)
{
    uint at = base + clamp(column, 0, width - 1) * PAIR;
    return word_of(s, at) >> ((at & 3) * 8) & (INTERLEAVED ? 0xffffu : 0xffu);
}

/* Where a source's samples are. */
struct place {
    uvec4 row; /* of the reference table */
    int x, y;  /* the first sample */
    uint fx, fy;
};

uint reference_row(uint index)
{
    return references + (index & 255u) * QPEL_REFERENCE_ROWS + plane;
}

place place_of(int right, bool second)
{
    place p;
    uvec4 item = upload[items + unit + right];
    ivec2 mv = vector(second ? item.z : item.y);
    p.row = upload[reference_row(item.w >> (second ? QPEL_ITEM_OTHER_SHIFT
                                                   : QPEL_ITEM_REFERENCE_SHIFT))];
    /* Between fields of different parity, a quarter of a chroma sample (table 8-9). */
    uint parity = PARITY(item), from = p.row.QPEL_REFERENCE_TAG & QPEL_TAG_PARITY_MASK;
    if (!CHROMA_422 && parity != 0 && from != 0)
        mv.y += 2 * (int(parity) - int(from));
    p.x = item_x(item) / 2 + (mv.x >> 3) + (NARROW == QPEL_NARROW_NOT ? column : 0);
    p.fx = uint(mv.x & 7);
    if (CHROMA_422) {
        p.y = item_y(item) + (mv.y >> 2);
        p.fy = uint(mv.y & 3) * 2;
    } else {
        p.y = item_y(item) / 2 + (mv.y >> 3);
        p.fy = uint(mv.y & 7);
    }
    return p;
}

/* Bytes of a row, and those one sample to the right; where coordinates are clamped. Few come here,
 * and find their way again rather than that all remember it. */
void load_outside(source s, int row, out uint here, out uint right)
{
    place p = place_of(s.right, s.second);
    int width = width_of(p.row);
    uint base = p.row.QPEL_REFERENCE_BASE +
                clamp(p.y + row, 0, height_of(p.row) - 1) * p.row.QPEL_REFERENCE_STRIDE;
    here = sample_at(s, base, width, p.x);
    if (INTERLEAVED) {
        here += sample_at(s, base, width, p.x + 1) << 16;
        right = (here >> 16) + (sample_at(s, base, width, p.x + 2) << 16);
    } else {
        here += (sample_at(s, base, width, p.x + 1) << 8) +
                (sample_at(s, base, width, p.x + 2) << 16);
        if (NARROW == QPEL_NARROW_NOT)
            here += sample_at(s, base, width, p.x + 3) << 24;
        right = here >> 8;
        if (NARROW == QPEL_NARROW_NOT)
            right += sample_at(s, base, width, p.x + 4) << 24;
    }
}

samples samples_of(uint bytes)
{
    samples p;
    if (NARROW == QPEL_NARROW_NOT)
        split(bytes, p.even, p.odd);
    else
        p = samples((bytes & 255u) + ((bytes & 0xff00u) << 8), 0);
    return p;
}

/* 8 a + fraction (b - a), two samples at once: borrows between them cancel out. */
uint between(uint a, uint b, uint fraction)
{
    return (a << 3) + (b - a) * fraction;
}

/* The next row, which is this one of the unit, filtered along itself. */
samples filtered_row(inout source s, int row)
{
    uint here, right;
    if (s.outside) {
        load_outside(s, row, here, right);
    } else {
        uint w0 = word_of(s, s.at), w1 = word_of(s, s.at + 4);
        uint bits = s.at << 3;
        here = bytes_at(w0, w1, bits);
        /* Pairs start at even bytes, so two words hold all bytes either way. */
        right = (s.at & 3) + PAIR == 4 ? w1 : bytes_at(w0, w1, bits + 8 * PAIR);
    }
    s.at += s.stride;
    samples a = samples_of(here), b = samples_of(right);
    return samples(between(a.even, b.even, s.fx), between(a.odd, b.odd, s.fx));
}

uint word_between(samples above, samples row, uint fy)
{
    const uint half_unit = 0x00200020u;
    uint even = (between(above.even, row.even, fy) + half_unit) >> 6 & EVEN_BYTES;
    if (NARROW != QPEL_NARROW_NOT)
        return (even & 255u) + (even >> 8);
    return join(even, (between(above.odd, row.odd, fy) + half_unit) >> 6 & EVEN_BYTES);
}

/* Words of a list's rows from `first` on, CHUNK of them. One list after the other, so that there are registers for
 * both. */
uvec4 list_words(int right, bool second, int first)
{
    source s;
    place p = place_of(right, second);
    s.right = right;
    s.second = second;
    s.stride = p.row.QPEL_REFERENCE_STRIDE;
    s.at = p.row.QPEL_REFERENCE_BASE + (p.y + first) * s.stride + p.x * PAIR;
    s.fx = p.fx;
    s.fy = p.fy;
    /* A distance to one of the reference's sides is negative. */
    s.outside = (p.x | p.y | (width_of(p.row) - 1 - 4 / PAIR - p.x) |
                 (height_of(p.row) - 1 - (CHROMA_422 ? 8 : 4) - p.y)) < 0;
    samples a = filtered_row(s, first), b = filtered_row(s, first + 1);
    uvec4 words;
    words.x = word_between(a, b, s.fy);
    a = filtered_row(s, first + 2);
    words.y = word_between(b, a, s.fy);
    if (CHUNK == 2)
        return uvec4(words.xy, 0, 0);
    b = filtered_row(s, first + 3);
    words.z = word_between(a, b, s.fy);
    a = filtered_row(s, first + 4);
    words.w = word_between(b, a, s.fy);
    return words;
}

uvec4 means(uvec4 a, uvec4 b)
{
    return uvec4(mean(a.x, b.x), mean(a.y, b.y), mean(a.z, b.z), mean(a.w, b.w));
}

uint weighed(uint list0, uint word, uvec4 item)
{
    uint result = mean(word, list0);
    if (!INTERLEAVED) {
        if (load_weights(item, plane))
            result = weigh_even(list0, word) + weigh_odd(list0, word);
        /* Of a narrow unit's other half, which is nothing, weights may make something. */
        return NARROW == QPEL_NARROW_NOT ? result : result & 0xffffu;
    }
    if (load_weights(item, 1))
        result = (result & ~EVEN_BYTES) + weigh_even(list0, word);
    if (load_weights(item, 2))
        result = (result & EVEN_BYTES) + weigh_odd(list0, word);
    return result;
}

/* The same as they go into dst. */
uvec4 made_words(int right, int first)
{
    uvec4 item = upload[items + unit + right];
    uvec4 list0;
    if (STEP != QPEL_STEP_PUT && (item.x & QPEL_ITEM_BI) != 0)
        list0 = list_words(right, true, first);
    uvec4 words = list_words(right, false, first);
    if (STEP == QPEL_STEP_PUT)
        return words;
    if ((item.x & QPEL_ITEM_BI) == 0)
        list0 = words;
    if (STEP == QPEL_STEP_MEAN)
        return means(words, list0);
    return uvec4(weighed(list0.x, words.x, item), weighed(list0.y, words.y, item), 0, 0);
}

void write_word(uint at, uint word)
{
    if (NARROW == QPEL_NARROW_ALONE) {
        /* The other half is nobody's in this dispatch: it stays as it is, however often. */
        uint whole = dst[at >> 2];
        word = (at & 2) == 0 ? (whole & 0xffff0000u) + word : (whole & 0xffffu) + (word << 16);
    }
    dst[at >> 2] = word;
}

/* Makes the lane's words: two or four rows. */
void make_rows(int first, bool four)
{
    uvec4 item = upload[items + unit];
    uint parity = PARITY(item), step = dst_step(parity);
    int row = (CHROMA_422 ? item_y(item) : item_y(item) / 2) + first;
    uint at = dst_at(!INTERLEAVED && plane == 2 ? dst_base_cr : dst_base, parity,
                     (item_x(item) / 2 + column) * PAIR, row);
    uvec4 words = uvec4(0);
    if (NARROW == QPEL_NARROW_PAIR) {
        [[dont_unroll]] for (int right = 0; right < 2; right++)
            words += made_words(right, first) << (right * 16);
    } else {
        words = made_words(0, first);
    }
    write_word(at, words.x);
    write_word(at + step, words.y);
    if (four) {
        write_word(at + step * 2, words.z);
        write_word(at + step * 3, words.w);
    }
}

uint source_of(uint row)
{
    return upload[row].QPEL_REFERENCE_TAG >> QPEL_TAG_SOURCE_SHIFT;
}

void main()
{
    uint index = gl_GlobalInvocationID.x;
    unit = first_item + (NARROW == QPEL_NARROW_PAIR ? index * 2 : index);
    if (unit >= end_item)
        return;
    uvec4 item = upload[items + unit];
    bool wide = (item.x & QPEL_ITEM_WIDE) != 0, tall = (item.x & QPEL_ITEM_TALL) != 0;
    if (!INTERLEAVED && NARROW == QPEL_NARROW_NOT && !wide)
        return;
    plane = 1;
    column = 0;
    /* Others are made by dispatches where their references are bound. */
    if (source_of(reference_row(item.w >> QPEL_ITEM_REFERENCE_SHIFT)) +
            (source_of(reference_row(item.w >> QPEL_ITEM_OTHER_SHIFT)) << 16) !=
        sources)
        return;
    int parts = INTERLEAVED && !wide ? 1 : 2;
    [[dont_unroll]] for (int part = 0; part < parts; part++) {
        if (INTERLEAVED)
            column = part * 2;
        else
            plane = uint(1 + part);
        if (CHROMA_422 || CHUNK == 2) {
            int rows = (tall ? 4 : 2) * (CHROMA_422 ? 2 : 1);
            [[dont_unroll]] for (int first = 0; first < rows; first += CHUNK)
                make_rows(first, CHUNK == 4);
        } else {
            make_rows(0, tall);
        }
    }
}
