/* A decoder's own loop on the dsp door: what a work of the picture door takes there. It walks the
 * same blocks over the same pictures, and does what it takes to call a function: from vector and
 * reference the place to read from, the test whether the window leaves the reference, the copy
 * with clamped coordinates where it does, and the choice of the function. The test and the copy are
 * the library's own, in line. */
#include <stdlib.h>
#include <string.h>

#include "clamped.h"
#include "door.h"

/* A decoder has this at hand for each picture. All strides are equal. */
struct door_decoder {
    const struct qpel_dsp *dsp;
    ptrdiff_t stride;
    struct qpel_rectangle reach[QPEL_POSITION_COUNT]; /* of one sample */
    struct samples target[2], reference[DOOR_SLOTS];
    uint8_t *clamped; /* rows of `stride`, as the dsp door has one for both */
};

/* Apart from the loop, which then keeps what it needs in registers. */
static __attribute__((noinline)) const uint8_t *clamped(const struct door_decoder *d,
                                                        const struct samples *ref, int x, int y,
                                                        const struct qpel_rectangle *one, int side)
{
    return window_clamped(ref, x, y, one, side, side, d->clamped, d->stride);
}

static inline void predict(const struct door_decoder *d, const struct qpel_picture_block *b,
                           int list, uint8_t *dst,
                           qpel_mc_fn *const functions[QPEL_SIZE_COUNT][QPEL_POSITION_COUNT])
{
    const struct samples *ref = &d->reference[b->reference[list]];
    const int mx = b->mv[list][0], my = b->mv[list][1], side = b->width;
    const int position = (mx & 3) + 4 * (my & 3), x = b->x + (mx >> 2), y = b->y + (my >> 2);
    const struct qpel_rectangle *one = &d->reach[position];
    const uint8_t *src = ref->data + y * d->stride + x;

    if (__builtin_expect(window_leaves(ref, x, y, one, side, side), 0))
        src = clamped(d, ref, x, y, one, side);
    functions[QPEL_SIZE_4 - (side >> 3)][position](dst, src, d->stride);
}

void door_decoder_run(const struct door_decoder *decoder, const struct door_list *list,
                      unsigned target)
{
    const struct door_decoder d = *decoder;

    for (size_t i = 0; i < list->count; i++) {
        const struct qpel_picture_block *b = &list->blocks[i];
        uint8_t *dst = d.target[target].data + b->y * d.stride + b->x;

        predict(&d, b, 0, dst, d.dsp->put);
        if (b->references == 2)
            predict(&d, b, 1, dst, d.dsp->avg);
    }
}

static bool view(struct door_decoder *d, struct qpel_picture *picture, struct samples *samples)
{
    const struct qpel_picture_format format = qpel_picture_get_format(picture);
    struct qpel_picture_data data;

    /* Addresses are the same all the picture's life. */
    if (qpel_picture_begin(picture, QPEL_READ, &data) || qpel_picture_end(picture))
        return false;
    *samples = (struct samples){
        .data = data.data[0],
        .stride = data.stride[0],
        .width = (int)format.width,
        .height = (int)format.height,
        .step = 1,
    };
    d->stride = samples->stride;
    return true;
}

struct door_decoder *door_decoder_open(const struct qpel_dsp *dsp,
                                       struct qpel_picture *const targets[2],
                                       struct qpel_picture *const references[DOOR_SLOTS])
{
    struct door_decoder *d = calloc(1, sizeof(*d));
    bool ok = d;

    for (int i = 0; ok && i < 2; i++)
        ok = !targets[i] || view(d, targets[i], &d->target[i]);
    for (int slot = 0; ok && slot < DOOR_SLOTS; slot++)
        ok = !references[slot] || view(d, references[slot], &d->reference[slot]);
    if (ok) {
        d->dsp = dsp;
        for (int position = 0; position < QPEL_POSITION_COUNT; position++)
            d->reach[position] = qpel_window(position, 1, 1).bounds;
        d->clamped = bench_memory((size_t)CLAMPED_SIZE(d->stride));
        ok = d->clamped;
    }
    if (ok)
        return d;
    door_decoder_close(d);
    return NULL;
}

void door_decoder_close(struct door_decoder *decoder)
{
    if (!decoder)
        return;
    free(decoder->clamped);
    free(decoder);
}
