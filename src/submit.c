/* Submissions of the picture door: who runs them, and in what order. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recipe.h"
#include "self_test.h"
#include "ticket.h"

#define NS_PER_MS UINT64_C(1000000)

/* ---- what a submission uses ---- */

/* Whether what `runner` has in hand stands in the batch's way. */
static bool in_the_way(const struct qpel_batch *b, enum runner runner)
{
    const struct uses *t = &b->target->uses[runner];
    unsigned uses = t->writing + t->reading;
    for (size_t i = 0; i < b->reference_count; i++)
        uses += b->references[i].picture->uses[runner].writing;
    return uses;
}

/* BUSY: the CPU has a picture open, or slices of an earlier batch that only the caller can run
 * stand in the way; or, for the CPU, what the caller executes; or what the GPU has in hand: *gpu.
 * The GPU's own order is that of submission, and that of the caller's commands the caller's. With
 * the lock held. */
static enum qpel_result check_free(const struct qpel_batch *b, enum runner runner, bool *gpu)
{
    bool cpu = runner == RUNNER_CPU;
    bool busy = b->target->reads || b->target->writes;
    for (size_t i = 0; i < b->reference_count; i++)
        busy |= b->references[i].picture->writes;
    busy |= in_the_way(b, RUNNER_CPU) || (cpu && in_the_way(b, RUNNER_CALLER));
    *gpu = !busy && cpu && in_the_way(b, RUNNER_GPU);
    return busy || *gpu ? QPEL_ERROR_BUSY : QPEL_OK;
}

/* Until the GPU is done with the batch's pictures, at most the context's timeout. With the lock
 * held. */
static enum qpel_result await_free(const struct qpel_batch *b, enum runner runner)
{
    struct qpel_context *c = b->context;
    uint64_t deadline = 0;
    enum qpel_result r;
    bool gpu;
    while ((r = check_free(b, runner, &gpu)) && gpu) {
        enum qpel_result waited = QPEL_OK;
        if (!deadline)
            deadline = qpel_deadline_in(c->timeout_ms * NS_PER_MS);
        /* None there: another thread is just handing one over. */
        if (!qpel_tickets_wait_gpu(c, deadline, &waited))
            pthread_cond_wait(&c->finished, &c->lock);
        if (waited)
            return waited;
    }
    return r;
}

static enum qpel_result prepare_slices(struct qpel_batch *b, unsigned slices)
{
    size_t words = (size_t)slices / 64 + 1;
    if (words > b->slices_room) {
        uint64_t *grown = realloc(b->slices_taken, words * sizeof *grown);
        if (!grown)
            return QPEL_ERROR_NOMEM;
        b->slices_taken = grown;
        b->slices_room = words;
    }
    memset(b->slices_taken, 0, words * sizeof *b->slices_taken);
    return QPEL_OK;
}

/* How a batch is carried out. */
struct manner {
    enum runner runner;
    unsigned slices; /* the CPU's */
    bool fd_wished;
};

/* What a submission changes of a batch, to take it back. */
struct before {
    enum batch_state state;
    qpel_ticket ticket;
    unsigned slices;
    bool fd_wished;
    double gpu_seconds;
};

static enum qpel_result start(struct qpel_batch *b, struct manner how, qpel_ticket *ticket,
                              struct before *before)
{
    struct qpel_context *c = b->context;
    pthread_mutex_lock(&c->lock);
    enum qpel_result r = QPEL_OK;
    if (b->state == BATCH_RUNNING)
        qpel_tickets_reap(c);
    if (b->state == BATCH_RUNNING)
        r = QPEL_ERROR_BUSY;
    if (!r)
        r = await_free(b, how.runner);
    if (!r)
        r = prepare_slices(b, how.slices);
    if (!r) {
        /* Its fence is about to be used anew. */
        while (b->waiters)
            pthread_cond_wait(&c->finished, &c->lock);
        *before = (struct before){ b->state, b->ticket, b->slices, b->fd_wished, b->gpu_seconds };
        b->gpu_seconds = -1;
        b->slices = b->slices_left = how.slices;
        b->fd_wished = how.fd_wished;
        *ticket = b->ticket = ++c->last_ticket;
        qpel_ticket_use(b, how.runner);
    }
    pthread_mutex_unlock(&c->lock);
    return r;
}

static void take_back(struct qpel_batch *b, const struct before *before)
{
    pthread_mutex_lock(&b->context->lock);
    enum qpel_result result = b->result;
    qpel_ticket_finish(b, result);
    b->state = before->state;
    b->ticket = before->ticket;
    b->slices = before->slices;
    b->fd_wished = before->fd_wished;
    b->gpu_seconds = before->gpu_seconds;
    pthread_mutex_unlock(&b->context->lock);
}

/* ---- the CPU ---- */

