/* libqpel on the caller's own Vulkan device. The only header that needs Vulkan's, which a program
 * that uses Vulkan has; qpel.h does not include it. It is there where the library was built with
 * Vulkan. Nothing is linked but libqpel: functions are found through the caller's loader.
 *
 *   struct qpel_vulkan_params on = {
 *       .get_instance_proc_addr = vkGetInstanceProcAddr, .instance = instance,
 *       .api_version = VK_API_VERSION_1_2, .physical_device = physical, .device = device,
 *       .queue = queue, .queue_family = family, .lock_queue = lock, .unlock_queue = unlock };
 *   qpel_vulkan_context_create(&context, NULL, &on, reason);
 *   qpel_batch_begin(batch, picture);     // and so on, as in picture.h
 *   qpel_vulkan_record(batch, commands, NULL);
 *   vkEndCommandBuffer(commands);         // then vkQueueSubmit(), and once that is done:
 *   qpel_vulkan_recorded_done(batch);
 */
#ifndef QPEL_VULKAN_H
#define QPEL_VULKAN_H

#include <vulkan/vulkan_core.h>

#include "picture.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the device ---- */

/* The caller's objects. They outlive the context, but for the arrays and names, which are read in
 * the call only. */
struct qpel_vulkan_params {
    PFN_vkGetInstanceProcAddr get_instance_proc_addr;
    VkInstance instance;
    uint32_t api_version; /* VkApplicationInfo.apiVersion of the instance; 0 is 1.0, as there */
    VkPhysicalDevice physical_device;
    VkDevice device;
    VkQueue queue;
    uint32_t queue_family; /* the queue's; it computes */
    /* VkDeviceCreateInfo.ppEnabledExtensionNames. No other is used, and none is needed. */
    const char *const *extensions;
    uint32_t extension_count;
    /* The feature timelineSemaphore is on: of Vulkan 1.2, or of VK_KHR_timeline_semaphore, which
     * then is among the extensions. */
    bool timeline_semaphore;
    /* Called before and after each vkQueueSubmit() of the library's, with no lock held that another
     * call of the library's could need; from any thread that is inside a function of the library.
     * They must not call libqpel. Both null: the caller sees to it that nobody else uses the queue
     * during calls of this library (which itself submits from one thread at a time), and that
     * no two contexts share a queue. */
    void (*lock_queue)(void *user);
    void (*unlock_queue)(void *user);
    void *user;
};

/* Makes a context on that device. All of the library works on it as on one that found its device
 * itself: every door, recipes, the self-test, which runs here. It creates objects of its own on
 * the device and destroys them with the context, waits for nothing but its own fences, and leaves
 * the device and the instance alone.
 *
 *   params  as of qpel_context_create(), null: all defaults; `device` and QPEL_DEVICE do not count
 *   on      the device
 *   reason  may be null; filled on failure
 *
 * QPEL_OK; QPEL_ERROR_INVALID: a null handle, one lock function without the other, a family that
 * is not there or does not compute, timelines without their version or extension, params with
 * QPEL_BACKEND_CPU, and what qpel_context_create() says; QPEL_ERROR_UNSUPPORTED: an instance or
 * device of Vulkan 1.0, limits too small, or the environment's QPEL_BACKEND is "cpu";
 * QPEL_ERROR_DEVICE_LOST: the self-test failed; QPEL_ERROR_NOMEM; QPEL_ERROR_IO. On failure *out is
 * null. Any thread.
 *
 * qpel_context_destroy() waits for what the library submitted, at most the context's timeout.
 * Should the device hang, the library's objects stay: they can't be freed under running work. */
QPEL_API enum qpel_result qpel_vulkan_context_create(struct qpel_context **out,
                                                     const struct qpel_context_params *params,
                                                     const struct qpel_vulkan_params *on,
                                                     char reason[QPEL_REASON_SIZE]);

