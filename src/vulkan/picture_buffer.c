/* Pictures in buffers of the caller's, and the library's buffers in the caller's hands. */
#include "gpu_internal.h"
#include "picture_shape.h"
#include "qpel/vulkan.h"

/* The part of a buffer that a picture takes, and its planes from there on. */
struct part {
    VkDeviceSize first;
    size_t size;
    bool word_behind; /* what shaders read behind the last plane is in it */
    struct picture_planes planes;
};

/* Of planes that lie in the buffer, and with what is read behind them where the buffer has it. */
static struct part part_of(const struct qpel_picture_format *f, const struct picture_planes *planes,
                           size_t size, size_t alignment)
{
    struct part part = { .planes = *planes };
    size_t first = SIZE_MAX, end = 0;
    for (int i = 0; i < qpel_plane_count(f); i++) {
        size_t start = planes->offset[i];
        size_t after = start + qpel_plane_span(f, i, planes->stride[i]);
        first = start < first ? start : first;
        end = after > end ? after : end;
    }
    /* Whole words, and one more. */
    size_t read = (end + 3) / 4 * 4 + 4;
    part.word_behind = read <= size;
    end = part.word_behind ? read : size;
    first -= first % alignment;
    part.first = first;
    part.size = end - first;
    for (int i = 0; i < qpel_plane_count(f); i++)
        part.planes.offset[i] -= first;
    return part;
}

/* Into a picture that has nothing yet. */
static enum qpel_result take(struct qpel_picture *p, struct gpu *gpu,
                             const struct qpel_vulkan_buffer *where, char reason[QPEL_REASON_SIZE])
{
    const struct qpel_device *limits = gpu->device.info;
    /* More than this is of no use to a picture: its limits are far below. */
    size_t size = where->size < PTRDIFF_MAX ? (size_t)where->size : PTRDIFF_MAX;
    struct picture_planes planes = { .offset = { 0 } };
    for (int i = 0; i < qpel_plane_count(&p->format); i++) {
        planes.offset[i] = where->offset[i] < SIZE_MAX ? (size_t)where->offset[i] : SIZE_MAX;
        planes.stride[i] = where->stride[i] < SIZE_MAX ? (size_t)where->stride[i] : SIZE_MAX;
    }
    if (!qpel_planes_fit(&p->format, &planes, size, reason))
        return QPEL_ERROR_INVALID;
    /* Powers of two, of which Vulkan allows 1. */
    size_t alignment = (size_t)limits->storage_alignment;
    struct part part = part_of(&p->format, &planes, size, alignment < 4 ? 4 : alignment);
    if (part.size > limits->max_storage_range) {
        qpel_reason_set(reason, "it is larger than this device's maxStorageBufferRange");
        return QPEL_ERROR_UNSUPPORTED;
    }
    uint8_t *mapped = where->mapped;
    struct gpu_buffer *buffer;
    enum qpel_result r = qvk_buffer_adopt(&gpu->device, where->buffer, part.first, part.size,
                                          mapped ? mapped + part.first : NULL, &buffer);
    enum chunk_behind behind = part.word_behind ? BEHIND_WORD : BEHIND_NOTHING;
    if (!r)
        r = qpel_picture_memory_adopt(p->context, buffer, part.size, behind, &p->memory);
    if (r) {
        qpel_reason_set(reason, "%s", qpel_result_name(r));
        return r;
    }
    qpel_picture_set_planes(p, &part.planes);
    if (!qpel_planes_valid(&p->format, &p->data)) {
        qpel_reason_set(reason, "planes overlap, or have strides that are too long");
        return QPEL_ERROR_INVALID;
    }
    const char *unfit = qpel_planes_unfit_for_words(&p->format, &p->data, buffer->data, part.size);
    if (unfit) {
        qpel_reason_set(reason, "%s", unfit);
        return QPEL_ERROR_UNSUPPORTED;
    }
    p->unmapped = !mapped;
    if (p->unmapped)
        qpel_reason_set(p->reason, "it is in a buffer of the caller's that is not mapped");
    return QPEL_OK;
}

static enum qpel_result wrap(struct qpel_context *context, const struct qpel_picture_format *format,
                             const struct qpel_vulkan_buffer *where, struct qpel_picture **out,
                             char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = qpel_check_format(format);
    if (r) {
        qpel_reason_set(reason, "format");
        return r;
    }
    if (!where || !where->buffer) {
        qpel_reason_set(reason, "no buffer");
        return QPEL_ERROR_INVALID;
    }
    if (!context->on_callers_device) {
        qpel_reason_set(reason, "the context has a device of its own");
        return QPEL_ERROR_INVALID;
    }
    struct gpu *gpu = qpel_context_open_gpu(context, true, &r, reason);
    if (!gpu)
        return r;
    struct qpel_picture *p = qpel_picture_new(context, format);
    if (!p)
        return QPEL_ERROR_NOMEM;
    p->kind = QPEL_MEMORY_VULKAN;
    r = take(p, gpu, where, reason);
    if (r)
        qpel_picture_free(p);
    else
        *out = p;
    return r;
}

enum qpel_result qpel_vulkan_picture_wrap(struct qpel_context *context,
                                          const struct qpel_picture_format *format,
                                          const struct qpel_vulkan_buffer *where,
                                          struct qpel_picture **out)
{
    char reason[QPEL_REASON_SIZE] = "out of memory";
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = NULL;
    if (!context)
        return QPEL_ERROR_INVALID;
    enum qpel_result r = wrap(context, format, where, out, reason);
    if (r)
        qpel_log_line(&context->log, QPEL_LOG_ERROR, "qpel_vulkan_picture_wrap: %s", reason);
    return r;
}

enum qpel_result qpel_vulkan_picture_buffer(const struct qpel_picture *picture,
                                            struct qpel_vulkan_buffer *out)
{
    char reason[QPEL_REASON_SIZE];
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = (struct qpel_vulkan_buffer){ .buffer = VK_NULL_HANDLE };
    if (!picture)
        return QPEL_ERROR_INVALID;
    enum qpel_result r = qvk_picture_reached(picture, reason);
    if (!picture->context->on_callers_device) {
        qpel_reason_set(reason, "the context has a device of its own");
        r = QPEL_ERROR_INVALID;
    }
    if (r) {
        qpel_log_line(&picture->context->log, QPEL_LOG_ERROR, "qpel_vulkan_picture_buffer: %s",
                      reason);
        return r;
    }
    const struct gpu_buffer *buffer = picture->memory.chunk->buffer;
    const uint8_t *start = buffer->data;
    out->buffer = buffer->handle;
    out->size = buffer->first + buffer->size;
    for (int i = 0; i < qpel_plane_count(&picture->format); i++) {
        out->offset[i] = buffer->first + (VkDeviceSize)(picture->data.data[i] - start);
        out->stride[i] = (VkDeviceSize)picture->data.stride[i];
    }
    return QPEL_OK;
}
