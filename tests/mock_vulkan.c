#define _POSIX_C_SOURCE 200809L /* unsetenv() */
#include "mock_internal.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qpel/context.h>

#include "interface.h"
#include "picture_interface.h"

struct mock_vulkan mock;

PFN_vkGetInstanceProcAddr mock_real_get_proc;
VkInstance mock_instance;
const struct mock_device *mock_taken; /* the one that is open */

static void clear_environment(void)
{
    unsetenv("QPEL_DEVICE");
    unsetenv("QPEL_BACKEND");
}

void mock_reset(void)
{
    mock = (struct mock_vulkan){
        .enabled = true,
        .devices = { { .name = "V3D 7.1.7 (mock)",
                       .type = VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                       .uuid = 0x71,
                       .memory = MOCK_MEMORY_V3D } },
        .device_count = 1,
    };
    clear_environment();
}

void mock_violation(const char *what)
{
    printf("# Vulkan is misused: %s\n", what);
    mock.violations++;
}

/* Counts a call, and says whether it is the one to fail. */
VkResult mock_step(const char *name)
{
    if (mock.calls < sizeof mock.names / sizeof *mock.names)
        mock.names[mock.calls] = name;
    if (++mock.calls != mock.fail_at)
        return VK_SUCCESS;
    mock.failed = name;
    return mock.fail_with;
}

/* ---- functions that only may fail, and objects that are counted ---- */

