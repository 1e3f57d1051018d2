/* The decoder's pool of pictures: which are free, which is meant by an address, and who may touch
 * them when. */
#ifndef DECODER_PICTURES_H
#define DECODER_PICTURES_H

#include "plug.h"

enum { PICTURES_MAX = 64 }; /* 16 references, as many to be output, and those in flight */

struct pictures {
    const struct plug *plug;
    void *self; /* the plug's instance */
    struct picture all[PICTURES_MAX];
    unsigned made;       /* all[] up to here have been made; format.width 0: not there */
    struct picture *hit; /* the picture that was last found */
    unsigned peak;
};

/* Where a sample lies. With a field's stride, y counts that field's rows. */
struct place {
    struct picture *picture;
    int plane, x, y;
    enum qpel_parity parity;
};

/* A picture that nobody holds, open for reading and writing, with one hold on it. */
enum qpel_result pictures_take(struct pictures *pool, const struct qpel_picture_format *format,
                               struct picture **out);
/* Gives up memory of all pictures; none may be held. */
void pictures_free(struct pictures *pool);

/* The place of an address, stepped through by `stride`. False: in no picture. */
bool pictures_locate(struct pictures *pool, const uint8_t *address, ptrdiff_t stride,
                     struct place *place);
/* The picture that an address lies in, or null. */
struct picture *pictures_at(struct pictures *pool, const uint8_t *address);

/* Opens it to the CPU so far, or closes it (0). */
enum qpel_result pictures_access(struct pictures *pool, struct picture *picture, unsigned access);

unsigned picture_planes(const struct qpel_picture_format *format);
unsigned picture_plane_rows(const struct qpel_picture_format *format, int plane);

static inline int bytes_shift(const struct qpel_picture_format *format)
{
    return format->bit_depth > 8;
}
/* How much smaller a plane is than luma, as shifts. */
static inline int shift_x(const struct qpel_picture_format *format, int plane)
{
    return plane && format->chroma != QPEL_CHROMA_444;
}
static inline int shift_y(const struct qpel_picture_format *format, int plane)
{
    return plane && format->chroma == QPEL_CHROMA_420;
}

#endif
