/* One work through the picture door, in the parts that are timed; or through the dsp door. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "door.h"

#define WAIT_NS UINT64_C(10000000000)

const char *const door_phase_names[DOOR_PHASE_COUNT] = {
    [DOOR_ADD] = "add_cpu",
    [DOOR_SUBMIT] = "submit_cpu",
    [DOOR_DONE] = "submit_to_wait",
    [DOOR_QUEUE] = "queue_to_wait",
    [DOOR_TOTAL] = "total",
    [DOOR_CPU] = "total_cpu",
    [DOOR_GPU] = "gpu",
};

static double thread_cpu_now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool failed(struct door_runner *r, const char *what, enum qpel_result result)
{
    snprintf(r->why, sizeof r->why, "%s: %s", what, qpel_result_name(result));
    return false;
}

/* ---- what it needs ---- */

static struct qpel_picture_format format_of(const struct door_work *work, enum door_form form)
{
    return (struct qpel_picture_format){
        .width = (uint32_t)work->width,
        .height = (uint32_t)work->height,
        .chroma = form <= DOOR_LUMA ? QPEL_CHROMA_400 : QPEL_CHROMA_420,
        .layout = form == DOOR_NV12 ? QPEL_LAYOUT_INTERLEAVED : QPEL_LAYOUT_PLANAR,
    };
}

static bool make_picture(struct door_runner *r, const struct door_work *work,
                         struct qpel_picture **picture)
{
    const struct qpel_picture_format f = format_of(work, r->form);

    return *picture || !qpel_picture_create(r->context, &f, r->near, picture);
}

static bool open_replay(struct door_runner *r, const struct trace *trace,
                        const struct trace_picture *picture)
{
    replay_free(&r->replay);
    free(r->src);
    free(r->dst);
    r->src = r->dst = NULL;
    if (!replay_prepare(&r->replay, trace, picture, 0))
        return false;
    r->src = bench_memory(r->replay.src_size);
    r->dst = bench_memory(r->replay.dst_size);
    if (!r->src || !r->dst)
        return false;
    replay_fill(&r->replay, r->src);
    return true;
}

static bool open_decoder(struct door_runner *r)
{
    door_decoder_close(r->decoder);
    r->decoder = door_decoder_open(r->dsp, r->target, r->reference);
    return r->decoder;
}

bool door_runner_open(struct door_runner *r, const struct door_work *work,
                      const struct door_images *images, const struct trace *trace,
                      const struct trace_picture *picture)
{
    const struct door_list *lists[2];
    const unsigned count = door_work_lists(work, r->form, lists);

    snprintf(r->why, sizeof r->why, "no memory");
    if (r->caller == DOOR_REPLAY)
        return open_replay(r, trace, picture);
    for (unsigned i = 0; i < count; i++)
        if (!make_picture(r, work, &r->target[i]) ||
            (!r->batch[i] && qpel_batch_create(r->context, &r->batch[i])))
            return false;
    for (unsigned slot = 0; slot < work->slots; slot++) {
        if (r->reference[slot])
            continue;
        if (!make_picture(r, work, &r->reference[slot]) ||
            !door_picture_write(r->reference[slot], &images->reference[slot]))
            return false;
    }
    return r->caller == DOOR_BATCH || open_decoder(r);
}

void door_runner_close(struct door_runner *r)
{
    door_decoder_close(r->decoder);
    r->decoder = NULL;
    for (int i = 0; i < 2; i++) {
        qpel_batch_destroy(&r->batch[i]);
        qpel_picture_destroy(&r->target[i]);
    }
    for (int slot = 0; slot < DOOR_SLOTS; slot++)
        qpel_picture_destroy(&r->reference[slot]);
    replay_free(&r->replay);
    free(r->src);
    free(r->dst);
    r->src = r->dst = NULL;
}

/* ---- one picture ---- */

static enum qpel_result begin(struct door_runner *r, unsigned i, const struct door_work *work)
{
    enum qpel_result result = qpel_batch_begin(r->batch[i], r->target[i]);
    uint16_t weight;
    uint8_t index;

    for (unsigned slot = 0; slot < work->slots && !result; slot++)
        result = qpel_batch_reference(r->batch[i], r->reference[slot], QPEL_FRAME, &index);
    return result ? result : qpel_batch_weight(r->batch[i], &door_weight, &weight);
}

/* As a decoder does, but for where the blocks come from. */
static enum qpel_result add(struct qpel_batch *batch, const struct door_list *list)
{
    struct qpel_picture_block *room;
    enum qpel_result result = qpel_batch_room(batch, list->count, &room);
    size_t bad;

