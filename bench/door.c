/* The picture door's section: works in turn, each proven on all runners and then timed by turns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door_section.h"

enum { MAX_TRACES = 64 };
#define QUICK_TRACE "city1080-x264.qtrace"
/* Its pictures are small: for tests. */
#define TINY_SAMPLES (320 * 240)
/* Of more samples only luma is predicted, on real devices and the best layer. */
#define HUGE_SAMPLES (1 << 22)

/* ---- runners ---- */

static struct door_runner *add(struct door *d, struct qpel_context *context,
                               enum qpel_backend backend, enum door_form form)
{
    struct door_runner *r = &d->runners[d->runner_count++];

    *r = (struct door_runner){ .context = context, .backend = backend, .form = form };
    return r;
}

static bool add_layer(struct door *d, size_t index)
{
    const struct bench_layer *layer = &d->b->layers[index];
    const struct qpel_context_params params = {
        .backend = QPEL_BACKEND_CPU,
        .cpu_hidden = ~layer->mask,
    };
    struct door_runner *r;

    if (qpel_context_create(&d->layers[index], &params))
        return false;
    for (int caller = DOOR_DECODER; caller < DOOR_CALLER_COUNT; caller++) {
        r = add(d, d->layers[index], QPEL_BACKEND_CPU, DOOR_CALLED);
        r->caller = (enum door_caller)caller;
        r->dsp = &layer->dsp;
        snprintf(r->name, sizeof r->name, "%.20s, %s", layer->name, door_caller_names[caller]);
    }
    for (int form = 0; form < DOOR_FORM_COUNT; form++) {
        r = add(d, d->layers[index], QPEL_BACKEND_CPU, (enum door_form)form);
        snprintf(r->name, sizeof r->name, "%.20s, %s", layer->name, door_form_names[form]);
    }
    return true;
}

static void add_device(struct door *d, size_t index)
{
    struct bench_device *device = &d->b->devices[index];
    char why[BENCH_LINE_SIZE];

    d->devices[index] = door_device_open(device->context, why);
    if (!d->devices[index]) {
        bench_fail(d->b, "%.80s from below: %.100s", device->info.name, why);
        return;
    }
    for (int near = QPEL_NEAR_CPU; near <= (device->own_memory ? QPEL_NEAR_GPU : QPEL_NEAR_CPU);
         near++)
        for (int form = 0; form < DOOR_FORM_COUNT; form++) {
            struct door_runner *r = add(d, device->context, QPEL_BACKEND_GPU, (enum door_form)form);

            r->near = (enum qpel_near)near;
            r->device = d->devices[index];
            d->device_of[r - d->runners] = (unsigned)index;
            snprintf(r->name, sizeof r->name, "%.36s%s, %s", device->info.name,
                     !device->own_memory     ? ""
                     : near == QPEL_NEAR_CPU ? ", near the CPU"
                                             : ", near the GPU",
                     door_form_names[form]);
        }
}

static bool open_door(struct door *d)
{
    struct bench *b = d->b;
    const bool all = !b->options.quick && b->options.backend != QPEL_BACKEND_GPU;

    for (size_t i = all ? 0 : b->layer_count - 1; i < b->layer_count; i++)
        if (!add_layer(d, i))
            return false;
    for (size_t i = 0; i < b->device_count; i++)
        add_device(d, i);
    d->rounds = b->options.quick ? 7 : 15;
    d->figures = malloc(d->runner_count * DOOR_PHASE_COUNT * d->rounds * sizeof(*d->figures));
    d->scratch = malloc(d->rounds * sizeof(*d->scratch));
    return d->figures && d->scratch;
}

static void end_geometry(struct door *d)
{
    for (size_t i = 0; i < d->runner_count; i++)
        door_runner_close(&d->runners[i]);
    door_images_free(&d->images);
    memset(d->copy, 0, sizeof d->copy);
}

static void close_door(struct door *d)
{
    end_geometry(d);
    for (size_t i = 0; i < d->b->device_count; i++)
        door_device_close(d->devices[i]);
    for (size_t i = 0; i < d->b->layer_count; i++)
        qpel_context_destroy(&d->layers[i]);
    free(d->figures);
    free(d->scratch);
    free(d);
}

/* ---- timing ---- */

static bool round_of(struct door *d, const struct door_work *work, size_t runner, unsigned round,
                     bool timed)
{
    struct door_runner *r = &d->runners[runner];
    double phases[DOOR_PHASE_COUNT];

    r->timed = timed;
    /* And once in vain: rousing leaves another device's context in the GPU. */
    bool ok = !r->device || (door_device_rouse(r->device) && door_cycle(r, work, phases));
    ok = ok && door_cycle(r, work, phases);
    for (int p = 0; ok && p < DOOR_PHASE_COUNT; p++)
        if ((p == DOOR_GPU) == timed)
            figures_of(d, runner, (enum door_phase)p)[round] = phases[p];
    return ok;
}

/* Of those that were proven: every round all of them, every other one backwards; and once more on
 * devices, by their clock, which may slow them down. */
