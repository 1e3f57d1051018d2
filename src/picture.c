/* Pictures: memory with a shape. */
#include "picture.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "picture_shape.h"
#include "ticket.h"

struct qpel_picture *qpel_picture_new(struct qpel_context *context,
                                      const struct qpel_picture_format *format)
{
    struct qpel_picture *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->context = context;
    p->format = *format;
    p->format.bit_depth = 8;
    p->components = format->chroma == QPEL_CHROMA_400 ? 1 : COMPONENT_COUNT;
    p->holds = 1;
    return p;
}

/* From data and stride of the planes. */
static void set_components(struct qpel_picture *p)
{
    bool interleaved = p->format.layout == QPEL_LAYOUT_INTERLEAVED;
    for (int c = 0; c < p->components; c++) {
        int plane = c && interleaved ? 1 : c;
        p->component[c] = (struct samples){
            .data = p->data.data[plane] + (c == 2 && interleaved),
            .stride = p->data.stride[plane],
            .width = qpel_component_width(&p->format, c),
            .height = qpel_component_height(&p->format, c),
            .step = c && interleaved ? 2 : 1,
        };
    }
}

void qpel_picture_set_planes(struct qpel_picture *p, const struct picture_planes *planes)
{
    uint8_t *memory = qpel_picture_memory_data(&p->memory);
    p->planes = *planes;
    for (int i = 0; i < qpel_plane_count(&p->format); i++) {
        p->data.data[i] = memory + planes->offset[i];
        p->data.stride[i] = (ptrdiff_t)planes->stride[i];
    }
    set_components(p);
}

/* Rows start at multiples of 64 bytes, and their distance is no power of two: rows of one column
 * would share a cache set. */
static size_t choose_stride(size_t bytes)
{
    size_t stride = (bytes + 63) / 64 * 64;
    return stride >= 512 && (stride & (stride - 1)) == 0 ? stride + 64 : stride;
}

/* The library's own layout; returns its bytes. */
static size_t lay_out(const struct qpel_picture_format *format, struct picture_planes *planes)
{
    size_t size = 0;
    for (int i = 0; i < qpel_plane_count(format); i++) {
        planes->offset[i] = size;
        planes->stride[i] = choose_stride(qpel_row_bytes(format, i));
        size += planes->stride[i] * (size_t)qpel_component_height(format, i);
    }
    return size;
}

/* Of that layout, which is set. */
static struct picture_need need_of(const struct qpel_picture_format *format, enum qpel_near near,
                                   struct picture_planes *planes)
{
    const size_t size = lay_out(format, planes);
    return (struct picture_need){
        .size = size,
        .row = planes->stride[0] > planes->stride[1] ? planes->stride[0] : planes->stride[1],
        .units = (size_t)((format->width + 7) / 8) * ((format->height + 7) / 8),
        .near = near,
    };
}

static enum qpel_result create(struct qpel_context *context,
                               const struct qpel_picture_format *format, enum qpel_near near,
                               bool exportable, struct qpel_picture **out)
{
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = NULL;
    enum qpel_result r =
        context && (unsigned)near <= QPEL_NEAR_GPU ? qpel_check_format(format) : QPEL_ERROR_INVALID;
    if (r)
        return r;
    struct qpel_picture *p = qpel_picture_new(context, format);
    if (!p)
        return QPEL_ERROR_NOMEM;
    struct picture_planes planes = { .offset = { 0 } };
    struct picture_need need = need_of(format, near, &planes);
    need.exportable = exportable;
    r = qpel_picture_memory_take(context, &need, &p->memory, p->reason);
    if (r) {
        qpel_log_line(&context->log, QPEL_LOG_ERROR, "no picture of %" PRIu32 "x%" PRIu32 "%s: %s",
                      format->width, format->height, exportable ? " for export" : "", p->reason);
        free(p);
        return r;
    }
    p->kind = p->memory.dmabuf.data ? QPEL_MEMORY_HEAP
              : p->memory.chunk     ? QPEL_MEMORY_DRIVER
                                    : QPEL_MEMORY_CPU;
    qpel_picture_set_planes(p, &planes);
    *out = p;
    return QPEL_OK;
}

enum qpel_result qpel_picture_create_sort(struct qpel_context *context, struct gpu *gpu,
                                          const struct qpel_picture_format *format,
                                          enum memory_sort sort, struct qpel_picture **out)
{
    *out = NULL;
    struct qpel_picture *p = qpel_picture_new(context, format);
    if (!p)
        return QPEL_ERROR_NOMEM;
    struct picture_planes planes = { .offset = { 0 } };
    const struct picture_need need = need_of(format, QPEL_NEAR_CPU, &planes);
    enum qpel_result r = qpel_picture_memory_take_sort(context, gpu, &need, sort, &p->memory);
    if (r) {
        free(p);
        return r;
    }
    p->kind = QPEL_MEMORY_DRIVER;
    qpel_picture_set_planes(p, &planes);
    *out = p;
    return QPEL_OK;
}

enum qpel_result qpel_picture_create(struct qpel_context *context,
                                     const struct qpel_picture_format *format, enum qpel_near near,
                                     struct qpel_picture **out)
{
    return create(context, format, near, false, out);
}

enum qpel_result qpel_picture_create_exportable(struct qpel_context *context,
                                                const struct qpel_picture_format *format,
                                                enum qpel_near near, struct qpel_picture **out)
{
    return create(context, format, near, true, out);
}

