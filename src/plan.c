/* From blocks to items in buckets. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* ---- rules ---- */

static unsigned bucket_of(enum family family)
{
    static const enum family families[][2] = {
#define FAMILIES_OF(name, alone) { FAMILY_##name, FAMILY_##alone },
        QPEL_KERNELS(FAMILIES_OF)
    };
    unsigned k = 0;
    while (families[k][0] != family && families[k][1] != family)
        k++;
    return k * PLAN_KERNEL_BUCKETS + (families[k][0] != family ? PLAN_HEIGHTS : 0);
}

/* The most that a window takes on a side of its block. */
enum { REACH_BEFORE = 2, REACH_BEHIND = 3 };

static void make_rules(struct plan *plan)
{
    for (int p = 0; p < QPEL_POSITION_COUNT; p++) {
        struct qpel_rectangle w = qpel_window(p, 16, 16).bounds;
        plan->rule[p] = (struct plan_rule){ w.left, w.top, w.right - 16, w.bottom - 16 };
        plan->bucket[p] = bucket_of(qpel_positions[p].family);
    }
}

/* ---- lifetime ---- */

enum qpel_result qpel_plan_open(struct plan *plan, unsigned runs)
{
    make_rules(plan);
    plan->runs = runs;
    plan->open = malloc(PLAN_BUCKETS * sizeof *plan->open);
    return plan->open ? QPEL_OK : QPEL_ERROR_NOMEM;
}

void qpel_plan_reset(struct plan *plan, const struct qpel_picture *target)
{
    plan->blocks = plan->references = 0;
    plan->chunks = plan->slots = 0;
    plan->overflow = plan->bi = plan->weighted = false;
    plan->narrow =
        target->format.layout == QPEL_LAYOUT_PLANAR && chroma_shift_x(target->format.chroma);
    plan->pending.count = 0;
    memset(plan->count, 0, sizeof plan->count);
    memset(plan->last, 0, sizeof plan->last);
}

enum qpel_result qpel_plan_place(struct plan *plan, void *memory, uint32_t room)
{
    if (room > plan->earlier_room) {
        uint32_t *grown = realloc(plan->earlier, room * sizeof *grown);
        if (!grown)
            return QPEL_ERROR_NOMEM;
        plan->earlier = grown;
        plan->earlier_room = room;
    }
    plan->out = memory;
    plan->room = room;
    return QPEL_OK;
}

void qpel_plan_close(struct plan *plan)
{
    free(plan->open);
    free(plan->earlier);
    plan->open = NULL;
    plan->earlier = NULL;
    plan->earlier_room = 0;
}

/* ---- references ---- */

void qpel_plan_reference(struct plan *plan, const struct reference *reference, unsigned source,
                         bool own_slots, enum chunk_behind behind)
{
    const struct samples *luma = &reference->rows[0], *cr = &reference->rows[COMPONENT_COUNT - 1];
    const struct qpel_picture_format *f = &reference->picture->format;
    const unsigned size = PLAN_PASSES * PLAN_PASS_BUCKETS;
    struct plan_reference r = {
        .right = luma->width - 1,
        .bottom = luma->height - 1,
        .row = (uint32_t)plan->references * QPEL_REFERENCE_ROWS,
        .inside = (uint16_t)(source * size),
        .outside = (uint16_t)((own_slots ? source : PLAN_SLOTS) * size),
    };
    /* Where luma's window is inside, so is chroma's: it is no larger but for the row below, of
     * which nothing is made then, though it is read. Two cases apart: between fields of different
     * parity vectors go a quarter of a row farther (table 8-9), and a field of an odd half has a
     * row less. */
    if (chroma_shift_y(f->chroma)) {
        if (reference->parity != QPEL_FRAME) {
            r.top = 2;
            r.bottom = (luma->height < 2 * cr->height ? luma->height : 2 * cr->height) - 3;
        } else if (behind != BEHIND_ROWS) {
            r.bottom -= 2;
        }
    } else if (behind != BEHIND_ROWS && f->chroma == QPEL_CHROMA_422) {
        r.bottom -= 1;
    }
    /* Neither is the word behind the last row, then. */
    if (behind == BEHIND_NOTHING)
        r.bottom -= 1 << chroma_shift_y(f->chroma);
    r.all_top = r.top + REACH_BEFORE;
    r.all_right = r.right + 1 - REACH_BEHIND;
    r.all_bottom = r.bottom + 1 - REACH_BEHIND;
    plan->reference[plan->references++] = r;
}

/* ---- items into buckets ---- */

/* An item's words in pairs, the earlier one in the low half. */
struct pairs {
    uint64_t low, high;
};

