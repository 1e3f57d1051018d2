#ifndef QPEL_JOB_CPU_H
#define QPEL_JOB_CPU_H

#include "cpu/kernels.h"
#include "gpu.h"

/* Runs a checked job in the caller's thread. */
static inline void job_run_cpu(const struct job *job, const struct qpel_kernels *kernels)
{
    qpel_kernel_fn *kernel =
        (job->operation == QPEL_PUT ? kernels->put : kernels->avg)[job->size][job->position];
    for (size_t i = 0; i < job->count; i++)
        kernel(job->dst.data + job->blocks[i].dst, job->src.data + job->blocks[i].src,
               job->dst.stride, job->src.stride);
}

#endif
