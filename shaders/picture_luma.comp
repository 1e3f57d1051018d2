/* The picture door, luma (and all planes of 4:4:4): units of one kernel. A lane makes 4 columns of
 * a unit. Compiled once a kernel (QPEL_KERNELS), by defining FAMILY_<name>.
 *
 * Reads whole words, as dispatch.comp does. A word of dst is written by one lane, and never read. */
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "strip.glsl"

layout(constant_id = QPEL_SPEC_FAMILIES) const uint FAMILIES = QPEL_FAMILIES_BOTH;

#define ROWS   strip_rows
#define PAIRED true
#define ROLLED true
#define SCARCE (STEP == QPEL_STEP_WEIGH)
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

#include "families.glsl"

void main()
{
    uint part = gl_LocalInvocationID.x & 1u;
    uvec4 item = load_item(gl_WorkGroupID.x, gl_LocalInvocationID.x >> 1);
    /* The right part of a narrow unit is idle. */
    bool idle = (item.x & (QPEL_ITEM_NONE | part * QPEL_ITEM_NARROW)) != 0;
    if (PICKY && (idle || rejected(item)))
        return;
    part = (part & ~item.x) * QPEL_STRIP_COLUMNS;
    uint x = item_x(item) + part, line = item_line(item);
    place_strip(item, idle, dst_base, x, line);
    strip_rows = item_rows(item);

    int mx = vector_x(item), my = vector_y(item);
    /* 1 where the fraction is 3 quarters. */
    uint threes = item.y & item.y >> 1;
    dx = int(threes & 1u);
    dy = int(threes >> 16 & 1u);
    uvec4 row = reference_of(item, component);
    bool outside = item.w != 0;
    src_stride = outside ? QPEL_SLOT_STRIDE : row.QPEL_REFERENCE_STRIDE;
    strip_src = row.QPEL_REFERENCE_BASE + x + (mx >> 2) +
                ((line >> item_field(item)) + (my >> 2)) * row.QPEL_REFERENCE_STRIDE;
    strip_src = outside
                    ? slot_of(item) + QPEL_SLOT_ABOVE * (QPEL_SLOT_STRIDE + 1) + part
                    : strip_src;
    if (STEP == QPEL_STEP_WEIGH)
        weights_even = weights_odd = load_weights(item, component);

    /* Units of the kernel's second family, plane A alone. They come together, so few vectors run
     * both branches. */
#if defined(FAMILY_H_FULL)
    bool alone = (mx & 3) == 2;
#elif defined(FAMILY_V_FULL) || defined(FAMILY_CENTRE_H)
    bool alone = (my & 3) == 2;
#else
    const bool alone = false;
#endif
    if (FAMILIES != QPEL_FAMILIES_FIRST && alone)
        make_strip(true);
    else if (FAMILIES != QPEL_FAMILIES_SECOND)
        make_strip(false);
}
