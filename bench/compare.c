/* Each of the 96 functions, and real pictures, against FFmpeg's assembly and FFmpeg's C: in one
 * process, by turns, in many short rounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "positions.h"
#include "replay.h"

#define DEFAULT_STRIDE 1984 /* a 1080p picture with its border */
#define ENTRIES        (QPEL_OPERATION_COUNT * QPEL_SIZE_COUNT * QPEL_POSITION_COUNT)
#define MAX_RIVALS     (BENCH_MAX_LAYERS + 2)
#define MAX_TRACES     64
#define ROUNDS         101
#define QUICK_ROUNDS   21

/* Ours by layer, then FFmpeg's two. */
struct rivals {
    size_t count, assembly, c; /* the indices of FFmpeg's */
    const char *name[MAX_RIVALS];
    const struct qpel_dsp *dsp[MAX_RIVALS];
};

struct entry {
    enum qpel_operation operation;
    enum qpel_size size;
    int position;
    /* FFmpeg's time over each layer's: medians over rounds of the ratio within a round. */
    double over_assembly[BENCH_MAX_LAYERS], over_c[BENCH_MAX_LAYERS];
};

/* The working set: blocks 64 columns and 48 rows apart, sources some samples off. */
enum { BLOCKS_A_ROW = 16, COLUMNS = 64, ROWS = 48, BORDER = 32 };

struct work {
    size_t count;
    ptrdiff_t stride;
    size_t size; /* of a plane */
    uint8_t *src, *dst, *before, *expected;
    struct qpel_block *blocks;
};

struct job {
    const struct work *work;
    qpel_mc_fn *fn;
};

static bool run_blocks(void *user, size_t repeats, double *gpu_seconds)
{
    const struct job *job = user;
    const struct work *w = job->work;
    qpel_mc_fn *const fn = job->fn;

    (void)gpu_seconds;
    while (repeats--)
        for (size_t i = 0; i < w->count; i++)
            fn(w->dst + w->blocks[i].dst, w->src + w->blocks[i].src, w->stride);
    return true;
}

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

/* Noise with runs of extremes, so that sums reach their limits. */
static void fill(uint8_t *samples, size_t count, uint32_t *state)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t v = random_next(state);

        samples[i] = v & 0x300 ? (uint8_t)v : v & 0x400 ? 255 : 0;
    }
}

static bool work_create(struct work *w, const struct bench *b)
{
    const size_t rows = (b->options.blocks + BLOCKS_A_ROW - 1) / BLOCKS_A_ROW;
    uint32_t state = 1;

    *w = (struct work){ .count = b->options.blocks };
    w->stride = b->options.stride ? b->options.stride : DEFAULT_STRIDE;
    w->size = (size_t)w->stride * (rows * ROWS + 2 * BORDER);
    w->src = bench_memory(w->size);
    w->dst = bench_memory(w->size);
    w->before = bench_memory(w->size);
    w->expected = bench_memory(w->size);
    w->blocks = malloc(w->count * sizeof(*w->blocks));
    if (!w->src || !w->dst || !w->before || !w->expected || !w->blocks)
        return false;
    fill(w->src, w->size, &state);
    fill(w->before, w->size, &state);
    for (size_t i = 0; i < w->count; i++) {
        const size_t x = BORDER + i % BLOCKS_A_ROW * COLUMNS, y = BORDER + i / BLOCKS_A_ROW * ROWS;
        const size_t dx = random_next(&state) % 25, dy = random_next(&state) % 25;

        w->blocks[i] = (struct qpel_block){
            .dst = (uint32_t)(y * (size_t)w->stride + x),
            .src = (uint32_t)((y + dy - 12) * (size_t)w->stride + x + dx - 12),
        };
    }
    return true;
}

static void work_destroy(struct work *w)
{
    free(w->src);
    free(w->dst);
    free(w->before);
    free(w->expected);
    free(w->blocks);
}

static qpel_mc_fn *function(const struct qpel_dsp *dsp, const struct entry *e)
{
    return (e->operation == QPEL_PUT ? dsp->put : dsp->avg)[e->size][e->position];
}

/* All rivals' whole planes equal FFmpeg's C; then their times. */
static bool time_entry(struct bench *b, const struct rivals *rivals, const struct work *w,
                       struct entry *e)
{
    const struct measure_plan plan = { b->options.quick ? QUICK_ROUNDS : ROUNDS, 40e-6, 0 };
    double rounds[MAX_RIVALS][ROUNDS], scratch[ROUNDS];
    struct measure_case cases[MAX_RIVALS];
    struct job jobs[MAX_RIVALS];

