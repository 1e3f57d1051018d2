/* The picture door: windows that leave their reference, copied with clamped coordinates (8.4.2.2.1,
 * xInt and yInt). A lane makes one row of a slot: 16 samples from column -2 on. The few units that
 * need it then cost the others nothing. */
#version 450
#extension GL_GOOGLE_include_directive : require
#include "picture.glsl"

uint sample_at(uvec4 row, int line, int column)
{
    uint at = row.QPEL_REFERENCE_BASE + line * row.QPEL_REFERENCE_STRIDE +
              clamp(column, 0, width_of(row) - 1);
    return src[at >> 2] >> ((at & 3) * 8) & 255u;
}

void main()
{
    /* first_item and end_item count slots here. */
    uint slot = first_item + (gl_GlobalInvocationID.x >> 4);
    int line = int(gl_GlobalInvocationID.x & 15);
    if (slot >= end_item || line >= QPEL_SLOT_ROWS)
        return;
    uint index = upload[(slots + slot) >> 2][(slots + slot) & 3];
    uvec4 item = upload[items + index];
    uint reference = (item.w >> QPEL_ITEM_REFERENCE_SHIFT & 255u) * QPEL_REFERENCE_ROWS;
    uvec4 row = upload[references + reference + component];
    ivec2 mv = vector(item.y);
    int x = item_x(item) + (mv.x >> 2) - 2;
    int y = clamp(item_y(item) + (mv.y >> 2) - 2 + line, 0, height_of(row) - 1);
    uint at = (slots_base + (slot + slot_shift) * QPEL_SLOT_SIZE + line * QPEL_SLOT_STRIDE) >> 2;
    for (int word = 0; word < 4; word++) {
        uint value = 0;
        for (int i = 3; i >= 0; i--)
            value = value << 8 | sample_at(row, y, x + word * 4 + i);
        dst[at + word] = value;
    }
}
