/* A strip: 4 samples wide, or 8 (WIDE), 4 to 16 tall, made by one invocation row by row.
 *
 * The file that includes this one picks a family by defining FAMILY_<name> (positions.h), and
 * says where words come from and go to:
 *
 *   what windows.glsl needs
 *   void put_word(WORDS)              the next row's samples
 *   void put_two_words(WORDS, WORDS)  the next two rows'
 *   ROWS                              4, 8 or 16
 *   HIGHER(n)                         whether that is more than n, 4 or 8
 *   PAIRED                            constant: there are registers for two rows at a time
 *   ROLLED, SCARCE                    constants: registers are scarce, are very scarce
 *
 * and calls make_strip(). dx and dy are the family's parameters. Rows are written out, not looped
 * over: the compiler then keeps the windows in registers without moving them, and loads ahead of
 * use. WIDE, four rows are, whose first words are asked for together. */
#ifndef QPEL_FAMILIES_GLSL
#define QPEL_FAMILIES_GLSL

#include "windows.glsl"

#if defined(FAMILY_V) || defined(FAMILY_V_FULL) || defined(FAMILY_DIAGONAL) ||                     \
    defined(FAMILY_CENTRE_V)
#define COLUMN_FILTER
#endif
#if defined(FAMILY_CENTRE) || defined(FAMILY_CENTRE_H) || defined(FAMILY_CENTRE_V)
#define CENTRE_FILTER
#endif
#if defined(FAMILY_H) || defined(FAMILY_H_FULL) || defined(CENTRE_FILTER)
#define ROW  many
#define LOAD load_many
#else
#define ROW  few
#define LOAD load_few
#endif

window whole; /* V_FULL: whole samples as bytes */

/* The next row: WIDE, begun. */
ROW next()
{
#if defined(WIDE)
    ROW row;
    begin(rows, row);
#else
    ROW row = LOAD(rows);
#endif
    next_row(rows);
    return row;
}

/* Takes one row into the windows. */
void enter_row(ROW row)
{
#if defined(WIDE)
    end(row);
#endif
#if defined(CENTRE_FILTER)
    row_pairs p = pairs_of(row);
    WORDS even, odd;
    row_sums(p, even, odd);
    push(sums_even, even);
    push(sums_odd, odd);
#if defined(COLUMN_FILTER)
    push(full_even, dx != 0 ? p.p1 : p.p0);
    push(full_odd, dx != 0 ? p.p2 : p.p1);
#endif
#elif defined(COLUMN_FILTER)
    WORDS even, odd, samples = first_samples(row);
    split(samples, even, odd);
    push(whole, samples);
    push(full_even, even);
    push(full_odd, odd);
#endif
}

WORDS make_words(ROW row, bool alone)
{
#if defined(WIDE) && (defined(FAMILY_COPY) || defined(FAMILY_H_FULL))
    end(row);
#endif
#if defined(FAMILY_COPY)
    return first_samples(row);

#elif defined(FAMILY_H) || defined(FAMILY_H_FULL)
    WORDS word = row_word(pairs_of(row));
#if defined(FAMILY_H_FULL)
    if (!alone)
        word = mean(word, full_words(row));
#endif
    return word;

#elif defined(FAMILY_V) || defined(FAMILY_V_FULL) || defined(FAMILY_DIAGONAL)
    enter_row(row);
    WORDS word = column_word();
#if defined(FAMILY_V_FULL)
    if (!alone)
        word = mean(word, dy != 0 ? whole.d : whole.c);
#elif defined(FAMILY_DIAGONAL)
    word = mean(word, row_word(pairs_of(load_many(other_rows))));
    next_row(other_rows);
#endif
    return word;

#elif defined(CENTRE_FILTER)
    enter_row(row);
    window s = sums_even, t = sums_odd;
    WORDS word = centre_word(centre_sum(s.a, s.b, s.c, s.d, s.e, s.f),
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

void make_row(ROW row, bool alone)
{
    put_word(make_words(row, alone));
}

#if defined(WIDE)

void make_four_rows(bool alone)
{
    ROW a = next(), b = next(), c = next(), d = next();
    make_row(a, alone);
    make_row(b, alone);
    make_row(c, alone);
    make_row(d, alone);
}

void enter_five_rows()
{
    ROW a = next(), b = next(), c = next(), d = next(), e = next();
    enter_row(a);
    enter_row(b);
    enter_row(c);
    enter_row(d);
    enter_row(e);
}

#else

/* V3D does not load across a store, and waits after each. */
void make_two_rows(bool alone)
{
    WORDS a = make_words(next(), alone);
#if !defined(CENTRE_FILTER)
    if (PAIRED) {
        put_two_words(a, make_words(next(), alone));
        return;
    }
#endif
    put_word(a);
    make_row(next(), alone);
}

void make_four_rows(bool alone)
{
#if defined(FAMILY_COPY) || defined(FAMILY_V) || defined(FAMILY_V_FULL)
    WORDS a = make_words(next(), alone), b = make_words(next(), alone);
    WORDS c = make_words(next(), alone), d = make_words(next(), alone);
    put_two_words(a, b);
    put_two_words(c, d);
#else
    make_two_rows(alone);
    make_two_rows(alone);
#endif
}

void enter_five_rows()
{
    enter_row(next());
    enter_row(next());
    enter_row(next());
    enter_row(next());
    enter_row(next());
}

#endif

void make_rows(bool alone)
{
#if defined(WIDE)
    uint row = 0;
    [[dont_unroll]] do {
        make_four_rows(alone);
        row += 4;
    } while (row < ROWS);
#else
#if defined(FAMILY_CENTRE_V)
    if (ROLLED) { /* written out, this one would spill */
        uint row = 0;
        [[dont_unroll]] do {
            if (SCARCE) {
                make_row(next(), alone);
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
    enter_five_rows();
#endif
    make_rows(alone);
}

#endif
