#include "staging.h"

#include <stdlib.h>
#include <string.h>

/* A staged range keeps its address modulo this, so that words stay words and copies are
 * aligned alike at both ends. */
#define PHASE ((size_t)64)

_Static_assert(sizeof(struct qpel_block) == 8 && offsetof(struct qpel_block, src) == 4,
               "the list of blocks is uploaded as it is");

static enum qvk_use use_of(enum qvk_stage stage)
{
    return stage == QVK_STAGE_DST ? QVK_READBACK : QVK_UPLOAD;
}

void qvk_staging_close(struct qvk_staging *s, struct qvk_device *d)
{
    for (size_t i = 0; i < QVK_STAGE_COUNT; i++)
        qvk_buffer_destroy(d, s->buffers[i]);
    free(s->rows);
    memset(s, 0, sizeof *s);
}

static enum qpel_result grow(struct qvk_staging *s, struct qvk_device *d, enum qvk_stage stage,
                             size_t size)
{
    return qvk_buffer_reserve(d, &s->buffers[stage], size, use_of(stage));
}

size_t qvk_stage_size(const struct job_plane *plane)
{
    return plane->first % PHASE + (plane->end - plane->first);
}

static struct qvk_place place_of(const struct job_plane *plane, struct gpu_buffer *staged)
{
    if (plane->buffer)
        return (struct qvk_place){ plane->buffer, (uint32_t)plane->offset };
    return (struct qvk_place){ staged, (uint32_t)(plane->first % PHASE - plane->first) };
}

/* The staged byte of a plane's offset. */
static uint8_t *staged_at(struct gpu_buffer *b, const struct job_plane *plane, size_t offset)
{
    return (uint8_t *)b->data + (plane->first % PHASE + (offset - plane->first));
}

enum qpel_result qvk_stage_blocks(struct qvk_staging *s, struct qvk_device *d,
                                  const struct job *job)
{
    size_t size = job->count * sizeof *job->blocks;
    enum qpel_result r = grow(s, d, QVK_STAGE_BLOCKS, size);
    if (r)
        return r;
    struct gpu_buffer *b = s->buffers[QVK_STAGE_BLOCKS];
    memcpy(b->data, job->blocks, size);
    return qvk_buffer_flush(d, b, 0, size);
}

static void count_copy(struct qpel_report *report, size_t bytes)
{
    report->copies++;
    report->copied_bytes += bytes;
}

enum qpel_result qvk_stage_src(struct qvk_staging *s, struct qvk_device *d, const struct job *job,
                               struct qvk_place *place, struct qpel_report *report)
{
    const struct job_plane *plane = &job->src;
    enum qpel_result r = QPEL_OK;
    if (!plane->buffer) {
        r = grow(s, d, QVK_STAGE_SRC, qvk_stage_size(plane));
        if (r)
            return r;
        struct gpu_buffer *b = s->buffers[QVK_STAGE_SRC];
        size_t size = plane->end - plane->first;
        memcpy(staged_at(b, plane, plane->first), plane->data + plane->first, size);
        count_copy(report, size);
        r = qvk_buffer_flush(d, b, 0, qvk_stage_size(plane));
    }
    *place = place_of(plane, s->buffers[QVK_STAGE_SRC]);
    return r;
}

/* ---- the samples of dst's blocks ---- */

static size_t samples_of(const struct job *job)
{
    return (size_t)16 >> job->size;
}

/* With a constant width, which makes each row a load and a store. */
static inline void copy_rows(uint8_t *to, const uint8_t *from, ptrdiff_t stride, size_t width)
{
    for (size_t y = 0; y < width; y++) {
        memcpy(to, from, width);
        to += stride;
        from += stride;
    }
}

/* Copies all blocks between two images of the plane; both pointers are to the plane's `origin`. */
static void copy_blocks(const struct job *job, uint8_t *to, const uint8_t *from, size_t origin)
{
    ptrdiff_t stride = job->dst.stride;
    for (size_t i = 0; i < job->count; i++) {
        ptrdiff_t at = (ptrdiff_t)job->blocks[i].dst - (ptrdiff_t)origin;
        switch (job->size) {
        case QPEL_SIZE_16:
            copy_rows(to + at, from + at, stride, 16);
            break;
        case QPEL_SIZE_8:
            copy_rows(to + at, from + at, stride, 8);
            break;
        default:
            copy_rows(to + at, from + at, stride, 4);
            break;
        }
    }
}

enum qpel_result qvk_stage_dst(struct qvk_staging *s, struct qvk_device *d, const struct job *job,
                               struct qvk_place *place, struct qpel_report *report)
{
    const struct job_plane *plane = &job->dst;
    enum qpel_result r = QPEL_OK;
    if (!plane->buffer) {
        r = grow(s, d, QVK_STAGE_DST, qvk_stage_size(plane));
        if (r)
            return r;
        struct gpu_buffer *b = s->buffers[QVK_STAGE_DST];
        if (job->operation == QPEL_AVG) {
            /* Just the blocks: other threads may be writing between them. */
            copy_blocks(job, staged_at(b, plane, plane->first), plane->data + plane->first,
                        plane->first);
            count_copy(report, job->count * samples_of(job) * samples_of(job));
            r = qvk_buffer_flush(d, b, 0, qvk_stage_size(plane));
        }
    }
    *place = place_of(plane, s->buffers[QVK_STAGE_DST]);
    return r;
}

/* Room for the whole range of dst in ordinary memory; null: no memory. */
static uint8_t *rows(struct qvk_staging *s, size_t size)
{
    if (s->rows_size < size) {
        free(s->rows);
        s->rows_size = 0;
        size_t wanted = size <= SIZE_MAX / 2 ? 2 * size : size;
        s->rows = malloc(wanted);
        if (s->rows)
            s->rows_size = wanted;
    }
    return s->rows_size < size ? NULL : s->rows;
}

enum qpel_result qvk_stage_back(struct qvk_staging *s, struct qvk_device *d, const struct job *job,
                                struct qpel_report *report)
{
    const struct job_plane *plane = &job->dst;
    if (plane->buffer)
        return QPEL_OK;
    struct gpu_buffer *b = s->buffers[QVK_STAGE_DST];
    enum qpel_result r = qvk_buffer_invalidate(d, b, 0, qvk_stage_size(plane));
    if (r)
        return r;
    size_t range = plane->end - plane->first;
    size_t bytes = job->count * samples_of(job) * samples_of(job);
    const uint8_t *from = staged_at(b, plane, plane->first);
    /* Write-combined memory is read in wide, consecutive loads or slowly. So it is taken as a
     * whole, unless the blocks are but a small part of it. */
    if (!b->cached && bytes >= range / 4) {
        uint8_t *whole = rows(s, range);
        if (!whole)
            return QPEL_ERROR_NOMEM;
        memcpy(whole, from, range);
        from = whole;
    }
    copy_blocks(job, plane->data + plane->first, from, plane->first);
    count_copy(report, bytes);
    return QPEL_OK;
}
