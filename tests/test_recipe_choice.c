/* The choice that AUTO makes by a recipe: dispatches. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "harness.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;

static void add_cost(struct qpel_recipe *recipe, enum qpel_backend backend, const char *device,
                     struct qpel_cost cost)
{
    for (int n = 0; n < KERNEL_COUNT; n++) {
        struct kernel k = kernel_of(n);
        struct qpel_recipe_line line = {
            .backend = backend,
            .operation = k.operation,
            .size = k.size,
            .position = k.position,
            .cost = cost,
        };
        snprintf(line.device, sizeof line.device, "%.60s", device);
        assert_int_equal(qpel_recipe_add(recipe, &line), QPEL_OK);
    }
}

struct choice {
    const char *what;
    struct qpel_cost cpu, gpu;
    enum qpel_preference preference;
    unsigned slowdown;
    size_t blocks;
    enum qpel_backend wins;
};

/* Wall and CPU time: fixed, a block. */
#define COSTS(fixed, fixed_cpu, block, block_cpu, from)                                            \
    {                                                                                              \
        .price = { [QPEL_TERM_FIXED] = { fixed, fixed_cpu },                                       \
                   [QPEL_TERM_BLOCK] = { block, block_cpu } },                                     \
        .origin = from                                                                             \
    }
#define MEASURED QPEL_ORIGIN_MEASURED
#define MODELLED QPEL_ORIGIN_MODELLED
#define UNKNOWN  QPEL_ORIGIN_UNMEASURED
#define WALL     QPEL_PREFER_WALL_TIME
#define CPU_TIME QPEL_PREFER_CPU_TIME

static const struct choice choices[] = {
    { "few blocks", COSTS(10, 10, 100, 100, MEASURED), COSTS(50000, 9000, 1, 0, MEASURED), WALL, 0,
      20, QPEL_BACKEND_CPU },
    { "many blocks", COSTS(10, 10, 100, 100, MEASURED), COSTS(50000, 9000, 1, 0, MEASURED), WALL, 0,
      2000, QPEL_BACKEND_GPU },
    { "a modelled GPU counts", COSTS(10, 10, 100, 100, MEASURED), COSTS(5, 5, 1, 0, MODELLED), WALL,
      0, 100, QPEL_BACKEND_GPU },
    { "an unmeasured GPU does not", COSTS(10, 10, 100, 100, MEASURED), COSTS(0, 0, 0, 0, UNKNOWN),
      WALL, 0, 100, QPEL_BACKEND_CPU },
    { "an unmeasured CPU does not", COSTS(10, 10, 100, 100, UNKNOWN), COSTS(0, 0, 0, 0, MEASURED),
      WALL, 0, 100, QPEL_BACKEND_CPU },
    { "equal", COSTS(0, 0, 100, 100, MEASURED), COSTS(0, 0, 100, 0, MEASURED), WALL, 0, 100,
      QPEL_BACKEND_CPU },
    { "CPU time, slower but within 100 %", COSTS(0, 0, 100, 100, MEASURED),
      COSTS(0, 0, 190, 1, MEASURED), CPU_TIME, 0, 100, QPEL_BACKEND_GPU },
    { "CPU time, slower beyond 100 %", COSTS(0, 0, 100, 100, MEASURED),
      COSTS(0, 0, 210, 1, MEASURED), CPU_TIME, 0, 100, QPEL_BACKEND_CPU },
    { "CPU time, slower beyond 20 %", COSTS(0, 0, 100, 100, MEASURED),
      COSTS(0, 0, 130, 1, MEASURED), CPU_TIME, 20, 100, QPEL_BACKEND_CPU },
    { "CPU time, a GPU that costs more of it", COSTS(0, 0, 100, 100, MEASURED),
      COSTS(0, 0, 90, 110, MEASURED), CPU_TIME, 0, 100, QPEL_BACKEND_CPU },
    { "CPU time, a CPU that is too slow", COSTS(0, 0, 100, 100, MEASURED),
      COSTS(0, 0, 40, 110, MEASURED), CPU_TIME, 0, 100, QPEL_BACKEND_GPU },
};

