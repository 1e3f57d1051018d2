/* Recipe files, and lists of lines. */
#define _GNU_SOURCE /* mkstemp() */
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <qpel/qpel.h>

#include "harness.h"
#include "random.h"

static char path[] = "/tmp/qpel-test-XXXXXX";

static void write_file(const char *text, size_t size)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, size, f), size);
    assert_int_equal(fclose(f), 0);
}

#define COST    "cost put 8 centre fixed 58000 21000.5 block 61.125 3 byte 2 0.001\n"
#define PICTURE "picture fixed 1 2 block 3 4 sample 0.5 0.25 axis 0.125 0 chroma 5 6 weigh 7 8\n"

static const char good[] =
    "# a comment, and an empty line\n"
    "\n"
    "qpel-recipe 1   # the format\n"
    "device gpu \"V3D 7.1\"\n"
    "source measured \"Mesa, a day\"\n" COST "\tcost  avg 16 copy fixed 0 0 block 0 0 byte 0 0\r\n"
    "device cpu \"\"\n"
    "source modelled \"by hand # no comment\"\n" PICTURE
    "cost put 4 diagonal fixed 1 1 block 999999999999 1 byte 0 0";

static void expect_price(const struct qpel_recipe_line *line, enum qpel_term term, double wall,
                         double cpu)
{
    assert_true(line->cost.price[term].wall == wall && line->cost.price[term].cpu == cpu);
}

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
    assert_int_equal(count, 4);
    assert_int_equal(l[0].backend, QPEL_BACKEND_GPU);
    assert_string_equal(l[0].device, "V3D 7.1");
    assert_int_equal(l[0].operation, QPEL_PUT);
    assert_int_equal(l[0].size, QPEL_SIZE_8);
    assert_int_equal(l[0].position, 10);
    assert_int_equal(l[0].cost.origin, QPEL_ORIGIN_MEASURED);
    assert_string_equal(l[0].source, "Mesa, a day");
    assert_int_equal(l[0].work, QPEL_WORK_KERNEL);
    expect_price(&l[0], QPEL_TERM_FIXED, 58000, 21000.5);
    expect_price(&l[0], QPEL_TERM_BLOCK, 61.125, 3);
    expect_price(&l[0], QPEL_TERM_BYTE, 2, 0.001);
    expect_price(&l[0], QPEL_TERM_SAMPLE, 0, 0);
    assert_int_equal(l[1].position, 0);
    assert_int_equal(l[2].backend, QPEL_BACKEND_CPU);
    assert_string_equal(l[2].device, "");
    assert_string_equal(l[2].source, "by hand # no comment");
    assert_int_equal(l[2].cost.origin, QPEL_ORIGIN_MODELLED);
    assert_int_equal(l[2].work, QPEL_WORK_PICTURE);
    expect_price(&l[2], QPEL_TERM_FIXED, 1, 2);
    expect_price(&l[2], QPEL_TERM_BLOCK, 3, 4);
    expect_price(&l[2], QPEL_TERM_BYTE, 0, 0);
    expect_price(&l[2], QPEL_TERM_SAMPLE, 0.5, 0.25);
    expect_price(&l[2], QPEL_TERM_AXIS, 0.125, 0);
    expect_price(&l[2], QPEL_TERM_CHROMA, 5, 6);
    expect_price(&l[2], QPEL_TERM_WEIGH, 7, 8);
    assert_int_equal(l[3].work, QPEL_WORK_KERNEL);
    expect_price(&l[3], QPEL_TERM_WEIGH, 0, 0);
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
        { HEAD "cost put 8 centre fixed 1.2345678 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 1.2.3 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 1000000000001 1 block 1 1 byte 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 99999999999999999999999 1 block 1 1 byte 1 1\n", 4 },
        { HEAD PICTURE "picture\n", 5 },
        { "qpel-recipe 1\n" PICTURE, 2 },
        { HEAD "picture fixed 1 2 block 3 4 sample 1 1 axis 1 1 chroma 1 1\n", 4 },
        { HEAD "picture fixed 1 2 block 3 4 byte 1 1 sample 1 1 axis 1 1 chroma 1 1 weigh 1 1\n",
          4 },
        { HEAD "picture fixed 1 2 block 3 4 axis 1 1 sample 1 1 chroma 1 1 weigh 1 1\n", 4 },
        { HEAD "picture fixed 1 2 block 3 4 sample 1 1 axis 1 1 chroma 1 1 weigh 1 -1\n", 4 },
        { HEAD "picture fixed 1 2 block 3 4 sample 1 1 axis 1 1 chroma 1 1 weigh 1 1 1\n", 4 },
        { HEAD "cost put 8 centre fixed 1 1 block 1 1\n", 4 },
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
    for (int t = 0; t < QPEL_TERM_COUNT; t++)
        if (fabs(a->cost.price[t].wall - b->cost.price[t].wall) > 0.000001 ||
            fabs(a->cost.price[t].cpu - b->cost.price[t].cpu) > 0.000001)
            return false;
    return a->backend == b->backend && !strcmp(a->device, b->device) && a->work == b->work &&
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

