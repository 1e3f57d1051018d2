/* Contexts: the environment, parameters, the log, and silence. */
#define _GNU_SOURCE /* setenv(), mkstemp(), dup() */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qpel/qpel.h>

#include "harness.h"

/* ---- the log ---- */

struct lines {
    unsigned count;
    enum qpel_log_level highest;
    char text[4000];
};

static void collect(void *user, enum qpel_log_level level, const char *message)
{
    struct lines *l = user;

    l->count++;
    l->highest = level > l->highest ? level : l->highest;
    assert_null(strchr(message, '\n'));
    if (strlen(l->text) + strlen(message) + 2 < sizeof l->text) {
        strcat(l->text, message);
        strcat(l->text, "\n");
    }
}

static enum qpel_result create(struct qpel_context_params params, struct lines *lines)
{
    struct qpel_context *c = (struct qpel_context *)lines;

    *lines = (struct lines){ 0 };
    params.log = collect;
    params.log_user = lines;
    enum qpel_result r = qpel_context_create(&c, &params);
    assert_int_equal(c == NULL, r != QPEL_OK);
    qpel_context_destroy(&c);
    assert_null(c);
    return r;
}

/* ---- the environment ---- */

static const char *const variables[] = { "QPEL_BACKEND", "QPEL_DEVICE", "QPEL_RECIPE", "QPEL_LOG" };

static void clear_environment(void)
{
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        unsetenv(variables[i]);
}

static int setup(void **state)
{
    (void)state;
    clear_environment();
    return 0;
}

static void empty_variables_are_unset(void **state)
{
    struct lines lines;

    (void)state;
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        setenv(variables[i], "", 1);
    assert_int_equal(create((struct qpel_context_params){ 0 }, &lines), QPEL_OK);
}

static void bad_values_are_refused(void **state)
{
    static const struct {
        const char *name, *value;
        enum qpel_result result;
    } cases[] = {
        { "QPEL_BACKEND", "gpus", QPEL_ERROR_INVALID },
        { "QPEL_BACKEND", " cpu", QPEL_ERROR_INVALID },
        { "QPEL_BACKEND", "1", QPEL_ERROR_INVALID },
        { "QPEL_LOG", "loud", QPEL_ERROR_INVALID },
        { "QPEL_LOG", "9", QPEL_ERROR_INVALID },
        { "QPEL_RECIPE", "/nonexistent", QPEL_ERROR_IO },
        { "QPEL_RECIPE", "/", QPEL_ERROR_IO },
        { "QPEL_RECIPE", "/dev/null", QPEL_ERROR_INVALID },
    };
    struct lines lines;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        clear_environment();
        setenv(cases[i].name, cases[i].value, 1);
        enum qpel_result r = create((struct qpel_context_params){ 0 }, &lines);
        if (r != cases[i].result)
            fail_msg("%s=%s: %s", cases[i].name, cases[i].value, qpel_result_name(r));
        /* The log names what is wrong. */
        assert_non_null(strstr(lines.text, cases[i].value));
    }
    clear_environment();
}

static void good_values_are_taken(void **state)
{
    static const char *const values[] = { "cpu", "CPU", "auto", "Auto" };
    struct lines lines;

    (void)state;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        setenv("QPEL_BACKEND", values[i], 1);
        assert_int_equal(create((struct qpel_context_params){ 0 }, &lines), QPEL_OK);
    }
    clear_environment();
}

/* What the caller says counts; a bad variable that is not asked for does no harm. */
static void parameters_come_first(void **state)
{
    struct lines lines;
    struct qpel_recipe *recipe;

    (void)state;
    assert_int_equal(qpel_recipe_default(&recipe), QPEL_OK);
    struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU,
                                          .device = "none such",
                                          .recipe = recipe };
    setenv("QPEL_BACKEND", "nonsense", 1);
    setenv("QPEL_DEVICE", "nonsense", 1);
    setenv("QPEL_RECIPE", "/nonexistent", 1);
    assert_int_equal(create(params, &lines), QPEL_OK);
    qpel_recipe_destroy(&recipe);
    clear_environment();
}

