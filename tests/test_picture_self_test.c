/* A device that gets pictures wrong, or does not answer, is found out before it predicts one. */
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "harness.h"
#include "mock_vulkan.h"
#include "picture_bare.h"
#include "picture_run.h"
#include "self_test.h"

static bool vulkan_here;

/* The mock's waits never last as long. */
enum { TIMEOUT_MS = 60000 };

static struct qpel_context *open_context(void)
{
    struct qpel_context *context;
    struct qpel_context_params params = { .timeout_ms = TIMEOUT_MS };

    if (!vulkan_here)
        SKIP_TEST("no Vulkan device to stand in for others");
    mock_reset();
    assert_int_equal(qpel_context_create(&context, &params), QPEL_OK);
    return context;
}

static void close_context(struct qpel_context *context)
{
    qpel_context_destroy(&context);
    assert_int_equal(mock.live, 0);
    assert_int_equal(mock.violations, 0);
}

/* ---- kinds of pictures ---- */

/* Two macroblocks. */
static struct picture_case small_case(struct qpel_picture_format format, enum picture_step step,
                                      struct random *r)
{
    struct picture_case c = case_make(format, 1, r);

    image_fill(&c.target, r);
    image_fill(&c.images[0], r);
    c.references[c.reference_count++] = (struct case_reference){ 0, QPEL_FRAME };
    if (step == PICTURE_WEIGHTED)
        c.weights[c.weight_count++] = (struct qpel_weight){ 1, { 1 }, { { 1 }, { 2 } }, { { 3 } } };
    for (int i = 0; i < 2; i++)
        c.blocks[c.count++] =
            (struct qpel_picture_block){ .x = (uint16_t)(16 * i),
                                         .width = 16,
                                         .height = 16,
                                         .references = step == PICTURE_ONE_LIST || i ? 1 : 2,
                                         .weight = step == PICTURE_WEIGHTED,
                                         .mv = { { 6, 5 }, { -3, 2 } } };
    case_expect(&c);
    return c;
}

