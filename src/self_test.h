/* Whether a GPU computes what the CPU does. */
#ifndef QPEL_SELF_TEST_H
#define QPEL_SELF_TEST_H

#include "cpu/kernels.h"
#include "gpu.h"
#include "picture_kind.h"

/* Compares every family on the GPU with the CPU's kernels on a few blocks. QPEL_OK, or
 * DEVICE_LOST with the reason: a mismatch, or a call that failed. */
enum qpel_result qpel_self_test(struct gpu *gpu, const struct qpel_kernels *kernels,
                                char reason[QPEL_REASON_SIZE]);

/* The kind of a batch that has a target. */
struct picture_kind qpel_picture_kind_of(const struct qpel_batch *batch);

/* The same for pictures of a kind, unless the context's GPU has passed that already. UNSUPPORTED,
 * NOMEM: it could not be run. Any thread, without the context's lock. */
enum qpel_result qpel_picture_self_test(struct qpel_context *context, struct gpu *gpu,
                                        const struct picture_kind *kind,
                                        char reason[QPEL_REASON_SIZE]);

/* Runs of extremes and noise, so that sums reach their limits and clip. */
void qpel_self_test_fill(uint8_t *samples, size_t count, uint32_t state);

#endif
