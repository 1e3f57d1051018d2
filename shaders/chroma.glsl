/* Chroma's samples between eighths (8.4.1.4, 8.4.2.2.2). Reads whole words, at most one beyond the
 * last that holds a sample of the unit; and the row below, of which it makes nothing where the
 * vector's fraction is 0. */
#ifndef QPEL_CHROMA_GLSL
#define QPEL_CHROMA_GLSL

#include "picture.glsl"

layout(constant_id = QPEL_SPEC_INTERLEAVED) const bool INTERLEAVED = false;
layout(constant_id = QPEL_SPEC_CHROMA_422) const bool CHROMA_422 = false;

const int PAIR = INTERLEAVED ? 2 : 1; /* bytes from a sample to its neighbour */

/* A unit's rows: of the component, and of the parity. */
uint chroma_line(uvec4 item)
{
    uint line = item_line(item), field = item_field(item);
    return CHROMA_422 ? line : (line >> (1 + field) << field) + (line & field);
}

/* The vector's vertical part in eighths of a chroma row. */
int chroma_vector_y(uvec4 item, uvec4 reference)
{
    int my = vector_y(item);
    if (CHROMA_422)
        return my * 2;
    /* Between fields of different parity, a quarter of a chroma sample (table 8-9). */
    uint parity = item_field(item) * (1 + (item_line(item) & 1u));
    uint from = reference.QPEL_REFERENCE_TAG & QPEL_TAG_PARITY_MASK;
    return parity != 0 && from != 0 ? my + 2 * (int(parity) - int(from)) : my;
}

/* A unit's first chroma sample and row in the reference. */
ivec2 chroma_start(uvec4 item, int my)
{
    uint line = item_line(item) >> item_field(item);
    return ivec2(int(item_x(item) >> 1) + (vector_x(item) >> 3),
                 int(CHROMA_422 ? line : line >> 1) + (my >> 3));
}

/* Samples in pair words (filters.glsl). */
struct samples {
    uint even, odd;
};

/* Where the next row comes from, and how it is filtered. */
struct chroma_source {
    uint at, stride;
    uint bits; /* where it is in its word, times 8, modulo 32: strides are whole words */
    uint fx, fy; /* eighths */
};

/* From the reference or the item's slot; plane: 1, 2; interleaved: 1, and the word's bytes. */
chroma_source chroma_source_of(uvec4 item, uint plane, uint bytes)
{
    chroma_source s;
    uvec4 row = reference_of(item, plane);
    int my = chroma_vector_y(item, row);
    ivec2 start = chroma_start(item, my);
    bool outside = item.w != 0;
    s.stride = outside ? QPEL_SLOT_STRIDE : row.QPEL_REFERENCE_STRIDE;
    s.at = row.QPEL_REFERENCE_BASE + start.x * PAIR + start.y * row.QPEL_REFERENCE_STRIDE;
    s.at = outside ? slot_of(item) + QPEL_SLOT_CHROMA + (plane - 1) * QPEL_SLOT_CR : s.at;
    s.at += bytes;
    s.bits = s.at << 3;
    s.fx = uint(vector_x(item)) & 7u;
    s.fy = uint(my) & 7u;
    return s;
}

/* 8 a + fraction (b - a), two samples at once: borrows between them cancel out. */
uint between(uint a, uint b, uint fraction)
{
    return (a << 3) + (b - a) * fraction;
}

/* The next row, filtered along itself. */
samples filtered_row(inout chroma_source s)
{
    uint w0 = src[s.at >> 2], w1 = src[(s.at >> 2) + 1];
    /* What follows the first word's samples: two words hold it, since pairs start at even bytes. */
    uint next = w1 >> (s.bits & 31u);
    s.at += s.stride;
    samples a, b;
    split(bytes_at(w0, w1, s.bits), a.even, a.odd);
    if (INTERLEAVED) {
        b.even = (a.even >> 16) + (next << 16 & 0x00ff0000u);
        b.odd = (a.odd >> 16) + ((next & 0xff00u) << 8);
    } else {
        b.even = a.odd;
        b.odd = (a.even >> 16) + (next << 16 & 0x00ff0000u);
    }
    return samples(between(a.even, b.even, s.fx), between(a.odd, b.odd, s.fx));
}

uint word_between(samples above, samples row, uint fy)
{
    const uint half_unit = 0x00200020u;
    uint even = (between(above.even, row.even, fy) + half_unit) >> 6 & EVEN_BYTES;
    uint odd = (between(above.odd, row.odd, fy) + half_unit) >> 6 & EVEN_BYTES;
    return join(even, odd);
}

#endif