/* ---- order ----
 *
 * The library's work is compute shaders: each batch reads and writes its pictures at
 * VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT with VK_ACCESS_SHADER_READ_BIT and
 * VK_ACCESS_SHADER_WRITE_BIT, and begins with a barrier from that stage and those writes to itself.
 * So on one queue batches that are submitted and recorded follow one another, in the queue's order,
 * and need nothing of the caller. All else is the caller's, as always in Vulkan:
 *
 *   before  what other stages wrote to a picture, or read of a target, is to happen before that
 *           stage and be visible to those accesses: by a barrier or a semaphore. What the CPU wrote
 *           before the vkQueueSubmit() is visible.
 *   after   the target was written at that stage by VK_ACCESS_SHADER_WRITE_BIT. The commands end
 *           with a barrier to the host where the library submits them, with none where it records.
 *
 * Pictures in dma-bufs (qpel_picture_import(), qpel_picture_create_exportable(), and those that
 * qpel_picture_memory() calls QPEL_MEMORY_HEAP) are not this queue family's between batches. They
 * are VK_QUEUE_FAMILY_FOREIGN_EXT's where VK_EXT_queue_family_foreign is among the extensions, else
 * VK_QUEUE_FAMILY_EXTERNAL's. Each batch acquires those that it names before its work, and releases
 * them after it, at that stage both times; so do the caller's own commands that use one.
 *
 * Work of batches of one context must not run at the same time: they share memory of the library's.
 * On one queue it does not; a semaphore keeps queues apart. */

/* ---- pictures in the caller's buffers ---- */

/* Where a picture lies. A buffer may hold several. */
struct qpel_vulkan_buffer {
    /* For qpel_vulkan_picture_wrap() made with VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, bound to memory,
     * and the context's queue family's when batches run. */
    VkBuffer buffer;
    VkDeviceSize size;                                           /* the buffer's */
    VkDeviceSize offset[QPEL_PLANE_MAX], stride[QPEL_PLANE_MAX]; /* bytes from its start */
    /* Where the CPU has the buffer's first byte: of memory that is HOST_COHERENT. Null: the CPU
     * does not reach it, and qpel_picture_begin() and submissions to the CPU are UNSUPPORTED. */
    void *mapped;
};

/* A picture in a buffer of the caller's, which outlives it and its last submission or recording.
 * What is in it stays as it is. Offsets and strides are multiples of 4, Cb's stride is Cr's, and
 * each plane's last 32-bit word is all in the buffer: the GPU reads whole words, and writes those
 * that have samples of blocks, other bytes in them as they were; nobody else may write those
 * meanwhile. Samples of two pictures in one buffer are the caller's to keep apart.
 *
 * QPEL_OK; INVALID: null, a row shorter than its samples, planes that overlap or don't lie in the
 * buffer, a context that was not made here; UNSUPPORTED: bit depth, offsets, strides or an end that
 * are not as above, or from the first plane's start to the last one's end more than the device's
 * maxStorageBufferRange; NOMEM; DEVICE_LOST. The log names the culprit. Any thread. */
QPEL_API enum qpel_result qpel_vulkan_picture_wrap(struct qpel_context *context,
                                                   const struct qpel_picture_format *format,
                                                   const struct qpel_vulkan_buffer *where,
                                                   struct qpel_picture **out);

/* ---- the library's pictures in the caller's commands ---- */

/* Tells where a picture lies, for commands of the caller's: to show it, encode it, copy it, or to
 * write a reference by other means than the CPU. Of any picture of such a context that the GPU
 * reaches, whoever's its memory is.
 *
 *   out  the buffer, the library's (made for VK_BUFFER_USAGE_STORAGE_BUFFER_BIT, _TRANSFER_SRC_BIT
 *        and _TRANSFER_DST_BIT, exclusive to the context's queue family) or the one that was
 *        wrapped; its bytes, of a wrapped one up to the picture's end at least; where the planes
 *        are in it. `mapped` is null: the CPU's way is qpel_picture_begin()
 *
 * The buffer stays the library's, and lives as long as the picture: it is not to be destroyed, and
 * what the caller's commands do with it has ended before qpel_picture_destroy(). All of this is the
 * same all the picture's life. The buffer holds other pictures, and memory that batches work in:
 * touch the samples of the planes' rows and what is between them, nothing before, behind, or else.
 *
 * The library does not know of the caller's commands, and keeps nobody off because of them. They
 * use the picture as "order" has it: reading follows the batch that writes it, by a barrier from
 * VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT and VK_ACCESS_SHADER_WRITE_BIT on the same queue (recorded
 * behind the batch, or submitted after it), or by a semaphore of qpel_vulkan_submit(); what they
 * write is made visible to that stage's reads and writes before the batch that uses it; and a batch
 * that writes the picture anew follows their last read. That a ticket is done tells the CPU, and
 * later submissions nothing: these have their barrier all the same. They end before the CPU opens
 * the picture with qpel_picture_begin(), with a barrier to the host; and what it then writes is
 * visible to what is submitted after qpel_picture_end().
 *
 * QPEL_OK; INVALID: null, or a context that was not made here; UNSUPPORTED: the GPU does not reach
 * it (qpel_picture_memory() tells why). *out is then all zeros. Any thread. */
