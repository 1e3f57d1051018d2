#include "queue.h"

#include <string.h>

#define NS_PER_MS UINT64_C(1000000)

enum qpel_result qvk_queue_open(struct qvk_queue *q, struct qvk_device *device, unsigned timeout_ms,
                                char reason[QPEL_REASON_SIZE])
{
    memset(q, 0, sizeof *q);
    enum qpel_result r = qvk_commands_open(&q->commands, device, reason);
    if (r)
        return r;
    q->device = device;
    q->timeout_ms = timeout_ms;
    return QPEL_OK;
}

void qvk_queue_close(struct qvk_queue *q)
{
    if (!q->device)
        return;
    qvk_commands_close(&q->commands, q->device);
    memset(q, 0, sizeof *q);
}

enum qpel_result qvk_queue_begin(struct qvk_queue *q, bool timed)
{
    enum qpel_result r = qvk_stamps_use(&q->commands.stamps, q->device, timed);
    return r ? r : qvk_commands_begin(&q->commands, q->device);
}

enum qpel_result qvk_queue_run(struct qvk_queue *q, double *seconds)
{
    struct qvk_device *d = q->device;
    *seconds = -1;
    qvk_commands_finish(&q->commands, d);
    enum qpel_result r = qvk_commands_submit(&q->commands, d, NULL);
    if (!r)
        r = qvk_commands_wait(&q->commands, d, q->timeout_ms * NS_PER_MS);
    if (r == QPEL_ERROR_TIMEOUT)
        qvk_lose(d->health, "the GPU did not finish within %u ms", q->timeout_ms);
    return r ? r : qvk_stamps_read(&q->commands.stamps, d, seconds);
}
