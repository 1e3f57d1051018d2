/* A program with a Vulkan of its own, as qpel/vulkan.h is for: instance, device, queue, buffers,
 * commands. What fails here fails the test. */
#ifndef TESTS_OWN_VULKAN_H
#define TESTS_OWN_VULKAN_H

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

#include <qpel/vulkan.h>

#define OWN_FUNCTIONS(X)                                                                           \
    X(AllocateCommandBuffers)                                                                      \
    X(AllocateMemory)                                                                              \
    X(BeginCommandBuffer)                                                                          \
    X(BindBufferMemory)                                                                            \
    X(CmdCopyBuffer)                                                                               \
    X(CmdFillBuffer)                                                                               \
    X(CmdPipelineBarrier)                                                                          \
    X(CreateBuffer)                                                                                \
    X(CreateCommandPool)                                                                           \
    X(CreateFence)                                                                                 \
    X(CreateSemaphore)                                                                             \
    X(DestroyBuffer)                                                                               \
    X(DestroyCommandPool)                                                                          \
    X(DestroyDevice)                                                                               \
    X(DestroyFence)                                                                                \
    X(DestroySemaphore)                                                                            \
    X(EndCommandBuffer)                                                                            \
    X(FreeMemory)                                                                                  \
    X(GetBufferMemoryRequirements)                                                                 \
    X(GetDeviceQueue)                                                                              \
    X(MapMemory)                                                                                   \
    X(QueueSubmit)                                                                                 \
    X(ResetFences)                                                                                 \
    X(WaitForFences)

struct own_vulkan {
    PFN_vkGetInstanceProcAddr get_proc;
    VkInstance instance;
    uint32_t api_version;
    VkPhysicalDevice physical;
    VkDevice device;
    VkQueue queue;
    uint32_t family;
    bool timelines;
    const char *const *extensions;
    uint32_t extension_count;
    VkPhysicalDeviceMemoryProperties memory;
#define OWN_MEMBER(name) PFN_vk##name name;
    OWN_FUNCTIONS(OWN_MEMBER)
#undef OWN_MEMBER
};

/* False: there is no such device here. Software devices are preferred. get_proc: libvulkan's if
 * null. Timelines want Vulkan 1.2. */
bool own_vulkan_open(struct own_vulkan *v, PFN_vkGetInstanceProcAddr get_proc, uint32_t api_version,
                     bool timelines);
/* The same, libvulkan's of 1.2 with timelines, and with these extensions of the device. */
bool own_vulkan_open_with(struct own_vulkan *v, const char *const *extensions, uint32_t count);
void own_vulkan_close(struct own_vulkan *v);

/* Where it is, without locks. */
struct qpel_vulkan_params own_vulkan_params(const struct own_vulkan *v);

/* Mapped and coherent, for shaders and copies. */
struct own_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    VkDeviceSize size;
    uint8_t *data;
};
struct own_buffer own_buffer_make(const struct own_vulkan *v, VkDeviceSize size);
void own_buffer_free(const struct own_vulkan *v, struct own_buffer *b);

/* A command buffer that is being recorded, and may be run any number of times. */
struct own_commands {
    VkCommandPool pool;
    VkCommandBuffer buffer;
    VkFence fence;
};
struct own_commands own_commands_begin(const struct own_vulkan *v);
/* With a barrier to the CPU. */
void own_commands_end(const struct own_vulkan *v, struct own_commands *c);
/* Submits and waits. The structure is for its semaphores, may be null, and is changed. */
void own_commands_run(const struct own_vulkan *v, struct own_commands *c, VkSubmitInfo *info);
void own_commands_free(const struct own_vulkan *v, struct own_commands *c);

void own_barrier(const struct own_vulkan *v, VkCommandBuffer commands, VkPipelineStageFlags from,
                 VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags seen);

VkSemaphore own_semaphore(const struct own_vulkan *v, bool timeline);

#endif
