/* Extensions that a device may offer, and that we use where they are enabled. Nothing needs them.
 */
#ifndef QPEL_VK_EXTENSIONS_H
#define QPEL_VK_EXTENSIONS_H

#include <stdbool.h>

#include "loader.h"

#define QVK_EXTENSIONS(X)                                                                          \
    X(memory_fd, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME)                                         \
    X(dma_buf, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME)                                      \
    X(memory_host, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME)                                     \
    X(semaphore_fd, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME)                                   \
    X(family_foreign, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME)

/* A bool each: that the device offers it; or that it is enabled. */
struct qvk_extensions {
#define QVK_MEMBER(member, name) bool member;
    QVK_EXTENSIONS(QVK_MEMBER)
#undef QVK_MEMBER
};

#define QVK_COUNT(member, name) +1
enum { QVK_EXTENSION_COUNT = 0 QVK_EXTENSIONS(QVK_COUNT) };
#undef QVK_COUNT

/* Sets the one of this name, if it is one. */
void qvk_extensions_add(struct qvk_extensions *extensions, const char *name);
/* Their names; returns how many. */
uint32_t qvk_extensions_names(const struct qvk_extensions *extensions,
                              const char *names[QVK_EXTENSION_COUNT]);

/* What buffers are made for: our shaders, and commands of callers'
 * (qpel_vulkan_picture_buffer()). */
#define QVK_BUFFER_USAGE                                                                           \
    (VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |                       \
     VK_BUFFER_USAGE_TRANSFER_DST_BIT)

/* What a physical device does with them. */
struct qvk_sharing {
    /* Of dma-bufs, and of host memory: VkExternalMemoryFeatureFlags of such buffers. */
    VkExternalMemoryFeatureFlags dma_buf, host;
    VkDeviceSize host_alignment; /* of addresses and sizes */
    bool sync_fd;                /* semaphores can be exported as one */
};

/* Asks the device about those that it offers. */
void qvk_sharing_ask(struct qvk_sharing *sharing, const struct qvk_instance *instance,
                     VkPhysicalDevice device, const struct qvk_extensions *offered);

#endif
