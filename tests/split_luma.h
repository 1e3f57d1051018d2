/* How the targets' devices split luma into dispatches. */
#ifndef TESTS_SPLIT_LUMA_H
#define TESTS_SPLIT_LUMA_H

#include "targets.h"

/* All do it V3D's way; software devices their own, with QPEL_TEST_LUMA=family. For batches that are
 * made from then on. */
void split_luma(const struct target *targets, int count);

#endif
