#include "picture_run.h"

#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "picture_bare.h"

struct qpel_picture *picture_new(struct qpel_context *context, uint32_t width, uint32_t height,
                                 enum qpel_chroma chroma)
{
    struct qpel_picture_format f = picture_format(width, height, chroma);
    struct qpel_picture *p;

    assert_int_equal(qpel_picture_create(context, &f, QPEL_NEAR_CPU, &p), QPEL_OK);
    return p;
}

static void copy_rows(uint8_t *to, size_t to_stride, const uint8_t *from, size_t from_stride,
                      size_t width, size_t height)
{
    for (size_t y = 0; y < height; y++)
        memcpy(to + y * to_stride, from + y * from_stride, width);
}

void picture_fill(struct qpel_picture *picture, const struct image *image)
{
    struct qpel_picture_data data;

    assert_int_equal(qpel_picture_begin(picture, QPEL_WRITE, &data), QPEL_OK);
    for (int p = 0; p < image->planes; p++)
        copy_rows(data.data[p], (size_t)data.stride[p], image->bytes + image->offset[p],
                  image->stride[p], image->width[p], image->height[p]);
    assert_int_equal(qpel_picture_end(picture), QPEL_OK);
}

static size_t plane_span(const struct image *image, int p)
{
    return (image->height[p] - 1) * image->stride[p] + image->width[p];
}

struct loaded load(struct qpel_context *context, const struct image *image,
                   enum picture_memory memory)
{
    struct loaded l = { .image = image, .memory = memory };
    struct qpel_picture_data data = { .data = { NULL } };

    if (memory <= BARE) {
        assert_int_equal(qpel_picture_create(context, &image->format, QPEL_NEAR_CPU, &l.picture),
                         QPEL_OK);
        if (memory == BARE)
            picture_make_bare(l.picture);
        picture_fill(l.picture, image);
        return l;
    }
    if (memory == WRAPPED) {
        l.region = malloc(image->size);
        assert_non_null(l.region);
        memcpy(l.region, image->bytes, image->size);
    }
    for (int p = 0; p < image->planes; p++) {
        if (memory == WRAPPED) {
            data.data[p] = l.region + image->offset[p];
        } else {
            l.guards[p] = guard_open(plane_span(image, p),
                                     memory == GUARDED_BEFORE ? GUARD_BEFORE : GUARD_AFTER);
            data.data[p] = l.guards[p].data;
            memcpy(data.data[p], image->bytes + image->offset[p], plane_span(image, p));
        }
        data.stride[p] = (ptrdiff_t)image->stride[p];
    }
    assert_int_equal(qpel_picture_wrap(context, &image->format, &data, &l.picture), QPEL_OK);
    return l;
}

void unload(struct loaded *l)
{
    qpel_picture_destroy(&l->picture);
    free(l->region);
    for (int p = 0; p < QPEL_PLANE_MAX; p++)
        if (l->guards[p].map)
            guard_close(&l->guards[p]);
    *l = (struct loaded){ .image = NULL };
}

uint8_t *loaded_region(const struct loaded *l)
{
    const struct image *image = l->image;
    uint8_t *region = malloc(image->size);
    struct qpel_picture_data data;

    assert_non_null(region);
    assert_int_equal(qpel_picture_begin(l->picture, QPEL_READ, &data), QPEL_OK);
    memcpy(region, l->memory == WRAPPED ? l->region : image->bytes, image->size);
    for (int p = 0; p < image->planes; p++) {
        uint8_t *plane = region + image->offset[p];
        if (l->memory <= BARE)
            copy_rows(plane, image->stride[p], data.data[p], (size_t)data.stride[p],
                      image->width[p], image->height[p]);
        else if (l->memory != WRAPPED)
            memcpy(plane, l->guards[p].data, plane_span(image, p));
    }
    assert_int_equal(qpel_picture_end(l->picture), QPEL_OK);
    return region;
}

struct running running_open(const struct picture_case *c, struct qpel_context *context,
                            enum picture_memory target, enum picture_memory references)
{
    struct running r = { .c = c, .target = load(context, &c->target, target) };