    for (size_t k = 0; k < rivals->count; k++) {
        const size_t i = (rivals->c + k) % rivals->count; /* FFmpeg's C first */

        jobs[i] = (struct job){ w, function(rivals->dsp[i], e) };
        cases[i] = (struct measure_case){ run_blocks, &jobs[i], rounds[i], .rounds = 0 };
        memcpy(w->dst, w->before, w->size);
        run_blocks(&jobs[i], 1, NULL);
        if (i == rivals->c) {
            memcpy(w->expected, w->dst, w->size);
        } else if (memcmp(w->dst, w->expected, w->size)) {
            bench_fail(b, "compare: %s %dx%d %s: %s differs from FFmpeg's C",
                       operation_name(e->operation), size_of(e->size), size_of(e->size),
                       qpel_position_names[e->position], rivals->name[i]);
            return false;
        }
    }
    if (!measure(cases, rivals->count, &plan)) {
        bench_fail(b, "compare: out of memory");
        return false;
    }
    json_object(&b->json, NULL);
    json_string(&b->json, "operation", operation_name(e->operation));
    json_number(&b->json, "size", size_of(e->size));
    json_string(&b->json, "position", qpel_position_names[e->position]);
    printf("  %s %2dx%-2d %s ", operation_name(e->operation), size_of(e->size), size_of(e->size),
           qpel_position_names[e->position]);
    for (size_t i = 0; i < rivals->count; i++) {
        const struct measure_stat wall = cases[i].wall;
        const double ns = 1e9 / (double)w->count;

        printf(" %7.1f +-%-4.1f", wall.median * ns, (wall.q3 - wall.q1) / 2 * ns);
        json_object(&b->json, rivals->name[i]);
        bench_json_case(&b->json, &cases[i]);
        json_end_object(&b->json);
    }
    json_end_object(&b->json);
    for (size_t i = 0; i < rivals->assembly; i++) {
        e->over_assembly[i] = measure_ratio(&cases[rivals->assembly], &cases[i], scratch);
        e->over_c[i] = measure_ratio(&cases[rivals->c], &cases[i], scratch);
    }
    printf("  %5.2f %5.2f\n", e->over_assembly[rivals->assembly - 1], e->over_c[0]);
    return true;
}

struct ratios {
    double log_sum, min;
    size_t count;
    const struct entry *worst;
};

static void ratio_add(struct ratios *r, double ratio, const struct entry *e)
{
    if (!r->count || ratio < r->min) {
        r->min = ratio;
        r->worst = e;
    }
    r->log_sum += log(ratio);
    r->count++;
}

static double ratio_mean(const struct ratios *r)
{
    return r->count ? exp(r->log_sum / (double)r->count) : NAN;
}

/* A layer against one of FFmpeg's two, over all entries. */
static void tell_ratios(struct bench *b, const struct rivals *rivals, const struct entry *entries,
                        size_t ours, size_t theirs)
{
    struct ratios all = { 0 }, copies = { 0 }, others = { 0 }, sizes[QPEL_SIZE_COUNT] = { { 0 } };
    const struct entry *worst;

    for (size_t i = 0; i < ENTRIES; i++) {
        const struct entry *e = &entries[i];
        const double ratio = (theirs == rivals->c ? e->over_c : e->over_assembly)[ours];

        ratio_add(&all, ratio, e);
        ratio_add(&sizes[e->size], ratio, e);
        ratio_add(e->position ? &others : &copies, ratio, e);
    }
    worst = others.worst;
    json_object(&b->json, NULL);
    json_string(&b->json, "ours", rivals->name[ours]);
    json_string(&b->json, "theirs", rivals->name[theirs]);
    json_number(&b->json, "all", ratio_mean(&all));
    json_number(&b->json, "16", ratio_mean(&sizes[QPEL_SIZE_16]));
    json_number(&b->json, "8", ratio_mean(&sizes[QPEL_SIZE_8]));
    json_number(&b->json, "4", ratio_mean(&sizes[QPEL_SIZE_4]));
    json_number(&b->json, "copies", ratio_mean(&copies));
    json_number(&b->json, "copies_min", copies.min);
    json_number(&b->json, "others_min", others.min);
    json_end_object(&b->json);
    bench_summary(b,
                  "compare    %s over %s: all 96 %.2fx; 16x16 %.2f, 8x8 %.2f, 4x4 %.2f; copies "
                  "%.2f (least %.2f); least of the others %.2f (%s %dx%d %s)",
                  rivals->name[ours], rivals->name[theirs], ratio_mean(&all),
                  ratio_mean(&sizes[QPEL_SIZE_16]), ratio_mean(&sizes[QPEL_SIZE_8]),
                  ratio_mean(&sizes[QPEL_SIZE_4]), ratio_mean(&copies), copies.min, others.min,
                  operation_name(worst->operation), size_of(worst->size), size_of(worst->size),
                  qpel_position_names[worst->position]);
}

