/* A device of the program's own whose driver fails, or that is less than it should be. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "mock_vulkan.h"
#include "own_vulkan.h"
#include "picture_run.h"

static bool vulkan_here;

static void need_vulkan(void)
{
    if (!vulkan_here)
        SKIP_TEST("no Vulkan device to stand in for others");
    mock_reset();
}

/* ---- the program ---- */

static int locks; /* taken and not released */

static void lock_queue(void *user)
{
    (void)user;
    locks++;
}

static void unlock_queue(void *user)
{
    (void)user;
    locks--;
}

static struct own_vulkan open_own(void)
{
    struct own_vulkan v;

    assert_true(own_vulkan_open(&v, NULL, VK_API_VERSION_1_2, true));
    return v;
}

static enum qpel_result create(const struct own_vulkan *v, struct qpel_context **context,
                               char reason[QPEL_REASON_SIZE])
{
    struct qpel_context_params params = { .timeout_ms = 120000 };
    struct qpel_vulkan_params on = own_vulkan_params(v);

    on.lock_queue = lock_queue;
    on.unlock_queue = unlock_queue;
    return qpel_vulkan_context_create(context, &params, &on, reason);
}

static void close_own(struct own_vulkan *v)
{
    own_vulkan_close(v);
    assert_int_equal(mock.live, 0);
    assert_int_equal(mock.violations, 0);
    assert_int_equal(locks, 0);
}

/* ---- devices that are too little ---- */

static void expect(const struct own_vulkan *v, enum qpel_result expected, const char *what)
{
    struct qpel_context *context;
    char reason[QPEL_REASON_SIZE];
    enum qpel_result r = create(v, &context, reason);

    if (r != expected || (r && !strstr(reason, what)))
        fail_msg("%s: %s, \"%s\"", what, qpel_result_name(r), reason);
    qpel_context_destroy(&context);
}

static void devices_that_are_too_little(void **state)
{
    (void)state;
    need_vulkan();
    struct own_vulkan v = open_own();
    v.timelines = false;
    mock.devices[0].api_version = VK_API_VERSION_1_0;
    expect(&v, QPEL_ERROR_UNSUPPORTED, "1.1 is needed");
    mock.devices[0].api_version = VK_API_VERSION_1_1;
    expect(&v, QPEL_OK, "");
    v.timelines = true;
    expect(&v, QPEL_ERROR_INVALID, "timeline_semaphore");
    mock.devices[0].api_version = 0;
    expect(&v, QPEL_OK, "");
    mock.devices[0].memory = MOCK_MEMORY_INVISIBLE;
    expect(&v, QPEL_ERROR_UNSUPPORTED, "memory");
    mock.devices[0].memory = MOCK_MEMORY_V3D;
    mock.devices[0].families[0] = VK_QUEUE_GRAPHICS_BIT;
    mock.devices[0].families[1] = VK_QUEUE_COMPUTE_BIT;
    expect(&v, QPEL_ERROR_INVALID, "queue_family");
    v.family = 1;
    expect(&v, QPEL_OK, "");
    v.family = 2;
    expect(&v, QPEL_ERROR_INVALID, "queue_family");
    mock.lie = MOCK_LIE_SRC;
    v.family = 1;
    expect(&v, QPEL_ERROR_DEVICE_LOST, "self-test");
    close_own(&v);
}

/* ---- every function of the driver fails in turn ---- */

/* The names of a run's calls. */
static const char *names[sizeof mock.names / sizeof *mock.names];

/* Whether no call of this name comes before among [first, end), or none after. */
static bool first_or_last(unsigned first, unsigned n, unsigned end)
{
    bool before = false, after = false;

    for (unsigned i = first; i < end; i++)
        if (i != n && !strcmp(names[i], names[n])) {
            before = before || i < n;
            after = after || i > n;
        }
    return !before || !after;
}

static void creating_fails_in_turn(void **state)
{
    struct qpel_context *context;
    char reason[QPEL_REASON_SIZE];

    (void)state;
    need_vulkan();
    struct own_vulkan v = open_own();
    unsigned first = mock.calls;
    assert_int_equal(create(&v, &context, reason), QPEL_OK);
    unsigned end = mock.calls, failed = 0;
    assert_in_range(end, first + 1, sizeof names / sizeof *names);
    memcpy(names, mock.names, sizeof names);
    qpel_context_destroy(&context);
    int live = mock.live;
    for (unsigned n = first; n < end; n++) {
        if (!first_or_last(first, n, end))
            continue;
        failed++;
        mock.failed = NULL;
        mock.calls = 0;
        mock.fail_at = n - first + 1;
        mock.fail_with = n & 1 ? VK_ERROR_OUT_OF_HOST_MEMORY : VK_ERROR_UNKNOWN;
        enum qpel_result r = create(&v, &context, reason);
        assert_non_null(mock.failed);
        /* Some can be done without: a name, a time. */
        if (r && (context || !*reason))
            fail_msg("%s fails: %s, \"%s\"", mock.failed, qpel_result_name(r), reason);
        qpel_context_destroy(&context);
        if (mock.live != live)
            fail_msg("%s fails: %d objects are left", mock.failed, mock.live - live);
    }
    printf("# of %u calls, %u failed in turn\n", end - first, failed);
    close_own(&v);
}

/* ---- the same for batches ---- */

enum way { RECORD, SUBMIT };

/* A batch on its way to the GPU. */
struct journey {
    struct own_vulkan v;
    struct target t;
    struct picture_case c;
    struct running run;
    struct own_commands commands;
    enum way way;
    qpel_ticket ticket;
};

