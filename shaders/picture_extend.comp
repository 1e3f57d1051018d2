/* The picture door: windows that leave their reference, copied with clamped coordinates (8.4.2.2.1,
 * xInt and yInt; 8.4.2.2.2). A lane makes a row of a slot. The few units that need it then cost the
 * others nothing. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "chroma.glsl"

layout(constant_id = QPEL_SPEC_CHROMA) const bool CHROMA = false;
layout(constant_id = QPEL_SPEC_TINY) const bool TINY = false;

uint sample_at(uint base, int column, int width)
{
    uint at = base + clamp(column, 0, width - 1);
    return src[at >> 2] >> ((at & 3) * 8) & 255u;
}

/* Four samples (or two pairs) of a row from a column on. */
uint word_at(uint base, int column, int width, int pair)
{
    if (TINY && pair == 1)
        return sample_at(base, column, width) + (sample_at(base, column + 1, width) << 8) +
               (sample_at(base, column + 2, width) << 16) +
               (sample_at(base, column + 3, width) << 24);
    if (TINY) {
        uint left = base + clamp(column, 0, width - 1) * 2;
        uint right = base + clamp(column + 1, 0, width - 1) * 2;
        return (src[left >> 2] >> ((left & 3) * 8) & 0xffffu) +
               (src[right >> 2] >> ((right & 3) * 8) << 16);
    }
    /* The nearest word inside; from it on towards its last sample, or what is left of its first. */
    const int samples = 4 / pair;
    int nearest = clamp(column, 0, width - samples);
    int beyond = clamp(column - nearest, -samples, samples);
    uint at = base + nearest * pair;
    uint word = bytes_at(src[at >> 2], src[(at >> 2) + 1], at << 3);
    uint first = pair == 1 ? (word & 255u) * 0x01010101u : (word & 0xffffu) * 0x00010001u;
    uint last = pair == 1 ? (word >> 24) * 0x01010101u : (word >> 16) * 0x00010001u;
    /* All of the one beyond: its shift is none. */
    uint low = beyond < 0 ? first : beyond == samples ? last : word;
    return bytes_at(low, beyond < 0 ? word : last, beyond * pair * 8);
}

void put_row(uint at, uint words, uvec4 row, int x, int y, int pair)
{
    uint base = row.QPEL_REFERENCE_BASE +
                clamp(y, 0, height_of(row) - 1) * row.QPEL_REFERENCE_STRIDE;
    for (uint i = 0; i < words; i++)
        dst[(at >> 2) + i] = word_at(base, x + int(i) * 4 / pair, width_of(row), pair);
}

void main()
{
    const uint lanes = QPEL_SLOT_LANES(CHROMA_422);
    uint slot = first_slot + gl_WorkGroupID.x * (QPEL_GROUP_LANES / lanes) +
                gl_LocalInvocationID.x / lanes;
    uint line = gl_LocalInvocationID.x % lanes;
    if (slot >= slot_count)
        return;
    uvec4 item = load_item(slot / QPEL_CHUNK_ITEMS, slot % QPEL_CHUNK_ITEMS);
    uvec4 row = reference_of(item, component);
    if (row.QPEL_REFERENCE_TAG >> QPEL_TAG_SOURCE_SHIFT != source)
        return;
    uint rows = item_rows(item) + 2 * QPEL_SLOT_ABOVE + 1, at = slot_of(item);
    if (line < rows) {
        int x = int(item_x(item)) + (vector_x(item) >> 2) - QPEL_SLOT_ABOVE;
        int y = int(item_line(item) >> item_field(item)) + (vector_y(item) >> 2) - QPEL_SLOT_ABOVE;
        put_row(at + line * QPEL_SLOT_STRIDE, 4, row, x, y + int(line), 1);
        return;
    }
    line -= rows;
    if (!CHROMA || line > (CHROMA_422 ? item_rows(item) : item_rows(item) / 2))
        return;
    row = reference_of(item, 1);
    ivec2 start = chroma_start(item, chroma_vector_y(item, row));
    at += QPEL_SLOT_CHROMA + line * QPEL_SLOT_STRIDE;
    put_row(at, INTERLEAVED ? 3 : 2, row, start.x, start.y + int(line), PAIR);
    if (!INTERLEAVED)
        put_row(at + QPEL_SLOT_CR, 2, reference_of(item, 2), start.x, start.y + int(line), 1);
}
