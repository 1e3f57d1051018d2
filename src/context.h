/* The context's inside. */
#ifndef QPEL_SRC_CONTEXT_H
#define QPEL_SRC_CONTEXT_H

#include <pthread.h>

#include "cpu/kernels.h"
#include "gpu.h"
#include "log.h"
#include "qpel/context.h"
#include "qpel/recipe.h"

/* Memory for the overlap check of one call; kept, so that steady state allocates nothing. */
struct scratch {
    struct scratch *next;
    uint64_t *words;
    size_t count;
};

enum gpu_state {
    GPU_UNTRIED,
    GPU_OPEN, /* opened, its self-test not run yet */
    GPU_WORKING,
    GPU_NONE,  /* there is none; gpu may still list devices */
    GPU_FAILED /* lost, or its self-test failed */
};

struct qpel_context {
    /* Written by qpel_context_create() only. */
    struct log log;
    unsigned cpu_mask;
    struct qpel_kernels kernels;
    char cpu_name[QPEL_NAME_SIZE];
    const char *cpu_layer; /* qpel_dsp_layer(); asking the CPU each time costs microseconds */
    enum qpel_backend backend;
    char *device; /* null: the first real one */
    struct qpel_recipe *recipe;
    enum qpel_preference preference;
    unsigned max_slowdown_percent;
    unsigned timeout_ms;
    bool on_callers_device;

    pthread_mutex_t lock;    /* for all below, and the counts of the context's buffers */
    pthread_cond_t finished; /* a batch is done; by the monotonic clock */
    enum gpu_state gpu_state;
    struct gpu *gpu;
    char gpu_reason[QPEL_REASON_SIZE];
    struct scratch *scratch;    /* those not in use */
    struct qpel_batch *batches; /* all of them */
    struct picture_chunk *chunks;
    bool no_heap;             /* none can be opened */
    uint64_t pictures_tested; /* kinds that the GPU gets right, a bit each: picture_self_test.c */
    bool pictures_in_test;    /* a thread tests one */
    uint64_t last_ticket;
};

struct qpel_buffer {
    struct qpel_context *context;
    size_t size;
    void *data;
    struct gpu_buffer *gpu_buffer; /* null: the CPU's own memory */
    unsigned accesses;             /* open CPU accesses */
    unsigned dispatches;           /* running */
};

/* qpel_context_create(), on a device of the caller's, whose handles are there; null: none. `reason`
 * is filled where the device is at fault. */
enum qpel_result qpel_context_create_on(struct qpel_context **out,
                                        const struct qpel_context_params *params,
                                        const struct qpel_vulkan_params *vulkan,
                                        char reason[QPEL_REASON_SIZE]);

/* Of a call in which nothing has happened yet. */
static inline void report_clear(struct qpel_report *report)
{
    *report = (struct qpel_report){ .gpu_seconds = -1, .fault_block = SIZE_MAX };
}

/* The context's GPU, opened on first need and, if `tested`, self-tested before it may run
 * anything. Null: there is none that works; *result (UNSUPPORTED or DEVICE_LOST) and
 * reason tell why. */
struct gpu *qpel_context_open_gpu(struct qpel_context *context, bool tested,
                                  enum qpel_result *result, char reason[QPEL_REASON_SIZE]);

/* Remembers that the GPU failed while in use. */
void qpel_context_gpu_failed(struct qpel_context *context, const char *reason);
/* The same with the lock held. */
void qpel_context_gpu_failed_locked(struct qpel_context *context, const char *reason);

/* A scratch with room for `words`; null: no memory. Its contents are anything. */
struct scratch *qpel_context_scratch_take(struct qpel_context *context, size_t words);
void qpel_context_scratch_give(struct qpel_context *context, struct scratch *scratch);

/* The CPU's own memory, as qpel_gpu_buffer_create() would make it; to be freed with free(). */
void *qpel_context_own_memory(size_t size);

#endif
