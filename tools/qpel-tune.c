/* qpel-tune: measures this machine and writes a recipe.
 *
 * Each kernel class runs on CPU and GPU, in buffers, in a small and in a large batch: the
 * difference is the cost of a block, the rest that of a call. Staging is what plain
 * memory adds. Every case is proved against the CPU's bytes before it is timed. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <qpel/qpel.h>

#include "measure.h"
#include "positions.h"

enum { WIDTH = 1920, HEIGHT = 1088, PAD = 32, STRIDE = WIDTH + 2 * PAD, ROWS = HEIGHT + 2 * PAD };
#define PLANE_SIZE ((size_t)STRIDE * ROWS)
#define SMALL      64

static const char usage[] =
    "usage: qpel-tune [--device NAME|UUID|software] [--quick] [-o FILE]\n"
    "  -o FILE  the recipe (default qpel.recipe); name it in QPEL_RECIPE to use it\n"
    "  --quick  fewer rounds\n";

struct tune {
    struct qpel_context *context;
    struct qpel_buffer *dst, *src;
    uint8_t *plain_dst, *plain_src;
    struct qpel_block *blocks;
    struct measure_plan plan;
    struct qpel_recipe *recipe;
    char cpu[QPEL_NAME_SIZE], gpu[QPEL_NAME_SIZE], source[QPEL_REASON_SIZE];
    bool with_gpu;
};

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "\nqpel-tune: %s\n", what);
    exit(1);
}

static void check(enum qpel_result r, const char *what)
{
    if (r) {
        fprintf(stderr, "\nqpel-tune: %s: %s\n", what, qpel_result_name(r));
        exit(1);
    }
}

static void print_log(void *user, enum qpel_log_level level, const char *message)
{
    (void)user, (void)level;
    fprintf(stderr, "qpel-tune: %s\n", message);
}

/* ---- one case ---- */

struct run {
    struct tune *tune;
    struct qpel_dispatch_params params;
};

static bool run_once(void *user, size_t repeats, double *gpu_seconds)
{
    struct run *run = user;
    (void)gpu_seconds;
    struct qpel_report report;
    for (size_t i = 0; i < repeats; i++)
        if (qpel_dispatch(run->tune->context, &run->params, &report) ||
            report.backend != run->params.backend)
            return false;
    return true;
}

/* All blocks of the plane at +-1 sample of motion, in raster order. */
static size_t fill_blocks(struct tune *t, enum qpel_size size)
{
    uint32_t side = 16u >> size;
    size_t n = 0;
    for (uint32_t y = PAD; y + PAD < ROWS; y += side)
        for (uint32_t x = PAD; x + PAD < STRIDE; x += side, n++) {
            uint32_t at = y * STRIDE + x;
            t->blocks[n] = (struct qpel_block){ .dst = at, .src = at + (uint32_t)(n % 3) - 1 };
        }
    return n;
}

static struct run make_run(struct tune *t, enum qpel_backend backend, enum qpel_operation operation,
                           enum qpel_size size, int position, size_t count)
{
    return (struct run){
        .tune = t,
        .params = {
            .backend = backend,
            .operation = operation,
            .size = size,
            .position = position,
            .dst = { .buffer = t->dst, .size = PLANE_SIZE, .stride = STRIDE },
            .src = { .buffer = t->src, .size = PLANE_SIZE, .stride = STRIDE },
            .blocks = t->blocks,
            .count = count,
        },
    };
}

/* The whole plane on the CPU and on the GPU: the same bytes, or no figure. */
static void prove(struct tune *t, struct run run)
{
    uint64_t hash[2];
    static const enum qpel_backend backends[] = { QPEL_BACKEND_CPU, QPEL_BACKEND_GPU };
    for (int i = 0; i < 2; i++) {
        void *data;
        check(qpel_buffer_begin(t->dst, QPEL_READ_WRITE, &data), "qpel_buffer_begin");
        memset(data, 0x55, PLANE_SIZE);
        check(qpel_buffer_end(t->dst), "qpel_buffer_end");
        run.params.backend = backends[i];
        if (!run_once(&run, 1, NULL))
            fail("a dispatch failed");
        check(qpel_buffer_begin(t->dst, QPEL_READ, &data), "qpel_buffer_begin");
        hash[i] = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
        for (size_t k = 0; k < PLANE_SIZE; k++)
            hash[i] = (hash[i] ^ ((uint8_t *)data)[k]) * UINT64_C(0x100000001b3);
        check(qpel_buffer_end(t->dst), "qpel_buffer_end");
    }
    if (hash[0] != hash[1])
        fail("the GPU's bytes differ from the CPU's");
}

/* Two batch sizes: the cost of a block, and of a call. */
static void measure_line(struct tune *t, enum qpel_backend backend, enum qpel_operation operation,
                         enum qpel_size size, int position, size_t count)
{
    struct run small = make_run(t, backend, operation, size, position, SMALL);
    struct run large = make_run(t, backend, operation, size, position, count);
    struct measure_case cases[] = {
        { .run = run_once, .user = &small },
        { .run = run_once, .user = &large },
    };
    if (!measure(cases, 2, &t->plan))
        fail("a dispatch failed");
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
            .origin = QPEL_ORIGIN_MEASURED,
        },
    };
    snprintf(line.device, sizeof line.device, "%.63s",
             backend == QPEL_BACKEND_CPU ? t->cpu : t->gpu);
    snprintf(line.source, sizeof line.source, "%s", t->source);
    check(qpel_recipe_add(t->recipe, &line), "qpel_recipe_add");
}

