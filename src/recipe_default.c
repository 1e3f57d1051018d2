/* The recipe that ships: the Raspberry Pi 4 and 5, modelled. docs/recipes.md derives the figures.
 */
#include <stdio.h>

#include "recipe.h"

/* ---- kernels ---- */

/* The position that stands for the family, operation, size; V3D instructions a sample, 7.1 and
 * 4.2, and TMU reads a sample (tests/v3d/run.sh); cycles of a block with the NEON kernels, by
 * llvm-mca for neoverse-n1 and cortex-a72 (bench/arm/run.sh). */
struct kernel_row {
    uint8_t position, operation, size;
    float v71, v42, reads, a76, a72;
};

/* clang-format off */
static const struct kernel_row kernels[] = {
#define ROW(position, op, side, ...) { position, QPEL_##op, QPEL_SIZE_##side, __VA_ARGS__ },
    ROW( 0, PUT, 16,   3.03F,   3.47F, 0.5625F,  16.0F,  32.0F)
    ROW( 0, PUT,  8,   3.00F,   3.44F, 0.5312F,   8.0F,  15.0F)
    ROW( 0, PUT,  4,   3.94F,   4.06F, 0.5625F,   4.0F,   8.0F)
    ROW( 0, AVG, 16,   4.31F,   5.25F, 0.8125F,  24.0F,  49.0F)
    ROW( 0, AVG,  8,   4.28F,   5.22F, 0.7812F,  12.0F,  20.0F)
    ROW( 0, AVG,  4,   5.12F,   5.81F, 0.8125F,   6.5F,  11.0F)
    ROW( 2, PUT, 16,  12.34F,  13.97F, 0.8125F, 121.5F, 135.0F)
    ROW( 2, PUT,  8,  12.22F,  13.84F, 0.7812F,  37.3F,  48.0F)
    ROW( 2, PUT,  4,  12.62F,  14.56F, 0.8125F,  18.0F,  19.7F)
    ROW( 2, AVG, 16,  13.56F,  15.50F, 1.0625F, 130.0F, 149.0F)
    ROW( 2, AVG,  8,  13.50F,  15.44F, 1.0312F,  43.2F,  56.0F)
    ROW( 2, AVG,  4,  13.94F,  15.81F, 1.0625F,  20.8F,  22.3F)
    ROW( 1, PUT, 16,  15.44F,  15.56F, 0.8125F, 130.0F, 142.0F)
    ROW( 1, PUT,  8,  15.47F,  15.47F, 0.7812F,  41.3F,  48.3F)
    ROW( 1, PUT,  4,  14.12F,  16.38F, 0.8125F,  19.0F,  20.3F)
    ROW( 1, AVG, 16,  16.75F,  17.09F, 1.0625F, 138.0F, 151.0F)
    ROW( 1, AVG,  8,  16.69F,  16.94F, 1.0312F,  47.0F,  56.0F)
    ROW( 1, AVG,  4,  15.50F,  17.75F, 1.0625F,  22.5F,  23.0F)
    ROW( 8, PUT, 16,   9.25F,  13.38F, 0.8750F, 121.5F, 126.0F)
    ROW( 8, PUT,  8,   9.47F,  12.91F, 0.8438F,  33.0F,  35.3F)
    ROW( 8, PUT,  4,  11.88F,  15.00F, 1.1875F,  16.1F,  18.7F)
    ROW( 8, AVG, 16,  10.50F,  13.78F, 1.1250F, 129.5F, 140.0F)
    ROW( 8, AVG,  8,  10.47F,  13.78F, 1.0938F,  39.0F,  40.7F)
    ROW( 8, AVG,  4,  13.12F,  15.12F, 1.4375F,  20.0F,  21.3F)
    ROW( 4, PUT, 16,  10.84F,  14.16F, 0.8750F, 129.5F, 126.0F)
    ROW( 4, PUT,  8,  10.62F,  14.16F, 0.8438F,  37.1F,  38.1F)
    ROW( 4, PUT,  4,  13.12F,  15.44F, 1.1875F,  17.6F,  19.3F)
    ROW( 4, AVG, 16,  11.81F,  14.94F, 1.1250F, 137.5F, 142.0F)
    ROW( 4, AVG,  8,  11.59F,  15.03F, 1.0938F,  43.5F,  43.3F)
    ROW( 4, AVG,  4,  15.00F,  17.12F, 1.4375F,  21.7F,  22.0F)
    ROW( 5, PUT, 16,  20.88F,  27.03F, 1.6250F, 241.5F, 244.0F)
    ROW( 5, PUT,  8,  20.91F,  27.09F, 1.5938F,  65.2F,  73.7F)
    ROW( 5, PUT,  4,  22.44F,  30.56F, 1.9375F,  30.5F,  33.2F)
    ROW( 5, AVG, 16,  21.97F,  28.31F, 1.8750F, 250.8F, 255.5F)
    ROW( 5, AVG,  8,  21.75F,  28.41F, 1.8438F,  70.9F,  79.0F)
    ROW( 5, AVG,  4,  23.56F,  31.94F, 2.1875F,  33.1F,  35.9F)
    ROW(10, PUT, 16,  20.16F,  24.25F, 1.2812F, 299.0F, 295.0F)
    ROW(10, PUT,  8,  20.12F,  24.03F, 1.2500F,  87.0F,  89.0F)
    ROW(10, PUT,  4,  24.69F,  31.12F, 1.7500F,  50.7F,  48.0F)
    ROW(10, AVG, 16,  21.62F,  25.56F, 1.5312F, 317.0F, 309.0F)
    ROW(10, AVG,  8,  21.53F,  25.50F, 1.5000F,  91.0F,  96.0F)
    ROW(10, AVG,  4,  26.44F,  32.75F, 2.0000F,  54.0F,  50.5F)
    ROW( 6, PUT, 16,  24.62F,  29.00F, 1.2812F, 314.2F, 314.5F)
    ROW( 6, PUT,  8,  24.91F,  28.97F, 1.2500F,  93.7F,  95.2F)
    ROW( 6, PUT,  4,  29.38F,  36.38F, 1.7500F,  52.1F,  50.5F)
    ROW( 6, AVG, 16,  26.41F,  30.97F, 1.5312F, 327.0F, 331.8F)
    ROW( 6, AVG,  8,  26.19F,  30.81F, 1.5000F, 104.0F, 102.0F)
    ROW( 6, AVG,  4,  31.00F,  38.50F, 2.0000F,  57.5F,  53.6F)
    ROW( 9, PUT, 16,  29.88F,  33.75F, 1.2812F, 413.5F, 404.0F)
    ROW( 9, PUT,  8,  30.00F,  33.62F, 1.2500F, 111.2F, 111.0F)
    ROW( 9, PUT,  4,  32.75F,  41.00F, 1.7500F,  62.2F,  59.6F)
    ROW( 9, AVG, 16,  31.41F,  35.12F, 1.5312F, 419.0F, 413.5F)
    ROW( 9, AVG,  8,  31.56F,  35.03F, 1.5000F, 117.9F, 117.0F)
    ROW( 9, AVG,  4,  34.19F,  42.62F, 2.0000F,  64.8F,  62.6F)
#undef ROW
};
/* clang-format on */

