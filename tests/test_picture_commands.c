/* What the picture door asks of Vulkan: which dispatches may run in which order, that steady state
 * only records and submits, devices with other limits and memory, and work that does not end. */
#include <stdlib.h>
#include <string.h>

#include "count_allocations.h"
#include "harness.h"
#include "mock_vulkan.h"
#include "picture_run.h"

/* ---- devices ---- */

static bool vulkan_here;

static void need_vulkan(void)
{
    if (!vulkan_here)
        SKIP_TEST("no Vulkan device to stand in for others");
    mock_reset();
}

static struct target target_open(unsigned timeout_ms)
{
    struct target t = { .name = "gpu (mock)", .backend = QPEL_BACKEND_GPU };
    struct qpel_context_params params = { .backend = QPEL_BACKEND_GPU, .timeout_ms = timeout_ms };

    assert_int_equal(qpel_context_create(&t.context, &params), QPEL_OK);
    return t;
}

static void target_close(struct target *t)
{
    qpel_context_destroy(&t->context);
    assert_int_equal(mock.live, 0);
    assert_int_equal(mock.violations, 0);
}

enum { PATIENCE_MS = 60000 };

static void run_cases(int count, int side, unsigned stream)
{
    struct random r = random_stream(stream);
    struct target t = target_open(PATIENCE_MS);

    for (int n = 0; n < count; n++) {
        struct picture_case c = case_draw(side, &r);
        assert_true(case_run(&c, &t, CREATED, CREATED));
        case_free(&c);
    }
    target_close(&t);
}

/* ---- orders ---- */

static void dispatches_between_barriers_in_any_order(void **state)
{
    (void)state;
    need_vulkan();
    mock.order = MOCK_ORDER_BACKWARDS;
    run_cases(300, 60, 1);
    mock.order = MOCK_ORDER_RANDOM;
    run_cases(300, 60, 2);
}

/* A macroblock's blocks, far outside the references: each needs as many slots as it has units. */
static void draw_outside(struct picture_case *c, struct random *r)
{
    const struct qpel_picture_format *f = &c->target.format;

    c->count = 0;
    for (unsigned y = 0; y < f->height; y += 4)
        for (unsigned x = 0; x < f->width; x += 4) {
            struct qpel_picture_block *b = &c->blocks[c->count++];
            *b = (struct qpel_picture_block){ .x = (uint16_t)x,
                                              .y = (uint16_t)y,
                                              .width = 4,
                                              .height = 4,
                                              .references = 2,
                                              .reference = { 0, 1 } };
            for (int l = 0; l < 2; l++)
                for (int i = 0; i < 2; i++)
                    b->mv[l][i] = (int16_t)random_between(r, -800, 800);
        }
}

/* More windows outside than there is room for at once, in both lists and many times over. */
static void slots_take_turns(void **state)
{
    struct random r = random_stream(3);

    (void)state;
    need_vulkan();
    for (int order = MOCK_ORDER_REAL; order <= MOCK_ORDER_RANDOM; order++) {
        mock.order = (enum mock_order)order;
        struct target t = target_open(PATIENCE_MS);
        for (int chroma = QPEL_CHROMA_400; chroma <= QPEL_CHROMA_444; chroma++) {
            struct qpel_picture_format f = picture_format(120, 100, (enum qpel_chroma)chroma);
            struct picture_case c = case_make(f, 2, &r);
            image_fill(&c.target, &r);
            for (int i = 0; i < 2; i++) {
                image_fill(&c.images[i], &r);
                c.references[c.reference_count++] = (struct case_reference){ i, QPEL_FRAME };
            }
            draw_outside(&c, &r);
            case_expect(&c);
            unsigned before = mock.dispatches;
            assert_true(case_run(&c, &t, CREATED, CREATED));
            assert_true(mock.dispatches - before > 18); /* turns were taken */
            case_free(&c);
        }
        target_close(&t);
    }
}

/* ---- steady state ---- */

