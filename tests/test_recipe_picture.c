/* The choice that AUTO makes by a recipe: pictures. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "picture_run.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;

/* ---- recipes ---- */

static void add_line(struct qpel_recipe *recipe, enum qpel_backend backend, const char *device,
                     struct qpel_cost cost)
{
    struct qpel_recipe_line line = { .backend = backend, .work = QPEL_WORK_PICTURE, .cost = cost };

    snprintf(line.device, sizeof line.device, "%.60s", device);
    assert_int_equal(qpel_recipe_add(recipe, &line), QPEL_OK);
}

static struct qpel_cost every_sample(double wall, double cpu, enum qpel_origin origin)
{
    struct qpel_cost cost = { .origin = origin };

    cost.price[QPEL_TERM_SAMPLE] = (struct qpel_price){ wall, cpu };
    return cost;
}

/* A context of AUTO on the target's device, for which the recipe has these costs; on the CPU's
 * there is no GPU. */
static struct qpel_context *open_context(const struct target *t, struct qpel_context_params params,
                                         struct qpel_cost cpu, struct qpel_cost gpu)
{
    char uuid[UUID_TEXT_SIZE], name[QPEL_NAME_SIZE];
    struct qpel_context *context;
    struct qpel_recipe *recipe;

    qpel_cpu_name(name);
    assert_int_equal(qpel_recipe_create(&recipe), QPEL_OK);
    add_line(recipe, QPEL_BACKEND_CPU, name, cpu);
    if (t->backend == QPEL_BACKEND_GPU) {
        add_line(recipe, QPEL_BACKEND_GPU, t->device.name, gpu);
        uuid_text(&t->device, uuid);
    } else {
        strcpy(uuid, "nobody has such a device");
    }
    params.device = uuid;
    params.timeout_ms = 120000;
    params.recipe = recipe;
    assert_int_equal(qpel_context_create(&context, &params), QPEL_OK);
    qpel_recipe_destroy(&recipe);
    return context;
}

/* ---- pictures ---- */

/* A macroblock: its own vectors, in quarter samples. */
static void add_block(struct picture_case *c, int references, const int16_t mv[2][2])
{
    struct qpel_picture_block *b = &c->blocks[c->count];

    *b = (struct qpel_picture_block){
        .x = (uint16_t)(c->count * 16), .width = 16, .height = 16, .references = (uint8_t)references
    };
    memcpy(b->mv, mv, sizeof b->mv);
    c->count++;
}

static struct picture_case draw_case(enum qpel_chroma chroma, struct random *r)
{
    struct picture_case c = case_make(picture_format(64, 16, chroma), 1, r);

    image_fill(&c.target, r);
    image_fill(&c.images[0], r);
    c.references[c.reference_count++] = (struct case_reference){ 0, QPEL_FRAME };
    add_block(&c, 1, (const int16_t[2][2]){ { 4, -8 } });
    add_block(&c, 1, (const int16_t[2][2]){ { 4, 7 } });
    add_block(&c, 2, (const int16_t[2][2]){ { 3, 0 }, { 2, 1 } });
    add_block(&c, 1, (const int16_t[2][2]){ { -1, -1 } });
    return c;
}

/* ---- what is counted ---- */

