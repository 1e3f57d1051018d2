/* How the library orders real pictures for a GPU: a line of JSON a picture of the traces, with the
 * units of each list and kernel, and the vectors of 16 lanes that a QPU runs for them.
 *
 * usage: qpel-plan TRACE... */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "door.h"
#include "interface.h"
#include "plan.h"

enum { VECTOR_LANES = 16, ITEM_LANES = QPEL_UNIT_COLUMNS / QPEL_STRIP_COLUMNS };

static const char *const kernel_names[] = {
#define NAME(name, alone) #name,
    QPEL_KERNELS(NAME)
};

static void fail(const char *what)
{
    fprintf(stderr, "qpel-plan: %s\n", what);
    exit(1);
}

static uint32_t vectors(uint32_t lanes)
{
    return (lanes + VECTOR_LANES - 1) / VECTOR_LANES;
}

/* By family of the kernel and height of units, 4, 8, 16: the vectors of a run, each of which goes
 * by its highest, and runs the code of both families where it has units of both. */
struct counts {
    uint32_t vectors[2][PLAN_HEIGHTS];
    uint32_t units, narrow;
};

static const enum family first_families[] = {
#define FIRST(name, alone) FAMILY_##name,
    QPEL_KERNELS(FIRST)
};

static struct counts count(const struct plan_chunk *chunk, int kernel)
{
    struct counts c = { .units = 0 };

    for (int first = 0; first < QPEL_CHUNK_ITEMS; first += VECTOR_LANES / ITEM_LANES) {
        uint32_t most[2] = { 0 };

        for (int i = first; i < first + VECTOR_LANES / ITEM_LANES; i++) {
            const uint32_t *w = chunk->items[i].word;
            const int position = (int)((w[1] & 3) + 4 * (w[1] >> 16 & 3));
            const bool none = w[0] & QPEL_ITEM_NONE;
            const bool second = !none && qpel_positions[position].family != first_families[kernel];
            const uint32_t rows = none ? 4 : w[2] >> QPEL_ITEM_ROWS_SHIFT;

            c.units += !none;
            c.narrow += !none && w[0] & QPEL_ITEM_NARROW;
            most[second] = rows > most[second] ? rows : most[second];
        }
        for (int f = 0; f < 2; f++)
            if (most[f])
                c.vectors[f][most[f] >> 3]++;
    }
    return c;
}

static void print_run(int pass, int kernel, const struct counts *c, const char *separator)
{
    printf("%s{\"pass\": %d, \"kernel\": \"%s\", \"units\": %" PRIu32 ", \"narrow\": %" PRIu32
           ", \"vectors\": {",
           separator, pass + 1, kernel_names[kernel], c->units, c->narrow);
    for (int f = 0; f < 2; f++)
        for (int h = 0; h < PLAN_HEIGHTS; h++)
            printf("%s\"%d/%d\": %" PRIu32, f || h ? ", " : "", 4 << h, f + 1, c->vectors[f][h]);
    printf("}}");
}

/* A lane a row of luma, and of chroma. */
static void print_extend(const struct plan *plan, const struct plan_chunk *chunks,
                         const uint32_t *groups)
{
    uint32_t luma = 0, both = 0;

    for (uint32_t slot = 0; slot < plan->slots; slot++) {
        const uint32_t row = groups[plan->extend.first + slot / QPEL_CHUNK_ITEMS];
        const struct plan_item *item =
            &chunks[row / QPEL_CHUNK_ITEMS].items[slot % QPEL_CHUNK_ITEMS];
        const uint32_t rows = item->word[2] >> QPEL_ITEM_ROWS_SHIFT;

        luma += vectors(rows + 2 * QPEL_SLOT_ABOVE + 1);
        both += vectors(rows + 2 * QPEL_SLOT_ABOVE + 1 + rows / 2 + 1);
    }
    printf("\"slots\": %" PRIu32 ", \"extend\": {\"luma\": %" PRIu32 ", \"nv12\": %" PRIu32
           ", \"planar\": %" PRIu32 "}",
           plan->slots, luma, both, both);
}