#define PAIR(low, high) ((uint32_t)(low) | (uint64_t)(uint32_t)(high) << 32)

INLINE struct plan_item item_of(struct pairs p)
{
    return (struct plan_item){ { (uint32_t)p.low, (uint32_t)(p.low >> 32), (uint32_t)p.high,
                                 (uint32_t)(p.high >> 32) } };
}

/* An open chunk is full, and may have one item too many. */
static __attribute__((noinline)) void write_chunk(struct plan *plan, unsigned bucket)
{
    struct plan_item *items = plan->open[bucket].items;
    plan->count[bucket] -= QPEL_CHUNK_ITEMS;
    if (plan->chunks == plan->room) {
        plan->overflow = true;
        return;
    }
    memcpy(plan->out + plan->chunks, items, sizeof *plan->out);
    items[0] = items[QPEL_CHUNK_ITEMS];
    plan->earlier[plan->chunks] = plan->last[bucket];
    plan->last[bucket] = ++plan->chunks;
}

/* The first `count` of two items, without a branch: one is as likely as two. */
INLINE void push_two(struct plan *plan, unsigned bucket, struct plan_item first,
                     struct plan_item second, unsigned count)
{
    unsigned n = plan->count[bucket];
    struct plan_item *at = &plan->open[bucket].items[n];
    at[0] = first;
    at[1] = second;
    plan->count[bucket] = n + count;
    if (__builtin_expect(n + count >= QPEL_CHUNK_ITEMS, 0))
        write_chunk(plan, bucket);
}

static void push(struct plan *plan, unsigned bucket, struct plan_item item)
{
    push_two(plan, bucket, item, item, 1);
}

/* Gives a unit a slot. */
static struct pairs with_slot(struct plan *plan, struct pairs p)
{
    p.high |= (uint64_t)++plan->slots << 32;
    push(plan, PLAN_EXTEND, item_of(p));
    return p;
}

/* ---- narrow units ---- */

static const struct plan_item none = { { QPEL_ITEM_NONE, 0, 0, 1 } };

static void push_halves(struct plan *plan, unsigned bucket, enum plan_narrow narrow,
                        const struct plan_item *left, const struct plan_item *right)
{
    push(plan, bucket + PLAN_LUMA_BUCKETS + narrow, left ? *left : none);
    push(plan, bucket + PLAN_LUMA_BUCKETS + narrow, right ? *right : none);
}

static void end_pending(struct plan *plan)
{
    struct plan_pending *left = &plan->pending;
    for (unsigned i = 0; i < left->count; i++)
        push_halves(plan, left->half[i].bucket, PLAN_LEFT, &left->half[i].item, NULL);
    left->count = 0;
}

static bool fits(const struct plan_pending *left, const struct qpel_picture_block *b,
                 const struct plan_half half[2], unsigned count)
{
    const struct qpel_picture_block *l = &left->block;
    return left->count == count && b->x == l->x + 4 && b->y == l->y && b->height == l->height &&
           b->parity == l->parity && half[0].bucket == left->half[0].bucket &&
           (count == 1 || half[1].bucket == left->half[1].bucket);
}

/* Of a block 4 wide: its items of each pass. Sub-partitions come left to right, so halves of a
 * word follow one another. */
static void add_narrow(struct plan *plan, const struct qpel_picture_block *b,
                       const struct plan_half half[2], unsigned count)
{
    struct plan_pending *left = &plan->pending;
    if (fits(left, b, half, count)) {
        for (unsigned i = 0; i < count; i++)
            push_halves(plan, half[i].bucket, PLAN_LEFT, &left->half[i].item, &half[i].item);
        left->count = 0;
        return;
    }
    end_pending(plan);
    if (b->x & 4) {
        for (unsigned i = 0; i < count; i++)
            push_halves(plan, half[i].bucket, PLAN_RIGHT, NULL, &half[i].item);
        return;
    }
    left->block = *b;
    left->count = count;
    memcpy(left->half, half, count * sizeof *half);
}

/* ---- blocks ---- */

/* Whether a position's window, around a block at (x, y), leaves the reference. Distances from its
 * sides to the reference's: one is negative then. */
static bool is_outside(const struct plan_reference *ref, const struct plan_rule *r, int x, int y,
                       int width, int height)
{
    return ((x + r->left) | (y + r->top - ref->top) | (ref->right - r->right - width - x) |
            (ref->bottom - r->bottom - height - y)) < 0;
}

/* The units of a block near the reference's sides. Returns the last one's bucket of its source and
 * pass, and its item in *p. */
