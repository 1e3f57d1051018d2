/* The mock's parts, for each other. */
#ifndef TESTS_MOCK_INTERNAL_H
#define TESTS_MOCK_INTERNAL_H

#include "mock_vulkan.h"

extern PFN_vkGetInstanceProcAddr mock_real_get_proc;
extern VkInstance mock_instance;             /* the one made last */
extern const struct mock_device *mock_taken; /* the one that is open */

/* The real function behind one of ours. */
#define REAL(name) ((PFN_vk##name)mock_real_get_proc(mock_instance, "vk" #name))

/* Counts a call, and says whether it is the one to fail. */
VkResult mock_step(const char *name);

void mock_violation(const char *what);

/* Falsifies push constants as mock.lie tells. */
void mock_lie_about(uint8_t *push, uint32_t size);

const struct mock_device *mock_device_of(VkPhysicalDevice device);

/* The first real device that is a software one, or else the first. */
VkPhysicalDevice mock_real_device(void);

/* Its family that stands for those of mock devices. */
uint32_t mock_real_family(void);

/* What the parts put in the place of Vulkan's functions. */
#define MOCKED_DEVICES(X)                                                                          \
    X(CreateInstance)                                                                              \
    X(DestroyInstance)                                                                             \
    X(EnumeratePhysicalDevices)                                                                    \
    X(GetPhysicalDeviceProperties)                                                                 \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                      \
    X(CreateDevice)                                                                                \
    X(DestroyDevice)                                                                               \
    X(GetDeviceQueue)                                                                              \
    X(CreateCommandPool)
#define MOCKED_MEMORY(X)                                                                           \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(GetBufferMemoryRequirements)                                                                 \
    X(AllocateMemory)                                                                              \
    X(FreeMemory)                                                                                  \
    X(MapMemory)                                                                                   \
    X(FlushMappedMemoryRanges)                                                                     \
    X(InvalidateMappedMemoryRanges)                                                                \
    X(CreateBuffer)                                                                                \
    X(UpdateDescriptorSets)

#define MOCKED_COMMANDS(X)                                                                         \
    X(CmdBindPipeline)                                                                             \
    X(CmdBindDescriptorSets)                                                                       \
    X(CmdPushConstants)                                                                            \
    X(CmdDispatch)                                                                                 \
    X(CmdPipelineBarrier)                                                                          \
    X(EndCommandBuffer)

#define MOCKED_EXTERNAL(X)                                                                         \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(GetPhysicalDeviceExternalBufferProperties)                                                   \
    X(GetPhysicalDeviceExternalSemaphoreProperties)                                                \
    X(GetMemoryFdKHR)                                                                              \
    X(GetMemoryFdPropertiesKHR)                                                                    \
    X(CreateSemaphore)                                                                             \
    X(DestroySemaphore)                                                                            \
    X(GetSemaphoreFdKHR)                                                                           \
    X(QueueSubmit)

/* Memory that is a file's, which the real device sees by importing our mapping of it. */
struct mock_file {
    int fd; /* ours, -1: none */
    void *data;
    size_t size;
};
/* What an allocation asks for in its pNext: opens the file, and turns the request into one that the
 * real device understands, whose parts are the caller's to keep. NOT_READY: nothing of that kind.
 */
VkResult mock_file_open(struct mock_file *file, VkMemoryAllocateInfo *info,
                        VkImportMemoryHostPointerInfoEXT *host);
void mock_file_close(struct mock_file *file);
/* The file of memory, null: none. */
const struct mock_file *mock_file_of(VkDeviceMemory memory);

/* A barrier as the real device, which has no foreign family, understands it. Keeps count of who
 * owns the buffer: it is acquired and released by turns, as commands are recorded. */
VkBufferMemoryBarrier mock_own(const VkBufferMemoryBarrier *barrier, VkPipelineStageFlags stages);

/* Turns the extensions that a device is created with into the real one's; room for 8. */
void mock_real_extensions(VkDeviceCreateInfo *info, const char **names);

/* Each has the type of Vulkan's own. */
#define MOCK_DECLARE(name) extern __typeof__(*(PFN_vk##name)0) mock_##name;
MOCKED_DEVICES(MOCK_DECLARE)
MOCKED_MEMORY(MOCK_DECLARE)
MOCKED_EXTERNAL(MOCK_DECLARE)
MOCKED_COMMANDS(MOCK_DECLARE)

#endif
