/* Lists of cost lines. */
#include "recipe.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum qpel_result qpel_recipe_create(struct qpel_recipe **out)
{
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = calloc(1, sizeof **out);
    return *out ? QPEL_OK : QPEL_ERROR_NOMEM;
}

void qpel_recipe_destroy(struct qpel_recipe **recipe)
{
    if (!recipe || !*recipe)
        return;
    free((*recipe)->lines);
    free(*recipe);
    *recipe = NULL;
}

static enum qpel_result reserve(struct qpel_recipe *recipe, size_t room)
{
    if (room <= recipe->room)
        return QPEL_OK;
    if (room < 2 * recipe->room)
        room = 2 * recipe->room;
    struct qpel_recipe_line *grown = realloc(recipe->lines, room * sizeof *grown);
    if (!grown)
        return QPEL_ERROR_NOMEM;
    recipe->lines = grown;
    recipe->room = room;
    return QPEL_OK;
}

enum qpel_result qpel_recipe_copy(struct qpel_recipe **out, const struct qpel_recipe *recipe)
{
    enum qpel_result r = qpel_recipe_create(out);
    if (!r && recipe->count)
        r = reserve(*out, recipe->count);
    if (r) {
        qpel_recipe_destroy(out);
        return r;
    }
    (*out)->count = recipe->count;
    if (recipe->count)
        memcpy((*out)->lines, recipe->lines, recipe->count * sizeof *recipe->lines);
    return QPEL_OK;
}

enum qpel_result qpel_recipe_append(struct qpel_recipe *recipe, const struct qpel_recipe_line *line)
{
    enum qpel_result r = reserve(recipe, recipe->count + 1);
    if (!r)
        recipe->lines[recipe->count++] = *line;
    return r;
}

/* Text that a recipe file can hold: it ends, and has no quote and no line end. */
static bool plain_text(const char *text, size_t room)
{
    const char *end = memchr(text, 0, room);
    if (!end)
        return false;
    for (; text < end; text++)
        if (*text == '"' || iscntrl((unsigned char)*text))
            return false;
    return true;
}

bool qpel_work_has(enum qpel_work work, enum qpel_term term)
{
    static const unsigned terms[] = {
        [QPEL_WORK_KERNEL] = 1u << QPEL_TERM_FIXED | 1u << QPEL_TERM_BLOCK | 1u << QPEL_TERM_BYTE,
        [QPEL_WORK_PICTURE] = 1u << QPEL_TERM_FIXED | 1u << QPEL_TERM_BLOCK |
                              1u << QPEL_TERM_SAMPLE | 1u << QPEL_TERM_AXIS |
                              1u << QPEL_TERM_CHROMA | 1u << QPEL_TERM_WEIGH,
    };
    return terms[work] >> term & 1;
}

static bool valid_figure(double figure, bool wanted)
{
    return isfinite(figure) && figure >= 0 && figure <= (wanted ? 1e12 : 0);
}

static bool valid_class(const struct qpel_recipe_line *line)
{
    if (line->work == QPEL_WORK_PICTURE)
        return line->operation == 0 && line->size == 0 && line->position == 0;
    return line->work == QPEL_WORK_KERNEL && (unsigned)line->operation < QPEL_OPERATION_COUNT &&
           (unsigned)line->size < QPEL_SIZE_COUNT && (unsigned)line->position < QPEL_POSITION_COUNT;
}

bool qpel_recipe_line_valid(const struct qpel_recipe_line *line)
{
    if (!valid_class(line))
        return false;
    for (int t = 0; t < QPEL_TERM_COUNT; t++) {
        struct qpel_price price = line->cost.price[t];
        bool wanted = qpel_work_has(line->work, (enum qpel_term)t);
        if (!valid_figure(price.wall, wanted) || !valid_figure(price.cpu, wanted))
            return false;
    }
    return (line->backend == QPEL_BACKEND_CPU || line->backend == QPEL_BACKEND_GPU) &&
           (unsigned)line->cost.origin <= QPEL_ORIGIN_MEASURED &&
           plain_text(line->device, sizeof line->device) &&
           plain_text(line->source, sizeof line->source);
}

enum qpel_result qpel_recipe_add(struct qpel_recipe *recipe, const struct qpel_recipe_line *line)
{
    if (!recipe || !line || !qpel_recipe_line_valid(line))
        return QPEL_ERROR_INVALID;
    enum qpel_result r = qpel_recipe_append(recipe, line);
    if (r)
        return r;
    struct qpel_recipe_line added = recipe->lines[recipe->count - 1];
    memmove(recipe->lines + 1, recipe->lines, (recipe->count - 1) * sizeof added);
    recipe->lines[0] = added;
    return QPEL_OK;
}

const struct qpel_recipe_line *qpel_recipe_lines(const struct qpel_recipe *recipe, size_t *count)
{
    if (count)
        *count = recipe ? recipe->count : 0;
    return recipe ? recipe->lines : NULL;
}

static bool starts_with(const char *name, const char *pattern)
{
    for (; *pattern; name++, pattern++)
        if (tolower((unsigned char)*name) != tolower((unsigned char)*pattern))
            return false;
    return true;
}

static bool in_class(const struct qpel_recipe_line *line, const struct work_class *class)
{
    return line->work == class->work && line->operation == class->operation &&
           line->size == class->size && qpel_positions[line->position].family == class->family;
}

const struct qpel_recipe_line *qpel_recipe_find(const struct qpel_recipe *recipe,
                                                enum qpel_backend backend, const char *device,
                                                const struct work_class *class)
{
    for (size_t i = 0; i < recipe->count; i++) {
        const struct qpel_recipe_line *l = &recipe->lines[i];
        if (l->backend == backend && in_class(l, class) && starts_with(device, l->device))
            return l;
    }
    return NULL;
}
