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

enum { VECTOR_LANES = 16, UNIT_LANES = QPEL_UNIT / QPEL_STRIP_COLUMNS };

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

/* Lanes of a range that have nothing to do, being right of a unit 4 wide; and units 4 tall. */
static void print_range(const struct plan_range *range, const struct plan_item *items, int list,
                        int kernel, const char *separator)
{
    const uint32_t count = range->inside + range->outside;
    uint32_t narrow = 0, low = 0;

    for (uint32_t i = range->first; i < range->first + count; i++) {
        narrow += !(items[i].word[0] & QPEL_ITEM_WIDE);
        low += !(items[i].word[0] & QPEL_ITEM_TALL);
    }
    printf("%s{\"list\": \"%c\", \"kernel\": \"%s\", \"inside\": %" PRIu32 ", \"outside\": %" PRIu32
           ", \"idle_lanes\": %" PRIu32 ", \"low_units\": %" PRIu32 ", \"vectors\": %" PRIu32 "}",
           separator, "AB"[list], kernel_names[kernel], range -> inside, range -> outside, narrow,
           low, vectors(count * UNIT_LANES));
}

static void print_plan(const struct door_work *work, const struct plan *plan,
                       const struct plan_item *items)
{
    const uint32_t list_b = plan->item_first[PLAN_B][1] - plan->item_first[PLAN_B][0];
    const uint32_t *narrow = plan->narrow_first;
    const char *separator = "";

    printf(
        "{\"picture\": \"%s\", \"type\": \"%c\", \"width\": %d, \"height\": %d, \"blocks\": %zu, "
        "\"bi\": %s, \"weighted\": %s, \"luma\": [",
        work->name, work->type, work->width, work->height, work->whole.count,
        plan->bi ? "true" : "false", plan->weighted ? "true" : "false");
    for (int list = 0; list < PLAN_LIST_COUNT; list++)
        for (int kernel = 0; kernel < KERNEL_COUNT; kernel++) {
            if (!(plan->range[list][0][kernel].inside + plan->range[list][0][kernel].outside))
                continue;
            print_range(&plan->range[list][0][kernel], items, list, kernel, separator);
            separator = ", ";
        }
    /* A slot is a vector: a lane a row, of which some are not needed. Chroma: a lane a unit; of
     * narrow units of planar chroma a lane makes two, or one. */
    printf("], \"extend\": {\"slots\": %" PRIu32 ", \"vectors\": %" PRIu32 "}", plan->slots,
           plan->slots);
    printf(", \"chroma\": {\"units\": %" PRIu32 ", \"vectors\": %" PRIu32 ", \"pairs\": %" PRIu32
           ", \"pair_vectors\": %" PRIu32 ", \"alone\": %" PRIu32 ", \"alone_vectors\": %" PRIu32
           "}}\n",
           list_b, vectors(list_b), (narrow[PLAN_LEFT] - narrow[PLAN_PAIR]) / 2,
           vectors((narrow[PLAN_LEFT] - narrow[PLAN_PAIR]) / 2),
           narrow[PLAN_NARROW_COUNT] - narrow[PLAN_LEFT],
           vectors(narrow[PLAN_RIGHT] - narrow[PLAN_LEFT]) +
               vectors(narrow[PLAN_NARROW_COUNT] - narrow[PLAN_RIGHT]));
}

/* All references in one source, as pictures of one size are. */
static void plan_work(struct qpel_context *context, const struct door_work *work)
{
    const struct qpel_picture_format f = {
        .width = (uint32_t)work->width,
        .height = (uint32_t)work->height,
        .chroma = QPEL_CHROMA_420,
    };
    struct qpel_picture *target, *reference;
    struct plan plan = { .sources = 1 };
    struct plan_item *items;
    struct qpel_batch *batch;
    uint16_t weight;
    uint32_t *slots;
    uint8_t index;

    if (qpel_picture_create(context, &f, QPEL_NEAR_CPU, &target) ||
        qpel_picture_create(context, &f, QPEL_NEAR_CPU, &reference) ||
        qpel_batch_create(context, &batch) || qpel_batch_begin(batch, target))
        fail("out of memory");
    for (unsigned slot = 0; slot < work->slots; slot++)
        if (qpel_batch_reference(batch, reference, QPEL_FRAME, &index))
            fail("a reference is refused");
    if (qpel_batch_weight(batch, &door_weight, &weight) ||
        qpel_batch_add(batch, work->whole.blocks, work->whole.count, NULL))
        fail("a trace's blocks are refused");
    if (qpel_plan_count(&plan, batch))
        fail("out of memory");
    items = malloc((plan.items + 1) * sizeof(*items));
    slots = malloc((plan.slots + 1) * sizeof(*slots));
    if (!items || !slots)
        fail("out of memory");
    qpel_plan_write(&plan, batch, items, slots);
    print_plan(work, &plan, items);
    free(items);
    free(slots);
    qpel_plan_free(&plan);
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
