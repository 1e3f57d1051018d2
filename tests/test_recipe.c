/* Recipes: the file, and the choice that AUTO makes by it. */
#define _GNU_SOURCE /* mkstemp() */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "batch.h"
#include "harness.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;

/* ---- files ---- */

static char path[] = "/tmp/qpel-test-XXXXXX";

static void write_file(const char *text, size_t size)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

#define COST "cost put 8 centre fixed 58000 21000.5 block 61.125 3 byte 2 0.001\n"

static const char good[] =
    "# a comment, and an empty line\n"
    "\n"
    "qpel-recipe 1   # the format\n"
    "device gpu \"V3D 7.1\"\n"
    "source measured \"Mesa, a day\"\n" COST "\tcost  avg 16 copy fixed 0 0 block 0 0 byte 0 0\r\n"
    "device cpu \"\"\n"
    "source modelled \"by hand # no comment\"\n"
    "cost put 4 diagonal fixed 1 1 block 999999999999 1 byte 0 0";

static void a_file_is_read(void **state)
{
    struct qpel_recipe *recipe;
    const struct qpel_recipe_line *l;
    size_t count;
    unsigned line = 77;

    (void)state;
    write_file(good, sizeof good - 1);
    assert_int_equal(qpel_recipe_load(&recipe, path, &line), QPEL_OK);
    assert_int_equal(line, 77);
    l = qpel_recipe_lines(recipe, &count);
    assert_int_equal(count, 3);
    assert_int_equal(l[0].backend, QPEL_BACKEND_GPU);
    assert_string_equal(l[0].device, "V3D 7.1");
    assert_int_equal(l[0].operation, QPEL_PUT);
    assert_int_equal(l[0].size, QPEL_SIZE_8);
    assert_int_equal(l[0].position, 10);
    assert_int_equal(l[0].cost.origin, QPEL_ORIGIN_MEASURED);
    assert_string_equal(l[0].source, "Mesa, a day");
    assert_true(l[0].cost.fixed_wall == 58000 && l[0].cost.fixed_cpu == 21000.5);
    assert_true(l[0].cost.block_wall == 61.125 && l[0].cost.block_cpu == 3);
    assert_true(l[0].cost.byte_wall == 2 && l[0].cost.byte_cpu == 0.001);
    assert_int_equal(l[1].position, 0);
    assert_int_equal(l[2].backend, QPEL_BACKEND_CPU);
    assert_string_equal(l[2].device, "");
    assert_string_equal(l[2].source, "by hand # no comment");
    assert_int_equal(l[2].cost.origin, QPEL_ORIGIN_MODELLED);
    qpel_recipe_destroy(&recipe);
    assert_null(recipe);
}

static void errors_name_the_line(void **state)
{
#define HEAD "qpel-recipe 1\ndevice cpu \"x\"\nsource measured \"y\"\n" /* 3 lines */
    static const struct {
        const char *text;
        unsigned line;
    } cases[] = {
        { "", 1 },
        { "# only a comment\n", 2 },
        { "qpel-recipe\n", 1 },
        { "qpel-recipe 2\n", 1 },
        { "\n\nrecipe 1\n", 3 },
        { "qpel-recipe 1\nqpel-recipe 1\n", 2 },
        { "qpel-recipe 1\n" COST, 2 }, /* of no device */
        { HEAD "device\n", 4 },
        { HEAD "device tpu \"x\"\n", 4 },
        { HEAD "device gpu \"x\" \"y\"\n", 4 },
        { HEAD "device gpu \"x\n", 4 },
        { HEAD "source guessed \"x\"\n", 4 },
        { HEAD "source measured\n", 4 },
        { HEAD COST COST "cost\n", 6 },
        { HEAD "cost add 8 centre fixed 1 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 9 centre fixed 1 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 mc22 fixed 1 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre block 1 1 fixed 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 1 1 block 1 1 byte 1 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed -1 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 1,5 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed nan 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed inf 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 1e3 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed .5 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 5. 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 1.2345 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 1.2.3 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 1000000000001 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 99999999999999999999999 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "price put 8 centre fixed 1 1 block 1 1 byte 1 1\n", 4 },
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct qpel_recipe *recipe = (struct qpel_recipe *)&recipe;
        unsigned line = 0;
        write_file(cases[i].text, strlen(cases[i].text));
        enum qpel_result r = qpel_recipe_load(&recipe, path, &line);
        if (r != QPEL_ERROR_INVALID || recipe)
            fail_msg("taken: %s", cases[i].text);
        if (line != cases[i].line)
            fail_msg("line %u, not %u, of: %s", line, cases[i].line, cases[i].text);
        assert_int_equal(qpel_recipe_load(&recipe, path, NULL), QPEL_ERROR_INVALID);
    }
}

/* Lines and names that are too long, bytes that are no text. */
static void odd_bytes_are_refused(void **state)
{
    struct qpel_recipe *recipe;
    char text[5000];
    unsigned line;

    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text, "qpel-recipe 1\n", 14);
    write_file(text, sizeof text);
    assert_int_equal(qpel_recipe_load(&recipe, path, &line), QPEL_ERROR_INVALID);
    assert_int_equal(line, 2);
    for (size_t n = 14; n + 14 < 400; n++) {
        size_t size = (size_t)snprintf(text, sizeof text, "qpel-recipe 1\ndevice gpu \"%0*d\"\n",
                                       (int)(n - 13), 0);
        write_file(text, size);
        enum qpel_result r = qpel_recipe_load(&recipe, path, &line);
        assert_int_equal(r, n - 13 < QPEL_DEVICE_PATTERN_SIZE ? QPEL_OK : QPEL_ERROR_INVALID);
        qpel_recipe_destroy(&recipe);
    }
    struct random r = random_stream(1);
    for (int n = 0; n < repetitions(2000); n++) {
        size_t size = sizeof good - 1;
        memcpy(text, good, size);
        for (int flips = 0; flips < 3; flips++)
            text[random_below(&r, (uint32_t)size)] = (char)random_next(&r);
        write_file(text, random_below(&r, (uint32_t)size));
        enum qpel_result result = qpel_recipe_load(&recipe, path, &line);
        assert_true(result == QPEL_OK || result == QPEL_ERROR_INVALID);
        qpel_recipe_destroy(&recipe);
    }
}