/* A model of a GPU, and of a CPU. */
struct gpu_model {
    const char *name;
    double qpus, ghz;  /* a QPU issues an instruction for 16 lanes in 4 clocks */
    double lookups;    /* TMU look-ups a nanosecond, all together */
    double fixed_wall; /* a dispatch that does nothing, and its wait */
    double fixed_cpu;  /* an empty submission, and its wait */
    double check;      /* what the checks of a dispatch cost a block, on either backend */
    const char *source;
};
struct cpu_model {
    const char *name;
    double ghz, check;
    const char *source;
};

#define CHECK_A76   12.0
#define CHECK_A72   24.0
#define STAGED_BYTE 1.6
#define FROM_MESA   "V3D's compiler in Mesa 25.0.7, 2026-11-30"
#define FROM_MCA    "llvm-mca 19 of the NEON kernels, 2026-11-30"

static const struct gpu_model v71 = {
    "V3D 7.1", 12, 0.96, 1.77, 55600, 22700, CHECK_A76, FROM_MESA
};
static const struct gpu_model v42 = {
    "V3D 4.2", 8, 0.5, 0.61, 139000, 57000, CHECK_A72, FROM_MESA
};
static const struct cpu_model a76 = { "Cortex-A76", 2.4, CHECK_A76, FROM_MCA };
static const struct cpu_model a72 = { "Cortex-A72", 1.8, CHECK_A72, FROM_MCA };

static struct qpel_recipe_line line_of(enum qpel_backend backend, const char *device,
                                       const char *source)
{
    struct qpel_recipe_line line = { .backend = backend };
    line.cost.origin = QPEL_ORIGIN_MODELLED;
    snprintf(line.device, sizeof line.device, "%s", device);
    snprintf(line.source, sizeof line.source, "%s", source);
    return line;
}

static void name_kernel(struct qpel_recipe_line *line, const struct kernel_row *row)
{
    line->work = QPEL_WORK_KERNEL;
    line->operation = (enum qpel_operation)row->operation;
    line->size = (enum qpel_size)row->size;
    line->position = row->position;
}

/* The larger of two bounds: what is issued, and what is looked up, which is the reads and one write
 * in four samples. */
static enum qpel_result add_gpu_kernels(struct qpel_recipe *recipe, const struct gpu_model *m,
                                        bool newer)
{
    enum qpel_result r = QPEL_OK;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels && !r; i++) {
        const struct kernel_row *row = &kernels[i];
        double samples = (16 >> row->size) * (16 >> row->size);
        double issue = (newer ? row->v71 : row->v42) * samples / 16 * 4 / (m->qpus * m->ghz);
        double look = (row->reads + 0.25) * samples / m->lookups;
        struct qpel_recipe_line line = line_of(QPEL_BACKEND_GPU, m->name, m->source);
        name_kernel(&line, row);
        line.cost.price[QPEL_TERM_FIXED] = (struct qpel_price){ m->fixed_wall, m->fixed_cpu };
        line.cost.price[QPEL_TERM_BLOCK] =
            (struct qpel_price){ m->check + (issue > look ? issue : look), m->check };
        line.cost.price[QPEL_TERM_BYTE] = (struct qpel_price){ STAGED_BYTE, STAGED_BYTE };
        r = qpel_recipe_append(recipe, &line);
    }
    return r;
}

