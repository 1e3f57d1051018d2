/* Replays real motion as whole pictures: by the dsp door in decoding order, by the dispatch door
 * as one dispatch a kernel, puts before averages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dispatch.h"
#include "replay.h"

#define MAX_RUNNERS (BENCH_MAX_LAYERS + 2 + 4 * BENCH_MAX_DEVICES)
#define MAX_TRACES  64
#define QUICK_TRACE "city1080-x264.qtrace"

/* A way to predict a picture. */
struct runner {
    char name[80];
    const char *door, *where; /* for the JSON: "dsp" or "dispatch"; "plain" or "buffers" */
    const struct qpel_dsp *dsp;
    struct qpel_context *context; /* dispatch */
    enum qpel_backend backend;
    struct memory *memory;
    uint8_t *const *copy;
    bool gave_up; /* failed once: not tried again */

    const struct replay *replay;
    char why[BENCH_LINE_SIZE];

    /* 1080p pictures so far, for the summary. */
    double wall, gpu, cpu;
    unsigned pictures;
};

struct runners {
    size_t count;
    struct runner runner[MAX_RUNNERS];
    struct memory plain, near_cpu[BENCH_MAX_DEVICES], near_gpu[BENCH_MAX_DEVICES];
    uint8_t *copy; /* of a dst, to look at */
};

static struct runner *add(struct runners *r, const char *door, struct memory *memory)
{
    struct runner *runner = &r->runner[r->count++];

    *runner = (struct runner){ .door = door, .memory = memory };
    runner->copy = &r->copy;
    runner->where = memory == &r->plain ? "plain" : "buffers";
    return runner;
}

static void add_dsp(struct runners *r, const struct qpel_dsp *dsp, const char *name)
{
    struct runner *runner = add(r, "dsp", &r->plain);

    runner->dsp = dsp;
    snprintf(runner->name, sizeof runner->name, "%s", name);
}

static void add_dispatch(struct runners *r, struct qpel_context *context, enum qpel_backend backend,
                         struct memory *memory, const char *device, const char *name)
{
    struct runner *runner = add(r, "dispatch", memory);

    runner->context = context;
    runner->backend = backend;
    snprintf(runner->name, sizeof runner->name, "%.40s, %.36s", device, name);
}

static void list_runners(struct bench *b, struct runners *r)
{
    r->count = 0;
    for (size_t i = 0; i < b->layer_count; i++)
        add_dsp(r, &b->layers[i].dsp, b->layers[i].name);
    if (b->ffmpeg)
        add_dsp(r, &b->ffmpeg_asm, "FFmpeg's own");
    if (b->options.backend != QPEL_BACKEND_GPU)
        add_dispatch(r, b->cpu, QPEL_BACKEND_CPU, &r->plain, bench_best(b)->name, "dispatched");
    for (size_t i = 0; i < b->device_count; i++) {
        struct qpel_context *context = b->devices[i].context;
        const char *device = b->devices[i].info.name;

        add_dispatch(r, context, QPEL_BACKEND_GPU, &r->near_cpu[i], device,
                     b->devices[i].own_memory ? "buffers near the CPU" : "buffers");
        if (b->devices[i].own_memory)
            add_dispatch(r, context, QPEL_BACKEND_GPU, &r->near_gpu[i], device,
                         "buffers near the GPU");
        if (b->options.plain)
            add_dispatch(r, context, QPEL_BACKEND_GPU, &r->plain, device, "plain memory");
        if (b->options.backend != QPEL_BACKEND_GPU && !b->options.quick)
            add_dispatch(r, context, QPEL_BACKEND_CPU, &r->near_cpu[i], bench_best(b)->name,
                         "dispatched on the GPU's buffers");
    }
}

static bool run(void *user, size_t repeats, double *gpu_seconds)
{
    struct runner *r = user;
    const struct replay *replay = r->replay;
    struct qpel_dispatch_params params = {
        .backend = r->backend,
        .src.stride = replay->stride,
        .dst.stride = replay->stride,
    };

    memory_planes(r->memory, &params);
    for (size_t i = 0; i < repeats; i++) {
        if (r->dsp) {
            replay_run(replay, r->dsp, r->memory->dst, r->memory->src);
            continue;
        }
        for (size_t g = 0; g < replay->group_count; g++) {
            const struct replay_group *group = &replay->groups[g];

            params.operation = group->operation;
            params.size = group->size;
            params.position = group->position;
            params.blocks = replay->blocks + group->first;
            params.count = group->count;
            if (!checked_dispatch(r->context, &params, gpu_seconds, r->why))
                return false;
        }
    }
    return true;
}

