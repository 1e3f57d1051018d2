#include <stdlib.h>
#include <string.h>

#include "v3d_cost.h"

enum { MAX_LINES = 16384 };

struct line {
    const char *text;
    size_t length;
    double weight; /* times that it runs */
};

static uint32_t count_of(const struct line *line, const char *word)
{
    uint32_t n = 0;
    size_t w = strlen(word);
    for (size_t i = 0; i + w <= line->length; i++)
        n += !memcmp(line->text + i, word, w);
    return n;
}

static size_t split_lines(const char *text, struct line *lines)
{
    size_t n = 0;
    for (const char *p = text, *end; *p; p = *end ? end + 1 : end) {
        end = strchr(p, '\n');
        if (!end)
            end = p + strlen(p);
        if (end == p)
            continue;
        if (n == MAX_LINES)
            fail("more than %d lines of assembly", MAX_LINES);
        lines[n++] = (struct line){ p, (size_t)(end - p), 1 };
    }
    return n;
}

/* Branch offsets are in bytes of 8-byte instructions, from the fourth instruction after the
 * branch: three delay slots run whatever happens. A branch backwards is a loop. */
static uint32_t weigh_loops(struct line *lines, size_t n, uint32_t trips)
{
    uint32_t loops = 0;
    for (size_t i = 0; i < n; i++) {
        const char *minus =
            lines[i].text[0] == 'b' ? memchr(lines[i].text, '-', lines[i].length) : NULL;
        if (!minus)
            continue;
        long first = (long)i + 4 - strtol(minus + 1, NULL, 10) / 8;
        loops++;
        for (size_t k = first < 0 ? 0 : (size_t)first; k < n && k <= i + 3; k++)
            lines[k].weight *= trips;
    }
    return loops;
}

struct counts count_assembly(const char *text, uint32_t trips)
{
    static const char *const triggers[] = {
        " tmua,", " tmuau,", " tmus,", " tmuscm,", " tmusf,", " tmuslod,",
    };
    static struct line lines[MAX_LINES];
    struct counts c = { 0 };
    size_t n = split_lines(text, lines);
    c.loops = weigh_loops(lines, n, trips);

    bool data = false; /* the next look-up has something to store */
    for (size_t i = 0; i < n; i++) {
        const struct line *line = &lines[i];
        c.executed += line->weight;
        data |= count_of(line, " tmud,") > 0;
        for (size_t t = 0; t < sizeof triggers / sizeof *triggers; t++)
            if (count_of(line, triggers[t])) {
                if (data)
                    c.writes += line->weight;
                else
                    c.reads += line->weight;
                data = false;
            }
        c.read_words += line->weight * count_of(line, "ldtmu");
        c.switches += line->weight * (count_of(line, "thrsw") > 0);
        c.multiplies += line->weight * count_of(line, "multop");
        c.idle += line->weight * (count_of(line, "nop") >= 2);
    }
    return c;
}
