/* The picture door: works, which are pictures to predict; runners, which predict them. */
#ifndef BENCH_DOOR_H
#define BENCH_DOOR_H

#include "bench.h"
#include "replay.h"

enum { DOOR_SLOTS = 16, DOOR_COMPONENTS = 3 };

/* ---- works: door_work.c ---- */

struct door_list {
    struct qpel_picture_block *blocks;
    size_t count;
};

/* How a work is put through the door. */
enum door_form {
    DOOR_CALLED, /* luma, the very calls of a trace: the second list of weighted blocks goes to a
                  * picture of its own. Its bytes are the trace's golden ones */
    DOOR_LUMA,   /* 4:0:0; and as a decoder would: those lists are one weighted block's */
    DOOR_NV12,   /* 4:2:0, chroma interleaved */
    DOOR_PLANAR, /* 4:2:0, chroma in two planes */
    DOOR_FORM_COUNT
};

struct door_work {
    char name[80];
    char type; /* 'P' or 'B' */
    int width, height;
    unsigned slots;             /* of references */
    struct door_list called[2]; /* the picture, and what lies beside it; empty: was not called */
    struct door_list whole;     /* the same as one picture; weight 1 is door_weight's */
    uint64_t golden[2];         /* the hashes of `called` */
    bool centre;                /* all of it is mc22, and no window leaves its reference */
};

/* Of the few blocks that a trace shows as weighted, without their weights: two implicit ones. */
extern const struct qpel_weight door_weight;

/* A picture of a trace. False: no memory, or a call that is no block. */
bool door_work_trace(struct door_work *work, const struct trace *trace,
                     const struct trace_picture *picture);

/* Pictures full of 8x8 blocks, motion of up to 16 samples. */
enum door_drawn {
    DOOR_CENTRE, /* all mc22, no window leaves its reference */
    DOOR_MIXED,  /* all positions */
    DOOR_BI,     /* all positions, two references each */
    DOOR_ONE     /* just one block */
};
bool door_work_draw(struct door_work *work, int width, int height, enum door_drawn drawn);

void door_work_free(struct door_work *work);

/* The blocks of a form's batches, one or two. */
unsigned door_work_lists(const struct door_work *work, enum door_form form,
                         const struct door_list *lists[2]);

/* ---- samples: door_images.c ---- */

/* Planar 4:2:0, without gaps. */
struct door_image {
    int width, height;
    uint8_t *component[DOOR_COMPONENTS]; /* of one allocation that starts with Y */
};

struct door_images {
    int width, height;
    struct door_image reference[DOOR_SLOTS]; /* those filled so far */
    struct door_image expected;              /* the work's picture */
};

/* References for a work, of the traces' synthetic samples; those that are there stay. */
bool door_images_fill(struct door_images *images, const struct door_work *work);
/* What a work comes to, by the tests' oracle; all of a large picture by the CPU's kernels, which
 * that oracle has judged on others. */
bool door_images_expect(struct door_images *images, const struct door_work *work,
                        struct qpel_context *cpu);
void door_images_free(struct door_images *images);

/* An image into and out of a picture of the library's. `image` of 4:0:0: Y alone. Null: zeros. */
bool door_picture_write(struct qpel_picture *picture, const struct door_image *image);
/* Whether it has the same samples in every plane that it has. */
bool door_picture_equal(struct qpel_picture *picture, const struct door_image *image);
/* The hash of Y (64-bit FNV-1a, row by row). */
bool door_picture_hash(struct qpel_picture *picture, uint64_t *hash);

/* ---- a decoder on the dsp door: door_decoder.c ---- */

/* Pictures of one kind; null: there is none. They outlive the decoder. Null: no memory. */
struct door_decoder *door_decoder_open(const struct qpel_dsp *dsp,
                                       struct qpel_picture *const targets[2],
                                       struct qpel_picture *const references[DOOR_SLOTS]);
void door_decoder_close(struct door_decoder *decoder);

