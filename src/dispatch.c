/* The dispatch door: check, choose, run. */
#include "qpel/dispatch.h"

#include <stdio.h>
#include <string.h>

#include "context.h"
#include "job_cpu.h"
#include "recipe.h"
#include "validate.h"

/* Claims the planes' buffers for a dispatch; BUSY while a CPU access of one is open. */
static enum qpel_result buffers_claim(struct qpel_context *c, const struct qpel_dispatch_params *p,
                                      struct qpel_report *report)
{
    struct qpel_buffer *const buffers[] = { p->dst.buffer, p->src.buffer };
    enum qpel_result r = QPEL_OK;
    pthread_mutex_lock(&c->lock);
    for (int i = 0; i < 2; i++)
        if (buffers[i] && buffers[i]->accesses)
            r = QPEL_ERROR_BUSY;
    for (int i = 0; i < 2 && !r; i++)
        if (buffers[i])
            buffers[i]->dispatches++;
    pthread_mutex_unlock(&c->lock);
    if (r)
        report->fault = QPEL_FAULT_BUFFER_BUSY;
    return r;
}

static void buffers_release(struct qpel_context *c, const struct qpel_dispatch_params *p)
{
    struct qpel_buffer *const buffers[] = { p->dst.buffer, p->src.buffer };
    pthread_mutex_lock(&c->lock);
    for (int i = 0; i < 2; i++)
        if (buffers[i])
            buffers[i]->dispatches--;
    pthread_mutex_unlock(&c->lock);
}

static enum qpel_result run_cpu(struct qpel_context *c, const struct job *job,
                                struct qpel_report *report)
{
    struct gpu_buffer *dst = job->dst.buffer, *src = job->src.buffer;
    enum qpel_result r = QPEL_OK;
    if (dst)
        r = qpel_gpu_buffer_invalidate(c->gpu, dst, 0, 0);
    if (!r && src && src != dst)
        r = qpel_gpu_buffer_invalidate(c->gpu, src, 0, 0);
    if (!r) {
        job_run_cpu(job, &c->kernels);
        if (dst)
            r = qpel_gpu_buffer_flush(c->gpu, dst, 0, 0);
    }
    if (r) {
        qpel_reason_set(report->reason, "the buffer's memory is lost with its GPU");
        return r;
    }
    report->backend = QPEL_BACKEND_CPU;
    snprintf(report->device, sizeof report->device, "%s", c->cpu_layer);
    report->blocks = job->count;
    return QPEL_OK;
}

static enum qpel_result run_gpu(struct qpel_context *c, struct gpu *gpu, const struct job *job,
                                struct qpel_report *report)
{
    enum qpel_result r = qpel_gpu_dispatch(gpu, job, report);
    if (r == QPEL_ERROR_DEVICE_LOST || r == QPEL_ERROR_TIMEOUT)
        qpel_context_gpu_failed(c, report->reason);
    if (r)
        return r;
    size_t count;
    int taken;
    report->backend = QPEL_BACKEND_GPU;
    memcpy(report->device, qpel_gpu_devices(gpu, &count, &taken)[taken].name, QPEL_NAME_SIZE);
    report->blocks = job->count;
    return QPEL_OK;
}

/* The GPU on the caller's word: an error where it can't. */
static enum qpel_result run_gpu_asked(struct qpel_context *c, const struct job *job,
                                      struct qpel_report *report)
{
    enum qpel_result r;
    struct gpu *gpu = qpel_context_open_gpu(c, true, &r, report->reason);
    if (!gpu)
        return r;
    const char *refusal = qpel_gpu_refuses(gpu, job);
    if (refusal) {
        qpel_reason_set(report->reason, "%s", refusal);
        return QPEL_ERROR_UNSUPPORTED;
    }
    qpel_reason_set(report->reason, "asked for");
    return run_gpu(c, gpu, job, report);
}

static enum qpel_result run_auto(struct qpel_context *c, const struct job *job,
                                 struct qpel_report *report)
{
    enum qpel_result r;
    char why[QPEL_REASON_SIZE] = "";
    struct qpel_recipe_answer answer;
    struct gpu *gpu = qpel_context_open_gpu(c, false, &r, why);
    qpel_recipe_choose_job(c, gpu, why, job, &answer);
    /* The self-test runs only where the GPU would. */
    if (answer.backend == QPEL_BACKEND_GPU && !(gpu = qpel_context_open_gpu(c, true, &r, why)))
        qpel_recipe_choose_job(c, gpu, why, job, &answer);
    qpel_reason_set(report->reason, "%s", answer.reason);
    return answer.backend == QPEL_BACKEND_GPU ? run_gpu(c, gpu, job, report)
                                              : run_cpu(c, job, report);
}

static enum qpel_result run(struct qpel_context *c, const struct qpel_dispatch_params *p,
                            const struct job *job, struct qpel_report *report)
{
    /* The context's own choice stands in where the call has none. */
    switch (p->backend == QPEL_BACKEND_AUTO ? c->backend : p->backend) {
    case QPEL_BACKEND_CPU:
        qpel_reason_set(report->reason, "asked for");
        return run_cpu(c, job, report);
    case QPEL_BACKEND_GPU:
        return run_gpu_asked(c, job, report);
    default:
        return run_auto(c, job, report);
    }
}

enum qpel_result qpel_dispatch(struct qpel_context *context,
                               const struct qpel_dispatch_params *params,
                               struct qpel_report *report)
{
    struct qpel_report unwanted;
    if (!report)
        report = &unwanted;
    report_clear(report);
    struct job job;
    enum qpel_result r = QPEL_ERROR_INVALID;
    if (!context || !params)
        report->fault = QPEL_FAULT_NULL;
    else
        r = qpel_validate_dispatch(context, params, &job, report);
    if (!r && job.count)
        r = qpel_validate_overlap(context, &job, report);
    if (!r)
        r = buffers_claim(context, params, report);
    if (r == QPEL_ERROR_NOMEM) {
        qpel_reason_set(report->reason, "no memory for the check of overlaps");
    } else if (r && report->fault_block != SIZE_MAX) {
        qpel_reason_set(report->reason, "block %zu: %s", report->fault_block,
                        qpel_fault_name(report->fault));
    } else if (r) {
        qpel_reason_set(report->reason, "%s", qpel_fault_name(report->fault));
    }
    if (r)
        return r;
    if (job.count)
        r = run(context, params, &job, report);
    else
        qpel_reason_set(report->reason, "no blocks");
    buffers_release(context, params);
    return r;
}
