/* Which Vulkan devices there are, and which one to take. */
#ifndef QPEL_VK_LIST_H
#define QPEL_VK_LIST_H

#include "extensions.h"
#include "loader.h"
#include "qpel/vulkan.h"

/* What is kept of a device beyond what qpel_device tells. */
struct qvk_candidate {
    VkPhysicalDevice handle;
    uint32_t family;         /* of its queue */
    uint32_t timestamp_bits; /* valid ones, 0: no timestamps */
    double tick_seconds;     /* of its clock */
    VkDeviceSize atom;       /* nonCoherentAtomSize */
    VkDeviceSize max_allocation;
    VkPhysicalDeviceMemoryProperties memory;
    struct qvk_extensions extensions; /* that it offers, or its owner has enabled, */
    struct qvk_sharing sharing;       /* and what it can do with them */
    unsigned rank; /* the greater the better; 0: can't or must not be taken, info says why */
};

struct qvk_list {
    struct qpel_device *info; /* .taken and .reason for the caller to finish */
    struct qvk_candidate *candidates;
    size_t count;
};

/* Lists all devices and ranks them for `wanted` (qpel_context_params.device). A machine without
 * devices is QPEL_OK with count 0. */
enum qpel_result qvk_list_open(struct qvk_list *list, const struct qvk_instance *instance,
                               const char *wanted, const struct log *log,
                               char reason[QPEL_REASON_SIZE]);
/* A list of one, which is fit or the result says why not: a caller's device, its family and
 * extensions. INVALID: there is no such family, or it does not compute. UNSUPPORTED, NOMEM. */
enum qpel_result qvk_list_adopt(struct qvk_list *list, const struct qvk_instance *instance,
                                const struct qpel_vulkan_params *on, char reason[QPEL_REASON_SIZE]);
void qvk_list_close(struct qvk_list *list);

/* The best one that has not been tried; -1: none is left. */
int qvk_list_best(const struct qvk_list *list);

#endif