static __attribute__((noinline)) unsigned add_near_sides(struct plan *plan,
                                                         const struct qpel_picture_block *b,
                                                         int list, unsigned pass, struct pairs *p)
{
    const struct plan_reference *ref = &plan->reference[b->reference[list]];
    int mx = b->mv[list][0], my = b->mv[list][1], position = (mx & 3) + 4 * (my & 3);
    int x = b->x + (mx >> 2), y = b->y + (my >> 2);
    int width = b->width < QPEL_UNIT_COLUMNS ? b->width : QPEL_UNIT_COLUMNS;
    struct pairs unit = *p;
    unsigned bucket = 0;
    for (int i = 0; i < b->width; i += QPEL_UNIT_COLUMNS, unit.low += QPEL_UNIT_COLUMNS) {
        bool outside = is_outside(ref, &plan->rule[position], x + i, y, width, b->height);
        bucket = pass + (outside ? ref->outside : ref->inside);
        *p = outside ? with_slot(plan, unit) : unit;
        push(plan, bucket + plan->bucket[position] + (b->height >> 3), item_of(*p));
    }
    return bucket;
}

/* A place whose line is one of a field becomes the frame's. */
static uint32_t to_field(uint32_t place, unsigned parity)
{
    const uint32_t line = 1u << QPEL_ITEM_LINE_SHIFT;
    uint32_t rest = place & (line - 1);
    return ((place - rest) << 1) + (parity == QPEL_BOTTOM_FIELD ? line : 0) + rest +
           QPEL_ITEM_FIELD;
}

/* Plans one list of a block. own: what a narrow unit keeps of it; or null. This is most of what a
 * submission costs the CPU: no branches but those that are foreseen. */
INLINE void add_list(struct plan *plan, const struct qpel_picture_block *b, int list,
                     enum plan_pass pass, uint32_t flags, struct plan_half *own)
{
    const struct plan_reference *ref = &plan->reference[b->reference[list]];
    int mx = b->mv[list][0], my = b->mv[list][1], x = b->x + (mx >> 2), y = b->y + (my >> 2);
    uint32_t vector = (uint16_t)mx | (uint32_t)(uint16_t)my << 16;
    uint32_t place =
        b->x | (b->width >> 2 & QPEL_ITEM_NARROW) | flags | (uint32_t)b->y << QPEL_ITEM_LINE_SHIFT;
    if (__builtin_expect(b->parity != QPEL_FRAME, 0))
        place = to_field(place, b->parity);
    uint32_t tables = ref->row | (uint32_t)b->weight << QPEL_ITEM_WEIGHT_SHIFT |
                      (uint32_t)b->height << QPEL_ITEM_ROWS_SHIFT;
    struct pairs p = { PAIR(place, vector), tables };
    unsigned bucket = (unsigned)pass * PLAN_PASS_BUCKETS;
    int inside = (x - REACH_BEFORE) | (y - ref->all_top) | (ref->all_right - b->width - x) |
                 (ref->all_bottom - b->height - y);
    if (__builtin_expect(inside < 0, 0)) {
        bucket = add_near_sides(plan, b, list, bucket, &p);
    } else {
        struct pairs right = { p.low + QPEL_UNIT_COLUMNS, p.high };
        bucket += ref->inside;
        push_two(plan, bucket + plan->bucket[(vector & 3) | (vector >> 14 & 12)] + (b->height >> 3),
                 item_of(p), item_of(right), 1 + (b->width >> 4));
    }
    if (own)
        *own = (struct plan_half){ bucket, item_of(p) };
}

INLINE void add_block(struct plan *plan, const struct qpel_picture_block *b,
                      struct plan_half half[2])
{
    if (b->references == 2) {
        plan->bi = true;
        plan->weighted |= b->weight != 0;
        add_list(plan, b, 0, PLAN_PUT, QPEL_ITEM_FIRST, half);
        add_list(plan, b, 1, PLAN_MIX, QPEL_ITEM_TO_DST | QPEL_ITEM_SECOND, half ? half + 1 : NULL);
    } else if (!b->weight) {
        add_list(plan, b, 0, PLAN_PUT, QPEL_ITEM_TO_DST, half);
    } else {
        plan->weighted = true;
        add_list(plan, b, 0, PLAN_MIX, QPEL_ITEM_TO_DST, half);
    }
}

static __attribute__((noinline)) void add_narrow_block(struct plan *plan,
                                                       const struct qpel_picture_block *b)
{
    struct plan_half half[2];
    add_block(plan, b, half);
    add_narrow(plan, b, half, b->references);
}