    for (int i = 0; i < c->image_count; i++)
        r.images[i] = load(context, &c->images[i], references);
    assert_int_equal(qpel_batch_create(context, &r.batch), QPEL_OK);
    return r;
}

/* Adds the blocks so many times that some are not there yet and others are: none may leave a trace.
 */
static void add_spoilt(struct running *r, const struct qpel_picture_block *blocks, size_t count)
{
    struct qpel_picture_block *twice = malloc((count + 1) * sizeof *twice);
    size_t bad = SIZE_MAX;

    assert_non_null(twice);
    memcpy(twice, blocks, count * sizeof *twice);
    twice[count] = blocks[0];
    assert_int_equal(qpel_batch_add(r->batch, twice, count + 1, &bad), QPEL_ERROR_INVALID);
    assert_int_equal(bad, count);
    free(twice);
}

void running_collect(struct running *r)
{
    const struct picture_case *c = r->c;
    size_t bad = SIZE_MAX;

    assert_int_equal(qpel_batch_begin(r->batch, r->target.picture), QPEL_OK);
    for (int i = 0; i < c->reference_count; i++) {
        const struct case_reference *ref = &c->references[i];
        uint8_t index;
        struct qpel_picture *p =
            ref->image == TARGET_ITSELF ? r->target.picture : r->images[ref->image].picture;
        assert_int_equal(qpel_batch_reference(r->batch, p, ref->parity, &index), QPEL_OK);
        assert_int_equal(index, i);
    }
    for (int i = 0; i < c->weight_count; i++) {
        uint16_t index;
        assert_int_equal(qpel_batch_weight(r->batch, &c->weights[i], &index), QPEL_OK);
        assert_int_equal(index, i + 1);
    }
    /* Some at a time, the first ones without a copy. */
    size_t first = c->count / 3;
    struct qpel_picture_block *room;
    assert_int_equal(qpel_batch_room(r->batch, first, &room), QPEL_OK);
    if (first)
        memcpy(room, c->blocks, first * sizeof *room);
    assert_int_equal(qpel_batch_commit(r->batch, first, &bad), QPEL_OK);
    if (r->spoilt && c->count)
        add_spoilt(r, c->blocks + first, c->count - first);
    assert_int_equal(qpel_batch_add(r->batch, c->blocks + first, c->count - first, &bad), QPEL_OK);
}

void running_close(struct running *r)
{
    qpel_batch_destroy(&r->batch);
    unload(&r->target);
    for (int i = 0; i < r->c->image_count; i++)
        unload(&r->images[i]);
}

enum qpel_result running_submit(struct running *r, const struct target *t)
{
    struct qpel_submit_params params = { .backend = t->backend };
    struct qpel_report report;
    qpel_ticket ticket;
    enum qpel_result result = qpel_submit(r->batch, &params, &ticket, &report);

    if (result == QPEL_ERROR_UNSUPPORTED)
        return result;
    assert_int_equal(result, QPEL_OK);
    assert_int_equal(report.backend, t->backend);
    assert_int_equal(report.blocks, r->c->count);
    assert_int_equal(qpel_wait(t->context, ticket, WAIT_NS), QPEL_OK);
    return QPEL_OK;
}

void running_check(const struct running *r, const char *what)
{
    uint8_t *actual = loaded_region(&r->target);
    bool equal = case_equal(r->c, actual, what);

    free(actual);
    if (!equal)
        fail_msg("%s: not as the standard has it", what);
    /* References are only read. */
    for (int i = 0; i < r->c->image_count; i++) {
        actual = loaded_region(&r->images[i]);
        assert_memory_equal(actual, r->c->images[i].bytes, r->c->images[i].size);
        free(actual);
    }
}

bool case_run(const struct picture_case *c, const struct target *t, enum picture_memory target,
              enum picture_memory references)
{
    struct running r = running_open(c, t->context, target, references);
    bool able;

    running_collect(&r);
    able = running_submit(&r, t) == QPEL_OK;
    if (able)
        running_check(&r, t->name);
    running_close(&r);
    return able;
}