QPEL_API enum qpel_result qpel_vulkan_picture_buffer(const struct qpel_picture *picture,
                                                     struct qpel_vulkan_buffer *out);

/* ---- recording ---- */

/* Records the prediction of a batch into a command buffer of the caller's, on which recording has
 * begun, outside of a render pass, of a pool of the context's queue family. It may be a secondary
 * one. The compute bind point's pipeline and sets 0 to 3, and push constants, are the library's
 * afterwards; all other state is as before. The same commands may be executed any number of times.
 *
 * From here to qpel_vulkan_recorded_done() the batch is in flight and its pictures count as in use:
 * the batch is BUSY; so are qpel_picture_begin() and a submission to the CPU where they would
 * meet it. Submissions to the GPU and other recordings are not: their order is the caller's.
 * The pictures live as long as the batch names them. There is no ticket, no timeout, no fence.
 *
 *   report  may be null; as of qpel_submit()
 *
 * On any error nothing has been recorded and the batch is as before. QPEL_OK; INVALID: null,
 * nothing was begun, or a context that was not made here; and UNSUPPORTED, NOMEM, BUSY,
 * DEVICE_LOST as of qpel_submit() to the GPU. The batch's thread rule, and that of the commands'
 * pool. */
QPEL_API enum qpel_result qpel_vulkan_record(struct qpel_batch *batch, VkCommandBuffer commands,
                                             struct qpel_report *report);

/* Tells that the commands which qpel_vulkan_record() recorded have run for the last time, or were
 * thrown away: the batch may begin anew, be submitted or recorded again, its pictures be opened.
 * QPEL_OK; INVALID: the batch is not recorded. qpel_batch_destroy() tells it too. */
QPEL_API enum qpel_result qpel_vulkan_recorded_done(struct qpel_batch *batch);

/* ---- submitting with semaphores ---- */

/* value: of a timeline semaphore, to wait for or to be set; of a binary one 0. */
struct qpel_vulkan_semaphore {
    VkSemaphore semaphore;
    uint64_t value;
};

#define QPEL_VULKAN_SEMAPHORE_MAX 16 /* either way */

struct qpel_vulkan_semaphores {
    const struct qpel_vulkan_semaphore *wait; /* the batch's work starts after these */
    uint32_t wait_count;
    const struct qpel_vulkan_semaphore *signal; /* signalled when it is done, for any stage */
    uint32_t signal_count;
};

/* qpel_submit() to the GPU, with semaphores. The ticket is waited for as any other. The context's
 * timeout counts while the semaphores are waited for: signal them sooner, or wait for the ticket
 * (and destroy the batch) only once they will be. The self-test before the first picture of a kind
 * (qpel_submit()) waits for all that was submitted before.
 *
 *   params      as of qpel_submit(), null: all defaults. backend is AUTO or GPU, which are the same
 *               here; slices do not count. completion_fd wants VK_KHR_external_semaphore_fd among
 *               qpel_vulkan_params.extensions
 *   semaphores  null: none. With completion_fd: call qpel_ticket_fd() only once the signals that
 *               `wait` names are submitted, or given by the CPU, and all that they depend on;
 * Vulkan exports no other end of work report      may be null
 *
 * What qpel_submit() answers, and INVALID: QPEL_BACKEND_CPU, a null handle, too many of them, a
 * value other than 0 without qpel_vulkan_params.timeline_semaphore, a context that was not made
 * here. On any error but DEVICE_LOST no semaphore is waited for or signalled. */
QPEL_API enum qpel_result qpel_vulkan_submit(struct qpel_batch *batch,
                                             const struct qpel_submit_params *params,
                                             const struct qpel_vulkan_semaphores *semaphores,
                                             qpel_ticket *ticket, struct qpel_report *report);

#ifdef __cplusplus
}
#endif

#endif
