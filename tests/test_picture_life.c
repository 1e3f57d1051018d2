/* The picture door over time: what is busy when, tickets, slices in threads, what lives how long,
 * and that steady state allocates nothing. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "count_allocations.h"
#include "harness.h"
#include "picture_run.h"

static struct qpel_context *context; /* CPU alone: what is in flight is then known */

static const struct qpel_submit_params here = { .backend = QPEL_BACKEND_CPU };

/* ---- small pictures and batches ---- */

static struct qpel_picture *small(void)
{
    return picture_new(context, 32, 32, QPEL_CHROMA_420);
}

/* One block of the target from each reference. */
static void fill_batch(struct qpel_batch *batch, struct qpel_picture *target,
                       struct qpel_picture *reference)
{
    struct qpel_picture_block blocks[4];
    uint8_t index;

    assert_int_equal(qpel_batch_begin(batch, target), QPEL_OK);
    assert_int_equal(qpel_batch_reference(batch, reference, QPEL_FRAME, &index), QPEL_OK);
    for (int i = 0; i < 4; i++)
        blocks[i] = (struct qpel_picture_block){ .x = (uint16_t)(i % 2 * 16),
                                                 .y = (uint16_t)(i / 2 * 16),
                                                 .width = 16,
                                                 .height = 16,
                                                 .references = 1,
                                                 .mv = { { 5, 7 } } };
    assert_int_equal(qpel_batch_add(batch, blocks, 4, NULL), QPEL_OK);
}

static struct qpel_batch *new_batch(void)
{
    struct qpel_batch *b;

    assert_int_equal(qpel_batch_create(context, &b), QPEL_OK);
    return b;
}

static void expect_access(struct qpel_picture *p, enum qpel_access access, enum qpel_result result)
{
    struct qpel_picture_data data;

    assert_int_equal(qpel_picture_begin(p, access, &data), result);
    if (!result)
        assert_int_equal(qpel_picture_end(p), QPEL_OK);
}

static void expect_submit(struct qpel_batch *b, enum qpel_result result)
{
    struct qpel_report report;
    qpel_ticket ticket;

    assert_int_equal(qpel_submit(b, &here, &ticket, &report), result);
    assert_int_equal(report.blocks, result ? 0 : 4);
    if (!result)
        assert_int_equal(qpel_wait(context, ticket, WAIT_NS), QPEL_OK);
}

static void expect_state(qpel_ticket ticket, bool expected)
{
    bool done = !expected;

    assert_int_equal(qpel_poll(context, ticket, &done), QPEL_OK);
    assert_int_equal(done, expected);
    assert_int_equal(qpel_wait(context, ticket, 1000), expected ? QPEL_OK : QPEL_ERROR_TIMEOUT);
}

/* ---- what is busy ---- */

