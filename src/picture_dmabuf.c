/* Pictures that come and go as dma-bufs. */
#include <stdlib.h>

#include "picture_shape.h"

static enum qpel_result fault(const struct qpel_context *c, const char *call, enum qpel_result r,
                              const char *reason)
{
    qpel_log_line(&c->log, QPEL_LOG_ERROR, "%s: %s", call, reason);
    return r;
}

/* Into a picture that has nothing yet. */
static enum qpel_result take(struct qpel_picture *p, const struct qpel_dmabuf *d,
                             char reason[QPEL_REASON_SIZE])
{
    struct dmabuf *buffer = &p->memory.dmabuf;
    enum qpel_result r = qpel_dmabuf_open(buffer, d->fd, d->size, reason);
    if (r)
        return r;
    char unmapped[QPEL_REASON_SIZE];
    p->unmapped = !buffer->mapped;
    if (p->unmapped)
        qpel_reason_set(unmapped, "%s", reason);
    struct picture_planes planes;
    for (int i = 0; i < QPEL_PLANE_MAX; i++) {
        planes.offset[i] = d->offset[i];
        planes.stride[i] = d->stride[i];
    }
    if (!qpel_planes_fit(&p->format, &planes, buffer->size, reason))
        return QPEL_ERROR_INVALID;
    qpel_picture_set_planes(p, &planes);
    if (!qpel_planes_valid(&p->format, &p->data)) {
        qpel_reason_set(reason, "planes overlap, or have strides that are too long");
        return QPEL_ERROR_INVALID;
    }
    r = qpel_picture_reach(p, NULL, buffer->size);
    if (r || (p->unmapped && !p->memory.chunk)) {
        qpel_reason_set(reason, "neither the CPU nor the GPU can use it; %.100s", p->reason);
        return r ? r : QPEL_ERROR_UNSUPPORTED;
    }
    if (p->unmapped)
        qpel_reason_set(p->reason, "%s", unmapped);
    return QPEL_OK;
}

enum qpel_result qpel_picture_import(struct qpel_context *context,
                                     const struct qpel_picture_format *format,
                                     const struct qpel_dmabuf *dmabuf, struct qpel_picture **out)
{
    char reason[QPEL_REASON_SIZE] = "";
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = NULL;
    enum qpel_result r = context && dmabuf ? qpel_check_format(format) : QPEL_ERROR_INVALID;
    if (r)
        return r;
    struct qpel_picture *p = qpel_picture_new(context, format);
    if (!p)
        return QPEL_ERROR_NOMEM;
    p->kind = QPEL_MEMORY_IMPORTED;
    r = take(p, dmabuf, reason);
    if (r) {
        qpel_picture_free(p);
        return fault(context, "qpel_picture_import", r, reason);
    }
    *out = p;
    return QPEL_OK;
}

enum qpel_result qpel_picture_export(struct qpel_picture *picture, struct qpel_dmabuf *out)
{
    char reason[QPEL_REASON_SIZE];
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = (struct qpel_dmabuf){ .fd = -1 };
    if (!picture)
        return QPEL_ERROR_INVALID;
    int fd = -1;
    size_t size = 0;
    enum qpel_result r =
        qpel_picture_memory_export(picture->context, &picture->memory, &fd, &size, reason);
    if (r)
        return fault(picture->context, "qpel_picture_export", r, reason);
    out->fd = fd;
    out->size = size;
    for (int i = 0; i < qpel_plane_count(&picture->format); i++) {
        out->offset[i] = picture->planes.offset[i];
        out->stride[i] = picture->planes.stride[i];
    }
    return QPEL_OK;
}