/* Each term alone, at a microsecond each: the prediction is the count. */
static void expect_counts(const struct target *t, enum qpel_chroma chroma,
                          const double expected[QPEL_TERM_COUNT])
{
    struct random r = random_stream(1);
    struct picture_case c = draw_case(chroma, &r);

    /* Of weighted blocks, luma alone and all planes. */
    c.weights[c.weight_count++] = (struct qpel_weight){ .planes = 1 };
    c.weights[c.weight_count++] = (struct qpel_weight){ .planes = 7 };
    c.blocks[1].weight = 1;
    c.blocks[2].weight = 2;
    case_expect(&c);
    for (int term = 0; term < QPEL_TERM_COUNT; term++) {
        struct qpel_submit_params params = { .slices = 0 };
        struct qpel_cost cost = { .origin = QPEL_ORIGIN_MEASURED };
        struct qpel_recipe_answer answer;
        if (term == QPEL_TERM_BYTE)
            continue;
        cost.price[term] = (struct qpel_price){ 1000, 3000 };
        struct qpel_context *context =
            open_context(t, (struct qpel_context_params){ 0 }, cost, cost);
        struct running run = running_open(&c, context, CREATED, CREATED);
        running_collect(&run);
        assert_int_equal(qpel_recipe_query_batch(run.batch, &params, &answer), QPEL_OK);
        if (fabs(answer.cpu_wall - expected[term] * 1e-6) > 1e-9)
            fail_msg("chroma %d, term %d: %g, not %g", chroma, term, answer.cpu_wall * 1e6,
                     expected[term]);
        assert_true(fabs(answer.cpu_cpu - expected[term] * 3e-6) < 1e-9);
        if (t->backend == QPEL_BACKEND_GPU) {
            assert_true(answer.gpu_wall == answer.cpu_wall);
            assert_true(answer.gpu_cpu == answer.cpu_cpu);
        }
        /* Of four cores each does a quarter, but for what is fixed. */
        params.slices = 4;
        assert_int_equal(qpel_recipe_query_batch(run.batch, &params, &answer), QPEL_OK);
        assert_true(fabs(answer.cpu_wall -
                         expected[term] * 1e-6 / (term == QPEL_TERM_FIXED ? 1 : 4)) < 1e-9);
        assert_true(fabs(answer.cpu_cpu - expected[term] * 3e-6) < 1e-9);
        /* Submitted and asked again; and after a new beginning. */
        assert_int_equal(running_submit(&run, &(struct target){ .backend = QPEL_BACKEND_CPU,
                                                                .context = context }),
                         QPEL_OK);
        assert_int_equal(qpel_recipe_query_batch(run.batch, &params, &answer), QPEL_OK);
        assert_true(fabs(answer.cpu_cpu - expected[term] * 3e-6) < 1e-9);
        running_collect(&run);
        assert_int_equal(qpel_recipe_query_batch(run.batch, &params, &answer), QPEL_OK);
        assert_true(fabs(answer.cpu_cpu - expected[term] * 3e-6) < 1e-9);
        running_close(&run);
        qpel_context_destroy(&context);
    }
    case_free(&c);
}

static void what_a_batch_counts(void **state)
{
    /* Four macroblocks, five lists; fractions along 0, 1, 1 + 2 and 2 axes. */
    enum { MB = 256, LISTS = 5, AXES = 6 };
    const double luma[QPEL_TERM_COUNT] = { [QPEL_TERM_FIXED] = 1,
                                           [QPEL_TERM_BLOCK] = LISTS,
                                           [QPEL_TERM_SAMPLE] = LISTS * MB,
                                           [QPEL_TERM_AXIS] = AXES * MB,
                                           [QPEL_TERM_WEIGH] = 2 * MB };
    double expected[QPEL_TERM_COUNT];

    (void)state;
    for (int i = 0; i < target_count; i++) {
        expect_counts(&targets[i], QPEL_CHROMA_400, luma);
        memcpy(expected, luma, sizeof luma);
        expected[QPEL_TERM_CHROMA] = LISTS * MB / 2;
        expected[QPEL_TERM_WEIGH] = 2 * MB + MB / 2;
        expect_counts(&targets[i], QPEL_CHROMA_420, expected);
        expected[QPEL_TERM_CHROMA] = LISTS * MB;
        expected[QPEL_TERM_WEIGH] = 2 * MB + MB;
        expect_counts(&targets[i], QPEL_CHROMA_422, expected);
        expected[QPEL_TERM_CHROMA] = 0;
        expected[QPEL_TERM_SAMPLE] = 3 * LISTS * MB;
        expected[QPEL_TERM_AXIS] = 3 * AXES * MB;
        expected[QPEL_TERM_WEIGH] = 2 * MB + 2 * MB;
        expect_counts(&targets[i], QPEL_CHROMA_444, expected);
    }
}

