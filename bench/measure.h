/* The measuring core: runs prepared cases in turn, many short rounds, and tells medians.
 *
 * Cases that are to be compared go into one call: their rounds alternate, so that a change of
 * clock or load meets all of them. Nothing here proves that a case does what it should: the
 * caller does that before. */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stdbool.h>
#include <stddef.h>

/* Seconds a run. */
struct measure_stat {
    double median, q1, q3, min;
};

/* Runs the case `repeats` times. Adds the GPU's own seconds to *gpu_seconds where
 * known. False: it failed, and the measurement is void. */
typedef bool measure_run_fn(void *user, size_t repeats, double *gpu_seconds);

struct measure_case {
    measure_run_fn *run;
    void *user;
    double *rounds_wall; /* null, or room for the plan's rounds (3 at least): each round's wall */
    /* Out. */
    size_t repeats;           /* runs in a round */
    unsigned rounds;          /* taken */
    struct measure_stat wall; /* by the monotonic clock */
    struct measure_stat cpu;  /* of all threads of the process */
    struct measure_stat gpu;  /* all zero where run() tells none */
};

struct measure_plan {
    unsigned rounds;      /* wanted, for each case; at least 3 are taken */
    double round_seconds; /* a round repeats its case until it lasts so long */
    double max_seconds;   /* for each case; ends the rounds early. 0: no limit */
};

/* Seconds of the monotonic clock, and of the process's CPU time. */
double measure_now(void);
double measure_cpu_now(void);

/* Warms each case up, fixes its repeats, then takes the rounds. False: a run failed or memory
 * ran out. */
bool measure(struct measure_case *cases, size_t count, const struct measure_plan *plan);

/* How two cases of one measurement compare: the median over rounds of a's wall time over b's in the
 * same round, which a change of clock or load between rounds does not touch. Both had
 * rounds_wall; scratch has as much room. */
double measure_ratio(const struct measure_case *a, const struct measure_case *b, double *scratch);

/* Median and quartiles of `count` figures, 1 or more; sorts them. */
struct measure_stat measure_stat_of(double *figures, size_t count);

#endif
