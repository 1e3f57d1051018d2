/* The picture door's section: figures, printed and recorded. */
#include <stdio.h>
#include <string.h>

#include "door_section.h"

const char *const door_form_names[DOOR_FORM_COUNT] = {
    [DOOR_CALLED] = "luma as called",
    [DOOR_LUMA] = "luma",
    [DOOR_NV12] = "NV12",
    [DOOR_PLANAR] = "planar 4:2:0",
};

const char *const door_caller_names[DOOR_CALLER_COUNT] = {
    [DOOR_BATCH] = "the picture door",
    [DOOR_DECODER] = "a decoder on the dsp door",
    [DOOR_REPLAY] = "the dsp door's bare calls",
};

/* By CPU time, which other programs disturb less; both are one thread's. */
static double ratio_to(const struct door *d, size_t runner, size_t other)
{
    for (unsigned i = 0; i < d->rounds; i++)
        d->scratch[i] = figures_of(d, runner, DOOR_CPU)[i] / figures_of(d, other, DOOR_CPU)[i];
    return measure_stat_of(d->scratch, d->rounds).median;
}

/* What the recipe in use has AUTO take for the runner's picture, and its predictions; from the call
 * of qpel_submit() to the end of qpel_wait(). */
static void tell_auto(struct door *d, const struct door_runner *r)
{
    const struct qpel_submit_params params = { .slices = 0 };
    struct json *j = &d->b->json;
    struct qpel_recipe_answer a;

    if (!r->device || r->form == DOOR_CALLED)
        return;
    if (qpel_recipe_query_batch(r->batch[0], &params, &a)) {
        bench_fail(d->b, "%.60s: the recipe can't be asked", r->name);
        return;
    }
    printf("      AUTO: %s, %s\n", qpel_backend_name(a.backend), a.reason);
    json_string(j, "auto", qpel_backend_name(a.backend));
    json_number(j, "predicted_cpu_wall", a.cpu_wall);
    json_number(j, "predicted_cpu_cpu", a.cpu_cpu);
    json_number(j, "predicted_gpu_wall", a.gpu_wall);
    json_number(j, "predicted_gpu_cpu", a.gpu_cpu);
}

