/* The recipe that ships: the Raspberry Pi 4 and 5, modelled. docs/recipes.md derives the figures.
 */
#include "recipe.h"

/* A kernel class: the position that stands for its family, operation, side; V3D instructions a
 * sample, 7.1 and 4.2, and TMU reads a sample (tests/v3d/run.sh); cycles of a block with the NEON
 * kernels, by llvm-mca for neoverse-n1 and cortex-a72 (bench/arm/run.sh). */
/* clang-format off */
#define MODEL(X) \
    X( 0, PUT, 16,  3.688,  3.750, 0.5625,  16.0,  32.0) \
    X( 0, PUT,  8,  3.656,  3.719, 0.5312,   8.0,  15.0) \
    X( 0, PUT,  4,  4.438,  4.562, 0.5625,   4.0,   8.0) \
    X( 0, AVG, 16,  5.188,  5.344, 0.8125,  24.0,  49.0) \
    X( 0, AVG,  8,  5.156,  5.312, 0.7812,  12.0,  20.0) \
    X( 0, AVG,  4,  6.000,  6.000, 0.8125,   6.5,  11.0) \
    X( 2, PUT, 16, 13.188, 14.312, 0.8125, 121.5, 135.0) \
    X( 2, PUT,  8, 13.094, 14.312, 0.7812,  37.3,  48.0) \
    X( 2, PUT,  4, 13.375, 15.125, 0.8125,  18.0,  19.7) \
    X( 2, AVG, 16, 14.594, 15.781, 1.0625, 130.0, 149.0) \
    X( 2, AVG,  8, 14.469, 15.812, 1.0312,  43.2,  56.0) \
    X( 2, AVG,  4, 14.750, 16.375, 1.0625,  20.8,  22.3) \
    X( 1, PUT, 16, 14.970, 15.660, 0.8125, 130.0, 142.0) \
    X( 1, PUT,  8, 15.090, 15.590, 0.7812,  41.3,  48.3) \
    X( 1, PUT,  4, 15.000, 16.560, 0.8125,  19.0,  20.3) \
    X( 1, AVG, 16, 16.280, 17.410, 1.0625, 138.0, 151.0) \
    X( 1, AVG,  8, 16.280, 17.340, 1.0312,  47.0,  56.0) \
    X( 1, AVG,  4, 16.380, 17.940, 1.0625,  22.5,  23.0) \
    X( 8, PUT, 16,  9.594, 13.531, 0.8750, 121.5, 126.0) \
    X( 8, PUT,  8,  9.562, 13.562, 0.8438,  33.0,  35.3) \
    X( 8, PUT,  4, 13.250, 14.875, 1.1875,  16.1,  18.7) \
    X( 8, AVG, 16, 11.125, 15.125, 1.1250, 129.5, 140.0) \
    X( 8, AVG,  8, 11.094, 15.094, 1.0938,  39.0,  40.7) \
    X( 8, AVG,  4, 14.625, 16.688, 1.4375,  20.0,  21.3) \
    X( 4, PUT, 16, 11.250, 13.344, 0.8750, 129.5, 126.0) \
    X( 4, PUT,  8, 11.219, 13.344, 0.8438,  37.1,  38.1) \
    X( 4, PUT,  4, 16.000, 16.875, 1.1875,  17.6,  19.3) \
    X( 4, AVG, 16, 12.406, 14.906, 1.1250, 137.5, 142.0) \
    X( 4, AVG,  8, 12.375, 14.906, 1.0938,  43.5,  43.3) \
    X( 4, AVG,  4, 17.750, 18.875, 1.4375,  21.7,  22.0) \
    X( 5, PUT, 16, 21.531, 25.500, 1.6250, 241.5, 244.0) \
    X( 5, PUT,  8, 21.500, 25.500, 1.5938,  65.2,  73.7) \
    X( 5, PUT,  4, 23.250, 28.938, 1.9375,  30.5,  33.2) \
    X( 5, AVG, 16, 22.906, 26.719, 1.8750, 250.8, 255.5) \
    X( 5, AVG,  8, 22.719, 26.875, 1.8438,  70.9,  79.0) \
    X( 5, AVG,  4, 24.312, 31.125, 2.1875,  33.1,  35.9) \
    X(10, PUT, 16, 20.156, 24.250, 1.2812, 299.0, 295.0) \
    X(10, PUT,  8, 20.125, 24.031, 1.2500,  87.0,  89.0) \
    X(10, PUT,  4, 24.688, 31.125, 1.7500,  50.7,  48.0) \
    X(10, AVG, 16, 21.625, 25.562, 1.5312, 317.0, 309.0) \
    X(10, AVG,  8, 21.531, 25.500, 1.5000,  91.0,  96.0) \
    X(10, AVG,  4, 26.438, 32.750, 2.0000,  54.0,  50.5) \
    X( 6, PUT, 16, 24.625, 29.000, 1.2812, 314.2, 314.5) \
    X( 6, PUT,  8, 24.906, 28.969, 1.2500,  93.7,  95.2) \
    X( 6, PUT,  4, 29.375, 36.375, 1.7500,  52.1,  50.5) \
    X( 6, AVG, 16, 26.406, 30.969, 1.5312, 327.0, 331.8) \
    X( 6, AVG,  8, 26.188, 30.812, 1.5000, 104.0, 102.0) \
    X( 6, AVG,  4, 31.000, 38.500, 2.0000,  57.5,  53.6) \
    X( 9, PUT, 16, 29.875, 33.750, 1.2812, 413.5, 404.0) \
    X( 9, PUT,  8, 30.000, 33.625, 1.2500, 111.2, 111.0) \
    X( 9, PUT,  4, 32.750, 41.000, 1.7500,  62.2,  59.6) \
    X( 9, AVG, 16, 31.406, 35.125, 1.5312, 419.0, 413.5) \
    X( 9, AVG,  8, 31.562, 35.031, 1.5000, 117.9, 117.0) \
    X( 9, AVG,  4, 34.188, 42.625, 2.0000,  64.8,  62.6)
