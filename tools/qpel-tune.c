/* qpel-tune: measures this machine and writes a recipe.
 *
 * Each kernel class runs on CPU and GPU, in buffers, in a small and in a large batch: the
 * difference is the cost of a block, the rest that of a call. Staging is what plain
 * memory adds. Pictures: tune_picture.c. Every case is proved against the CPU's bytes before it is
 * timed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "positions.h"
#include "tune.h"

enum { WIDTH = 1920, HEIGHT = 1088, PAD = 32, STRIDE = WIDTH + 2 * PAD, ROWS = HEIGHT + 2 * PAD };
#define PLANE_SIZE ((size_t)STRIDE * ROWS)
#define SMALL      64

static const char usage[] =
    "usage: qpel-tune [--device NAME|UUID|software] [--quick] [-o FILE]\n"
    "  -o FILE  the recipe (default qpel.recipe); name it in QPEL_RECIPE to use it\n"
    "  --quick  fewer rounds\n";

/* What kernels are measured with. */
struct kernels {
    struct tune *tune;
    struct qpel_buffer *dst, *src;
    uint8_t *plain_dst, *plain_src;
    struct qpel_block *blocks;
};

_Noreturn void tune_fail(const char *what)
{
    fprintf(stderr, "\nqpel-tune: %s\n", what);
    exit(1);
}

void tune_check(enum qpel_result r, const char *what)
{
    if (r) {
        fprintf(stderr, "\nqpel-tune: %s: %s\n", what, qpel_result_name(r));
        exit(1);
    }
}

void tune_progress(int done, int all, enum qpel_backend backend, const char *what)
{
    fprintf(stderr, "\r%3d/%d  %s %-24s", done, all, qpel_backend_name(backend), what);
}