static const struct kind {
    enum qpel_chroma chroma;
    enum qpel_layout layout;
} kinds[] = {
    { QPEL_CHROMA_400, QPEL_LAYOUT_PLANAR },      { QPEL_CHROMA_420, QPEL_LAYOUT_PLANAR },
    { QPEL_CHROMA_420, QPEL_LAYOUT_INTERLEAVED }, { QPEL_CHROMA_422, QPEL_LAYOUT_PLANAR },
    { QPEL_CHROMA_422, QPEL_LAYOUT_INTERLEAVED }, { QPEL_CHROMA_444, QPEL_LAYOUT_PLANAR },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct qpel_picture_format format_of(const struct kind *kind)
{
    struct qpel_picture_format f = picture_format(32, 16, kind->chroma);

    f.layout = kind->layout;
    return f;
}

/* A batch of a kind, in pictures of its own, without samples that matter. */
struct some_batch {
    struct qpel_picture *target, *reference;
    struct qpel_batch *batch;
};

static struct some_batch batch_open(struct qpel_context *context, const struct kind *kind,
                                    enum picture_step step)
{
    static const struct qpel_weight weight = { .planes = 7 };
    struct qpel_picture_format format = format_of(kind);
    struct some_batch b;
    struct qpel_picture_block block = { .width = 16,
                                        .height = 16,
                                        .references = step == PICTURE_ONE_LIST ? 1 : 2,
                                        .weight = step == PICTURE_WEIGHTED };
    uint8_t reference;
    uint16_t index;

    assert_int_equal(qpel_picture_create(context, &format, QPEL_NEAR_CPU, &b.target), QPEL_OK);
    assert_int_equal(qpel_picture_create(context, &format, QPEL_NEAR_CPU, &b.reference), QPEL_OK);
    assert_int_equal(qpel_batch_create(context, &b.batch), QPEL_OK);
    assert_int_equal(qpel_batch_begin(b.batch, b.target), QPEL_OK);
    assert_int_equal(qpel_batch_reference(b.batch, b.reference, QPEL_FRAME, &reference), QPEL_OK);
    assert_int_equal(qpel_batch_weight(b.batch, &weight, &index), QPEL_OK);
    assert_int_equal(qpel_batch_add(b.batch, &block, 1, NULL), QPEL_OK);
    return b;
}

static void batch_close(struct some_batch *b)
{
    qpel_batch_destroy(&b->batch);
    qpel_picture_destroy(&b->target);
    qpel_picture_destroy(&b->reference);
}

/* ---- tests ---- */

/* Of the self-test's own dispatches none can be left out unseen. */
static void every_dispatch_counts(void **state)
{
    unsigned all = 0;

    (void)state;
    struct qpel_context *context = open_context();
    assert_int_equal(qpel_context_gpu(context, NULL, NULL), QPEL_OK);
    for (int k = 0; k < KINDS; k++)
        for (int step = 0; step < PICTURE_STEP_COUNT; step++) {
            char reason[QPEL_REASON_SIZE] = "";
            struct some_batch b = batch_open(context, &kinds[k], (enum picture_step)step);
            mock.dispatches = mock.skip_at = 0;
            context->pictures_tested = 0;
            struct picture_kind kind = qpel_picture_kind_of(b.batch);
            assert_int_equal(qpel_picture_self_test(context, context->gpu, &kind, reason), QPEL_OK);
            unsigned count = mock.dispatches;
            assert_in_range(count, 6, 60);
            for (unsigned n = 1; n <= count; n++) {
                mock.dispatches = 0;
                mock.skip_at = n;
                context->pictures_tested = 0;
                if (qpel_picture_self_test(context, context->gpu, &kind, reason) !=
                    QPEL_ERROR_DEVICE_LOST)
                    fail_msg("kind %d, step %d: dispatch %u of %u is not missed", k, step, n,
                             count);
                assert_int_equal(mock.dispatches, count);
                assert_int_equal(context->pictures_tested, 0);
            }
            mock.skip_at = 0;
            all += count;
            batch_close(&b);
        }
    printf("# %u dispatches, each left out in turn\n", all);
    close_context(context);
}

/* Each kind once, and only when such a picture comes. */
static void each_kind_is_tested_once(void **state)
{
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU };
    qpel_ticket ticket;

    (void)state;
    struct qpel_context *context = open_context();
    for (int k = 0; k < KINDS; k++)
        for (int step = 0; step < PICTURE_STEP_COUNT; step++) {
            struct some_batch b = batch_open(context, &kinds[k], (enum picture_step)step);
            unsigned dispatches[3];
            for (int i = 0; i < 3; i++) {
                if (i == 0)
                    assert_int_equal(qpel_context_gpu(context, NULL, NULL), QPEL_OK);
                mock.dispatches = 0;
                assert_int_equal(qpel_submit(b.batch, &params, &ticket, NULL), QPEL_OK);
                assert_int_equal(qpel_wait(context, ticket, WAIT_NS), QPEL_OK);
                dispatches[i] = mock.dispatches;
            }
            assert_true(dispatches[0] > dispatches[1]);
            assert_int_equal(dispatches[1], dispatches[2]);
            batch_close(&b);
        }
    close_context(context);
}

/* What a failure of the first picture's self-test comes to: nothing was written, the CPU goes on.
 */
static void expect_found_out(struct qpel_context *context, const char *why)
{
    struct random r = random_stream(1);
    struct picture_case c =
        small_case(picture_format(32, 16, QPEL_CHROMA_420), PICTURE_TWO_LISTS, &r);
    struct running run = running_open(&c, context, CREATED, CREATED);
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU };
    char reason[QPEL_REASON_SIZE];
    struct qpel_report report;
    qpel_ticket ticket;

    assert_int_equal(qpel_context_gpu(context, NULL, reason), QPEL_OK);
    running_collect(&run);
    assert_int_equal(qpel_submit(run.batch, &params, &ticket, &report), QPEL_ERROR_DEVICE_LOST);
    printf("# %s\n", report.reason);
    assert_int_equal(report.backend, QPEL_BACKEND_AUTO);
    assert_non_null(strstr(report.reason, "self-test"));
    assert_non_null(strstr(report.reason, why));
    assert_int_equal(qpel_context_gpu(context, NULL, reason), QPEL_ERROR_DEVICE_LOST);
    assert_non_null(strstr(reason, "self-test"));
    uint8_t *now = loaded_region(&run.target);
    assert_memory_equal(now, c.target.bytes, c.target.size);
    free(now);
    assert_int_equal(qpel_submit(run.batch, &params, &ticket, &report), QPEL_ERROR_DEVICE_LOST);
    params.backend = QPEL_BACKEND_AUTO;
    assert_int_equal(qpel_submit(run.batch, &params, &ticket, &report), QPEL_OK);
    assert_int_equal(report.backend, QPEL_BACKEND_CPU);
    running_check(&run, "after a failed self-test");
    running_close(&run);
    case_free(&c);
}