static enum qpel_result add_cpu_kernels(struct qpel_recipe *recipe, const struct cpu_model *m,
                                        bool newer)
{
    enum qpel_result r = QPEL_OK;
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels && !r; i++) {
        double ns = m->check + (newer ? kernels[i].a76 : kernels[i].a72) / m->ghz;
        struct qpel_recipe_line line = line_of(QPEL_BACKEND_CPU, m->name, m->source);
        name_kernel(&line, &kernels[i]);
        line.cost.price[QPEL_TERM_BLOCK] = (struct qpel_price){ ns, ns };
        r = qpel_recipe_append(recipe, &line);
    }
    return r;
}

/* ---- pictures ---- */

/* Least squares over the pictures of the traces: bench/recipe.py prints these rows. */
struct picture_row {
    enum qpel_backend backend;
    const char *device, *source;
    struct qpel_price price[QPEL_TERM_COUNT];
};

static const struct picture_row pictures[] = {
    /* Luma of the traces to 7 %. */
    { QPEL_BACKEND_GPU,
      "V3D 7.1",
      FROM_MESA,
      { [QPEL_TERM_FIXED] = { 431100, 431100 },
        [QPEL_TERM_BLOCK] = { 26.62, 20 },
        [QPEL_TERM_SAMPLE] = { 0.05445, 0 },
        [QPEL_TERM_AXIS] = { 0.1994, 0 },
        [QPEL_TERM_CHROMA] = { 0.2896, 0 },
        [QPEL_TERM_WEIGH] = { 0.05333, 0 } } },
    /* Luma of the traces to 6 %. */
    { QPEL_BACKEND_GPU,
      "V3D 4.2",
      FROM_MESA,
      { [QPEL_TERM_FIXED] = { 1078000, 1078000 },
        [QPEL_TERM_BLOCK] = { 65.43, 40 },
        [QPEL_TERM_SAMPLE] = { 0.1592, 0 },
        [QPEL_TERM_AXIS] = { 0.7034, 0 },
        [QPEL_TERM_CHROMA] = { 0.9509, 0 },
        [QPEL_TERM_WEIGH] = { 0.2051, 0 } } },
    /* Luma of the traces to 6 %. */
    { QPEL_BACKEND_CPU,
      "Cortex-A76",
      FROM_MCA,
      { [QPEL_TERM_FIXED] = { 0, 0 },
        [QPEL_TERM_BLOCK] = { 15.48, 15.48 },
        [QPEL_TERM_SAMPLE] = { 0.01134, 0.01134 },
        [QPEL_TERM_AXIS] = { 0.217, 0.217 },
        [QPEL_TERM_CHROMA] = { 0.5508, 0.5508 },
        [QPEL_TERM_WEIGH] = { 0.2311, 0.2311 } } },
    /* Luma of the traces to 6 %. */
    { QPEL_BACKEND_CPU,
      "Cortex-A72",
      FROM_MCA,
      { [QPEL_TERM_FIXED] = { 0, 0 },
        [QPEL_TERM_BLOCK] = { 31.68, 31.68 },
        [QPEL_TERM_SAMPLE] = { 0.04371, 0.04371 },
        [QPEL_TERM_AXIS] = { 0.2665, 0.2665 },
        [QPEL_TERM_CHROMA] = { 0.8492, 0.8492 },
        [QPEL_TERM_WEIGH] = { 0.3563, 0.3563 } } },
};

static enum qpel_result add_pictures(struct qpel_recipe *recipe)
{
    enum qpel_result r = QPEL_OK;
    for (size_t i = 0; i < sizeof pictures / sizeof *pictures && !r; i++) {
        const struct picture_row *row = &pictures[i];
        struct qpel_recipe_line line = line_of(row->backend, row->device, row->source);
        line.work = QPEL_WORK_PICTURE;
        for (int t = 0; t < QPEL_TERM_COUNT; t++)
            line.cost.price[t] = row->price[t];
        r = qpel_recipe_append(recipe, &line);
    }
    return r;
}

enum qpel_result qpel_recipe_default(struct qpel_recipe **out)
{
    enum qpel_result r = qpel_recipe_create(out);
    if (r)
        return r;
    r = add_gpu_kernels(*out, &v71, true);
    if (!r)
        r = add_gpu_kernels(*out, &v42, false);
    if (!r)
        r = add_cpu_kernels(*out, &a76, true);
    if (!r)
        r = add_cpu_kernels(*out, &a72, false);
    if (!r)
        r = add_pictures(*out);
    if (r)
        qpel_recipe_destroy(out);
    return r;
}
