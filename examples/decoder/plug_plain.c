/* The plug that needs no library: prediction in plain C from the standard, pictures in plain
 * memory. Runs in submit(), or, with the backend "thread", beside the decoder, as a GPU would. */
#include "memory.h"
#include "pictures.h"
#include "plain_predict.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct plain {
    bool threaded, stop;
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    struct batch *todo; /* or being done */
};

/* batch->plug: the picture's blocks, of which batch->blocks is the end */
struct blocks {
    struct qpel_picture_block *all;
    size_t count, room;
};

/* ---- the work ---- */

static void run(const struct batch *batch)
{
    const struct blocks *blocks = batch->plug;
    for (size_t i = 0; i < blocks->count; i++)
        plain_predict(batch, &blocks->all[i]);
}

static void *work(void *arg)
{
    struct plain *plain = arg;
    pthread_mutex_lock(&plain->mutex);
    while (!plain->stop) {
        struct batch *batch = plain->todo;
        if (!batch) {
            pthread_cond_wait(&plain->changed, &plain->mutex);
            continue;
        }
        pthread_mutex_unlock(&plain->mutex);
        run(batch);
        pthread_mutex_lock(&plain->mutex);
        plain->todo = NULL;
        pthread_cond_broadcast(&plain->changed);
    }
    pthread_mutex_unlock(&plain->mutex);
    return NULL;
}

static enum qpel_result backend(void *self, const char *name)
{
    struct plain *plain = self;
    if (!strcmp(name, "cpu"))
        return QPEL_OK;
    if (strcmp(name, "thread"))
        return QPEL_ERROR_INVALID;
    if (!plain->threaded && pthread_create(&plain->thread, NULL, work, plain))
        return QPEL_ERROR_NOMEM;
    plain->threaded = true;
    return QPEL_OK;
}

static enum qpel_result submit(void *self, struct batch *batch)
{
    struct plain *plain = self;
    struct blocks *blocks = batch->plug;
    blocks->count += batch->count;
    if (!plain->threaded) {
        run(batch);
        return QPEL_OK;
    }
    pthread_mutex_lock(&plain->mutex);
    while (plain->todo)
        pthread_cond_wait(&plain->changed, &plain->mutex);
    plain->todo = batch;
    pthread_cond_broadcast(&plain->changed);
    pthread_mutex_unlock(&plain->mutex);
    return QPEL_OK;
}

static enum qpel_result wait_for(void *self, struct batch *batch)
{
    struct plain *plain = self;
    struct blocks *blocks = batch->plug;
    pthread_mutex_lock(&plain->mutex);
    while (plain->todo == batch)
        pthread_cond_wait(&plain->changed, &plain->mutex);
    pthread_mutex_unlock(&plain->mutex);
    batch->blocks = NULL;
    batch->count = batch->room = blocks->count = 0;
    return QPEL_OK;
}

/* ---- memory ---- */

static enum qpel_result create(void **self)
{
    struct plain *plain = calloc(1, sizeof *plain);
    if (!plain)
        return QPEL_ERROR_NOMEM;
    pthread_mutex_init(&plain->mutex, NULL);
    pthread_cond_init(&plain->changed, NULL);
    *self = plain;
    return QPEL_OK;
}

static void destroy(void *self)
{
    struct plain *plain = self;
    if (plain->threaded) {
        pthread_mutex_lock(&plain->mutex);
        plain->stop = true;
        pthread_cond_broadcast(&plain->changed);
        pthread_mutex_unlock(&plain->mutex);
        pthread_join(plain->thread, NULL);
    }
    pthread_cond_destroy(&plain->changed);
    pthread_mutex_destroy(&plain->mutex);
    free(plain);
}

static enum qpel_result room(void *self, struct batch *batch)
{
    enum { MORE = 1024 };
    struct blocks *blocks = batch->plug;
    (void)self;
    if (!blocks)
        batch->plug = blocks = calloc(1, sizeof *blocks);
    if (!blocks)
        return QPEL_ERROR_NOMEM;
    blocks->count += batch->count;
    blocks->all = grow(blocks->all, blocks->count, MORE, sizeof *blocks->all, &blocks->room);
    batch->blocks = blocks->all + blocks->count;
    batch->count = 0;
    batch->room = blocks->room - blocks->count;
    return QPEL_OK;
}

static void batch_destroy(void *self, struct batch *batch)
{
    struct blocks *blocks = batch->plug;
    (void)self;
    if (blocks)
        free(blocks->all);
    free(blocks);
    batch->plug = NULL;
}

/* libavcodec's SIMD writes rows in aligned vectors, wants Cb and Cr alike, and may read a little
 * past a block. An odd multiple of 64 keeps rows from meeting in the same cache sets. */
static enum qpel_result picture_create(void *self, struct picture *picture)
{
    enum { ALIGN = 64, BEYOND = 256 };
    const struct qpel_picture_format *f = &picture->format;
    size_t offset[QPEL_PLANE_MAX] = { 0 }, size = 0;
    (void)self;
    for (unsigned i = 0; i < picture_planes(f); i++) {
        size_t row = (size_t)(f->width >> shift_x(f, (int)i)) << bytes_shift(f);
        size_t stride = ((row + ALIGN - 1) / ALIGN | 1) * ALIGN;
        picture->data.stride[i] = (ptrdiff_t)stride;
        offset[i] = size;
        size += stride * picture_plane_rows(f, (int)i) + BEYOND;
    }
    uint8_t *memory = aligned_alloc(ALIGN, size);
    if (!memory)
        return QPEL_ERROR_NOMEM;
    memset(memory, 0, size);
    for (unsigned i = 0; i < picture_planes(f); i++)
        picture->data.data[i] = memory + offset[i];
    picture->plug = memory;
    return QPEL_OK;
}

static void picture_destroy(void *self, struct picture *picture)
{
    (void)self;
    free(picture->plug);
}

/* Memory that only the CPU reaches is always open. */
static enum qpel_result picture_open(void *self, struct picture *picture, enum qpel_access access)
{
    (void)self;
    (void)picture;
    (void)access;
    return QPEL_OK;
}

static enum qpel_result picture_close(void *self, struct picture *picture)
{
    (void)self;
    (void)picture;
    return QPEL_OK;
}

const struct plug plug_plain = {
    .name = "plain",
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