static bool time_all(struct door *d, const struct door_work *work, const size_t *proven,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!round_of(d, work, proven[i], 0, false)) /* warm */
            return false;
    for (unsigned round = 0; round < d->rounds; round++)
        for (size_t i = 0; i < count; i++) {
            const size_t at = proven[round & 1 ? count - 1 - i : i];

            figures_of(d, at, DOOR_GPU)[round] = 0;
            if (!round_of(d, work, at, round, false) ||
                (d->runners[at].device && !round_of(d, work, at, round, true)))
                return false;
        }
    return true;
}

static void measure_copies(struct door *d, const struct door_work *work, unsigned device)
{
    const size_t luma = (size_t)work->width * (size_t)work->height;
    const bool huge = luma > HUGE_SAMPLES;
    struct measure_stat stat;
    char why[BENCH_LINE_SIZE];

    for (int chroma = 0; chroma < (huge ? 1 : 2) && !d->copy[device][chroma]; chroma++) {
        if (door_device_copy(d->devices[device], chroma ? luma + luma / 2 : luma, 15, &stat, why)) {
            d->copy[device][chroma] = stat.median;
        } else {
            bench_fail(d->b, "%.80s: %.100s", d->b->devices[device].info.name, why);
            return;
        }
    }
}

/* ---- works ---- */

static bool takes(const struct door *d, size_t runner, const struct door_work *work)
{
    const struct door_runner *r = &d->runners[runner];
    const bool huge = work->width * work->height > HUGE_SAMPLES;

    if (r->gave_up || (r->form == DOOR_CALLED && !work->called[0].count))
        return false;
    if (huge && r->device)
        return r->form == DOOR_LUMA &&
               d->b->devices[d->device_of[runner]].info.kind != QPEL_DEVICE_SOFTWARE;
    return !huge || (r->form == DOOR_LUMA && r->context == d->layers[d->b->layer_count - 1]);
}

static size_t prove_all(struct door *d, const struct door_work *work, const struct trace *trace,
                        const struct trace_picture *picture, size_t *proven)
{
    size_t count = 0;

    for (size_t i = 0; i < d->runner_count; i++) {
        struct door_runner *r = &d->runners[i];

        if (!takes(d, i, work))
            continue;
        bench_progress(d->b, "%s: proving %s", work->name, r->name);
        if (door_runner_open(r, work, &d->images, trace, picture) &&
            door_prove(r, work, &d->images)) {
            /* On a device, proven by golden bytes, too; but a decoder's form is what counts. */
            if (!r->device || r->form != DOOR_CALLED)
                proven[count++] = i;
            continue;
        }
        r->gave_up = true;
        bench_progress(d->b, NULL);
        bench_fail(d->b, "%s, %.60s: %.120s", work->name, r->name, r->why);
    }
    return count;
}

/* What the baseline takes for a work that was just timed, and ours beside it. */
static void run_baseline(struct door *d, const struct door_work *work)
{
    for (size_t i = 0; i < d->runner_count; i++) {
        struct door_runner *r = &d->runners[i];
        struct measure_stat gpu, wall, ours_gpu, ours_wall;
        char why[BENCH_LINE_SIZE];

        if (!r->device || r->gave_up || r->form != DOOR_LUMA)
            continue;
        const struct qpel_device *info = &d->b->devices[d->device_of[i]].info;
        if (r->near == QPEL_NEAR_CPU && d->b->devices[d->device_of[i]].own_memory)
            continue;
        if (!door_device_baseline(r->device, work, &d->images, d->rounds, &gpu, &wall, why)) {
            printf("    %s: no baseline: %s\n", info->name, why);
            continue;
        }
        ours_gpu = measure_stat_of(figures_of(d, i, DOOR_GPU), d->rounds);
        ours_wall = measure_stat_of(figures_of(d, i, DOOR_QUEUE), d->rounds);
        const bool clock = gpu.median > 0 && ours_gpu.median > 0;
        const double ratio = clock ? gpu.median / ours_gpu.median : wall.median / ours_wall.median;
        printf("    %s: a load a byte, a lane a sample: vkQueueSubmit to wait %.3f ms, GPU %.3f; "
               "ours %.3f and %.3f: %.1f times as fast\n",
               info->name, wall.median * 1e3, gpu.median * 1e3, ours_wall.median * 1e3,
               ours_gpu.median * 1e3, ratio);
        bench_summary(d->b, "door       %.40s: %.1f times as fast as the baseline shader",
                      info->name, ratio);
        json_object(&d->b->json, NULL);
        json_string(&d->b->json, "device", info->name);
        bench_json_stat(&d->b->json, "gpu", gpu);
        bench_json_stat(&d->b->json, "queue_to_wait", wall);
        bench_json_stat(&d->b->json, "ours_gpu", ours_gpu);
        bench_json_stat(&d->b->json, "ours_queue_to_wait", ours_wall);
        json_number(&d->b->json, "times_as_fast", ratio);
        json_end_object(&d->b->json);
    }
}