/* Predicts the luma of square blocks without weights into targets[target]. */
void door_decoder_run(const struct door_decoder *decoder, const struct door_list *list,
                      unsigned target);

/* ---- runners: door_run.c ---- */

/* How a runner has a work predicted. */
enum door_caller {
    DOOR_BATCH,   /* through the picture door */
    DOOR_DECODER, /* as a decoder does block by block through the dsp door: door_decoder.c */
    DOOR_REPLAY,  /* the dsp door's bare calls: places and functions are known, and references have
                   * a border, so that no window leaves them: replay.h */
    DOOR_CALLER_COUNT
};

/* Seconds of the parts of one picture. */
enum door_phase {
    DOOR_ADD,    /* the thread's CPU time: room, blocks copied into it, commit */
    DOOR_SUBMIT, /* the thread's CPU time in qpel_submit(); on the CPU that is all the work */
    DOOR_DONE,   /* wall, from the call of qpel_submit() to the end of qpel_wait() */
    DOOR_QUEUE,  /* wall, from vkQueueSubmit() to the end of qpel_wait(); 0: not on a device */
    DOOR_TOTAL,  /* wall, from qpel_batch_begin() to the end of qpel_wait() */
    DOOR_CPU,    /* the thread's CPU time of that */
    DOOR_GPU,    /* the device's clock, in rounds of their own; 0: it has none */
    DOOR_PHASE_COUNT
};
extern const char *const door_phase_names[DOOR_PHASE_COUNT];

struct door_device;

struct door_runner {
    char name[80];
    struct qpel_context *context;
    enum qpel_backend backend;
    enum qpel_near near;
    enum door_form form;
    bool timed;                 /* by the device's clock, which may slow it down */
    struct door_device *device; /* null: the CPU */
    enum door_caller caller;
    const struct qpel_dsp *dsp; /* of callers that use it */

    struct qpel_picture *target[2], *reference[DOOR_SLOTS];
    struct qpel_batch *batch[2];
    struct door_decoder *decoder;
    struct replay replay;
    uint8_t *src, *dst;
    bool gave_up;
    char why[BENCH_LINE_SIZE];
};

/* Makes what is needed for a work and is not there yet. */
bool door_runner_open(struct door_runner *runner, const struct door_work *work,
                      const struct door_images *images, const struct trace *trace,
                      const struct trace_picture *picture);
void door_runner_close(struct door_runner *runner);

/* From zeros to the expected bytes; false: `why`. */
bool door_prove(struct door_runner *runner, const struct door_work *work,
                const struct door_images *images);
/* Once; adds nothing, sets the phases. */
bool door_cycle(struct door_runner *runner, const struct door_work *work,
                double phases[DOOR_PHASE_COUNT]);

/* ---- a device from below: door_device.c, door_copy.c, door_baseline.c ---- */

/* Null: `why`. */
struct door_device *door_device_open(struct qpel_context *context, char why[BENCH_LINE_SIZE]);
void door_device_close(struct door_device *device);

/* Before whatever is timed: keeps a discrete GPU busy for a while. Idle ones lower their clock, some
 * to a sixth, and take seconds to raise it. */
bool door_device_rouse(struct door_device *device);

/* measure_now() at the library's last vkQueueSubmit(). */
double door_device_queued_at(const struct door_device *device);

/* vkCmdCopyBuffer between two buffers in the device's own memory: by its clock, or where it has
 * none, or that tells nothing, from submission to wait. */
bool door_device_copy(struct door_device *device, size_t bytes, unsigned rounds,
                      struct measure_stat *seconds, char why[BENCH_LINE_SIZE]);

/* Luma of a work that is all mc22 by a lane a sample and a load a byte; seconds as above, and from
 * submission to wait. */
bool door_device_baseline(struct door_device *device, const struct door_work *work,
                          const struct door_images *images, unsigned rounds,
                          struct measure_stat *gpu, struct measure_stat *wall,
                          char why[BENCH_LINE_SIZE]);

#endif