static void a_lying_device_is_found_out(void **state)
{
    (void)state;
    struct qpel_context *context = open_context();
    mock.lie = MOCK_LIE_DST;
    expect_found_out(context, "differs");
    close_context(context);
}

static void a_device_that_does_not_answer(void **state)
{
    (void)state;
    for (int fence = MOCK_FENCE_NEVER; fence <= MOCK_FENCE_LOST; fence++) {
        struct qpel_context *context = open_context();
        assert_int_equal(qpel_context_gpu(context, NULL, NULL), QPEL_OK);
        mock.fence = (enum mock_fence)fence;
        expect_found_out(context, fence == MOCK_FENCE_NEVER ? "did not finish" : "DEVICE_LOST");
        mock.fence = MOCK_FENCE_REAL;
        close_context(context);
    }
}

/* AUTO takes the GPU, which then can't: the CPU does it, and the report says why. */
static void auto_goes_on_without_it(void **state)
{
    struct random r = random_stream(3);
    struct qpel_submit_params params = { .timed = true };
    struct qpel_recipe_line line = { .work = QPEL_WORK_PICTURE };
    struct qpel_recipe_answer answer;
    struct qpel_report report;
    struct qpel_recipe *recipe;
    qpel_ticket ticket;
    double seconds;

    (void)state;
    struct qpel_context *context = open_context();
    qpel_context_destroy(&context);
    line.cost.origin = QPEL_ORIGIN_MEASURED;
    assert_int_equal(qpel_recipe_create(&recipe), QPEL_OK);
    for (int b = QPEL_BACKEND_GPU; b >= QPEL_BACKEND_CPU; b--) {
        line.backend = (enum qpel_backend)b;
        line.cost.price[QPEL_TERM_FIXED].wall = b == QPEL_BACKEND_CPU ? 2 : 1;
        assert_int_equal(qpel_recipe_add(recipe, &line), QPEL_OK);
    }
    struct qpel_context_params with = { .recipe = recipe, .timeout_ms = TIMEOUT_MS };
    assert_int_equal(qpel_context_create(&context, &with), QPEL_OK);
    qpel_recipe_destroy(&recipe);
    mock.lie = MOCK_LIE_DST;
    struct picture_case c =
        small_case(picture_format(32, 16, QPEL_CHROMA_420), PICTURE_WEIGHTED, &r);
    struct running run = running_open(&c, context, CREATED, CREATED);
    running_collect(&run);
    assert_int_equal(qpel_recipe_query_batch(run.batch, &params, &answer), QPEL_OK);
    assert_int_equal(answer.backend, QPEL_BACKEND_GPU);
    assert_int_equal(qpel_submit(run.batch, &params, &ticket, &report), QPEL_OK);
    assert_int_equal(report.backend, QPEL_BACKEND_CPU);
    printf("# %s\n", report.reason);
    assert_non_null(strstr(report.reason, "the GPU can't: self-test"));
    assert_int_equal(qpel_ticket_gpu_seconds(context, ticket, &seconds), QPEL_OK);
    assert_true(seconds < 0);
    running_check(&run, "AUTO after a failed self-test");
    assert_int_equal(qpel_recipe_query_batch(run.batch, &params, &answer), QPEL_OK);
    assert_int_equal(answer.backend, QPEL_BACKEND_CPU);
    assert_non_null(strstr(answer.reason, "self-test"));
    running_close(&run);
    case_free(&c);
    close_context(context);
}

/* ---- ahead of the first picture ---- */

/* Shaders that were compiled since. */
static unsigned compiled(void)
{
    unsigned n = 0;

    assert_true(mock.calls <= sizeof mock.names / sizeof *mock.names);
    for (unsigned i = 0; i < mock.calls; i++)
        n += !strcmp(mock.names[i], "vkCreateComputePipelines");
    mock.calls = 0;
    return n;
}

/* Where its pictures lie, as callers bring them. */
static void batch_place(struct some_batch *b, enum memory_sort sort)
{
    struct qpel_picture *pictures[] = { b->target, b->reference };

    for (int i = 0; i < 2 && sort != SORT_PIECE; i++)
        picture_place_alone(pictures[i], sort == SORT_ENDING);
}

