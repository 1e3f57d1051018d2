#include "list.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "interface.h"
#include "result.h"

/* ---- what is asked for ---- */

enum wish { WISH_REAL, WISH_SOFTWARE, WISH_UUID, WISH_NAME };

/* 32 hexadecimal digits, dashes anywhere between. */
static bool parse_uuid(const char *text, uint8_t uuid[QPEL_UUID_SIZE])
{
    size_t digits = 0;
    for (; *text; text++) {
        if (*text == '-')
            continue;
        if (!isxdigit((unsigned char)*text) || digits == 2 * QPEL_UUID_SIZE)
            return false;
        unsigned digit = isdigit((unsigned char)*text)
                             ? (unsigned)(*text - '0')
                             : (unsigned)(tolower((unsigned char)*text) - 'a') + 10;
        uint8_t *byte = &uuid[digits / 2];
        *byte = (uint8_t)(digits % 2 ? *byte << 4 | digit : digit);
        digits++;
    }
    return digits == 2 * QPEL_UUID_SIZE;
}

static bool contains(const char *text, const char *part)
{
    size_t length = strlen(part);
    for (; *text; text++)
        if (!strncasecmp(text, part, length))
            return true;
    return false;
}

static enum wish parse_wish(const char *wanted, uint8_t uuid[QPEL_UUID_SIZE])
{
    if (!wanted || !*wanted)
        return WISH_REAL;
    if (!strcasecmp(wanted, "software"))
        return WISH_SOFTWARE;
    return parse_uuid(wanted, uuid) ? WISH_UUID : WISH_NAME;
}

/* ---- a device's description ---- */

static enum qpel_device_kind kind_of(VkPhysicalDeviceType type)
{
    switch ((int)type) {
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
        return QPEL_DEVICE_INTEGRATED;
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
        return QPEL_DEVICE_DISCRETE;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
        return QPEL_DEVICE_VIRTUAL;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
        return QPEL_DEVICE_SOFTWARE;
    }
    return QPEL_DEVICE_OTHER;
}

/* Sets those that we may use, and whether the driver tells its name. */
static void list_extensions(struct qvk_extensions *offered, bool *driver_properties,
                            const struct qvk_instance *instance, VkPhysicalDevice device)
{
    uint32_t count = 0;
    *driver_properties = false;
    if (instance->EnumerateDeviceExtensionProperties(device, NULL, &count, NULL) != VK_SUCCESS)
        return;
    VkExtensionProperties *list = calloc(count ? count : 1, sizeof *list);
    /* VK_INCOMPLETE only says that there are more by now. */
    if (list &&
        instance->EnumerateDeviceExtensionProperties(device, NULL, &count, list) >= VK_SUCCESS)
        for (uint32_t i = 0; i < count; i++) {
            qvk_extensions_add(offered, list[i].extensionName);
            *driver_properties |=
                !strcmp(list[i].extensionName, VK_KHR_DRIVER_PROPERTIES_EXTENSION_NAME);
        }
    free(list);
}

static void describe_sharing(struct qpel_device *info, struct qvk_candidate *c,
                             const struct qvk_instance *instance)
{
    qvk_sharing_ask(&c->sharing, instance, c->handle, &c->extensions);
    info->dmabuf_import = c->sharing.dma_buf & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    info->dmabuf_export = c->sharing.dma_buf & VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT;
    info->host_import = c->sharing.host & VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT;
    info->completion_fd = c->sharing.sync_fd;
}

static void describe_limits(struct qpel_device *info, struct qvk_candidate *c,
                            const VkPhysicalDeviceLimits *limits)
{
    info->max_groups = limits->maxComputeWorkGroupCount[0];
    info->max_group_lanes = limits->maxComputeWorkGroupInvocations;
    if (info->max_group_lanes > limits->maxComputeWorkGroupSize[0])
        info->max_group_lanes = limits->maxComputeWorkGroupSize[0];
    info->max_push_bytes = limits->maxPushConstantsSize;
    info->max_storage_range = limits->maxStorageBufferRange;
    info->storage_alignment = limits->minStorageBufferOffsetAlignment;
    c->atom = limits->nonCoherentAtomSize ? limits->nonCoherentAtomSize : 1;
    c->max_allocation = UINT64_MAX;
    c->tick_seconds = (double)limits->timestampPeriod * 1e-9;
}

