/* What the benchmark's parts share: the options, who is measured, and where results go. */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include <qpel/qpel.h>

#include "json.h"
#include "measure.h"
#include "trace.h"

#define BENCH_MAX_LAYERS  8
#define BENCH_MAX_DEVICES 8
#define BENCH_MAX_SUMMARY 64
#define BENCH_LINE_SIZE   240
#define BENCH_BUSY        1.15 /* wall over CPU time */

struct bench_options {
    bool decode, pictures, kernels, compare, door; /* the sections to run */
    bool quick, plain, progress;
    enum qpel_backend backend; /* AUTO: both, and a missing GPU is no failure */
    const char *device;        /* null: as the library chooses */
    const char *stream;        /* null: those of the test data */
    const char *data;          /* the test data's directory */
    ptrdiff_t stride;          /* 0: each picture's own */
    unsigned blocks;           /* of --compare's working set */
};

/* A layer of CPU kernels. */
struct bench_layer {
    const char *name;
    unsigned mask;
    struct qpel_dsp dsp;
};

/* A Vulkan device, opened. */
struct bench_device {
    struct qpel_context *context;
    struct qpel_device info;
    bool own_memory; /* apart from the CPU's: enum qpel_near makes a difference */
};

struct bench {
    struct bench_options options;
    size_t layer_count; /* weakest first, C */
    struct bench_layer layers[BENCH_MAX_LAYERS];
    struct qpel_context *cpu; /* a context without GPU */
    size_t device_count;
    struct bench_device devices[BENCH_MAX_DEVICES];
    char no_device[QPEL_REASON_SIZE]; /* why there is none */
    bool ffmpeg;                      /* FFmpeg's own functions are there: */
    struct qpel_dsp ffmpeg_asm, ffmpeg_c;
    struct trace clip; /* the motion of the clip that was decoded */
    struct json json;
    unsigned failures;
    bool busy; /* wall times of CPU code were well over its CPU time: something else ran */
    size_t summary_count;
    char summary[BENCH_MAX_SUMMARY][BENCH_LINE_SIZE];
};

/* The sections. Each prints, writes its part of the JSON, and counts its failures. */
void bench_decode(struct bench *bench);
void bench_pictures(struct bench *bench);
void bench_kernels(struct bench *bench);
void bench_compare(struct bench *bench);
void bench_door(struct bench *bench);

/* report.c */

/* Prints and counts a failure. */
void bench_fail(struct bench *bench, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A line for the end. */
void bench_summary(struct bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* A passing line on stderr; null clears it. */
void bench_progress(const struct bench *bench, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Machine, compiler, versions: the head of the report. */
void bench_head(struct bench *bench);
/* Median, quartiles and so on, in seconds. */
void bench_json_stat(struct json *json, const char *key, struct measure_stat stat);
void bench_json_case(struct json *json, const struct measure_case *c);

/* targets.c */

/* Finds layers, devices and FFmpeg's functions. False: nothing can be measured. */
bool bench_open_targets(struct bench *bench);
void bench_close_targets(struct bench *bench);
/* The fastest layer. */
const struct bench_layer *bench_best(const struct bench *bench);
/* Memory at a multiple of 64, zeroed; null: none left. For free(). */
void *bench_memory(size_t size);

#endif
