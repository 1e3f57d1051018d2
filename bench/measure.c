#include "measure.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MIN_ROUNDS 3

static double seconds_of(clockid_t clock)
{
    struct timespec t;

    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

double measure_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double measure_cpu_now(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Between neighbours by their distance. */
static double quantile(const double *sorted, size_t count, double q)
{
    const double at = q * (double)(count - 1);
    const size_t i = (size_t)at;
    const double next = sorted[i + 1 < count ? i + 1 : i];

    return sorted[i] + (at - (double)i) * (next - sorted[i]);
}

struct measure_stat measure_stat_of(double *figures, size_t count)
{
    qsort(figures, count, sizeof(*figures), by_value);
    return (struct measure_stat){
        .median = quantile(figures, count, 0.5),
        .q1 = quantile(figures, count, 0.25),
        .q3 = quantile(figures, count, 0.75),
        .min = figures[0],
    };
}

struct round {
    double wall, cpu, gpu; /* seconds of all its runs */
};

static bool take_round(const struct measure_case *c, size_t repeats, struct round *round)
{
    double gpu = 0;
    const double cpu = measure_cpu_now();
    const double wall = measure_now();

    if (!c->run(c->user, repeats, &gpu))
        return false;
    round->wall = measure_now() - wall;
    round->cpu = measure_cpu_now() - cpu;
    round->gpu = gpu;
    return true;
}

/* Doubles the repeats until a round is long enough; this is the warm-up, too. */
static bool fix_repeats(struct measure_case *c, double round_seconds)
{
    struct round round;

    for (c->repeats = 1;; c->repeats *= 2) {
        if (!take_round(c, c->repeats, &round))
            return false;
        if (round.wall >= round_seconds / 2)
            break;
    }
    if (round.wall < round_seconds)
        c->repeats = (size_t)((double)c->repeats * round_seconds / round.wall) + 1;
    return true;
}

/* Figures of all rounds, wall times of all cases first. */
static double *figures_of(double *figures, unsigned rounds, size_t count, int kind, size_t i)
{
    return figures + ((size_t)kind * count + i) * rounds;
}

bool measure(struct measure_case *cases, size_t count, const struct measure_plan *plan)
{
    const unsigned rounds = plan->rounds < MIN_ROUNDS ? MIN_ROUNDS : plan->rounds;
    double *figures = malloc(3 * count * rounds * sizeof(*figures));
    bool ok = figures != NULL;
    double started;
    unsigned taken = 0;

    for (size_t i = 0; ok && i < count; i++)
        ok = fix_repeats(&cases[i], plan->round_seconds);
    started = measure_now();
    while (ok && taken < rounds) {
        for (size_t i = 0; ok && i < count; i++) {
            /* Every other round backwards, so that no case always follows the same one. */
            const size_t at = taken & 1 ? count - 1 - i : i;
            const double runs = (double)cases[at].repeats;
            struct round round;

            ok = take_round(&cases[at], cases[at].repeats, &round);
            if (!ok)
                break;
            figures_of(figures, rounds, count, 0, at)[taken] = round.wall / runs;
            figures_of(figures, rounds, count, 1, at)[taken] = round.cpu / runs;
            figures_of(figures, rounds, count, 2, at)[taken] = round.gpu / runs;
        }
        taken++;
        if (plan->max_seconds > 0 && taken >= MIN_ROUNDS &&
            measure_now() - started > plan->max_seconds * (double)count)
            break;
    }
    for (size_t i = 0; ok && i < count; i++) {
        cases[i].rounds = taken;
        if (cases[i].rounds_wall)
            memcpy(cases[i].rounds_wall, figures_of(figures, rounds, count, 0, i),
                   taken * sizeof(*figures));
        cases[i].wall = measure_stat_of(figures_of(figures, rounds, count, 0, i), taken);
        cases[i].cpu = measure_stat_of(figures_of(figures, rounds, count, 1, i), taken);
        cases[i].gpu = measure_stat_of(figures_of(figures, rounds, count, 2, i), taken);
    }
    free(figures);
    return ok;
}

double measure_ratio(const struct measure_case *a, const struct measure_case *b, double *scratch)
{
    for (unsigned i = 0; i < a->rounds; i++)
        scratch[i] = a->rounds_wall[i] / b->rounds_wall[i];
    return measure_stat_of(scratch, a->rounds).median;
}