static bool same_line(const struct qpel_recipe_line *a, const struct qpel_recipe_line *b)
{
    const double ca[] = { a->cost.fixed_wall, a->cost.fixed_cpu, a->cost.block_wall,
                          a->cost.block_cpu,  a->cost.byte_wall, a->cost.byte_cpu };
    const double cb[] = { b->cost.fixed_wall, b->cost.fixed_cpu, b->cost.block_wall,
                          b->cost.block_cpu,  b->cost.byte_wall, b->cost.byte_cpu };
    for (size_t i = 0; i < sizeof ca / sizeof *ca; i++)
        if (fabs(ca[i] - cb[i]) > 0.0005)
            return false;
    return a->backend == b->backend && !strcmp(a->device, b->device) &&
           a->operation == b->operation && a->size == b->size && a->cost.origin == b->cost.origin &&
           !strcmp(a->source, b->source);
}

static void expect_round_trip(const struct qpel_recipe *recipe)
{
    struct qpel_recipe *read;
    size_t count, again;

    assert_int_equal(qpel_recipe_save(recipe, path), QPEL_OK);
    assert_int_equal(qpel_recipe_load(&read, path, NULL), QPEL_OK);
    const struct qpel_recipe_line *a = qpel_recipe_lines(recipe, &count);
    const struct qpel_recipe_line *b = qpel_recipe_lines(read, &again);
    assert_int_equal(count, again);
    for (size_t i = 0; i < count; i++)
        assert_true(same_line(&a[i], &b[i]));
    qpel_recipe_destroy(&read);
}

static void what_is_written_reads_back(void **state)
{
    struct qpel_recipe *recipe;
    struct random r = random_stream(2);

    (void)state;
    assert_int_equal(qpel_recipe_create(&recipe), QPEL_OK);
    expect_round_trip(recipe);
    for (int i = 0; i < 300; i++) {
        struct qpel_recipe_line line = {
            .backend = random_next(&r) & 1 ? QPEL_BACKEND_CPU : QPEL_BACKEND_GPU,
            .operation = (enum qpel_operation)random_below(&r, QPEL_OPERATION_COUNT),
            .size = (enum qpel_size)random_below(&r, QPEL_SIZE_COUNT),
            .position = (int)random_below(&r, QPEL_POSITION_COUNT),
            .cost = { random_below(&r, 1u << 31) / 1000.0, random_below(&r, 1000000) * 1000.0,
                      random_below(&r, 5000) / 1000.0, 1e12, 0, random_below(&r, 10) / 3.0,
                      (enum qpel_origin)random_below(&r, 3) },
        };
        snprintf(line.device, sizeof line.device, "device %u", random_below(&r, 3));
        snprintf(line.source, sizeof line.source, "source # %u", random_below(&r, 3));
        assert_int_equal(qpel_recipe_add(recipe, &line), QPEL_OK);
        size_t count;
        assert_true(same_line(&line, qpel_recipe_lines(recipe, &count)));
        assert_int_equal(count, i + 1);
    }
    expect_round_trip(recipe);
    qpel_recipe_destroy(&recipe);
    expect_round_trip(qpel_recipe_default());
}

