/* Records a decoder's luma predictions as a trace. */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include "ffmpeg.h"
#include "trace.h"

struct recorder;

/* Null: out of memory. */
struct recorder *recorder_create(void);
void recorder_destroy(struct recorder *recorder);

/* Memory of a picture that is about to be decoded. */
struct recorder_planes {
    const uint8_t *data[3]; /* null: none */
    ptrdiff_t stride[3];
    int rows[3];
    int width, height; /* coded */
};
void recorder_picture(struct recorder *recorder, const struct recorder_planes *planes);

/* An ffmpeg_call_fn; user is the recorder. */
void recorder_call(void *user, enum qpel_operation operation, enum qpel_size size, int position,
                   uint8_t *dst, const uint8_t *src, ptrdiff_t stride,
                   const struct ffmpeg_edge *edge);

struct recorder_result {
    size_t calls;    /* all that were seen */
    size_t pictures; /* that have calls */
    size_t fields;   /* of these, left out for their field rows */
    size_t unknown;  /* left out because a call could not be placed, or of another size */
};

/* Ends the recording: moves up to `most` pictures, evenly picked, to *trace. False: out of memory.
 */
bool recorder_finish(struct recorder *recorder, size_t most, struct trace *trace,
                     struct recorder_result *result);

#endif