static void print_plan(const struct door_work *work, const struct plan *plan,
                       const struct plan_chunk *chunks, const uint32_t *groups)
{
    const char *separator = "";
    uint32_t narrow[PLAN_PASSES] = { 0 };

    printf("{\"picture\": \"%s\", \"type\": \"%c\", \"width\": %d, \"height\": %d, "
           "\"blocks\": %zu, \"weighted\": %s, \"runs\": [",
           work->name, work->type, work->width, work->height, work->whole.count,
           plan->weighted ? "true" : "false");
    for (int pass = 0; pass < PLAN_PASSES; pass++) {
        for (int kernel = 0; kernel < KERNEL_COUNT; kernel++) {
            const struct plan_run run = plan->luma[pass][0][kernel];
            struct counts sum = { .units = 0 };

            for (uint32_t g = run.first; g < run.end; g++) {
                const struct counts c = count(&chunks[groups[g] / QPEL_CHUNK_ITEMS], kernel);

                for (int f = 0; f < 2; f++)
                    for (int h = 0; h < PLAN_HEIGHTS; h++)
                        sum.vectors[f][h] += c.vectors[f][h];
                sum.units += c.units;
                sum.narrow += c.narrow;
            }
            if (run.first == run.end)
                continue;
            print_run(pass, kernel, &sum, separator);
            separator = ", ";
        }
        /* Two vectors of a work group have something to do, being a lane a pair and plane. */
        for (int n = 0; n < PLAN_NARROW_COUNT; n++) {
            const struct plan_run run = plan->narrow_run[pass][0][n];

            narrow[pass] += 2 * (run.end - run.first);
        }
    }
    printf("], ");
    print_extend(plan, chunks, groups);
    printf(", \"narrow\": {\"1\": %" PRIu32 ", \"2\": %" PRIu32 "}}\n", narrow[PLAN_PUT],
           narrow[PLAN_MIX]);
}

/* All references in one source, as pictures of one size are. */
static void plan_work(struct qpel_context *context, const struct door_work *work)
{
    const struct qpel_picture_format f = {
        .width = (uint32_t)work->width,
        .height = (uint32_t)work->height,
        .chroma = QPEL_CHROMA_420,
    };
    const uint32_t room = 8 * (uint32_t)work->whole.count / QPEL_CHUNK_ITEMS + PLAN_BUCKETS;
    struct plan_chunk *chunks = malloc(room * sizeof(*chunks));
    uint32_t *groups = malloc(room * sizeof(*groups));
    struct plan *plan = calloc(1, sizeof(*plan));
    struct qpel_picture *target, *reference;
    struct qpel_batch *batch;
    uint16_t weight;
    uint8_t index;

    if (!chunks || !groups || !plan || qpel_plan_open(plan, PLAN_BY_KERNEL) ||
        qpel_plan_place(plan, chunks, room) ||
        qpel_picture_create(context, &f, QPEL_NEAR_CPU, &target) ||
        qpel_picture_create(context, &f, QPEL_NEAR_CPU, &reference) ||
        qpel_batch_create(context, &batch) || qpel_batch_begin(batch, target))
        fail("out of memory");
    qpel_plan_reset(plan, target);
    for (unsigned slot = 0; slot < work->slots; slot++) {
        if (qpel_batch_reference(batch, reference, QPEL_FRAME, &index))
            fail("a reference is refused");
        qpel_plan_reference(plan, &batch->references[slot], 0, true, BEHIND_ROWS);
    }
    if (qpel_batch_weight(batch, &door_weight, &weight) ||
        qpel_batch_add(batch, work->whole.blocks, work->whole.count, NULL))
        fail("a trace's blocks are refused");
    qpel_plan_add(plan, batch);
    qpel_plan_finish(plan, groups);
    print_plan(work, plan, chunks, groups);
    qpel_plan_close(plan);
    free(plan);
    free(groups);
    free(chunks);
    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&target);
    qpel_picture_destroy(&reference);
}

int main(int argc, char **argv)
{
    const struct qpel_context_params cpu = { .backend = QPEL_BACKEND_CPU };
    struct qpel_context *context;

    if (argc < 2)
        fail("usage: qpel-plan TRACE...");
    if (qpel_context_create(&context, &cpu))
        fail("no context");
    for (int i = 1; i < argc; i++) {
        char error[TRACE_ERROR_SIZE];
        struct trace trace;

        if (!trace_load(&trace, argv[i], error))
            fail(error);
        for (size_t k = 0; k < trace.count; k++) {
            struct door_work work;

            if (!door_work_trace(&work, &trace, &trace.pictures[k]))
                fail("out of memory");
            plan_work(context, &work);
            door_work_free(&work);
        }
        trace_free(&trace);
    }
    qpel_context_destroy(&context);
    return 0;
}