/* A submission in flight: two slices, none run. */
static void in_flight(void **state)
{
    struct qpel_picture *target = small(), *reference = small(), *other = small();
    struct qpel_batch *batch = new_batch(), *second = new_batch();
    struct qpel_submit_params sliced = { .backend = QPEL_BACKEND_CPU, .slices = 2 };
    struct qpel_picture_block *room;
    uint8_t index;
    qpel_ticket ticket, again = 0;

    (void)state;
    fill_batch(batch, target, reference);
    assert_int_equal(qpel_submit(batch, &sliced, &ticket, NULL), QPEL_OK);
    assert_true(ticket != 0);
    expect_state(ticket, false);
    expect_access(target, QPEL_READ, QPEL_ERROR_BUSY);
    expect_access(target, QPEL_WRITE, QPEL_ERROR_BUSY);
    expect_access(reference, QPEL_READ, QPEL_OK);
    expect_access(reference, QPEL_WRITE, QPEL_ERROR_BUSY);
    expect_access(reference, QPEL_READ_WRITE, QPEL_ERROR_BUSY);

    assert_int_equal(qpel_batch_begin(batch, other), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_batch_reference(batch, other, QPEL_FRAME, &index), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_room(batch, 1, &room), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_batch_add(batch, NULL, 0, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_submit(batch, &sliced, &again, NULL), QPEL_ERROR_BUSY);

    /* Others: into the target, from the target, into the reference; from the reference is fine. */
    fill_batch(second, target, other);
    expect_submit(second, QPEL_ERROR_BUSY);
    fill_batch(second, other, target);
    expect_submit(second, QPEL_ERROR_BUSY);
    fill_batch(second, reference, other);
    expect_submit(second, QPEL_ERROR_BUSY);
    fill_batch(second, other, reference);
    expect_submit(second, QPEL_OK);
    fill_batch(second, target, other);

    assert_int_equal(qpel_run_slice(batch, 2), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_run_slice(batch, 1), QPEL_OK);
    assert_int_equal(qpel_run_slice(batch, 1), QPEL_ERROR_INVALID);
    expect_state(ticket, false);
    assert_int_equal(qpel_run_slice(batch, 0), QPEL_OK);
    expect_state(ticket, true);
    assert_int_equal(qpel_run_slice(batch, 0), QPEL_ERROR_INVALID);
    expect_access(target, QPEL_READ_WRITE, QPEL_OK);
    expect_access(reference, QPEL_READ_WRITE, QPEL_OK);
    expect_submit(second, QPEL_OK);
    assert_int_equal(again, 0);
    qpel_batch_destroy(&batch);
    qpel_batch_destroy(&second);
    qpel_picture_destroy(&target);
    qpel_picture_destroy(&reference);
    qpel_picture_destroy(&other);
}

/* Accesses open while a batch is submitted. */
static void open_accesses(void **state)
{
    static const struct {
        bool target;
        enum qpel_access access;
        enum qpel_result result;
    } cases[] = {
        { true, QPEL_READ, QPEL_ERROR_BUSY },       { true, QPEL_WRITE, QPEL_ERROR_BUSY },
        { true, QPEL_READ_WRITE, QPEL_ERROR_BUSY }, { false, QPEL_READ, QPEL_OK },
        { false, QPEL_WRITE, QPEL_ERROR_BUSY },     { false, QPEL_READ_WRITE, QPEL_ERROR_BUSY },
    };
    struct qpel_picture *target = small(), *reference = small();
    struct qpel_batch *batch = new_batch();
    struct qpel_picture_data data, again;

    (void)state;
    fill_batch(batch, target, reference);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct qpel_picture *p = cases[i].target ? target : reference;
        assert_int_equal(qpel_picture_begin(p, cases[i].access, &data), QPEL_OK);
        expect_submit(batch, cases[i].result);
        /* They nest, at the same address. */
        assert_int_equal(qpel_picture_begin(p, QPEL_READ, &again), QPEL_OK);
        assert_memory_equal(&data, &again, sizeof data);
        assert_int_equal(qpel_picture_end(p), QPEL_OK);
        expect_submit(batch, cases[i].result);
        assert_int_equal(qpel_picture_end(p), QPEL_OK);
        assert_int_equal(qpel_picture_end(p), QPEL_ERROR_INVALID);
        expect_submit(batch, QPEL_OK);
    }
    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&target);
    qpel_picture_destroy(&reference);
}

/* ---- tickets ---- */

static void tickets(void **state)
{
    struct qpel_picture *target = small(), *reference = small();
    struct qpel_batch *batch = new_batch();
    qpel_ticket first, second;
    bool done;

    (void)state;
    expect_state(0, true);
    fill_batch(batch, target, reference);
    assert_int_equal(qpel_submit(batch, &here, &first, NULL), QPEL_OK);
    assert_int_equal(qpel_poll(context, first + 1, &done), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_wait(context, first + 1, WAIT_NS), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_submit(batch, &here, &second, NULL), QPEL_OK);
    assert_true(second > first);
    expect_state(first, true);
    assert_int_equal(qpel_wait(context, second, UINT64_MAX), QPEL_OK);
    fill_batch(batch, target, reference);
    expect_state(second, true);
    qpel_batch_destroy(&batch);
    expect_state(second, true);

    /* An empty batch is normal. */
    batch = new_batch();
    assert_int_equal(qpel_batch_begin(batch, target), QPEL_OK);
    assert_int_equal(qpel_submit(batch, &here, &first, NULL), QPEL_OK);
    expect_state(first, true);
    struct qpel_submit_params sliced = { .backend = QPEL_BACKEND_CPU, .slices = 3 };
    assert_int_equal(qpel_submit(batch, &sliced, &first, NULL), QPEL_OK);
    for (unsigned i = 0; i < 3; i++) {
        expect_state(first, false);
        assert_int_equal(qpel_run_slice(batch, i), QPEL_OK);
    }
    expect_state(first, true);
    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&target);
    qpel_picture_destroy(&reference);
}

