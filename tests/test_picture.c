/* The picture door against the oracle: random batches, on every CPU layer and Vulkan device. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "picture_run.h"
#include "split_luma.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;

static void need_targets(void)
{
    assert_int_equal(failed_devices, 0);
    if (!target_count)
        SKIP_TEST("no device");
}

/* Random cases on every target. Counts what each target did and says so: it may refuse memory that
 * it can't reach, but not the library's own. */
static void run_cases(int count, int side, unsigned stream, enum picture_memory target,
                      enum picture_memory references)
{
    struct random r = random_stream(stream);
    int done[TARGETS_MAX] = { 0 };
    size_t blocks = 0;

    need_targets();
    for (int n = 0; n < count; n++) {
        struct picture_case c = case_draw(side, &r);
        blocks += c.count;
        for (int t = 0; t < target_count; t++)
            done[t] += case_run(&c, &targets[t], target, references);
        case_free(&c);
    }
    printf("# %zu blocks\n", blocks);
    int least = count;
    for (int t = 0; t < target_count; t++) {
        printf("# %s: %d of %d batches exact\n", targets[t].name, done[t], count);
        if (targets[t].backend == QPEL_BACKEND_CPU || (target <= BARE && references <= BARE))
            assert_int_equal(done[t], count);
        least = done[t] < least ? done[t] : least;
    }
    if (!least)
        SKIP_TEST("a device can't run these");
}

static void many_small_pictures(void **state)
{
    (void)state;
    run_cases(4000, 40, 1, CREATED, CREATED);
}

static void larger_pictures(void **state)
{
    (void)state;
    run_cases(100, 200, 2, CREATED, CREATED);
}

/* Where buffers have no slots, no scratch picture, or neither; each picture has its own. */
static void bare_pictures(void **state)
{
    (void)state;
    run_cases(600, 40, 11, BARE, BARE);
    run_cases(300, 40, 12, BARE, CREATED);
    run_cases(300, 40, 13, CREATED, BARE);
    run_cases(20, 200, 14, BARE, BARE);
}

/* Nothing but the blocks' samples is written: the bytes between and around rows too. */
static void wrapped_pictures(void **state)
{
    (void)state;
    run_cases(400, 60, 3, WRAPPED, WRAPPED);
}

/* No byte outside the planes is touched. */
static void between_forbidden_pages(void **state)
{
    (void)state;
    run_cases(150, 60, 4, GUARDED_BEFORE, GUARDED_BEFORE);
    run_cases(150, 60, 5, GUARDED_AFTER, GUARDED_AFTER);
    run_cases(50, 60, 6, GUARDED_BEFORE, GUARDED_AFTER);
}

/* A batch that was a device's is planned for it as blocks are added; what is refused leaves no
 * trace. */
static void batches_that_begin_again(void **state)
{
    struct random r = random_stream(10);
    bool skipped = false;

    (void)state;
    need_targets();
    for (int n = 0; n < 60; n++) {
        struct picture_case c = case_draw(160, &r);
        for (int t = 0; t < target_count; t++) {
            struct running run = running_open(&c, targets[t].context, CREATED, CREATED);
            for (int i = 0; i < 3 && !skipped; i++) {
                run.spoilt = i == 2;
                running_collect(&run);
                skipped = running_submit(&run, &targets[t]) != QPEL_OK;
                if (!skipped)
                    running_check(&run, targets[t].name);
            }
            running_close(&run);
        }
        case_free(&c);
    }
    if (skipped)
        SKIP_TEST("a device can't run these");
}

/* A batch that is done may be submitted again; the target needs not be as it was. */
static void resubmission_gives_the_same(void **state)
{
    struct random r = random_stream(7);
    bool skipped = false;

    (void)state;
    need_targets();
    for (int n = 0; n < 100; n++) {
        struct picture_case c = case_draw(50, &r);
        for (int t = 0; t < target_count; t++) {
            struct running run = running_open(&c, targets[t].context, CREATED, CREATED);
            running_collect(&run);
            for (int i = 0; i < 3 && !skipped; i++) {
                skipped = running_submit(&run, &targets[t]) != QPEL_OK;
                if (!skipped)
                    running_check(&run, targets[t].name);
            }
            running_close(&run);
        }
        case_free(&c);
    }
    if (skipped)
        SKIP_TEST("a device can't run these");
}