static void compare_entries(struct bench *b, const struct rivals *rivals)
{
    static struct entry entries[ENTRIES];
    struct work work;
    bool ok = work_create(&work, b);

    if (!ok)
        bench_fail(b, "compare: out of memory");
    printf("\ncompare: ns a block, half the quartiles' distance; %zu blocks by turns, stride %td, "
           "call included\n  %-14s",
           work.count, work.stride, "");
    for (size_t i = 0; i < rivals->count; i++)
        printf(" %14s", rivals->name[i]);
    printf("  %s/%s, %s/%s\n", rivals->name[rivals->assembly], rivals->name[rivals->assembly - 1],
           rivals->name[rivals->c], rivals->name[0]);
    json_number(&b->json, "stride", (double)work.stride);
    json_number(&b->json, "blocks", (double)work.count);
    json_array(&b->json, "entries");
    for (size_t i = 0; ok && i < ENTRIES; i++) {
        entries[i] = (struct entry){
            .operation = i / (QPEL_SIZE_COUNT * QPEL_POSITION_COUNT),
            .size = i / QPEL_POSITION_COUNT % QPEL_SIZE_COUNT,
            .position = (int)(i % QPEL_POSITION_COUNT),
        };
        bench_progress(b, NULL);
        ok = time_entry(b, rivals, &work, &entries[i]);
        bench_progress(b, "compare: %zu of %d functions", i + 1, ENTRIES);
    }
    bench_progress(b, NULL);
    json_end_array(&b->json);
    json_array(&b->json, "ratios");
    for (size_t i = 0; ok && i < rivals->assembly; i++) {
        tell_ratios(b, rivals, entries, i, rivals->assembly);
        if (!i)
            tell_ratios(b, rivals, entries, i, rivals->c);
    }
    json_end_array(&b->json);
    work_destroy(&work);
}

struct picture_job {
    const struct replay *replay;
    const struct qpel_dsp *dsp;
    uint8_t *dst;
    const uint8_t *src;
};

static bool run_picture(void *user, size_t repeats, double *gpu_seconds)
{
    const struct picture_job *job = user;

    (void)gpu_seconds;
    while (repeats--)
        replay_run(job->replay, job->dsp, job->dst, job->src);
    return true;
}

/* Adds each rival's time for the picture. False: a failure, told. */
static bool time_picture(struct bench *b, const struct rivals *rivals, const struct replay *replay,
                         const char *name, double *seconds)
{
    const struct measure_plan plan = { b->options.quick ? 7 : 25, 1e-3, 2 };
    struct measure_case cases[MAX_RIVALS];
    struct picture_job jobs[MAX_RIVALS];
    uint8_t *src = bench_memory(replay->src_size), *dst = bench_memory(replay->dst_size);
    bool ok = src && dst;

    if (ok)
        replay_fill(replay, src);
    for (size_t i = 0; ok && i < rivals->count; i++) {
        jobs[i] = (struct picture_job){ replay, rivals->dsp[i], dst, src };
        cases[i] = (struct measure_case){ .run = run_picture, .user = &jobs[i] };
        memset(dst, 0, replay->dst_size);
        run_picture(&jobs[i], 1, NULL);
        if (!replay_exact(replay, dst)) {
            bench_fail(b, "compare: %s: wrong bytes by %s", name, rivals->name[i]);
            free(src);
            free(dst);
            return false;
        }
    }
    ok = ok && measure(cases, rivals->count, &plan);
    if (!ok)
        bench_fail(b, "compare: out of memory");
    for (size_t i = 0; ok && i < rivals->count; i++) {
        /* CPU time: a round lasts long enough for other work to come in between. */
        seconds[i] += cases[i].cpu.median;
        b->busy |= cases[i].wall.median > BENCH_BUSY * cases[i].cpu.median;
    }
    free(src);
    free(dst);
    return ok;
}