static void a_cpu_context_stays_one(void **state)
{
    struct qpel_context *c;
    struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU };
    char reason[QPEL_REASON_SIZE] = "";

    (void)state;
    setenv("QPEL_BACKEND", "gpu", 1);
    setenv("QPEL_DEVICE", "software", 1);
    assert_int_equal(qpel_context_create(&c, &params), QPEL_OK);
    assert_int_equal(qpel_context_gpu(c, NULL, reason), QPEL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(reason, "CPU"));
    qpel_context_destroy(&c);
    clear_environment();
}

/* GPU by variable is as binding as by parameter. */
static void a_gpu_that_is_not_there(void **state)
{
    struct lines lines;

    (void)state;
    setenv("QPEL_DEVICE", "a device that nobody has", 1);
    setenv("QPEL_BACKEND", "gpu", 1);
    assert_int_equal(create((struct qpel_context_params){ 0 }, &lines), QPEL_ERROR_UNSUPPORTED);
    assert_true(lines.count > 0);
    assert_int_equal(create((struct qpel_context_params){ .backend = QPEL_BACKEND_CPU }, &lines),
                     QPEL_OK);
    clear_environment();
    assert_int_equal(create((struct qpel_context_params){ .backend = QPEL_BACKEND_GPU,
                                                          .device = "a device that nobody has" },
                            &lines),
                     QPEL_ERROR_UNSUPPORTED);
}

static void a_recipe_by_name(void **state)
{
    char path[] = "/tmp/qpel-test-XXXXXX";
    int fd = mkstemp(path);
    static const char text[] = "qpel-recipe 1\ndevice cpu \"\"\nsource measured \"x\"\n"
                               "cost put 8 centre fixed 1000 1000 block 7 7 byte 0 0\n"
                               "nonsense\n";
    static uint8_t memory[4096];
    struct lines lines;
    struct qpel_context *c;
    struct qpel_recipe_answer answer;
    struct qpel_dispatch_params p = {
        .size = QPEL_SIZE_8,
        .position = 10,
        .dst = { .data = memory, .size = sizeof memory, .stride = 64 },
        .src = { .data = memory, .size = sizeof memory, .stride = 64 },
        .count = 10,
    };

    (void)state;
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, sizeof text - 1), sizeof text - 1);
    setenv("QPEL_RECIPE", path, 1);
    assert_int_equal(create((struct qpel_context_params){ 0 }, &lines), QPEL_ERROR_INVALID);
    assert_non_null(strstr(lines.text, ":5:")); /* the line */
    assert_int_equal(ftruncate(fd, sizeof text - 1 - 9), 0);
    assert_int_equal(qpel_context_create(&c, NULL), QPEL_OK);
    assert_int_equal(qpel_recipe_query(c, &p, &answer), QPEL_OK);
    assert_true(answer.cpu_wall > 1.069e-6 && answer.cpu_wall < 1.071e-6);
    qpel_context_destroy(&c);
    clear_environment();
    close(fd);
    remove(path);
}

static void the_level_is_kept_to(void **state)
{
    struct lines lines;
    struct qpel_context_params params = { .device = "a device that nobody has" };
    static const char *const levels[] = { "error", "warning", "info", "debug" };

    (void)state;
    for (int i = QPEL_LOG_ERROR; i <= QPEL_LOG_DEBUG; i++) {
        struct qpel_context *c;
        lines = (struct lines){ 0 };
        params.log = collect;
        params.log_user = &lines;
        setenv("QPEL_LOG", levels[i], 1);
        assert_int_equal(qpel_context_create(&c, &params), QPEL_OK);
        assert_int_not_equal(qpel_context_gpu(c, NULL, NULL), QPEL_OK);
        qpel_context_destroy(&c);
        assert_true((int)lines.highest <= i);
        if (i >= QPEL_LOG_INFO)
            assert_non_null(strstr(lines.text, "GPU"));
    }
    clear_environment();
}

