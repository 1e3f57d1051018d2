/* Plans: the same whether blocks come at once or in any portions, with every unit in them once. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "picture_case.h"
#include "plan.h"

struct planned {
    struct plan *plan;
    struct plan_chunk *chunks;
    uint32_t *groups;
    uint32_t room;
};

static struct planned planned_open(uint32_t room, unsigned runs)
{
    struct planned p = {
        .plan = calloc(1, sizeof *p.plan),
        .chunks = calloc(room, sizeof *p.chunks),
        .groups = calloc(room, sizeof *p.groups),
        .room = room,
    };

    assert_true(p.plan && p.chunks && p.groups);
    assert_int_equal(qpel_plan_open(p.plan, runs), QPEL_OK);
    assert_int_equal(qpel_plan_place(p.plan, p.chunks, room), QPEL_OK);
    return p;
}

static void planned_close(struct planned *p)
{
    qpel_plan_close(p->plan);
    free(p->plan);
    free(p->chunks);
    free(p->groups);
}

static void begin(struct planned *p, const struct qpel_batch *batch)
{
    qpel_plan_reset(p->plan, batch->target);
    for (size_t i = 0; i < batch->reference_count; i++)
        qpel_plan_reference(p->plan, &batch->references[i], (unsigned)i % 3, i % 3 != 1,
                            i % 3 == 1 ? BEHIND_NOTHING : BEHIND_ROWS);
}

static void same(const struct planned *a, const struct planned *b)
{
    assert_int_equal(a->plan->groups, b->plan->groups);
    assert_int_equal(a->plan->slots, b->plan->slots);
    assert_memory_equal(a->groups, b->groups, a->plan->groups * sizeof *a->groups);
    assert_memory_equal(a->chunks, b->chunks, a->plan->groups * sizeof *a->chunks);
    assert_memory_equal(a->plan->luma, b->plan->luma, sizeof a->plan->luma);
    assert_memory_equal(a->plan->narrow_run, b->plan->narrow_run, sizeof a->plan->narrow_run);
}

/* Luma's items of a pass: samples that they make. */
static uint64_t samples_of(const struct planned *p, enum plan_pass pass)
{
    uint64_t samples = 0;

    for (int s = 0; s < PLAN_SOURCES; s++)
        for (unsigned n = 0; n < p->plan->runs; n++) {
            struct plan_run run = p->plan->luma[pass][s][n];
            for (uint32_t g = run.first; g < run.end; g++)
                for (int i = 0; i < QPEL_CHUNK_ITEMS; i++) {
                    const uint32_t *w = p->chunks[p->groups[g] / QPEL_CHUNK_ITEMS].items[i].word;
                    if (!(w[0] & QPEL_ITEM_NONE))
                        samples += (w[0] & QPEL_ITEM_NARROW ? 4 : 8) *
                                   (uint64_t)(w[2] >> QPEL_ITEM_ROWS_SHIFT);
                }
        }
    return samples;
}

static void collect(struct qpel_batch *batch, struct qpel_picture *target,
                    struct qpel_picture *const *references, const struct picture_case *c)
{
    uint16_t weight;
    uint8_t index;

    assert_int_equal(qpel_batch_begin(batch, target), QPEL_OK);
    for (int i = 0; i < c->reference_count; i++) {
        const struct case_reference *ref = &c->references[i];
        struct qpel_picture *p = ref->image == TARGET_ITSELF ? target : references[ref->image];
        assert_int_equal(qpel_batch_reference(batch, p, ref->parity, &index), QPEL_OK);
    }
    for (int i = 0; i < c->weight_count; i++)
        assert_int_equal(qpel_batch_weight(batch, &c->weights[i], &weight), QPEL_OK);
}

static void compare(struct qpel_context *context, const struct picture_case *c, unsigned runs,
                    struct random *r)
{
    struct qpel_picture *target, *references[CASE_IMAGES];
    struct planned whole = planned_open(4096, runs), parts = planned_open(4096, runs);
    struct qpel_batch *batch;
    uint64_t put = 0, mix = 0;

