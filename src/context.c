/* secure_getenv() */
#define _GNU_SOURCE
#include "context.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "recipe.h"
#include "self_test.h"

#define DEFAULT_TIMEOUT_MS       2000
#define DEFAULT_SLOWDOWN_PERCENT 100

/* ---- the environment ---- */

static bool parse_backend(const char *text, enum qpel_backend *out)
{
    for (enum qpel_backend b = QPEL_BACKEND_AUTO; b <= QPEL_BACKEND_GPU; b++)
        if (!strcasecmp(text, qpel_backend_name(b))) {
            *out = b;
            return true;
        }
    return false;
}

static bool parse_log_level(const char *text, enum qpel_log_level *out)
{
    static const char *const names[] = { "error", "warning", "info", "debug" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcasecmp(text, names[i])) {
            *out = (enum qpel_log_level)i;
            return true;
        }
    return false;
}

/* An empty variable is an unset one. */
static const char *environment(const char *name)
{
    const char *value = secure_getenv(name);
    return value && *value ? value : NULL;
}

static enum qpel_result take_log(struct qpel_context *c, const struct qpel_context_params *p)
{
    c->log = (struct log){ .fn = p->log, .user = p->log_user, .level = QPEL_LOG_WARNING };
    const char *level = environment("QPEL_LOG");
    if (level && !parse_log_level(level, &c->log.level)) {
        qpel_log_line(&c->log, QPEL_LOG_ERROR, "QPEL_LOG: '%s' is no level", level);
        return QPEL_ERROR_INVALID;
    }
    return QPEL_OK;
}

static enum qpel_result take_backend(struct qpel_context *c, const struct qpel_context_params *p)
{
    c->backend = p->backend;
    const char *name = environment("QPEL_BACKEND");
    if (p->backend == QPEL_BACKEND_AUTO && name && !parse_backend(name, &c->backend)) {
        qpel_log_line(&c->log, QPEL_LOG_ERROR, "QPEL_BACKEND: '%s' is no backend", name);
        return QPEL_ERROR_INVALID;
    }
    const char *device = p->device ? p->device : environment("QPEL_DEVICE");
    if (device && !(c->device = strdup(device)))
        return QPEL_ERROR_NOMEM;
    return QPEL_OK;
}

static enum qpel_result take_recipe(struct qpel_context *c, const struct qpel_context_params *p)
{
    const char *path = environment("QPEL_RECIPE");
    if (p->recipe)
        return qpel_recipe_copy(&c->recipe, p->recipe);
    if (!path)
        return qpel_recipe_default(&c->recipe);
    unsigned line = 0;
    enum qpel_result r = qpel_recipe_load(&c->recipe, path, &line);
    if (r == QPEL_ERROR_INVALID)
        qpel_log_line(&c->log, QPEL_LOG_ERROR, "%s:%u: not a recipe", path, line);
    else if (r)
        qpel_log_line(&c->log, QPEL_LOG_ERROR, "%s: %s", path, qpel_result_name(r));
    return r;
}

/* ---- opening the GPU ---- */

/* With the lock held. */
static enum qpel_result open_gpu_on(struct qpel_context *c, const struct qpel_vulkan_params *vulkan)
{
    c->gpu_state = GPU_NONE;
    if (c->backend == QPEL_BACKEND_CPU) {
        qpel_reason_set(c->gpu_reason, "the context was made for the CPU");
        return QPEL_ERROR_UNSUPPORTED;
    }
    struct gpu_params params = {
        .device = c->device,
        .vulkan = vulkan,
        .timeout_ms = c->timeout_ms,
        .log = &c->log,
    };
    enum qpel_result r = qpel_gpu_open(&c->gpu, &params, c->gpu_reason);
    if (!r)
        c->gpu_state = GPU_OPEN;
    else
        qpel_log_line(&c->log, QPEL_LOG_INFO, "no GPU: %s", c->gpu_reason);
    return r;
}

static void open_gpu(struct qpel_context *c)
{
    if (c->gpu_state == GPU_UNTRIED)
        open_gpu_on(c, NULL);
}