/* ---- silence ---- */

/* Whatever goes wrong, nothing is printed. Loaders may print; so this is about the library. */
static void nothing_is_printed(void **state)
{
    char path[] = "/tmp/qpel-test-XXXXXX";
    int fd = mkstemp(path), out = dup(1), err = dup(2);
    struct qpel_context *c;
    struct qpel_report report;

    (void)state;
    assert_true(fd >= 0 && out >= 0 && err >= 0);
    fflush(stdout);
    fflush(stderr);
    dup2(fd, 1);
    dup2(fd, 2);
    setenv("QPEL_LOG", "debug", 1);
    setenv("QPEL_RECIPE", "/nonexistent", 1);
    enum qpel_result r1 = qpel_context_create(&c, NULL);
    unsetenv("QPEL_RECIPE");
    struct qpel_context_params cpu = { .backend = QPEL_BACKEND_CPU };
    enum qpel_result r2 = qpel_context_create(&c, &cpu);
    enum qpel_result r3 = qpel_dispatch(c, NULL, &report);
    struct qpel_dispatch_params bad = { .position = 99 };
    enum qpel_result r4 = qpel_dispatch(c, &bad, &report);
    qpel_context_destroy(&c);
    fflush(stdout);
    fflush(stderr);
    dup2(out, 1);
    dup2(err, 2);
    off_t size = lseek(fd, 0, SEEK_END);
    close(fd);
    close(out);
    close(err);
    remove(path);
    clear_environment();
    assert_int_equal(r1, QPEL_ERROR_IO);
    assert_int_equal(r2, QPEL_OK);
    assert_int_equal(r3, QPEL_ERROR_INVALID);
    assert_int_equal(r4, QPEL_ERROR_INVALID);
    assert_int_equal(size, 0);
}

/* ---- arguments ---- */

static void bad_arguments(void **state)
{
    struct lines lines;
    struct qpel_context *none = NULL;
    size_t count = 0;

    (void)state;
    assert_int_equal(qpel_context_create(NULL, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(
        create((struct qpel_context_params){ .backend = (enum qpel_backend)3 }, &lines),
        QPEL_ERROR_INVALID);
    assert_int_equal(
        create((struct qpel_context_params){ .backend = (enum qpel_backend) - 1 }, &lines),
        QPEL_ERROR_INVALID);
    assert_int_equal(
        create((struct qpel_context_params){ .preference = (enum qpel_preference)2 }, &lines),
        QPEL_ERROR_INVALID);
    qpel_context_destroy(NULL);
    qpel_context_destroy(&none);
    assert_int_equal(qpel_context_gpu(NULL, NULL, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_context_devices(NULL, NULL, &count), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_context_create(&none, NULL), QPEL_OK);
    assert_int_equal(qpel_context_devices(none, NULL, NULL), QPEL_ERROR_INVALID);
    qpel_context_destroy(&none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(empty_variables_are_unset, setup),
        cmocka_unit_test_setup(bad_values_are_refused, setup),
        cmocka_unit_test_setup(good_values_are_taken, setup),
        cmocka_unit_test_setup(parameters_come_first, setup),
        cmocka_unit_test_setup(a_cpu_context_stays_one, setup),
        cmocka_unit_test_setup(a_gpu_that_is_not_there, setup),
        cmocka_unit_test_setup(a_recipe_by_name, setup),
        cmocka_unit_test_setup(the_level_is_kept_to, setup),
        cmocka_unit_test_setup(nothing_is_printed, setup),
        cmocka_unit_test_setup(bad_arguments, setup),
    };
    return RUN_GROUP("context", tests);
}
