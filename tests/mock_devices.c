/* The instance, and devices that are not what they seem. */
#include <stdio.h>
#include <string.h>

#include "mock_internal.h"

const struct mock_device *mock_device_of(VkPhysicalDevice device)
{
    return (const struct mock_device *)device;
}

VkPhysicalDevice mock_real_device(void)
{
    VkPhysicalDevice devices[16];
    uint32_t count = 16;

    if (REAL(EnumeratePhysicalDevices)(mock_instance, &count, devices) < 0 || !count)
        return VK_NULL_HANDLE;
    for (uint32_t i = 0; i < count; i++) {
        VkPhysicalDeviceProperties p;
        REAL(GetPhysicalDeviceProperties)(devices[i], &p);
        if (p.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU)
            return devices[i];
    }
    return devices[0];
}

uint32_t mock_real_family(void)
{
    VkQueueFamilyProperties families[16];
    uint32_t count = 16;

    REAL(GetPhysicalDeviceQueueFamilyProperties)(mock_real_device(), &count, families);
    for (uint32_t i = 0; i < count; i++)
        if (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT)
            return i;
    return 0;
}

VKAPI_ATTR VkResult VKAPI_CALL mock_CreateInstance(const VkInstanceCreateInfo *info,
                                                   const VkAllocationCallbacks *allocator,
                                                   VkInstance *out)
{
    VkResult r = mock_step("vkCreateInstance");
    if (!r)
        r = ((PFN_vkCreateInstance)mock_real_get_proc(NULL, "vkCreateInstance"))(info, allocator,
                                                                                 out);
    if (!r) {
        mock_instance = *out;
        mock.live++;
    }
    return r;
}

VKAPI_ATTR void VKAPI_CALL mock_DestroyInstance(VkInstance old,
                                                const VkAllocationCallbacks *allocator)
{
    mock.live -= old != NULL;
    REAL(DestroyInstance)(old, allocator);
    if (old == mock_instance)
        mock_instance = NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL mock_EnumeratePhysicalDevices(VkInstance of, uint32_t *count,
                                                             VkPhysicalDevice *devices)
{
    (void)of;
    VkResult r = mock_step("vkEnumeratePhysicalDevices");
    if (r)
        return r;
    if (devices)
        for (uint32_t i = 0; i < mock.device_count; i++)
            devices[i] = (VkPhysicalDevice)&mock.devices[i];
    *count = mock.device_count;
    return VK_SUCCESS;
}

static void falsify(const struct mock_device *d, VkPhysicalDeviceProperties *p)
{
    snprintf(p->deviceName, sizeof p->deviceName, "%s", d->name);
    p->deviceType = d->type;
    if (d->api_version)
        p->apiVersion = d->api_version;
    if (d->max_storage_range)
        p->limits.maxStorageBufferRange = d->max_storage_range;
    if (d->max_groups)
        p->limits.maxComputeWorkGroupCount[0] = d->max_groups;
    if (d->memory == MOCK_MEMORY_NOT_COHERENT)
        p->limits.nonCoherentAtomSize = 256;
}

VKAPI_ATTR void VKAPI_CALL mock_GetPhysicalDeviceProperties(VkPhysicalDevice device,
                                                            VkPhysicalDeviceProperties *p)
{
    REAL(GetPhysicalDeviceProperties)(mock_real_device(), p);
    falsify(mock_device_of(device), p);
}

VKAPI_ATTR void VKAPI_CALL mock_GetPhysicalDeviceProperties2(VkPhysicalDevice device,
                                                             VkPhysicalDeviceProperties2 *p)
{
    REAL(GetPhysicalDeviceProperties2)(mock_real_device(), p);
    falsify(mock_device_of(device), &p->properties);
    for (VkBaseOutStructure *s = p->pNext; s; s = s->pNext)
        if (s->sType == VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES)
            memset(((VkPhysicalDeviceIDProperties *)s)->deviceUUID, mock_device_of(device)->uuid,
                   VK_UUID_SIZE);
}

VKAPI_ATTR void VKAPI_CALL mock_GetPhysicalDeviceQueueFamilyProperties(VkPhysicalDevice device,
                                                                       uint32_t *count,
                                                                       VkQueueFamilyProperties *out)
{
    const struct mock_device *d = mock_device_of(device);
    VkQueueFamilyProperties real[16];
    uint32_t real_count = 16, families = 0;

    REAL(GetPhysicalDeviceQueueFamilyProperties)(mock_real_device(), &real_count, real);
    while (families < MOCK_FAMILIES_MAX && d->families[families])
        families++;
    *count = families ? families : 1;
    for (uint32_t i = 0; out && i < *count; i++) {
        out[i] = real[mock_real_family()];
        if (families)
            out[i].queueFlags = d->families[i];
        if (d->no_timestamps)
            out[i].timestampValidBits = 0;
    }
}

VKAPI_ATTR VkResult VKAPI_CALL mock_CreateDevice(VkPhysicalDevice device,
                                                 const VkDeviceCreateInfo *info,
                                                 const VkAllocationCallbacks *allocator,
                                                 VkDevice *out)
{
    const struct mock_device *d = mock_device_of(device);
    VkDeviceQueueCreateInfo queue = info->pQueueCreateInfos[0];
    VkDeviceCreateInfo real = *info;
    const char *extensions[8];
    VkResult r = mock_step("vkCreateDevice");

    mock_real_extensions(&real, extensions);
    if (d->families[0] && !(d->families[queue.queueFamilyIndex] & VK_QUEUE_COMPUTE_BIT))
        mock_violation("a queue of a family that does not compute");
    queue.queueFamilyIndex = mock_real_family();
    real.pQueueCreateInfos = &queue;
    if (!r && info->enabledExtensionCount)
        r = d->refuses;
    if (!r)
        r = d->create_result;
    if (!r)
        r = REAL(CreateDevice)(mock_real_device(), &real, allocator, out);
    if (!r) {
        mock_taken = d;
        mock.live++;
    }
    return r;
}

VKAPI_ATTR void VKAPI_CALL mock_DestroyDevice(VkDevice device,
                                              const VkAllocationCallbacks *allocator)
{
    mock.live -= device != NULL;
    REAL(DestroyDevice)(device, allocator);
}

VKAPI_ATTR void VKAPI_CALL mock_GetDeviceQueue(VkDevice device, uint32_t family, uint32_t index,
                                               VkQueue *out)
{
    (void)family;
    REAL(GetDeviceQueue)(device, mock_real_family(), index, out);
}

VKAPI_ATTR VkResult VKAPI_CALL mock_CreateCommandPool(VkDevice device,
                                                      const VkCommandPoolCreateInfo *info,
                                                      const VkAllocationCallbacks *allocator,
                                                      VkCommandPool *out)
{
    VkCommandPoolCreateInfo real = *info;
    VkResult r = mock_step("vkCreateCommandPool");
    real.queueFamilyIndex = mock_real_family();
    r = r ? r : REAL(CreateCommandPool)(device, &real, allocator, out);
    mock.live += r == VK_SUCCESS;
    return r;
}
