#ifndef QPEL_SELF_TEST_H
#define QPEL_SELF_TEST_H

#include "cpu/kernels.h"
#include "gpu.h"

/* Compares every family on the GPU with the CPU's kernels on a few blocks. QPEL_OK, or
 * DEVICE_LOST with the reason: a mismatch, or a call that failed. */
enum qpel_result qpel_self_test(struct gpu *gpu, const struct qpel_kernels *kernels,
                                char reason[QPEL_REASON_SIZE]);

#endif
