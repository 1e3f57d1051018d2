/* Orders units with a counting sort: two sweeps over the blocks. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* A block's key in a list: source, kernel, and whether its window is outside. */
#define KEY(source, kernel, outside) (((source)*KERNEL_COUNT + (kernel)) * 2 + (outside))
#define KEY_COUNT                    KEY(PLAN_SOURCE_MAX, 0, 0)

static uint32_t units(const struct qpel_picture_block *b)
{
    return (b->width == 16 ? 2u : 1u) * (b->height == 16 ? 2u : 1u);
}

/* ---- keys ---- */

static enum picture_kernel kernel_of(enum family family)
{
    static const enum family families[][2] = {
#define FAMILIES_OF(name, alone) { FAMILY_##name, FAMILY_##alone },
        QPEL_KERNELS(FAMILIES_OF)
    };
    int k = 0;
    while (families[k][0] != family && families[k][1] != family)
        k++;
    return (enum picture_kernel)k;
}

/* By position: the kernel, and the window around a block of 0 x 0. */
struct rules {
    struct rule {
        int8_t left, top, right, bottom;
        uint8_t kernel;
    } position[QPEL_POSITION_COUNT];
    /* By reference: its rows. */
    struct extent {
        int32_t width, height;
        uint32_t source;
    } extent[QPEL_REFERENCE_MAX];
};

static void make_rules(struct rules *rules, const struct plan *plan, const struct qpel_batch *batch)
{
    for (int p = 0; p < QPEL_POSITION_COUNT; p++) {
        struct qpel_rectangle w = qpel_window(p, 16, 16).bounds;
        rules->position[p] = (struct rule){
            .left = (int8_t)w.left,
            .top = (int8_t)w.top,
            .right = (int8_t)(w.right - 16),
            .bottom = (int8_t)(w.bottom - 16),
            .kernel = (uint8_t)kernel_of(qpel_positions[p].family),
        };
    }
    for (size_t i = 0; i < batch->reference_count; i++) {
        const struct samples *luma = &batch->references[i].rows[0];
        rules->extent[i] = (struct extent){ luma->width, luma->height, plan->source[i] };
    }
}

static unsigned key_of(const struct rules *rules, const struct qpel_picture_block *b, int list)
{
    const struct extent *e = &rules->extent[b->reference[list]];
    int mx = b->mv[list][0], my = b->mv[list][1];
    const struct rule *r = &rules->position[(mx & 3) + 4 * (my & 3)];
    int x = b->x + (mx >> 2), y = b->y + (my >> 2);
    unsigned outside = (x + r->left < 0) | (y + r->top < 0) |
                       (x + b->width + r->right >= e->width) |
                       (y + b->height + r->bottom >= e->height);
    return KEY(e->source, r->kernel, outside);
}

static enum qpel_result reserve_keys(struct plan *plan, size_t blocks)
{
    if (blocks <= plan->key_room)
        return QPEL_OK;
    size_t room = blocks > 2 * plan->key_room ? blocks : 2 * plan->key_room;
    uint16_t *grown = realloc(plan->keys, 2 * room * sizeof *grown);
    if (!grown)
        return QPEL_ERROR_NOMEM;
    plan->keys = grown;
    plan->key_room = room;
    return QPEL_OK;
}

/* ---- narrow units ---- */

static bool has_narrow(const struct qpel_picture_format *f)
{
    return f->layout == QPEL_LAYOUT_PLANAR && chroma_shift_x(f->chroma);
}

/* Of blocks 4 wide. `left`: the last one seen was the left half of a pair, which is kept here. */
struct narrow {
    bool left;
};

static bool same_sources(const uint8_t *source, const struct qpel_picture_block *a,
                         const struct qpel_picture_block *b)
{
    return source[a->reference[0]] == source[b->reference[0]] &&
           source[a->reference[a->references - 1]] == source[b->reference[b->references - 1]] &&
           a->references == b->references;
}

/* Which list block i belongs to. Sub-partitions come left to right, so halves of a word mostly
 * follow one another. */
static enum plan_narrow narrow_of(struct narrow *n, const struct plan *plan,
                                  const struct qpel_batch *batch, size_t i)
{
    const struct qpel_picture_block *b = &batch->blocks[i], *next = b + 1;
    if (n->left) {
        n->left = false;
        return PLAN_PAIR;
    }
    if (b->x & 4)
        return PLAN_RIGHT;
    n->left = i + 1 < batch->block_count && next->width == 4 && next->x == b->x + 4 &&
              next->y == b->y && next->height == b->height && next->parity == b->parity &&
              (plan->sources == 1 || same_sources(plan->source, b, next));
    return n->left ? PLAN_PAIR : PLAN_LEFT;
}

/* ---- counting ---- */

/* From counts of units by key: where each range begins. */
static void place(struct plan *plan, uint32_t counts[PLAN_LIST_COUNT][KEY_COUNT],
                  const uint32_t narrow[PLAN_NARROW_COUNT])
{
    uint32_t item = 0, slot = 0;
    for (int list = 0; list < PLAN_LIST_COUNT; list++) {
        for (unsigned s = 0; s < plan->sources; s++) {
            plan->item_first[list][s] = item;
            plan->slot_first[list][s] = slot;
            for (unsigned k = 0; k < KERNEL_COUNT; k++) {
                const uint32_t *n = &counts[list][KEY(s, k, 0)];
                plan->range[list][s][k] = (struct plan_range){
                    .first = item, .inside = n[0], .outside = n[1], .slot = slot
                };
                item += n[0] + n[1];
                slot += n[1];
            }
        }
        plan->item_first[list][plan->sources] = item;
        plan->slot_first[list][plan->sources] = slot;
    }
    plan->slots = slot;
    for (int i = 0; i < PLAN_NARROW_COUNT; i++) {
        plan->narrow_first[i] = item;
        item += narrow[i];
    }
    plan->narrow_first[PLAN_NARROW_COUNT] = plan->items = item;
}

