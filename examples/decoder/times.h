/* Where the time goes: each phase of the decoder by the wall, by the whole process's CPU time (the
 * threads of libraries and drivers included) and by this thread's. */
#ifndef DECODER_TIMES_H
#define DECODER_TIMES_H

enum phase {
    PHASE_PARSE, /* pass 1: libavcodec, recording; all of it where nothing is recorded */
    PHASE_SUBMIT,
    PHASE_WAIT,
    PHASE_RECON,
    PHASE_FILTER,
    PHASE_OUTPUT, /* sums of the frames: not part of decoding */
    PHASE_COUNT
};
extern const char *const phase_names[PHASE_COUNT];

struct clocks {
    double wall, process, thread; /* seconds */
};

struct times {
    enum phase now;
    struct clocks since, sum[PHASE_COUNT];
};

void times_start(struct times *times);
/* Ends the running phase and starts another; returns the one that ended. */
enum phase times_enter(struct times *times, enum phase phase);

#endif
