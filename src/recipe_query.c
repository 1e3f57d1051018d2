/* Predictions, and the choice. */
#include "context.h"
#include "recipe.h"
#include "validate.h"

struct prediction {
    double wall, cpu; /* seconds; negative: no line */
    enum qpel_origin origin;
};

size_t qpel_job_staged_bytes(const struct job *job)
{
    size_t side = (size_t)block_width(job->size), bytes = 0;
    if (!job->src.buffer)
        bytes += job->src.end - job->src.first;
    if (!job->dst.buffer) {
        bytes += job->count * side * side;
        if (job->operation == QPEL_AVG)
            bytes += job->dst.end - job->dst.first;
    }
    return bytes;
}

static double sum(const struct qpel_cost *cost, const double count[QPEL_TERM_COUNT], bool cpu,
                  double fixed)
{
    double ns = fixed;
    for (int t = 0; t < QPEL_TERM_COUNT; t++)
        if (t != QPEL_TERM_FIXED)
            ns += count[t] * (cpu ? cost->price[t].cpu : cost->price[t].wall);
    return ns * 1e-9;
}

static struct prediction predict(const struct qpel_recipe *recipe, enum qpel_backend backend,
                                 const char *device, const struct question *q)
{
    const struct qpel_recipe_line *line = qpel_recipe_find(recipe, backend, device, &q->class);
    if (!line || line->cost.origin == QPEL_ORIGIN_UNMEASURED)
        return (struct prediction){ -1, -1, QPEL_ORIGIN_UNMEASURED };
    const struct qpel_cost *c = &line->cost;
    double count[QPEL_TERM_COUNT], shared[QPEL_TERM_COUNT];
    unsigned slices = backend == QPEL_BACKEND_CPU ? q->slices : 1;
    for (int t = 0; t < QPEL_TERM_COUNT; t++) {
        /* Nothing is staged for the CPU. */
        count[t] = backend == QPEL_BACKEND_CPU && t == QPEL_TERM_BYTE ? 0 : q->count[t];
        shared[t] = count[t] / slices;
    }
    return (struct prediction){
        .wall = sum(c, shared, false, c->price[QPEL_TERM_FIXED].wall),
        .cpu = sum(c, count, true, c->price[QPEL_TERM_FIXED].cpu),
        .origin = c->origin,
    };
}

static bool gpu_wins(const struct qpel_context *context, struct prediction cpu,
                     struct prediction gpu)
{
    if (context->preference == QPEL_PREFER_WALL_TIME)
        return gpu.wall < cpu.wall;
    double slowdown = 1 + context->max_slowdown_percent / 100.0;
    if (gpu.cpu < cpu.cpu)
        return gpu.wall <= cpu.wall * slowdown;
    return cpu.wall > gpu.wall * slowdown;
}

void qpel_recipe_choose(const struct qpel_context *context, const struct question *q,
                        struct qpel_recipe_answer *answer)
{
    struct prediction cpu = predict(context->recipe, QPEL_BACKEND_CPU, context->cpu_name, q);
    struct prediction device = { -1, -1, QPEL_ORIGIN_UNMEASURED };
    const char *name = "";
    const char *what = q->class.work == QPEL_WORK_PICTURE ? "pictures" : "this kernel";
    if (q->gpu) {
        size_t count;
        int taken;
        name = qpel_gpu_devices(q->gpu, &count, &taken)[taken].name;
        device = predict(context->recipe, QPEL_BACKEND_GPU, name, q);
    }
    *answer = (struct qpel_recipe_answer){
        .backend = QPEL_BACKEND_CPU,
        .cpu_wall = cpu.wall,
        .cpu_cpu = cpu.cpu,
        .gpu_wall = device.wall,
        .gpu_cpu = device.cpu,
        .cpu_origin = cpu.origin,
        .gpu_origin = device.origin,
    };
    if (!q->gpu) {
        qpel_reason_set(answer->reason, "no GPU: %s", q->why);
    } else if (q->why) {
        qpel_reason_set(answer->reason, "the GPU can't: %s", q->why);
    } else if (device.wall < 0) {
        qpel_reason_set(answer->reason, "unmeasured GPU: the recipe has no cost of %s on %.90s",
                        what, name);
    } else if (cpu.wall < 0) {
        qpel_reason_set(answer->reason, "unmeasured CPU: the recipe has no cost of %s on %.90s",
                        what, context->cpu_name);
    } else {
        bool wins = gpu_wins(context, cpu, device);
        if (wins)
            answer->backend = QPEL_BACKEND_GPU;
        qpel_reason_set(answer->reason,
                        "by %s: cpu %.1f us (%s), gpu %.1f us (%s); cpu time %.1f and %.1f us",
                        context->preference == QPEL_PREFER_WALL_TIME ? "wall time" : "CPU time",
                        cpu.wall * 1e6, qpel_origin_name(cpu.origin), device.wall * 1e6,
                        qpel_origin_name(device.origin), cpu.cpu * 1e6, device.cpu * 1e6);
    }
}

void qpel_recipe_settle(const struct qpel_context *context, struct qpel_recipe_answer *answer)
{
    if (context->backend == QPEL_BACKEND_AUTO)
        return;
    answer->backend = context->backend;
    qpel_reason_set(answer->reason, "the context was made for the %s",
                    context->backend == QPEL_BACKEND_CPU ? "CPU" : "GPU");
}

/* ---- dispatches ---- */

void qpel_recipe_choose_job(const struct qpel_context *context, const struct gpu *gpu,
                            const char *gpu_reason, const struct job *job,
                            struct qpel_recipe_answer *answer)
{
    struct question q = {
        .gpu = gpu,
        .why = gpu ? qpel_gpu_refuses(gpu, job) : gpu_reason,
        .class = { QPEL_WORK_KERNEL, job->operation, job->size,
                   qpel_positions[job->position].family },
        .count = { [QPEL_TERM_FIXED] = 1,
                   [QPEL_TERM_BLOCK] = (double)job->count,
                   [QPEL_TERM_BYTE] = (double)qpel_job_staged_bytes(job) },
        .slices = 1,
    };
    qpel_recipe_choose(context, &q, answer);
}

/* The job as far as it is known without its blocks: staging takes whole planes. */
static struct job job_without_blocks(const struct qpel_dispatch_params *p)
{
    struct job job = {
        .operation = p->operation,
        .size = p->size,
        .position = p->position,
        .dst = { .size = p->dst.size, .end = p->dst.size, .stride = p->dst.stride },
        .src = { .size = p->src.size, .end = p->src.size, .stride = p->src.stride },
        .count = p->count,
        .words = true,
    };
    if (p->dst.buffer)
        job.dst.buffer = p->dst.buffer->gpu_buffer;
    if (p->src.buffer)
        job.src.buffer = p->src.buffer->gpu_buffer;
    job.words = ((p->dst.offset | (uintptr_t)p->dst.data | (size_t)p->dst.stride) & 3) == 0;
    return job;
}

enum qpel_result qpel_recipe_query(struct qpel_context *context,
                                   const struct qpel_dispatch_params *params,
                                   struct qpel_recipe_answer *answer)
{
    if (!context || !params || !answer || qpel_validate_kernel(params))
        return QPEL_ERROR_INVALID;
    enum qpel_result r;
    char reason[QPEL_REASON_SIZE] = "";
    struct gpu *gpu = qpel_context_open_gpu(context, false, &r, reason);
    struct job job = job_without_blocks(params);
    qpel_recipe_choose_job(context, gpu, reason, &job, answer);
    qpel_recipe_settle(context, answer);
    return QPEL_OK;
}
