#include "pictures.h"

#include <string.h>

unsigned picture_planes(const struct qpel_picture_format *format)
{
    return format->chroma == QPEL_CHROMA_400 ? 1 : 3;
}

unsigned picture_plane_rows(const struct qpel_picture_format *format, int plane)
{
    return format->height >> shift_y(format, plane);
}

static bool same_format(const struct qpel_picture_format *a, const struct qpel_picture_format *b)
{
    return a->width == b->width && a->height == b->height && a->chroma == b->chroma &&
           a->layout == b->layout && a->bit_depth == b->bit_depth;
}

static void forget(struct pictures *pool, struct picture *picture)
{
    pictures_access(pool, picture, 0);
    pool->plug->picture_destroy(pool->self, picture);
    memset(picture, 0, sizeof *picture);
}

enum qpel_result pictures_take(struct pictures *pool, const struct qpel_picture_format *format,
                               struct picture **out)
{
    struct picture *picture = NULL, *empty = NULL;
    for (unsigned i = 0; i < PICTURES_MAX && !picture; i++) {
        struct picture *p = &pool->all[i];
        if (p->holds)
            continue;
        if (p->format.width && same_format(&p->format, format)) {
            picture = p;
        } else {
            if (p->format.width) /* of a sequence that is over */
                forget(pool, p);
            if (!empty)
                empty = p;
        }
    }
    if (!picture) {
        if (!empty)
            return QPEL_ERROR_NOMEM;
        empty->format = *format;
        enum qpel_result r = pool->plug->picture_create(pool->self, empty);
        if (r) {
            memset(empty, 0, sizeof *empty);
            return r;
        }
        picture = empty;
        picture->number = (unsigned)(picture - pool->all);
        if (picture->number >= pool->made)
            pool->made = picture->number + 1;
    }
    enum qpel_result r = pictures_access(pool, picture, QPEL_READ_WRITE);
    if (r)
        return r;
    picture->holds = 1;
    unsigned held = 0;
    for (unsigned i = 0; i < pool->made; i++)
        held += pool->all[i].holds != 0;
    if (held > pool->peak)
        pool->peak = held;
    *out = picture;
    return QPEL_OK;
}

void pictures_free(struct pictures *pool)
{
    for (unsigned i = 0; i < pool->made; i++)
        if (pool->all[i].format.width)
            forget(pool, &pool->all[i]);
    pool->made = 0;
    pool->hit = NULL;
}

static int plane_of(const struct picture *picture, const uint8_t *address)
{
    for (unsigned i = 0; i < picture_planes(&picture->format); i++) {
        uintptr_t at = (uintptr_t)address - (uintptr_t)picture->data.data[i];
        if (at < (uintptr_t)picture->data.stride[i] * picture_plane_rows(&picture->format, (int)i))
            return (int)i;
    }
    return -1;
}

/* Tens of thousands of calls a picture ask, mostly about the same few pictures. */
static struct picture *find(struct pictures *pool, const uint8_t *address, int *plane)
{
    if (pool->hit && pool->hit->format.width && (*plane = plane_of(pool->hit, address)) >= 0)
        return pool->hit;
    for (unsigned i = 0; i < pool->made; i++)
        if (pool->all[i].format.width && (*plane = plane_of(&pool->all[i], address)) >= 0)
            return pool->hit = &pool->all[i];
    return NULL;
}

struct picture *pictures_at(struct pictures *pool, const uint8_t *address)
{
    int plane;
    return find(pool, address, &plane);
}

bool pictures_locate(struct pictures *pool, const uint8_t *address, ptrdiff_t stride,
                     struct place *place)
{
    place->picture = find(pool, address, &place->plane);
    if (!place->picture)
        return false;
    const struct qpel_picture_data *data = &place->picture->data;
    uint32_t at = (uint32_t)(address - data->data[place->plane]);
    uint32_t frame_stride = (uint32_t)data->stride[place->plane], y = at / frame_stride;
    place->x = (int)(at - y * frame_stride) >> bytes_shift(&place->picture->format);
    if (stride == (ptrdiff_t)frame_stride) {
        place->parity = QPEL_FRAME;
        place->y = (int)y;
    } else {
        place->parity = y & 1 ? QPEL_BOTTOM_FIELD : QPEL_TOP_FIELD;
        place->y = (int)(y >> 1);
    }
    return true;
}

enum qpel_result pictures_access(struct pictures *pool, struct picture *picture, unsigned access)
{
    enum qpel_result r = QPEL_OK;
    if (picture->access == access)
        return r;
    if (picture->access)
        r = pool->plug->picture_close(pool->self, picture);
    picture->access = 0;
    if (!r && access)
        r = pool->plug->picture_open(pool->self, picture, (enum qpel_access)access);
    if (!r)
        picture->access = access;
    return r;
}
