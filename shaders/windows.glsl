/* What families are made of: rows of src, rows as pairs, and windows of rows.
 *
 * Needs src, strip_src and src_stride; dx, dy; ANY_STRIDE, a constant: src_stride may be no whole
 * number of words. A strip is a word wide; or two, WIDE, or one of those, where far is 0. */
#ifndef QPEL_WINDOWS_GLSL
#define QPEL_WINDOWS_GLSL

#include "filters.glsl"

/* ---- words of src ---- */

struct cursor {
    uint at;   /* byte offset */
    uint bits; /* where it is in its word, times 8, modulo 32 */
};

cursor cursor_at(int x, int y)
{
    uint at = strip_src + x + y * src_stride;
    return cursor(at, at << 3);
}

void next_row(inout cursor c)
{
    c.at += src_stride;
    if (ANY_STRIDE)
        c.bits = c.at << 3;
}

/* Of a row, the words that have the strip's samples; or those, and five samples more. */
#if defined(WIDE)
struct few {
    uint at, bits, w0, w1, w2;
};
struct many {
    uint at, bits, w0, w1, w2, w3;
};

/* The first word; the others are the same cache line's, mostly. */
void begin(cursor c, out few row)
{
    row.at = c.at >> 2;
    row.bits = c.bits;
    row.w0 = src[row.at];
}

void begin(cursor c, out many row)
{
    row.at = c.at >> 2;
    row.bits = c.bits;
    row.w0 = src[row.at];
}

void end(inout few row)
{
    row.w1 = src[row.at + 1];
    row.w2 = src[row.at + 1 + far];
}

void end(inout many row)
{
    row.w1 = src[row.at + 1];
    row.w2 = src[row.at + 2];
    row.w3 = src[row.at + 2 + far];
}

many load_many(cursor c)
{
    many row;
    begin(c, row);
    end(row);
    return row;
}
#else
struct few {
    uint bits, w0, w1;
};
struct many {
    uint bits, w0, w1, w2;
};

few load_few(cursor c)
{
    return few(c.bits, src[c.at >> 2], src[(c.at >> 2) + 1]);
}

many load_many(cursor c)
{
    return many(c.bits, src[c.at >> 2], src[(c.at >> 2) + 1], src[(c.at >> 2) + 2]);
}
#endif

/* ---- samples ---- */

/* Those of the strip, from the cursor's column on. */
WORDS first_samples(few row)
{
#if defined(WIDE)
    return uvec2(bytes_at(row.w0, row.w1, row.bits), bytes_at(row.w1, row.w2, row.bits));
#else
    return bytes_at(row.w0, row.w1, row.bits);
#endif
}

/* Likewise, and those 4 columns to the right; and the one behind each word of these. */
void samples_of(many row, out WORDS left, out WORDS right, out WORDS behind)
{
    uint middle = bytes_at(row.w1, row.w2, row.bits);
#if defined(WIDE)
    uint last = bytes_at(row.w2, row.w3, row.bits);
    left = uvec2(bytes_at(row.w0, row.w1, row.bits), middle);
    right = uvec2(middle, last);
    behind = uvec2(last, row.w3 >> (row.bits & 31u)) & 255u;
#else
    left = bytes_at(row.w0, row.w1, row.bits);
    right = middle;
    behind = (row.w2 >> (row.bits & 31u)) & 255u;
#endif
}

/* Whole samples dx..dx + 3, of a row that begins at -2. */
WORDS full_words(many row)
{
    WORDS left, right, behind;
    samples_of(row, left, right, behind);
    uint bits = 16u + 8u * uint(dx);
    return (left >> bits) + (right << (32u - bits));
}

/* ---- along a row ---- */

/* The pairs that a row's filter takes: samples n and n + 2, counted from the output's first. */
struct row_pairs {
    WORDS m2, m1, p0, p1, p2, p3, p4;
};

row_pairs pairs_of(many row)
{
    row_pairs p;
    WORDS left, right, behind;
    samples_of(row, left, right, behind);
    split(left, p.m2, p.m1);
    split(right, p.p2, p.p3);
    p.p0 = (p.m2 >> 16) + (p.p2 << 16);
    p.p1 = (p.m1 >> 16) + (p.p3 << 16);
    p.p4 = (p.p2 >> 16) + (behind << 16);
    return p;
}

void row_sums(row_pairs p, out WORDS even, out WORDS odd)
{
    even = six_taps(p.m2, p.m1, p.p0, p.p1, p.p2, p.p3);
    odd = six_taps(p.m1, p.p0, p.p1, p.p2, p.p3, p.p4);
}

WORDS row_word(row_pairs p)
{
    WORDS even, odd;
    row_sums(p, even, odd);
    return half_word(even, odd);
}

/* ---- along columns ---- */

/* Six rows of pairs, the next output row between c and d. */
struct window {
    WORDS a, b, c, d, e, f;
};

void push(inout window w, WORDS pair)
{
    w.a = w.b;
    w.b = w.c;
    w.c = w.d;
    w.d = w.e;
    w.e = w.f;
    w.f = pair;
}

cursor rows;       /* what each row loads next */
cursor other_rows; /* DIAGONAL: of the row filter */
window full_even, full_odd; /* whole samples */
window sums_even, sums_odd; /* sums of rows */

WORDS column_word()
{
    window v = full_even, w = full_odd;
    return half_word(six_taps(v.a, v.b, v.c, v.d, v.e, v.f), six_taps(w.a, w.b, w.c, w.d, w.e, w.f));
}

#endif
