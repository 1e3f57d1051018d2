/* Orders units with a counting sort: two sweeps over the blocks. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* A block's key in a list: source, family, and whether its window is outside. */
#define KEY(source, family, outside) (((source)*FAMILY_COUNT + (family)) * 2 + (outside))
#define KEY_COUNT                    KEY(PLAN_SOURCE_MAX, 0, 0)

static unsigned units(const struct qpel_picture_block *b)
{
    return (b->width == 16 ? 2u : 1u) * (b->height == 16 ? 2u : 1u);
}

struct window_rules {
    uint8_t family[16];
    int8_t left[16], top[16], right[16],
        bottom[16]; /* of a block of 0 x 0: to be added to its sides */
};

static struct window_rules rules(void)
{
    struct window_rules r;
    for (int p = 0; p < QPEL_POSITION_COUNT; p++) {
        struct qpel_rectangle w = qpel_window(p, 16, 16).bounds;
        r.family[p] = (uint8_t)qpel_positions[p].family;
        r.left[p] = (int8_t)w.left;
        r.top[p] = (int8_t)w.top;
        r.right[p] = (int8_t)(w.right - 16);
        r.bottom[p] = (int8_t)(w.bottom - 16);
    }
    return r;
}

struct extent {
    int width, height;
};

static unsigned key_of(const struct window_rules *r, const struct extent *extents,
                       const uint8_t *source, const struct qpel_picture_block *b, int list)
{
    unsigned reference = b->reference[list];
    int mx = b->mv[list][0], my = b->mv[list][1];
    int p = (mx & 3) + 4 * (my & 3);
    int x = b->x + (mx >> 2), y = b->y + (my >> 2);
    struct extent e = extents[reference];
    bool outside = (x + r->left[p] < 0) | (y + r->top[p] < 0) |
                   (x + b->width + r->right[p] >= e.width) |
                   (y + b->height + r->bottom[p] >= e.height);
    return KEY(source[reference], r->family[p], outside);
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

/* From counts of units by key: where each range begins. */
static void place(struct plan *plan, uint32_t counts[PLAN_LIST_COUNT][KEY_COUNT])
{
    uint32_t item = 0, slot = 0;
    for (int list = 0; list < PLAN_LIST_COUNT; list++) {
        plan->list_first[list] = item;
        for (int s = 0; s < PLAN_SOURCE_MAX; s++)
            for (int f = 0; f < FAMILY_COUNT; f++) {
                const uint32_t *n = &counts[list][KEY(s, f, 0)];
                plan->range[list][s][f] = (struct plan_range){
                    .first = item, .inside = n[0], .outside = n[1], .slot = slot
                };
                item += n[0] + n[1];
                slot += n[1];
            }
    }
    plan->list_first[PLAN_LIST_COUNT] = plan->items = item;
    plan->slots = slot;
}

enum qpel_result plan_count(struct plan *plan, const struct qpel_batch *batch,
                            const uint8_t source[QPEL_REFERENCE_MAX])
{
    enum qpel_result result = reserve_keys(plan, batch->block_count);
    if (result)
        return result;
    struct window_rules r = rules();
    struct extent extents[QPEL_REFERENCE_MAX];
    for (size_t i = 0; i < batch->reference_count; i++) {
        const struct reference *ref = &batch->references[i];
        struct samples s = samples_rows(ref->picture->component[0], ref->parity);
        extents[i] = (struct extent){ s.width, s.height };
    }
    uint32_t counts[PLAN_LIST_COUNT][KEY_COUNT] = { 0 };
    unsigned weights = 0, bi = 0;
    uint16_t *keys = plan->keys;
    for (size_t i = 0; i < batch->block_count; i++, keys += 2) {
        const struct qpel_picture_block *b = &batch->blocks[i];
        unsigned n = units(b), key = key_of(&r, extents, source, b, 0);
        weights |= b->weight;
        if (b->references == 2) {
            bi = 1;
            keys[PLAN_A] = (uint16_t)key;
            counts[PLAN_A][key] += n;
            key = key_of(&r, extents, source, b, 1);
        }
        keys[PLAN_B] = (uint16_t)key;
        counts[PLAN_B][key] += n;
    }
    plan->bi = bi;
    plan->weighted = weights;
    place(plan, counts);
    return QPEL_OK;
}

struct writer {
    struct plan_item *items;
    uint32_t *slots;
    uint32_t next[PLAN_LIST_COUNT][KEY_COUNT];    /* item */
    uint32_t to_slot[PLAN_LIST_COUNT][KEY_COUNT]; /* added to an outside item's index: its slot */
};

static uint32_t vector(const struct qpel_picture_block *b, int list)
{
    return (uint16_t)b->mv[list][0] | (uint32_t)(uint16_t)b->mv[list][1] << 16;
}

static void write_units(struct writer *w, const struct qpel_picture_block *b, enum plan_list list,
                        unsigned key)
{
    bool bi = b->references == 2;
    int own = list == PLAN_B && bi, other = bi && !own;
    uint32_t first = (uint32_t)b->parity << QPEL_ITEM_PARITY_SHIFT |
                     (b->width > 4 ? QPEL_ITEM_WIDE : 0) | (b->height > 4 ? QPEL_ITEM_TALL : 0) |
                     (bi ? QPEL_ITEM_BI : 0);
    struct plan_item item = { {
        0,
        vector(b, own),
        bi ? vector(b, other) : 0,
        (uint32_t)b->reference[own] << QPEL_ITEM_REFERENCE_SHIFT |
            (bi ? (uint32_t)b->reference[other] << QPEL_ITEM_OTHER_SHIFT : 0) |
            (uint32_t)b->weight << QPEL_ITEM_WEIGHT_SHIFT,
    } };
    uint32_t at = w->next[list][key];
    for (unsigned y = 0; y < b->height; y += QPEL_UNIT)
        for (unsigned x = 0; x < b->width; x += QPEL_UNIT) {
            item.word[0] =
                first | (b->x + x) / 4 << QPEL_ITEM_X_SHIFT | (b->y + y) / 4 << QPEL_ITEM_Y_SHIFT;
            if (key & 1)
                w->slots[at + w->to_slot[list][key]] = at;
            w->items[at++] = item;
        }
    w->next[list][key] = at;
}

void plan_write(struct plan *plan, const struct qpel_batch *batch, struct plan_item *items,
                uint32_t *slots)
{
    struct writer w = { .items = items, .slots = slots };
    for (int list = 0; list < PLAN_LIST_COUNT; list++)
        for (int s = 0; s < PLAN_SOURCE_MAX; s++)
            for (int f = 0; f < FAMILY_COUNT; f++) {
                const struct plan_range *range = &plan->range[list][s][f];
                unsigned key = KEY((unsigned)s, (unsigned)f, 1);
                w.next[list][key - 1] = range->first;
                w.next[list][key] = range->first + range->inside;
                w.to_slot[list][key] = range->slot - w.next[list][key];
            }
    const uint16_t *keys = plan->keys;
    for (size_t i = 0; i < batch->block_count; i++, keys += 2) {
        const struct qpel_picture_block *b = &batch->blocks[i];
        if (b->references == 2)
            write_units(&w, b, PLAN_A, keys[PLAN_A]);
        write_units(&w, b, PLAN_B, keys[PLAN_B]);
    }
}

void plan_free(struct plan *plan)
{
    free(plan->keys);
    plan->keys = NULL;
    plan->key_room = 0;
}
