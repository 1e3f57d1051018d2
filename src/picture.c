/* Pictures: memory with a shape. */
#include "picture.h"

#include <stdlib.h>
#include <string.h>

#include "ticket.h"

#define SIDE_MAX 16384

static int plane_count(const struct qpel_picture_format *f)
{
    if (f->chroma == QPEL_CHROMA_400)
        return 1;
    return f->layout == QPEL_LAYOUT_PLANAR ? 3 : 2;
}

static int component_width(const struct qpel_picture_format *f, int component)
{
    int shift = component ? chroma_shift_x(f->chroma) : 0;
    return (int)(f->width + (uint32_t)shift) >> shift;
}

static int component_height(const struct qpel_picture_format *f, int component)
{
    int shift = component ? chroma_shift_y(f->chroma) : 0;
    return (int)(f->height + (uint32_t)shift) >> shift;
}

/* Bytes of a row's samples. */
static size_t row_bytes(const struct qpel_picture_format *f, int plane)
{
    size_t width = (size_t)component_width(f, plane);
    return plane && f->layout == QPEL_LAYOUT_INTERLEAVED ? 2 * width : width;
}

static enum qpel_result check_format(const struct qpel_picture_format *f)
{
    if (!f || !f->width || !f->height || f->width > SIDE_MAX || f->height > SIDE_MAX ||
        (unsigned)f->chroma > QPEL_CHROMA_444 || (unsigned)f->layout > QPEL_LAYOUT_INTERLEAVED)
        return QPEL_ERROR_INVALID;
    /* Chroma of 4:4:4 is filtered as luma, by kernels that want neighbours side by side. */
    if (f->chroma == QPEL_CHROMA_444 && f->layout == QPEL_LAYOUT_INTERLEAVED)
        return QPEL_ERROR_UNSUPPORTED;
    switch (f->bit_depth) {
    case 0:
    case 8:
        return QPEL_OK;
    case 9:
    case 10:
    case 12:
    case 14:
        return QPEL_ERROR_UNSUPPORTED;
    default:
        return QPEL_ERROR_INVALID;
    }
}

static struct qpel_picture *picture_new(struct qpel_context *context,
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
            .width = component_width(&p->format, c),
            .height = component_height(&p->format, c),
            .step = c && interleaved ? 2 : 1,
        };
    }
}

/* Rows start at multiples of 64 bytes, and their distance is no power of two: rows of one column
 * would share a cache set. */
static size_t choose_stride(size_t bytes)
{
    size_t stride = (bytes + 63) / 64 * 64;
    return stride >= 512 && (stride & (stride - 1)) == 0 ? stride + 64 : stride;
}

enum qpel_result qpel_picture_create(struct qpel_context *context,
                                     const struct qpel_picture_format *format, enum qpel_near near,
                                     struct qpel_picture **out)
{
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = NULL;
    enum qpel_result r =
        context && (unsigned)near <= QPEL_NEAR_GPU ? check_format(format) : QPEL_ERROR_INVALID;
    if (r)
        return r;
    struct qpel_picture *p = picture_new(context, format);
    if (!p)
        return QPEL_ERROR_NOMEM;
    size_t size = 0;
    for (int i = 0; i < plane_count(format); i++) {
        p->planes.offset[i] = size;
        p->planes.stride[i] = choose_stride(row_bytes(format, i));
        size += p->planes.stride[i] * (size_t)component_height(format, i);
    }
    size_t units = (size_t)((format->width + 7) / 8) * ((format->height + 7) / 8);
    r = qpel_picture_memory_take(context, size, units, near, &p->memory);
    if (r) {
        free(p);
        return r;
    }
    for (int i = 0; i < plane_count(format); i++) {
        p->data.data[i] = (uint8_t *)qpel_picture_memory_data(&p->memory) + p->planes.offset[i];
        p->data.stride[i] = (ptrdiff_t)p->planes.stride[i];
    }
    set_components(p);
    *out = p;
    return QPEL_OK;
}

/* Bytes from a plane's first sample to behind its last. */
static size_t plane_span(const struct qpel_picture_format *f, const struct qpel_picture_data *d,
                         int plane)
{
    return (size_t)(component_height(f, plane) - 1) * (size_t)d->stride[plane] +
           row_bytes(f, plane);
}

static bool planes_overlap(const struct qpel_picture_format *f, const struct qpel_picture_data *d)
{
    int count = plane_count(f);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            uintptr_t a = (uintptr_t)d->data[i], b = (uintptr_t)d->data[k];
            if (a < b + plane_span(f, d, k) && b < a + plane_span(f, d, i))
                return true;
        }
    return false;
}

enum qpel_result qpel_picture_wrap(struct qpel_context *context,
                                   const struct qpel_picture_format *format,
                                   const struct qpel_picture_data *data, struct qpel_picture **out)
{
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = NULL;
    enum qpel_result r = context && data ? check_format(format) : QPEL_ERROR_INVALID;
    if (r)
        return r;
    for (int i = 0; i < plane_count(format); i++)
        if (!data->data[i] || data->stride[i] <= 0 ||
            (size_t)data->stride[i] < row_bytes(format, i) ||
            data->stride[i] > PTRDIFF_MAX / SIDE_MAX ||
            (uintptr_t)data->data[i] > UINTPTR_MAX - plane_span(format, data, i))
            return QPEL_ERROR_INVALID;
    if (planes_overlap(format, data))
        return QPEL_ERROR_INVALID;
    struct qpel_picture *p = picture_new(context, format);
    if (!p)
        return QPEL_ERROR_NOMEM;
    p->data = *data;
    set_components(p);
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
    bool write = access & QPEL_WRITE;
    const struct uses *uses = picture->uses;
    enum qpel_result r = QPEL_OK;
    pthread_mutex_lock(&picture->context->lock);
    if (uses[RUNNER_GPU].reading || uses[RUNNER_GPU].writing)
        qpel_tickets_reap(picture->context);
    for (int i = 0; i < RUNNER_COUNT; i++)
        if (uses[i].writing || (write && uses[i].reading))
            r = QPEL_ERROR_BUSY;
    if (!r && !picture->reads && !picture->writes)
        r = qpel_picture_memory_to_cpu(picture->context, &picture->memory);
    if (!r) {
        *(write ? &picture->writes : &picture->reads) += 1;
        *data = picture->data;
    }
    pthread_mutex_unlock(&picture->context->lock);
    return r;
}

enum qpel_result qpel_picture_end(struct qpel_picture *picture)
{
    if (!picture)
        return QPEL_ERROR_INVALID;
    enum qpel_result r = QPEL_OK;
    pthread_mutex_lock(&picture->context->lock);
    /* Accesses are not told apart: those that write end last, and what they wrote goes out. */
    if (picture->reads)
        picture->reads--;
    else if (!picture->writes)
        r = QPEL_ERROR_INVALID;
    else if (--picture->writes == 0)
        r = qpel_picture_memory_to_gpu(picture->context, &picture->memory);
    pthread_mutex_unlock(&picture->context->lock);
    return r;
}