/* ---- lifetime ---- */

/* A batch whose slices were not all run lets go of its pictures. */
static void destroyed_in_flight(void **state)
{
    struct qpel_picture *target = small(), *reference = small();
    struct qpel_batch *batch = new_batch();
    struct qpel_submit_params sliced = { .backend = QPEL_BACKEND_CPU, .slices = 2 };
    qpel_ticket ticket;

    (void)state;
    fill_batch(batch, target, reference);
    assert_int_equal(qpel_submit(batch, &sliced, &ticket, NULL), QPEL_OK);
    assert_int_equal(qpel_run_slice(batch, 0), QPEL_OK);
    qpel_batch_destroy(&batch);
    expect_state(ticket, true);
    expect_access(target, QPEL_WRITE, QPEL_OK);
    expect_access(reference, QPEL_WRITE, QPEL_OK);
    qpel_picture_destroy(&target);
    qpel_picture_destroy(&reference);
}

/* Pictures destroyed while batches hold them, others of another size made in their place: what was
 * collected runs on what it was collected for. */
static void pictures_outlived_by_batches(void **state)
{
    struct random r = random_stream(60);

    (void)state;
    for (int n = 0; n < 100; n++) {
        struct picture_case c = case_draw(64, &r);
        struct running run = running_open(&c, context, WRAPPED, CREATED);
        struct qpel_picture *small_one;
        qpel_ticket ticket;
        running_collect(&run);
        qpel_picture_destroy(&run.target.picture);
        for (int i = 0; i < c.image_count; i++)
            qpel_picture_destroy(&run.images[i].picture);
        small_one = picture_new(context, 16, 16, c.target.format.chroma);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(qpel_submit(run.batch, &here, &ticket, NULL), QPEL_OK);
            assert_int_equal(qpel_wait(context, ticket, WAIT_NS), QPEL_OK);
            assert_true(case_equal(&c, run.target.region, "after its pictures' end"));
            memcpy(run.target.region, c.target.bytes, c.target.size);
        }
        assert_int_equal(qpel_batch_begin(run.batch, small_one), QPEL_OK);
        qpel_picture_destroy(&small_one);
        assert_int_equal(qpel_submit(run.batch, &here, &ticket, NULL), QPEL_OK);
        running_close(&run);
        case_free(&c);
    }
}

/* A batch that begins again, for another picture with more or fewer blocks. */
static void steady_state_allocates_nothing(void **state)
{
    struct random r = random_stream(61);
    struct picture_case cases[8];
    struct running runs[8];
    struct qpel_batch *batch = new_batch();
    qpel_ticket ticket;

    (void)state;
    for (int i = 0; i < 8; i++) {
        cases[i] = case_draw(80, &r);
        runs[i] = running_open(&cases[i], context, CREATED, CREATED);
        qpel_batch_destroy(&runs[i].batch);
        runs[i].batch = batch;
    }
    size_t first = allocations, before = 0;
    for (int n = 0; n < 100; n++) {
        struct qpel_submit_params params = { .backend = QPEL_BACKEND_CPU,
                                             .slices = (unsigned)n / 8 % 3 };
        struct qpel_report report;
        /* All has been needed once. */
        if (n == 24)
            before = allocations;
        running_collect(&runs[n % 8]);
        assert_int_equal(qpel_submit(batch, &params, &ticket, &report), QPEL_OK);
        for (unsigned s = 0; s < params.slices; s++)
            assert_int_equal(qpel_run_slice(batch, s), QPEL_OK);
        assert_int_equal(qpel_wait(context, ticket, WAIT_NS), QPEL_OK);
    }
    assert_int_equal(allocations, before);
    assert_true(before > first); /* they are counted at all */
    for (int i = 0; i < 8; i++) {
        running_check(&runs[i], "in steady state");
        runs[i].batch = NULL;
        running_close(&runs[i]);
        case_free(&cases[i]);
    }
    qpel_batch_destroy(&batch);
}