void qpel_plan_add(struct plan *plan, const struct qpel_batch *batch)
{
    const struct qpel_picture_block *end = batch->blocks + batch->block_count;
    const unsigned narrow = plan->narrow ? 4 : 0;
    for (const struct qpel_picture_block *b = batch->blocks + plan->blocks; b < end; b++)
        if (b->width == narrow)
            add_narrow_block(plan, b);
        else
            add_block(plan, b, NULL);
    plan->blocks = batch->block_count;
}

/* ---- the end ---- */

uint32_t qpel_plan_most_chunks(const struct plan *plan)
{
    uint32_t open = 0;
    for (int i = 0; i < PLAN_BUCKETS; i++)
        open += plan->count[i] > 0;
    return plan->chunks + open + 2; /* and for a pending half */
}

struct finisher {
    struct plan *plan;
    uint32_t *groups;
    uint32_t count; /* of groups */
    uint32_t place; /* of the chunk that is being filled from open ones */
    uint32_t filled;
};

static void add_group(struct finisher *f, uint32_t place)
{
    const uint32_t rows = sizeof(struct plan_chunk) / sizeof(struct plan_item);
    f->groups[f->count++] = place * rows;
}

/* The full chunks of a bucket, latest first. */
static void add_full(struct finisher *f, unsigned bucket)
{
    for (uint32_t at = f->plan->last[bucket]; at; at = f->plan->earlier[at - 1])
        add_group(f, at - 1);
}

/* The items of its open chunk, behind those of other buckets. */
static void add_open(struct finisher *f, unsigned bucket)
{
    const struct plan_item *from = f->plan->open[bucket].items;
    uint32_t left = f->plan->count[bucket];
    while (left) {
        uint32_t room = QPEL_CHUNK_ITEMS - f->filled, n = left < room ? left : room;
        memcpy(f->plan->out[f->place].items + f->filled, from, n * sizeof *from);
        from += n;
        left -= n;
        f->filled += n;
        if (f->filled == QPEL_CHUNK_ITEMS) {
            add_group(f, f->place++);
            f->filled = 0;
        }
    }
}

static void end_open(struct finisher *f)
{
    if (!f->filled)
        return;
    while (f->filled < QPEL_CHUNK_ITEMS)
        f->plan->out[f->place].items[f->filled++] = none;
    add_group(f, f->place++);
    f->filled = 0;
}

/* One run of `count` buckets, highest units first. */
static struct plan_run add_run(struct finisher *f, unsigned bucket, unsigned count)
{
    uint32_t first = f->count;
    for (unsigned i = count; i > 0; i--)
        add_full(f, bucket + i - 1);
    for (unsigned i = count; i > 0; i--)
        add_open(f, bucket + i - 1);
    end_open(f);
    return (struct plan_run){ first, f->count };
}

/* Extend's, which find a slot's item by its index. */
static void add_extend(struct finisher *f)
{
    struct plan_run run = add_run(f, PLAN_EXTEND, 1);
    uint32_t full = 0;
    for (uint32_t at = f->plan->last[PLAN_EXTEND]; at; at = f->plan->earlier[at - 1])
        full++;
    uint32_t *groups = f->groups + run.first;
    for (uint32_t at = f->plan->last[PLAN_EXTEND]; at; at = f->plan->earlier[at - 1])
        groups[--full] = (at - 1) * QPEL_CHUNK_ITEMS;
    f->plan->extend = run;
}

void qpel_plan_finish(struct plan *plan, uint32_t *groups)
{
    end_pending(plan);
    struct finisher f = { .plan = plan, .groups = groups, .place = plan->chunks };
    const unsigned buckets = PLAN_LUMA_BUCKETS / plan->runs;
    unsigned bucket = 0;
    for (int pass = 0; pass < PLAN_PASSES; pass++)
        for (int s = 0; s < PLAN_SOURCES; s++) {
            bucket = (unsigned)(s * PLAN_PASSES + pass) * PLAN_PASS_BUCKETS;
            for (unsigned i = 0; i < plan->runs; i++, bucket += buckets)
                plan->luma[pass][s][i] = add_run(&f, bucket, buckets);
        }
    for (int pass = 0; pass < PLAN_PASSES; pass++)
        for (int s = 0; s < PLAN_SOURCES; s++) {
            bucket = (unsigned)(s * PLAN_PASSES + pass) * PLAN_PASS_BUCKETS + PLAN_LUMA_BUCKETS;
            for (int n = 0; n < PLAN_NARROW_COUNT; n++)
                plan->narrow_run[pass][s][n] = add_run(&f, bucket + (unsigned)n, 1);
        }
    add_extend(&f);
    plan->groups = f.count;
}
