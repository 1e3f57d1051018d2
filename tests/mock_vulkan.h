/* A Vulkan between the library and the real one: other devices, other limits, failures on
 * demand, and checks of what the library does with them. Programs that use it are linked with
 * MOCK_LINK_ARGS of meson.build, which lets it stand in for libvulkan's entry. */
#ifndef TESTS_MOCK_VULKAN_H
#define TESTS_MOCK_VULKAN_H

#include <stdbool.h>
#include <stdint.h>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan.h>

enum mock_memory {
    MOCK_MEMORY_REAL,
    MOCK_MEMORY_V3D,          /* one type: device-local, host-visible, coherent, not cached */
    MOCK_MEMORY_NOT_COHERENT, /* one type, cached; without flush and invalidate nothing is seen */
    MOCK_MEMORY_SPLIT,        /* the GPU's own, invisible; and two of the CPU's */
    MOCK_MEMORY_INVISIBLE     /* only the GPU's own */
};

#define MOCK_FAMILIES_MAX 4

/* A device, made of the first real one. Zero fields are as the real one has them. */
struct mock_device {
    const char *name;
    VkPhysicalDeviceType type;
    uint8_t uuid; /* all its bytes */
    uint32_t api_version;
    uint32_t max_storage_range, max_groups;
    enum mock_memory memory;
    VkQueueFlags families[MOCK_FAMILIES_MAX]; /* up to the first 0; none: one that does all */
    bool no_timestamps;
    /* Of these extensions none is offered but those that are set. */
    bool host_import;       /* VK_EXT_external_memory_host, the real one's */
    bool dma_buf;           /* VK_EXT_external_memory_dma_buf: any file that can be mapped is one */
    bool sync_fd;           /* VK_KHR_external_semaphore_fd */
    bool dedicated;         /* dma-bufs must be one buffer's alone */
    bool foreign;           /* VK_EXT_queue_family_foreign */
    VkResult create_result; /* of vkCreateDevice */
    VkResult refuses;       /* the same where extensions are asked for, which it offers */
};

/* NEVER: waits end with VK_TIMEOUT, though sooner than they ask. */
enum mock_fence { MOCK_FENCE_REAL, MOCK_FENCE_NEVER, MOCK_FENCE_LOST };

/* How push constants are falsified: a shader that is wrong, or a driver. */
enum mock_lie {
    MOCK_NO_LIE,
    MOCK_LIE_DX,
    MOCK_LIE_DY,
    MOCK_LIE_SRC,
    MOCK_LIE_LANES,
    MOCK_LIE_DST, /* of the picture door: four bytes to the right */
};

/* In which order dispatches between two barriers run. */
enum mock_order { MOCK_ORDER_REAL, MOCK_ORDER_BACKWARDS, MOCK_ORDER_RANDOM };

struct mock_vulkan {
    /* ---- set by tests ---- */
    bool hidden;  /* there is no libvulkan */
    bool enabled; /* or else the real one is used */
    struct mock_device devices[4];
    uint32_t device_count; /* 0: no device */
    enum mock_fence fence;
    enum mock_lie lie;
    enum mock_order order;
    unsigned skip_at; /* the how manieth dispatch does nothing; 0: none */
    VkCommandBuffer watched;
    unsigned fail_at; /* the how manieth call that returns a VkResult fails; 0: none */
    VkResult fail_with;
    bool sync_fd_late; /* descriptors of semaphores are of work that is over: -1 */
    bool no_fds;       /* there are no more descriptors for memory and semaphores */
    /* How the device maps a dma-buf; null: by mmap(). */
    void *(*map)(int fd, size_t size);
    /* ---- told by the mock ---- */
    unsigned calls;          /* that return a VkResult */
    const char *names[1024]; /* of these, [calls - 1] */
    const char *failed;      /* the one that was made to fail */
    unsigned waits;          /* vkWaitForFences */
    uint64_t timeout_ns;     /* of the last */
    int live;                /* objects created and not destroyed */
    unsigned dispatches;     /* vkCmdDispatch */
    unsigned recorded;       /* barriers in the command buffer that is watched */
    unsigned updates;        /* vkUpdateDescriptorSets */
    unsigned acquired;       /* buffers that were taken from other devices, */
    unsigned released;       /* and given to them */
    unsigned violations;     /* of limits, alignments and atoms; each is printed */
};

extern struct mock_vulkan mock;

/* Back to the start: enabled, with one device like V3D: integrated, memory of its kind; and no
 * environment variable that chooses a device or backend. */
void mock_reset(void);

/* Whether there is a real device for the mock to stand on. */
bool mock_possible(void);

#endif
