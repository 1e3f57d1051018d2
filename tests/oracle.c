#include "oracle.h"

/* Where a sample of figure 8-4 is sought. */
struct place {
    oracle_sample_fn *sample;
    const void *picture;
    int x, y; /* of G */
    int max;  /* the largest sample value */
};

/* Whole samples, relative to G: G itself is at (0, 0), H at (1, 0), M at (0, 1). */
static int whole(const struct place *p, int x, int y)
{
    return p->sample(p->picture, p->x + x, p->y + y);
}

/* Clip1Y of clause 5.7. */
static int clip1(const struct place *p, int value)
{
    if (value < 0)
        return 0;
    return value > p->max ? p->max : value;
}

/* The filter of 8.4.2.2.1, with the standard's names for its inputs along a row. */
static int six_tap(int e, int f, int g, int h, int i, int j)
{
    return e - 5 * f + 20 * g + 20 * h - 5 * i + j;
}

/* The intermediate b1, for the G that lies at (x, y). At y = 1 it is s1. */
static int b1(const struct place *p, int x, int y)
{
    return six_tap(whole(p, x - 2, y), whole(p, x - 1, y), whole(p, x, y), whole(p, x + 1, y),
                   whole(p, x + 2, y), whole(p, x + 3, y));
}

/* The intermediate h1. At x = 1 it is m1. */
static int h1(const struct place *p, int x, int y)
{
    return six_tap(whole(p, x, y - 2), whole(p, x, y - 1), whole(p, x, y), whole(p, x, y + 1),
                   whole(p, x, y + 2), whole(p, x, y + 3));
}

/* The intermediate j1, from those of half samples between rows, none of which is rounded or
 * clipped: cc, dd, h1, m1, ee, ff. */
static int j1(const struct place *p)
{
    return six_tap(h1(p, -2, 0), h1(p, -1, 0), h1(p, 0, 0), h1(p, 1, 0), h1(p, 2, 0), h1(p, 3, 0));
}

/* b, h, s and m from their intermediates. */
static int half(const struct place *p, int intermediate)
{
    return clip1(p, (intermediate + 16) >> 5);
}

/* The samples of figure 8-4 by their names. */
static int sample_G(const struct place *p)
{
    return whole(p, 0, 0);
}

static int sample_H(const struct place *p)
{
    return whole(p, 1, 0);
}

static int sample_M(const struct place *p)
{
    return whole(p, 0, 1);
}

static int sample_b(const struct place *p)
{
    return half(p, b1(p, 0, 0));
}

static int sample_s(const struct place *p)
{
    return half(p, b1(p, 0, 1));
}

static int sample_h(const struct place *p)
{
    return half(p, h1(p, 0, 0));
}

static int sample_m(const struct place *p)
{
    return half(p, h1(p, 1, 0));
}

static int sample_j(const struct place *p)
{
    return clip1(p, (j1(p) + 512) >> 10);
}

int oracle_average(int a, int b)
{
    return (a + b + 1) >> 1;
}

int oracle_luma(oracle_sample_fn *sample, const void *picture, int x, int y, int x_frac, int y_frac,
                int bit_depth)
{
    const struct place place = { sample, picture, x, y, (1 << bit_depth) - 1 }, *p = &place;

    /* Table 8-12; quarter samples are averages with upward rounding. */
    switch (10 * x_frac + y_frac) {
    case 0:
        return sample_G(p);
    case 1: /* d */
        return oracle_average(sample_G(p), sample_h(p));
    case 2:
        return sample_h(p);
    case 3: /* n */
        return oracle_average(sample_M(p), sample_h(p));
    case 10: /* a */
        return oracle_average(sample_G(p), sample_b(p));
    case 11: /* e */
        return oracle_average(sample_b(p), sample_h(p));
    case 12: /* i */
        return oracle_average(sample_h(p), sample_j(p));
    case 13: /* p */
        return oracle_average(sample_h(p), sample_s(p));
    case 20:
        return sample_b(p);
    case 21: /* f */
        return oracle_average(sample_b(p), sample_j(p));
    case 22:
        return sample_j(p);
    case 23: /* q */
        return oracle_average(sample_j(p), sample_s(p));
    case 30: /* c */
        return oracle_average(sample_H(p), sample_b(p));
    case 31: /* g */
        return oracle_average(sample_b(p), sample_m(p));
    case 32: /* k */
        return oracle_average(sample_j(p), sample_m(p));
    case 33: /* r */
        return oracle_average(sample_s(p), sample_m(p));
    default:
        return -1; /* no fraction of a quarter sample */
    }
}

int oracle_direct(const void *plane, int x, int y)
{
    const struct oracle_plane *p = plane;

    return p->origin[y * p->stride + x];
}

static int clip3(int low, int high, int value)
{
    return value < low ? low : value > high ? high : value;
}

int oracle_clamped(const void *plane, int x, int y)
{
    const struct oracle_plane *p = plane;

    return oracle_direct(p, clip3(0, p->width - 1, x), clip3(0, p->height - 1, y));
}
