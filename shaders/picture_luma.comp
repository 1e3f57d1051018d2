/* The picture door, luma (and all planes of 4:4:4): units of one kernel. A lane makes 4 columns of
 * a unit. Compiled once a kernel (QPEL_KERNELS), by defining FAMILY_<name>; `one_plane` tells units
 * of the kernel's second family.
 *
 * Reads whole words, as dispatch.comp does. A word of dst is written by one lane, and never read. */
#version 450
#extension GL_EXT_control_flow_attributes : require
#extension GL_GOOGLE_include_directive : require
#include "strip.glsl"

uint strip_rows;
#define ROWS   strip_rows
#define ROLLED true
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

bool one_plane, two_references;
weighting strip_weights;

uint both_planes(uint a, uint b)
{
    return mean(a, one_plane ? a : b);
}

void put_word(uint word)
{
    if (STEP == QPEL_STEP_MEAN)
        word = mean(word, first_list());
    if (STEP == QPEL_STEP_WEIGH) {
#if defined(FAMILY_CENTRE_V) /* to read early, this one lacks registers */
        uint first = word;
        if (two_references)
            first = first_list();
#else
        /* Read whether it is needed or not: cheaper than a branch a row. */
        uint first = first_list();
        first = two_references ? first : word;
#endif
        if (strip_weights.used)
            word = weigh_even(strip_weights, first, word) + weigh_odd(strip_weights, first, word);
        else
            word = mean(word, first);
    }
    put(word);
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
    dx = (mx & 3) == 3 ? 1 : 0;
    dy = (my & 3) == 3 ? 1 : 0;
#if defined(FAMILY_H_FULL)
    one_plane = (mx & 3) == 2;
#elif defined(FAMILY_V_FULL) || defined(FAMILY_CENTRE_H)
    one_plane = (my & 3) == 2;
#else
    one_plane = false;
#endif
    uvec4 row = reference_of(item, component);
    bool outside = item.w != 0;
    src_stride = outside ? QPEL_SLOT_STRIDE : row.QPEL_REFERENCE_STRIDE;
    strip_src = row.QPEL_REFERENCE_BASE + x + (mx >> 2) +
                ((line >> item_field(item)) + (my >> 2)) * row.QPEL_REFERENCE_STRIDE;
    strip_src = outside
                    ? slot_of(item) + QPEL_SLOT_ABOVE * (QPEL_SLOT_STRIDE + 1) + part
                    : strip_src;
    if (STEP == QPEL_STEP_WEIGH) {
        two_references = (item.x & QPEL_ITEM_SECOND) != 0;
        strip_weights = load_weights(item, component);
    }
    make_strip();
}