enum qpel_result qpel_picture_reach(struct qpel_picture *p, void *base, size_t size)
{
    const void *start = base ? base : p->memory.dmabuf.data;
    const char *unfit = qpel_planes_unfit_for_words(&p->format, &p->data, start, size);
    if (unfit) {
        qpel_reason_set(p->reason, "%s", unfit);
        return QPEL_OK;
    }
    bool ends = qpel_planes_end_memory(&p->format, &p->data, start, size);
    enum chunk_behind behind = ends ? BEHIND_NOTHING : BEHIND_WORD;
    if (base)
        return qpel_picture_memory_wrap(p->context, base, size, behind, &p->memory, p->reason);
    return qpel_picture_memory_import(p->context, behind, &p->memory, p->reason);
}

enum qpel_result qpel_picture_wrap(struct qpel_context *context,
                                   const struct qpel_picture_format *format,
                                   const struct qpel_picture_data *data, struct qpel_picture **out)
{
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = NULL;
    enum qpel_result r = context && data ? qpel_check_format(format) : QPEL_ERROR_INVALID;
    if (r)
        return r;
    if (!qpel_planes_valid(format, data) ||
        (data->base && !qpel_planes_inside(format, data, data->base, data->size)))
        return QPEL_ERROR_INVALID;
    struct qpel_picture *p = qpel_picture_new(context, format);
    if (!p)
        return QPEL_ERROR_NOMEM;
    p->kind = QPEL_MEMORY_WRAPPED;
    p->data = *data;
    set_components(p);
    if (data->base)
        r = qpel_picture_reach(p, data->base, data->size);
    else
        qpel_reason_set(p->reason, "it is in the caller's memory, whose bounds were not stated");
    if (r) {
        free(p);
        return r;
    }
    *out = p;
    return QPEL_OK;
}

void qpel_picture_hold(struct qpel_picture *picture)
{
    picture->holds++;
}

bool qpel_picture_drop(struct qpel_picture *picture)
{
    return --picture->holds == 0;
}

void qpel_picture_free(struct qpel_picture *picture)
{
    qpel_picture_memory_give(picture->context, &picture->memory);
    free(picture);
}

void qpel_picture_destroy(struct qpel_picture **picture)
{
    if (!picture || !*picture)
        return;
    struct qpel_picture *p = *picture;
    *picture = NULL;
    pthread_mutex_lock(&p->context->lock);
    bool last = qpel_picture_drop(p);
    pthread_mutex_unlock(&p->context->lock);
    if (last)
        qpel_picture_free(p);
}

struct qpel_picture_format qpel_picture_get_format(const struct qpel_picture *picture)
{
    static const struct qpel_picture_format none;
    return picture ? picture->format : none;
}

enum qpel_result qpel_picture_begin(struct qpel_picture *picture, enum qpel_access access,
                                    struct qpel_picture_data *data)
{
    if (!picture || !data || (unsigned)access - 1 > QPEL_READ_WRITE - 1)
        return QPEL_ERROR_INVALID;
    if (picture->unmapped) {
        qpel_log_line(&picture->context->log, QPEL_LOG_ERROR, "qpel_picture_begin: %s",
                      picture->reason);
        return QPEL_ERROR_UNSUPPORTED;
    }
    bool write = access & QPEL_WRITE;
    const struct uses *uses = picture->uses;
    unsigned *count = write ? &picture->writes : &picture->reads;
    enum qpel_result r = QPEL_OK;
    pthread_mutex_lock(&picture->context->lock);
    if (uses[RUNNER_GPU].reading || uses[RUNNER_GPU].writing)
        qpel_tickets_reap(picture->context);
    for (int i = 0; i < RUNNER_COUNT; i++)
        if (uses[i].writing || (write && uses[i].reading))
            r = QPEL_ERROR_BUSY;
    if (!r) {
        /* From here on submissions keep off. */
        *count += 1;
        r = qpel_picture_memory_open(picture->context, &picture->memory, access);
        *count -= r != QPEL_OK;
    }
    if (!r)
        *data = picture->data;
    pthread_mutex_unlock(&picture->context->lock);
    return r;
}

enum qpel_result qpel_picture_end(struct qpel_picture *picture)
{
    if (!picture)
        return QPEL_ERROR_INVALID;
    enum qpel_result r = QPEL_ERROR_INVALID;
    pthread_mutex_lock(&picture->context->lock);
    if (picture->reads || picture->writes) {
        r = qpel_picture_memory_close(picture->context, &picture->memory);
        /* Accesses are not told apart: those that write end last. */
        *(picture->reads ? &picture->reads : &picture->writes) -= 1;
    }
    pthread_mutex_unlock(&picture->context->lock);
    return r;
}

enum qpel_result qpel_picture_memory(const struct qpel_picture *picture,
                                     struct qpel_memory_info *info)
{
    if (!picture || !info)
        return QPEL_ERROR_INVALID;
    const struct picture_memory *m = &picture->memory;
    *info = (struct qpel_memory_info){
        .kind = picture->kind,
        .cpu = !picture->unmapped,
        .gpu = m->chunk && qpel_gpu_buffer_bound(m->chunk->buffer),
        .exportable = m->dmabuf.data || (m->chunk && m->chunk->exportable),
    };
    bool buffers = picture->kind == QPEL_MEMORY_DRIVER || picture->kind == QPEL_MEMORY_VULKAN;
    info->cached =
        buffers ? qpel_gpu_buffer_cached(m->chunk->buffer) : picture->kind != QPEL_MEMORY_IMPORTED;
    if (m->chunk && !info->gpu)
        qpel_reason_set(info->reason, "larger than this device's maxStorageBufferRange");
    else
        memcpy(info->reason, picture->reason, sizeof info->reason);
    return QPEL_OK;
}
