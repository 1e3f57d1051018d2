/* qpel/vulkan.h: checks of what it is given, and the way in. */
#include "context.h"
#include "gpu_internal.h"
#include "qpel/vulkan.h"
#include "ticket.h"

/* ---- the context ---- */

/* What is missing of a member; null: nothing. */
static const char *missing(const struct qpel_vulkan_params *on)
{
    if (!on->get_instance_proc_addr)
        return "get_instance_proc_addr";
    if (!on->instance)
        return "instance";
    if (!on->physical_device)
        return "physical_device";
    if (!on->device)
        return "device";
    if (!on->queue)
        return "queue";
    if (on->extension_count && !on->extensions)
        return "extensions";
    for (uint32_t i = 0; i < on->extension_count; i++)
        if (!on->extensions[i])
            return "an extension's name";
    return NULL;
}

static enum qpel_result check_device(const struct qpel_vulkan_params *on,
                                     char reason[QPEL_REASON_SIZE])
{
    const char *what = missing(on);
    if (what) {
        qpel_reason_set(reason, "%s is null", what);
        return QPEL_ERROR_INVALID;
    }
    if (!on->lock_queue != !on->unlock_queue) {
        qpel_reason_set(reason, "lock_queue and unlock_queue: one is null");
        return QPEL_ERROR_INVALID;
    }
    if (on->api_version < VK_API_VERSION_1_1) {
        qpel_reason_set(reason, "api_version: an instance of Vulkan %u.%u, 1.1 is needed",
                        VK_API_VERSION_MAJOR(on->api_version),
                        VK_API_VERSION_MINOR(on->api_version));
        return QPEL_ERROR_UNSUPPORTED;
    }
    return QPEL_OK;
}

enum qpel_result qpel_vulkan_context_create(struct qpel_context **out,
                                            const struct qpel_context_params *params,
                                            const struct qpel_vulkan_params *on,
                                            char reason[QPEL_REASON_SIZE])
{
    char unwanted[QPEL_REASON_SIZE];
    if (!reason)
        reason = unwanted;
    *reason = 0;
    if (out)
        *out = NULL;
    if (!out || !on) {
        qpel_reason_set(reason, "a null pointer");
        return QPEL_ERROR_INVALID;
    }
    if (params && params->backend == QPEL_BACKEND_CPU) {
        qpel_reason_set(reason, "backend: the CPU needs no device");
        return QPEL_ERROR_INVALID;
    }
    enum qpel_result r = check_device(on, reason);
    if (!r)
        r = qpel_context_create_on(out, params, on, reason);
    if (r && !*reason)
        qpel_reason_set(reason, "%s", qpel_result_name(r));
    return r;
}

/* ---- batches ---- */

/* What both ways have in common. */
static enum qpel_result check_batch(const struct qpel_batch *batch, struct qpel_report *report)
{
    if (!batch) {
        report->fault = QPEL_FAULT_NULL;
        return QPEL_ERROR_INVALID;
    }
    if (!batch->context->on_callers_device) {
        qpel_reason_set(report->reason, "the context has a device of its own");
        return QPEL_ERROR_INVALID;
    }
    if (batch->state == BATCH_EMPTY) {
        qpel_reason_set(report->reason, "nothing was begun");
        return QPEL_ERROR_INVALID;
    }
    qpel_reason_set(report->reason, "asked for");
    return QPEL_OK;
}

enum qpel_result qpel_vulkan_record(struct qpel_batch *batch, VkCommandBuffer commands,
                                    struct qpel_report *report)
{
    struct qpel_report unwanted;
    if (!report)
        report = &unwanted;
    report_clear(report);
    enum qpel_result r = check_batch(batch, report);
    if (!r && !commands) {
        report->fault = QPEL_FAULT_NULL;
        r = QPEL_ERROR_INVALID;
    }
    qpel_ticket ticket;
    const struct qpel_submit_params none = { .backend = QPEL_BACKEND_GPU };
    const struct gpu_wish wish = { .commands = commands };
    return r ? r : qpel_submit_gpu(batch, &none, &wish, RUNNER_CALLER, &ticket, report);
}

enum qpel_result qpel_vulkan_recorded_done(struct qpel_batch *batch)
{
    if (!batch)
        return QPEL_ERROR_INVALID;
    pthread_mutex_lock(&batch->context->lock);
    bool recorded = batch->state == BATCH_RUNNING && batch->runner == RUNNER_CALLER;
    if (recorded)
        qpel_ticket_finish(batch, QPEL_OK);
    pthread_mutex_unlock(&batch->context->lock);
    return recorded ? QPEL_OK : QPEL_ERROR_INVALID;
}

static enum qpel_result check_semaphores(const struct qpel_vulkan_semaphore *list, uint32_t count,
                                         bool timelines, struct qpel_report *report)
{
    if (count > QPEL_VULKAN_SEMAPHORE_MAX) {
        qpel_reason_set(report->reason, "%u semaphores, %d are the most", count,
                        QPEL_VULKAN_SEMAPHORE_MAX);
        return QPEL_ERROR_INVALID;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!list || !list[i].semaphore) {
            report->fault = QPEL_FAULT_NULL;
            return QPEL_ERROR_INVALID;
        }
        if (list[i].value && !timelines) {
            qpel_reason_set(report->reason, "a semaphore's value, but no timeline_semaphore");
            return QPEL_ERROR_INVALID;
        }
    }
    return QPEL_OK;
}

enum qpel_result qpel_vulkan_submit(struct qpel_batch *batch,
                                    const struct qpel_submit_params *params,
                                    const struct qpel_vulkan_semaphores *semaphores,
                                    qpel_ticket *ticket, struct qpel_report *report)
{
    static const struct qpel_submit_params defaults;
    struct qpel_report unwanted;
    if (!report)
        report = &unwanted;
    if (!params)
        params = &defaults;
    report_clear(report);
    enum qpel_result r = check_batch(batch, report);
    if (!r && !ticket) {
        report->fault = QPEL_FAULT_NULL;
        r = QPEL_ERROR_INVALID;
    }
    if (!r && params->backend != QPEL_BACKEND_AUTO && params->backend != QPEL_BACKEND_GPU) {
        report->fault = QPEL_FAULT_BACKEND;
        qpel_reason_set(report->reason, "backend: the CPU takes no semaphores");
        r = QPEL_ERROR_INVALID;
    }
    if (!r && semaphores) {
        bool timelines = batch->context->gpu->device.timelines;
        r = check_semaphores(semaphores->wait, semaphores->wait_count, timelines, report);
        if (!r)
            r = check_semaphores(semaphores->signal, semaphores->signal_count, timelines, report);
    }
    const struct gpu_wish wish = { .semaphores = semaphores };
    return r ? r : qpel_submit_gpu(batch, params, &wish, RUNNER_GPU, ticket, report);
}
