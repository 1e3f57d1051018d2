/* A command buffer: recording, submission, the wait for its end. */
#ifndef QPEL_VK_COMMANDS_H
#define QPEL_VK_COMMANDS_H

#include "stamps.h"

struct qvk_commands {
    VkCommandPool pool;
    VkCommandBuffer buffer;
    VkFence fence;
    struct qvk_stamps stamps;
    atomic_bool pending; /* submitted, and not seen to end */
    /* For a descriptor that tells the end: */
    VkSemaphore ended; /* null: not needed so far */
    bool signals;      /* the next submission, or the last, signals it */
    bool unfit;        /* it is signalled, and nobody took that from it: it can't be again */
    bool exported;     /* the last submission's descriptor is here: */
    int fd;            /* ours; -1: the end came before it */
};

/* Logs with `reason` where there is one, which is then filled; else as QVK_CHECK() does. */
enum qpel_result qvk_commands_open(struct qvk_commands *commands, struct qvk_device *device,
                                   char *reason);
/* Only where nothing is pending. */
void qvk_commands_close(struct qvk_commands *commands, struct qvk_device *device);

/* ---- barriers, in anybody's command buffer ---- */

/* What the CPU and earlier work's shaders wrote is visible to the shaders that follow. */
void qvk_barrier_first(const struct qvk_device *device, VkCommandBuffer commands);
/* What shaders wrote so far is visible to those that follow. */
void qvk_barrier_between(const struct qvk_device *device, VkCommandBuffer commands);
/* What they wrote is visible to the CPU once a fence tells of it (but for the invalidation of
 * memory that is not coherent). */
void qvk_barrier_last(const struct qvk_device *device, VkCommandBuffer commands);

/* Buffers that others share, at most so many: from here on they are this queue's family's, or those
 * others': of any device where VK_EXT_queue_family_foreign is enabled, else of this one's driver.
 */
#define QVK_OWNED_MAX 32
void qvk_barrier_owner(const struct qvk_device *device, VkCommandBuffer commands,
                       const VkBuffer *buffers, uint32_t count, bool ours);

/* ---- recording and submission ---- */

/* Starts recording, nothing being pending, with the first barrier. What follows up to
 * qvk_commands_finish() is between the stamps, if they are used. */
enum qpel_result qvk_commands_begin(struct qvk_commands *commands, struct qvk_device *device);
/* The last barrier. */
void qvk_commands_finish(struct qvk_commands *commands, struct qvk_device *device);
/* Ends recording and submits; with semaphores, which are valid, where not null. Any thread, with
 * others at the same queue. */
enum qpel_result qvk_commands_submit(struct qvk_commands *commands, struct qvk_device *device,
                                     const struct qpel_vulkan_semaphores *semaphores);

/* Before a submission, nothing being pending: whether it is to signal its end to a descriptor.
 * UNSUPPORTED (the device can't), NOMEM, DEVICE_LOST: reason is filled. */
enum qpel_result qvk_commands_signal(struct qvk_commands *commands, struct qvk_device *device,
                                     bool wish, char reason[QPEL_REASON_SIZE]);
/* That descriptor, a new one each time; -1: the end came before it. NOMEM, DEVICE_LOST. One thread
 * at a time, and not beside a submission. */
enum qpel_result qvk_commands_fd(struct qvk_commands *commands, struct qvk_device *device, int *fd);

/* TIMEOUT: the work still runs. DEVICE_LOST: its end can't be seen, and then it stays pending, but
 * for that of a device of which Vulkan says that it is lost: all its work counts as ended.
 * Any thread. */
enum qpel_result qvk_commands_wait(struct qvk_commands *commands, struct qvk_device *device,
                                   uint64_t timeout_ns);

#endif