uint64_t tune_hash(uint64_t hash, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

void tune_add(struct tune *t, struct qpel_recipe_line line)
{
    line.cost.origin = QPEL_ORIGIN_MEASURED;
    snprintf(line.device, sizeof line.device, "%.63s",
             line.backend == QPEL_BACKEND_CPU ? t->cpu : t->gpu);
    snprintf(line.source, sizeof line.source, "%s", t->source);
    tune_check(qpel_recipe_add(t->recipe, &line), "qpel_recipe_add");
}

static void print_log(void *user, enum qpel_log_level level, const char *message)
{
    (void)user, (void)level;
    fprintf(stderr, "qpel-tune: %s\n", message);
}

/* ---- one case ---- */

struct run {
    struct qpel_context *context;
    struct qpel_dispatch_params params;
};

static bool run_once(void *user, size_t repeats, double *gpu_seconds)
{
    struct run *run = user;
    (void)gpu_seconds;
    struct qpel_report report;
    for (size_t i = 0; i < repeats; i++)
        if (qpel_dispatch(run->context, &run->params, &report) ||
            report.backend != run->params.backend)
            return false;
    return true;
}

/* All blocks of the plane at +-1 sample of motion, in raster order. */
static size_t fill_blocks(struct kernels *k, enum qpel_size size)
{
    uint32_t side = 16u >> size;
    size_t n = 0;
    for (uint32_t y = PAD; y + PAD < ROWS; y += side)
        for (uint32_t x = PAD; x + PAD < STRIDE; x += side, n++) {
            uint32_t at = y * STRIDE + x;
            k->blocks[n] = (struct qpel_block){ .dst = at, .src = at + (uint32_t)(n % 3) - 1 };
        }
    return n;
}

static struct run make_run(struct kernels *k, enum qpel_backend backend,
                           enum qpel_operation operation, enum qpel_size size, int position,
                           size_t count)
{
    return (struct run){
        .context = k->tune->context,
        .params = {
            .backend = backend,
            .operation = operation,
            .size = size,
            .position = position,
            .dst = { .buffer = k->dst, .size = PLANE_SIZE, .stride = STRIDE },
            .src = { .buffer = k->src, .size = PLANE_SIZE, .stride = STRIDE },
            .blocks = k->blocks,
            .count = count,
        },
    };
}

/* The whole plane on the CPU and on the GPU: the same bytes, or no figure. */
static void prove(struct kernels *k, struct run run)
{
    uint64_t hash[2];
    static const enum qpel_backend backends[] = { QPEL_BACKEND_CPU, QPEL_BACKEND_GPU };
    for (int i = 0; i < 2; i++) {
        void *data;
        tune_check(qpel_buffer_begin(k->dst, QPEL_READ_WRITE, &data), "qpel_buffer_begin");
        memset(data, 0x55, PLANE_SIZE);
        tune_check(qpel_buffer_end(k->dst), "qpel_buffer_end");
        run.params.backend = backends[i];
        if (!run_once(&run, 1, NULL))
            tune_fail("a dispatch failed");
        tune_check(qpel_buffer_begin(k->dst, QPEL_READ, &data), "qpel_buffer_begin");
        hash[i] = tune_hash(TUNE_HASH, data, PLANE_SIZE);
        tune_check(qpel_buffer_end(k->dst), "qpel_buffer_end");
    }
    if (hash[0] != hash[1])
        tune_fail("the GPU's bytes differ from the CPU's");
}

/* Two batch sizes: the cost of a block, and of a call. */
static void measure_line(struct kernels *k, enum qpel_backend backend,
                         enum qpel_operation operation, enum qpel_size size, int position,
                         size_t count)
{
    struct run small = make_run(k, backend, operation, size, position, SMALL);
    struct run large = make_run(k, backend, operation, size, position, count);
    struct measure_case cases[] = {
        { .run = run_once, .user = &small },
        { .run = run_once, .user = &large },
    };
    if (!measure(cases, 2, &k->tune->plan))
        tune_fail("a dispatch failed");
    double per_wall = (cases[1].wall.median - cases[0].wall.median) / (double)(count - SMALL);
    double per_cpu = (cases[1].cpu.median - cases[0].cpu.median) / (double)(count - SMALL);
    struct qpel_recipe_line line = {
        .backend = backend,
        .operation = operation,
        .size = size,
        .position = position,
        .cost = {
            .price = {
                [QPEL_TERM_FIXED] = {
                    fmax(cases[0].wall.median - fmax(per_wall, 0) * SMALL, 0) * 1e9,
                    fmax(cases[0].cpu.median - fmax(per_cpu, 0) * SMALL, 0) * 1e9,
                },
                [QPEL_TERM_BLOCK] = { fmax(per_wall, 0) * 1e9, fmax(per_cpu, 0) * 1e9 },
            },
        },
    };
    tune_add(k->tune, line);
}

/* What a staged byte costs: the whole plane's copy, from plain memory less from buffers. */
static void measure_staging(struct kernels *k, double *wall, double *cpu)
{
    size_t count = fill_blocks(k, QPEL_SIZE_8);
    struct run buffers = make_run(k, QPEL_BACKEND_GPU, QPEL_PUT, QPEL_SIZE_8, 0, count);
    struct run plain = buffers;
    plain.params.dst = (struct qpel_plane){ k->plain_dst, NULL, 0, PLANE_SIZE, STRIDE };
    plain.params.src = (struct qpel_plane){ k->plain_src, NULL, 0, PLANE_SIZE, STRIDE };
    struct measure_case cases[] = {
        { .run = run_once, .user = &buffers },
        { .run = run_once, .user = &plain },
    };
    struct qpel_report report;
    tune_check(qpel_dispatch(k->tune->context, &plain.params, &report), "qpel_dispatch");
    if (!measure(cases, 2, &k->tune->plan))
        tune_fail("a dispatch failed");
    double bytes = (double)report.copied_bytes;
    *wall = fmax(cases[1].wall.median - cases[0].wall.median, 0) / bytes * 1e9;
    *cpu = fmax(cases[1].cpu.median - cases[0].cpu.median, 0) / bytes * 1e9;
}

/* ---- all cases ---- */

/* One position for each family, the last of the table. */
static int position_of(enum family family)
{
    for (int p = QPEL_POSITION_COUNT - 1; p >= 0; p--)
        if (qpel_positions[p].family == family)
            return p;
    return 0;
}

static void measure_kernels(struct kernels *k)
{
    struct tune *t = k->tune;
    char what[32];
    int done = 0, all = (t->with_gpu ? 2 : 1) * FAMILY_COUNT * QPEL_SIZE_COUNT * 2;
    for (int size = 0; size < QPEL_SIZE_COUNT; size++) {
        size_t count = fill_blocks(k, (enum qpel_size)size);
        for (int family = 0; family < FAMILY_COUNT; family++)
            for (int op = 0; op < QPEL_OPERATION_COUNT; op++) {
                int position = position_of((enum family)family);
                if (t->with_gpu)
                    prove(k, make_run(k, QPEL_BACKEND_GPU, (enum qpel_operation)op,
                                      (enum qpel_size)size, position, count));
                for (int b = QPEL_BACKEND_CPU; b <= (t->with_gpu ? 2 : 1); b++) {
                    measure_line(k, (enum qpel_backend)b, (enum qpel_operation)op,
                                 (enum qpel_size)size, position, count);
                    snprintf(what, sizeof what, "%s %d %s", op ? "avg" : "put", 16 >> size,
                             qpel_families[family].name);
                    tune_progress(++done, all, (enum qpel_backend)b, what);
                }
            }
    }
}

/* The lines, with the staging cost in the GPU's and all of one device together. */
static struct qpel_recipe *sorted(struct kernels *k)
{
    struct tune *t = k->tune;
    double wall = 0, cpu = 0;
    if (t->with_gpu)
        measure_staging(k, &wall, &cpu);
    struct qpel_recipe *out;
    tune_check(qpel_recipe_create(&out), "qpel_recipe_create");
    size_t count;
    const struct qpel_recipe_line *lines = qpel_recipe_lines(t->recipe, &count);
    for (int b = QPEL_BACKEND_GPU; b >= QPEL_BACKEND_CPU; b--)
        for (size_t i = 0; i < count; i++) {
            struct qpel_recipe_line line = lines[i];
            if ((int)line.backend != b)
                continue;
            if (b == QPEL_BACKEND_GPU && line.work == QPEL_WORK_KERNEL)
                line.cost.price[QPEL_TERM_BYTE] = (struct qpel_price){ wall, cpu };
            tune_check(qpel_recipe_add(out, &line), "qpel_recipe_add");
        }
    return out;
}

static void *allocate(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!p)
        tune_fail("out of memory");
    return p;
}

