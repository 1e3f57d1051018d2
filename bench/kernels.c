/* Each kernel over every block of a 1080p plane, and the GPU by the size of the batch. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "dispatch.h"
#include "positions.h"
#include "replay.h"

enum { WIDTH = 1920, HEIGHT = 1088, MOTION = 16, MAX_BATCHES = 12, MAX_ENTRIES = 96 };
#define MAX_RIVALS (BENCH_MAX_LAYERS + 2)

struct kernel {
    enum qpel_operation operation;
    enum qpel_size size;
    int position;
};

/* A kernel of each family; all of them only without --quick. */
static const struct kernel quick_kernels[] = {
    { QPEL_PUT, QPEL_SIZE_8, 0 },  { QPEL_PUT, QPEL_SIZE_8, 1 },   { QPEL_PUT, QPEL_SIZE_8, 2 },
    { QPEL_PUT, QPEL_SIZE_8, 4 },  { QPEL_PUT, QPEL_SIZE_8, 8 },   { QPEL_PUT, QPEL_SIZE_8, 5 },
    { QPEL_PUT, QPEL_SIZE_8, 6 },  { QPEL_PUT, QPEL_SIZE_8, 9 },   { QPEL_PUT, QPEL_SIZE_8, 10 },
    { QPEL_AVG, QPEL_SIZE_8, 10 }, { QPEL_PUT, QPEL_SIZE_16, 10 }, { QPEL_PUT, QPEL_SIZE_4, 10 },
};
static const size_t quick_batches[] = { 1, 256, 4096 };
static const size_t full_batches[] = { 1, 16, 64, 256, 1024, 4096, 16384 };

/* The planes and one size's blocks: every block of the plane, its source up to MOTION samples off.
 */
struct work {
    ptrdiff_t stride;
    size_t src_size, dst_size;
    struct memory plain, device[BENCH_MAX_DEVICES];
    uint8_t *before, *expected, *copy; /* of dst */
    size_t count[QPEL_SIZE_COUNT];
    struct qpel_block *blocks[QPEL_SIZE_COUNT];
};

/* A way to run the kernel in hand. */
struct rival {
    const char *name;
    const struct work *work;
    struct memory *memory;
    struct kernel kernel;
    size_t count;   /* blocks */
    qpel_mc_fn *fn; /* null: dispatch */
    struct qpel_context *context;
    enum qpel_backend backend;
    char why[BENCH_LINE_SIZE];
};

static uint32_t random_next(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void fill(uint8_t *samples, size_t count, uint32_t *state)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t v = random_next(state);

        samples[i] = v & 0x300 ? (uint8_t)v : v & 0x400 ? 255 : 0;
    }
}

static bool list_blocks(struct work *w, enum qpel_size size, uint32_t *state)
{
    const unsigned side = (unsigned)size_of(size), columns = WIDTH / side, rows = HEIGHT / side;

    w->count[size] = (size_t)columns * rows;
    w->blocks[size] = malloc(w->count[size] * sizeof(*w->blocks[size]));
    if (!w->blocks[size])
        return false;
    for (size_t i = 0; i < w->count[size]; i++) {
        const size_t x = i % columns * side, y = i / columns * side;
        const size_t dx = random_next(state) % (2 * MOTION + 1);
        const size_t dy = random_next(state) % (2 * MOTION + 1);
        const size_t column = x + REPLAY_BORDER - MOTION + dx,
                     row = y + REPLAY_BORDER - MOTION + dy;

        w->blocks[size][i] = (struct qpel_block){
            .dst = (uint32_t)(y * (size_t)w->stride + x),
            .src = (uint32_t)(row * (size_t)w->stride + column),
        };
    }
    return true;
}