/* Formats, blocks and memory of every sort. */
static void prepared_pictures_compile_nothing(void **state)
{
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU };
    char reason[QPEL_REASON_SIZE];
    qpel_ticket ticket;

    (void)state;
    for (int sort = 0; sort < SORT_COUNT; sort++) {
        struct qpel_context *context = open_context();
        for (int k = 0; k < KINDS; k++)
            for (int step = 0; step < PICTURE_STEP_COUNT; step++) {
                struct some_batch b = batch_open(context, &kinds[k], (enum picture_step)step);
                batch_place(&b, (enum memory_sort)sort);
                for (int again = 0; again < 2; again++) {
                    mock.calls = mock.dispatches = 0;
                    assert_int_equal(qpel_picture_prepare(b.reference, 1u << step, reason),
                                     QPEL_OK);
                    if (compiled()) /* not what other formats have had compiled */
                        assert_false(again);
                    assert_int_equal(mock.dispatches > 0, !again);
                }
                for (int again = 0; again < 2; again++) {
                    unsigned before = mock.dispatches;
                    mock.dispatches = 0;
                    assert_int_equal(qpel_submit(b.batch, &params, &ticket, NULL), QPEL_OK);
                    assert_int_equal(qpel_wait(context, ticket, WAIT_NS), QPEL_OK);
                    assert_int_equal(compiled(), 0);
                    if (again)
                        assert_int_equal(mock.dispatches, before);
                }
                batch_close(&b);
            }
        close_context(context);
    }
}

/* Several kinds by one call, and none that was not asked for. */
static void kinds_are_prepared_as_asked(void **state)
{
    (void)state;
    for (unsigned asked = QPEL_PREPARE_P; asked < 8; asked += 5) {
        struct qpel_context *context = open_context();
        struct some_batch b = batch_open(context, &kinds[1], PICTURE_ONE_LIST);
        assert_int_equal(qpel_picture_prepare(b.target, asked, NULL), QPEL_OK);
        unsigned bits = 0;
        for (uint64_t tested = context->pictures_tested; tested; tested &= tested - 1)
            bits++;
        assert_int_equal(bits, (asked & 1) + (asked >> 1 & 1) + (asked >> 2));
        for (int step = 0; step < PICTURE_STEP_COUNT; step++) {
            mock.dispatches = 0;
            assert_int_equal(qpel_picture_prepare(b.target, 1u << step, NULL), QPEL_OK);
            assert_int_equal(mock.dispatches == 0, asked >> step & 1);
        }
        batch_close(&b);
        close_context(context);
    }
}

static void expect_unprepared(const struct qpel_picture *like, unsigned asked,
                              enum qpel_result expected, const char *why)
{
    char reason[QPEL_REASON_SIZE] = "";

    assert_int_equal(qpel_picture_prepare(like, asked, reason), expected);
    printf("# %s\n", reason);
    assert_non_null(strstr(reason, why));
    assert_int_equal(qpel_picture_prepare(like, asked, NULL), expected);
}

static void what_can_not_be_prepared(void **state)
{
    static uint8_t samples[32 * 16];
    struct qpel_picture_format format = picture_format(32, 16, QPEL_CHROMA_400);
    struct qpel_picture_data data = { { samples }, { 32 }, NULL, 0 };
    struct qpel_context_params cpu = { .backend = QPEL_BACKEND_CPU };
    struct qpel_context *none;
    struct qpel_picture *p;
    char reason[QPEL_REASON_SIZE];

    (void)state;
    struct qpel_context *context = open_context();
    expect_unprepared(NULL, QPEL_PREPARE_P, QPEL_ERROR_INVALID, "null");
    assert_int_equal(qpel_picture_wrap(context, &format, &data, &p), QPEL_OK);
    expect_unprepared(p, 0, QPEL_ERROR_INVALID, "kinds");
    expect_unprepared(p, 8 | QPEL_PREPARE_P, QPEL_ERROR_INVALID, "kinds");
    /* Out of its reach. */
    expect_unprepared(p, QPEL_PREPARE_P, QPEL_ERROR_UNSUPPORTED, "does not reach");
    qpel_picture_destroy(&p);
    assert_int_equal(mock.dispatches > 0, true); /* the context's own self-test */
    assert_int_equal(context->pictures_tested, 0);
    assert_int_equal(qpel_picture_create(context, &format, QPEL_NEAR_CPU, &p), QPEL_OK);
    assert_int_equal(qpel_picture_prepare(p, QPEL_PREPARE_P, reason), QPEL_OK);
    /* Found out, and the CPU goes on. */
    mock.lie = MOCK_LIE_DST;
    expect_unprepared(p, QPEL_PREPARE_B, QPEL_ERROR_DEVICE_LOST, "two references a block differs");
    assert_int_equal(qpel_context_gpu(context, NULL, reason), QPEL_ERROR_DEVICE_LOST);
    mock.lie = MOCK_NO_LIE;
    expect_unprepared(p, QPEL_PREPARE_P, QPEL_ERROR_DEVICE_LOST, "differs");
    qpel_picture_destroy(&p);
    close_context(context);
    /* No GPU; and no need of one. */
    context = open_context();
    mock.device_count = 0;
    assert_int_equal(qpel_picture_create(context, &format, QPEL_NEAR_CPU, &p), QPEL_OK);
    expect_unprepared(p, QPEL_PREPARE_P, QPEL_ERROR_UNSUPPORTED, "no Vulkan device");
    qpel_picture_destroy(&p);
    close_context(context);
    mock_reset();
    assert_int_equal(qpel_context_create(&none, &cpu), QPEL_OK);
    assert_int_equal(qpel_picture_create(none, &format, QPEL_NEAR_CPU, &p), QPEL_OK);
    assert_int_equal(qpel_picture_prepare(p, QPEL_PREPARE_P | QPEL_PREPARE_B, reason), QPEL_OK);
    assert_int_equal(mock.calls, 0);
    qpel_picture_destroy(&p);
    close_context(none);
}