/* ---- what is taken ---- */

static void expect_taken(struct qpel_context *context, const struct picture_case *c,
                         enum picture_memory memory, unsigned slices, enum qpel_backend backend,
                         const char *why)
{
    struct running run = running_open(c, context, memory, memory);
    struct qpel_submit_params params = { .slices = slices };
    struct qpel_recipe_answer answer;
    struct qpel_report report;
    qpel_ticket ticket;

    running_collect(&run);
    assert_int_equal(qpel_recipe_query_batch(run.batch, &params, &answer), QPEL_OK);
    assert_int_equal(qpel_submit(run.batch, &params, &ticket, &report), QPEL_OK);
    if (answer.backend != backend || report.backend != backend)
        fail_msg("query %s, submit %s, not %s (%s)", qpel_backend_name(answer.backend),
                 qpel_backend_name(report.backend), qpel_backend_name(backend), report.reason);
    assert_non_null(strstr(report.reason, why));
    assert_string_not_equal(report.device, "");
    assert_int_equal(report.blocks, c->count);
    for (unsigned i = 0; i < slices; i++)
        assert_int_equal(qpel_run_slice(run.batch, i),
                         backend == QPEL_BACKEND_CPU ? QPEL_OK : QPEL_ERROR_INVALID);
    assert_int_equal(qpel_wait(context, ticket, WAIT_NS), QPEL_OK);
    running_check(&run, "AUTO");
    running_close(&run);
}

static void auto_takes_the_cheaper(void **state)
{
    static const struct {
        struct qpel_context_params params;
        double cpu[2], gpu[2]; /* a sample, wall and CPU */
        enum qpel_origin gpu_origin;
        unsigned slices;
        enum qpel_backend wins;
        const char *why;
    } choices[] = {
        { { 0 }, { 2, 2 }, { 3, 0 }, QPEL_ORIGIN_MEASURED, 0, QPEL_BACKEND_CPU, "by wall time" },
        { { 0 }, { 3, 3 }, { 2, 9 }, QPEL_ORIGIN_MODELLED, 0, QPEL_BACKEND_GPU, "by wall time" },
        { { 0 }, { 3, 3 }, { 2, 9 }, QPEL_ORIGIN_UNMEASURED, 0, QPEL_BACKEND_CPU, "unmeasured" },
        /* Two cores are faster, one is not. */
        { { 0 }, { 3, 3 }, { 2, 0 }, QPEL_ORIGIN_MEASURED, 1, QPEL_BACKEND_GPU, "by wall time" },
        { { 0 }, { 3, 3 }, { 2, 0 }, QPEL_ORIGIN_MEASURED, 2, QPEL_BACKEND_CPU, "by wall time" },
        { { .preference = QPEL_PREFER_CPU_TIME },
          { 2, 2 },
          { 3, 0 },
          QPEL_ORIGIN_MEASURED,
          0,
          QPEL_BACKEND_GPU,
          "by CPU time" },
        { { .preference = QPEL_PREFER_CPU_TIME, .max_slowdown_percent = 20 },
          { 2, 2 },
          { 3, 0 },
          QPEL_ORIGIN_MEASURED,
          0,
          QPEL_BACKEND_CPU,
          "by CPU time" },
        { { .preference = QPEL_PREFER_CPU_TIME },
          { 2, 2 },
          { 1, 3 },
          QPEL_ORIGIN_MEASURED,
          0,
          QPEL_BACKEND_CPU,
          "by CPU time" },
        { { .backend = QPEL_BACKEND_CPU },
          { 3, 3 },
          { 2, 0 },
          QPEL_ORIGIN_MEASURED,
          0,
          QPEL_BACKEND_CPU,
          "the context's" },
        { { .backend = QPEL_BACKEND_GPU },
          { 2, 2 },
          { 3, 3 },
          QPEL_ORIGIN_MEASURED,
          0,
          QPEL_BACKEND_GPU,
          "the context's" },
    };
    struct random r = random_stream(2);
    struct picture_case c = draw_case(QPEL_CHROMA_420, &r);

    (void)state;
    assert_int_equal(failed_devices, 0);
    case_expect(&c);
    for (int i = 0; i < target_count; i++)
        for (size_t n = 0; n < sizeof choices / sizeof *choices; n++) {
            bool gpu = targets[i].backend == QPEL_BACKEND_GPU;
            if (!gpu && choices[n].params.backend)
                continue;
            struct qpel_context *context = open_context(
                &targets[i], choices[n].params,
                every_sample(choices[n].cpu[0], choices[n].cpu[1], QPEL_ORIGIN_MEASURED),
                every_sample(choices[n].gpu[0], choices[n].gpu[1], choices[n].gpu_origin));
            expect_taken(context, &c, CREATED, choices[n].slices,
                         gpu ? choices[n].wins : QPEL_BACKEND_CPU, gpu ? choices[n].why : "no GPU");
            qpel_context_destroy(&context);
        }
    case_free(&c);
}

