/* qpel-tune's parts, for each other. */
#ifndef QPEL_TUNE_H
#define QPEL_TUNE_H

#include <qpel/qpel.h>

#include "measure.h"

struct tune {
    struct qpel_context *context;
    struct measure_plan plan;
    struct qpel_recipe *recipe;
    char cpu[QPEL_NAME_SIZE], gpu[QPEL_NAME_SIZE], source[QPEL_REASON_SIZE];
    bool with_gpu;
};

_Noreturn void tune_fail(const char *what);
/* Fails where r is not QPEL_OK. */
void tune_check(enum qpel_result r, const char *what);

/* Adds a line, for this machine's CPU or GPU. */
void tune_add(struct tune *tune, struct qpel_recipe_line line);

void tune_progress(int done, int all, enum qpel_backend backend, const char *what);

/* FNV-1a. Begin with TUNE_HASH. */
#define TUNE_HASH UINT64_C(0xcbf29ce484222325)
uint64_t tune_hash(uint64_t hash, const uint8_t *bytes, size_t count);

/* tune_picture.c: the lines of the picture door. */
void tune_pictures(struct tune *tune);

#endif