/* Why the CPU can't: the reason of a picture that it does not reach. Null: it can. */
static const char *cpu_refuses(const struct qpel_batch *b)
{
    if (b->state == BATCH_EMPTY)
        return NULL;
    if (b->target->unmapped)
        return b->target->reason;
    for (size_t i = 0; i < b->reference_count; i++)
        if (b->references[i].picture->unmapped)
            return b->references[i].picture->reason;
    return NULL;
}

/* Ends the CPU's accesses to the target and the first references. With the lock held. */
static enum qpel_result close_pictures(struct qpel_batch *b, size_t references)
{
    enum qpel_result r = qpel_picture_memory_close(b->context, &b->target->memory);
    for (size_t i = 0; i < references; i++) {
        enum qpel_result now =
            qpel_picture_memory_close(b->context, &b->references[i].picture->memory);
        r = r ? r : now;
    }
    return r;
}

/* Begins them; of all or of none. */
static enum qpel_result open_pictures(struct qpel_batch *b)
{
    pthread_mutex_lock(&b->context->lock);
    enum qpel_result r = qpel_picture_memory_open(b->context, &b->target->memory, QPEL_READ_WRITE);
    for (size_t i = 0; i < b->reference_count && !r; i++) {
        r = qpel_picture_memory_open(b->context, &b->references[i].picture->memory, QPEL_READ);
        if (r)
            close_pictures(b, i);
    }
    pthread_mutex_unlock(&b->context->lock);
    return r;
}

/* With the lock held. */
static void finish_cpu(struct qpel_batch *b)
{
    qpel_ticket_finish(b, close_pictures(b, b->reference_count));
}

static enum qpel_result submit_cpu(struct qpel_batch *b, const struct qpel_submit_params *params,
                                   qpel_ticket *ticket, struct qpel_report *report)
{
    struct manner how = { .runner = RUNNER_CPU,
                          .slices = params->slices,
                          .fd_wished = params->completion_fd };
    struct before before;
    qpel_ticket started;
    const char *refused = cpu_refuses(b);
    if (refused) {
        qpel_reason_set(report->reason, "%s", refused);
        return QPEL_ERROR_UNSUPPORTED;
    }
    enum qpel_result r = start(b, how, &started, &before);
    if (r)
        return r;
    r = open_pictures(b);
    if (r) {
        qpel_reason_set(report->reason, r == QPEL_ERROR_IO
                                            ? "the kernel refuses the CPU a picture's dma-buf"
                                            : "a picture's memory is lost with its GPU");
        take_back(b, &before);
        return r;
    }
    b->for_gpu = false;
    *ticket = started;
    report->backend = QPEL_BACKEND_CPU;
    snprintf(report->device, sizeof report->device, "%s", b->context->cpu_layer);
    report->blocks = b->block_count;
    if (how.slices)
        return QPEL_OK;
    qpel_picture_run_cpu(b, 0, b->block_count);
    pthread_mutex_lock(&b->context->lock);
    finish_cpu(b);
    pthread_mutex_unlock(&b->context->lock);
    return QPEL_OK;
}

enum qpel_result qpel_run_slice(struct qpel_batch *batch, unsigned slice)
{
    if (!batch)
        return QPEL_ERROR_INVALID;
    uint64_t bit = UINT64_C(1) << (slice & 63);
    pthread_mutex_lock(&batch->context->lock);
    bool valid = batch->state == BATCH_RUNNING && slice < batch->slices &&
                 !(batch->slices_taken[slice / 64] & bit);
    if (valid)
        batch->slices_taken[slice / 64] |= bit;
    pthread_mutex_unlock(&batch->context->lock);
    if (!valid)
        return QPEL_ERROR_INVALID;
    size_t n = batch->block_count;
    qpel_picture_run_cpu(batch, (size_t)((uint64_t)n * slice / batch->slices),
                         (size_t)((uint64_t)n * (slice + 1) / batch->slices));
    pthread_mutex_lock(&batch->context->lock);
    if (--batch->slices_left == 0)
        finish_cpu(batch);
    pthread_mutex_unlock(&batch->context->lock);
    return QPEL_OK;
}

/* ---- the GPU ---- */

