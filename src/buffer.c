/* qpel_buffer: memory of the GPU that the CPU reaches too, or the CPU's own. */
#include <stdlib.h>
#include <string.h>

#include "context.h"

#define ALIGNMENT 64

void *qpel_context_own_memory(size_t size)
{
    if (size > PTRDIFF_MAX)
        return NULL;
    size_t room = (size + 2 * ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    void *p = aligned_alloc(ALIGNMENT, room);
    if (p)
        memset(p, 0, room);
    return p;
}

enum qpel_result qpel_buffer_create(struct qpel_context *context, size_t size, enum qpel_near near,
                                    struct qpel_buffer **out)
{
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = NULL;
    if (!context || !size || (unsigned)near > QPEL_NEAR_GPU)
        return QPEL_ERROR_INVALID;
    if (size > PTRDIFF_MAX)
        return QPEL_ERROR_NOMEM;
    struct qpel_buffer *b = calloc(1, sizeof *b);
    if (!b)
        return QPEL_ERROR_NOMEM;
    b->context = context;
    b->size = size;
    enum qpel_result r;
    char reason[QPEL_REASON_SIZE];
    struct gpu *gpu = qpel_context_open_gpu(context, false, &r, reason);
    if (gpu) {
        r = qpel_gpu_buffer_create(gpu, size, near, &b->gpu_buffer);
        if (r) {
            free(b);
            return r == QPEL_ERROR_UNSUPPORTED ? QPEL_ERROR_NOMEM : r;
        }
        b->data = qpel_gpu_buffer_data(b->gpu_buffer);
    } else if (!(b->data = qpel_context_own_memory(size))) {
        free(b);
        return QPEL_ERROR_NOMEM;
    }
    *out = b;
    return QPEL_OK;
}

void qpel_buffer_destroy(struct qpel_buffer **buffer)
{
    if (!buffer || !*buffer)
        return;
    struct qpel_buffer *b = *buffer;
    *buffer = NULL;
    if (b->gpu_buffer)
        qpel_gpu_buffer_destroy(b->context->gpu, b->gpu_buffer);
    else
        free(b->data);
    free(b);
}

size_t qpel_buffer_size(const struct qpel_buffer *buffer)
{
    return buffer ? buffer->size : 0;
}

enum qpel_result qpel_buffer_begin(struct qpel_buffer *buffer, enum qpel_access access, void **data)
{
    if (!buffer || !data || (unsigned)access - 1 > QPEL_READ_WRITE - 1)
        return QPEL_ERROR_INVALID;
    enum qpel_result r = QPEL_OK;
    pthread_mutex_lock(&buffer->context->lock);
    if (buffer->dispatches)
        r = QPEL_ERROR_BUSY;
    else if (buffer->gpu_buffer && !buffer->accesses)
        r = qpel_gpu_buffer_invalidate(buffer->context->gpu, buffer->gpu_buffer, 0, 0);
    if (!r) {
        buffer->accesses++;
        *data = buffer->data;
    }
    pthread_mutex_unlock(&buffer->context->lock);
    return r;
}

enum qpel_result qpel_buffer_end(struct qpel_buffer *buffer)
{
    if (!buffer)
        return QPEL_ERROR_INVALID;
    enum qpel_result r = QPEL_OK;
    pthread_mutex_lock(&buffer->context->lock);
    if (!buffer->accesses)
        r = QPEL_ERROR_INVALID;
    else if (--buffer->accesses == 0 && buffer->gpu_buffer)
        r = qpel_gpu_buffer_flush(buffer->context->gpu, buffer->gpu_buffer, 0, 0);
    pthread_mutex_unlock(&buffer->context->lock);
    return r;
}
