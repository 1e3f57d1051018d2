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

static void print_plan(const struct door_work *work, const struct plan *plan,
                       const struct plan_chunk *chunks, const uint32_t *groups)
{
    (void)plan, (void)chunks, (void)groups, (void)work;
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

    if (!chunks || !groups || !plan || qpel_plan_open(plan) ||
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
