/* F_DUPFD_CLOEXEC */
#define _POSIX_C_SOURCE 200809L
#include "ticket.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#define SECOND UINT64_C(1000000000)

static uint64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * SECOND + (uint64_t)t.tv_nsec;
}

uint64_t qpel_deadline_in(uint64_t timeout_ns)
{
    const uint64_t longest = 1000000000 * SECOND;
    return now() + (timeout_ns < longest ? timeout_ns : longest);
}

/* ---- beginning and end ---- */

static void use(struct qpel_batch *b, unsigned by)
{
    b->target->uses[b->runner].writing += by;
    for (size_t i = 0; i < b->reference_count; i++)
        b->references[i].picture->uses[b->runner].reading += by;
}

void qpel_ticket_use(struct qpel_batch *b, enum runner runner)
{
    b->runner = runner;
    use(b, 1);
    b->submitted = false;
    b->state = BATCH_RUNNING;
}

/* Its duplicates become readable. */
static void tell_event(struct qpel_batch *b)
{
    uint64_t one = 1;
    if (!b->event_open)
        return;
    /* A counter of 0 has room. */
    ssize_t written = write(b->event, &one, sizeof one);
    (void)written;
    close(b->event);
    b->event_open = false;
}

void qpel_ticket_finish(struct qpel_batch *b, enum qpel_result result)
{
    tell_event(b);
    use(b, -1u);
    b->result = result;
    b->state = BATCH_DONE;
    pthread_cond_broadcast(&b->context->finished);
}

/* ---- the GPU's ---- */

static bool with_gpu(const struct qpel_batch *b)
{
    return b->state == BATCH_RUNNING && b->runner == RUNNER_GPU && b->submitted;
}

/* Of a wait for the batch. */
static void finish_gpu(struct qpel_batch *b, enum qpel_result result)
{
    if (result == QPEL_ERROR_TIMEOUT || !with_gpu(b))
        return;
    b->gpu_seconds = result ? -1 : qpel_gpu_batch_seconds(b->context->gpu, b->gpu);
    if (result) {
        char reason[QPEL_REASON_SIZE];
        qpel_gpu_is_lost(b->context->gpu, reason);
        qpel_context_gpu_failed_locked(b->context, reason);
    }
    qpel_ticket_finish(b, result);
}

void qpel_tickets_reap(struct qpel_context *c)
{
    for (struct qpel_batch *b = c->batches; b; b = b->next)
        if (with_gpu(b))
            finish_gpu(b, qpel_gpu_batch_wait(c->gpu, b->gpu, 0));
}

bool qpel_tickets_wait_gpu(struct qpel_context *c, uint64_t deadline, enum qpel_result *result)
{
    struct qpel_batch *oldest = NULL;
    for (struct qpel_batch *b = c->batches; b; b = b->next)
        if (with_gpu(b) && (!oldest || b->ticket < oldest->ticket))
            oldest = b;
    if (!oldest)
        return false;
    uint64_t time = now();
    oldest->waiters++;
    pthread_mutex_unlock(&c->lock);
    enum qpel_result r =
        qpel_gpu_batch_wait(c->gpu, oldest->gpu, deadline > time ? deadline - time : 0);
    pthread_mutex_lock(&c->lock);
    oldest->waiters--;
    finish_gpu(oldest, r);
    /* Its owner may be waiting for the last waiter. */
    pthread_cond_broadcast(&c->finished);
    *result = r == QPEL_ERROR_TIMEOUT ? r : QPEL_OK;
    return true;
}

/* ---- asking ---- */

/* Null: unknown, or its batch has begun anew: done. */
static struct qpel_batch *find_batch(const struct qpel_context *c, qpel_ticket ticket)
{
    struct qpel_batch *b = c->batches;
    while (b && b->ticket != ticket)
        b = b->next;
    return b;
}

static enum qpel_result ticket_state(const struct qpel_context *c, qpel_ticket ticket, bool *done,
                                     bool *on_gpu)
{
    if (ticket > c->last_ticket)
        return QPEL_ERROR_INVALID;
    const struct qpel_batch *b = ticket ? find_batch(c, ticket) : NULL;
    *done = !b || b->state != BATCH_RUNNING;
    *on_gpu = b && with_gpu(b);
    return b && *done ? b->result : QPEL_OK;
}