static void prepare(struct tune *t, const char *device, bool quick)
{
    struct qpel_context_params params = { .device = device, .log = print_log };
    tune_check(qpel_context_create(&t->context, &params), "qpel_context_create");
    char reason[QPEL_REASON_SIZE];
    struct qpel_device gpu;
    t->with_gpu = !qpel_context_gpu(t->context, &gpu, reason);
    qpel_cpu_name(t->cpu);
    fprintf(stderr, "CPU: %s, kernels: %s\nGPU: %s\n", t->cpu, qpel_dsp_layer(QPEL_CPU_ALL),
            t->with_gpu ? gpu.name : reason);
    char day[16];
    time_t now = time(NULL);
    strftime(day, sizeof day, "%Y-%m-%d", localtime(&now));
    snprintf(t->source, sizeof t->source, "qpel-tune %s, %s, %.120s", qpel_version(), day,
             t->with_gpu ? gpu.driver : "no GPU");
    if (t->with_gpu)
        memcpy(t->gpu, gpu.name, sizeof t->gpu);

    tune_check(qpel_recipe_create(&t->recipe), "qpel_recipe_create");
    t->plan = (struct measure_plan){
        .rounds = quick ? 3 : 9,
        .round_seconds = quick ? 0.002 : 0.01,
        .max_seconds = quick ? 0.2 : 1,
    };
}

static void prepare_kernels(struct kernels *k, struct tune *t)
{
    k->tune = t;
    tune_check(qpel_buffer_create(t->context, PLANE_SIZE, QPEL_NEAR_CPU, &k->dst),
               "qpel_buffer_create");
    tune_check(qpel_buffer_create(t->context, PLANE_SIZE, QPEL_NEAR_CPU, &k->src),
               "qpel_buffer_create");
    k->blocks = allocate((size_t)(WIDTH / 4) * (HEIGHT / 4) * sizeof *k->blocks);
    k->plain_dst = allocate(PLANE_SIZE);
    k->plain_src = allocate(PLANE_SIZE);
    uint32_t state = 1;
    for (size_t i = 0; i < PLANE_SIZE; i++) {
        state = state * 1664525u + 1013904223u;
        k->plain_src[i] = (uint8_t)(state >> 24);
    }
    memset(k->plain_dst, 0, PLANE_SIZE);
    void *data;
    tune_check(qpel_buffer_begin(k->src, QPEL_WRITE, &data), "qpel_buffer_begin");
    memcpy(data, k->plain_src, PLANE_SIZE);
    tune_check(qpel_buffer_end(k->src), "qpel_buffer_end");
}

int main(int argc, char **argv)
{
    const char *device = NULL, *path = "qpel.recipe";
    bool quick = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--device") && i + 1 < argc)
            device = argv[++i];
        else if (!strcmp(argv[i], "-o") && i + 1 < argc)
            path = argv[++i];
        else if (!strcmp(argv[i], "--quick"))
            quick = true;
        else {
            bool help = !strcmp(argv[i], "--help");
            fputs(usage, help ? stdout : stderr);
            return help ? 0 : 2;
        }
    }
    struct tune t = { .with_gpu = false };
    struct kernels k;
    prepare(&t, device, quick);
    prepare_kernels(&k, &t);
    tune_pictures(&t);
    measure_kernels(&k);
    fprintf(stderr, "\n");
    struct qpel_recipe *recipe = sorted(&k);
    tune_check(qpel_recipe_save(recipe, path), path);
    printf("written: %s\nto use it: QPEL_RECIPE=%s\n", path, path);
    qpel_recipe_destroy(&recipe);
    qpel_recipe_destroy(&t.recipe);
    qpel_buffer_destroy(&k.dst);
    qpel_buffer_destroy(&k.src);
    free(k.blocks);
    free(k.plain_dst);
    free(k.plain_src);
    qpel_context_destroy(&t.context);
    return 0;
}