static void run_work(struct door *d, const struct door_work *work, const struct trace *trace,
                     const struct trace_picture *picture)
{
    struct json *j = &d->b->json;
    size_t proven[MAX_RUNNERS], count, callers[DOOR_CALLER_COUNT];
    bool ok;

    bench_progress(d->b, "%s: what it must come to", work->name);
    if (!door_images_fill(&d->images, work) || !door_images_expect(&d->images, work, d->b->cpu)) {
        bench_fail(d->b, "%s: no memory", work->name);
        return;
    }
    count = prove_all(d, work, trace, picture, proven);
    bench_progress(d->b, "%s: timing", work->name);
    ok = time_all(d, work, proven, count);
    /* The CPU's memcpy() is no measure of a device. */
    for (size_t i = 0; ok && i < d->b->device_count; i++)
        if (d->devices[i] && d->b->devices[i].info.kind != QPEL_DEVICE_SOFTWARE)
            measure_copies(d, work, (unsigned)i);
    bench_progress(d->b, NULL);
    printf("  %s, %c: %zu blocks, %dx%d%s\n", work->name, work->type, work->whole.count,
           work->width, work->height, work->called[0].count ? "; golden bytes" : "");
    if (!ok) {
        bench_fail(d->b, "%s: a proven run failed when repeated", work->name);
        return;
    }
    json_object(j, NULL);
    json_string(j, "work", work->name);
    json_string(j, "type", (char[]){ work->type, 0 });
    json_number(j, "width", work->width);
    json_number(j, "height", work->height);
    json_number(j, "blocks", (double)work->whole.count);
    json_bool(j, "golden", work->called[0].count);
    json_array(j, "runners");
    for (int c = 0; c < DOOR_CALLER_COUNT; c++)
        callers[c] = SIZE_MAX;
    for (size_t i = 0; i < count; i++) {
        callers[d->runners[proven[i]].caller] = proven[i];
        door_tell(d, proven[i], callers, work,
                  trace && work->width == 1920 ? &d->totals[proven[i]] : NULL);
    }
    json_end_array(j);
    if (work->centre && work->width * work->height <= HUGE_SAMPLES) {
        json_array(j, "baseline");
        run_baseline(d, work);
        json_end_array(j);
    }
    json_end_object(j);
}

static void run_trace(struct door *d, const struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++) {
        struct door_work work;

        if (door_work_trace(&work, trace, &trace->pictures[i]))
            run_work(d, &work, trace, &trace->pictures[i]);
        else
            bench_fail(d->b, "%s: no memory, or a call that is no block", trace->name);
        door_work_free(&work);
    }
    end_geometry(d);
}

static void run_traces(struct door *d)
{
    struct trace_path *paths = malloc(MAX_TRACES * sizeof(*paths));
    const struct bench_options *o = &d->b->options;
    size_t count = 0;

    if (paths)
        count = trace_find(o->data, o->quick ? QUICK_TRACE : NULL, paths, MAX_TRACES);
    if (!count)
        bench_fail(d->b, "door: no traces in %.180s/traces", o->data);
    for (size_t i = 0; i < count; i++) {
        char error[TRACE_ERROR_SIZE];
        struct trace trace;

        if (!trace_load_both(&trace, paths[i].path, error)) {
            bench_fail(d->b, "%.120s: %s", paths[i].path, error);
            continue;
        }
        if (trace.width * trace.height > TINY_SAMPLES)
            run_trace(d, &trace);
        trace_free(&trace);
    }
    free(paths);
}

static void run_drawn(struct door *d, int width, int height, enum door_drawn drawn)
{
    struct door_work work;

    if (door_work_draw(&work, width, height, drawn))
        run_work(d, &work, NULL, NULL);
    else
        bench_fail(d->b, "door: no memory");
    door_work_free(&work);
    end_geometry(d);
}

static bool has_real_device(const struct bench *b)
{
    bool real = false;

    for (size_t i = 0; i < b->device_count; i++)
        real |= b->devices[i].info.kind != QPEL_DEVICE_SOFTWARE;
    return real;
}

void bench_door(struct bench *b)
{
    struct door *d = calloc(1, sizeof(*d));

    if (!d) {
        bench_fail(b, "door: no memory");
        return;
    }
    d->b = b;
    if (!open_door(d)) {
        bench_fail(b, "door: no memory, or no context");
        close_door(d);
        return;
    }
    printf("\ndoor: pictures through the picture door, each first proven (golden bytes, and the "
           "oracle for chroma), then timed by turns\n  (add and submit: the calling thread's CPU "
           "time; on the CPU, submit is the prediction)\n");
    json_array(&b->json, "door");
    run_drawn(d, 1920, 1088, DOOR_CENTRE);
    run_drawn(d, 1920, 1088, DOOR_ONE);
    run_drawn(d, 1920, 1088, DOOR_MIXED);
    run_drawn(d, 1920, 1088, DOOR_BI);
    if (has_real_device(b))
        run_drawn(d, 7680, 4320, DOOR_CENTRE);
    run_traces(d);
    json_end_array(&b->json);
    for (size_t i = 0; i < d->runner_count; i++)
        door_summarize(d, i);
    close_door(d);
}