static void compare_trace(struct bench *b, const struct rivals *rivals, const struct trace *trace,
                          ptrdiff_t stride)
{
    double seconds[MAX_RIVALS] = { 0 };
    const double ms = 1e3 / (double)trace->count;
    const size_t best = rivals->assembly - 1;
    bool ok = true;

    for (size_t i = 0; ok && i < trace->count; i++) {
        struct replay replay;

        bench_progress(b, "compare: %s, picture %zu of %zu", trace->name, i + 1, trace->count);
        ok = trace->pictures[i].golden &&
             replay_prepare(&replay, trace, &trace->pictures[i], stride);
        if (!ok)
            bench_fail(b, "compare: %s: no golden hash, or out of memory", trace->name);
        else
            ok = time_picture(b, rivals, &replay, trace->name, seconds);
        if (ok)
            replay_free(&replay);
    }
    bench_progress(b, NULL);
    if (!ok)
        return;
    json_object(&b->json, NULL);
    json_string(&b->json, "trace", trace->name);
    json_number(&b->json, "stride", (double)stride);
    printf("  %-22s %4td ", trace->name, stride);
    for (size_t i = 0; i < rivals->count; i++) {
        printf(" %9.3f", seconds[i] * ms);
        json_number(&b->json, rivals->name[i], seconds[i] * ms * 1e-3);
    }
    json_end_object(&b->json);
    printf("  %5.2f %5.2f\n", seconds[rivals->assembly] / seconds[best],
           seconds[rivals->c] / seconds[0]);
    bench_summary(b,
                  "compare    %s, stride %td: CPU ms a picture: %s %.3f, FFmpeg's assembly %.3f: "
                  "%.2fx",
                  trace->name, stride, rivals->name[best], seconds[best] * ms,
                  seconds[rivals->assembly] * ms, seconds[rivals->assembly] / seconds[best]);
}

static ptrdiff_t power_of_two(ptrdiff_t least)
{
    ptrdiff_t power = 1;

    while (power < least)
        power *= 2;
    return power;
}

static void compare_traces(struct bench *b, const struct rivals *rivals)
{
    struct trace_path *paths = malloc(MAX_TRACES * sizeof(*paths));
    const size_t count = paths ? trace_find(b->options.data, NULL, paths, MAX_TRACES) : 0;

    if (!count)
        bench_fail(b, "compare: no traces in %.180s/traces", b->options.data);
    printf("\ncompare: real pictures in decoding order, CPU ms a picture\n  %-22s %4s ", "",
           "stride");
    for (size_t i = 0; i < rivals->count; i++)
        printf(" %9.9s", rivals->name[i]);
    printf("  FFmpeg/ours: assembly, C\n");
    json_array(&b->json, "traces");
    for (size_t i = 0; i < count; i++) {
        char error[TRACE_ERROR_SIZE];
        struct trace trace;

        if (!trace_load_both(&trace, paths[i].path, error)) {
            bench_fail(b, "%.120s: %s", paths[i].path, error);
            continue;
        }
        /* Small pictures lie in the first cache whole: no picture that needs speed. */
        if (trace.width >= 640 && (!b->options.quick || trace.width == 1920)) {
            const ptrdiff_t stride = replay_stride(trace.width);

            compare_trace(b, rivals, &trace, stride);
            compare_trace(b, rivals, &trace, power_of_two(stride));
        }
        trace_free(&trace);
    }
    json_end_array(&b->json);
    free(paths);
}

void bench_compare(struct bench *b)
{
    struct rivals rivals = { .count = 0 };

    for (; rivals.count < b->layer_count; rivals.count++) {
        rivals.name[rivals.count] = b->layers[rivals.count].name;
        rivals.dsp[rivals.count] = &b->layers[rivals.count].dsp;
    }
    rivals.assembly = rivals.count++;
    rivals.c = rivals.count++;
    rivals.name[rivals.assembly] = "FFmpeg-asm";
    rivals.dsp[rivals.assembly] = &b->ffmpeg_asm;
    rivals.name[rivals.c] = "FFmpeg-C";
    rivals.dsp[rivals.c] = &b->ffmpeg_c;
    json_object(&b->json, "compare");
    compare_entries(b, &rivals);
    compare_traces(b, &rivals);
    json_end_object(&b->json);
}
