#include "own_vulkan.h"

#include <dlfcn.h>
#include <string.h>

#include "harness.h"

#define WAIT_NS UINT64_C(120000000000) /* busy machines */

/* ---- instance and device ---- */

#define INSTANCE(v, name) ((PFN_vk##name)(v)->get_proc((v)->instance, "vk" #name))

static PFN_vkGetInstanceProcAddr libvulkan(void)
{
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_NODELETE);
    void *symbol = library ? dlsym(library, "vkGetInstanceProcAddr") : NULL;
    PFN_vkGetInstanceProcAddr get_proc = NULL;

    if (symbol)
        memcpy(&get_proc, &symbol, sizeof get_proc);
    return get_proc;
}

static bool make_instance(struct own_vulkan *v)
{
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = v->api_version,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
    };
    return INSTANCE(v, CreateInstance)(&info, NULL, &v->instance) == VK_SUCCESS;
}

static bool choose_device(struct own_vulkan *v)
{
    VkPhysicalDevice devices[16];
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;

    if (INSTANCE(v, EnumeratePhysicalDevices)(v->instance, &count, devices) < 0 || !count)
        return false;
    v->physical = devices[0];
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties p;
        INSTANCE(v, GetPhysicalDeviceProperties)(devices[i], &p);
        if (p.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
            v->physical = devices[i];
    }
    INSTANCE(v, GetPhysicalDeviceMemoryProperties)(v->physical, &v->memory);
    count = 16;
    INSTANCE(v, GetPhysicalDeviceQueueFamilyProperties)(v->physical, &count, families);
    for (v->family = 0; v->family < count; v->family++)
        if (families[v->family].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return true;
    return false;
}

static bool make_device(struct own_vulkan *v)
{
    float priority = 1;
    VkPhysicalDeviceVulkan12Features features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .timelineSemaphore = VK_TRUE,
    };
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = v->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = v->timelines ? &features : NULL,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = v->extension_count,
        .ppEnabledExtensionNames = v->extensions,
    };
    return INSTANCE(v, CreateDevice)(v->physical, &create, NULL, &v->device) == VK_SUCCESS;
}

static bool open_own(struct own_vulkan *v)
{
    if (!v->get_proc || !make_instance(v))
        return false;
    if (!choose_device(v) || !make_device(v)) {
        INSTANCE(v, DestroyInstance)(v->instance, NULL);
        return false;
    }
    PFN_vkGetDeviceProcAddr get = INSTANCE(v, GetDeviceProcAddr);
#define OWN_LOAD(name)                                                                             \
    v->name = (PFN_vk##name)get(v->device, "vk" #name);                                            \
    assert_non_null(v->name);
    OWN_FUNCTIONS(OWN_LOAD)
#undef OWN_LOAD
    v->GetDeviceQueue(v->device, v->family, 0, &v->queue);
    return true;
}

bool own_vulkan_open(struct own_vulkan *v, PFN_vkGetInstanceProcAddr get_proc, uint32_t api_version,
                     bool timelines)
{
    *v = (struct own_vulkan){
        .get_proc = get_proc ? get_proc : libvulkan(),
        .api_version = api_version,
        .timelines = timelines,
    };
    return open_own(v);
}

bool own_vulkan_open_with(struct own_vulkan *v, const char *const *extensions, uint32_t count)
{
    *v = (struct own_vulkan){
        .get_proc = libvulkan(),
        .api_version = VK_API_VERSION_1_2,
        .timelines = true,
        .extensions = extensions,
        .extension_count = count,
    };
    return open_own(v);
}

void own_vulkan_close(struct own_vulkan *v)
{
    v->DestroyDevice(v->device, NULL);
    INSTANCE(v, DestroyInstance)(v->instance, NULL);
    *v = (struct own_vulkan){ .instance = NULL };
}

struct qpel_vulkan_params own_vulkan_params(const struct own_vulkan *v)
{
    return (struct qpel_vulkan_params){
        .get_instance_proc_addr = v->get_proc,
        .instance = v->instance,
        .api_version = v->api_version,
        .physical_device = v->physical,
        .device = v->device,
        .queue = v->queue,
        .queue_family = v->family,
        .extensions = v->extensions,
        .extension_count = v->extension_count,
        .timeline_semaphore = v->timelines,
    };
}

/* ---- buffers ---- */

static uint32_t coherent_type(const struct own_vulkan *v, uint32_t bits)
{
    VkMemoryPropertyFlags wanted =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    uint32_t type = 0;

    while (type < v->memory.memoryTypeCount &&
           (!(bits >> type & 1) || (v->memory.memoryTypes[type].propertyFlags & wanted) != wanted))
        type++;
    assert_true(type < v->memory.memoryTypeCount);
    return type;
}

struct own_buffer own_buffer_make(const struct own_vulkan *v, VkDeviceSize size)
{
    struct own_buffer b = { .size = size };
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size,
        .usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT |
                 VK_BUFFER_USAGE_TRANSFER_DST_BIT,
    };
    VkMemoryRequirements needs;
    void *data;

    assert_int_equal(v->CreateBuffer(v->device, &info, NULL, &b.handle), VK_SUCCESS);
    v->GetBufferMemoryRequirements(v->device, b.handle, &needs);
    VkMemoryAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO,
        .allocationSize = needs.size,
        .memoryTypeIndex = coherent_type(v, needs.memoryTypeBits),
    };
    assert_int_equal(v->AllocateMemory(v->device, &allocate, NULL, &b.memory), VK_SUCCESS);
    assert_int_equal(v->BindBufferMemory(v->device, b.handle, b.memory, 0), VK_SUCCESS);
    assert_int_equal(v->MapMemory(v->device, b.memory, 0, VK_WHOLE_SIZE, 0, &data), VK_SUCCESS);
    b.data = data;
    return b;
}

