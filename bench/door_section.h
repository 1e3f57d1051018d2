/* What the picture door's section keeps while it runs. */
#ifndef BENCH_DOOR_SECTION_H
#define BENCH_DOOR_SECTION_H

#include "door.h"

enum { MAX_RUNNERS = 6 * BENCH_MAX_LAYERS + 8 * BENCH_MAX_DEVICES };

/* Means over pictures, for the summary. */
struct total {
    double phases[DOOR_PHASE_COUNT], blocks, of_copy, of_caller[DOOR_CALLER_COUNT];
    unsigned pictures;
};

struct door {
    struct bench *b;
    struct qpel_context *layers[BENCH_MAX_LAYERS];
    struct door_device *devices[BENCH_MAX_DEVICES];
    size_t runner_count;
    struct door_runner runners[MAX_RUNNERS];
    unsigned device_of[MAX_RUNNERS]; /* index, of those on a device */
    struct total totals[MAX_RUNNERS];
    struct door_images images;
    /* The device's own copy of luma, and of luma and chroma; 0: not measured. */
    double copy[BENCH_MAX_DEVICES][2];
    unsigned rounds;
    double *figures; /* [runner][phase][round] */
    double *scratch; /* of a round each */
};

extern const char *const door_form_names[DOOR_FORM_COUNT];
extern const char *const door_caller_names[DOOR_CALLER_COUNT];

static inline double *figures_of(const struct door *d, size_t runner, enum door_phase phase)
{
    return d->figures + (runner * DOOR_PHASE_COUNT + phase) * d->rounds;
}

/* Prints and records a runner's figures of a work. callers: the last runner of each kind,
 * or SIZE_MAX, for ratios to those of the same context. They are added to *total, which may be
 * null. */
void door_tell(struct door *door, size_t runner, const size_t callers[DOOR_CALLER_COUNT],
               const struct door_work *work, struct total *total);
void door_summarize(struct door *door, size_t runner);

#endif