static void describe_memory(struct qpel_device *info, const VkPhysicalDeviceMemoryProperties *m)
{
    static const struct {
        VkMemoryPropertyFlags vulkan;
        uint32_t ours;
    } flags[] = {
        { VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, QPEL_MEMORY_DEVICE_LOCAL },
        { VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT, QPEL_MEMORY_HOST_VISIBLE },
        { VK_MEMORY_PROPERTY_HOST_COHERENT_BIT, QPEL_MEMORY_HOST_COHERENT },
        { VK_MEMORY_PROPERTY_HOST_CACHED_BIT, QPEL_MEMORY_HOST_CACHED },
    };
    info->memory_types =
        m->memoryTypeCount < QPEL_MEMORY_TYPE_MAX ? m->memoryTypeCount : QPEL_MEMORY_TYPE_MAX;
    for (uint32_t i = 0; i < info->memory_types; i++) {
        for (size_t f = 0; f < sizeof flags / sizeof *flags; f++)
            if (m->memoryTypes[i].propertyFlags & flags[f].vulkan)
                info->memory[i].flags |= flags[f].ours;
        info->memory[i].heap_size = m->memoryHeaps[m->memoryTypes[i].heapIndex].size;
    }
}

/* What Vulkan 1.1 tells beyond 1.0. */
static void describe_more(struct qpel_device *info, struct qvk_candidate *c,
                          const struct qvk_instance *instance, const struct qpel_vulkan_params *on)
{
    VkPhysicalDeviceDriverProperties driver = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES,
    };
    VkPhysicalDeviceMaintenance3Properties maintenance3 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES,
    };
    VkPhysicalDeviceIDProperties id = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ID_PROPERTIES,
        .pNext = &maintenance3,
    };
    VkPhysicalDeviceProperties2 all = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &id,
    };
    bool driver_properties;
    list_extensions(&c->extensions, &driver_properties, instance, c->handle);
    if (on)
        c->extensions = (struct qvk_extensions){ .memory_fd = false };
    for (uint32_t i = 0; on && i < on->extension_count; i++)
        qvk_extensions_add(&c->extensions, on->extensions[i]);
    if (driver_properties)
        maintenance3.pNext = &driver;
    instance->GetPhysicalDeviceProperties2(c->handle, &all);
    memcpy(info->uuid, id.deviceUUID, QPEL_UUID_SIZE);
    if (maintenance3.maxMemoryAllocationSize)
        c->max_allocation = maintenance3.maxMemoryAllocationSize;
    if (driver.driverName[0])
        snprintf(info->driver, sizeof info->driver, "%.120s %.120s", driver.driverName,
                 driver.driverInfo);
    describe_sharing(info, c, instance);
}

/* Of the families that compute the owner's, or where there is none the first: on V3D there is
 * but one, elsewhere the first does all. */
static bool find_queue(struct qvk_candidate *c, const struct qvk_instance *instance,
                       const struct qpel_vulkan_params *on)
{
    uint32_t count = 0;
    instance->GetPhysicalDeviceQueueFamilyProperties(c->handle, &count, NULL);
    VkQueueFamilyProperties *families = calloc(count ? count : 1, sizeof *families);
    if (!families)
        return false;
    instance->GetPhysicalDeviceQueueFamilyProperties(c->handle, &count, families);
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++)
        if (families[i].queueCount && families[i].queueFlags & VK_QUEUE_COMPUTE_BIT &&
            (!on || on->queue_family == i)) {
            c->family = i;
            c->timestamp_bits = families[i].timestampValidBits;
            found = true;
        }
    free(families);
    return found;
}

