/* The check of a dispatch before any backend sees it. */
#ifndef QPEL_VALIDATE_H
#define QPEL_VALIDATE_H

#include "context.h"
#include "gpu.h"

/* The samples of a block's side. */
static inline int block_width(enum qpel_size size)
{
    return 16 >> size;
}

/* Checks everything but overlaps and fills the job. QPEL_OK, or INVALID with report->fault and
 * fault_block. With count 0 the job's planes have empty touched ranges. */
enum qpel_result qpel_validate_dispatch(const struct qpel_context *context,
                                        const struct qpel_dispatch_params *params, struct job *job,
                                        struct qpel_report *report);

/* The kernel alone: backend, operation, size, position and depth. */
enum qpel_fault qpel_validate_kernel(const struct qpel_dispatch_params *params);

/* Where the job's blocks, already known to be inside their planes, write a sample twice or
 * write what they read. QPEL_OK, INVALID as above, NOMEM. */
enum qpel_result qpel_validate_overlap(struct qpel_context *context, const struct job *job,
                                       struct qpel_report *report);

#endif