/* The driver has no memory for a shader: no harm is done, and the next call goes on. */
static void out_of_memory_while_preparing(void **state)
{
    struct qpel_picture_format format = picture_format(64, 128, QPEL_CHROMA_400);
    char reason[QPEL_REASON_SIZE] = "";
    struct qpel_picture *p;

    (void)state;
    struct qpel_context *context = open_context();
    assert_int_equal(qpel_picture_create(context, &format, QPEL_NEAR_CPU, &p), QPEL_OK);
    assert_int_equal(qpel_context_gpu(context, NULL, reason), QPEL_OK);
    /* Its pictures will be in this one's buffer: of memory for others less will do. */
    assert_int_equal(qpel_picture_prepare(p, QPEL_PREPARE_P, reason), QPEL_OK);
    unsigned n;
    for (n = 1; !mock.failed || strcmp(mock.failed, "vkCreateComputePipelines"); n++) {
        context->pictures_tested = 0;
        mock.calls = 0;
        mock.fail_at = n;
        mock.fail_with = VK_ERROR_OUT_OF_HOST_MEMORY;
        assert_in_range(n, 1, 100);
        if (qpel_picture_prepare(p, QPEL_PREPARE_B, reason) != QPEL_ERROR_NOMEM)
            fail_msg("%s fails", mock.failed);
        assert_non_null(strstr(reason, "self-test"));
        assert_int_equal(context->pictures_tested, 0);
    }
    mock.fail_at = 0;
    assert_int_equal(qpel_picture_prepare(p, QPEL_PREPARE_B, reason), QPEL_OK);
    assert_int_equal(qpel_context_gpu(context, NULL, reason), QPEL_OK);
    qpel_picture_destroy(&p);
    close_context(context);
}

/* Without the self-test, which needs all there is: a context's first picture may need but little,
 * of what others make on their way. */
static void a_first_picture_of_luma_alone(void **state)
{
    struct random r = random_stream(2);

    (void)state;
    struct qpel_context *context = open_context();
    struct target t = { .name = "gpu (mock)", .backend = QPEL_BACKEND_GPU, .context = context };
    struct picture_case c =
        small_case(picture_format(64, 48, QPEL_CHROMA_400), PICTURE_ONE_LIST, &r);
    for (size_t i = 0; i < c.count; i++) { /* to where the whole window is inside */
        c.blocks[i].mv[0][0] = (int16_t)(4 * (16 - 16 * (int)i) + 2);
        c.blocks[i].mv[0][1] = 4 * 16 + 2;
    }
    case_expect(&c);
    context->pictures_tested = UINT64_MAX;
    assert_true(case_run(&c, &t, CREATED, CREATED));
    case_free(&c);
    close_context(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dispatch_counts),
        cmocka_unit_test(each_kind_is_tested_once),
        cmocka_unit_test(a_lying_device_is_found_out),
        cmocka_unit_test(a_device_that_does_not_answer),
        cmocka_unit_test(auto_goes_on_without_it),
        cmocka_unit_test(prepared_pictures_compile_nothing),
        cmocka_unit_test(kinds_are_prepared_as_asked),
        cmocka_unit_test(what_can_not_be_prepared),
        cmocka_unit_test(out_of_memory_while_preparing),
        cmocka_unit_test(a_first_picture_of_luma_alone),
    };
    vulkan_here = mock_possible();
    return RUN_GROUP("self-test of pictures", tests);
}
