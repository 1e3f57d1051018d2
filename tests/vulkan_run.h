/* What the tests of qpel/vulkan.h share: the program's device, contexts on it, and a spy between.
 */
#ifndef TESTS_VULKAN_RUN_H
#define TESTS_VULKAN_RUN_H

#include "own_vulkan.h"
#include "targets.h"

/* Of Vulkan 1.2, with timelines. */
extern struct own_vulkan own;

/* Skips the test where there is no such device. */
void need_vulkan(void);

/* A timeout that a busy machine does not reach. */
extern const struct qpel_context_params patient;

struct target open_target(const struct qpel_vulkan_params *on);
/* On `own`, without locks. */
struct target open_plain(void);

/* The device still does what its owner wants. */
void device_works(void);

/* Between the library and Vulkan: whether the queue is locked when it should be, and what must not
 * be called. */
struct spy {
    PFN_vkGetInstanceProcAddr get_instance_proc;
    PFN_vkGetDeviceProcAddr get_device_proc;
    PFN_vkQueueSubmit submit;
    unsigned locks, unlocks, submits, unlocked_submits, forbidden;
    bool locked;
};
extern struct spy spy;

/* Starts it anew, on this device. */
struct qpel_vulkan_params spied(const struct own_vulkan *v);

/* Opens `own`, runs the tests and closes it; the program's exit status. */
#define RUN_VULKAN_GROUP(name, tests) (vulkan_run_open(), vulkan_run_close(RUN_GROUP(name, tests)))
void vulkan_run_open(void);
int vulkan_run_close(int status);

#endif
