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

/* Whether lines of this work have the term. */
bool qpel_work_has(enum qpel_work work, enum qpel_term term);

/* What lines are told apart by, but for backend and device. */
struct work_class {
    enum qpel_work work;
    /* Of kernels; pictures: 0. */
    enum qpel_operation operation;
    enum qpel_size size;
    enum family family;
};

/* The first line for this device and class; null: none. */
const struct qpel_recipe_line *qpel_recipe_find(const struct qpel_recipe *recipe,
                                                enum qpel_backend backend, const char *device,
                                                const struct work_class *class);

/* The bytes that a GPU run of the job would stage. */
size_t qpel_job_staged_bytes(const struct job *job);

/* A call, for predictions. */
struct question {
    const struct gpu *gpu; /* null: there is none */
    const char *why;       /* then: the reason. Else, if not null: why it can't do this */
    struct work_class class;
    double count[QPEL_TERM_COUNT];
    unsigned slices; /* at least 1: so many cores share the CPU's work, but for what is fixed */
};

/* Predicts both backends and chooses. */
void qpel_recipe_choose(const struct qpel_context *context, const struct question *question,
                        struct qpel_recipe_answer *answer);

/* Puts the context's own backend, where it has one, in the place of the choice. */
void qpel_recipe_settle(const struct qpel_context *context, struct qpel_recipe_answer *answer);

/* gpu: may be null, and then gpu_reason tells why. */
void qpel_recipe_choose_job(const struct qpel_context *context, const struct gpu *gpu,
                            const char *gpu_reason, const struct job *job,
                            struct qpel_recipe_answer *answer);

/* For a batch that has a target. slices: as qpel_submit_params has them. */
void qpel_recipe_choose_batch(struct qpel_batch *batch, unsigned slices,
                              struct qpel_recipe_answer *answer);

#endif