static bool work_create(struct bench *b, struct work *w)
{
    const struct bench_options *o = &b->options;
    uint32_t state = 1;
    bool ok;

    *w = (struct work){ .stride = o->stride ? o->stride : replay_stride(WIDTH) };
    w->src_size = (size_t)w->stride * (HEIGHT + 2 * REPLAY_BORDER) + REPLAY_SLACK;
    w->dst_size = (size_t)w->stride * HEIGHT;
    w->before = bench_memory(w->dst_size);
    w->expected = bench_memory(w->dst_size);
    w->copy = bench_memory(w->dst_size);
    ok = w->before && w->expected && w->copy &&
         memory_create(&w->plain, NULL, QPEL_NEAR_CPU, w->src_size, w->dst_size);
    for (int size = 0; ok && size < QPEL_SIZE_COUNT; size++)
        ok = list_blocks(w, (enum qpel_size)size, &state);
    if (ok) {
        fill(w->before, w->dst_size, &state);
        fill(w->plain.src, w->src_size, &state);
    }
    for (size_t i = 0; ok && i < b->device_count; i++)
        ok = memory_create(&w->device[i], b->devices[i].context, QPEL_NEAR_GPU, w->src_size,
                           w->dst_size) &&
             memory_write_src(&w->device[i], w->plain.src);
    return ok;
}

static void work_destroy(struct bench *b, struct work *w)
{
    memory_destroy(&w->plain);
    for (size_t i = 0; i < b->device_count; i++)
        memory_destroy(&w->device[i]);
    for (int size = 0; size < QPEL_SIZE_COUNT; size++)
        free(w->blocks[size]);
    free(w->before);
    free(w->expected);
    free(w->copy);
}

static struct qpel_dispatch_params params_of(const struct rival *r)
{
    struct qpel_dispatch_params params = {
        .backend = r->backend,
        .operation = r->kernel.operation,
        .size = r->kernel.size,
        .position = r->kernel.position,
        .src.stride = r->work->stride,
        .dst.stride = r->work->stride,
        .blocks = r->work->blocks[r->kernel.size],
        .count = r->count,
    };

    memory_planes(r->memory, &params);
    return params;
}

static bool run(void *user, size_t repeats, double *gpu_seconds)
{
    struct rival *r = user;
    const struct qpel_block *blocks = r->work->blocks[r->kernel.size];
    const struct qpel_dispatch_params params = params_of(r);

    while (repeats--) {
        if (!r->fn) {
            if (!checked_dispatch(r->context, &params, gpu_seconds, r->why))
                return false;
            continue;
        }

        uint8_t *dst = r->memory->dst;
        const uint8_t *src = r->memory->src;

        for (size_t i = 0; i < r->count; i++)
            r->fn(dst + blocks[i].dst, src + blocks[i].src, r->work->stride);
    }
    return true;
}

static qpel_mc_fn *function(const struct qpel_dsp *dsp, const struct kernel *k)
{
    return (k->operation == QPEL_PUT ? dsp->put : dsp->avg)[k->size][k->position];
}

/* What `count` blocks come to, by our C. */
static void expect(struct bench *b, struct work *w, const struct kernel *k, size_t count)
{
    struct rival c = { .work = w, .memory = &w->plain, .kernel = *k, .count = count };
    double gpu;

    c.fn = function(&b->layers[0].dsp, k);
    memcpy(w->plain.dst, w->before, w->dst_size);
    run(&c, 1, &gpu);
    memcpy(w->expected, w->plain.dst, w->dst_size);
}

static bool prove(struct rival *r)
{
    const struct work *w = r->work;
    double gpu = 0;

    snprintf(r->why, sizeof r->why, "no access to a buffer");
    if (!memory_write_dst(r->memory, w->before) || !run(r, 1, &gpu) ||
        !memory_read_dst(r->memory, w->copy))
        return false;
    if (!memcmp(w->copy, w->expected, w->dst_size))
        return true;
    snprintf(r->why, sizeof r->why, "wrong bytes");
    return false;
}

static const char *kernel_name(const struct kernel *k)
{
    static char text[32];

    snprintf(text, sizeof text, "%s %dx%d %s", operation_name(k->operation), size_of(k->size),
             size_of(k->size), qpel_position_names[k->position]);
    return text;
}

