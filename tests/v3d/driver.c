#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "v3d_cost.h"

#define DRIVER        "libvulkan_broadcom.so"
#define LANES         16                /* invocations that a QPU instruction serves */
#define CLOCKS        4                 /* and the clocks that it takes */
#define FRAME_SAMPLES (1920.0 * 1088.0) /* luma of a coded 1080p frame */

static const struct model models[] = {
    { "V3D 7.1", 12, 960e6 },
    { "V3D 4.2", 8, 500e6 },
};

double driver_frame_ms(const struct driver *driver, double instructions)
{
    const struct model *m = driver->model;
    return FRAME_SAMPLES / LANES * instructions * CLOCKS / (m->qpus * m->hertz) * 1e3;
}

/* Everything that the device has, except bounds checks: they would add instructions that a
 * release build does not run. */
static void create_device(struct driver *d)
{
    VkPhysicalDevicePipelineExecutablePropertiesFeaturesKHR exec = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PIPELINE_EXECUTABLE_PROPERTIES_FEATURES_KHR,
        .pipelineExecutableInfo = VK_TRUE,
    };
    VkPhysicalDeviceVulkan13Features f13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
        .pNext = &exec,
    };
    VkPhysicalDeviceVulkan12Features f12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
        .pNext = &f13,
    };
    VkPhysicalDeviceVulkan11Features f11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
        .pNext = &f12,
    };
    VkPhysicalDeviceFeatures2 features = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2,
        .pNext = &f11,
    };
    d->GetPhysicalDeviceFeatures2(d->gpu, &features);
    features.features.robustBufferAccess = VK_FALSE;
    f13.robustImageAccess = VK_FALSE;

    static const float priority = 1.0f;
    static const char *const extensions[] = {
        VK_KHR_PIPELINE_EXECUTABLE_PROPERTIES_EXTENSION_NAME,
    };
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo create = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .pNext = &features,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
        .enabledExtensionCount = 1,
        .ppEnabledExtensionNames = extensions,
    };
    check(d->CreateDevice(d->gpu, &create, NULL, &d->device), "vkCreateDevice");
}

void driver_open(struct driver *d)
{
    void *library = dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        fail("%s", dlerror());
    PFN_vkGetInstanceProcAddr get =
        (PFN_vkGetInstanceProcAddr)dlsym(library, "vk_icdGetInstanceProcAddr");
    if (!get)
        fail("%s is no Vulkan driver", DRIVER);
    PFN_vkCreateInstance create = (PFN_vkCreateInstance)get(NULL, "vkCreateInstance");

    VkApplicationInfo app = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .apiVersion = VK_API_VERSION_1_3,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &app,
    };
    check(create(&info, NULL, &d->instance), "vkCreateInstance");
#define LOAD(name) d->name = (PFN_vk##name)get(d->instance, "vk" #name);
    INSTANCE_FUNCTIONS(LOAD)
#undef LOAD

    uint32_t count = 1;
    check(d->EnumeratePhysicalDevices(d->instance, &count, &d->gpu), "vkEnumeratePhysicalDevices");
    if (count != 1)
        fail("the driver found no device");

    VkPhysicalDeviceVulkan12Properties p12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
    };
    VkPhysicalDeviceProperties2 properties = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &p12,
    };
    d->GetPhysicalDeviceProperties2(d->gpu, &properties);
    snprintf(d->device_name, sizeof d->device_name, "%s", properties.properties.deviceName);
    snprintf(d->driver_info, sizeof d->driver_info, "%s", p12.driverInfo);
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        if (!strncmp(d->device_name, models[i].name_prefix, strlen(models[i].name_prefix)))
            d->model = &models[i];
    if (!d->model)
        fail("%s is no device that this program knows", d->device_name);

    create_device(d);
#define LOAD(name) d->name = (PFN_vk##name)d->GetDeviceProcAddr(d->device, "vk" #name);
    DEVICE_FUNCTIONS(LOAD)
#undef LOAD
}

void driver_close(struct driver *d)
{
    d->DestroyDevice(d->device, NULL);
    d->DestroyInstance(d->instance, NULL);
}
