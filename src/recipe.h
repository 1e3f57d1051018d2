/* The recipe's inside. */
#ifndef QPEL_SRC_RECIPE_H
#define QPEL_SRC_RECIPE_H

#include <stdbool.h>

#include "gpu.h"
#include "positions.h"
#include "qpel/recipe.h"

struct qpel_recipe {
    struct qpel_recipe_line *lines;
    size_t count, room;
};

enum qpel_result qpel_recipe_copy(struct qpel_recipe **out, const struct qpel_recipe *recipe);

/* Adds behind all others; the line has been checked. */
enum qpel_result qpel_recipe_append(struct qpel_recipe *recipe,
                                    const struct qpel_recipe_line *line);

bool qpel_recipe_line_valid(const struct qpel_recipe_line *line);

/* The first line for this device and kernel class; null: none. */
const struct qpel_recipe_line *qpel_recipe_find(const struct qpel_recipe *recipe,
                                                enum qpel_backend backend, const char *device,
                                                enum qpel_operation operation, enum qpel_size size,
                                                enum family family);

/* The bytes that a GPU run of the job would stage. */
size_t qpel_job_staged_bytes(const struct job *job);

/* Predicts both backends and chooses. gpu: may be null, and then gpu_reason tells why. */
void qpel_recipe_choose(const struct qpel_context *context, const struct gpu *gpu,
                        const char *gpu_reason, const struct job *job,
                        struct qpel_recipe_answer *answer);

#endif