/* All ways of the CPU, whole plane, by turns. False: a failure, told. */
static bool measure_cpu(struct bench *b, struct work *w, const struct kernel *k, double *log_ratio)
{
    const struct measure_plan plan = { b->options.quick ? 15 : 31, 1e-3, 1 };
    const size_t count = w->count[k->size];
    struct rival rivals[MAX_RIVALS];
    struct measure_case cases[MAX_RIVALS];
    size_t n = 0;

    for (size_t i = 0; i < b->layer_count; i++)
        rivals[n++] =
            (struct rival){ .name = b->layers[i].name, .fn = function(&b->layers[i].dsp, k) };
    if (b->ffmpeg)
        rivals[n++] = (struct rival){ .name = "FFmpeg", .fn = function(&b->ffmpeg_asm, k) };
    rivals[n++] =
        (struct rival){ .name = "dispatched", .context = b->cpu, .backend = QPEL_BACKEND_CPU };
    for (size_t i = 0; i < n; i++) {
        rivals[i].work = w;
        rivals[i].memory = &w->plain;
        rivals[i].kernel = *k;
        rivals[i].count = count;
        cases[i] = (struct measure_case){ .run = run, .user = &rivals[i] };
        if (!prove(&rivals[i])) {
            bench_fail(b, "kernels: %s, %s: %.150s", kernel_name(k), rivals[i].name, rivals[i].why);
            return false;
        }
    }
    if (!measure(cases, n, &plan)) {
        bench_fail(b, "kernels: %s: a proven run failed when repeated", kernel_name(k));
        return false;
    }
    printf("  %-15s", kernel_name(k));
    json_array(&b->json, "cpu");
    for (size_t i = 0; i < n; i++) {
        const struct measure_case *c = &cases[i];
        const double ns = 1e9 / (double)count;

        printf(" %7.1f +-%-5.1f%6.2f", c->cpu.median * ns, (c->cpu.q3 - c->cpu.q1) / 2 * ns,
               c->cpu.median * 1e3);
        b->busy |= c->wall.median > BENCH_BUSY * c->cpu.median;
        json_object(&b->json, NULL);
        json_string(&b->json, "name", rivals[i].name);
        json_number(&b->json, "blocks", (double)count);
        bench_json_case(&b->json, c);
        json_end_object(&b->json);
    }
    json_end_array(&b->json);
    if (b->ffmpeg) {
        const double ratio =
            cases[b->layer_count].cpu.median / cases[b->layer_count - 1].cpu.median;

        *log_ratio += log(ratio);
        printf(" %7.2f", ratio);
    }
    printf("\n");
    return true;
}

/* The batch from which on the GPU is faster: between the last batch where it is not and
 * the next, on the line through both differences. 0: from the first on; negative: never. */
static double crossover(const size_t *counts, const double *gpu, const double *cpu, size_t n)
{
    for (size_t i = n; i-- > 0;) {
        const double here = gpu[i] - cpu[i];

        if (here <= 0)
            continue;
        if (i + 1 == n)
            return -1;

        const double next = gpu[i + 1] - cpu[i + 1];

        return (double)counts[i] + here / (here - next) * (double)(counts[i + 1] - counts[i]);
    }
    return 0;
}

/* A device against the dispatch door's CPU, by batch size. Returns the crossover, or NAN after a
 * failure, which is told. `reason`: the last that AUTO gave, not to repeat it. */
