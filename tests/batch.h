/* Batches of blocks for the dispatch door, their memory, and what should become of them. */
#ifndef TESTS_BATCH_H
#define TESTS_BATCH_H

#include "kernels.h"
#include "random.h"
#include "targets.h"

/* How a plane's memory is given. */
enum memory { PLAIN, BUFFER, MEMORY_COUNT };

/* What batches are made like. */
struct batch_shape {
    struct kernel kernel;
    size_t count;
    ptrdiff_t dst_stride, src_stride; /* 0: drawn */
    int dst_unit;  /* offsets and strides of dst are multiples of this: 4 for a GPU */
    int src_align; /* -1: drawn; 0..15: of every block's offset and of the plane's base */
    bool packed;   /* blocks touch each other; else there are bytes between them that must stay */
    int kind;      /* of data, below HOSTILE_KINDS */
};

struct batch {
    struct kernel kernel;
    size_t count;
    struct qpel_block *blocks;
    ptrdiff_t dst_stride, src_stride;
    size_t dst_size, src_size;
    uint8_t *src, *before, *expected; /* before, expected: of dst_size */
};

/* Draws a batch and asks the oracle for its result. */
struct batch batch_make(const struct batch_shape *shape, struct random *r);
void batch_free(struct batch *b);

/* Runs it on a target, planes in memory of these kinds, and compares all of dst and what is
 * around it. False: said how. The report may be null. */
bool batch_run(const struct batch *b, const struct target *t, enum memory dst, enum memory src,
               struct random *r, struct qpel_report *report);

/* Whether dst is as expected; if not, shows the first block that isn't. */
bool batch_equal(const struct batch *b, const uint8_t *actual, const char *what);

/* Parameters without planes. */
struct qpel_dispatch_params batch_params(const struct batch *b, enum qpel_backend backend);

#endif
