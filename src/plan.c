/* From blocks to items in buckets. */
#include "plan.h"

#include <stdlib.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))

/* ---- rules ---- */

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

static void make_rules(struct plan *plan)
{
    for (int p = 0; p < QPEL_POSITION_COUNT; p++) {
        struct qpel_rectangle w = qpel_window(p, 16, 16).bounds;
        plan->rule[p] = (struct plan_rule){
            .left = w.left,
            .top = w.top,
            .right = w.right - 16,
            .bottom = w.bottom - 16,
            .bucket = (unsigned)kernel_of(qpel_positions[p].family) * PLAN_HEIGHTS,
        };
    }
}

/* ---- lifetime ---- */

enum qpel_result qpel_plan_open(struct plan *plan)
{
    make_rules(plan);
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

/* An open chunk is full. */
static __attribute__((noinline)) void write_chunk(struct plan *plan, unsigned bucket)
{
    plan->count[bucket] = 0;
    if (plan->chunks == plan->room) {
        plan->overflow = true;
        return;
    }
    memcpy(plan->out + plan->chunks, plan->open + bucket, sizeof *plan->out);
    plan->earlier[plan->chunks] = plan->last[bucket];
    plan->last[bucket] = ++plan->chunks;
}

INLINE void push(struct plan *plan, unsigned bucket, struct plan_item item)
{
    unsigned n = plan->count[bucket];
    plan->open[bucket].items[n] = item;
    plan->count[bucket] = (uint8_t)(n + 1);
    if (n + 1 == QPEL_CHUNK_ITEMS)
        write_chunk(plan, bucket);
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

/* Whether a window leaves its reference; width: of what it is around. */
INLINE bool is_outside(const struct plan_reference *ref, const struct plan_rule *r, int x, int y,
                       int width, int height)
{
    /* Distances from the window's sides to the reference's: one is negative where it leaves it. */
    return ((x + r->left) | (y + r->top - ref->top) | (ref->right - r->right - width - x) |
            (ref->bottom - r->bottom - height - y)) < 0;
}

/* Plans one list of a block. own: what a narrow unit keeps of it. */
INLINE void add_list(struct plan *plan, const struct qpel_picture_block *b, int list,
                     enum plan_pass pass, uint32_t flags, struct plan_half *own)
{
    const struct plan_reference *ref = &plan->reference[b->reference[list]];
    int mx = b->mv[list][0], my = b->mv[list][1];
    const struct plan_rule *rule = &plan->rule[(mx & 3) + 4 * (my & 3)];
    uint32_t field = b->parity != QPEL_FRAME, bottom = b->parity == QPEL_BOTTOM_FIELD;
    uint32_t line = ((uint32_t)b->y << field) + bottom;
    uint32_t place = b->x | (b->width == 4 ? QPEL_ITEM_NARROW : 0) | field * QPEL_ITEM_FIELD |
                     line << QPEL_ITEM_LINE_SHIFT | flags;
    uint32_t vector = (uint16_t)mx | (uint32_t)(uint16_t)my << 16;
    uint32_t tables = ref->row | (uint32_t)b->weight << QPEL_ITEM_WEIGHT_SHIFT |
                      (uint32_t)b->height << QPEL_ITEM_ROWS_SHIFT;
    struct pairs p = { PAIR(place, vector), tables };
    unsigned bucket = (unsigned)pass * PLAN_PASS_BUCKETS, kernel = rule->bucket + (b->height >> 3);
    int x = b->x + (mx >> 2), y = b->y + (my >> 2);
    int units = b->width == 16 ? 2 : 1, width = units == 2 ? QPEL_UNIT_COLUMNS : b->width;

    if (__builtin_expect(!is_outside(ref, rule, x, y, b->width, b->height), 1)) {
        bucket += ref->inside;
        push(plan, bucket + kernel, item_of(p));
        if (units == 2) {
            p.low += QPEL_UNIT_COLUMNS;
            push(plan, bucket + kernel, item_of(p));
        }
        *own = (struct plan_half){ bucket, item_of(p) };
        return;
    }
    for (int i = 0; i < units; i++, p.low += QPEL_UNIT_COLUMNS, x += QPEL_UNIT_COLUMNS) {
        bool outside = is_outside(ref, rule, x, y, width, b->height);
        unsigned source = bucket + (outside ? ref->outside : ref->inside);
        *own = (struct plan_half){ source, item_of(outside ? with_slot(plan, p) : p) };
        push(plan, source + kernel, own->item);
    }
}

void qpel_plan_add(struct plan *plan, const struct qpel_batch *batch)
{
    const struct qpel_picture_block *end = batch->blocks + batch->block_count;
    unsigned weights = 0, bi = 0;
    for (const struct qpel_picture_block *b = batch->blocks + plan->blocks; b < end; b++) {
        struct plan_half half[2];
        unsigned count = 1;
        if (b->references == 2) {
            bi = 1;
            count = 2;
            add_list(plan, b, 0, PLAN_PUT, QPEL_ITEM_FIRST, &half[0]);
            add_list(plan, b, 1, PLAN_MIX, QPEL_ITEM_TO_DST | QPEL_ITEM_SECOND, &half[1]);
        } else {
            add_list(plan, b, 0, b->weight ? PLAN_MIX : PLAN_PUT, QPEL_ITEM_TO_DST, &half[0]);
        }
        weights |= b->weight;
        if (b->width == 4 && plan->narrow)
            add_narrow(plan, b, half, count);
    }
    plan->bi |= bi;
    plan->weighted |= weights != 0;
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
static struct plan_run add_run(struct finisher *f, unsigned bucket, int count)
{
    uint32_t first = f->count;
    for (int i = count - 1; i >= 0; i--)
        add_full(f, bucket + (unsigned)i);
    for (int i = count - 1; i >= 0; i--)
        add_open(f, bucket + (unsigned)i);
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
    unsigned bucket = 0;
    for (int pass = 0; pass < PLAN_PASSES; pass++)
        for (int s = 0; s < PLAN_SOURCES; s++) {
            bucket = (unsigned)(s * PLAN_PASSES + pass) * PLAN_PASS_BUCKETS;
            for (int k = 0; k < KERNEL_COUNT; k++, bucket += PLAN_HEIGHTS)
                plan->luma[pass][s][k] = add_run(&f, bucket, PLAN_HEIGHTS);
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
