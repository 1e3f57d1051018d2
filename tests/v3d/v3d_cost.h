/* v3d-cost: compiles SPIR-V compute shaders with Mesa's V3D driver and prints what the driver's
 * compiler says of them. README.md tells how it is used. */
#ifndef V3D_COST_H
#define V3D_COST_H

#define VK_NO_PROTOTYPES
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <vulkan/vulkan.h>

#define INSTANCE_FUNCTIONS(X)                                                                      \
    X(EnumeratePhysicalDevices)                                                                    \
    X(GetPhysicalDeviceProperties2)                                                                \
    X(GetPhysicalDeviceFeatures2)                                                                  \
    X(GetPhysicalDeviceMemoryProperties)                                                           \
    X(GetPhysicalDeviceQueueFamilyProperties)                                                      \
    X(EnumerateDeviceExtensionProperties)                                                          \
    X(CreateDevice)                                                                                \
    X(DestroyInstance)                                                                             \
    X(GetDeviceProcAddr)
#define DEVICE_FUNCTIONS(X)                                                                        \
    X(CreateShaderModule)                                                                          \
    X(DestroyDevice)                                                                               \
    X(DestroyShaderModule)                                                                         \
    X(CreateDescriptorSetLayout)                                                                   \
    X(DestroyDescriptorSetLayout)                                                                  \
    X(CreatePipelineLayout)                                                                        \
    X(DestroyPipelineLayout)                                                                       \
    X(CreateComputePipelines)                                                                      \
    X(DestroyPipeline)                                                                             \
    X(GetPipelineExecutablePropertiesKHR)                                                          \
    X(GetPipelineExecutableStatisticsKHR)                                                          \
    X(GetPipelineExecutableInternalRepresentationsKHR)

/* The Raspberry Pi's configurations, for the time estimate. */
struct model {
    const char *name_prefix;
    double qpus, hertz;
};

/* The driver, loaded without the Vulkan loader, and its one device. */
struct driver {
#define DECLARE(name) PFN_vk##name name;
    INSTANCE_FUNCTIONS(DECLARE)
    DEVICE_FUNCTIONS(DECLARE)
#undef DECLARE
    VkInstance instance;
    VkPhysicalDevice gpu;
    VkDevice device;
    const struct model *model;
    char device_name[VK_MAX_PHYSICAL_DEVICE_NAME_SIZE];
    char driver_info[VK_MAX_DRIVER_INFO_SIZE];
};

enum { MAX_SPEC = 16 };

/* One pipeline to compile. */
struct job {
    const char *name, *path;
    uint32_t samples; /* output samples that an invocation makes; 0: not told */
    uint32_t trips;   /* times that each loop's body runs */
    uint32_t spec_count;
    VkSpecializationMapEntry spec_map[MAX_SPEC];
    uint32_t spec_data[MAX_SPEC];
};

struct output {
    bool json; /* one object a line, in place of text */
    bool assembly, all_ir;
};

/* What the QPU assembly tells; instructions in loops are counted as often as they run. */
struct counts {
    double executed;
    double reads;      /* TMU look-ups that fetch, */
    double read_words; /* the words that come back, */
    double writes;     /* and look-ups that store */
    double switches;   /* thread switches: the waits for the TMU, mostly */
    double idle;       /* instructions whose two ALUs both do nothing */
    double multiplies; /* full 32-bit multiplies: two instructions' multiplier */
    uint32_t loops;
};

/* Every failure ends the program. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
void check(VkResult result, const char *what);
void *allocate(size_t count, size_t size);
uint32_t number(const char *text);

void driver_open(struct driver *driver);
void driver_close(struct driver *driver);
/* Milliseconds that the QPUs need to issue a frame's instructions, given those a sample. */
double driver_frame_ms(const struct driver *driver, double instructions);

void print_info(const struct driver *driver, bool all_extensions);

struct counts count_assembly(const char *text, uint32_t trips);

/* Adds ID=VALUE. */
void job_specialize(struct job *job, const char *text);
/* Letters of `layout`: one a binding, sets parted by '/'. */
VkPipelineLayout layout_make(const struct driver *driver, const char *letters, uint32_t push_bytes);
void measure(const struct driver *driver, const struct job *job, VkPipelineLayout layout,
             const struct output *output);

#endif
