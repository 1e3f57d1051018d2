/* When submissions of the picture door are done. All with the context's lock held. */
#ifndef QPEL_TICKET_H
#define QPEL_TICKET_H

#include "picture.h"

/* Nanoseconds of the monotonic clock from now; those beyond what anyone waits for are cut. */
uint64_t qpel_deadline_in(uint64_t timeout_ns);

/* The batch begins, and ends, to use its pictures. */
void qpel_ticket_use(struct qpel_batch *batch, enum runner runner);
void qpel_ticket_finish(struct qpel_batch *batch, enum qpel_result result);

/* Finishes what the GPU has done. */
void qpel_tickets_reap(struct qpel_context *context);

/* Waits for the oldest submission that the GPU has, and finishes it; gives the lock up meanwhile.
 * TIMEOUT: it is not done by the deadline. A lost device is no error here: the submission finishes
 * with it. False: there is none. */
bool qpel_tickets_wait_gpu(struct qpel_context *context, uint64_t deadline,
                           enum qpel_result *result);

#endif