static struct qpel_recipe_line draw_line(struct random *r)
{
    struct qpel_recipe_line line = {
        .backend = random_next(r) & 1 ? QPEL_BACKEND_CPU : QPEL_BACKEND_GPU,
        .work = (enum qpel_work)random_below(r, 2),
    };

    line.cost.origin = (enum qpel_origin)random_below(r, 3);
    line.cost.price[QPEL_TERM_FIXED] = (struct qpel_price){ random_below(r, 1u << 31) / 1000.0,
                                                            random_below(r, 1000000) * 1000.0 };
    line.cost.price[QPEL_TERM_BLOCK] = (struct qpel_price){ random_below(r, 5000) / 1000.0, 1e12 };
    if (line.work == QPEL_WORK_KERNEL) {
        line.operation = (enum qpel_operation)random_below(r, QPEL_OPERATION_COUNT);
        line.size = (enum qpel_size)random_below(r, QPEL_SIZE_COUNT);
        line.position = (int)random_below(r, 16);
        line.cost.price[QPEL_TERM_BYTE] = (struct qpel_price){ 0, random_below(r, 10) / 3.0 };
    } else {
        line.cost.price[QPEL_TERM_AXIS] = (struct qpel_price){ random_below(r, 10) / 3.0, 0 };
        line.cost.price[QPEL_TERM_WEIGH] = (struct qpel_price){ 0, random_below(r, 10) / 7.0 };
    }
    return line;
}

static void what_is_written_reads_back(void **state)
{
    struct qpel_recipe *recipe;
    struct random r = random_stream(2);

    (void)state;
    assert_int_equal(qpel_recipe_create(&recipe), QPEL_OK);
    expect_round_trip(recipe);
    for (int i = 0; i < 300; i++) {
        struct qpel_recipe_line line = draw_line(&r);
        snprintf(line.device, sizeof line.device, "device %u", random_below(&r, 3));
        snprintf(line.source, sizeof line.source, "source # %u", random_below(&r, 3));
        assert_int_equal(qpel_recipe_add(recipe, &line), QPEL_OK);
        size_t count;
        assert_true(same_line(&line, qpel_recipe_lines(recipe, &count)));
        assert_int_equal(count, i + 1);
    }
    expect_round_trip(recipe);
    qpel_recipe_destroy(&recipe);
    assert_int_equal(qpel_recipe_default(&recipe), QPEL_OK);
    expect_round_trip(recipe);
    qpel_recipe_destroy(&recipe);
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
    assert_int_equal(qpel_recipe_default(NULL), QPEL_ERROR_INVALID);
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
    REFUSE(bad.cost.price[QPEL_TERM_FIXED].wall = -1);
    REFUSE(bad.cost.price[QPEL_TERM_BLOCK].cpu = (double)NAN);
    REFUSE(bad.cost.price[QPEL_TERM_BYTE].wall = (double)INFINITY);
    /* Terms and classes of the other kind of work. */
    REFUSE(bad.cost.price[QPEL_TERM_SAMPLE].cpu = 1);
    REFUSE(bad.work = (enum qpel_work)2);
    REFUSE(bad.work = QPEL_WORK_PICTURE, bad.cost.price[QPEL_TERM_BYTE].wall = 1);
    REFUSE(bad.work = QPEL_WORK_PICTURE, bad.operation = QPEL_AVG);
    REFUSE(bad.work = QPEL_WORK_PICTURE, bad.size = QPEL_SIZE_8);
    REFUSE(bad.work = QPEL_WORK_PICTURE, bad.position = 1);
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
    struct qpel_recipe *recipe, *shipped;
    assert_int_equal(qpel_recipe_default(&shipped), QPEL_OK);
    write_file(good, sizeof good - 1);
    snprintf(temporary, sizeof temporary, "%s.new", path);
    assert_int_equal(symlink("/dev/full", temporary), 0);
    enum qpel_result r = qpel_recipe_save(shipped, path);
    remove(temporary);
    qpel_recipe_destroy(&shipped);
    assert_int_equal(r, QPEL_ERROR_IO);
    assert_int_equal(qpel_recipe_load(&recipe, path, NULL), QPEL_OK);
    qpel_recipe_destroy(&recipe);
}

/* For both Pis, every class of work on both sides. */
static void the_shipped_recipe_says_where_it_is_from(void **state)
{
    struct qpel_recipe *recipe;
    size_t count, pictures = 0;

    (void)state;
    assert_int_equal(qpel_recipe_default(&recipe), QPEL_OK);
    const struct qpel_recipe_line *lines = qpel_recipe_lines(recipe, &count);
    assert_int_equal(count, 4 * (9 * QPEL_SIZE_COUNT * QPEL_OPERATION_COUNT + 1));
    for (size_t i = 0; i < count; i++) {
        assert_string_not_equal(lines[i].source, "");
        assert_int_equal(lines[i].cost.origin, QPEL_ORIGIN_MODELLED);
        pictures += lines[i].work == QPEL_WORK_PICTURE;
    }
    assert_int_equal(pictures, 4);
    qpel_recipe_destroy(&recipe);
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
        cmocka_unit_test(the_shipped_recipe_says_where_it_is_from),
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    int status = RUN_GROUP("recipe files", tests);
    remove(path);
    return status;
}
