/* Buffers that the CPU reaches: memory, mapping, descriptor set. */
#ifndef QPEL_VK_MEMORY_H
#define QPEL_VK_MEMORY_H

#include "device.h"
#include "gpu.h"

/* What the CPU does with the memory, which decides its type. */
enum qvk_use {
    QVK_SHARED,   /* reads and writes: a caller's buffer */
    QVK_NEAR_GPU, /* seldom reads: a caller's buffer for the GPU */
    QVK_UPLOAD,   /* only writes, once and in order; the GPU reads */
    QVK_READBACK, /* reads what the GPU wrote */
};

struct gpu_buffer {
    void *data;
    VkDeviceSize size; /* bound and mapped, padding included */
    VkBuffer handle;
    VkDeviceSize first; /* byte of the handle's that is bound first; 0 but in a caller's */
    bool callers;       /* the handle is the caller's; no memory is here */
    void *reserved;     /* addresses of a caller's that is not mapped; they are data */
    VkDeviceMemory memory;
    VkDeviceSize allocated;
    bool coherent, cached;
    bool foreign;          /* a dma-buf's: between submissions it is others' */
    VkDescriptorPool pool; /* of the one set */
    VkDescriptorSet set;   /* null: larger than the device binds */
    struct gpu_buffer *next;
};

/* Bytes beyond a buffer's end that may be read, since shaders read whole words. */
#define QVK_PADDING 16
/* Buffers end at multiples of this. */
#define QVK_ALIGNMENT 64
/* So a buffer is larger than asked for by less than this. */
#define QVK_EXTRA (QVK_PADDING + QVK_ALIGNMENT)

/* Zero-filled and mapped. NOMEM, or DEVICE_LOST. */
enum qpel_result qvk_buffer_create(struct qvk_device *device, size_t size, enum qvk_use use,
                                   struct gpu_buffer **out);
/* The same in memory that can be exported as a dma-buf; the device must be able to. */
enum qpel_result qvk_buffer_create_exported(struct qvk_device *device, size_t size,
                                            enum qvk_use use, struct gpu_buffer **out);
/* Steps of that, of a buffer whose size is set: its handle, for memory of these kinds (0: ours),
 * and the set of one that has memory. What was made is the buffer's to destroy. */
enum qpel_result qvk_buffer_make_handle(struct qvk_device *device, struct gpu_buffer *buffer,
                                        VkExternalMemoryHandleTypeFlags shared);
enum qpel_result qvk_buffer_make_set(struct qvk_device *device, struct gpu_buffer *buffer);
/* `size` bytes of a caller's handle, which outlives it, from `first` on. data: where the CPU has
 * the first of them, of coherent memory; null: nowhere, and then addresses that nothing may touch
 * stand for them. The device binds as many. NOMEM, or DEVICE_LOST. */
enum qpel_result qvk_buffer_adopt(struct qvk_device *device, VkBuffer handle, VkDeviceSize first,
                                  size_t size, void *data, struct gpu_buffer **out);
/* The same where *buffer (may be null) has no room for `size` bytes: doubled, so that a growing
 * load seldom allocates, as far as can be bound. What it held is lost. */
enum qpel_result qvk_buffer_reserve(struct qvk_device *device, struct gpu_buffer **buffer,
                                    size_t size, enum qvk_use use);
/* Nothing may be using it. Null is fine. */
void qvk_buffer_destroy(struct qvk_device *device, struct gpu_buffer *buffer);

/* For memory that is not coherent; nothing otherwise. Ranges are widened to whole atoms. */
enum qpel_result qvk_buffer_flush(struct qvk_device *device, struct gpu_buffer *buffer,
                                  VkDeviceSize offset, VkDeviceSize size);
enum qpel_result qvk_buffer_invalidate(struct qvk_device *device, struct gpu_buffer *buffer,
                                       VkDeviceSize offset, VkDeviceSize size);

#endif