/* Vulkan's calls that a picture may make. */
static bool cheap(const char *name)
{
    static const char *const names[] = { "vkResetCommandPool", "vkBeginCommandBuffer",
                                         "vkEndCommandBuffer", "vkResetFences",
                                         "vkQueueSubmit",      "vkWaitForFences",
                                         "vkGetFenceStatus" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

static void expect_cheap(unsigned *submits)
{
    *submits = 0;
    assert_true(mock.calls <= sizeof mock.names / sizeof *mock.names);
    for (unsigned i = 0; i < mock.calls; i++) {
        if (!cheap(mock.names[i]))
            fail_msg("steady state calls %s", mock.names[i]);
        *submits += !strcmp(mock.names[i], "vkQueueSubmit");
    }
    assert_int_equal(mock.updates, 0);
}

/* All positions, 8x8 blocks and smaller ones, some of them at the edges; references: 1 or 2, the
 * same for all of a sub-macroblock, as the standard has it. */
static void draw_mixture(struct picture_case *c, int references, struct random *r)
{
    const struct qpel_picture_format *f = &c->target.format;

    c->count = 0;
    for (unsigned y = 0; y < f->height; y += 8)
        for (unsigned x = 0; x < f->width; x += 8) {
            int step = random_below(r, 4) ? 8 : 4;
            uint8_t count = (uint8_t)random_between(r, 1, references);
            for (int v = 0; v < 8; v += step)
                for (int u = 0; u < 8; u += step) {
                    struct qpel_picture_block *b = &c->blocks[c->count++];
                    *b = (struct qpel_picture_block){ .x = (uint16_t)(x + (unsigned)u),
                                                      .y = (uint16_t)(y + (unsigned)v),
                                                      .width = (uint8_t)step,
                                                      .height = (uint8_t)step,
                                                      .references = count,
                                                      .reference = { 0, 1 } };
                    for (int l = 0; l < 2; l++)
                        for (int i = 0; i < 2; i++)
                            b->mv[l][i] = (int16_t)random_between(r, -40, 40);
                }
        }
}

/* Returns the dispatches of a picture in steady state. */
static unsigned steady_dispatches(enum qpel_chroma chroma, int references)
{
    enum { PICTURES = 20, WARM = 4 };
    struct random r = random_stream(4);
    struct target t = target_open(PATIENCE_MS);
    struct picture_case c = case_make(picture_format(160, 96, chroma), 2, &r);
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU };
    size_t before = 0;
    unsigned submits;

    image_fill(&c.target, &r);
    for (int i = 0; i < 2; i++) {
        image_fill(&c.images[i], &r);
        c.references[c.reference_count++] = (struct case_reference){ i, QPEL_FRAME };
    }
    draw_mixture(&c, references, &r);
    case_expect(&c);
    struct running run = running_open(&c, t.context, CREATED, CREATED);
    for (int n = 0; n < PICTURES; n++) {
        struct qpel_report report;
        qpel_ticket ticket;
        if (n == WARM) {
            before = allocations;
            mock.calls = mock.updates = mock.dispatches = 0;
        }
        running_collect(&run);
        assert_int_equal(qpel_submit(run.batch, &params, &ticket, &report), QPEL_OK);
        assert_int_equal(report.copies, 0);
        assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);
    }
    assert_int_equal(allocations, before);
    expect_cheap(&submits);
    assert_int_equal(submits, PICTURES - WARM);
    assert_int_equal(mock.dispatches % (PICTURES - WARM), 0);
    unsigned dispatches = mock.dispatches / (PICTURES - WARM);
    running_check(&run, t.name);
    running_close(&run);
    case_free(&c);
    target_close(&t);
    return dispatches;
}

static void steady_state_records_and_submits(void **state)
{
    (void)state;
    need_vulkan();
    unsigned luma_p = steady_dispatches(QPEL_CHROMA_400, 1);
    unsigned luma_b = steady_dispatches(QPEL_CHROMA_400, 2);
    unsigned all_p = steady_dispatches(QPEL_CHROMA_420, 1);
    unsigned all_b = steady_dispatches(QPEL_CHROMA_420, 2);
    printf("# dispatches, luma and chroma: P %u + %u, B %u + %u\n", luma_p, all_p - luma_p, luma_b,
           all_b - luma_b);
    assert_in_range(luma_p, 1, 9);
    assert_in_range(luma_b, 1, 18);
    assert_in_range(all_p - luma_p, 1, 4);
    assert_in_range(all_b - luma_b, 1, 4);
}

/* ---- limits and memory ---- */

static void few_groups_at_a_time(void **state)
{
    (void)state;
    need_vulkan();
    mock.devices[0].max_groups = 3;
    run_cases(60, 120, 5);
}