    assert_int_equal(qpel_picture_create(context, &c->target.format, QPEL_NEAR_CPU, &target),
                     QPEL_OK);
    for (int i = 0; i < c->image_count; i++)
        assert_int_equal(
            qpel_picture_create(context, &c->images[i].format, QPEL_NEAR_CPU, &references[i]),
            QPEL_OK);
    assert_int_equal(qpel_batch_create(context, &batch), QPEL_OK);
    collect(batch, target, references, c);
    begin(&parts, batch);
    begin(&whole, batch);
    for (size_t n = 0, more; n < c->count; n += more) {
        more = 1 + random_below(r, 40);
        if (more > c->count - n)
            more = c->count - n;
        assert_int_equal(qpel_batch_add(batch, c->blocks + n, more, NULL), QPEL_OK);
        qpel_plan_add(parts.plan, batch);
        /* As a submission does that then fails. */
        if (random_below(r, 8) == 0 && !parts.plan->pending.count)
            qpel_plan_finish(parts.plan, parts.groups);
    }
    qpel_plan_add(whole.plan, batch);
    qpel_plan_finish(whole.plan, whole.groups);
    qpel_plan_finish(parts.plan, parts.groups);
    assert_false(whole.plan->overflow);
    same(&whole, &parts);
    for (size_t i = 0; i < c->count; i++) {
        const struct qpel_picture_block *b = &c->blocks[i];
        uint64_t size = (uint64_t)b->width * b->height;
        put += b->references == 2 || !b->weight ? size : 0;
        mix += b->references == 2 || b->weight ? size : 0;
    }
    assert_int_equal(samples_of(&whole, PLAN_PUT), put);
    assert_int_equal(samples_of(&whole, PLAN_MIX), mix);
    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&target);
    for (int i = 0; i < c->image_count; i++)
        qpel_picture_destroy(&references[i]);
    planned_close(&whole);
    planned_close(&parts);
}

static void portions_make_no_difference(void **state)
{
    const struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU };
    static const unsigned runs[] = { PLAN_BY_FAMILY, PLAN_BY_KERNEL };
    struct random r = random_stream(1);
    struct qpel_context *context;

    (void)state;
    assert_int_equal(qpel_context_create(&context, &params), QPEL_OK);
    for (int n = 0; n < 200; n++) {
        struct picture_case c = case_draw(n % 4 ? 60 : 200, &r);
        compare(context, &c, runs[n / 2 % 2], &r);
        case_free(&c);
    }
    qpel_context_destroy(&context);
}

/* Where the room ends, the plan says so, and writes nothing beyond. */
static void without_room(void **state)
{
    const struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU };
    const struct qpel_picture_format f = { .width = 256, .height = 256, .chroma = QPEL_CHROMA_420 };
    struct planned p = planned_open(64, PLAN_BY_KERNEL);
    struct qpel_picture *target, *reference;
    struct plan_chunk beyond;
    struct qpel_context *context;
    struct qpel_batch *batch;
    uint8_t index;

    (void)state;
    assert_int_equal(qpel_context_create(&context, &params), QPEL_OK);
    assert_int_equal(qpel_picture_create(context, &f, QPEL_NEAR_CPU, &target), QPEL_OK);
    assert_int_equal(qpel_picture_create(context, &f, QPEL_NEAR_CPU, &reference), QPEL_OK);
    assert_int_equal(qpel_batch_create(context, &batch), QPEL_OK);
    assert_int_equal(qpel_batch_begin(batch, target), QPEL_OK);
    assert_int_equal(qpel_batch_reference(batch, reference, QPEL_FRAME, &index), QPEL_OK);
    for (unsigned y = 0; y < f.height; y += 4)
        for (unsigned x = 0; x < f.width; x += 4) {
            struct qpel_picture_block b = {
                .x = (uint16_t)x, .y = (uint16_t)y, .width = 4, .height = 4, .references = 1
            };
            assert_int_equal(qpel_batch_add(batch, &b, 1, NULL), QPEL_OK);
        }
    memset(p.chunks, 0xa5, p.room * sizeof *p.chunks);
    beyond = p.chunks[20];
    assert_int_equal(qpel_plan_place(p.plan, p.chunks, 20), QPEL_OK);
    begin(&p, batch);
    qpel_plan_add(p.plan, batch);
    assert_true(p.plan->overflow);
    assert_memory_equal(&p.chunks[20], &beyond, sizeof beyond);
    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&target);
    qpel_picture_destroy(&reference);
    qpel_context_destroy(&context);
    planned_close(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(portions_make_no_difference),
        cmocka_unit_test(without_room),
    };
    return RUN_GROUP("plan", tests);
}
