/* libqpel: the context: which CPU features, which GPU, which recipe; and memory
 * that CPU and GPU both reach.
 *
 * A context never needs a GPU: without libvulkan, a driver, a permission or a
 * working device it is created all the same, predicts on the CPU, and says why
 * in qpel_context_gpu() and in every report. The Vulkan loader is opened on the
 * first call that could use a GPU, not before. */
#ifndef QPEL_CONTEXT_H
#define QPEL_CONTEXT_H

#include <stdbool.h>

#include "common.h"

#ifdef __cplusplus
extern "C" {
#endif

struct qpel_context;
struct qpel_recipe; /* recipe.h */

/* Room for a sentence that says why; always terminated by a zero. */
#define QPEL_REASON_SIZE 200
/* Room for a device's or a driver's name. */
#define QPEL_NAME_SIZE 256
#define QPEL_UUID_SIZE 16

enum qpel_log_level { QPEL_LOG_ERROR, QPEL_LOG_WARNING, QPEL_LOG_INFO, QPEL_LOG_DEBUG };

/* Called with one line without a newline; `message` dies with the call. May be
 * called from any thread that is inside a libqpel function, also from several at
 * once. Must not call libqpel. */
typedef void qpel_log_fn(void *user, enum qpel_log_level level, const char *message);

/* What AUTO makes small. */
enum qpel_preference {
    QPEL_PREFER_WALL_TIME, /* the time from call to result */
    QPEL_PREFER_CPU_TIME   /* the caller's CPU time, as long as wall time grows by no more
                            * than max_slowdown_percent over the faster backend's */
};

/* All zeros is the default of everything. */
struct qpel_context_params {
    /* Which backend the calls use that ask for AUTO themselves. AUTO (default): the recipe
     * chooses for each, and a GPU is looked for on first need. CPU: no GPU is ever looked for, and
     * calls that ask for one fail. GPU: creation fails where there is none. The environment's
     * QPEL_BACKEND, "auto", "cpu" or "gpu", stands in for AUTO here. */
    enum qpel_backend backend;
    /* Which GPU: a part of its name in any case, its UUID as 32 hexadecimal digits
     * (dashes allowed), or "software" for a software rasteriser. Null: the
     * environment's QPEL_DEVICE; failing that the first real GPU, discrete before
     * integrated. A software device is never taken unless asked for. */
    const char *device;
    /* The cost lines; copied. Null: the file that the environment's QPEL_RECIPE
     * names; failing that those of qpel_recipe_default(). */
    const struct qpel_recipe *recipe;
    enum qpel_preference preference;
    unsigned max_slowdown_percent; /* for QPEL_PREFER_CPU_TIME; 0: 100 */
    unsigned timeout_ms;           /* the longest wait for one submission to the GPU; 0: 2000 */
    /* CPU features to hide, the complement of dsp.h's cpu_mask. 0: none hidden. */
    unsigned cpu_hidden;
    /* Null: nothing is logged, and the library is silent. QPEL_LOG in the
     * environment ("error" to "debug") lowers or raises the level that is passed
     * on; the default is QPEL_LOG_WARNING. */
    qpel_log_fn *log;
    void *log_user;
};

/* Makes a context.
 *
 *   out     set on success; null is QPEL_ERROR_INVALID
 *   params  copied; null: all defaults
 *
 * The environment variables QPEL_BACKEND, QPEL_DEVICE, QPEL_RECIPE and QPEL_LOG are read
 * here, once, and only where the parameter is not set; not in programs that run with raised
 * privileges (set-id). None can turn a context made with QPEL_BACKEND_CPU into one with a GPU.
 *
 * Returns QPEL_OK; QPEL_ERROR_INVALID for a bad parameter or environment value,
 * QPEL_ERROR_IO for a recipe file that can't be read, QPEL_ERROR_NOMEM; with
 * backend GPU also QPEL_ERROR_UNSUPPORTED (no such device) and
 * QPEL_ERROR_DEVICE_LOST (its self-test failed). On failure *out is null. Any thread. */
QPEL_API enum qpel_result qpel_context_create(struct qpel_context **out,
                                              const struct qpel_context_params *params);

/* Destroys *context and clears it; null or a pointer to null does nothing. Waits
 * for the GPU, at most the context's timeout. All buffers of the context must have been
 * destroyed, and no other thread may be using it. */
QPEL_API void qpel_context_destroy(struct qpel_context **context);

enum qpel_device_kind {
    QPEL_DEVICE_OTHER,
    QPEL_DEVICE_INTEGRATED,
    QPEL_DEVICE_DISCRETE,
    QPEL_DEVICE_VIRTUAL,
    QPEL_DEVICE_SOFTWARE
};
/* "other", "integrated", "discrete", "virtual", "software". */
QPEL_API const char *qpel_device_kind_name(enum qpel_device_kind kind);

#define QPEL_MEMORY_TYPE_MAX 32
enum {
    QPEL_MEMORY_DEVICE_LOCAL = 1,
    QPEL_MEMORY_HOST_VISIBLE = 2,
    QPEL_MEMORY_HOST_COHERENT = 4,
    QPEL_MEMORY_HOST_CACHED = 8
};

/* A Vulkan device as the library sees it. */
struct qpel_device {
    char name[QPEL_NAME_SIZE];
    char driver[QPEL_NAME_SIZE]; /* name and version */
    uint8_t uuid[QPEL_UUID_SIZE];
    enum qpel_device_kind kind;
    uint32_t vendor_id, device_id;
    uint32_t api_version[3];
    /* Taken by this context: `reason` says why, and what of the device had to be done without;
     * otherwise why not. */
    bool taken;
    char reason[QPEL_REASON_SIZE];
    /* Limits that bind the library. */
    uint32_t max_groups, max_group_lanes, max_push_bytes;
    uint64_t max_storage_range, storage_alignment;
    bool timestamps;
    /* What it shares with others: dma-bufs that it imports and exports, the caller's memory
     * (qpel_picture_wrap()), a descriptor that tells a submission's end (qpel_ticket_fd()). */
    bool dmabuf_import, dmabuf_export, host_import, completion_fd;
    uint32_t memory_types;
    struct {
        uint32_t flags; /* QPEL_MEMORY_... */
        uint64_t heap_size;
    } memory[QPEL_MEMORY_TYPE_MAX];
};

/* Lists the Vulkan devices of this machine, taken or not.
 *
 *   devices  room for *count devices; may be null with *count 0
 *   count    in: the room; out: how many there are, which may be more than the room
 *
 * Opens the GPU if this context has not done so yet. A context without GPU lists
 * none and returns QPEL_OK. QPEL_ERROR_INVALID for null arguments. Any thread. */
QPEL_API enum qpel_result qpel_context_devices(struct qpel_context *context,
                                               struct qpel_device *devices, size_t *count);

/* Tells whether this context has a working GPU, opening it on first need.
 *
 *   device  may be null; filled on QPEL_OK
 *   reason  may be null; filled on any other result: why there is none
 *
 * QPEL_OK; QPEL_ERROR_UNSUPPORTED: none; QPEL_ERROR_DEVICE_LOST: there was one, but it
 * failed or did not pass its self-test; QPEL_ERROR_INVALID. Any thread. */
QPEL_API enum qpel_result qpel_context_gpu(struct qpel_context *context, struct qpel_device *device,
                                           char reason[QPEL_REASON_SIZE]);

/* --- memory that CPU and GPU both reach --- */

struct qpel_buffer;

/* Where a device has memory of its own apart from the CPU's, which of the two. On others, the
 * Raspberry Pi among them, both are the same. */
enum qpel_near {
    QPEL_NEAR_CPU, /* cached for the CPU where the device offers that; a GPU of its own memory
                    * reads and writes it slowly, over its bus */
    QPEL_NEAR_GPU  /* the GPU's own; the CPU writes it fast in order, and reads it very slowly */
};

enum qpel_access { QPEL_READ = 1, QPEL_WRITE = 2, QPEL_READ_WRITE = 3 };

/* Makes a buffer of `size` bytes, zero-filled, starting at an address that is a multiple of 64.
 * Where the context has a GPU the memory is mapped for both, cached for the CPU if
 * the device offers such memory; otherwise it is the CPU's own. Dispatching on buffers copies
 * nothing.
 *
 * QPEL_OK; QPEL_ERROR_INVALID: null, or size 0; QPEL_ERROR_NOMEM. A GPU that can't bind so large a
 * buffer says so in qpel_dispatch() (QPEL_ERROR_UNSUPPORTED). The context must outlive the buffer.
 * Any thread. */
QPEL_API enum qpel_result qpel_buffer_create(struct qpel_context *context, size_t size,
                                             enum qpel_near near, struct qpel_buffer **out);

/* Frees *buffer and clears it; null or a pointer to null does nothing. No dispatch
 * may be using it and no CPU access be open. */
QPEL_API void qpel_buffer_destroy(struct qpel_buffer **buffer);

QPEL_API size_t qpel_buffer_size(const struct qpel_buffer *buffer);

/* Opens the buffer to the CPU: what the GPU wrote is visible from here on.
 *
 *   access  what the CPU is going to do
 *   data    set to the buffer's first byte; the same address each time
 *
 * Accesses may nest and be held by several threads; the same bytes are theirs to keep apart.
 * While one is open, a dispatch that uses the buffer returns QPEL_ERROR_BUSY.
 * QPEL_OK; QPEL_ERROR_INVALID; QPEL_ERROR_BUSY while a dispatch uses it; QPEL_ERROR_DEVICE_LOST. */
QPEL_API enum qpel_result qpel_buffer_begin(struct qpel_buffer *buffer, enum qpel_access access,
                                            void **data);

/* Ends the access: what the CPU wrote is visible to the next dispatch. QPEL_OK;
 * QPEL_ERROR_INVALID where none is open. */
QPEL_API enum qpel_result qpel_buffer_end(struct qpel_buffer *buffer);

#ifdef __cplusplus
}
#endif

#endif