static double measure_device(struct bench *b, struct work *w, const struct kernel *k, size_t index,
                             char reason[QPEL_REASON_SIZE])
{
    const struct measure_plan plan = { b->options.quick ? 7 : 11, 1e-3, 0.5 };
    const size_t *batches = b->options.quick ? quick_batches : full_batches;
    const size_t batch_count = b->options.quick ? sizeof(quick_batches) / sizeof(quick_batches[0])
                                                : sizeof(full_batches) / sizeof(full_batches[0]);
    const struct bench_device *device = &b->devices[index];
    struct rival gpu = { .work = w, .memory = &w->device[index], .kernel = *k };
    struct rival cpu = { .work = w, .memory = &w->plain, .kernel = *k };
    struct measure_case cases[2] = { { .run = run, .user = &gpu }, { .run = run, .user = &cpu } };
    double gpu_wall[MAX_BATCHES], cpu_wall[MAX_BATCHES], cross;
    size_t counts[MAX_BATCHES], n = 0;
    struct qpel_recipe_answer answer = { .backend = QPEL_BACKEND_AUTO };

    gpu.context = device->context;
    gpu.backend = QPEL_BACKEND_GPU;
    cpu.context = b->cpu;
    cpu.backend = QPEL_BACKEND_CPU;
    json_object(&b->json, NULL);
    json_string(&b->json, "device", device->info.name);
    json_array(&b->json, "batches");
    for (size_t i = 0; i <= batch_count; i++) {
        const bool last = i == batch_count || batches[i] >= w->count[k->size];

        counts[n] = gpu.count = cpu.count = last ? w->count[k->size] : batches[i];
        expect(b, w, k, counts[n]);
        if (!prove(&gpu) || !prove(&cpu) || !measure(cases, 2, &plan)) {
            bench_fail(b, "kernels: %s on %.60s, %zu blocks: %.100s", kernel_name(k),
                       device->info.name, counts[n], *gpu.why ? gpu.why : cpu.why);
            json_end_array(&b->json);
            json_end_object(&b->json);
            return NAN;
        }
        gpu_wall[n] = cases[0].wall.median;
        cpu_wall[n] = cases[1].wall.median;

        struct qpel_dispatch_params params = params_of(&gpu);

        params.backend = QPEL_BACKEND_AUTO;
        if (qpel_recipe_query(device->context, &params, &answer))
            bench_fail(b, "kernels: %s: the recipe can't be asked", kernel_name(k));
        json_object(&b->json, NULL);
        json_number(&b->json, "blocks", (double)counts[n]);
        json_object(&b->json, "gpu");
        bench_json_case(&b->json, &cases[0]);
        json_end_object(&b->json);
        json_object(&b->json, "cpu");
        bench_json_case(&b->json, &cases[1]);
        json_end_object(&b->json);
        json_string(&b->json, "auto", qpel_backend_name(answer.backend));
        json_string(&b->json, "auto_reason", answer.reason);
        json_end_object(&b->json);
        n++;
        if (last)
            break;
    }
    json_end_array(&b->json);
    cross = crossover(counts, gpu_wall, cpu_wall, n);
    json_number(&b->json, "crossover", cross);
    json_end_object(&b->json);
    printf("    %.40s: %.1f ns a block, %.3f ms (%.3f..%.3f)", device->info.name,
           gpu_wall[n - 1] * 1e9 / (double)counts[n - 1], cases[0].wall.median * 1e3,
           cases[0].wall.q1 * 1e3, cases[0].wall.q3 * 1e3);
    if (cases[0].gpu.median > 0)
        printf(", GPU time %.3f ms", cases[0].gpu.median * 1e3);
    if (cross < 0)
        printf("; slower than the CPU at every size");
    else
        printf("; faster than the CPU from %.0f blocks on", cross);
    printf("; AUTO: %s", qpel_backend_name(answer.backend));
    if (strcmp(reason, answer.reason))
        printf(" (%s)", answer.reason);
    printf("\n      blocks: us of the device / of the CPU  ");
    for (size_t i = 0; i < n; i++)
        printf("  %zu: %.1f / %.1f", counts[i], gpu_wall[i] * 1e6, cpu_wall[i] * 1e6);
    printf("\n");
    memcpy(reason, answer.reason, QPEL_REASON_SIZE);
    return cross;
}

static size_t list_kernels(const struct bench *b, struct kernel kernels[MAX_ENTRIES])
{
    size_t n = 0;

    if (b->options.quick) {
        memcpy(kernels, quick_kernels, sizeof quick_kernels);
        return sizeof(quick_kernels) / sizeof(quick_kernels[0]);
    }
    for (int operation = 0; operation < QPEL_OPERATION_COUNT; operation++)
        for (int size = 0; size < QPEL_SIZE_COUNT; size++)
            for (int position = 0; position < QPEL_POSITION_COUNT; position++)
                kernels[n++] = (struct kernel){ (enum qpel_operation)operation,
                                                (enum qpel_size)size, position };
    return n;
}