static enum qpel_result take_callers_device(struct qpel_context *c,
                                            const struct qpel_vulkan_params *vulkan,
                                            char reason[QPEL_REASON_SIZE])
{
    pthread_mutex_lock(&c->lock);
    c->on_callers_device = true;
    enum qpel_result r = open_gpu_on(c, vulkan);
    if (r)
        memcpy(reason, c->gpu_reason, QPEL_REASON_SIZE);
    pthread_mutex_unlock(&c->lock);
    return r;
}

/* ---- lifetime ---- */

static bool valid_params(const struct qpel_context_params *p)
{
    return (unsigned)p->backend <= QPEL_BACKEND_GPU &&
           (unsigned)p->preference <= QPEL_PREFER_CPU_TIME;
}

static bool init_lock(struct qpel_context *c)
{
    if (pthread_mutex_init(&c->lock, NULL))
        return false;
    pthread_condattr_t attributes;
    bool good = !pthread_condattr_init(&attributes);
    if (good) {
        good = !pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) &&
               !pthread_cond_init(&c->finished, &attributes);
        pthread_condattr_destroy(&attributes);
    }
    if (!good)
        pthread_mutex_destroy(&c->lock);
    return good;
}

enum qpel_result qpel_context_create_on(struct qpel_context **out,
                                        const struct qpel_context_params *params,
                                        const struct qpel_vulkan_params *vulkan,
                                        char reason[QPEL_REASON_SIZE])
{
    static const struct qpel_context_params defaults;
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = NULL;
    if (!params)
        params = &defaults;
    if (!valid_params(params))
        return QPEL_ERROR_INVALID;
    struct qpel_context *c = calloc(1, sizeof *c);
    if (!c)
        return QPEL_ERROR_NOMEM;
    if (!init_lock(c)) {
        free(c);
        return QPEL_ERROR_NOMEM;
    }
    c->preference = params->preference;
    c->max_slowdown_percent =
        params->max_slowdown_percent ? params->max_slowdown_percent : DEFAULT_SLOWDOWN_PERCENT;
    c->timeout_ms = params->timeout_ms ? params->timeout_ms : DEFAULT_TIMEOUT_MS;
    c->cpu_mask = ~params->cpu_hidden;
    qpel_kernels_init(&c->kernels, c->cpu_mask);
    qpel_cpu_name(c->cpu_name);
    c->cpu_layer = qpel_dsp_layer(c->cpu_mask);

    enum qpel_result r = take_log(c, params);
    if (!r)
        r = take_backend(c, params);
    if (!r)
        r = take_recipe(c, params);
    if (!r && vulkan)
        r = take_callers_device(c, vulkan, reason);
    if (!r && (vulkan || c->backend == QPEL_BACKEND_GPU) &&
        !qpel_context_open_gpu(c, true, &r, reason))
        qpel_log_line(&c->log, QPEL_LOG_ERROR, "no GPU: %s", reason);
    if (r) {
        qpel_context_destroy(&c);
        return r;
    }
    *out = c;
    return QPEL_OK;
}

enum qpel_result qpel_context_create(struct qpel_context **out,
                                     const struct qpel_context_params *params)
{
    char reason[QPEL_REASON_SIZE];
    return qpel_context_create_on(out, params, NULL, reason);
}

void qpel_context_destroy(struct qpel_context **context)
{
    if (!context || !*context)
        return;
    struct qpel_context *c = *context;
    *context = NULL;
    qpel_gpu_close(c->gpu);
    while (c->scratch) {
        struct scratch *s = c->scratch;
        c->scratch = s->next;
        free(s->words);
        free(s);
    }
    pthread_cond_destroy(&c->finished);
    pthread_mutex_destroy(&c->lock);
    qpel_recipe_destroy(&c->recipe);
    free(c->device);
    free(c);
}

/* ---- the GPU ---- */

