/* Orders units with a counting sort: two sweeps over the blocks. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

/* A block's key in a list: source, kernel, and whether its window is outside. */
#define KEY(source, kernel, outside) (((source)*KERNEL_COUNT + (kernel)) * 2 + (outside))
#define KEY_COUNT                    KEY(PLAN_SOURCE_MAX, 0, 0)

/* Kept for each block and list: the key, and how many units wide and tall it is (0: one, 1: two).
 */
#define ENTRY(key, across, down) ((key) << 2 | (down) << 1 | (across))
#define ENTRY_KEY(entry)         ((entry) >> 2)

#define INLINE static inline __attribute__((always_inline))

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

struct rules {
    /* By position: the window around a block of 0 x 0, and the kernel. */
    struct rule {
        int32_t left, top, right, bottom;
        uint32_t key;
    } position[QPEL_POSITION_COUNT];
    /* By reference: its last column and row, and its source. */
    struct extent {
        int32_t right, bottom;
        uint32_t key;
    } extent[QPEL_REFERENCE_MAX];
};

static void make_rules(struct rules *rules, const struct plan *plan, const struct qpel_batch *batch)
{
    for (int p = 0; p < QPEL_POSITION_COUNT; p++) {
        struct qpel_rectangle w = qpel_window(p, 16, 16).bounds;
        rules->position[p] = (struct rule){
            .left = w.left,
            .top = w.top,
            .right = w.right - 16,
            .bottom = w.bottom - 16,
            .key = KEY(0u, (unsigned)kernel_of(qpel_positions[p].family), 0u),
        };
    }
    for (size_t i = 0; i < batch->reference_count; i++) {
        const struct samples *luma = &batch->references[i].rows[0];
        rules->extent[i] = (struct extent){
            .right = luma->width - 1,
            .bottom = luma->height - 1,
            .key = KEY((unsigned)plan->source[i], 0u, 0u),
        };
    }
}

INLINE unsigned key_of(const struct rules *rules, const struct qpel_picture_block *b, int list)
{
    const struct extent *e = &rules->extent[b->reference[list]];
    int mx = b->mv[list][0], my = b->mv[list][1];
    const struct rule *r = &rules->position[(mx & 3) + 4 * (my & 3)];
    int x = b->x + (mx >> 2), y = b->y + (my >> 2);
    /* Distances from the window's sides to the reference's: one is negative where it leaves it. */
    int inside = (x + r->left) | (y + r->top) | (e->right - r->right - b->width - x) |
                 (e->bottom - r->bottom - b->height - y);
    return e->key + r->key + ((unsigned)inside >> 31);
}

