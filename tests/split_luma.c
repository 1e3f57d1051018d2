#include "split_luma.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "context.h"
#include "plan.h"

void split_luma(const struct target *targets, int count)
{
    const char *way = getenv("QPEL_TEST_LUMA");
    const unsigned runs = way && !strcmp(way, "family") ? PLAN_BY_FAMILY : PLAN_BY_KERNEL;

    for (int i = 0; i < count; i++)
        if (targets[i].backend == QPEL_BACKEND_GPU &&
            targets[i].device.kind == QPEL_DEVICE_SOFTWARE) {
            printf("# %s: luma in %u dispatches\n", targets[i].name, runs);
            qpel_gpu_split_luma(targets[i].context->gpu, runs);
        }
}
