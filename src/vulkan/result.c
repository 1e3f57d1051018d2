#include "result.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool qvk_health_init(struct qvk_health *health, const struct log *log)
{
    health->log = log;
    atomic_init(&health->lost, false);
    health->reason[0] = 0;
    return !pthread_mutex_init(&health->lock, NULL);
}

void qvk_health_destroy(struct qvk_health *health)
{
    pthread_mutex_destroy(&health->lock);
}

bool qvk_lost(struct qvk_health *health)
{
    return atomic_load_explicit(&health->lost, memory_order_acquire);
}

void qvk_lose(struct qvk_health *health, const char *format, ...)
{
    bool first = false;
    pthread_mutex_lock(&health->lock);
    if (!qvk_lost(health)) {
        va_list ap;
        va_start(ap, format);
        vsnprintf(health->reason, sizeof health->reason, format, ap);
        va_end(ap);
        atomic_store_explicit(&health->lost, true, memory_order_release);
        first = true;
    }
    pthread_mutex_unlock(&health->lock);
    if (first)
        qpel_log_line(health->log, QPEL_LOG_ERROR, "GPU lost: %s", health->reason);
}

const char *qvk_result_name(VkResult result)
{
#define NAME(name)                                                                                 \
    case name:                                                                                     \
        return #name;
    switch ((int)result) {
        NAME(VK_SUCCESS)
        NAME(VK_NOT_READY)
        NAME(VK_TIMEOUT)
        NAME(VK_INCOMPLETE)
        NAME(VK_ERROR_OUT_OF_HOST_MEMORY)
        NAME(VK_ERROR_OUT_OF_DEVICE_MEMORY)
        NAME(VK_ERROR_INITIALIZATION_FAILED)
        NAME(VK_ERROR_DEVICE_LOST)
        NAME(VK_ERROR_MEMORY_MAP_FAILED)
        NAME(VK_ERROR_LAYER_NOT_PRESENT)
        NAME(VK_ERROR_EXTENSION_NOT_PRESENT)
        NAME(VK_ERROR_FEATURE_NOT_PRESENT)
        NAME(VK_ERROR_INCOMPATIBLE_DRIVER)
        NAME(VK_ERROR_TOO_MANY_OBJECTS)
        NAME(VK_ERROR_FORMAT_NOT_SUPPORTED)
        NAME(VK_ERROR_FRAGMENTED_POOL)
        NAME(VK_ERROR_UNKNOWN)
        NAME(VK_ERROR_OUT_OF_POOL_MEMORY)
        NAME(VK_ERROR_INVALID_EXTERNAL_HANDLE)
    }
#undef NAME
    return "an unknown VkResult";
}

static enum qpel_result map(VkResult result)
{
    switch ((int)result) {
    case VK_SUCCESS:
        return QPEL_OK;
    case VK_NOT_READY:
        return QPEL_ERROR_BUSY;
    case VK_TIMEOUT:
        return QPEL_ERROR_TIMEOUT;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_MEMORY_MAP_FAILED:
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_FRAGMENTED_POOL:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
        return QPEL_ERROR_NOMEM;
    }
    return QPEL_ERROR_DEVICE_LOST;
}

/* The function's name within the text of a call. */
static const char *function_name(const char *call, int *length)
{
    size_t end = strcspn(call, "("), start = end;
    while (start > 0 && (isalnum((unsigned char)call[start - 1]) || call[start - 1] == '_'))
        start--;
    *length = (int)(end - start);
    return call + start;
}

enum qpel_result qvk_check(struct qvk_health *health, VkResult result, const char *call)
{
    enum qpel_result r = map(result);
    if (r == QPEL_OK || r == QPEL_ERROR_BUSY)
        return r;
    qpel_log_line(health->log, QPEL_LOG_ERROR, "%s: %s (%d)", call, qvk_result_name(result),
                  (int)result);
    int length;
    const char *name = function_name(call, &length);
    if (r != QPEL_ERROR_NOMEM)
        qvk_lose(health, "%s from %.*s", qvk_result_name(result), length, name);
    return r;
}

enum qpel_result qvk_check_open(const struct log *log, char reason[QPEL_REASON_SIZE],
                                VkResult result, const char *call)
{
    enum qpel_result r = map(result);
    if (!r)
        return r;
    qpel_log_line(log, QPEL_LOG_INFO, "%s: %s (%d)", call, qvk_result_name(result), (int)result);
    int length;
    const char *name = function_name(call, &length);
    if (result == VK_ERROR_INCOMPATIBLE_DRIVER)
        qpel_reason_set(reason, "no Vulkan driver (VK_ERROR_INCOMPATIBLE_DRIVER)");
    else
        qpel_reason_set(reason, "driver failed: %s from %.*s", qvk_result_name(result), length,
                        name);
    return r == QPEL_ERROR_NOMEM ? r : QPEL_ERROR_UNSUPPORTED;
}