static void expect_choice(const struct target *t, const struct choice *c)
{
    char uuid[UUID_TEXT_SIZE], cpu[QPEL_NAME_SIZE];
    struct qpel_recipe *recipe;
    struct qpel_context_params params = {
        .device = uuid,
        .timeout_ms = 120000,
        .preference = c->preference,
        .max_slowdown_percent = c->slowdown,
    };
    struct random r = random_stream(9);
    struct batch_shape shape = {
        .kernel = { QPEL_PUT, QPEL_SIZE_8, 9 }, .count = c->blocks, .dst_unit = 4, .src_align = -1
    };
    struct batch b = batch_make(&shape, &r);
    struct target self = *t;
    struct qpel_report report;
    struct qpel_recipe_answer answer;

    qpel_cpu_name(cpu);
    uuid_text(&t->device, uuid);
    assert_int_equal(qpel_recipe_create(&recipe), QPEL_OK);
    add_cost(recipe, QPEL_BACKEND_CPU, cpu, c->cpu);
    add_cost(recipe, QPEL_BACKEND_GPU, t->device.name, c->gpu);
    params.recipe = recipe;
    assert_int_equal(qpel_context_create(&self.context, &params), QPEL_OK);
    qpel_recipe_destroy(&recipe); /* the context has its own */
    struct qpel_dispatch_params dispatch = batch_params(&b, QPEL_BACKEND_AUTO);
    uint8_t *dst = aligned_alloc(64, (b.dst_size + 63) / 64 * 64);
    assert_non_null(dst);
    memcpy(dst, b.before, b.dst_size);
    dispatch.dst.data = dst;
    dispatch.src.data = b.src;
    assert_int_equal(qpel_recipe_query(self.context, &dispatch, &answer), QPEL_OK);
    assert_int_equal(qpel_dispatch(self.context, &dispatch, &report), QPEL_OK);
    if (answer.backend != c->wins || report.backend != c->wins)
        fail_msg("%s: query %s, dispatch %s, not %s (%s)", c->what,
                 qpel_backend_name(answer.backend), qpel_backend_name(report.backend),
                 qpel_backend_name(c->wins), report.reason);
    assert_int_equal(answer.cpu_origin, c->cpu.origin);
    assert_int_equal(answer.gpu_origin, c->gpu.origin);
    if (c->cpu.origin != UNKNOWN) {
        double wall = (c->cpu.price[QPEL_TERM_FIXED].wall +
                       c->cpu.price[QPEL_TERM_BLOCK].wall * (double)c->blocks) *
                      1e-9;
        assert_true(fabs(answer.cpu_wall - wall) < 1e-12);
    } else {
        assert_true(answer.cpu_wall < 0);
    }
    assert_int_equal(answer.gpu_wall < 0, c->gpu.origin == UNKNOWN);
    assert_string_not_equal(answer.reason, "");
    assert_true(batch_equal(&b, dst, c->what));
    free(dst);
    batch_free(&b);
    qpel_context_destroy(&self.context);
}

static void auto_takes_the_cheaper(void **state)
{
    int devices = 0;

    (void)state;
    assert_int_equal(failed_devices, 0);
    for (int i = 0; i < target_count; i++)
        if (targets[i].backend == QPEL_BACKEND_GPU) {
            devices++;
            for (size_t c = 0; c < sizeof choices / sizeof *choices; c++)
                expect_choice(&targets[i], &choices[c]);
        }
    if (!devices)
        SKIP_TEST("no device to choose");
}

static void query_needs_no_blocks(void **state)
{
    (void)state;
    for (int i = 0; i < target_count; i++) {
        struct qpel_recipe_answer answer;
        static uint8_t memory[4096];
        struct qpel_dispatch_params p = {
            .size = QPEL_SIZE_8,
            .position = 3,
            .dst = { .data = memory, .size = sizeof memory, .stride = 64 },
            .src = { .data = memory, .size = sizeof memory, .stride = 64 },
            .count = 8000,
        };
        assert_int_equal(qpel_recipe_query(targets[i].context, &p, &answer), QPEL_OK);
        assert_true(answer.backend == QPEL_BACKEND_CPU || answer.backend == QPEL_BACKEND_GPU);
        assert_string_not_equal(answer.reason, "");
        p.position = 16;
        assert_int_equal(qpel_recipe_query(targets[i].context, &p, &answer), QPEL_ERROR_INVALID);
        p.position = 0;
        assert_int_equal(qpel_recipe_query(NULL, &p, &answer), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_recipe_query(targets[i].context, NULL, &answer), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_recipe_query(targets[i].context, &p, NULL), QPEL_ERROR_INVALID);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_takes_the_cheaper),
        cmocka_unit_test(query_needs_no_blocks),
    };
    target_count = targets_open(targets, &failed_devices);
    int status = RUN_GROUP("recipe choice", tests);
    targets_close(targets, target_count);
    return status;
}
