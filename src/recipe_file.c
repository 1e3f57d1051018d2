/* The text form of recipes, docs/recipes.md. Numbers are read and written here, not by
 * strtod and printf, whose decimal point depends on the program's locale. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recipe.h"

#define MAGIC       "qpel-recipe"
#define FORMAT      "1"
#define LINE_LENGTH 1024
#define WORDS_MAX   20

static const char *const size_names[QPEL_SIZE_COUNT] = { "16", "8", "4" };
static const char *const operation_names[QPEL_OPERATION_COUNT] = { "put", "avg" };
static const char *const term_names[QPEL_TERM_COUNT] = {
    [QPEL_TERM_FIXED] = "fixed",   [QPEL_TERM_BLOCK] = "block", [QPEL_TERM_BYTE] = "byte",
    [QPEL_TERM_SAMPLE] = "sample", [QPEL_TERM_AXIS] = "axis",   [QPEL_TERM_CHROMA] = "chroma",
    [QPEL_TERM_WEIGH] = "weigh",
};

/* ---- numbers: nanoseconds with up to six decimals ---- */

enum { DECIMALS = 6 };
#define ONE UINT64_C(1000000) /* in millionths */

static bool parse_cost(const char *text, double *out)
{
    uint64_t millionths = 0;
    int decimals = -1;
    for (const char *p = text; *p; p++) {
        if (*p == '.' && decimals < 0 && p > text) {
            decimals = 0;
            continue;
        }
        if (*p < '0' || *p > '9' || decimals == DECIMALS || millionths > UINT64_MAX / 100)
            return false;
        millionths = millionths * 10 + (uint64_t)(*p - '0');
        decimals += decimals >= 0;
    }
    for (int i = decimals < 0 ? 0 : decimals; i < DECIMALS; i++) {
        if (millionths > UINT64_MAX / 10)
            return false;
        millionths *= 10;
    }
    *out = (double)millionths / ONE;
    return *text && decimals != 0;
}

static void print_cost(FILE *file, double cost)
{
    uint64_t millionths = (uint64_t)llround(cost * ONE), rest = millionths % ONE;
    fprintf(file, " %" PRIu64, millionths / ONE);
    if (!rest)
        return;
    int digits = DECIMALS;
    for (; rest % 10 == 0; rest /= 10)
        digits--;
    fprintf(file, ".%0*" PRIu64, digits, rest);
}

/* ---- reading ---- */

/* Splits a line into words; text between quotes is one word. A '#' that starts a word starts a
 * comment. The count, or -1: a quote does not close, or too many words. */
static int split(char *line, char *words[WORDS_MAX])
{
    int count = 0;
    for (char *p = line;;) {
        p += strspn(p, " \t\r\n");
        if (!*p || *p == '#')
            return count;
        char *end = *p == '"' ? strchr(++p, '"') : p + strcspn(p, " \t\r\n");
        if (!end || count == WORDS_MAX)
            return -1;
        words[count++] = p;
        p = *end ? end + 1 : end;
        *end = 0;
    }
}

static bool find(const char *word, const char *const *names, int count, int *out)
{
    for (int i = 0; i < count; i++)
        if (!strcmp(word, names[i])) {
            *out = i;
            return true;
        }
    return false;
}

/* A position that stands for the family. */
static bool find_family(const char *word, int *position)
{
    for (int i = 0; i < QPEL_POSITION_COUNT; i++)
        if (!strcmp(word, qpel_families[qpel_positions[i].family].name)) {
            *position = i;
            return true;
        }
    return false;
}

static bool copy_text(char *out, size_t room, const char *text)
{
    size_t n = strlen(text);
    if (n >= room)
        return false;
    memcpy(out, text, n + 1);
    return true;
}

