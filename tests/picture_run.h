/* Cases run by the library. */
#ifndef TESTS_PICTURE_RUN_H
#define TESTS_PICTURE_RUN_H

#include "guard.h"
#include "picture_case.h"
#include "targets.h"

/* Whose memory a picture has. */
enum picture_memory {
    CREATED,        /* the library's */
    BARE,           /* the same, each in a buffer of its own that has nothing else */
    WRAPPED,        /* a copy of the image's region */
    GUARDED_BEFORE, /* each plane starts directly after a forbidden page */
    GUARDED_AFTER,  /* or ends directly before one */
    PICTURE_MEMORY_COUNT
};

/* A planar picture of the library. */
struct qpel_picture *picture_new(struct qpel_context *context, uint32_t width, uint32_t height,
                                 enum qpel_chroma chroma);

/* Copies an image's samples into a picture of its format. */
void picture_fill(struct qpel_picture *picture, const struct image *image);

/* An image as a picture of the library. */
struct loaded {
    const struct image *image;
    enum picture_memory memory;
    struct qpel_picture *picture;
    uint8_t *region; /* WRAPPED */
    struct guard guards[QPEL_PLANE_MAX];
};

/* Fails the test where the library does. */
struct loaded load(struct qpel_context *context, const struct image *image,
                   enum picture_memory memory);
void unload(struct loaded *l);
/* The samples, and of WRAPPED all bytes, as a region like the image's; bytes that the picture has
 * no room for are the image's. To be freed. */
uint8_t *loaded_region(const struct loaded *l);

/* A case in a library's context. */
struct running {
    const struct picture_case *c;
    struct loaded target, images[CASE_IMAGES];
    struct qpel_batch *batch;
    bool spoilt; /* on collecting, blocks that are refused are added in between */
};

struct running running_open(const struct picture_case *c, struct qpel_context *context,
                            enum picture_memory target, enum picture_memory references);
/* Begins the batch and enters everything. */
void running_collect(struct running *r);
void running_close(struct running *r);

/* Submits and waits. UNSUPPORTED is passed on, anything else fails the test. */
enum qpel_result running_submit(struct running *r, const struct target *t);
/* Fails the test where the target is not as expected. */
void running_check(const struct running *r, const char *what);

/* All of it; false: this target can't. */
bool case_run(const struct picture_case *c, const struct target *t, enum picture_memory target,
              enum picture_memory references);

#define WAIT_NS UINT64_C(120000000000) /* busy machines */

#endif