/* A locale of the system's, or one made for the test. */
static const char *comma_locale(void)
{
    static const char *const names[] = { "de_DE.UTF-8", "fr_FR.UTF-8", "pl_PL.UTF-8" };
    static char folder[] = "/tmp/qpel-locale-XXXXXX";

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (setlocale(LC_ALL, names[i]))
            return names[i];
    if (!mkdtemp(folder))
        return NULL;
    char command[200];
    snprintf(command, sizeof command,
             "localedef -c -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
    const char *made = NULL;
    if (system(command) == 0 && !setenv("LOCPATH", folder, 1))
        made = setlocale(LC_ALL, "de_DE.UTF-8");
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command))
        printf("# %s is left over\n", folder);
    return made;
}

static void a_decimal_comma_changes_nothing(void **state)
{
    char text[8];

    if (!comma_locale())
        SKIP_TEST("no locale with a decimal comma, and no localedef to make one");
    snprintf(text, sizeof text, "%.1f", 1.5);
    assert_string_equal(text, "1,5");
    a_file_is_read(state);
    what_is_written_reads_back(state);
    setlocale(LC_ALL, "C");
}

static void bad_arguments(void **state)
{
    struct qpel_recipe *recipe = NULL, *none;
    struct qpel_recipe_line line = { .backend = QPEL_BACKEND_CPU };
    size_t count = 5;
    unsigned number = 5;

    (void)state;
    assert_int_equal(qpel_recipe_create(NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_recipe_create(&recipe), QPEL_OK);
    assert_int_equal(qpel_recipe_add(NULL, &line), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_recipe_add(recipe, NULL), QPEL_ERROR_INVALID);
#define REFUSE(...)                                                                                \
    do {                                                                                           \
        struct qpel_recipe_line bad = line;                                                        \
        __VA_ARGS__;                                                                               \
        assert_int_equal(qpel_recipe_add(recipe, &bad), QPEL_ERROR_INVALID);                       \
    } while (0)
    REFUSE(bad.backend = QPEL_BACKEND_AUTO);
    REFUSE(bad.operation = QPEL_OPERATION_COUNT);
    REFUSE(bad.size = QPEL_SIZE_COUNT);
    REFUSE(bad.position = 16);
    REFUSE(bad.position = -1);
    REFUSE(bad.cost.origin = (enum qpel_origin)3);
    REFUSE(bad.cost.fixed_wall = -1);
    REFUSE(bad.cost.block_cpu = (double)NAN);
    REFUSE(bad.cost.byte_wall = (double)INFINITY);
    REFUSE(memset(bad.device, 'x', sizeof bad.device));
    REFUSE(strcpy(bad.device, "a\"b"));
    REFUSE(strcpy(bad.source, "a\nb"));
    qpel_recipe_lines(recipe, &count);
    assert_int_equal(count, 0);
    assert_null(qpel_recipe_lines(NULL, &count));
    assert_int_equal(qpel_recipe_add(recipe, &line), QPEL_OK);
    assert_non_null(qpel_recipe_lines(recipe, NULL));
    assert_int_equal(qpel_recipe_load(NULL, path, &number), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_recipe_load(&none, NULL, &number), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_recipe_load(&none, "/nonexistent/recipe", &number), QPEL_ERROR_IO);
    assert_int_equal(qpel_recipe_load(&none, "/", &number), QPEL_ERROR_IO);
    assert_null(none);
    assert_int_equal(number, 5);
    assert_int_equal(qpel_recipe_save(NULL, path), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_recipe_save(recipe, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_recipe_save(recipe, "/nonexistent/recipe"), QPEL_ERROR_IO);
    qpel_recipe_destroy(&recipe);
    qpel_recipe_destroy(&recipe);
    qpel_recipe_destroy(NULL);
}

/* A full disk leaves the old file as it was. */
static void a_failed_write_keeps_the_file(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK))
        SKIP_TEST("no /dev/full");
    char temporary[sizeof path + 4];
    struct qpel_recipe *recipe;
    write_file(good, sizeof good - 1);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    assert_int_equal(symlink("/dev/full", temporary), 0);
    enum qpel_result r = qpel_recipe_save(qpel_recipe_default(), path);
    remove(temporary);
    assert_int_equal(r, QPEL_ERROR_IO);
    assert_int_equal(qpel_recipe_load(&recipe, path, NULL), QPEL_OK);
    qpel_recipe_destroy(&recipe);
}

