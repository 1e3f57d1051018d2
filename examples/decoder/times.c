#include "times.h"

#include <time.h>

const char *const phase_names[PHASE_COUNT] = {
    [PHASE_PARSE] = "parse and record", [PHASE_SUBMIT] = "batch: submit",
    [PHASE_WAIT] = "batch: wait",       [PHASE_RECON] = "intra and residual",
    [PHASE_FILTER] = "loop filter",     [PHASE_OUTPUT] = "output",
};

static double read_clock(clockid_t id)
{
    struct timespec t;
    clock_gettime(id, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static struct clocks read_clocks(void)
{
    return (struct clocks){ read_clock(CLOCK_MONOTONIC), read_clock(CLOCK_PROCESS_CPUTIME_ID),
                            read_clock(CLOCK_THREAD_CPUTIME_ID) };
}

void times_start(struct times *times)
{
    *times = (struct times){ .now = PHASE_PARSE, .since = read_clocks() };
}

enum phase times_enter(struct times *times, enum phase phase)
{
    enum phase before = times->now;
    struct clocks now = read_clocks(), *sum = &times->sum[before];
    sum->wall += now.wall - times->since.wall;
    sum->process += now.process - times->since.process;
    sum->thread += now.thread - times->since.thread;
    times->since = now;
    times->now = phase;
    return before;
}
