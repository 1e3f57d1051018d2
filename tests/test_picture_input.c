/* Bad input to the picture door: pictures, references, weights, pointers. Each is an error. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "picture_run.h"

static struct qpel_context *context, *other_context;

/* ---- pictures ---- */

static void expect_format(struct qpel_picture_format f, enum qpel_result result)
{
    static uint8_t bytes[3][64 * 64];
    struct qpel_picture_data data = { .data = { bytes[0], bytes[1], bytes[2] },
                                      .stride = { 64, 64, 64 } };
    struct qpel_picture *p = (struct qpel_picture *)&data;

    assert_int_equal(qpel_picture_create(context, &f, QPEL_NEAR_CPU, &p), result);
    assert_true(result == QPEL_OK || !p);
    qpel_picture_destroy(&p);
    if (f.width > 64 && result == QPEL_OK)
        return;
    p = (struct qpel_picture *)&data;
    assert_int_equal(qpel_picture_wrap(context, &f, &data, &p), result);
    assert_true(result == QPEL_OK || !p);
    qpel_picture_destroy(&p);
}

static void formats(void **state)
{
    const struct qpel_picture_format good = picture_format(16, 16, QPEL_CHROMA_420);

    (void)state;
    expect_format(good, QPEL_OK);
    expect_format(picture_format(1, 1, QPEL_CHROMA_420), QPEL_OK);
    expect_format(picture_format(16384, 1, QPEL_CHROMA_400), QPEL_OK);
    expect_format(picture_format(1, 16384, QPEL_CHROMA_400), QPEL_OK);
    expect_format(picture_format(0, 16, QPEL_CHROMA_420), QPEL_ERROR_INVALID);
    expect_format(picture_format(16, 0, QPEL_CHROMA_420), QPEL_ERROR_INVALID);
    expect_format(picture_format(16385, 16, QPEL_CHROMA_420), QPEL_ERROR_INVALID);
    expect_format(picture_format(16, 16385, QPEL_CHROMA_420), QPEL_ERROR_INVALID);
    expect_format(picture_format(16, 16, (enum qpel_chroma)4), QPEL_ERROR_INVALID);
    for (int depth = -1; depth < 20; depth++) {
        struct qpel_picture_format f = good;
        f.bit_depth = depth;
        bool standard = depth == 9 || depth == 10 || depth == 12 || depth == 14;
        expect_format(f, depth == 0 || depth == 8 ? QPEL_OK
                         : standard               ? QPEL_ERROR_UNSUPPORTED
                                                  : QPEL_ERROR_INVALID);
    }
    for (int chroma = 0; chroma <= QPEL_CHROMA_444; chroma++) {
        struct qpel_picture_format f = picture_format(16, 16, (enum qpel_chroma)chroma);
        f.layout = QPEL_LAYOUT_INTERLEAVED;
        expect_format(f, chroma == QPEL_CHROMA_444 ? QPEL_ERROR_UNSUPPORTED : QPEL_OK);
        f.layout = (enum qpel_layout)2;
        expect_format(f, QPEL_ERROR_INVALID);
    }
}

static void expect_wrap(struct qpel_picture_data data, enum qpel_result result)
{
    struct qpel_picture_format f = picture_format(16, 16, QPEL_CHROMA_420);
    struct qpel_picture *p = NULL;

    assert_int_equal(qpel_picture_wrap(context, &f, &data, &p), result);
    qpel_picture_destroy(&p);
}

static void wrapped_planes(void **state)
{
    static uint8_t bytes[3 * 256];
    const struct qpel_picture_data good = { .data = { bytes, bytes + 256, bytes + 320 },
                                            .stride = { 16, 8, 8 } };
    struct qpel_picture_data d = good;

    (void)state;
    expect_wrap(good, QPEL_OK);
    for (int p = 0; p < 3; p++) {
        d = good;
        d.data[p] = NULL;
        expect_wrap(d, QPEL_ERROR_INVALID);
        d = good;
        d.stride[p]--;
        expect_wrap(d, QPEL_ERROR_INVALID);
        d.stride[p] = 0;
        expect_wrap(d, QPEL_ERROR_INVALID);
        d.stride[p] = -16;
        expect_wrap(d, QPEL_ERROR_INVALID);
        d.stride[p] = PTRDIFF_MAX;
        expect_wrap(d, QPEL_ERROR_INVALID);
        d = good;
        d.data[p] = (uint8_t *)(UINTPTR_MAX - 40);
        expect_wrap(d, QPEL_ERROR_INVALID);
    }
    d = good;
    d.data[1]--;
    expect_wrap(d, QPEL_ERROR_INVALID);
    d = good;
    d.data[2]--;
    expect_wrap(d, QPEL_ERROR_INVALID);
}