/* From a cleared picture to the expected bytes. */
static bool prove(struct runner *r)
{
    double gpu = 0;

    snprintf(r->why, sizeof r->why, "no access to a buffer");
    if (!memory_write_dst(r->memory, NULL) || !run(r, 1, &gpu) ||
        !memory_read_dst(r->memory, *r->copy))
        return false;
    if (replay_exact(r->replay, *r->copy))
        return true;
    snprintf(r->why, sizeof r->why, "wrong bytes");
    return false;
}

/* Without golden hashes the first to run is the measure: FFmpeg's C where it is there, else ours.
 */
static void expect(const struct bench *b, struct replay *replay, struct memory *plain)
{
    const struct qpel_dsp *dsp = b->ffmpeg ? &b->ffmpeg_c : &b->layers[0].dsp;

    if (replay->golden)
        return;
    memset(plain->dst, 0, plain->dst_size);
    replay_run(replay, dsp, plain->dst, plain->src);
    replay_hash(replay, plain->dst, &replay->expected_dst, &replay->expected_tmp);
}

static bool create_memory(struct bench *b, struct runners *r, const struct replay *replay)
{
    const size_t src_size = replay->src_size, dst_size = replay->dst_size;

    r->copy = bench_memory(dst_size);
    if (!r->copy || !memory_create(&r->plain, NULL, QPEL_NEAR_CPU, src_size, dst_size))
        return false;
    replay_fill(replay, r->plain.src);
    for (size_t i = 0; i < b->device_count; i++) {
        struct qpel_context *context = b->devices[i].context;
        struct memory *cpu = &r->near_cpu[i], *gpu = &r->near_gpu[i];

        if (!memory_create(cpu, context, QPEL_NEAR_CPU, src_size, dst_size) ||
            !memory_write_src(cpu, r->plain.src))
            return false;
        if (b->devices[i].own_memory &&
            (!memory_create(gpu, context, QPEL_NEAR_GPU, src_size, dst_size) ||
             !memory_write_src(gpu, r->plain.src)))
            return false;
    }
    return true;
}

static void destroy_memory(struct bench *b, struct runners *r)
{
    memory_destroy(&r->plain);
    for (size_t i = 0; i < b->device_count; i++) {
        memory_destroy(&r->near_cpu[i]);
        memory_destroy(&r->near_gpu[i]);
    }
    free(r->copy);
    r->copy = NULL;
}

static void tell(struct bench *b, struct runner *r, const struct measure_case *c, bool full_hd)
{
    printf("    %-52s %8.3f ms (%.3f..%.3f), CPU time %.3f", r->name, c->wall.median * 1e3,
           c->wall.q1 * 1e3, c->wall.q3 * 1e3, c->cpu.median * 1e3);
    if (c->gpu.median > 0)
        printf(", GPU time %.3f", c->gpu.median * 1e3);
    printf("\n");
    if (r->dsp && c->wall.median > BENCH_BUSY * c->cpu.median)
        b->busy = true;
    if (full_hd) {
        r->wall += c->wall.median;
        r->cpu += c->cpu.median;
        r->gpu += c->gpu.median;
        r->pictures++;
    }
    json_object(&b->json, NULL);
    json_string(&b->json, "name", r->name);
    json_string(&b->json, "door", r->door);
    json_string(&b->json, "memory", r->where);
    json_string(&b->json, "backend", r->dsp ? "cpu" : qpel_backend_name(r->backend));
    json_bool(&b->json, "exact", true);
    bench_json_case(&b->json, c);
    json_end_object(&b->json);
}

