/* Misuses Vulkan on purpose, to prove that the validation layer is heard. One argument:
 *   good   nothing wrong
 *   core   a buffer of no bytes
 *   sync   two writes of one place without a barrier between */
#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

static PFN_vkGetInstanceProcAddr get_proc;
static VkInstance instance;
static VkDevice device;

#define FUNCTION(name) PFN_vk##name name = (PFN_vk##name)get_proc(instance, "vk" #name)

static bool open_device(void)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW);
    void *symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    if (!symbol)
        return false;
    memcpy(&get_proc, &symbol, sizeof get_proc);
    VkInstanceCreateInfo info = { .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO };
    FUNCTION(CreateInstance);
    if (CreateInstance(&info, NULL, &instance) != VK_SUCCESS)
        return false;
    FUNCTION(EnumeratePhysicalDevices);
    FUNCTION(CreateDevice);
    VkPhysicalDevice physical;
    uint32_t count = 1;
    if (EnumeratePhysicalDevices(instance, &count, &physical) < 0 || !count)
        return false;
    float priority = 1;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
    };
    return CreateDevice(physical, &create, NULL, &device) == VK_SUCCESS;
}

static bool make_buffer(VkDeviceSize size, VkBuffer *buffer)
{
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    FUNCTION(CreateBuffer);
    return CreateBuffer(device, &info, NULL, buffer) == VK_SUCCESS;
}

static bool bind_memory(VkBuffer buffer, VkDeviceMemory *memory)
{
    FUNCTION(GetBufferMemoryRequirements);
    FUNCTION(AllocateMemory);
    FUNCTION(BindBufferMemory);
    VkMemoryRequirements needs;
    GetBufferMemoryRequirements(device, buffer, &needs);
    VkMemoryAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs.size,
        .memoryTypeIndex = (uint32_t)__builtin_ctz(needs.memoryTypeBits),
    };
    return AllocateMemory(device, &info, NULL, memory) == VK_SUCCESS &&
           BindBufferMemory(device, buffer, *memory, 0) == VK_SUCCESS;
}

/* Writes one place twice. */
static bool record(VkBuffer buffer, VkCommandPool *pool, bool barrier)
{
    FUNCTION(CreateCommandPool);
    FUNCTION(AllocateCommandBuffers);
    FUNCTION(BeginCommandBuffer);
    FUNCTION(CmdFillBuffer);
    FUNCTION(CmdPipelineBarrier);
    FUNCTION(EndCommandBuffer);
    VkCommandPoolCreateInfo info = { .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO };
    if (CreateCommandPool(device, &info, NULL, pool) != VK_SUCCESS)
        return false;
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = *pool,
        .commandBufferCount = 1,
    };
    VkCommandBuffer commands;
    if (AllocateCommandBuffers(device, &allocate, &commands) != VK_SUCCESS)
        return false;
    VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };
    VkMemoryBarrier between = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
        .dstAccessMask = VK_ACCESS_TRANSFER_WRITE_BIT,
    };
    BeginCommandBuffer(commands, &begin);
    CmdFillBuffer(commands, buffer, 0, 64, 1);
    if (barrier)
        CmdPipelineBarrier(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                           0, 1, &between, 0, NULL, 0, NULL);
    CmdFillBuffer(commands, buffer, 0, 64, 2);
    return EndCommandBuffer(commands) == VK_SUCCESS;
}

int main(int argc, char **argv)
{
    const char *how = argc == 2 ? argv[1] : "";
    if (!open_device()) {
        printf("# no Vulkan device\n");
        return 77;
    }
    FUNCTION(DestroyBuffer);
    FUNCTION(DestroyCommandPool);
    FUNCTION(DestroyDevice);
    FUNCTION(DestroyInstance);
    FUNCTION(FreeMemory);
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    VkCommandPool pool = VK_NULL_HANDLE;
    bool good = make_buffer(strcmp(how, "core") ? 256 : 0, &buffer);
    if (good && strcmp(how, "core"))
        good = bind_memory(buffer, &memory) && record(buffer, &pool, strcmp(how, "sync"));
    DestroyCommandPool(device, pool, NULL);
    DestroyBuffer(device, buffer, NULL);
    FreeMemory(device, memory, NULL);
    DestroyDevice(device, NULL);
    DestroyInstance(instance, NULL);
    return good ? 0 : 1;
}