static bool has_mapped_memory(const struct qpel_device *info)
{
    for (uint32_t i = 0; i < info->memory_types; i++)
        if (info->memory[i].flags & QPEL_MEMORY_HOST_VISIBLE)
            return true;
    return false;
}

/* Why the device can't be used; null if it can. */
static const char *unfit(const struct qpel_device *info, const VkPhysicalDeviceLimits *limits)
{
    /* The limits are below what Vulkan guarantees: only a faulty driver falls short. */
    if (info->max_group_lanes < QPEL_GROUP_LANES || !info->max_groups)
        return "its work groups are too small";
    if (limits->maxBoundDescriptorSets < 3 || limits->maxPerStageDescriptorStorageBuffers < 3 ||
        limits->maxPerStageResources < 3)
        return "it binds fewer than 3 storage buffers";
#define COUNT_PUSH(type, name) +4
    if (info->max_push_bytes < 0 QPEL_PUSH_CONSTANTS(COUNT_PUSH))
        return "it has too little room for push constants";
#undef COUNT_PUSH
    if (!has_mapped_memory(info))
        return "it has no memory that the CPU reaches";
    return NULL;
}

/* Leaves rank 0 where the device is unfit. on: as of qvk_list_adopt(), or null. */
static enum qpel_result describe(struct qpel_device *info, struct qvk_candidate *c,
                                 const struct qvk_instance *instance,
                                 const struct qpel_vulkan_params *on)
{
    VkPhysicalDeviceProperties p;
    instance->GetPhysicalDeviceProperties(c->handle, &p);
    snprintf(info->name, sizeof info->name, "%s", p.deviceName);
    snprintf(info->driver, sizeof info->driver, "version 0x%x", p.driverVersion);
    info->kind = kind_of(p.deviceType);
    info->vendor_id = p.vendorID;
    info->device_id = p.deviceID;
    info->api_version[0] = VK_API_VERSION_MAJOR(p.apiVersion);
    info->api_version[1] = VK_API_VERSION_MINOR(p.apiVersion);
    info->api_version[2] = VK_API_VERSION_PATCH(p.apiVersion);
    describe_limits(info, c, &p.limits);
    instance->GetPhysicalDeviceMemoryProperties(c->handle, &c->memory);
    describe_memory(info, &c->memory);
    if (p.apiVersion < VK_API_VERSION_1_1) {
        qpel_reason_set(info->reason, "Vulkan %u.%u, 1.1 is needed", info->api_version[0],
                        info->api_version[1]);
        return QPEL_ERROR_UNSUPPORTED;
    }
    describe_more(info, c, instance, on);
    if (!find_queue(c, instance, on)) {
        if (!on)
            qpel_reason_set(info->reason, "no compute queue");
        else
            qpel_reason_set(info->reason, "queue_family: family %u does not compute",
                            on->queue_family);
        return on ? QPEL_ERROR_INVALID : QPEL_ERROR_UNSUPPORTED;
    }
    info->timestamps = c->timestamp_bits && c->tick_seconds > 0;
    const char *why = unfit(info, &p.limits);
    if (why)
        qpel_reason_set(info->reason, "%s", why);
    else
        c->rank = 1;
    return why ? QPEL_ERROR_UNSUPPORTED : QPEL_OK;
}

/* ---- the choice ---- */

static void rank(struct qpel_device *info, struct qvk_candidate *c, enum wish wish,
                 const char *wanted, const uint8_t uuid[QPEL_UUID_SIZE])
{
    static const unsigned ranks[] = {
        [QPEL_DEVICE_DISCRETE] = 5, [QPEL_DEVICE_INTEGRATED] = 4, [QPEL_DEVICE_VIRTUAL] = 3,
        [QPEL_DEVICE_OTHER] = 2,    [QPEL_DEVICE_SOFTWARE] = 1,
    };
    bool software = info->kind == QPEL_DEVICE_SOFTWARE;
    if (!c->rank)
        return;
    c->rank = 0;
    if (wish == WISH_REAL && software)
        qpel_reason_set(info->reason, "software device: taken only when asked for");
    else if (wish == WISH_SOFTWARE && !software)
        qpel_reason_set(info->reason, "a software device was asked for");
    else if ((wish == WISH_UUID && memcmp(info->uuid, uuid, QPEL_UUID_SIZE)) ||
             (wish == WISH_NAME && !contains(info->name, wanted)))
        qpel_reason_set(info->reason, "not the device asked for, \"%.100s\"", wanted);
    else
        c->rank = ranks[info->kind];
}