#define FORWARD(name, parameters, arguments)                                                       \
    static VKAPI_ATTR VkResult VKAPI_CALL mock_##name parameters                                   \
    {                                                                                              \
        VkResult r = mock_step("vk" #name);                                                        \
        return r ? r : REAL(name) arguments;                                                       \
    }

#define CREATED(name, type)                                                                        \
    static VKAPI_ATTR VkResult VKAPI_CALL mock_Create##name(                                       \
        VkDevice device, const Vk##name##CreateInfo *info, const VkAllocationCallbacks *allocator, \
        type *out)                                                                                 \
    {                                                                                              \
        VkResult r = mock_step("vkCreate" #name);                                                  \
        r = r ? r : REAL(Create##name)(device, info, allocator, out);                              \
        mock.live += r == VK_SUCCESS;                                                              \
        return r;                                                                                  \
    }                                                                                              \
    DESTROYED(Destroy##name, type)

#define DESTROYED(name, type)                                                                      \
    static VKAPI_ATTR void VKAPI_CALL mock_##name(VkDevice device, type object,                    \
                                                  const VkAllocationCallbacks *allocator)          \
    {                                                                                              \
        mock.live -= object != VK_NULL_HANDLE;                                                     \
        REAL(name)(device, object, allocator);                                                     \
    }

FORWARD(AllocateCommandBuffers,
        (VkDevice device, const VkCommandBufferAllocateInfo *info, VkCommandBuffer *out),
        (device, info, out))
FORWARD(AllocateDescriptorSets,
        (VkDevice device, const VkDescriptorSetAllocateInfo *info, VkDescriptorSet *out),
        (device, info, out))
FORWARD(BeginCommandBuffer, (VkCommandBuffer commands, const VkCommandBufferBeginInfo *info),
        (commands, info))
FORWARD(BindBufferMemory,
        (VkDevice device, VkBuffer buffer, VkDeviceMemory memory, VkDeviceSize offset),
        (device, buffer, memory, offset))
FORWARD(GetQueryPoolResults,
        (VkDevice device, VkQueryPool pool, uint32_t first, uint32_t count, size_t size, void *data,
         VkDeviceSize stride, VkQueryResultFlags flags),
        (device, pool, first, count, size, data, stride, flags))
FORWARD(ResetCommandPool, (VkDevice device, VkCommandPool pool, VkCommandPoolResetFlags flags),
        (device, pool, flags))
FORWARD(ResetFences, (VkDevice device, uint32_t count, const VkFence *fences),
        (device, count, fences))

CREATED(DescriptorPool, VkDescriptorPool)
CREATED(DescriptorSetLayout, VkDescriptorSetLayout)
CREATED(Fence, VkFence)
CREATED(PipelineCache, VkPipelineCache)
CREATED(PipelineLayout, VkPipelineLayout)
CREATED(QueryPool, VkQueryPool)
CREATED(ShaderModule, VkShaderModule)
DESTROYED(DestroyBuffer, VkBuffer)
DESTROYED(DestroyCommandPool, VkCommandPool)
DESTROYED(DestroyPipeline, VkPipeline)

static VKAPI_ATTR VkResult VKAPI_CALL
mock_CreateComputePipelines(VkDevice device, VkPipelineCache cache, uint32_t count,
                            const VkComputePipelineCreateInfo *infos,
                            const VkAllocationCallbacks *allocator, VkPipeline *out)
{
    VkResult r = mock_step("vkCreateComputePipelines");
    r = r ? r : REAL(CreateComputePipelines)(device, cache, count, infos, allocator, out);
    mock.live += r == VK_SUCCESS ? (int)count : 0;
    return r;
}

/* ---- work ---- */

/* The words of the push constants, by their names. */
#define WORD_OF(type, name)         word_##name,
#define PICTURE_WORD_OF(type, name) picture_##name,
enum { QPEL_PUSH_CONSTANTS(WORD_OF) word_count };

enum { QPEL_PICTURE_PUSH_CONSTANTS(PICTURE_WORD_OF) picture_word_count };
_Static_assert((int)picture_word_count != (int)word_count, "the doors are told apart by size");

static void lie_about_picture(uint8_t *push)
{
    uint32_t words[picture_word_count];

    memcpy(words, push, sizeof words);
    if (mock.lie == MOCK_LIE_DST)
        words[picture_dst_base] += 4;
    memcpy(push, words, sizeof words);
}

void mock_lie_about(uint8_t *push, uint32_t size)
{
    uint32_t words[word_count];

    if (size == picture_word_count * sizeof *words)
        lie_about_picture(push);
    if (size != sizeof words)
        return;
    memcpy(words, push, sizeof words);
    switch (mock.lie) {
    case MOCK_LIE_DX:
        words[word_dx] ^= 1;
        break;
    case MOCK_LIE_DY:
        words[word_dy] ^= 1;
        break;
    case MOCK_LIE_SRC:
        words[word_src_base] += 1;
        break;
    case MOCK_LIE_LANES:
        words[word_end_lane] -= 1;
        break;
    default:
        break;
    }
    memcpy(push, words, sizeof words);
}

static VKAPI_ATTR VkResult VKAPI_CALL mock_WaitForFences(VkDevice device, uint32_t count,
                                                         const VkFence *fences, VkBool32 all,
                                                         uint64_t timeout)
{
    VkResult r = mock_step("vkWaitForFences");

    mock.waits++;
    mock.timeout_ns = timeout;
    if (timeout > UINT64_C(600000000000))
        mock_violation("a wait without an end");
    if (!r && mock.fence == MOCK_FENCE_LOST)
        r = VK_ERROR_DEVICE_LOST;
    if (!r && mock.fence == MOCK_FENCE_NEVER)
        r = VK_TIMEOUT;
    if (!r)
        return REAL(WaitForFences)(device, count, fences, all, timeout);
    /* The real work ends all the same, since its memory may now be taken away. */
    REAL(WaitForFences)(device, count, fences, all, UINT64_MAX);
    return r;
}

static VKAPI_ATTR VkResult VKAPI_CALL mock_GetFenceStatus(VkDevice device, VkFence fence)
{
    VkResult r = mock_step("vkGetFenceStatus");

    if (r)
        return r;
    if (mock.fence == MOCK_FENCE_LOST)
        return VK_ERROR_DEVICE_LOST;
    return mock.fence == MOCK_FENCE_NEVER ? VK_NOT_READY : REAL(GetFenceStatus)(device, fence);
}

/* ---- entry ---- */

#define MOCKED_WORK(X)                                                                             \
    X(AllocateCommandBuffers)                                                                      \
    X(AllocateDescriptorSets)                                                                      \
    X(BeginCommandBuffer)                                                                          \
    X(BindBufferMemory)                                                                            \
    X(CreateComputePipelines)                                                                      \
    X(CreateDescriptorPool)                                                                        \
    X(CreateDescriptorSetLayout)                                                                   \
    X(CreateFence)                                                                                 \
    X(CreatePipelineCache)                                                                         \
    X(CreatePipelineLayout)                                                                        \
    X(CreateQueryPool)                                                                             \
    X(CreateShaderModule)                                                                          \
    X(DestroyBuffer)                                                                               \
    X(DestroyCommandPool)                                                                          \
    X(DestroyDescriptorPool)                                                                       \
    X(DestroyDescriptorSetLayout)                                                                  \
    X(DestroyFence)                                                                                \
    X(DestroyPipeline)                                                                             \
    X(DestroyPipelineCache)                                                                        \
    X(DestroyPipelineLayout)                                                                       \
    X(DestroyQueryPool)                                                                            \
    X(DestroyShaderModule)                                                                         \
    X(GetFenceStatus)                                                                              \
    X(GetQueryPoolResults)                                                                         \
    X(ResetCommandPool)                                                                            \
    X(ResetFences)                                                                                 \
    X(WaitForFences)

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_proc(VkInstance of, const char *name);

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL mock_GetDeviceProcAddr(VkDevice device,
                                                                       const char *name)
{
    (void)device;
    return get_proc(mock_instance, name);
}

static VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL get_proc(VkInstance of, const char *name)
{
    static const struct {
        const char *name;
        PFN_vkVoidFunction function;
    } table[] = {
#define ENTRY(name) { "vk" #name, (PFN_vkVoidFunction)mock_##name },
        /* clang-format off */
        MOCKED_DEVICES(ENTRY)
        MOCKED_MEMORY(ENTRY)
        MOCKED_EXTERNAL(ENTRY)
        MOCKED_COMMANDS(ENTRY)
        MOCKED_WORK(ENTRY)
        ENTRY(GetDeviceProcAddr)
        /* clang-format on */
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (!strcmp(name, table[i].name))
            return table[i].function;
    return mock_real_get_proc(of, name);
}

void *__real_dlopen(const char *file, int mode);
void *__wrap_dlopen(const char *file, int mode);
void *__real_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name);

void *__wrap_dlopen(const char *file, int mode)
{
    /* A name that is not there, so that dlerror() has something to say. */
    return __real_dlopen(mock.hidden && file ? "libqpel-hidden.so.1" : file, mode);
}

void *__wrap_dlsym(void *library, const char *name)
{
    void *symbol = __real_dlsym(library, name);
    PFN_vkGetInstanceProcAddr mine = get_proc;

    if (!mock.enabled || strcmp(name, "vkGetInstanceProcAddr") || !symbol)
        return symbol;
    memcpy(&mock_real_get_proc, &symbol, sizeof symbol);
    memcpy(&symbol, &mine, sizeof symbol);
    return symbol;
}

bool mock_possible(void)
{
    struct qpel_context *context;
    size_t count = 0;

    mock = (struct mock_vulkan){ .enabled = false };
    clear_environment();
    if (qpel_context_create(&context, NULL) || qpel_context_devices(context, NULL, &count))
        abort();
    qpel_context_destroy(&context);
    return count > 0;
}