enum qpel_result plan_count(struct plan *plan, const struct qpel_batch *batch)
{
    enum qpel_result result = reserve_keys(plan, batch->block_count);
    if (result)
        return result;
    struct rules rules;
    make_rules(&rules, plan, batch);
    uint32_t counts[PLAN_LIST_COUNT][KEY_COUNT] = { { 0 } };
    uint32_t narrow_counts[PLAN_NARROW_COUNT] = { 0 };
    struct narrow narrow = { false };
    bool narrow_wanted = has_narrow(&batch->target->format);
    unsigned weights = 0, bi = 0;
    uint16_t *keys = plan->keys;
    for (size_t i = 0; i < batch->block_count; i++, keys += 2) {
        const struct qpel_picture_block *b = &batch->blocks[i];
        unsigned key = key_of(&rules, b, 0);
        weights |= b->weight;
        if (b->references == 2) {
            bi = 1;
            keys[PLAN_A] = (uint16_t)key;
            counts[PLAN_A][key] += units(b);
            key = key_of(&rules, b, 1);
        }
        keys[PLAN_B] = (uint16_t)key;
        counts[PLAN_B][key] += units(b);
        if (b->width == 4 && narrow_wanted)
            narrow_counts[narrow_of(&narrow, plan, batch, i)]++;
    }
    plan->bi = bi;
    plan->weighted = weights;
    place(plan, counts, narrow_counts);
    return QPEL_OK;
}

/* ---- writing ---- */

struct writer {
    struct plan_item *items;
    uint32_t *slots;
    uint32_t next[PLAN_LIST_COUNT][KEY_COUNT];    /* item */
    uint32_t to_slot[PLAN_LIST_COUNT][KEY_COUNT]; /* added to an outside item's index: its slot */
};

static void open_writer(struct writer *w, const struct plan *plan)
{
    for (int list = 0; list < PLAN_LIST_COUNT; list++)
        for (unsigned s = 0; s < plan->sources; s++)
            for (unsigned k = 0; k < KERNEL_COUNT; k++) {
                const struct plan_range *range = &plan->range[list][s][k];
                unsigned key = KEY(s, k, 1);
                w->next[list][key - 1] = range->first;
                w->next[list][key] = range->first + range->inside;
                w->to_slot[list][key] = range->slot - w->next[list][key];
            }
}

static uint32_t vector(const struct qpel_picture_block *b, int list)
{
    return (uint16_t)b->mv[list][0] | (uint32_t)(uint16_t)b->mv[list][1] << 16;
}

/* The item of a block's first unit. */
static struct plan_item item_of(const struct qpel_picture_block *b, enum plan_list list)
{
    bool bi = b->references == 2;
    int own = list == PLAN_B && bi, other = bi && !own;
    return (struct plan_item){ {
        (uint32_t)b->x / 4 << QPEL_ITEM_X_SHIFT | (uint32_t)b->y / 4 << QPEL_ITEM_Y_SHIFT |
            (uint32_t)b->parity << QPEL_ITEM_PARITY_SHIFT | (b->width > 4 ? QPEL_ITEM_WIDE : 0) |
            (b->height > 4 ? QPEL_ITEM_TALL : 0) | (bi ? QPEL_ITEM_BI : 0),
        vector(b, own),
        vector(b, other),
        (uint32_t)b->reference[own] << QPEL_ITEM_REFERENCE_SHIFT |
            (uint32_t)b->reference[other] << QPEL_ITEM_OTHER_SHIFT |
            (uint32_t)b->weight << QPEL_ITEM_WEIGHT_SHIFT,
    } };
}

static void write_units(struct writer *w, const struct qpel_picture_block *b, enum plan_list list,
                        unsigned key, struct plan_item item)
{
    uint32_t at = w->next[list][key], first = item.word[0];
    for (unsigned y = 0; y < b->height; y += QPEL_UNIT)
        for (unsigned x = 0; x < b->width; x += QPEL_UNIT) {
            item.word[0] = first + (x / 4 << QPEL_ITEM_X_SHIFT) + (y / 4 << QPEL_ITEM_Y_SHIFT);
            if (key & 1)
                w->slots[at + w->to_slot[list][key]] = at;
            w->items[at++] = item;
        }
    w->next[list][key] = at;
}

void plan_write(const struct plan *plan, const struct qpel_batch *batch, struct plan_item *items,
                uint32_t *slots)
{
    struct writer w = { .items = items, .slots = slots };
    open_writer(&w, plan);
    uint32_t narrow_next[PLAN_NARROW_COUNT];
    memcpy(narrow_next, plan->narrow_first, sizeof narrow_next);
    struct narrow narrow = { false };
    bool narrow_wanted = has_narrow(&batch->target->format);
    const uint16_t *keys = plan->keys;
    for (size_t i = 0; i < batch->block_count; i++, keys += 2) {
        const struct qpel_picture_block *b = &batch->blocks[i];
        if (b->references == 2)
            write_units(&w, b, PLAN_A, keys[PLAN_A], item_of(b, PLAN_A));
        struct plan_item item = item_of(b, PLAN_B);
        write_units(&w, b, PLAN_B, keys[PLAN_B], item);
        if (b->width == 4 && narrow_wanted)
            items[narrow_next[narrow_of(&narrow, plan, batch, i)]++] = item;
    }
}

void plan_free(struct plan *plan)
{
    free(plan->keys);
    plan->keys = NULL;
    plan->key_room = 0;
}