int qvk_list_best(const struct qvk_list *list)
{
    int best = -1;
    for (size_t i = 0; i < list->count; i++)
        if (list->candidates[i].rank &&
            (best < 0 || list->candidates[i].rank > list->candidates[best].rank))
            best = (int)i;
    return best;
}

static enum qpel_result enumerate(const struct qvk_instance *instance, VkPhysicalDevice **handles,
                                  uint32_t *count, const struct log *log,
                                  char reason[QPEL_REASON_SIZE])
{
    *handles = NULL;
    VkResult v = qvk_enumerate_devices(instance, count, NULL);
    enum qpel_result r = qvk_check_open(log, reason, v, "vkEnumeratePhysicalDevices()");
    if (r || !*count)
        return r;
    *handles = calloc(*count, sizeof **handles);
    if (!*handles)
        return QPEL_ERROR_NOMEM;
    /* VK_INCOMPLETE: one was plugged in meanwhile. Those that we have will do. */
    v = qvk_enumerate_devices(instance, count, *handles);
    return qvk_check_open(log, reason, v == VK_INCOMPLETE ? VK_SUCCESS : v,
                          "vkEnumeratePhysicalDevices()");
}

/* Room for `count`, of which none is there yet. */
static enum qpel_result make_room(struct qvk_list *list, uint32_t count)
{
    list->info = calloc(count, sizeof *list->info);
    list->candidates = calloc(count, sizeof *list->candidates);
    return list->info && list->candidates ? QPEL_OK : QPEL_ERROR_NOMEM;
}

enum qpel_result qvk_list_open(struct qvk_list *list, const struct qvk_instance *instance,
                               const char *wanted, const struct log *log,
                               char reason[QPEL_REASON_SIZE])
{
    memset(list, 0, sizeof *list);
    VkPhysicalDevice *handles;
    uint32_t count = 0;
    enum qpel_result r = enumerate(instance, &handles, &count, log, reason);
    if (!r && count)
        r = make_room(list, count);
    if (r == QPEL_ERROR_NOMEM)
        qpel_reason_set(reason, "out of memory");
    uint8_t uuid[QPEL_UUID_SIZE] = { 0 };
    enum wish wish = parse_wish(wanted, uuid);
    for (uint32_t i = 0; i < count && !r; i++) {
        list->candidates[i].handle = handles[i];
        describe(&list->info[i], &list->candidates[i], instance, NULL);
        rank(&list->info[i], &list->candidates[i], wish, wanted, uuid);
        list->count++;
    }
    free(handles);
    if (r)
        qvk_list_close(list);
    return r;
}

enum qpel_result qvk_list_adopt(struct qvk_list *list, const struct qvk_instance *instance,
                                const struct qpel_vulkan_params *on, char reason[QPEL_REASON_SIZE])
{
    memset(list, 0, sizeof *list);
    enum qpel_result r = make_room(list, 1);
    if (r) {
        qpel_reason_set(reason, "out of memory");
    } else {
        list->candidates[0].handle = on->physical_device;
        r = describe(&list->info[0], &list->candidates[0], instance, on);
        qpel_reason_set(reason, "%s", list->info[0].reason);
    }
    if (r)
        qvk_list_close(list);
    else
        list->count = 1;
    return r;
}

void qvk_list_close(struct qvk_list *list)
{
    free(list->info);
    free(list->candidates);
    memset(list, 0, sizeof *list);
}