/* How many kernels a device is good for, and from which batch on. */
struct tally {
    unsigned faster, slower;
    double least, most;
    char reason[QPEL_REASON_SIZE]; /* AUTO's last */
};

static void tally(struct tally *t, double cross)
{
    if (cross < 0) {
        t->slower++;
    } else if (cross >= 0) {
        if (!t->faster || cross < t->least)
            t->least = cross;
        if (!t->faster || cross > t->most)
            t->most = cross;
        t->faster++;
    }
}

static void tell_tally(struct bench *b, const char *device, const struct tally *t)
{
    if (t->faster)
        bench_summary(b,
                      "kernels    %.40s: faster than one core (dispatched) in %u of %u kernels, "
                      "from %.0f to %.0f blocks on",
                      device, t->faster, t->faster + t->slower, t->least, t->most);
    else
        bench_summary(b, "kernels    %.40s: slower than one core in all of %u kernels", device,
                      t->slower);
}

static void tell_heading(const struct bench *b, const struct work *w)
{
    printf("\nkernels: every block of a %dx%d plane, stride %td, motion up to %d samples\n"
           "  CPU: by the dsp door and (dispatched) the dispatch door: ns a block, half the "
           "quartiles' distance, ms a picture, in CPU time\n",
           WIDTH, HEIGHT, w->stride, MOTION);
    if (b->device_count)
        printf("  devices: by the dispatch door on buffers near the GPU, from call to return\n");
    printf("  %-15s", "");
    for (size_t i = 0; i < b->layer_count; i++)
        printf(" %21s", b->layers[i].name);
    if (b->ffmpeg)
        printf(" %21s", "FFmpeg");
    printf(" %21s", "dispatched");
    if (b->ffmpeg)
        printf(" FFmpeg/%s", bench_best(b)->name);
    printf("\n");
}

void bench_kernels(struct bench *b)
{
    struct kernel kernels[MAX_ENTRIES];
    const size_t n = list_kernels(b, kernels);
    struct tally tallies[BENCH_MAX_DEVICES] = { { 0 } };
    struct work *w = calloc(1, sizeof(*w));
    double log_ratio = 0;
    size_t done = 0;

    if (b->options.stride && b->options.stride < WIDTH + 2 * REPLAY_BORDER) {
        bench_fail(b, "kernels: a stride of %td is too small for %d samples and their border",
                   b->options.stride, WIDTH);
        free(w);
        return;
    }
    if (!w || !work_create(b, w)) {
        bench_fail(b, "kernels: out of memory");
        if (w)
            work_destroy(b, w);
        free(w);
        return;
    }
    tell_heading(b, w);
    json_array(&b->json, "kernels");
    for (size_t i = 0; i < n; i++) {
        const struct kernel *k = &kernels[i];

        bench_progress(b, "kernels: %zu of %zu", i + 1, n);
        json_object(&b->json, NULL);
        json_string(&b->json, "operation", operation_name(k->operation));
        json_number(&b->json, "size", size_of(k->size));
        json_string(&b->json, "position", qpel_position_names[k->position]);
        json_number(&b->json, "stride", (double)w->stride);
        expect(b, w, k, w->count[k->size]);
        bench_progress(b, NULL);
        if (measure_cpu(b, w, k, &log_ratio))
            done++;
        json_array(&b->json, "devices");
        for (size_t d = 0; d < b->device_count; d++)
            tally(&tallies[d], measure_device(b, w, k, d, tallies[d].reason));
        json_end_array(&b->json);
        json_end_object(&b->json);
    }
    json_end_array(&b->json);
    if (b->ffmpeg && done)
        bench_summary(b,
                      "kernels    CPU, %s: %.2f times as fast as FFmpeg's own functions (CPU "
                      "time, geometric mean of %zu kernels over a 1080p plane)",
                      bench_best(b)->name, exp(log_ratio / (double)done), done);
    for (size_t d = 0; d < b->device_count; d++)
        tell_tally(b, b->devices[d].info.name, &tallies[d]);
    work_destroy(b, w);
    free(w);
}
