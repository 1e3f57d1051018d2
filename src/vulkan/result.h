/* The one place where results of Vulkan are looked at. */
#ifndef QPEL_VK_RESULT_H
#define QPEL_VK_RESULT_H

#include <pthread.h>
#include <stdatomic.h>

#include "log.h"
#include "vk.h"

/* Whether a device still works. Once lost, it stays so. */
struct qvk_health {
    const struct log *log;
    pthread_mutex_t lock; /* for writing the reason */
    atomic_bool lost;
    char reason[QPEL_REASON_SIZE]; /* written once, before `lost` */
};

bool qvk_health_init(struct qvk_health *health, const struct log *log);
void qvk_health_destroy(struct qvk_health *health);
bool qvk_lost(struct qvk_health *health);
/* Marks the device as lost; the first reason stays. */
void qvk_lose(struct qvk_health *health, const char *format, ...) QPEL_PRINTF(2, 3);

/* "VK_ERROR_DEVICE_LOST" and so on. */
const char *qvk_result_name(VkResult result);

/* Maps, logs what is not success, and marks the device as lost unless memory has run out or a
 * result is not there yet (VK_NOT_READY: QPEL_ERROR_BUSY, not logged). */
enum qpel_result qvk_check(struct qvk_health *health, VkResult result, const char *call);
#define QVK_CHECK(health, call) qvk_check(health, call, #call)

/* The same while there is no device yet: fills reason. */
enum qpel_result qvk_check_open(const struct log *log, char reason[QPEL_REASON_SIZE],
                                VkResult result, const char *call);
#define QVK_CHECK_OPEN(log, reason, call) qvk_check_open(log, reason, call, #call)

#endif
