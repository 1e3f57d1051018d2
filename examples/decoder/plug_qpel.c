/* The picture door of libqpel. Pictures are the library's, in memory that CPU and GPU both reach;
 * blocks are recorded straight into the library's batch. */
#include "plug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct qpel {
    struct qpel_context *context;
    struct qpel_submit_params params;
    char told[QPEL_REASON_SIZE + QPEL_NAME_SIZE + 60]; /* the last line of tell() */
};

/* batch->plug */
struct door {
    struct qpel_batch *batch;
    bool begun;                   /* it collects for batch->target */
    unsigned references, weights; /* of the decoder's that have been entered */
    qpel_ticket ticket;
};

static enum qpel_result create(void **self)
{
    struct qpel *qpel = calloc(1, sizeof *qpel);
    if (!qpel)
        return QPEL_ERROR_NOMEM;
    enum qpel_result r = qpel_context_create(&qpel->context, NULL);
    if (r)
        free(qpel);
    else
        *self = qpel;
    return r;
}

static void destroy(void *self)
{
    struct qpel *qpel = self;
    qpel_context_destroy(&qpel->context);
    free(qpel);
}

static enum qpel_result backend(void *self, const char *name)
{
    struct qpel *qpel = self;
    for (int b = QPEL_BACKEND_AUTO; b <= QPEL_BACKEND_GPU; b++)
        if (!strcmp(name, qpel_backend_name((enum qpel_backend)b))) {
            qpel->params.backend = (enum qpel_backend)b;
            return QPEL_OK;
        }
    return QPEL_ERROR_INVALID;
}

/* ---- blocks ---- */

/* What the blocks so far refer to has to be known to the batch before they are. Its indices count
 * up as the decoder's do. */
static enum qpel_result enter(struct door *door, const struct batch *batch)
{
    for (; door->references < batch->reference_count; door->references++) {
        const struct reference *ref = &batch->references[door->references];
        uint8_t index;
        enum qpel_result r = qpel_batch_reference(door->batch, ref->picture->plug,
                                                  (enum qpel_parity)ref->parity, &index);
        if (!r && index != door->references)
            r = QPEL_ERROR_INTERNAL;
        if (r)
            return r;
    }
    for (; door->weights < batch->weight_count; door->weights++) {
        uint16_t index;
        enum qpel_result r = qpel_batch_weight(door->batch, &batch->weights[door->weights], &index);
        if (!r && index != door->weights + 1)
            r = QPEL_ERROR_INTERNAL;
        if (r)
            return r;
    }
    return QPEL_OK;
}

static enum qpel_result commit(struct door *door, const struct batch *batch)
{
    size_t bad = SIZE_MAX;
    enum qpel_result r = enter(door, batch);
    if (!r)
        r = qpel_batch_commit(door->batch, batch->count, &bad);
    if (r && bad < batch->count) {
        const struct qpel_picture_block *b = &batch->blocks[bad];
        fprintf(stderr, "block %zu: %dx%d at %d,%d, rows %d, refused: %s\n", bad, b->width,
                b->height, b->x, b->y, b->parity, qpel_result_name(r));
    }
    return r;
}

static enum qpel_result room(void *self, struct batch *batch)
{
    enum { MORE = 1024 };
    struct qpel *qpel = self;
    struct door *door = batch->plug;
    enum qpel_result r = QPEL_OK;
    if (!door) {
        door = calloc(1, sizeof *door);
        if (!door)
            return QPEL_ERROR_NOMEM;
        batch->plug = door;
        r = qpel_batch_create(qpel->context, &door->batch);
    }
    if (!r && !door->begun)
        r = qpel_batch_begin(door->batch, batch->target->plug);
    else if (!r)
        r = commit(door, batch);
    if (r)
        return r;
    door->begun = true;
    batch->count = batch->room = 0;
    r = qpel_batch_room(door->batch, MORE, &batch->blocks);
    if (!r)
        batch->room = MORE;
    return r;
}

static void batch_destroy(void *self, struct batch *batch)
{
    struct door *door = batch->plug;
    (void)self;
    if (door)
        qpel_batch_destroy(&door->batch);
    free(door);
    batch->plug = NULL;
}

/* ---- the work ---- */

/* Who predicts, or why nobody: once, and again when that changes. */
static void tell(struct qpel *qpel, enum qpel_result r, const struct qpel_report *report)
{
    char now[sizeof qpel->told];
    if (r)
        snprintf(now, sizeof now, "not predicted: %s: %s", qpel_result_name(r), report->reason);
    else
        snprintf(now, sizeof now, "predicted by %s (%s): %s", qpel_backend_name(report->backend),
                 report->device, report->reason);
    if (strcmp(now, qpel->told))
        puts(strcpy(qpel->told, now));
}

static enum qpel_result submit(void *self, struct batch *batch)
{
    struct qpel *qpel = self;
    struct door *door = batch->plug;
    struct qpel_report report;
    enum qpel_result r = commit(door, batch);
    if (r)
        return r;
    r = qpel_submit(door->batch, &qpel->params, &door->ticket, &report);
    tell(qpel, r, &report);
    return r;
}

static enum qpel_result wait_for(void *self, struct batch *batch)
{
    enum { TRIES = 20 };
    const uint64_t half_a_second = 500000000;
    struct qpel *qpel = self;
    struct door *door = batch->plug;
    enum qpel_result r = QPEL_ERROR_TIMEOUT;
    for (int i = 0; i < TRIES && r == QPEL_ERROR_TIMEOUT; i++)
        r = qpel_wait(qpel->context, door->ticket, half_a_second);
    door->ticket = 0;
    door->begun = false;
    door->references = door->weights = 0;
    batch->blocks = NULL;
    batch->count = batch->room = 0;
    return r;
}

/* ---- pictures ---- */

static enum qpel_result picture_create(void *self, struct picture *picture)
{
    struct qpel *qpel = self;
    struct qpel_picture *made;
    enum qpel_result r = qpel_picture_create(qpel->context, &picture->format, QPEL_NEAR_CPU, &made);
    if (r)
        return r;
    /* libavcodec keeps the addresses of a frame: they are the same at each access */
    r = qpel_picture_begin(made, QPEL_READ, &picture->data);
    if (!r)
        r = qpel_picture_end(made);
    if (r)
        qpel_picture_destroy(&made);
    else
        picture->plug = made;
    return r;
}

static void picture_destroy(void *self, struct picture *picture)
{
    struct qpel_picture *made = picture->plug;
    (void)self;
    qpel_picture_destroy(&made);
    picture->plug = NULL;
}

static enum qpel_result picture_open(void *self, struct picture *picture, enum qpel_access access)
{
    struct qpel_picture_data data;
    (void)self;
    enum qpel_result r = qpel_picture_begin(picture->plug, access, &data);
    if (!r && memcmp(&data, &picture->data, sizeof data)) {
        qpel_picture_end(picture->plug);
        r = QPEL_ERROR_INTERNAL;
    }
    return r;
}

static enum qpel_result picture_close(void *self, struct picture *picture)
{
    (void)self;
    return qpel_picture_end(picture->plug);
}

const struct plug plug_qpel = {
    .name = "qpel",
    .create = create,
    .destroy = destroy,
    .backend = backend,
    .submit = submit,
    .wait = wait_for,
    .room = room,
    .batch_destroy = batch_destroy,
    .picture_create = picture_create,
    .picture_destroy = picture_destroy,
    .picture_open = picture_open,
    .picture_close = picture_close,
};
