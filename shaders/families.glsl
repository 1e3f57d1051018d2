/* A strip: 4 samples wide, QPEL_STRIP_ROWS(size) tall, made by one invocation row by row.
 *
 * The file that includes this one picks a family by defining FAMILY_<name> (positions.h), and
 * says where words come from and go to:
 *
 *   struct cursor                        a row of src, at a column
 *   cursor cursor_at(int x, int y)       column and row from the strip's first sample
 *   void next_row(inout cursor)
 *   four load_four(cursor)               samples 0..3 from there
 *   nine load_nine(cursor)               samples 0..8
 *   void put_word(uint)                  the next row's four samples
 *   void put_two_words(uint, uint)       the next two rows'
 *   ROWS                                 4, 8 or 16
 *   HIGHER(n)                            whether that is more than n, 4 or 8
 *   PAIRED                               constant: there are registers for two rows at a time
 *   ROLLED, SCARCE                       constants: registers are scarce, are very scarce
 *
 * and calls make_strip(). dx and dy are the family's parameters, the same for all invocations.
 * Rows are written out, not looped over: the compiler then keeps the windows in registers
 * without moving them, and loads ahead of use. */
#ifndef QPEL_FAMILIES_GLSL
#define QPEL_FAMILIES_GLSL

#include "filters.glsl"

#if defined(FAMILY_V) || defined(FAMILY_V_FULL) || defined(FAMILY_DIAGONAL) ||                     \
    defined(FAMILY_CENTRE_V)
#define COLUMN_FILTER
#endif
#if defined(FAMILY_CENTRE) || defined(FAMILY_CENTRE_H) || defined(FAMILY_CENTRE_V)
#define CENTRE_FILTER
#endif

/* Six rows of pairs, the next output row between c and d. */
struct window {
    uint a, b, c, d, e, f;
};

void push(inout window w, uint pair)
{
    w.a = w.b;
    w.b = w.c;
    w.c = w.d;
    w.d = w.e;
    w.e = w.f;
    w.f = pair;
}

/* The pairs that a row's filter takes: samples n and n + 2, counted from the output's first. */
struct row_pairs {
    uint m2, m1, p0, p1, p2, p3, p4;
};

row_pairs pairs_of(nine row)
{
    row_pairs p;
    split(bytes_at(row.w0, row.w1, row.bits), p.m2, p.m1);
    split(bytes_at(row.w1, row.w2, row.bits), p.p2, p.p3);
    p.p0 = (p.m2 >> 16) + (p.p2 << 16);
    p.p1 = (p.m1 >> 16) + (p.p3 << 16);
    p.p4 = (p.p2 >> 16) + (((row.w2 >> (row.bits & 31u)) & 255u) << 16);
    return p;
}

/* Whole samples dx..dx + 3. */
uint full_word(nine row)
{
    uint left = bytes_at(row.w0, row.w1, row.bits), right = bytes_at(row.w1, row.w2, row.bits);
    uint bits = 16u + 8u * uint(dx);
    return (left >> bits) + (right << (32u - bits));
}

void row_sums(row_pairs p, out uint even, out uint odd)
{
    even = six_taps(p.m2, p.m1, p.p0, p.p1, p.p2, p.p3);
    odd = six_taps(p.m1, p.p0, p.p1, p.p2, p.p3, p.p4);
}

uint row_word(row_pairs p)
{
    uint even, odd;
    row_sums(p, even, odd);
    return half_word(even, odd);
}

cursor rows;       /* what each row loads next */
cursor other_rows; /* DIAGONAL: of the row filter */
window full_even, full_odd; /* whole samples */
window full_words; /* V_FULL: the same, as bytes */
window sums_even, sums_odd; /* sums of rows */

uint column_word()
{
    window v = full_even, w = full_odd;
    return half_word(six_taps(v.a, v.b, v.c, v.d, v.e, v.f), six_taps(w.a, w.b, w.c, w.d, w.e, w.f));
}

