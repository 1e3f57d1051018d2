/* Devices from below, as the parts of the benchmark see them that know Vulkan. */
#ifndef BENCH_DOOR_VULKAN_H
#define BENCH_DOOR_VULKAN_H

#include "door.h"
#include "vulkan/gpu_internal.h"

enum { STAMP_BEGIN, STAMP_END, STAMP_COUNT };

struct door_buffer {
    VkBuffer handle;
    VkDeviceMemory memory;
    void *data; /* null: not mapped */
};

/* The library's device, looked into; and one of our own on the same hardware, for what the library
 * has no use for: copies, and features that the baseline's shader needs. */
struct door_device {
    struct gpu *gpu;
    const struct qvk_candidate *at;
    bool timestamps;

    /* The library's, before it was replaced, and what the new one keeps. */
    PFN_vkQueueSubmit library_submit;
    double queued_at;

    /* Our own. */
    VkDevice handle;
    VkQueue queue;
    struct VolkDeviceTable vk;
    bool bytes; /* shaders may load and store single ones */
    VkCommandPool pool;
    VkCommandBuffer commands;
    VkFence fence;
    VkQueryPool stamps;
    struct door_buffer rouse[2];
};

enum door_memory {
    DOOR_OWN,    /* the device's own, not mapped */
    DOOR_SHARED, /* mapped; the device's own where there is such memory */
    DOOR_SHOWN   /* mapped; cached for the CPU where there is such memory */
};
bool door_buffer_create(struct door_device *device, size_t size, enum door_memory memory,
                        struct door_buffer *out);
void door_buffer_destroy(struct door_device *device, struct door_buffer *buffer);

/* Begins our command buffer; its first and last commands are timestamps. */
bool door_commands_begin(struct door_device *device);
/* A barrier between all that came before and all that follows. */
void door_commands_separate(struct door_device *device);
/* Submits and waits. gpu: 0 where the device has no clock; wall: from submission on. */
bool door_commands_run(struct door_device *device, double *gpu, double *wall);

#endif
