/* Pictures in memory of every kind, and cases for memory that has no room for windows that leave
 * it. */
#ifndef TESTS_PICTURE_PLACE_H
#define TESTS_PICTURE_PLACE_H

#include "picture_run.h"

/* An entry for each way to come by a picture. */
enum place {
    PLACE_CREATED,    /* qpel_picture_create(), near the CPU */
    PLACE_EXPORTABLE, /* near the GPU */
    PLACE_IMPORTED,   /* in a dma-buf of place_dmabuf(), whose descriptor is closed */
    PLACE_PAGES,      /* wrapped, in whole pages with stated bounds; the last plane ends there */
    PLACE_COUNT
};

/* Planes for an image in a dma-buf or in pages: gaps of multiples of 4 bytes, and a size in whole
 * pages with some bytes to spare. */
struct qpel_dmabuf place_layout(const struct image *image);

/* Zero-filled memory that can be mapped, of whole pages: plain shared memory, unless a test has
 * something better. Returns its descriptor. */
extern int (*place_dmabuf)(size_t size);

/* A picture with the image's samples. */
struct qpel_picture *place_picture(struct qpel_context *context, const struct image *image,
                                   enum place place);
/* Frees the pages of PLACE_PAGES. */
void place_free_pages(void);

/* As running_open(). */
struct running place_open(const struct picture_case *c, struct qpel_context *context,
                          enum place target, enum place references);

/* Blocks of 8x8 all over a picture of at least 32x32, one or two references, no window of which
 * leaves them. */
struct picture_case place_case(struct qpel_picture_format format, struct random *r);
/* A format for it. */
struct qpel_picture_format place_format(struct random *r);

struct qpel_memory_info place_info(const struct qpel_picture *picture);

/* Open descriptors of this process. */
int place_descriptors(void);

#endif