static void memory_that_is_not_coherent(void **state)
{
    (void)state;
    need_vulkan();
    mock.devices[0].memory = MOCK_MEMORY_NOT_COHERENT;
    run_cases(200, 60, 6);
}

static void small_bindings(void **state)
{
    struct qpel_picture_format f = picture_format(1920, 1088, QPEL_CHROMA_420);
    struct qpel_picture_block block = { .width = 16, .height = 16, .references = 1 };
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU };
    struct qpel_picture *target, *reference;
    struct qpel_report report;
    struct qpel_batch *batch;
    qpel_ticket ticket;
    uint8_t index;

    (void)state;
    need_vulkan();
    mock.devices[0].max_storage_range = 1 << 20;
    run_cases(60, 120, 7);
    /* Pictures that can't be bound serve the CPU, and say so. */
    struct target t = target_open(PATIENCE_MS);
    assert_int_equal(qpel_picture_create(t.context, &f, QPEL_NEAR_CPU, &target), QPEL_OK);
    assert_int_equal(qpel_picture_create(t.context, &f, QPEL_NEAR_GPU, &reference), QPEL_OK);
    assert_int_equal(qpel_batch_create(t.context, &batch), QPEL_OK);
    assert_int_equal(qpel_batch_begin(batch, target), QPEL_OK);
    assert_int_equal(qpel_batch_reference(batch, reference, QPEL_FRAME, &index), QPEL_OK);
    assert_int_equal(qpel_batch_add(batch, &block, 1, NULL), QPEL_OK);
    assert_int_equal(qpel_submit(batch, &params, &ticket, &report), QPEL_ERROR_UNSUPPORTED);
    printf("# %s\n", report.reason);
    assert_non_null(strstr(report.reason, "maxStorageBufferRange"));
    params.backend = QPEL_BACKEND_CPU;
    assert_int_equal(qpel_submit(batch, &params, &ticket, &report), QPEL_OK);
    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&target);
    qpel_picture_destroy(&reference);
    target_close(&t);
}

/* ---- work in flight ---- */

static void expect_access(struct qpel_picture *p, enum qpel_access access, enum qpel_result result)
{
    struct qpel_picture_data data;

    assert_int_equal(qpel_picture_begin(p, access, &data), result);
    if (!result)
        assert_int_equal(qpel_picture_end(p), QPEL_OK);
}

/* So that the self-test of such pictures is over. */
static void submit_once(struct running *r, struct qpel_context *context)
{
    struct target t = { .backend = QPEL_BACKEND_GPU, .context = context };

    assert_int_equal(running_submit(r, &t), QPEL_OK);
}

static void what_is_busy_meanwhile(void **state)
{
    struct random r = random_stream(8);
    struct qpel_submit_params gpu = { .backend = QPEL_BACKEND_GPU };
    struct qpel_submit_params cpu = { .backend = QPEL_BACKEND_CPU };
    qpel_ticket first, second;
    bool done = true;
    double seconds;

    (void)state;
    need_vulkan();
    struct target t = target_open(PATIENCE_MS);
    struct picture_case c = case_draw(60, &r);
    struct running run = running_open(&c, t.context, CREATED, CREATED);
    struct running again = run; /* a second batch into the same picture */
    assert_int_equal(qpel_batch_create(t.context, &again.batch), QPEL_OK);
    running_collect(&run);
    running_collect(&again);
    submit_once(&run, t.context);
    mock.fence = MOCK_FENCE_NEVER;
    assert_int_equal(qpel_submit(run.batch, &gpu, &first, NULL), QPEL_OK);
    assert_int_equal(qpel_poll(t.context, first, &done), QPEL_OK);
    assert_false(done);
    assert_int_equal(qpel_wait(t.context, first, 1000), QPEL_ERROR_TIMEOUT);
    assert_int_equal(qpel_ticket_gpu_seconds(t.context, first, &seconds), QPEL_ERROR_BUSY);
    expect_access(run.target.picture, QPEL_READ, QPEL_ERROR_BUSY);
    expect_access(run.images[0].picture, QPEL_READ, QPEL_OK);
    expect_access(run.images[0].picture, QPEL_WRITE, QPEL_ERROR_BUSY);
    assert_int_equal(qpel_submit(run.batch, &gpu, &second, NULL), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_batch_begin(run.batch, run.target.picture), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_submit(again.batch, &gpu, &second, NULL), QPEL_OK);
    mock.fence = MOCK_FENCE_REAL;
    /* The CPU waits for both. */
    assert_int_equal(qpel_wait(t.context, second, WAIT_NS), QPEL_OK);
    assert_int_equal(qpel_poll(t.context, first, &done), QPEL_OK);
    assert_true(done);
    assert_int_equal(qpel_submit(run.batch, &gpu, &first, NULL), QPEL_OK);
    assert_int_equal(qpel_submit(again.batch, &cpu, &second, NULL), QPEL_OK);
    assert_int_equal(qpel_poll(t.context, first, &done), QPEL_OK);
    assert_true(done);
    running_check(&run, t.name);
    qpel_batch_destroy(&again.batch);
    running_close(&run);
    case_free(&c);
    target_close(&t);
}

