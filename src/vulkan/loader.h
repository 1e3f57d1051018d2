/* The Vulkan loader, opened at run time, and an instance's functions. */
#ifndef QPEL_VK_LOADER_H
#define QPEL_VK_LOADER_H

#include "log.h"
#include "vk.h"

/* The functions of an instance that we call, all of Vulkan 1.1. */
#define QVK_INSTANCE_FUNCTIONS(X)                                                                  \
    X(DestroyInstance)                                                                             \
    X(EnumeratePhysicalDevices)                                                                    \
    X(GetPhysicalDeviceProperties)                                                                 \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                      \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(GetPhysicalDeviceExternalBufferProperties)                                                   \
    X(GetPhysicalDeviceExternalSemaphoreProperties)                                                \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(CreateDevice)

/* The functions of a device that we call, all of Vulkan 1.0. */
#define QVK_DEVICE_FUNCTIONS(X)                                                                    \
    X(AllocateCommandBuffers)                                                                      \
    X(AllocateDescriptorSets)                                                                      \
    X(AllocateMemory)                                                                              \
    X(BeginCommandBuffer)                                                                          \
    X(BindBufferMemory)                                                                            \
    X(CmdBindDescriptorSets)                                                                       \
    X(CmdBindPipeline)                                                                             \
    X(CmdDispatch)                                                                                 \
    X(CmdPipelineBarrier)                                                                          \
    X(CmdPushConstants)                                                                            \
    X(CmdResetQueryPool)                                                                           \
    X(CmdWriteTimestamp)                                                                           \
    X(CreateBuffer)                                                                                \
    X(CreateCommandPool)                                                                           \
    X(CreateComputePipelines)                                                                      \
    X(CreateDescriptorPool)                                                                        \
    X(CreateDescriptorSetLayout)                                                                   \
    X(CreateFence)                                                                                 \
    X(CreatePipelineCache)                                                                         \
    X(CreatePipelineLayout)                                                                        \
    X(CreateQueryPool)                                                                             \
    X(CreateSemaphore)                                                                             \
    X(CreateShaderModule)                                                                          \
    X(DestroyBuffer)                                                                               \
    X(DestroyCommandPool)                                                                          \
    X(DestroyDescriptorPool)                                                                       \
    X(DestroyDescriptorSetLayout)                                                                  \
    X(DestroyDevice)                                                                               \
    X(DestroyFence)                                                                                \
    X(DestroyPipeline)                                                                             \
    X(DestroyPipelineCache)                                                                        \
    X(DestroyPipelineLayout)                                                                       \
    X(DestroyQueryPool)                                                                            \
    X(DestroySemaphore)                                                                            \
    X(DestroyShaderModule)                                                                         \
    X(EndCommandBuffer)                                                                            \
    X(FlushMappedMemoryRanges)                                                                     \
    X(FreeMemory)                                                                                  \
    X(GetBufferMemoryRequirements)                                                                 \
    X(GetDeviceQueue)                                                                              \
    X(GetFenceStatus)                                                                              \
    X(GetQueryPoolResults)                                                                         \
    X(InvalidateMappedMemoryRanges)                                                                \
    X(MapMemory)                                                                                   \
    X(QueueSubmit)                                                                                 \
    X(ResetCommandPool)                                                                            \
    X(ResetFences)                                                                                 \
    X(UpdateDescriptorSets)                                                                        \
    X(WaitForFences)

struct qvk_instance {
    PFN_vkGetInstanceProcAddr get_proc;
    VkInstance handle;
    bool owned;
#define QVK_MEMBER(name) PFN_vk##name name;
    QVK_INSTANCE_FUNCTIONS(QVK_MEMBER)
#undef QVK_MEMBER
};

/* Opens the loader and makes an instance of Vulkan 1.1. `loader` is a vkGetInstanceProcAddr to use
 * instead of the system's, for tests; null: libvulkan's. Fills reason on failure. */
enum qpel_result qvk_instance_open(struct qvk_instance *instance, void (*loader)(void),
                                   const struct log *log, char reason[QPEL_REASON_SIZE]);
/* Takes a caller's instance of Vulkan 1.1 or later into use. */
enum qpel_result qvk_instance_adopt(struct qvk_instance *instance,
                                    PFN_vkGetInstanceProcAddr get_proc, VkInstance handle,
                                    char reason[QPEL_REASON_SIZE]);
/* Destroys it if it is ours. */
void qvk_instance_close(struct qvk_instance *instance);

/* Functions that change the loader's lists, apart from each other and from all that walks them:
 * that of 1.4.309 walks the drivers and devices of all instances without a lock in
 * vkGetDeviceProcAddr, while vkEnumeratePhysicalDevices lets go of drivers that have no device. */
VkResult qvk_enumerate_devices(const struct qvk_instance *instance, uint32_t *count,
                               VkPhysicalDevice *devices);
VkResult qvk_create_device(const struct qvk_instance *instance, VkPhysicalDevice at,
                           const VkDeviceCreateInfo *info, VkDevice *out);
void qvk_destroy_device(const struct VolkDeviceTable *table, VkDevice device);

/* Fills the table of a device of this instance; false where one of the functions above is
 * missing. */
bool qvk_device_table(const struct qvk_instance *instance, VkDevice device,
                      struct VolkDeviceTable *table);

#endif