/* ---- the choice ---- */

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

#define MEASURED QPEL_ORIGIN_MEASURED
#define MODELLED QPEL_ORIGIN_MODELLED
#define UNKNOWN  QPEL_ORIGIN_UNMEASURED
#define WALL     QPEL_PREFER_WALL_TIME
#define CPU_TIME QPEL_PREFER_CPU_TIME

static const struct choice choices[] = {
    { "few blocks",
      { 10, 10, 100, 100, 0, 0, MEASURED },
      { 50000, 9000, 1, 0, 0, 0, MEASURED },
      WALL,
      0,
      20,
      QPEL_BACKEND_CPU },
    { "many blocks",
      { 10, 10, 100, 100, 0, 0, MEASURED },
      { 50000, 9000, 1, 0, 0, 0, MEASURED },
      WALL,
      0,
      2000,
      QPEL_BACKEND_GPU },
    { "a modelled GPU counts",
      { 10, 10, 100, 100, 0, 0, MEASURED },
      { 5, 5, 1, 0, 0, 0, MODELLED },
      WALL,
      0,
      100,
      QPEL_BACKEND_GPU },
    { "an unmeasured GPU does not",
      { 10, 10, 100, 100, 0, 0, MEASURED },
      { 0, 0, 0, 0, 0, 0, UNKNOWN },
      WALL,
      0,
      100,
      QPEL_BACKEND_CPU },
    { "an unmeasured CPU does not",
      { 10, 10, 100, 100, 0, 0, UNKNOWN },
      { 0, 0, 0, 0, 0, 0, MEASURED },
      WALL,
      0,
      100,
      QPEL_BACKEND_CPU },
    { "equal",
      { 0, 0, 100, 100, 0, 0, MEASURED },
      { 0, 0, 100, 0, 0, 0, MEASURED },
      WALL,
      0,
      100,
      QPEL_BACKEND_CPU },
    { "CPU time, slower but within 100 %",
      { 0, 0, 100, 100, 0, 0, MEASURED },
      { 0, 0, 190, 1, 0, 0, MEASURED },
      CPU_TIME,
      0,
      100,
      QPEL_BACKEND_GPU },
    { "CPU time, slower beyond 100 %",
      { 0, 0, 100, 100, 0, 0, MEASURED },
      { 0, 0, 210, 1, 0, 0, MEASURED },
      CPU_TIME,
      0,
      100,
      QPEL_BACKEND_CPU },
    { "CPU time, slower beyond 20 %",
      { 0, 0, 100, 100, 0, 0, MEASURED },
      { 0, 0, 130, 1, 0, 0, MEASURED },
      CPU_TIME,
      20,
      100,
      QPEL_BACKEND_CPU },
    { "CPU time, a GPU that costs more of it",
      { 0, 0, 100, 100, 0, 0, MEASURED },
      { 0, 0, 90, 110, 0, 0, MEASURED },
      CPU_TIME,
      0,
      100,
      QPEL_BACKEND_CPU },
    { "CPU time, a CPU that is too slow",
      { 0, 0, 100, 100, 0, 0, MEASURED },
      { 0, 0, 40, 110, 0, 0, MEASURED },
      CPU_TIME,
      0,
      100,
      QPEL_BACKEND_GPU },
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
        double wall = (c->cpu.fixed_wall + c->cpu.block_wall * (double)c->blocks) * 1e-9;
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

static void the_shipped_recipe_measured_nothing_here(void **state)
{
    size_t count;
    const struct qpel_recipe_line *lines = qpel_recipe_lines(qpel_recipe_default(), &count);

    (void)state;
    for (size_t i = 0; i < count; i++)
        assert_string_not_equal(lines[i].source, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_read),
        cmocka_unit_test(errors_name_the_line),
        cmocka_unit_test(odd_bytes_are_refused),
        cmocka_unit_test(what_is_written_reads_back),
        cmocka_unit_test(a_decimal_comma_changes_nothing),
        cmocka_unit_test(bad_arguments),
        cmocka_unit_test(a_failed_write_keeps_the_file),
        cmocka_unit_test(auto_takes_the_cheaper),
        cmocka_unit_test(query_needs_no_blocks),
        cmocka_unit_test(the_shipped_recipe_measured_nothing_here),
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    target_count = targets_open(targets, &failed_devices);
    int status = RUN_GROUP("recipe", tests);
    targets_close(targets, target_count);
    remove(path);
    return status;
}
