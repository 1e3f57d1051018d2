/* An opened device: its functions, its queue, its limits. Who opened it does not matter to the
 * rest of src/vulkan/. */
#ifndef QPEL_VK_DEVICE_H
#define QPEL_VK_DEVICE_H

#include "list.h"
#include "plan.h"
#include "qpel/vulkan.h"
#include "result.h"

struct qvk_device {
    VkDevice handle;
    VkQueue queue;
    pthread_mutex_t queue_lock; /* for submissions, where there is none of the caller's: */
    void (*lock_queue)(void *user);
    void (*unlock_queue)(void *user);
    void *lock_user;
    struct VolkDeviceTable vk;
    struct qvk_health *health;
    const struct qpel_device *info; /* in the list that it was chosen from */
    struct qvk_candidate at;        /* likewise, a copy */
    struct qvk_extensions on;       /* enabled, and their functions are there */
    /* Of every descriptor set: one storage buffer, binding 0. */
    VkDescriptorSetLayout set_layout;
    unsigned luma_runs; /* how luma is split into dispatches (plan.h) */
    bool owned;
    bool timelines;   /* the feature timelineSemaphore is on */
    VkResult refused; /* what the driver said to the extensions that it offers; then none is on */
};

/* Creates a device with one queue; of extensions those are enabled that it offers and we use, or
 * where its driver refuses these none. Fills reason on failure. */
enum qpel_result qvk_device_create(struct qvk_device *device, const struct qvk_instance *instance,
                                   const struct qpel_device *info, const struct qvk_candidate *at,
                                   struct qvk_health *health, char reason[QPEL_REASON_SIZE]);
/* Takes a caller's device into use. */
enum qpel_result qvk_device_adopt(struct qvk_device *device, const struct qvk_instance *instance,
                                  const struct qpel_device *info, const struct qvk_candidate *at,
                                  struct qvk_health *health, const struct qpel_vulkan_params *on,
                                  char reason[QPEL_REASON_SIZE]);
/* Destroys it if it is ours. Null handles are fine. */
void qvk_device_close(struct qvk_device *device);

#endif