void door_tell(struct door *d, size_t runner, const size_t callers[DOOR_CALLER_COUNT],
               const struct door_work *work, struct total *total)
{
    struct door_runner *r = &d->runners[runner];
    struct json *j = &d->b->json;
    const double blocks = (double)work->whole.count;
    struct measure_stat stats[DOOR_PHASE_COUNT];
    double of_caller[DOOR_CALLER_COUNT] = { 0 }, of_copy = 0;

    if (r->caller == DOOR_BATCH && r->form == DOOR_CALLED && !r->device)
        for (int c = DOOR_BATCH + 1; c < DOOR_CALLER_COUNT; c++)
            if (callers[c] != SIZE_MAX && d->runners[callers[c]].context == r->context)
                of_caller[c] = ratio_to(d, runner, callers[c]);
    for (int p = 0; p < DOOR_PHASE_COUNT; p++) {
        double *figures = d->scratch;

        memcpy(figures, figures_of(d, runner, (enum door_phase)p), d->rounds * sizeof(*figures));
        stats[p] = measure_stat_of(figures, d->rounds);
    }
    if (r->device && d->copy[d->device_of[runner]][r->form > DOOR_LUMA] > 0)
        of_copy = (stats[DOOR_GPU].median > 0 ? stats[DOOR_GPU].median : stats[DOOR_QUEUE].median) /
                  d->copy[d->device_of[runner]][r->form > DOOR_LUMA];

    printf("    %-52s %8.3f ms (%.3f..%.3f), CPU time %.3f", r->name,
           stats[DOOR_TOTAL].median * 1e3, stats[DOOR_TOTAL].q1 * 1e3, stats[DOOR_TOTAL].q3 * 1e3,
           stats[DOOR_CPU].median * 1e3);
    if (!r->device && stats[DOOR_TOTAL].median > BENCH_BUSY * stats[DOOR_CPU].median)
        d->b->busy = true;
    if (r->caller == DOOR_BATCH)
        printf("; ns a block: add %.1f, submit %.1f", stats[DOOR_ADD].median * 1e9 / blocks,
               stats[DOOR_SUBMIT].median * 1e9 / blocks);
    for (int c = 0; c < DOOR_CALLER_COUNT; c++)
        if (of_caller[c] > 0)
            printf("; %.3f of %s", of_caller[c], door_caller_names[c]);
    if (r->device)
        printf("; us: submit to wait %.1f, vkQueueSubmit to wait %.1f, GPU %.1f",
               stats[DOOR_DONE].median * 1e6, stats[DOOR_QUEUE].median * 1e6,
               stats[DOOR_GPU].median * 1e6);
    if (of_copy > 0)
        printf(", %.2f of a copy", of_copy);
    printf("\n");

    json_object(j, NULL);
    json_string(j, "name", r->name);
    json_string(j, "door", r->caller == DOOR_BATCH ? "picture" : "dsp");
    json_string(j, "form", door_form_names[r->form]);
    json_string(j, "backend", qpel_backend_name(r->backend));
    json_bool(j, "near_gpu", r->near == QPEL_NEAR_GPU);
    json_bool(j, "exact", true);
    json_number(j, "rounds", d->rounds);
    for (int p = 0; p < DOOR_PHASE_COUNT; p++)
        if (stats[p].median > 0)
            bench_json_stat(j, door_phase_names[p], stats[p]);
    if (of_caller[DOOR_DECODER] > 0)
        json_number(j, "of_decoder_on_dsp_door", of_caller[DOOR_DECODER]);
    if (of_caller[DOOR_REPLAY] > 0)
        json_number(j, "of_dsp_doors_bare_calls", of_caller[DOOR_REPLAY]);
    if (of_copy > 0) {
        json_number(j, "copy", d->copy[d->device_of[runner]][r->form > DOOR_LUMA]);
        json_number(j, "of_copy", of_copy);
    }
    tell_auto(d, r);
    json_end_object(j);

    if (!total)
        return;
    for (int p = 0; p < DOOR_PHASE_COUNT; p++)
        total->phases[p] += stats[p].median;
    total->blocks += blocks;
    for (int c = 0; c < DOOR_CALLER_COUNT; c++)
        total->of_caller[c] += of_caller[c];
    total->of_copy += of_copy;
    total->pictures++;
}

void door_summarize(struct door *d, size_t runner)
{
    const struct door_runner *r = &d->runners[runner];
    const struct total *t = &d->totals[runner];
    const double n = t->pictures;
    char more[120] = "";

    if (!t->pictures || r->gave_up)
        return;
    if (r->device)
        snprintf(more, sizeof more, ", queue to wait %.1f us, GPU %.1f us, %.2f of a copy",
                 t->phases[DOOR_QUEUE] * 1e6 / n, t->phases[DOOR_GPU] * 1e6 / n, t->of_copy / n);
    else if (t->of_caller[DOOR_DECODER] > 0)
        snprintf(more, sizeof more, ", %.3f of %s, %.3f of %s", t->of_caller[DOOR_DECODER] / n,
                 door_caller_names[DOOR_DECODER], t->of_caller[DOOR_REPLAY] / n,
                 door_caller_names[DOOR_REPLAY]);
    bench_summary(d->b,
                  "door       %-48s %7.3f ms a 1080p picture (mean of %u), CPU time %.3f; ns a "
                  "block: add %.1f, submit %.1f%s",
                  r->name, t->phases[DOOR_TOTAL] * 1e3 / n, t->pictures,
                  t->phases[DOOR_CPU] * 1e3 / n, t->phases[DOOR_ADD] * 1e9 / t->blocks,
                  t->phases[DOOR_SUBMIT] * 1e9 / t->blocks, more);
}