static void work_that_never_ends(void **state)
{
    struct random r = random_stream(9);

    (void)state;
    need_vulkan();
    for (int lost = 0; lost < 2; lost++) {
        struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU };
        struct target t = target_open(PATIENCE_MS);
        struct picture_case c = case_draw(60, &r);
        struct running run = running_open(&c, t.context, CREATED, CREATED);
        qpel_ticket ticket;
        struct qpel_report report;
        running_collect(&run);
        submit_once(&run, t.context);
        mock.fence = lost ? MOCK_FENCE_LOST : MOCK_FENCE_NEVER;
        assert_int_equal(qpel_submit(run.batch, &params, &ticket, NULL), QPEL_OK);
        assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_ERROR_DEVICE_LOST);
        assert_int_equal(qpel_ticket_gpu_seconds(t.context, ticket, &(double){ 0 }),
                         QPEL_ERROR_DEVICE_LOST);
        assert_int_equal(qpel_submit(run.batch, &params, &ticket, &report), QPEL_ERROR_DEVICE_LOST);
        printf("# %s\n", report.reason);
        /* The CPU goes on, in the same memory. */
        params.backend = QPEL_BACKEND_CPU;
        assert_int_equal(qpel_submit(run.batch, &params, &ticket, NULL), QPEL_OK);
        running_check(&run, "after the device's loss");
        running_close(&run);
        case_free(&c);
        /* What may still be at work when a context goes is left to it. */
        mock.fence = MOCK_FENCE_REAL;
        target_close(&t);
    }
}

/* On a discrete GPU a wait looks at the fence for a while before it sleeps. */
static void waits_begin_awake(void **state)
{
    static const VkPhysicalDeviceType types[] = { VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                                                  VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU };
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU };
    struct random r = random_stream(9);

    (void)state;
    need_vulkan();
    for (int i = 0; i < 2; i++) {
        mock.devices[0].type = types[i];
        struct target t = target_open(PATIENCE_MS);
        struct picture_case c = case_draw(40, &r);
        struct running run = running_open(&c, t.context, CREATED, CREATED);
        qpel_ticket ticket;
        bool looked = false;
        running_collect(&run);
        assert_int_equal(qpel_submit(run.batch, &params, &ticket, NULL), QPEL_OK);
        mock.fence = MOCK_FENCE_NEVER;
        mock.calls = mock.waits = 0;
        assert_int_equal(qpel_wait(t.context, ticket, 1000000), QPEL_ERROR_TIMEOUT);
        for (unsigned n = 0; n < mock.calls && n < sizeof mock.names / sizeof *mock.names; n++)
            looked |= !strcmp(mock.names[n], "vkGetFenceStatus");
        assert_int_equal(looked, i);
        assert_int_equal(mock.waits, 1);
        mock.fence = MOCK_FENCE_REAL;
        assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);
        running_check(&run, t.name);
        running_close(&run);
        case_free(&c);
        target_close(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dispatches_between_barriers_in_any_order),
        cmocka_unit_test(slots_take_turns),
        cmocka_unit_test(steady_state_records_and_submits),
        cmocka_unit_test(few_groups_at_a_time),
        cmocka_unit_test(memory_that_is_not_coherent),
        cmocka_unit_test(small_bindings),
        cmocka_unit_test(what_is_busy_meanwhile),
        cmocka_unit_test(work_that_never_ends),
        cmocka_unit_test(waits_begin_awake),
    };
    vulkan_here = mock_possible();
    return RUN_GROUP("picture commands", tests);
}
