/* The picture door, luma (and all planes of 4:4:4): units of one kernel. A lane makes 4 columns of a
 * unit; or WIDE, a whole unit, in a loop, which takes less code and fewer loads, and registers that
 * V3D doesn't have. Compiled once a kernel (QPEL_KERNELS) and width, by defining FAMILY_<name>.
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
#define ANY_STRIDE false
int dx, dy;

#include "families.glsl"

/* Of the kernel's families, plane A alone is the second. They come together, so few vectors run
 * both branches. */
void make_unit(uint x_frac, uint y_frac)
{
#if defined(FAMILY_H_FULL)
    bool alone = x_frac == 2;
#elif defined(FAMILY_V_FULL) || defined(FAMILY_CENTRE_H)
    bool alone = y_frac == 2;
#else
    const bool alone = false;
#endif
    if (FAMILIES != QPEL_FAMILIES_FIRST && alone)
        make_strip(true);
    else if (FAMILIES != QPEL_FAMILIES_SECOND)
        make_strip(false);
}

void main()
{
#if defined(WIDE)
    const uint part = 0;
    uvec4 item = load_item(gl_WorkGroupID.x, gl_LocalInvocationID.x);
    bool idle = (item.x & QPEL_ITEM_NONE) != 0;
    far = ~item.x & QPEL_ITEM_NARROW;
#else
    uint part = gl_LocalInvocationID.x & 1u;
    uvec4 item = load_item(gl_WorkGroupID.x, gl_LocalInvocationID.x >> 1);
    /* The right part of a narrow unit is idle. */
    bool idle = (item.x & (QPEL_ITEM_NONE | part * QPEL_ITEM_NARROW)) != 0;
    part = (part & ~item.x) * QPEL_STRIP_COLUMNS;
#endif
    if (PICKY && (idle || rejected(item)))
        return;
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

    make_unit(uint(mx) & 3u, uint(my) & 3u);
}
