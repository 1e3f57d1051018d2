#include "picture_shape.h"

#define SIDE_MAX 16384

int qpel_plane_count(const struct qpel_picture_format *f)
{
    if (f->chroma == QPEL_CHROMA_400)
        return 1;
    return f->layout == QPEL_LAYOUT_PLANAR ? 3 : 2;
}

int qpel_component_width(const struct qpel_picture_format *f, int component)
{
    int shift = component ? chroma_shift_x(f->chroma) : 0;
    return (int)(f->width + (uint32_t)shift) >> shift;
}

int qpel_component_height(const struct qpel_picture_format *f, int component)
{
    int shift = component ? chroma_shift_y(f->chroma) : 0;
    return (int)(f->height + (uint32_t)shift) >> shift;
}

size_t qpel_row_bytes(const struct qpel_picture_format *f, int plane)
{
    size_t width = (size_t)qpel_component_width(f, plane);
    return plane && f->layout == QPEL_LAYOUT_INTERLEAVED ? 2 * width : width;
}

enum qpel_result qpel_check_format(const struct qpel_picture_format *f)
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

size_t qpel_plane_span(const struct qpel_picture_format *f, int plane, size_t stride)
{
    return (size_t)(qpel_component_height(f, plane) - 1) * stride + qpel_row_bytes(f, plane);
}

static size_t span_of(const struct qpel_picture_format *f, const struct qpel_picture_data *d,
                      int plane)
{
    return qpel_plane_span(f, plane, (size_t)d->stride[plane]);
}

static bool planes_overlap(const struct qpel_picture_format *f, const struct qpel_picture_data *d)
{
    int count = qpel_plane_count(f);
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++) {
            uintptr_t a = (uintptr_t)d->data[i], b = (uintptr_t)d->data[k];
            if (a < b + span_of(f, d, k) && b < a + span_of(f, d, i))
                return true;
        }
    return false;
}

bool qpel_planes_valid(const struct qpel_picture_format *f, const struct qpel_picture_data *d)
{
    for (int i = 0; i < qpel_plane_count(f); i++)
        if (!d->data[i] || d->stride[i] <= 0 || (size_t)d->stride[i] < qpel_row_bytes(f, i) ||
            d->stride[i] > PTRDIFF_MAX / SIDE_MAX ||
            (uintptr_t)d->data[i] > UINTPTR_MAX - span_of(f, d, i))
            return false;
    return !planes_overlap(f, d);
}

bool qpel_planes_inside(const struct qpel_picture_format *f, const struct qpel_picture_data *d,
                        const void *base, size_t size)
{
    for (int i = 0; i < qpel_plane_count(f); i++) {
        uintptr_t offset = (uintptr_t)d->data[i] - (uintptr_t)base;
        if ((uintptr_t)d->data[i] < (uintptr_t)base || offset > size ||
            span_of(f, d, i) > size - offset)
            return false;
    }
    return true;
}

/* Whole words from a plane's last one to the end of the memory; -1: that one ends beyond. */
static ptrdiff_t words_behind(const struct qpel_picture_format *f,
                              const struct qpel_picture_data *d, int plane, const void *base,
                              size_t size)
{
    size_t end = (size_t)(d->data[plane] - (const uint8_t *)base) + span_of(f, d, plane);
    return (ptrdiff_t)(size / 4) - (ptrdiff_t)((end + 3) / 4);
}

const char *qpel_planes_unfit_for_words(const struct qpel_picture_format *f,
                                        const struct qpel_picture_data *d, const void *base,
                                        size_t size)
{
    for (int i = 0; i < qpel_plane_count(f); i++) {
        size_t offset = (size_t)(d->data[i] - (const uint8_t *)base);
        if ((offset | (size_t)d->stride[i]) & 3)
            return "a plane's offset or stride is no multiple of 4 bytes";
        if (words_behind(f, d, i, base, size) < 0)
            return "a plane's last word is not all in its memory";
    }
    if (qpel_plane_count(f) == 3 && d->stride[1] != d->stride[2])
        return "Cb and Cr have strides of their own";
    return NULL;
}

bool qpel_planes_end_memory(const struct qpel_picture_format *f, const struct qpel_picture_data *d,
                            const void *base, size_t size)
{
    for (int i = 0; i < qpel_plane_count(f); i++)
        if (words_behind(f, d, i, base, size) < 1)
            return true;
    return false;
}

bool qpel_planes_fit(const struct qpel_picture_format *f, const struct picture_planes *p,
                     size_t size, char reason[QPEL_REASON_SIZE])
{
    for (int i = 0; i < qpel_plane_count(f); i++) {
        size_t rows = (size_t)qpel_component_height(f, i);
        if (p->stride[i] < qpel_row_bytes(f, i) || p->stride[i] > size) {
            qpel_reason_set(reason, "stride[%d]: %zu", i, p->stride[i]);
            return false;
        }
        if (p->stride[i] > SIZE_MAX / rows || p->offset[i] > size ||
            qpel_plane_span(f, i, p->stride[i]) > size - p->offset[i]) {
            qpel_reason_set(reason, "plane %d does not lie in the memory's %zu bytes", i, size);
            return false;
        }
    }
    return true;
}