/* clang-format on */

/* A QPU issues an instruction for 16 lanes in 4 clocks. 7.1: 12 QPUs at 960 MHz; 4.2: 8 at 500. */
#define ISSUE_NS(instructions, samples, qpus, ghz)                                                 \
    ((instructions) * (samples) / 16 * 4 / ((qpus) * (ghz)))

/* TMU look-ups a nanosecond, all together, and the one write in four samples. */
#define LOOKUP_NS(reads, samples, rate) (((reads) + 0.25) * (samples) / (rate))
#define RATE_71                         1.77
#define RATE_42                         0.61

#define LARGER(a, b) ((a) > (b) ? (a) : (b))

/* What the checks of a dispatch cost a block, on either backend. */
#define CHECK_A76 12.0
#define CHECK_A72 24.0

#define GPU_LINE(name, position_, op, side, wall, fixed, submit, check)                            \
    {                                                                                              \
        .backend = QPEL_BACKEND_GPU,                                                               \
        .device = name,                                                                            \
        .operation = QPEL_##op,                                                                    \
        .size = QPEL_SIZE_##side,                                                                  \
        .position = position_,                                                                     \
        .cost = { .fixed_wall = fixed,                                                             \
                  .fixed_cpu = submit,                                                             \
                  .block_wall = (check) + (wall),                                                  \
                  .block_cpu = check,                                                              \
                  .byte_wall = 1.6,                                                                \
                  .byte_cpu = 1.6,                                                                 \
                  .origin = QPEL_ORIGIN_MODELLED },                                                \
        .source = "V3D's compiler in Mesa 25.0.7, 2026-11-30",                                     \
    },

#define CPU_LINE(name, position_, op, side, ns)                                                    \
    {                                                                                              \
        .backend = QPEL_BACKEND_CPU,                                                               \
        .device = name,                                                                            \
        .operation = QPEL_##op,                                                                    \
        .size = QPEL_SIZE_##side,                                                                  \
        .position = position_,                                                                     \
        .cost = { .block_wall = ns, .block_cpu = ns, .origin = QPEL_ORIGIN_MODELLED },             \
        .source = "llvm-mca 19 of the NEON kernels, 2026-11-30",                                   \
    },

#define LINE_71(p, op, side, v71, v42, reads, a76, a72)                                            \
    GPU_LINE("V3D 7.1", p, op, side,                                                               \
             LARGER(ISSUE_NS(v71, (side) * (side), 12, 0.96),                                      \
                    LOOKUP_NS(reads, (side) * (side), RATE_71)),                                   \
             55600, 22700, CHECK_A76)
#define LINE_42(p, op, side, v71, v42, reads, a76, a72)                                            \
    GPU_LINE("V3D 4.2", p, op, side,                                                               \
             LARGER(ISSUE_NS(v42, (side) * (side), 8, 0.5),                                        \
                    LOOKUP_NS(reads, (side) * (side), RATE_42)),                                   \
             139000, 57000, CHECK_A72)
#define LINE_A76(p, op, side, v71, v42, reads, a76, a72)                                           \
    CPU_LINE("Cortex-A76", p, op, side, CHECK_A76 + (a76) / 2.4)
#define LINE_A72(p, op, side, v71, v42, reads, a76, a72)                                           \
    CPU_LINE("Cortex-A72", p, op, side, CHECK_A72 + (a72) / 1.8)

/* Never written to; the type of a list that callers may change has no const. */
static const struct qpel_recipe_line lines[] = { MODEL(LINE_71) MODEL(LINE_42) MODEL(LINE_A76)
                                                     MODEL(LINE_A72) };

const struct qpel_recipe *qpel_recipe_default(void)
{
    static const struct qpel_recipe recipe = {
        .lines = (struct qpel_recipe_line *)lines,
        .count = sizeof lines / sizeof *lines,
    };
    return &recipe;
}