static enum qpel_result reserve_entries(struct plan *plan, size_t blocks)
{
    if (blocks <= plan->entry_room)
        return QPEL_OK;
    size_t room = blocks > 2 * plan->entry_room ? blocks : 2 * plan->entry_room;
    uint16_t *grown = realloc(plan->entries, 2 * room * sizeof *grown);
    if (!grown)
        return QPEL_ERROR_NOMEM;
    plan->entries = grown;
    plan->entry_room = room;
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

enum qpel_result qpel_plan_count(struct plan *plan, const struct qpel_batch *batch)
{
    enum qpel_result result = reserve_entries(plan, batch->block_count);
    if (result)
        return result;
    struct rules rules;
    make_rules(&rules, plan, batch);
    uint32_t counts[PLAN_LIST_COUNT][KEY_COUNT] = { { 0 } };
    uint32_t narrow_counts[PLAN_NARROW_COUNT] = { 0 };
    struct narrow narrow = { false };
    bool narrow_wanted = has_narrow(&batch->target->format);
    unsigned weights = 0, bi = 0;
    uint16_t *entries = plan->entries;
    for (size_t i = 0; i < batch->block_count; i++, entries += 2) {
        const struct qpel_picture_block *b = &batch->blocks[i];
        unsigned across = b->width >> 4, down = b->height >> 4, units = 1u << across << down;
        unsigned key = key_of(&rules, b, 0);
        weights |= b->weight;
        if (b->references == 2) {
            bi = 1;
            entries[PLAN_A] = (uint16_t)ENTRY(key, across, down);
            counts[PLAN_A][key] += units;
            key = key_of(&rules, b, 1);
        }
        entries[PLAN_B] = (uint16_t)ENTRY(key, across, down);
        counts[PLAN_B][key] += units;
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

/* An item's words in pairs, the earlier one in the low half. */
struct pairs {
    uint64_t low, high;
};

#define PAIR(low, high) ((uint32_t)(low) | (uint64_t)(uint32_t)(high) << 32)

INLINE uint32_t vector(const struct qpel_picture_block *b, int list)
{
    return (uint16_t)b->mv[list][0] | (uint32_t)(uint16_t)b->mv[list][1] << 16;
}

/* Of a block's first unit. own: the list that is followed here. */
INLINE struct pairs item_of(const struct qpel_picture_block *b, int own, int other, uint32_t flags)
{
    uint32_t place = (uint32_t)b->x / 4 << QPEL_ITEM_X_SHIFT |
                     (uint32_t)b->y / 4 << QPEL_ITEM_Y_SHIFT |
                     (uint32_t)b->parity << QPEL_ITEM_PARITY_SHIFT;
    uint32_t shape =
        (b->width > 4 ? QPEL_ITEM_WIDE : 0) | (b->height > 4 ? QPEL_ITEM_TALL : 0) | flags;
    uint32_t tables = (uint32_t)b->reference[own] << QPEL_ITEM_REFERENCE_SHIFT |
                      (uint32_t)b->reference[other] << QPEL_ITEM_OTHER_SHIFT |
                      (uint32_t)b->weight << QPEL_ITEM_WEIGHT_SHIFT;
    return (struct pairs){ PAIR(place | shape, vector(b, own)), PAIR(vector(b, other), tables) };
}

INLINE void put(struct plan_item *item, struct pairs p)
{
    uint32_t words[] = { (uint32_t)p.low, (uint32_t)(p.low >> 32), (uint32_t)p.high,
                         (uint32_t)(p.high >> 32) };
    memcpy(item->word, words, sizeof words);
}

INLINE void write_units(struct writer *w, enum plan_list list, unsigned entry, struct pairs item)
{
    const uint64_t across = QPEL_UNIT / 4 << QPEL_ITEM_X_SHIFT;
    const uint64_t down = QPEL_UNIT / 4 << QPEL_ITEM_Y_SHIFT;
    unsigned key = ENTRY_KEY(entry);
    uint32_t first = w->next[list][key], end = first + 1;
    struct plan_item *at = w->items + first;
    put(at, item);
    if (entry & 3) {
        struct pairs next = item;
        next.low += entry & 1 ? across : down;
        put(++at, next);
        if ((entry & 3) == 3) {
            next.low += down;
            item.low += down;
            put(++at, item);
            put(++at, next);
        }
        end = (uint32_t)(at + 1 - w->items);
    }
    w->next[list][key] = end;
    if (key & 1)
        for (uint32_t i = first; i < end; i++)
            w->slots[i + w->to_slot[list][key]] = i;
}

void qpel_plan_write(const struct plan *plan, const struct qpel_batch *batch,
                     struct plan_item *items, uint32_t *slots)
{
    struct writer w = { .items = items, .slots = slots };
    open_writer(&w, plan);
    uint32_t narrow_next[PLAN_NARROW_COUNT];
    memcpy(narrow_next, plan->narrow_first, sizeof narrow_next);
    struct narrow narrow = { false };
    bool narrow_wanted = has_narrow(&batch->target->format);
    const uint16_t *entries = plan->entries;
    for (size_t i = 0; i < batch->block_count; i++, entries += 2) {
        const struct qpel_picture_block *b = &batch->blocks[i];
        struct pairs item;
        if (b->references == 2) {
            write_units(&w, PLAN_A, entries[PLAN_A], item_of(b, 0, 1, QPEL_ITEM_BI));
            item = item_of(b, 1, 0, QPEL_ITEM_BI);
        } else {
            item = item_of(b, 0, 0, 0);
        }
        write_units(&w, PLAN_B, entries[PLAN_B], item);
        if (b->width == 4 && narrow_wanted)
            put(&items[narrow_next[narrow_of(&narrow, plan, batch, i)]++], item);
    }
}

void qpel_plan_free(struct plan *plan)
{
    free(plan->entries);
    plan->entries = NULL;
    plan->entry_room = 0;
}
