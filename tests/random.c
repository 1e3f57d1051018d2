#include "random.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Where no seed is given: the same data in each run, so that a failure stays. Other data are
 * a matter of running with other seeds. */
#define DEFAULT_SEED 1

uint64_t random_seed(void)
{
    static int known;
    static uint64_t seed;

    if (!known) {
        const char *text = getenv("QPEL_TEST_SEED");
        seed = text && *text ? strtoull(text, NULL, 0) : DEFAULT_SEED;
        printf("# QPEL_TEST_SEED=%" PRIu64 "\n", seed);
        fflush(stdout);
        known = 1;
    }
    return seed;
}

/* splitmix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators". */
static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

int repetitions(int count)
{
    const char *slow = getenv("QPEL_TEST_SLOW");

    return slow && *slow ? (count + 19) / 20 : count;
}

struct random random_stream(uint64_t number)
{
    return (struct random){ mix(random_seed() + mix(number)) };
}

uint32_t random_next(struct random *r)
{
    r->state += UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(mix(r->state) >> 32);
}

uint32_t random_below(struct random *r, uint32_t limit)
{
    return (uint32_t)(((uint64_t)random_next(r) * limit) >> 32);
}

int random_between(struct random *r, int low, int high)
{
    return low + (int)random_below(r, (uint32_t)(high - low + 1));
}

/* ---- hostile data ---- */

enum kind {
    RUNS,        /* runs of 0, of 255 and of noise */
    NOISE,       /* */
    EXTREMES,    /* each sample 0 or 255 */
    LOW,         /* 0..3: rounding */
    HIGH,        /* 252..255: rounding, and clips above */
    COLUMNS,     /* alternating 0 and 255, along rows, along columns or both */
    LIMITS,      /* every third block sample meets the largest or smallest sum */
    LIMITS_NEAR, /* the same with some samples off by a little */
    IMPULSES,    /* few samples that differ, on a flat ground */
    RAMP
};

/* Six taps + - + + - +: data of period 3 with the signs + - + bring the sum of the filter to
 * its limits, 10710 and (inverted) -2550. As a product of rows and columns they do
 * so for the centre: rows of sums at alternate limits make its middle sum +-33150. */
static int limit_sample(int x, int y, int phase, int inverted)
{
    int sign_x = (x + phase % 3) % 3 != 1, sign_y = (y + phase / 3) % 3 != 1;

    return (sign_x == sign_y) != inverted ? 255 : 0;
}

struct filling {
    int kind, phase, inverted, a, b, run, level;
};

static int sample(struct random *r, struct filling *f, int x, int y)
{
    switch (f->kind) {
    case RUNS:
        if (f->run-- == 0) {
            f->run = (int)random_below(r, 24);
            f->level = (int)random_below(r, 3);
        }
        return f->level == 0 ? 0 : f->level == 1 ? 255 : (int)random_below(r, 256);
    case EXTREMES:
        return random_next(r) & 1 ? 255 : 0;
    case LOW:
        return (int)random_below(r, 4);
    case HIGH:
        return 252 + (int)random_below(r, 4);
    case COLUMNS:
        return ((f->a ? x : 0) + (f->b ? y : 0)) & 1 ? 255 : 0;
    case LIMITS:
        return limit_sample(x, y, f->phase, f->inverted);
    case LIMITS_NEAR: {
        int v = limit_sample(x, y, f->phase, f->inverted);
        uint32_t draw = random_below(r, 12);
        return draw > 1 ? v : v ^ (int)(draw ? random_below(r, 4) : random_below(r, 256));
    }
    case IMPULSES:
        return (random_below(r, 20) == 0) != f->inverted ? 255 : 0;
    case RAMP:
        return (x * f->a + y * f->b + f->phase) & 255;
    default:
        return (int)random_below(r, 256);
    }
}

void hostile_fill_kind(struct random *r, int kind, uint8_t *data, ptrdiff_t stride, int width,
                       int height)
{
    struct filling f = { .kind = kind,
                         .phase = (int)random_below(r, 9),
                         .inverted = (int)random_below(r, 2),
                         .run = 0 };

    if (kind == RAMP) {
        f.a = random_between(r, -40, 40);
        f.b = random_between(r, -40, 40);
    } else {
        f.b = (int)random_below(r, 2);
        f.a = f.b ? (int)random_below(r, 2) : 1;
    }
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            data[y * stride + x] = (uint8_t)sample(r, &f, x, y);
}

void hostile_fill(struct random *r, uint8_t *data, ptrdiff_t stride, int width, int height)
{
    hostile_fill_kind(r, (int)random_below(r, HOSTILE_KINDS), data, stride, width, height);
}