static void picture(struct bench *b, struct runners *r, const struct trace *trace,
                    const struct trace_picture *p, struct replay *replay)
{
    const struct measure_plan plan = { b->options.quick ? 9 : 21, 2e-3,
                                       b->options.quick ? 0.2 : 1 };
    struct measure_case cases[MAX_RUNNERS];
    size_t proven = 0;

    expect(b, replay, &r->plain);
    printf("  %s, picture %u %c: %zu calls, %zu kernels, stride %td; %s\n", trace->name, p->index,
           p->type, p->count, replay->group_count, replay->stride,
           replay->golden ? "golden bytes"
           : b->ffmpeg    ? "bytes of FFmpeg's C"
                          : "bytes of our C");
    for (size_t i = 0; i < r->count; i++) {
        struct runner *runner = &r->runner[i];

        runner->replay = replay;
        if (runner->gave_up)
            continue;
        bench_progress(b, "%s, picture %u: proving %s", trace->name, p->index, runner->name);
        if (prove(runner)) {
            cases[proven++] = (struct measure_case){ .run = run, .user = runner };
            continue;
        }
        runner->gave_up = true;
        bench_progress(b, NULL);
        bench_fail(b, "%s, picture %u, %.60s: %.100s", trace->name, p->index, runner->name,
                   runner->why);
    }
    bench_progress(b, "%s, picture %u: timing", trace->name, p->index);
    const bool ok = measure(cases, proven, &plan);
    bench_progress(b, NULL);
    if (!ok) {
        bench_fail(b, "%s, picture %u: a proven run failed when repeated", trace->name, p->index);
        return;
    }
    json_object(&b->json, NULL);
    json_string(&b->json, "trace", trace->name);
    json_number(&b->json, "picture", p->index);
    json_string(&b->json, "type", (char[]){ p->type, 0 });
    json_number(&b->json, "width", trace->width);
    json_number(&b->json, "height", trace->height);
    json_number(&b->json, "stride", (double)replay->stride);
    json_number(&b->json, "calls", (double)p->count);
    json_number(&b->json, "dispatches", (double)replay->group_count);
    json_bool(&b->json, "golden", replay->golden);
    json_array(&b->json, "runners");
    for (size_t i = 0; i < proven; i++)
        tell(b, cases[i].user, &cases[i], trace->width == 1920);
    json_end_array(&b->json);
    json_end_object(&b->json);
}

static void replay_trace(struct bench *b, struct runners *r, const struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        struct replay replay;

        if (b->options.stride && b->options.stride < trace->width + 2 * REPLAY_BORDER) {
            printf("  %s is wider than the stride: left out\n", trace->name);
            return;
        }
        if (!replay_prepare(&replay, trace, &trace->pictures[i], b->options.stride)) {
            bench_fail(b, "%s: out of memory", trace->name);
            return;
        }
        if (create_memory(b, r, &replay))
            picture(b, r, trace, &trace->pictures[i], &replay);
        else
            bench_fail(b, "%s: out of memory", trace->name);
        destroy_memory(b, r);
        replay_free(&replay);
    }
}

static void replay_traces(struct bench *b, struct runners *r)
{
    struct trace_path *paths = malloc(MAX_TRACES * sizeof(*paths));
    size_t count = 0;

    if (paths)
        count =
            trace_find(b->options.data, b->options.quick ? QUICK_TRACE : NULL, paths, MAX_TRACES);
    if (!count)
        bench_fail(b, "pictures: no traces in %.180s/traces", b->options.data);
    for (size_t i = 0; i < count; i++) {
        char error[TRACE_ERROR_SIZE];
        struct trace trace;

        if (!trace_load_both(&trace, paths[i].path, error)) {
            bench_fail(b, "%.120s: %s", paths[i].path, error);
            continue;
        }
        replay_trace(b, r, &trace);
        trace_free(&trace);
    }
    free(paths);
}

void bench_pictures(struct bench *b)
{
    struct runners *r = calloc(1, sizeof(*r));

    if (!r) {
        bench_fail(b, "pictures: out of memory");
        return;
    }
    list_runners(b, r);
    printf("\npictures: real motion on synthetic references, each picture first proven, then timed "
           "by turns\n  (a layer's name alone: the dsp door, in decoding order; dispatched: one "
           "call a kernel, checks included)\n");
    json_array(&b->json, "pictures");
    replay_traces(b, r);
    replay_trace(b, r, &b->clip);
    json_end_array(&b->json);
    for (size_t i = 0; i < r->count; i++) {
        const struct runner *one = &r->runner[i];
        char gpu[40] = "";

        if (one->gave_up || !one->pictures)
            continue;
        if (one->gpu > 0)
            snprintf(gpu, sizeof gpu, ", GPU time %.3f", one->gpu * 1e3 / one->pictures);
        bench_summary(b, "pictures   %-52s %7.3f ms a 1080p picture (mean of %u), CPU time %.3f%s",
                      one->name, one->wall * 1e3 / one->pictures, one->pictures,
                      one->cpu * 1e3 / one->pictures, gpu);
    }
    free(r);
}
