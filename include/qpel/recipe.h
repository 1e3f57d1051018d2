/* libqpel: recipes: what each backend costs, and so which one AUTO takes.
 *
 * A recipe is a list of cost lines. A line holds what one device takes for a class of work, in
 * wall time and in the caller's CPU time, as a sum of terms: what a call costs whatever is in it,
 * what each block adds, and so on. Classes are the kernels of the dispatch door (operation, family
 * of positions, size), and the pictures of the picture door, which are one class. AUTO predicts
 * both backends' time for the very batch at hand and takes the smaller; where the caller prefers
 * CPU time, the backend that spends less of it within the context's stated slowdown.
 *
 * Lines say where they come from. Without a line for the GPU at hand, or with
 * lines marked unmeasured, AUTO uses the CPU. docs/recipes.md shows the file. */
#ifndef QPEL_RECIPE_H
#define QPEL_RECIPE_H

#include "context.h"
#include "dispatch.h"
#include "picture.h"

#ifdef __cplusplus
extern "C" {
#endif

struct qpel_recipe;

enum qpel_origin {
    QPEL_ORIGIN_UNMEASURED, /* no figure: never chosen over another backend */
    QPEL_ORIGIN_MODELLED,   /* computed from a compiler's statistics and published figures */
    QPEL_ORIGIN_MEASURED    /* by qpel-tune, on the device and day that the line names */
};
/* "unmeasured", "modelled", "measured". */
QPEL_API const char *qpel_origin_name(enum qpel_origin origin);

/* What a line is about. */
enum qpel_work {
    QPEL_WORK_KERNEL, /* qpel_dispatch() with one operation, size and family of positions */
    QPEL_WORK_PICTURE /* qpel_submit(), from the call until the ticket is done */
};

/* What is counted of a call. A line has the terms of its kind of work; the others are 0. */
enum qpel_term {
    QPEL_TERM_FIXED,  /* both: once */
    QPEL_TERM_BLOCK,  /* kernels: each block. Pictures: each list of each block */
    QPEL_TERM_BYTE,   /* kernels: each byte that is staged (plain memory on the GPU); CPU: 0 */
    QPEL_TERM_SAMPLE, /* pictures: each luma sample of each list */
    QPEL_TERM_AXIS,   /* pictures: the same, once for each axis along which the vector points
                       * between samples: 0, 1 or 2 times */
    QPEL_TERM_CHROMA, /* pictures: each chroma sample of each list, Cb's and Cr's. Those of 4:4:4
                       * count as luma's */
    QPEL_TERM_WEIGH,  /* pictures: each sample, of all planes, that is weighted */
    QPEL_TERM_COUNT
};

/* Nanoseconds. */
struct qpel_price {
    double wall, cpu;
};

struct qpel_cost {
    struct qpel_price price[QPEL_TERM_COUNT];
    enum qpel_origin origin;
};

#define QPEL_DEVICE_PATTERN_SIZE 64
/* A row of a recipe, in the file's order. */
struct qpel_recipe_line {
    enum qpel_backend backend; /* CPU or GPU */
    /* GPU: the device's name must start so, compared without case. CPU: the name of the
     * CPU (its model, as qpel_cpu_name() gives it). Empty: any. The first line that fits is used.
     */
    char device[QPEL_DEVICE_PATTERN_SIZE];
    enum qpel_work work;
    /* Of kernels; 0 for pictures. */
    enum qpel_operation operation;
    enum qpel_size size;
    int position; /* stands for its whole family; see docs/recipes.md */
    struct qpel_cost cost;
    char source[QPEL_REASON_SIZE]; /* where and when measured: driver, date */
};

/* The recipe that ships: V3D 7.1 and 4.2 with the Pi's CPUs, modelled. The caller's, to change and
 * to destroy. QPEL_OK, INVALID, NOMEM. */
QPEL_API enum qpel_result qpel_recipe_default(struct qpel_recipe **out);

/* An empty recipe; fill it with qpel_recipe_add(). QPEL_OK, INVALID, NOMEM. */
QPEL_API enum qpel_result qpel_recipe_create(struct qpel_recipe **out);
QPEL_API void qpel_recipe_destroy(struct qpel_recipe **recipe);

/* Puts a line before all others, so that it wins. Costs must be finite and not negative.
 * QPEL_OK, INVALID, NOMEM. One thread at a time. */
QPEL_API enum qpel_result qpel_recipe_add(struct qpel_recipe *recipe,
                                          const struct qpel_recipe_line *line);

/* The lines, to read; count is set. They live until the recipe is changed or destroyed. */
QPEL_API const struct qpel_recipe_line *qpel_recipe_lines(const struct qpel_recipe *recipe,
                                                          size_t *count);

/* Reads a recipe file. QPEL_OK; QPEL_ERROR_IO: it can't be read; QPEL_ERROR_INVALID: it does not
 * parse, and *error_line (may be null) is the line, from 1; QPEL_ERROR_NOMEM. *out is set on
 * success only. */
QPEL_API enum qpel_result qpel_recipe_load(struct qpel_recipe **out, const char *path,
                                           unsigned *error_line);

/* Writes a file that qpel_recipe_load() reads back to the same lines. The file is replaced
 * whole or not at all. QPEL_OK; QPEL_ERROR_IO; QPEL_ERROR_INVALID. */
QPEL_API enum qpel_result qpel_recipe_save(const struct qpel_recipe *recipe, const char *path);

/* This machine's CPU for CPU lines, such as "Cortex-A76" or the x86 brand string;
 * "unknown" where the system does not tell. `name` holds QPEL_NAME_SIZE bytes. Any thread. */
QPEL_API void qpel_cpu_name(char name[QPEL_NAME_SIZE]);

/* What AUTO would do. */
struct qpel_recipe_answer {
    enum qpel_backend backend; /* CPU or GPU */
    /* Predictions in seconds; negative where there is no line. */
    double cpu_wall, cpu_cpu, gpu_wall, gpu_cpu;
    enum qpel_origin cpu_origin, gpu_origin;
    char reason[QPEL_REASON_SIZE];
};

/* Tells which backend AUTO would take for this call, and why. The blocks are not looked at
 * (nor need they be given); planes tell whether memory would be staged. Opens the
 * GPU on first need. QPEL_OK; QPEL_ERROR_INVALID for bad enums, position or null. Any thread. */
QPEL_API enum qpel_result qpel_recipe_query(struct qpel_context *context,
                                            const struct qpel_dispatch_params *params,
                                            struct qpel_recipe_answer *answer);

/* The same for qpel_submit() of this batch as it is now, with params->slices; with none, the CPU's
 * work is all in that call. Slices are taken to run side by side, each on a core of its own.
 * QPEL_OK; QPEL_ERROR_INVALID for null, or where nothing was begun. The batch's thread. */
QPEL_API enum qpel_result qpel_recipe_query_batch(struct qpel_batch *batch,
                                                  const struct qpel_submit_params *params,
                                                  struct qpel_recipe_answer *answer);

#ifdef __cplusplus
}
#endif

#endif