/* ---- threads ---- */

enum { THREADS = 4 };

struct worker {
    struct qpel_batch *batch;
    unsigned slices;
    atomic_uint *next;
};

static void *run_slices(void *user)
{
    struct worker *w = user;

    for (unsigned s; (s = atomic_fetch_add(w->next, 1)) < w->slices;)
        if (qpel_run_slice(w->batch, s))
            abort();
    return NULL;
}

/* Slices in threads while the batch's owner waits, polls, and tries what is not its turn. */
static void slices_in_threads(void **state)
{
    struct random r = random_stream(62);

    (void)state;
    for (int n = 0; n < 60; n++) {
        struct picture_case c = case_draw(90, &r);
        struct running run = running_open(&c, context, WRAPPED, CREATED);
        struct qpel_submit_params params = { .backend = QPEL_BACKEND_CPU,
                                             .slices = (unsigned)random_between(&r, 1, 40) };
        atomic_uint next = 0;
        struct worker w = { run.batch, params.slices, &next };
        pthread_t threads[THREADS];
        qpel_ticket ticket;
        bool done;
        running_collect(&run);
        assert_int_equal(qpel_submit(run.batch, &params, &ticket, NULL), QPEL_OK);
        for (int i = 0; i < THREADS; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, run_slices, &w), 0);
        assert_int_equal(qpel_poll(context, ticket, &done), QPEL_OK);
        (void)qpel_batch_add(run.batch, NULL, 0, NULL);
        assert_int_equal(qpel_wait(context, ticket, WAIT_NS), QPEL_OK);
        running_check(&run, "slices in threads");
        running_collect(&run);
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
        running_close(&run);
        case_free(&c);
    }
}

/* A thread with batches and targets of its own, and references that all share. */
struct decoder {
    const struct picture_case *c;
    struct running *shared;
    bool equal;
};

static void *decode(void *user)
{
    struct decoder *d = user;
    const struct picture_case *c = d->c;

    d->equal = true;
    for (int n = 0; n < 10 && d->equal; n++) {
        struct running own = *d->shared;
        own.target = load(context, &c->target, WRAPPED);
        own.batch = new_batch();
        running_collect(&own);
        qpel_ticket ticket;
        d->equal = qpel_submit(own.batch, &here, &ticket, NULL) == QPEL_OK &&
                   qpel_wait(context, ticket, WAIT_NS) == QPEL_OK &&
                   case_equal(c, own.target.region, "one of several threads");
        qpel_batch_destroy(&own.batch);
        unload(&own.target);
    }
    return NULL;
}

static void threads_of_one_context(void **state)
{
    struct random r = random_stream(63);

    (void)state;
    for (int n = 0; n < 10; n++) {
        struct picture_case c = case_draw(60, &r);
        struct running shared = running_open(&c, context, CREATED, CREATED);
        struct decoder decoders[THREADS];
        pthread_t threads[THREADS];
        for (int i = 0; i < THREADS; i++) {
            decoders[i] = (struct decoder){ &c, &shared, false };
            assert_int_equal(pthread_create(&threads[i], NULL, decode, &decoders[i]), 0);
        }
        for (int i = 0; i < THREADS; i++) {
            pthread_join(threads[i], NULL);
            assert_true(decoders[i].equal);
        }
        running_close(&shared);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_flight),
        cmocka_unit_test(open_accesses),
        cmocka_unit_test(tickets),
        cmocka_unit_test(destroyed_in_flight),
        cmocka_unit_test(pictures_outlived_by_batches),
        cmocka_unit_test(steady_state_allocates_nothing),
        cmocka_unit_test(slices_in_threads),
        cmocka_unit_test(threads_of_one_context),
    };
    struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU };
    if (qpel_context_create(&context, &params))
        return EXIT_FAILURE;
    int status = RUN_GROUP("picture life", tests);
    qpel_context_destroy(&context);
    return status;
}