static void null_pointers(void **state)
{
    struct qpel_picture_format f = picture_format(16, 16, QPEL_CHROMA_400), none;
    struct qpel_picture_data data;
    struct qpel_picture *p = picture_new(context, 16, 16, QPEL_CHROMA_400), *q;
    struct qpel_picture_block *room;
    struct qpel_weight weight = { .planes = 1 };
    struct qpel_batch *b;
    qpel_ticket ticket;
    uint8_t index;
    uint16_t weight_index;
    bool done;

    (void)state;
    assert_int_equal(qpel_picture_create(NULL, &f, QPEL_NEAR_CPU, &q), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_picture_create(context, NULL, QPEL_NEAR_CPU, &q), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_picture_create(context, &f, QPEL_NEAR_CPU, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_picture_wrap(context, &f, NULL, &q), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_picture_begin(NULL, QPEL_READ, &data), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_picture_begin(p, QPEL_READ, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_picture_begin(p, (enum qpel_access)0, &data), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_picture_begin(p, (enum qpel_access)4, &data), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_picture_end(NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_picture_end(p), QPEL_ERROR_INVALID);
    none = qpel_picture_get_format(NULL);
    assert_int_equal(none.width, 0);
    assert_int_equal(qpel_picture_get_format(p).bit_depth, 8);
    qpel_picture_destroy(NULL);

    assert_int_equal(qpel_batch_create(NULL, &b), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_create(context, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_create(context, &b), QPEL_OK);
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_CPU };
    /* Nothing but begin before begin. */
    assert_int_equal(qpel_batch_reference(b, p, QPEL_FRAME, &index), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_weight(b, &weight, &weight_index), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_room(b, 1, &room), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_commit(b, 0, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_submit(b, &params, &ticket, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_run_slice(b, 0), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_begin(b, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_begin(NULL, p), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_begin(b, p), QPEL_OK);
    assert_int_equal(qpel_batch_reference(NULL, p, QPEL_TOP_FIELD, &index), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_reference(b, NULL, QPEL_TOP_FIELD, &index), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_reference(b, p, QPEL_TOP_FIELD, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_weight(b, NULL, &weight_index), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_weight(b, &weight, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_add(b, NULL, 1, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_add(b, NULL, 0, NULL), QPEL_OK);
    assert_int_equal(qpel_batch_room(b, 1, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_room(b, SIZE_MAX, &room), QPEL_ERROR_NOMEM);
    assert_int_equal(qpel_batch_room(b, 2, &room), QPEL_OK);
    assert_int_equal(qpel_batch_commit(b, SIZE_MAX, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_commit(NULL, 0, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_submit(NULL, &params, &ticket, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_submit(b, NULL, &ticket, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_submit(b, &params, NULL, NULL), QPEL_ERROR_INVALID);
    params.backend = (enum qpel_backend)3;
    assert_int_equal(qpel_submit(b, &params, &ticket, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_run_slice(NULL, 0), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_wait(NULL, 0, 0), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_poll(NULL, 0, &done), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_poll(context, 0, NULL), QPEL_ERROR_INVALID);
    qpel_batch_destroy(NULL);
    qpel_batch_destroy(&b);
    assert_null(b);
    qpel_batch_destroy(&b);
    qpel_picture_destroy(&p);
    assert_null(p);
}

/* ---- references and weights ---- */

static void references(void **state)
{
    struct qpel_picture *target = picture_new(context, 16, 16, QPEL_CHROMA_420), *p;
    struct qpel_picture_format nv12 = picture_format(16, 16, QPEL_CHROMA_420);
    struct qpel_batch *b;
    uint8_t index;

    (void)state;
    assert_int_equal(qpel_batch_create(context, &b), QPEL_OK);
    assert_int_equal(qpel_batch_begin(b, target), QPEL_OK);
    p = picture_new(context, 16, 16, QPEL_CHROMA_422);
    assert_int_equal(qpel_batch_reference(b, p, QPEL_FRAME, &index), QPEL_ERROR_INVALID);
    qpel_picture_destroy(&p);
    nv12.layout = QPEL_LAYOUT_INTERLEAVED;
    assert_int_equal(qpel_picture_create(context, &nv12, QPEL_NEAR_CPU, &p), QPEL_OK);
    assert_int_equal(qpel_batch_reference(b, p, QPEL_FRAME, &index), QPEL_ERROR_INVALID);
    qpel_picture_destroy(&p);
    p = picture_new(other_context, 16, 16, QPEL_CHROMA_420);
    assert_int_equal(qpel_batch_reference(b, p, QPEL_FRAME, &index), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_begin(b, p), QPEL_ERROR_INVALID);
    qpel_picture_destroy(&p);
    /* A field without rows, of luma or of chroma. */
    for (uint32_t height = 1; height < 5; height++) {
        p = picture_new(context, 16, height, QPEL_CHROMA_420);
        assert_int_equal(qpel_batch_reference(b, p, (enum qpel_parity)3, &index),
                         QPEL_ERROR_INVALID);
        assert_int_equal(qpel_batch_reference(b, p, QPEL_FRAME, &index), QPEL_OK);
        assert_int_equal(qpel_batch_reference(b, p, QPEL_TOP_FIELD, &index), QPEL_OK);
        assert_int_equal(qpel_batch_reference(b, p, QPEL_BOTTOM_FIELD, &index),
                         height < 3 ? QPEL_ERROR_INVALID : QPEL_OK);
        qpel_picture_destroy(&p);
    }
    /* The target: a field of it, never the frame. */
    assert_int_equal(qpel_batch_reference(b, target, QPEL_FRAME, &index), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_reference(b, target, QPEL_TOP_FIELD, &index), QPEL_OK);
    assert_int_equal(qpel_batch_begin(b, target), QPEL_OK);
    for (int i = 0; i < QPEL_REFERENCE_MAX; i++) {
        assert_int_equal(qpel_batch_reference(b, target, QPEL_TOP_FIELD, &index), QPEL_OK);
        assert_int_equal(index, i);
    }
    assert_int_equal(qpel_batch_reference(b, target, QPEL_TOP_FIELD, &index), QPEL_ERROR_INVALID);
    qpel_batch_destroy(&b);
    qpel_picture_destroy(&target);
}

static enum qpel_result enter(struct qpel_batch *b, struct qpel_weight w)
{
    uint16_t index;

    return qpel_batch_weight(b, &w, &index);
}

static void weights(void **state)
{
    struct qpel_picture *target = picture_new(context, 16, 16, QPEL_CHROMA_420);
    struct qpel_batch *b;
    uint16_t index;

    (void)state;
    assert_int_equal(qpel_batch_create(context, &b), QPEL_OK);
    assert_int_equal(qpel_batch_begin(b, target), QPEL_OK);
    for (int p = 0; p < 3; p++)
        for (int l = 0; l < 2; l++)
            for (int high = 0; high < 2; high++)
                for (int field = 0; field < 3; field++) {
                    struct qpel_weight w = { .planes = 7 };
                    int limit = field == 0 ? 7 : !high ? -128 : field == 1 ? 128 : 127;
                    int beyond = high || field == 0 ? limit + 1 : limit - 1;
                    for (int bad = 0; bad < 2; bad++) {
                        int value = bad ? beyond : limit;
                        if (field == 0)
                            w.log_wd[p] = (uint8_t)value;
                        else
                            *(field == 1 ? &w.w[l][p] : &w.o[l][p]) = (int16_t)value;
                        assert_int_equal(enter(b, w), bad ? QPEL_ERROR_INVALID : QPEL_OK);
                    }
                    /* Of a plane that isn't weighted nothing is looked at. */
                    w.planes = (uint8_t)(7 & ~(1 << p));
                    assert_int_equal(enter(b, w), QPEL_OK);
                }
    assert_int_equal(enter(b, (struct qpel_weight){ .planes = 8 }), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_begin(b, target), QPEL_OK);
    struct qpel_weight w = { .planes = 0 };
    for (int i = 1; i <= UINT16_MAX; i++) {
        assert_int_equal(qpel_batch_weight(b, &w, &index), QPEL_OK);
        assert_int_equal(index, i);
    }
    assert_int_equal(qpel_batch_weight(b, &w, &index), QPEL_ERROR_INVALID);
    qpel_batch_destroy(&b);
    qpel_picture_destroy(&target);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(formats),       cmocka_unit_test(wrapped_planes),
        cmocka_unit_test(null_pointers), cmocka_unit_test(references),
        cmocka_unit_test(weights),
    };
    struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU };
    if (qpel_context_create(&context, &params) || qpel_context_create(&other_context, &params))
        return EXIT_FAILURE;
    int status = RUN_GROUP("picture input", tests);
    qpel_context_destroy(&context);
    qpel_context_destroy(&other_context);
    return status;
}