static void test_gpu(struct qpel_context *c)
{
    if (c->gpu_state != GPU_OPEN)
        return;
    c->gpu_state =
        qpel_self_test(c->gpu, &c->kernels, c->gpu_reason) == QPEL_OK ? GPU_WORKING : GPU_FAILED;
    if (c->gpu_state == GPU_FAILED)
        qpel_log_line(&c->log, QPEL_LOG_WARNING, "the GPU is not used: %s", c->gpu_reason);
}

struct gpu *qpel_context_open_gpu(struct qpel_context *c, bool tested, enum qpel_result *result,
                                  char reason[QPEL_REASON_SIZE])
{
    pthread_mutex_lock(&c->lock);
    open_gpu(c);
    if (tested)
        test_gpu(c);
    bool usable = c->gpu_state == GPU_WORKING || (!tested && c->gpu_state == GPU_OPEN);
    struct gpu *gpu = usable ? c->gpu : NULL;
    *result = gpu                          ? QPEL_OK
              : c->gpu_state == GPU_FAILED ? QPEL_ERROR_DEVICE_LOST
                                           : QPEL_ERROR_UNSUPPORTED;
    if (!gpu)
        memcpy(reason, c->gpu_reason, QPEL_REASON_SIZE);
    pthread_mutex_unlock(&c->lock);
    return gpu;
}

void qpel_context_gpu_failed_locked(struct qpel_context *c, const char *reason)
{
    if (c->gpu_state != GPU_WORKING)
        return;
    c->gpu_state = GPU_FAILED;
    qpel_reason_set(c->gpu_reason, "%s", reason);
    qpel_log_line(&c->log, QPEL_LOG_WARNING, "the GPU is not used any more: %s", reason);
}

void qpel_context_gpu_failed(struct qpel_context *c, const char *reason)
{
    pthread_mutex_lock(&c->lock);
    qpel_context_gpu_failed_locked(c, reason);
    pthread_mutex_unlock(&c->lock);
}

enum qpel_result qpel_context_gpu(struct qpel_context *context, struct qpel_device *device,
                                  char reason[QPEL_REASON_SIZE])
{
    char why[QPEL_REASON_SIZE] = "";
    enum qpel_result r = QPEL_ERROR_INVALID;
    if (context) {
        struct gpu *gpu = qpel_context_open_gpu(context, true, &r, why);
        if (gpu && device) {
            size_t count;
            int taken;
            const struct qpel_device *list = qpel_gpu_devices(gpu, &count, &taken);
            *device = list[taken];
        }
    }
    if (r && reason)
        qpel_reason_set(reason, "%s", context ? why : "the context is null");
    return r;
}

enum qpel_result qpel_context_devices(struct qpel_context *context, struct qpel_device *devices,
                                      size_t *count)
{
    if (!context || !count || (!devices && *count))
        return QPEL_ERROR_INVALID;
    size_t room = *count;
    pthread_mutex_lock(&context->lock);
    open_gpu(context);
    *count = 0;
    if (context->gpu) {
        int taken;
        const struct qpel_device *list = qpel_gpu_devices(context->gpu, count, &taken);
        for (size_t i = 0; i < room && i < *count; i++)
            devices[i] = list[i];
    }
    pthread_mutex_unlock(&context->lock);
    return QPEL_OK;
}

/* ---- scratch memory ---- */

struct scratch *qpel_context_scratch_take(struct qpel_context *c, size_t words)
{
    pthread_mutex_lock(&c->lock);
    struct scratch *s = c->scratch;
    if (s)
        c->scratch = s->next;
    pthread_mutex_unlock(&c->lock);
    if (!s && !(s = calloc(1, sizeof *s)))
        return NULL;
    if (s->count < words) {
        uint64_t *grown = realloc(s->words, words * sizeof *grown);
        if (!grown) {
            qpel_context_scratch_give(c, s);
            return NULL;
        }
        s->words = grown;
        s->count = words;
    }
    return s;
}

void qpel_context_scratch_give(struct qpel_context *c, struct scratch *scratch)
{
    pthread_mutex_lock(&c->lock);
    scratch->next = c->scratch;
    c->scratch = scratch;
    pthread_mutex_unlock(&c->lock);
}