void own_buffer_free(const struct own_vulkan *v, struct own_buffer *b)
{
    v->DestroyBuffer(v->device, b->handle, NULL);
    v->FreeMemory(v->device, b->memory, NULL);
    *b = (struct own_buffer){ .data = NULL };
}

/* ---- commands ---- */

struct own_commands own_commands_begin(const struct own_vulkan *v)
{
    struct own_commands c;
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = v->family,
    };
    VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    VkCommandBufferBeginInfo begin = { .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO };

    assert_int_equal(v->CreateCommandPool(v->device, &pool, NULL, &c.pool), VK_SUCCESS);
    VkCommandBufferAllocateInfo allocate = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = c.pool,
        .commandBufferCount = 1,
    };
    assert_int_equal(v->AllocateCommandBuffers(v->device, &allocate, &c.buffer), VK_SUCCESS);
    assert_int_equal(v->CreateFence(v->device, &fence, NULL, &c.fence), VK_SUCCESS);
    assert_int_equal(v->BeginCommandBuffer(c.buffer, &begin), VK_SUCCESS);
    return c;
}

void own_commands_end(const struct own_vulkan *v, struct own_commands *c)
{
    own_barrier(v, c->buffer, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT,
                VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
    assert_int_equal(v->EndCommandBuffer(c->buffer), VK_SUCCESS);
}

void own_commands_run(const struct own_vulkan *v, struct own_commands *c, VkSubmitInfo *info)
{
    VkSubmitInfo plain = { .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO };

    if (!info)
        info = &plain;
    info->commandBufferCount = 1;
    info->pCommandBuffers = &c->buffer;
    assert_int_equal(v->QueueSubmit(v->queue, 1, info, c->fence), VK_SUCCESS);
    assert_int_equal(v->WaitForFences(v->device, 1, &c->fence, VK_TRUE, WAIT_NS), VK_SUCCESS);
    assert_int_equal(v->ResetFences(v->device, 1, &c->fence), VK_SUCCESS);
}

void own_commands_free(const struct own_vulkan *v, struct own_commands *c)
{
    v->DestroyFence(v->device, c->fence, NULL);
    v->DestroyCommandPool(v->device, c->pool, NULL);
}

void own_barrier(const struct own_vulkan *v, VkCommandBuffer commands, VkPipelineStageFlags from,
                 VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags seen)
{
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = written,
        .dstAccessMask = seen,
    };
    v->CmdPipelineBarrier(commands, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

VkSemaphore own_semaphore(const struct own_vulkan *v, bool timeline)
{
    VkSemaphore semaphore;
    VkSemaphoreTypeCreateInfo type = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO,
        .semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE,
    };
    VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = timeline ? &type : NULL,
    };
    assert_int_equal(v->CreateSemaphore(v->device, &info, NULL, &semaphore), VK_SUCCESS);
    return semaphore;
}
