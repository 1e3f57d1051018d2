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
};

/* Logs with `reason` where there is one, which is then filled; else as QVK_CHECK() does. */
enum qpel_result qvk_commands_open(struct qvk_commands *commands, struct qvk_device *device,
                                   char *reason);
/* Only where nothing is pending. */
void qvk_commands_close(struct qvk_commands *commands, struct qvk_device *device);

/* Starts recording, nothing being pending: what the CPU and earlier work wrote is visible to the
 * shaders. What follows up to qvk_commands_finish() is between the stamps, if they are used. */
enum qpel_result qvk_commands_begin(struct qvk_commands *commands, struct qvk_device *device);
/* What shaders wrote so far is visible to those that follow. */
void qvk_commands_separate(struct qvk_commands *commands, struct qvk_device *device);
/* Ends the shaders' work: what they wrote is visible to the CPU once the fence is signalled (but
 * for the invalidation of memory that is not coherent). */
void qvk_commands_finish(struct qvk_commands *commands, struct qvk_device *device);
/* Ends recording and submits. Any thread, with others at the same queue. */
enum qpel_result qvk_commands_submit(struct qvk_commands *commands, struct qvk_device *device);

/* TIMEOUT: the work still runs. DEVICE_LOST: its end can't be seen, and then it stays pending, but
 * for that of a device of which Vulkan says that it is lost: all its work counts as ended.
 * Any thread. */
enum qpel_result qvk_commands_wait(struct qvk_commands *commands, struct qvk_device *device,
                                   uint64_t timeout_ns);

#endif
