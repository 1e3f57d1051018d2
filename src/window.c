#include <qpel/dsp.h>

#include "positions.h"

/* Samples that the six-tap filter (8.4.2.2.1) takes before and after the ones
 * that it lies on. */
#define TAPS_BEFORE 2
#define TAPS_AFTER  3

static struct qpel_rectangle plane_window(enum plane_kind kind, int dx, int dy, int width,
                                          int height)
{
    struct qpel_rectangle r = { dx, dy, dx + width - 1, dy + height - 1 };

    if (kind == PLANE_H || kind == PLANE_CENTRE) {
        r.left -= TAPS_BEFORE;
        r.right += TAPS_AFTER;
    }
    if (kind == PLANE_V || kind == PLANE_CENTRE) {
        r.top -= TAPS_BEFORE;
        r.bottom += TAPS_AFTER;
    }
    return r;
}

static struct qpel_rectangle around(struct qpel_rectangle a, struct qpel_rectangle b)
{
    return (struct qpel_rectangle){
        .left = a.left < b.left ? a.left : b.left,
        .top = a.top < b.top ? a.top : b.top,
        .right = a.right > b.right ? a.right : b.right,
        .bottom = a.bottom > b.bottom ? a.bottom : b.bottom,
    };
}

struct qpel_window qpel_window(int position, int width, int height)
{
    const struct position *p = &qpel_positions[position & 15];
    const struct family_info *f = &qpel_families[p->family];
    struct qpel_rectangle a = plane_window(f->a, p->a_dx, p->a_dy, width, height);
    struct qpel_rectangle b = a;

    if (f->b != PLANE_NONE)
        b = plane_window(f->b, p->b_dx, p->b_dy, width, height);

    struct qpel_window window = { .row = a, .column = b, .bounds = around(a, b) };

    /* Only a row filter beside a column filter makes a cross; elsewhere one
     * plane's window lies within the other's. */
    if (p->family != FAMILY_DIAGONAL)
        window.row = window.column = window.bounds;
    return window;
}