/* Pictures that the GPU does not reach are the CPU's, and so is a batch without blocks. */
static void what_the_gpu_cannot_do(void **state)
{
    struct random r = random_stream(3);
    struct picture_case c = draw_case(QPEL_CHROMA_420, &r);

    (void)state;
    case_expect(&c);
    for (int i = 0; i < target_count; i++) {
        if (targets[i].backend != QPEL_BACKEND_GPU)
            continue;
        struct qpel_context *context = open_context(&targets[i], (struct qpel_context_params){ 0 },
                                                    every_sample(3, 3, QPEL_ORIGIN_MEASURED),
                                                    every_sample(2, 2, QPEL_ORIGIN_MEASURED));
        expect_taken(context, &c, CREATED, 0, QPEL_BACKEND_GPU, "by wall time");
        expect_taken(context, &c, WRAPPED, 0, QPEL_BACKEND_CPU, "the caller's memory");
        size_t count = c.count;
        c.count = 0;
        case_expect(&c);
        expect_taken(context, &c, CREATED, 0, QPEL_BACKEND_CPU, "by wall time");
        c.count = count;
        case_expect(&c);
        qpel_context_destroy(&context);
    }
    case_free(&c);
}

static void bad_arguments(void **state)
{
    struct qpel_submit_params params = { .backend = (enum qpel_backend)3 };
    struct qpel_recipe_answer answer;
    struct qpel_batch *batch;

    (void)state;
    assert_int_equal(qpel_batch_create(targets[0].context, &batch), QPEL_OK);
    struct qpel_picture *p = picture_new(targets[0].context, 16, 16, QPEL_CHROMA_400);
    assert_int_equal(qpel_batch_begin(batch, p), QPEL_OK);
    assert_int_equal(qpel_recipe_query_batch(batch, &params, &answer), QPEL_ERROR_INVALID);
    params.backend = QPEL_BACKEND_AUTO;
    assert_int_equal(qpel_recipe_query_batch(NULL, &params, &answer), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_recipe_query_batch(batch, NULL, &answer), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_recipe_query_batch(batch, &params, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_recipe_query_batch(batch, &params, &answer), QPEL_OK);
    qpel_batch_destroy(&batch);
    assert_int_equal(qpel_batch_create(targets[0].context, &batch), QPEL_OK);
    assert_int_equal(qpel_recipe_query_batch(batch, &params, &answer), QPEL_ERROR_INVALID);
    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_a_batch_counts),
        cmocka_unit_test(auto_takes_the_cheaper),
        cmocka_unit_test(what_the_gpu_cannot_do),
        cmocka_unit_test(bad_arguments),
    };
    target_count = targets_open(targets, &failed_devices);
    int status = RUN_GROUP("recipes of pictures", tests);
    targets_close(targets, target_count);
    return status;
}
