/* Memory that notices: forbidden pages beside the bytes that may be touched, and the
 * comparison of whole regions that shows a failure as a picture. */
#ifndef TESTS_GUARD_H
#define TESTS_GUARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- a run of bytes with a forbidden page at both sides ---- */

enum guard_side {
    GUARD_BEFORE, /* the first byte lies directly after a forbidden page */
    GUARD_AFTER   /* the last byte lies directly before one */
};

struct guard {
    uint8_t *data;
    size_t size;
    void *map;
    size_t map_size;
};

/* size may be 0. Ends the program where the system has no memory. */
struct guard guard_open(size_t size, enum guard_side side);
void guard_close(struct guard *g);

/* ---- rows, each between forbidden pages of its own ---- */

/* Columns of a row that may be touched, both included. */
struct fence_span {
    int left, right; /* left > right: none */
};

struct fence {
    uint8_t *map;
    size_t map_size, page;
    int rows;
};

/* The stride of all fences: so many bytes from a row to the next. */
ptrdiff_t fence_stride(void);

struct fence fence_open(int rows);
void fence_close(struct fence *f);

/* Lays out rows top .. top + count - 1 so that exactly the pages that hold the spans' columns
 * are open and all else is forbidden. Column `edge` becomes the first byte of a page
 * (GUARD_BEFORE) or the last (GUARD_AFTER). `flipped`: the rows go upwards in memory, stride
 * -fence_stride(). Returns where column 0 of row 0 is, or would be. */
uint8_t *fence_lay(struct fence *f, const struct fence_span *spans, int top, int count, int edge,
                   enum guard_side side, bool flipped);

/* ---- faults ---- */

/* Calls; false if the call touched a forbidden page or ran an instruction that is not there. */
bool guard_run(void (*call)(void *user), void *user);

/* ---- comparison ---- */

/* A block inside a region of memory. */
struct block_shape {
    ptrdiff_t offset; /* of its first sample */
    ptrdiff_t stride;
    int width, height;
};

/* Whether two regions are equal, byte by byte. If not, prints `what`, the block as it
 * should be and as it is, a map of the samples that differ, and how many bytes differ
 * outside the block and where. Every comparison of predicted samples goes through here. */
bool regions_equal(const uint8_t *expected, const uint8_t *actual, size_t size,
                   struct block_shape block, const char *what);

/* For tests of the tests: regions_equal() says nothing while this is set. */
extern bool regions_quiet;

#endif