/* Takes one row into the windows. */
void enter_row()
{
#if defined(CENTRE_FILTER)
    row_pairs p = pairs_of(load_nine(rows));
    uint even, odd;
    row_sums(p, even, odd);
    push(sums_even, even);
    push(sums_odd, odd);
#if defined(COLUMN_FILTER)
    push(full_even, dx != 0 ? p.p1 : p.p0);
    push(full_odd, dx != 0 ? p.p2 : p.p1);
#endif
#else
    four row = load_four(rows);
    uint even, odd, word = bytes_at(row.w0, row.w1, row.bits);
    split(word, even, odd);
    push(full_words, word);
    push(full_even, even);
    push(full_odd, odd);
#endif
    next_row(rows);
}

uint make_word(bool alone)
{
#if defined(FAMILY_COPY)
    four row = load_four(rows);
    next_row(rows);
    return bytes_at(row.w0, row.w1, row.bits);

#elif defined(FAMILY_H) || defined(FAMILY_H_FULL)
    nine row = load_nine(rows);
    next_row(rows);
    uint word = row_word(pairs_of(row));
#if defined(FAMILY_H_FULL)
    if (!alone)
        word = mean(word, full_word(row));
#endif
    return word;

#elif defined(FAMILY_V) || defined(FAMILY_V_FULL) || defined(FAMILY_DIAGONAL)
    enter_row();
    uint word = column_word();
#if defined(FAMILY_V_FULL)
    if (!alone)
        word = mean(word, dy != 0 ? full_words.d : full_words.c);
#elif defined(FAMILY_DIAGONAL)
    word = mean(word, row_word(pairs_of(load_nine(other_rows))));
    next_row(other_rows);
#endif
    return word;

#elif defined(CENTRE_FILTER)
    enter_row();
    window s = sums_even, t = sums_odd;
    uint word = centre_word(centre_sum(s.a, s.b, s.c, s.d, s.e, s.f),
                            centre_sum(t.a, t.b, t.c, t.d, t.e, t.f));
#if defined(FAMILY_CENTRE_H)
    if (!alone)
        word = mean(word, half_word(dy != 0 ? s.d : s.c, dy != 0 ? t.d : t.c));
#elif defined(FAMILY_CENTRE_V)
    word = mean(word, column_word());
#endif
    return word;
#endif
}

/* V3D does not load across a store, and waits after each. */
void make_two_rows(bool alone)
{
    uint a = make_word(alone);
#if !defined(CENTRE_FILTER)
    if (PAIRED) {
        put_two_words(a, make_word(alone));
        return;
    }
#endif
    put_word(a);
    put_word(make_word(alone));
}

void make_four_rows(bool alone)
{
#if defined(FAMILY_COPY) || defined(FAMILY_V) || defined(FAMILY_V_FULL)
    uint a = make_word(alone), b = make_word(alone), c = make_word(alone), d = make_word(alone);
    put_two_words(a, b);
    put_two_words(c, d);
#else
    make_two_rows(alone);
    make_two_rows(alone);
#endif
}

void make_strip(bool alone)
{
#if defined(FAMILY_COPY)
    rows = cursor_at(0, 0);
#elif defined(FAMILY_H) || defined(FAMILY_H_FULL)
    rows = cursor_at(-2, 0);
#else
#if defined(CENTRE_FILTER)
    rows = cursor_at(-2, -2);
#elif defined(FAMILY_DIAGONAL)
    rows = cursor_at(dx, -2);
    other_rows = cursor_at(-2, dy);
#else
    rows = cursor_at(0, -2);
#endif
    enter_row();
    enter_row();
    enter_row();
    enter_row();
    enter_row();
#endif
#if defined(FAMILY_CENTRE_V)
    if (ROLLED) { /* written out, this one would spill */
        uint row = 0;
        [[dont_unroll]] do {
            if (SCARCE) {
                put_word(make_word(alone));
                row++;
            } else {
                make_four_rows(alone);
                row += 4;
            }
        } while (row < ROWS);
        return;
    }
#endif
    make_four_rows(alone);
    if (HIGHER(4)) {
        make_four_rows(alone);
        if (HIGHER(8)) {
            make_four_rows(alone);
            make_four_rows(alone);
        }
    }
}

#endif
