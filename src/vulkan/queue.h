/* The dispatch door's work: one command buffer at a time, submitted and waited for. */
#ifndef QPEL_VK_QUEUE_H
#define QPEL_VK_QUEUE_H

#include "commands.h"

struct qvk_queue {
    struct qvk_device *device;
    unsigned timeout_ms;
    struct qvk_commands commands;
};

enum qpel_result qvk_queue_open(struct qvk_queue *queue, struct qvk_device *device,
                                unsigned timeout_ms, char reason[QPEL_REASON_SIZE]);
/* Only where nothing is pending. */
void qvk_queue_close(struct qvk_queue *queue);

/* Starts recording: what the CPU and earlier work wrote is visible to the shaders of
 * queue->commands. */
enum qpel_result qvk_queue_begin(struct qvk_queue *queue, bool timed);
/* Ends recording, submits, and waits: what the shaders wrote is then visible to the CPU (but for
 * the invalidation of memory that is not coherent). *seconds: by the GPU's clock, -1 where there is
 * no figure. TIMEOUT: the work may still be running, and the device counts as lost. */
enum qpel_result qvk_queue_run(struct qvk_queue *queue, double *seconds);

#endif