enum qpel_result qpel_poll(struct qpel_context *context, qpel_ticket ticket, bool *done)
{
    if (!context || !done)
        return QPEL_ERROR_INVALID;
    bool on_gpu = false;
    pthread_mutex_lock(&context->lock);
    enum qpel_result r = ticket_state(context, ticket, done, &on_gpu);
    if (on_gpu) {
        qpel_tickets_reap(context);
        r = ticket_state(context, ticket, done, &on_gpu);
    }
    pthread_mutex_unlock(&context->lock);
    return r;
}

enum qpel_result qpel_ticket_gpu_seconds(struct qpel_context *context, qpel_ticket ticket,
                                         double *seconds)
{
    bool done = false;
    if (!seconds)
        return QPEL_ERROR_INVALID;
    *seconds = -1;
    enum qpel_result r = qpel_poll(context, ticket, &done);
    if (r)
        return r;
    if (!done)
        return QPEL_ERROR_BUSY;
    pthread_mutex_lock(&context->lock);
    const struct qpel_batch *b = ticket ? find_batch(context, ticket) : NULL;
    if (b && b->state == BATCH_DONE)
        *seconds = b->gpu_seconds;
    pthread_mutex_unlock(&context->lock);
    return QPEL_OK;
}

static bool wait_finished(struct qpel_context *c, uint64_t deadline)
{
    struct timespec end = { (time_t)(deadline / SECOND), (long)(deadline % SECOND) };
    return pthread_cond_timedwait(&c->finished, &c->lock, &end) != ETIMEDOUT;
}

enum qpel_result qpel_wait(struct qpel_context *context, qpel_ticket ticket, uint64_t timeout_ns)
{
    if (!context)
        return QPEL_ERROR_INVALID;
    uint64_t deadline = qpel_deadline_in(timeout_ns);
    bool done = false, on_gpu, late = false;
    enum qpel_result r, waited;
    pthread_mutex_lock(&context->lock);
    while (!(r = ticket_state(context, ticket, &done, &on_gpu)) && !done && !late) {
        if (on_gpu)
            late =
                qpel_tickets_wait_gpu(context, deadline, &waited) && waited == QPEL_ERROR_TIMEOUT;
        else
            late = !wait_finished(context, deadline);
    }
    pthread_mutex_unlock(&context->lock);
    return r ? r : done ? QPEL_OK : QPEL_ERROR_TIMEOUT;
}

/* ---- descriptors ---- */

static enum qpel_result event(unsigned value, int *fd)
{
    *fd = eventfd(value, EFD_CLOEXEC | EFD_NONBLOCK);
    return *fd < 0 ? QPEL_ERROR_NOMEM : QPEL_OK;
}

/* Of what the CPU runs. */
static enum qpel_result cpu_fd(struct qpel_batch *b, int *fd)
{
    if (!b->event_open && event(0, &b->event))
        return QPEL_ERROR_NOMEM;
    b->event_open = true;
    *fd = fcntl(b->event, F_DUPFD_CLOEXEC, 0);
    return *fd < 0 ? QPEL_ERROR_NOMEM : QPEL_OK;
}

/* With the lock held. */
static enum qpel_result fd_of(struct qpel_context *c, qpel_ticket ticket, int *fd)
{
    if (ticket > c->last_ticket)
        return QPEL_ERROR_INVALID;
    struct qpel_batch *b = ticket ? find_batch(c, ticket) : NULL;
    if (b && !b->fd_wished)
        return QPEL_ERROR_INVALID;
    if (!b || b->state != BATCH_RUNNING)
        return event(1, fd);
    if (b->runner == RUNNER_CPU)
        return cpu_fd(b, fd);
    if (!b->submitted)
        return QPEL_ERROR_INVALID; /* its ticket has not been given yet */
    enum qpel_result r = qpel_gpu_batch_fd(c->gpu, b->gpu, fd);
    /* Of a lost device it is as good as done: the wait will tell. */
    return r == QPEL_ERROR_DEVICE_LOST || (!r && *fd < 0) ? event(1, fd) : r;
}

enum qpel_result qpel_ticket_fd(struct qpel_context *context, qpel_ticket ticket, int *fd)
{
    if (!context || !fd)
        return QPEL_ERROR_INVALID;
    int got = -1;
    pthread_mutex_lock(&context->lock);
    enum qpel_result r = fd_of(context, ticket, &got);
    pthread_mutex_unlock(&context->lock);
    *fd = r ? -1 : got;
    return r;
}
