/* The seam: everything that the decoder asks of whoever predicts. plug_qpel.c puts libqpel's
 * picture door here, plug_plain.c plain C from the standard, to compare with. Nothing here knows
 * FFmpeg.
 *
 * Two functions do the work: submit() and wait(). The others are about memory, since both
 * the pictures and the list of blocks live where the plug wants them. */
#ifndef DECODER_PLUG_H
#define DECODER_PLUG_H

#include <qpel/picture.h>
#include <stdbool.h>

/* A picture of the decoder's pool, in memory that the plug made. */
struct picture {
    struct qpel_picture_format format;
    struct qpel_picture_data data; /* the same all its life */
    unsigned access;               /* enum qpel_access, how it is open to the CPU; 0: closed */
    void *plug;                    /* the plug's own */
    /* the pool's (pictures.c) */
    unsigned number;
    unsigned holds; /* the decoder's frame, and each pass that is not finished with it */
};

struct reference {
    struct picture *picture;
    uint8_t parity; /* enum qpel_parity */
};

enum { WEIGHTS_MAX = 65535 };

/* One picture's inter prediction. The blocks are in the library's own shape: what the decoder
 * records is what is uploaded. reference[] of a block is an index of references[], weight one of
 * weights[], counted from 1. */
struct batch {
    struct picture *target;
    struct qpel_picture_block *blocks; /* memory from room() */
    size_t count, room;                /* blocks that are filled, and that there is space for */
    struct reference references[QPEL_REFERENCE_MAX];
    unsigned reference_count;
    struct qpel_weight *weights; /* of the decoder's */
    unsigned weight_count;
    void *plug; /* the plug's own */
};

struct plug {
    const char *name;
    enum qpel_result (*create)(void **self);
    void (*destroy)(void *self); /* after all its pictures and batches */

    /* Who computes, by the command line's name; not called: the plug's choice. INVALID: it has none
     * of that name. */
    enum qpel_result (*backend)(void *self, const char *name);

    /* Starts the batch and may return before it is done. UNSUPPORTED: the backend can't be had; not
     * of one picture alone. No block reads what another writes, and no
     * two overlap, so any order is right. Target and references belong to the plug until wait(),
     * which returns when the target is whole; then the batch is empty again. */
    enum qpel_result (*submit)(void *self, struct batch *batch);
    enum qpel_result (*wait)(void *self, struct batch *batch);

    /* Room for more blocks: called before the first, when the target is known, and each time the
     * room is full. The filled ones are the plug's from then on; sets blocks, count and room. */
    enum qpel_result (*room)(void *self, struct batch *batch);
    void (*batch_destroy)(void *self, struct batch *batch);

    /* Makes a picture of picture->format, closed. UNSUPPORTED: not of this format. */
    enum qpel_result (*picture_create)(void *self, struct picture *picture);
    void (*picture_destroy)(void *self, struct picture *picture);
    /* Open it to the CPU, and close it again; never opened twice. */
    enum qpel_result (*picture_open)(void *self, struct picture *picture, enum qpel_access access);
    enum qpel_result (*picture_close)(void *self, struct picture *picture);
};

extern const struct plug plug_plain, plug_qpel;

#endif