    if (result)
        return result;
    memcpy(room, list->blocks, list->count * sizeof(*room));
    return qpel_batch_commit(batch, list->count, &bad);
}

static bool submit(struct door_runner *r, unsigned i, size_t count, qpel_ticket *ticket)
{
    const struct qpel_submit_params params = { .backend = r->backend, .timed = r->timed };
    struct qpel_report report;
    const enum qpel_result result = qpel_submit(r->batch[i], &params, ticket, &report);

    if (result) {
        snprintf(r->why, sizeof r->why, "qpel_submit: %s: %.150s", qpel_result_name(result),
                 report.reason);
        return false;
    }
    if (report.backend != r->backend || report.blocks != count) {
        snprintf(r->why, sizeof r->why, "%s ran %zu of %zu blocks",
                 qpel_backend_name(report.backend), report.blocks, count);
        return false;
    }
    return true;
}

bool door_cycle(struct door_runner *r, const struct door_work *work,
                double phases[DOOR_PHASE_COUNT])
{
    const double start = measure_now(), start_cpu = thread_cpu_now();
    const struct door_list *lists[2];
    const unsigned count = door_work_lists(work, r->form, lists);
    qpel_ticket tickets[2] = { 0, 0 };
    enum qpel_result result;
    double cpu, submitted;

    memset(phases, 0, DOOR_PHASE_COUNT * sizeof(*phases));
    if (r->caller != DOOR_BATCH) {
        if (r->caller == DOOR_REPLAY)
            replay_run(&r->replay, r->dsp, r->dst, r->src);
        else
            for (unsigned i = 0; i < count; i++)
                door_decoder_run(r->decoder, lists[i], i);
        phases[DOOR_CPU] = thread_cpu_now() - start_cpu;
        phases[DOOR_TOTAL] = measure_now() - start;
        return true;
    }
    for (unsigned i = 0; i < count; i++) {
        result = begin(r, i, work);
        if (result)
            return failed(r, "beginning", result);
        cpu = thread_cpu_now();
        result = add(r->batch[i], lists[i]);
        phases[DOOR_ADD] += thread_cpu_now() - cpu;
        if (result)
            return failed(r, "adding", result);
    }
    submitted = measure_now();
    cpu = thread_cpu_now();
    for (unsigned i = 0; i < count; i++)
        if (!submit(r, i, lists[i]->count, &tickets[i]))
            return false;
    phases[DOOR_SUBMIT] = thread_cpu_now() - cpu;
    for (unsigned i = 0; i < count; i++) {
        result = qpel_wait(r->context, tickets[i], WAIT_NS);
        if (result)
            return failed(r, "qpel_wait", result);
    }
    const double end = measure_now();
    phases[DOOR_CPU] = thread_cpu_now() - start_cpu;
    phases[DOOR_TOTAL] = end - start;
    phases[DOOR_DONE] = end - submitted;
    if (r->device)
        phases[DOOR_QUEUE] = end - door_device_queued_at(r->device);
    for (unsigned i = 0; i < count; i++) {
        double seconds;

        result = qpel_ticket_gpu_seconds(r->context, tickets[i], &seconds);
        if (result)
            return failed(r, "qpel_ticket_gpu_seconds", result);
        if (seconds > 0)
            phases[DOOR_GPU] += seconds;
    }
    return true;
}

/* ---- the proof ---- */

static bool prove_replay(struct door_runner *r, const struct door_work *work)
{
    double phases[DOOR_PHASE_COUNT];

    memset(r->dst, 0, r->replay.dst_size);
    return door_cycle(r, work, phases) && replay_exact(&r->replay, r->dst);
}

bool door_prove(struct door_runner *r, const struct door_work *work,
                const struct door_images *images)
{
    double phases[DOOR_PHASE_COUNT];
    uint64_t hash;

    snprintf(r->why, sizeof r->why, "wrong bytes");
    if (r->caller == DOOR_REPLAY)
        return prove_replay(r, work);
    for (int i = 0; i < 2; i++)
        if (r->target[i] && !door_picture_write(r->target[i], NULL))
            return false;
    if (!door_cycle(r, work, phases))
        return false;
    snprintf(r->why, sizeof r->why, "wrong bytes");
    if (r->form != DOOR_CALLED)
        return door_picture_equal(r->target[0], &images->expected);
    /* A temporary that nothing was put into is all zeros, and was not made. */
    for (int i = 0; i < (work->called[1].count ? 2 : 1); i++)
        if (!door_picture_hash(r->target[i], &hash) || hash != work->golden[i])
            return false;
    return true;
}