static void journey_open(struct journey *j, enum way way)
{
    struct random r = random_stream(1);
    char reason[QPEL_REASON_SIZE];

    *j = (struct journey){ .v = open_own(), .way = way };
    assert_int_equal(create(&j->v, &j->t.context, reason), QPEL_OK);
    j->t.backend = QPEL_BACKEND_CPU;
    j->c = case_draw(60, &r);
    while (j->c.count < 20) {
        case_free(&j->c);
        j->c = case_draw(60, &r);
    }
    j->run = running_open(&j->c, j->t.context, CREATED, CREATED);
    running_collect(&j->run);
    j->commands = own_commands_begin(&j->v);
    mock.watched = j->commands.buffer;
    mock.recorded = 0;
}

static void journey_close(struct journey *j)
{
    running_close(&j->run);
    case_free(&j->c);
    own_commands_free(&j->v, &j->commands);
    qpel_context_destroy(&j->t.context);
    close_own(&j->v);
}

static enum qpel_result journey_start(struct journey *j, struct qpel_report *report)
{
    if (j->way == RECORD)
        return qpel_vulkan_record(j->run.batch, j->commands.buffer, report);
    return qpel_vulkan_submit(j->run.batch, NULL, NULL, &j->ticket, report);
}

static void journey_end(struct journey *j)
{
    own_commands_end(&j->v, &j->commands);
    if (j->way == RECORD) {
        own_commands_run(&j->v, &j->commands, NULL);
        assert_int_equal(qpel_vulkan_recorded_done(j->run.batch), QPEL_OK);
    } else {
        assert_int_equal(qpel_wait(j->t.context, j->ticket, WAIT_NS), QPEL_OK);
    }
    running_check(&j->run, "after a failure");
}

/* Whatever fails: nothing is recorded, and the batch is as good as before. */
static void batches_fail_in_turn(enum way way)
{
    struct qpel_report report;

    mock_reset();
    struct journey j;
    journey_open(&j, way);
    unsigned first = mock.calls;
    assert_int_equal(journey_start(&j, &report), QPEL_OK);
    unsigned end = mock.calls, failed = 0;
    assert_in_range(end, first + 1, sizeof names / sizeof *names);
    memcpy(names, mock.names, sizeof names);
    journey_end(&j);
    journey_close(&j);
    for (unsigned n = first; n < end; n++) {
        if (!first_or_last(first, n, end))
            continue;
        failed++;
        mock_reset();
        journey_open(&j, way);
        mock.calls = 0;
        mock.fail_at = n - first + 1;
        mock.fail_with = failed % 2 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_UNKNOWN;
        enum qpel_result r = journey_start(&j, &report);
        assert_non_null(mock.failed);
        if (r && mock.recorded)
            fail_msg("%s fails, but something was recorded", mock.failed);
        if (r)
            assert_string_not_equal(report.reason, "");
        if (r == QPEL_ERROR_NOMEM)
            assert_int_equal(journey_start(&j, &report), QPEL_OK);
        if (r == QPEL_ERROR_NOMEM || !r) {
            journey_end(&j);
        } else {
            /* The GPU is lost; the batch is not. */
            assert_int_equal(r, QPEL_ERROR_DEVICE_LOST);
            assert_int_equal(journey_start(&j, &report), QPEL_ERROR_DEVICE_LOST);
            assert_int_equal(running_submit(&j.run, &j.t), QPEL_OK);
            running_check(&j.run, "on the CPU");
        }
        journey_close(&j);
    }
    printf("# of %u calls, %u failed in turn\n", end - first, failed);
}

static void recording_fails_in_turn(void **state)
{
    (void)state;
    need_vulkan();
    batches_fail_in_turn(RECORD);
}

static void submitting_fails_in_turn(void **state)
{
    (void)state;
    need_vulkan();
    batches_fail_in_turn(SUBMIT);
}

/* A GPU that is lost while a batch is recorded: what was recorded is still the caller's to end. */
static void lost_while_recorded(void **state)
{
    struct qpel_report report;

    (void)state;
    need_vulkan();
    struct journey j;
    journey_open(&j, RECORD);
    assert_int_equal(journey_start(&j, &report), QPEL_OK);
    struct picture_case other = case_make(j.c.target.format, 0, NULL);
    struct running empty = running_open(&other, j.t.context, CREATED, CREATED);
    assert_int_equal(qpel_batch_begin(empty.batch, empty.target.picture), QPEL_OK);
    qpel_ticket ticket;
    assert_int_equal(qpel_vulkan_submit(empty.batch, NULL, NULL, &ticket, NULL), QPEL_OK);
    mock.fence = MOCK_FENCE_LOST;
    assert_int_equal(qpel_wait(j.t.context, ticket, WAIT_NS), QPEL_ERROR_DEVICE_LOST);
    running_close(&empty);
    case_free(&other);
    mock.fence = MOCK_FENCE_REAL;
    own_commands_end(&j.v, &j.commands);
    assert_int_equal(qpel_vulkan_recorded_done(j.run.batch), QPEL_OK);
    assert_int_equal(qpel_vulkan_record(j.run.batch, j.commands.buffer, &report),
                     QPEL_ERROR_DEVICE_LOST);
    assert_int_equal(running_submit(&j.run, &j.t), QPEL_OK);
    running_check(&j.run, "on the CPU");
    journey_close(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(devices_that_are_too_little), cmocka_unit_test(creating_fails_in_turn),
        cmocka_unit_test(recording_fails_in_turn),     cmocka_unit_test(submitting_fails_in_turn),
        cmocka_unit_test(lost_while_recorded),
    };
    vulkan_here = mock_possible();
    return RUN_GROUP("vulkan_failures", tests);
}