/* Batches and pictures used for one case after another, whatever the format. */
static void one_batch_for_all(void **state)
{
    struct random r = random_stream(8);
    struct qpel_batch *batches[TARGETS_MAX];
    bool skipped = false;

    (void)state;
    need_targets();
    for (int t = 0; t < target_count; t++)
        assert_int_equal(qpel_batch_create(targets[t].context, &batches[t]), QPEL_OK);
    for (int n = 0; n < 100; n++) {
        struct picture_case c = case_draw(90, &r);
        for (int t = 0; t < target_count; t++) {
            struct running run = running_open(&c, targets[t].context, CREATED, CREATED);
            struct qpel_batch *own = run.batch;
            run.batch = batches[t];
            running_collect(&run);
            if (running_submit(&run, &targets[t]) == QPEL_OK)
                running_check(&run, targets[t].name);
            else
                skipped = true;
            run.batch = own;
            running_close(&run);
        }
        case_free(&c);
    }
    for (int t = 0; t < target_count; t++)
        qpel_batch_destroy(&batches[t]);
    if (skipped)
        SKIP_TEST("a device can't run these");
}

static void expect_seconds(struct running *run, const struct target *t, bool timed, bool known)
{
    struct qpel_submit_params params = { .backend = t->backend, .timed = timed };
    struct qpel_report report;
    qpel_ticket ticket;
    double seconds = 77;

    assert_int_equal(qpel_submit(run->batch, &params, &ticket, &report), QPEL_OK);
    assert_true(report.gpu_seconds < 0);
    assert_int_equal(qpel_wait(t->context, ticket, WAIT_NS), QPEL_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(qpel_ticket_gpu_seconds(t->context, ticket, &seconds), QPEL_OK);
        assert_int_equal(seconds >= 0, known);
        assert_true(seconds < 60);
    }
    running_check(run, t->name);
}

static void time_is_told_when_asked_for(void **state)
{
    struct random r = random_stream(9);

    (void)state;
    need_targets();
    struct picture_case c = case_draw(200, &r);
    for (int i = 0; i < target_count; i++) {
        const struct target *t = &targets[i];
        bool clock = t->backend == QPEL_BACKEND_GPU && t->device.timestamps;
        struct running run = running_open(&c, t->context, CREATED, CREATED);
        qpel_ticket first;
        double seconds = 0;
        struct qpel_submit_params params = { .backend = t->backend, .timed = true };
        running_collect(&run);
        expect_seconds(&run, t, true, clock);
        expect_seconds(&run, t, false, false);
        expect_seconds(&run, t, true, clock);
        /* Not that of an earlier one, nor of nothing. */
        assert_int_equal(qpel_submit(run.batch, &params, &first, NULL), QPEL_OK);
        assert_int_equal(qpel_wait(t->context, first, WAIT_NS), QPEL_OK);
        running_collect(&run);
        expect_seconds(&run, t, false, false);
        assert_int_equal(qpel_ticket_gpu_seconds(t->context, first, &seconds), QPEL_OK);
        assert_true(seconds < 0);
        assert_int_equal(qpel_ticket_gpu_seconds(t->context, 0, &seconds), QPEL_OK);
        assert_true(seconds < 0);
        assert_int_equal(qpel_ticket_gpu_seconds(t->context, first + 1000, &seconds),
                         QPEL_ERROR_INVALID);
        assert_int_equal(qpel_ticket_gpu_seconds(NULL, first, &seconds), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_ticket_gpu_seconds(t->context, first, NULL), QPEL_ERROR_INVALID);
        running_close(&run);
    }
    case_free(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_small_pictures),
        cmocka_unit_test(larger_pictures),
        cmocka_unit_test(bare_pictures),
        cmocka_unit_test(batches_that_begin_again),
        cmocka_unit_test(wrapped_pictures),
        cmocka_unit_test(between_forbidden_pages),
        cmocka_unit_test(resubmission_gives_the_same),
        cmocka_unit_test(one_batch_for_all),
        cmocka_unit_test(time_is_told_when_asked_for),
    };
    target_count = targets_open(targets, &failed_devices);
    split_luma(targets, target_count);
    int status = RUN_GROUP("picture", tests);
    targets_close(targets, target_count);
    return status;
}
