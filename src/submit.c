#define _POSIX_C_SOURCE 200809L
/* Submissions of the picture door: who runs, in what order, and when it is done. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "picture.h"

/* ---- what a submission uses ---- */

/* With the lock held. BUSY: the CPU has a picture open, or slices of an earlier batch that only the
 * caller can run stand in the way. */
static enum qpel_result check_free(const struct qpel_batch *b)
{
    const struct qpel_picture *t = b->target;
    if (t->reads || t->writes || t->writing || t->reading)
        return QPEL_ERROR_BUSY;
    for (size_t i = 0; i < b->reference_count; i++) {
        const struct qpel_picture *p = b->references[i].picture;
        if (p->writes || p->writing)
            return QPEL_ERROR_BUSY;
    }
    return QPEL_OK;
}

static void use(struct qpel_batch *b, int by)
{
    b->target->writing += (unsigned)by;
    for (size_t i = 0; i < b->reference_count; i++)
        b->references[i].picture->reading += (unsigned)by;
}

/* With the lock held. */
static void finish(struct qpel_batch *b, enum qpel_result result)
{
    use(b, -1);
    b->result = result;
    b->state = BATCH_DONE;
    pthread_cond_broadcast(&b->context->finished);
}

void submission_end(struct qpel_batch *b)
{
    /* Slices that the caller has not run by now never will be. */
    if (b->ticket && !b->slices)
        qpel_wait(b->context, b->ticket, (uint64_t)b->context->timeout_ms * 1000000);
    pthread_mutex_lock(&b->context->lock);
    if (b->state == BATCH_RUNNING)
        finish(b, QPEL_OK);
    pthread_mutex_unlock(&b->context->lock);
}

/* ---- the door ---- */

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

static enum qpel_result start(struct qpel_batch *b, unsigned slices, qpel_ticket *ticket)
{
    pthread_mutex_lock(&b->context->lock);
    enum qpel_result r = b->state == BATCH_EMPTY     ? QPEL_ERROR_INVALID
                         : b->state == BATCH_RUNNING ? QPEL_ERROR_BUSY
                                                     : check_free(b);
    if (!r)
        r = prepare_slices(b, slices);
    if (!r) {
        use(b, 1);
        b->state = BATCH_RUNNING;
        b->slices = b->slices_left = slices;
        *ticket = b->ticket = ++b->context->last_ticket;
    }
    pthread_mutex_unlock(&b->context->lock);
    return r;
}

enum qpel_result qpel_submit(struct qpel_batch *batch, const struct qpel_submit_params *params,
                             qpel_ticket *ticket, struct qpel_report *report)
{
    struct qpel_report unwanted;
    if (!report)
        report = &unwanted;
    *report = (struct qpel_report){ .gpu_seconds = -1, .fault_block = SIZE_MAX };
    if (!batch || !params || !ticket) {
        report->fault = QPEL_FAULT_NULL;
        return QPEL_ERROR_INVALID;
    }
    if ((unsigned)params->backend > QPEL_BACKEND_GPU) {
        report->fault = QPEL_FAULT_BACKEND;
        return QPEL_ERROR_INVALID;
    }
    if (params->backend == QPEL_BACKEND_GPU)
        return QPEL_ERROR_UNSUPPORTED;
    enum qpel_result r = start(batch, params->slices, ticket);
    if (r)
        return r;
    report->backend = QPEL_BACKEND_CPU;
    snprintf(report->device, sizeof report->device, "%s", batch->context->cpu_layer);
    report->blocks = batch->block_count;
    if (params->slices)
        return QPEL_OK;
    picture_run_cpu(batch, 0, batch->block_count);
    pthread_mutex_lock(&batch->context->lock);
    finish(batch, QPEL_OK);
    pthread_mutex_unlock(&batch->context->lock);
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
    picture_run_cpu(batch, (size_t)((uint64_t)n * slice / batch->slices),
                    (size_t)((uint64_t)n * (slice + 1) / batch->slices));
    pthread_mutex_lock(&batch->context->lock);
    if (--batch->slices_left == 0)
        finish(batch, QPEL_OK);
    pthread_mutex_unlock(&batch->context->lock);
    return QPEL_OK;
}

/* With the lock held. Null: unknown, or its batch has begun anew: done. */
static const struct qpel_batch *find_batch(const struct qpel_context *c, qpel_ticket ticket)
{
    const struct qpel_batch *b = c->batches;
    while (b && b->ticket != ticket)
        b = b->next;
    return b;
}

/* With the lock held. */
static enum qpel_result ticket_state(const struct qpel_context *c, qpel_ticket ticket, bool *done)
{
    if (ticket > c->last_ticket)
        return QPEL_ERROR_INVALID;
    const struct qpel_batch *b = ticket ? find_batch(c, ticket) : NULL;
    *done = !b || b->state != BATCH_RUNNING;
    return b && *done ? b->result : QPEL_OK;
}

enum qpel_result qpel_poll(struct qpel_context *context, qpel_ticket ticket, bool *done)
{
    if (!context || !done)
        return QPEL_ERROR_INVALID;
    pthread_mutex_lock(&context->lock);
    enum qpel_result r = ticket_state(context, ticket, done);
    pthread_mutex_unlock(&context->lock);
    return r;
}

static struct timespec deadline(uint64_t timeout_ns)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    const uint64_t second = 1000000000;
    uint64_t seconds = timeout_ns / second;
    /* A longer wait is none that a caller would notice. */
    if (seconds > 1000000000)
        seconds = 1000000000;
    t.tv_sec += (time_t)seconds;
    t.tv_nsec += (long)(timeout_ns % second);
    if (t.tv_nsec >= (long)second) {
        t.tv_sec++;
        t.tv_nsec -= (long)second;
    }
    return t;
}

enum qpel_result qpel_wait(struct qpel_context *context, qpel_ticket ticket, uint64_t timeout_ns)
{
    if (!context)
        return QPEL_ERROR_INVALID;
    struct timespec end = deadline(timeout_ns);
    bool done = false, late = false;
    enum qpel_result r;
    pthread_mutex_lock(&context->lock);
    while (!(r = ticket_state(context, ticket, &done)) && !done && !late)
        late = pthread_cond_timedwait(&context->finished, &context->lock, &end) == ETIMEDOUT;
    pthread_mutex_unlock(&context->lock);
    return r ? r : done ? QPEL_OK : QPEL_ERROR_TIMEOUT;
}