enum qpel_result qpel_submit_gpu(struct qpel_batch *b, const struct qpel_submit_params *params,
                                 const struct gpu_wish *wish, enum runner runner,
                                 qpel_ticket *ticket, struct qpel_report *report)
{
    struct manner how = { .runner = runner, .fd_wished = params->completion_fd };
    struct qpel_context *c = b->context;
    enum qpel_result r;
    struct gpu *gpu = qpel_context_open_gpu(c, true, &r, report->reason);
    if (!gpu)
        return r;
    const struct picture_kind kind = qpel_picture_kind_of(b);
    r = qpel_picture_self_test(c, gpu, &kind, report->reason);
    if (r == QPEL_ERROR_DEVICE_LOST)
        qpel_context_gpu_failed(c, report->reason);
    if (r)
        return r;
    if (!b->gpu) {
        r = qpel_gpu_batch_create(gpu, &b->gpu);
        if (r) {
            qpel_reason_set(report->reason, "%s", qpel_result_name(r));
            return r;
        }
        if (b->state != BATCH_EMPTY)
            qpel_gpu_batch_begin(b->gpu, b);
    }
    struct before before;
    qpel_ticket started;
    r = start(b, how, &started, &before);
    if (r)
        return r;
    r = qpel_gpu_batch_wish_fd(gpu, b->gpu, how.fd_wished, report->reason);
    if (!r)
        r = qpel_gpu_batch_submit(gpu, b->gpu, b, params->timed, wish, report->reason);
    if (r) {
        take_back(b, &before);
        if (r == QPEL_ERROR_DEVICE_LOST)
            qpel_context_gpu_failed(c, report->reason);
        return r;
    }
    pthread_mutex_lock(&c->lock);
    b->submitted = runner == RUNNER_GPU;
    b->for_gpu = true;
    pthread_cond_broadcast(&c->finished);
    pthread_mutex_unlock(&c->lock);
    size_t count;
    int taken;
    *ticket = started;
    report->backend = QPEL_BACKEND_GPU;
    memcpy(report->device, qpel_gpu_devices(gpu, &count, &taken)[taken].name, QPEL_NAME_SIZE);
    report->blocks = b->block_count;
    return QPEL_OK;
}

/* ---- the door ---- */

/* Whether the CPU can do what the GPU could not start. */
static bool only_the_gpu_failed(enum qpel_result r)
{
    return r == QPEL_ERROR_UNSUPPORTED || r == QPEL_ERROR_NOMEM || r == QPEL_ERROR_DEVICE_LOST;
}

static enum qpel_result submit_auto(struct qpel_batch *b, const struct qpel_submit_params *params,
                                    qpel_ticket *ticket, struct qpel_report *report)
{
    struct qpel_recipe_answer answer;
    if (cpu_refuses(b)) {
        qpel_reason_set(report->reason, "the CPU does not reach a picture");
        return qpel_submit_gpu(b, params, NULL, RUNNER_GPU, ticket, report);
    }
    qpel_recipe_choose_batch(b, params->slices, &answer);
    memcpy(report->reason, answer.reason, sizeof report->reason);
    if (answer.backend == QPEL_BACKEND_GPU) {
        enum qpel_result r = qpel_submit_gpu(b, params, NULL, RUNNER_GPU, ticket, report);
        if (!only_the_gpu_failed(r))
            return r;
        memcpy(answer.reason, report->reason, sizeof answer.reason);
        qpel_reason_set(report->reason, "the GPU can't: %s", answer.reason);
    }
    return submit_cpu(b, params, ticket, report);
}

enum qpel_result qpel_submit(struct qpel_batch *batch, const struct qpel_submit_params *params,
                             qpel_ticket *ticket, struct qpel_report *report)
{
    struct qpel_report unwanted;
    if (!report)
        report = &unwanted;
    report_clear(report);
    if (!batch || !params || !ticket) {
        report->fault = QPEL_FAULT_NULL;
        return QPEL_ERROR_INVALID;
    }
    if ((unsigned)params->backend > QPEL_BACKEND_GPU) {
        report->fault = QPEL_FAULT_BACKEND;
        return QPEL_ERROR_INVALID;
    }
    if (batch->state == BATCH_EMPTY)
        return QPEL_ERROR_INVALID;
    bool asked = params->backend != QPEL_BACKEND_AUTO;
    enum qpel_backend backend = asked ? params->backend : batch->context->backend;
    qpel_reason_set(report->reason, "%s", asked ? "asked for" : "the context's backend");
    if (backend == QPEL_BACKEND_GPU)
        return qpel_submit_gpu(batch, params, NULL, RUNNER_GPU, ticket, report);
    if (backend == QPEL_BACKEND_CPU)
        return submit_cpu(batch, params, ticket, report);
    return submit_auto(batch, params, ticket, report);
}

void qpel_submission_end(struct qpel_batch *b)
{
    /* Slices that the caller has not run by now never will be. What the GPU has ends, each
     * submission within the context's timeout, or the device is lost. What was recorded is as good
     * as its caller's word. */
    bool recorded = b->state == BATCH_RUNNING && b->runner == RUNNER_CALLER;
    if (b->ticket && !b->slices && !recorded)
        qpel_wait(b->context, b->ticket, UINT64_MAX);
    pthread_mutex_lock(&b->context->lock);
    if (b->state == BATCH_RUNNING && b->runner != RUNNER_CPU)
        qpel_ticket_finish(b, QPEL_OK);
    else if (b->state == BATCH_RUNNING)
        finish_cpu(b);
    while (b->waiters)
        pthread_cond_wait(&b->context->finished, &b->context->lock);
    pthread_mutex_unlock(&b->context->lock);
    qpel_gpu_batch_destroy(b->context->gpu, b->gpu);
    b->gpu = NULL;
}