/* device cpu|gpu NAME */
static bool take_device(char **words, int count, struct qpel_recipe_line *current)
{
    if (count != 3)
        return false;
    if (!strcmp(words[1], "cpu"))
        current->backend = QPEL_BACKEND_CPU;
    else if (!strcmp(words[1], "gpu"))
        current->backend = QPEL_BACKEND_GPU;
    else
        return false;
    return copy_text(current->device, sizeof current->device, words[2]);
}

/* source ORIGIN TEXT */
static bool take_source(char **words, int count, struct qpel_recipe_line *current)
{
    if (count != 3)
        return false;
    for (enum qpel_origin o = QPEL_ORIGIN_UNMEASURED; o <= QPEL_ORIGIN_MEASURED; o++)
        if (!strcmp(words[1], qpel_origin_name(o))) {
            current->cost.origin = o;
            return copy_text(current->source, sizeof current->source, words[2]);
        }
    return false;
}

/* The line's terms, in order, each NAME WALL CPU; all of them and nothing else. */
static bool take_terms(char **words, int count, struct qpel_recipe_line *line)
{
    int at = 0;
    for (int t = 0; t < QPEL_TERM_COUNT; t++) {
        if (!qpel_work_has(line->work, (enum qpel_term)t))
            continue;
        struct qpel_price *price = &line->cost.price[t];
        if (at + 3 > count || strcmp(words[at], term_names[t]) ||
            !parse_cost(words[at + 1], &price->wall) || !parse_cost(words[at + 2], &price->cpu))
            return false;
        at += 3;
    }
    return at == count;
}

/* cost OPERATION SIZE FAMILY TERMS */
static bool take_kernel(char **words, int count, struct qpel_recipe_line *line)
{
    int operation, size;
    if (count < 4 || !find(words[1], operation_names, QPEL_OPERATION_COUNT, &operation) ||
        !find(words[2], size_names, QPEL_SIZE_COUNT, &size) ||
        !find_family(words[3], &line->position))
        return false;
    line->work = QPEL_WORK_KERNEL;
    line->operation = (enum qpel_operation)operation;
    line->size = (enum qpel_size)size;
    return take_terms(words + 4, count - 4, line);
}

/* picture TERMS */
static bool take_picture(char **words, int count, struct qpel_recipe_line *line)
{
    line->work = QPEL_WORK_PICTURE;
    return take_terms(words + 1, count - 1, line);
}

static enum qpel_result read_line(struct qpel_recipe *recipe, struct qpel_recipe_line *current,
                                  char *text, bool *started)
{
    char *words[WORDS_MAX];
    int count = split(text, words);
    if (count == 0)
        return QPEL_OK;
    bool good = false;
    if (count < 0) {
        good = false;
    } else if (!*started) {
        good = count == 2 && !strcmp(words[0], MAGIC) && !strcmp(words[1], FORMAT);
        *started = true;
    } else if (!strcmp(words[0], "device")) {
        good = take_device(words, count, current);
    } else if (!strcmp(words[0], "source")) {
        good = take_source(words, count, current);
    } else {
        struct qpel_recipe_line line = *current;
        if (((!strcmp(words[0], "cost") && take_kernel(words, count, &line)) ||
             (!strcmp(words[0], "picture") && take_picture(words, count, &line))) &&
            qpel_recipe_line_valid(&line))
            return qpel_recipe_append(recipe, &line);
    }
    return good ? QPEL_OK : QPEL_ERROR_INVALID;
}

static enum qpel_result read_file(struct qpel_recipe *recipe, FILE *file, unsigned *number)
{
    char text[LINE_LENGTH];
    struct qpel_recipe_line current = { .backend = QPEL_BACKEND_AUTO };
    bool started = false;
    for (*number = 1; fgets(text, sizeof text, file); ++*number) {
        if (!strchr(text, '\n') && !feof(file))
            return QPEL_ERROR_INVALID;
        enum qpel_result r = read_line(recipe, &current, text, &started);
        if (r)
            return r;
    }
    if (ferror(file))
        return QPEL_ERROR_IO;
    return started ? QPEL_OK : QPEL_ERROR_INVALID;
}

