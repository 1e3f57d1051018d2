#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "v3d_cost.h"

static void print_flags(const char *name, uint32_t value, const char *const names[], uint32_t n)
{
    printf("%-46s", name);
    for (uint32_t i = 0; i < n; i++)
        if (value >> i & 1)
            printf(" %s", names[i]);
    printf("\n");
}

static int compare_extensions(const void *a, const void *b)
{
    return strcmp(((const VkExtensionProperties *)a)->extensionName,
                  ((const VkExtensionProperties *)b)->extensionName);
}

void print_info(const struct driver *d, bool all_extensions)
{
    VkPhysicalDeviceVulkan13Properties p13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES,
    };
    VkPhysicalDeviceVulkan12Properties p12 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES,
        .pNext = &p13,
    };
    VkPhysicalDeviceVulkan11Properties p11 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES,
        .pNext = &p12,
    };
    VkPhysicalDeviceProperties2 props = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2,
        .pNext = &p11,
    };
    d->GetPhysicalDeviceProperties2(d->gpu, &props);
    const VkPhysicalDeviceProperties *p = &props.properties;
    const VkPhysicalDeviceLimits *l = &p->limits;

    VkPhysicalDeviceVulkan13Features f13 = {
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
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
    const VkPhysicalDeviceFeatures *f = &features.features;

#define SHOW(name, format, ...) printf("%-46s " format "\n", name, __VA_ARGS__)
    SHOW("deviceName", "%s", p->deviceName);
    SHOW("driver", "%s, %s", p12.driverName, p12.driverInfo);
    SHOW("apiVersion", "%u.%u.%u", VK_API_VERSION_MAJOR(p->apiVersion),
         VK_API_VERSION_MINOR(p->apiVersion), VK_API_VERSION_PATCH(p->apiVersion));

#define LIMIT(name) SHOW(#name, "%" PRIu64, (uint64_t)l->name)
    LIMIT(maxComputeSharedMemorySize);
    LIMIT(maxComputeWorkGroupInvocations);
    SHOW("maxComputeWorkGroupSize", "%u %u %u", l->maxComputeWorkGroupSize[0],
         l->maxComputeWorkGroupSize[1], l->maxComputeWorkGroupSize[2]);
    SHOW("maxComputeWorkGroupCount", "%u %u %u", l->maxComputeWorkGroupCount[0],
         l->maxComputeWorkGroupCount[1], l->maxComputeWorkGroupCount[2]);
    LIMIT(maxStorageBufferRange);
    LIMIT(maxUniformBufferRange);
    LIMIT(maxTexelBufferElements);
    LIMIT(maxImageDimension2D);
    LIMIT(maxPushConstantsSize);
    LIMIT(maxBoundDescriptorSets);
    LIMIT(maxPerStageDescriptorStorageBuffers);
    LIMIT(maxPerStageDescriptorSampledImages);
    LIMIT(maxPerStageDescriptorStorageImages);
    LIMIT(minStorageBufferOffsetAlignment);
    LIMIT(minUniformBufferOffsetAlignment);
    LIMIT(minTexelBufferOffsetAlignment);
    LIMIT(minMemoryMapAlignment);
    LIMIT(nonCoherentAtomSize);
    LIMIT(optimalBufferCopyRowPitchAlignment);
    LIMIT(maxMemoryAllocationCount);
    LIMIT(timestampComputeAndGraphics);
    SHOW("timestampPeriod", "%g", l->timestampPeriod);
    SHOW("maxMemoryAllocationSize", "%" PRIu64, (uint64_t)p11.maxMemoryAllocationSize);

    static const char *const subgroup_ops[] = {
        "basic", "vote", "arithmetic", "ballot", "shuffle", "shuffle-relative", "clustered", "quad",
    };
    SHOW("subgroupSize", "%u", p11.subgroupSize);
    print_flags("subgroupSupportedOperations", p11.subgroupSupportedOperations, subgroup_ops, 8);
    SHOW("min/maxSubgroupSize", "%u %u", p13.minSubgroupSize, p13.maxSubgroupSize);
    SHOW("maxComputeWorkgroupSubgroups", "%u", p13.maxComputeWorkgroupSubgroups);
    SHOW("integerDotProduct4x8BitPackedMixedAccelerated", "%u",
         p13.integerDotProduct4x8BitPackedMixedSignednessAccelerated);

#define FEATURE(s, name) SHOW(#name, "%u", (s).name)
    FEATURE(*f, robustBufferAccess);
    FEATURE(*f, shaderInt16);
    FEATURE(*f, shaderInt64);
    FEATURE(*f, shaderStorageImageExtendedFormats);
    FEATURE(*f, shaderStorageImageReadWithoutFormat);
    FEATURE(*f, shaderStorageImageWriteWithoutFormat);
    FEATURE(*f, shaderStorageBufferArrayDynamicIndexing);
    FEATURE(f11, storageBuffer16BitAccess);
    FEATURE(f11, uniformAndStorageBuffer16BitAccess);
    FEATURE(f11, storagePushConstant16);
    FEATURE(f11, variablePointersStorageBuffer);
    FEATURE(f12, storageBuffer8BitAccess);
    FEATURE(f12, uniformAndStorageBuffer8BitAccess);
    FEATURE(f12, storagePushConstant8);
    FEATURE(f12, shaderInt8);
    FEATURE(f12, shaderFloat16);
    FEATURE(f12, scalarBlockLayout);
    FEATURE(f12, uniformBufferStandardLayout);
    FEATURE(f12, bufferDeviceAddress);
    FEATURE(f12, descriptorIndexing);
    FEATURE(f12, timelineSemaphore);
    FEATURE(f12, hostQueryReset);
    FEATURE(f12, vulkanMemoryModel);
    FEATURE(f13, synchronization2);
    FEATURE(f13, maintenance4);
    FEATURE(f13, subgroupSizeControl);
    FEATURE(f13, computeFullSubgroups);
    FEATURE(f13, shaderIntegerDotProduct);
    FEATURE(f13, shaderZeroInitializeWorkgroupMemory);
    FEATURE(f13, inlineUniformBlock);
    FEATURE(f13, pipelineCreationCacheControl);

    static const char *const memory_flags[] = {
        "device-local", "host-visible", "host-coherent", "host-cached", "lazily-allocated",
    };
    VkPhysicalDeviceMemoryProperties memory;
    d->GetPhysicalDeviceMemoryProperties(d->gpu, &memory);
    for (uint32_t i = 0; i < memory.memoryTypeCount; i++) {
        char name[32];
        snprintf(name, sizeof name, "memoryType[%u] (heap %u)", i, memory.memoryTypes[i].heapIndex);
        print_flags(name, memory.memoryTypes[i].propertyFlags, memory_flags, 5);
    }
    static const char *const queue_flags[] = { "graphics", "compute", "transfer", "sparse" };
    VkQueueFamilyProperties queues[8];
    uint32_t n = 8;
    d->GetPhysicalDeviceQueueFamilyProperties(d->gpu, &n, queues);
    for (uint32_t i = 0; i < n; i++) {
        char name[64];
        snprintf(name, sizeof name, "queueFamily[%u] (%u queues, %u timestamp bits)", i,
                 queues[i].queueCount, queues[i].timestampValidBits);
        print_flags(name, queues[i].queueFlags, queue_flags, 4);
    }

    static const char *const wanted[] = {
        "VK_KHR_8bit_storage",
        "VK_KHR_16bit_storage",
        "VK_KHR_shader_float16_int8",
        "VK_KHR_timeline_semaphore",
        "VK_KHR_external_memory_fd",
        "VK_KHR_external_semaphore_fd",
        "VK_EXT_external_memory_dma_buf",
        "VK_EXT_external_memory_host",
        "VK_EXT_image_drm_format_modifier",
        "VK_EXT_subgroup_size_control",
        "VK_EXT_scalar_block_layout",
        "VK_KHR_shader_integer_dot_product",
        "VK_EXT_host_image_copy",
        "VK_KHR_buffer_device_address",
        "VK_KHR_synchronization2",
        "VK_KHR_maintenance4",
        "VK_KHR_maintenance5",
        "VK_KHR_maintenance6",
        "VK_KHR_push_descriptor",
        "VK_EXT_descriptor_indexing",
        "VK_KHR_pipeline_executable_properties",
        "VK_KHR_performance_query",
        "VK_KHR_workgroup_memory_explicit_layout",
        "VK_EXT_texel_buffer_alignment",
        "VK_KHR_copy_commands2",
        "VK_EXT_memory_budget",
        "VK_EXT_queue_family_foreign",
        "VK_EXT_calibrated_timestamps",
        "VK_EXT_pipeline_robustness",
    };
    check(d->EnumerateDeviceExtensionProperties(d->gpu, NULL, &n, NULL), "extensions");
    VkExtensionProperties *ext = allocate(n, sizeof *ext);
    check(d->EnumerateDeviceExtensionProperties(d->gpu, NULL, &n, ext), "extensions");
    qsort(ext, n, sizeof *ext, compare_extensions);
    if (all_extensions) {
        for (uint32_t i = 0; i < n; i++)
            SHOW(ext[i].extensionName, "%u", ext[i].specVersion);
    } else {
        for (size_t w = 0; w < sizeof wanted / sizeof *wanted; w++) {
            bool have = false;
            for (uint32_t i = 0; i < n; i++)
                have |= !strcmp(ext[i].extensionName, wanted[w]);
            SHOW(wanted[w], "%s", have ? "yes" : "no");
        }
    }
    free(ext);
}