/* What a staged byte costs: the whole plane's copy, from plain memory less from buffers. */
static void measure_staging(struct tune *t, double *wall, double *cpu)
{
    size_t count = fill_blocks(t, QPEL_SIZE_8);
    struct run buffers = make_run(t, QPEL_BACKEND_GPU, QPEL_PUT, QPEL_SIZE_8, 0, count);
    struct run plain = buffers;
    plain.params.dst = (struct qpel_plane){ t->plain_dst, NULL, 0, PLANE_SIZE, STRIDE };
    plain.params.src = (struct qpel_plane){ t->plain_src, NULL, 0, PLANE_SIZE, STRIDE };
    struct measure_case cases[] = {
        { .run = run_once, .user = &buffers },
        { .run = run_once, .user = &plain },
    };
    struct qpel_report report;
    check(qpel_dispatch(t->context, &plain.params, &report), "qpel_dispatch");
    if (!measure(cases, 2, &t->plan))
        fail("a dispatch failed");
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

static void measure_all(struct tune *t)
{
    int done = 0, all = (t->with_gpu ? 2 : 1) * FAMILY_COUNT * QPEL_SIZE_COUNT * 2;
    for (int size = 0; size < QPEL_SIZE_COUNT; size++) {
        size_t count = fill_blocks(t, (enum qpel_size)size);
        for (int family = 0; family < FAMILY_COUNT; family++)
            for (int op = 0; op < QPEL_OPERATION_COUNT; op++) {
                int position = position_of((enum family)family);
                if (t->with_gpu)
                    prove(t, make_run(t, QPEL_BACKEND_GPU, (enum qpel_operation)op,
                                      (enum qpel_size)size, position, count));
                for (int b = QPEL_BACKEND_CPU; b <= (t->with_gpu ? 2 : 1); b++) {
                    measure_line(t, (enum qpel_backend)b, (enum qpel_operation)op,
                                 (enum qpel_size)size, position, count);
                    fprintf(stderr, "\r%3d/%d  %s %s %2d %-9s", ++done, all,
                            qpel_backend_name((enum qpel_backend)b), op ? "avg" : "put", 16 >> size,
                            qpel_families[family].name);
                }
            }
    }
    fprintf(stderr, "\n");
}

/* The lines, with the staging cost in the GPU's and all of one device together. */
static struct qpel_recipe *sorted(struct tune *t)
{
    double wall = 0, cpu = 0;
    if (t->with_gpu)
        measure_staging(t, &wall, &cpu);
    struct qpel_recipe *out;
    check(qpel_recipe_create(&out), "qpel_recipe_create");
    size_t count;
    const struct qpel_recipe_line *lines = qpel_recipe_lines(t->recipe, &count);
    for (int b = QPEL_BACKEND_GPU; b >= QPEL_BACKEND_CPU; b--)
        for (size_t i = 0; i < count; i++) {
            struct qpel_recipe_line line = lines[i];
            if ((int)line.backend != b)
                continue;
            if (b == QPEL_BACKEND_GPU)
                line.cost.price[QPEL_TERM_BYTE] = (struct qpel_price){ wall, cpu };
            check(qpel_recipe_add(out, &line), "qpel_recipe_add");
        }
    return out;
}

static void *allocate(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    if (!p)
        fail("out of memory");
    return p;
}

static void prepare(struct tune *t, const char *device, bool quick)
{
    struct qpel_context_params params = { .device = device, .log = print_log };
    check(qpel_context_create(&t->context, &params), "qpel_context_create");
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

    check(qpel_buffer_create(t->context, PLANE_SIZE, QPEL_NEAR_CPU, &t->dst), "qpel_buffer_create");
    check(qpel_buffer_create(t->context, PLANE_SIZE, QPEL_NEAR_CPU, &t->src), "qpel_buffer_create");
    t->blocks = allocate((size_t)(WIDTH / 4) * (HEIGHT / 4) * sizeof *t->blocks);
    t->plain_dst = allocate(PLANE_SIZE);
    t->plain_src = allocate(PLANE_SIZE);
    uint32_t state = 1;
    for (size_t i = 0; i < PLANE_SIZE; i++) {
        state = state * 1664525u + 1013904223u;
        t->plain_src[i] = (uint8_t)(state >> 24);
    }
    memset(t->plain_dst, 0, PLANE_SIZE);
    void *data;
    check(qpel_buffer_begin(t->src, QPEL_WRITE, &data), "qpel_buffer_begin");
    memcpy(data, t->plain_src, PLANE_SIZE);
    check(qpel_buffer_end(t->src), "qpel_buffer_end");
    check(qpel_recipe_create(&t->recipe), "qpel_recipe_create");
    t->plan = (struct measure_plan){
        .rounds = quick ? 3 : 9,
        .round_seconds = quick ? 0.002 : 0.01,
        .max_seconds = quick ? 0.2 : 1,
    };
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
    static struct tune t;
    prepare(&t, device, quick);
    measure_all(&t);
    struct qpel_recipe *recipe = sorted(&t);
    check(qpel_recipe_save(recipe, path), path);
    printf("written: %s\nto use it: QPEL_RECIPE=%s\n", path, path);
    qpel_recipe_destroy(&recipe);
    qpel_recipe_destroy(&t.recipe);
    qpel_buffer_destroy(&t.dst);
    qpel_buffer_destroy(&t.src);
    free(t.blocks);
    free(t.plain_dst);
    free(t.plain_src);
    qpel_context_destroy(&t.context);
    return 0;
}