enum qpel_result qpel_recipe_load(struct qpel_recipe **out, const char *path, unsigned *error_line)
{
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = NULL;
    if (!path)
        return QPEL_ERROR_INVALID;
    struct qpel_recipe *recipe;
    enum qpel_result r = qpel_recipe_create(&recipe);
    if (r)
        return r;
    unsigned number = 0;
    FILE *file = fopen(path, "re");
    r = file ? read_file(recipe, file, &number) : QPEL_ERROR_IO;
    if (file)
        fclose(file);
    if (r) {
        qpel_recipe_destroy(&recipe);
        if (r == QPEL_ERROR_INVALID && error_line)
            *error_line = number;
        return r;
    }
    *out = recipe;
    return QPEL_OK;
}

/* ---- writing ---- */

static bool same_head(const struct qpel_recipe_line *a, const struct qpel_recipe_line *b)
{
    return a->backend == b->backend && !strcmp(a->device, b->device);
}

static bool same_source(const struct qpel_recipe_line *a, const struct qpel_recipe_line *b)
{
    return a->cost.origin == b->cost.origin && !strcmp(a->source, b->source);
}

static void write_cost(const struct qpel_recipe_line *l, FILE *file)
{
    if (l->work == QPEL_WORK_PICTURE)
        fputs("picture", file);
    else
        fprintf(file, "cost %s %s %s", operation_names[l->operation], size_names[l->size],
                qpel_families[qpel_positions[l->position].family].name);
    for (int t = 0; t < QPEL_TERM_COUNT; t++) {
        if (!qpel_work_has(l->work, (enum qpel_term)t))
            continue;
        fprintf(file, " %s", term_names[t]);
        print_cost(file, l->cost.price[t].wall);
        print_cost(file, l->cost.price[t].cpu);
    }
    fputc('\n', file);
}

static void write_file(const struct qpel_recipe *recipe, FILE *file)
{
    fputs(MAGIC
          " " FORMAT "\n"
          "# Nanoseconds, wall and CPU time. cost OPERATION SIZE FAMILY: a kernel;\n"
          "#   fixed: a call; block: each block; byte: each byte staged\n"
          "# picture: the picture door;\n"
          "#   fixed: a submission; block: each list of each block; sample: each luma sample\n"
          "#   of each list; axis: the same for each fractional axis; chroma: each chroma\n"
          "#   sample of each list; weigh: each sample that is weighted\n",
          file);
    const struct qpel_recipe_line *before = NULL;
    for (size_t i = 0; i < recipe->count; i++) {
        const struct qpel_recipe_line *l = &recipe->lines[i];
        if (!before || !same_head(l, before))
            fprintf(file, "\ndevice %s \"%s\"\n", qpel_backend_name(l->backend), l->device);
        if (!before || !same_head(l, before) || !same_source(l, before))
            fprintf(file, "source %s \"%s\"\n", qpel_origin_name(l->cost.origin), l->source);
        before = l;
        write_cost(l, file);
    }
}

enum qpel_result qpel_recipe_save(const struct qpel_recipe *recipe, const char *path)
{
    if (!recipe || !path)
        return QPEL_ERROR_INVALID;
    size_t n = strlen(path);
    char *temporary = malloc(n + sizeof ".new");
    if (!temporary)
        return QPEL_ERROR_NOMEM;
    memcpy(temporary, path, n);
    memcpy(temporary + n, ".new", sizeof ".new");
    FILE *file = fopen(temporary, "we");
    bool good = file;
    if (file) {
        write_file(recipe, file);
        good = !ferror(file);
        good = !fclose(file) && good && !rename(temporary, path);
        if (!good)
            remove(temporary);
    }
    free(temporary);
    return good ? QPEL_OK : QPEL_ERROR_IO;
}
