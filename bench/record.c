#include "record.h"

#include <stdlib.h>
#include <string.h>

/* Buffers that a decoder has in use at a time: 16 references and some to come, 3 planes each. */
#define MAX_PLANES 192

/* Of a copy of a block outside the picture: 16 samples and the filter's reach. */
#define EDGE_ROWS 21

struct plane {
    uintptr_t start, end;
    ptrdiff_t stride;
    int component; /* 0: luma */
};

struct recorder {
    size_t plane_count;
    struct plane planes[MAX_PLANES];

    struct trace trace;
    size_t capacity; /* of trace.pictures */

    /* The picture in hand. */
    bool open, fields, unknown;
    struct trace_picture picture;
    size_t calls_capacity;
    uintptr_t slots[256];
    uint16_t last_x, last_y; /* of the last block that did not go to the temporary */
    uintptr_t temporary;     /* where the decoder's temporary starts */

    uint32_t index;
    bool out_of_memory;
    struct recorder_result result;
};

struct recorder *recorder_create(void)
{
    return calloc(1, sizeof(struct recorder));
}

void recorder_destroy(struct recorder *r)
{
    if (!r)
        return;
    free(r->picture.calls);
    trace_free(&r->trace);
    free(r);
}

static bool keep_picture(struct recorder *r)
{
    if (r->trace.count == r->capacity) {
        const size_t capacity = r->capacity ? 2 * r->capacity : 64;
        struct trace_picture *pictures =
            realloc(r->trace.pictures, capacity * sizeof(*r->trace.pictures));

        if (!pictures)
            return false;
        r->trace.pictures = pictures;
        r->capacity = capacity;
    }
    r->trace.pictures[r->trace.count++] = r->picture;
    return true;
}

static void end_picture(struct recorder *r)
{
    bool kept = false;

    if (!r->open)
        return;
    r->open = false;
    if (r->picture.count || r->fields || r->unknown)
        r->result.pictures++;
    if (r->fields) {
        r->result.fields++;
    } else if (r->unknown) {
        r->result.unknown++;
    } else if (r->picture.count) {
        kept = keep_picture(r);
        r->out_of_memory |= !kept;
    }
    if (!kept)
        free(r->picture.calls);
    r->picture = (struct trace_picture){ .calls = NULL };
    r->calls_capacity = 0;
}

static void add_plane(struct recorder *r, struct plane plane)
{
    size_t kept = 0;

    /* Memory that was another picture's is so no longer. */
    for (size_t i = 0; i < r->plane_count; i++)
        if (r->planes[i].end <= plane.start || r->planes[i].start >= plane.end)
            r->planes[kept++] = r->planes[i];
    if (kept == MAX_PLANES) { /* the oldest goes */
        memmove(r->planes, r->planes + 1, (MAX_PLANES - 1) * sizeof(*r->planes));
        kept--;
    }
    r->planes[kept++] = plane;
    r->plane_count = kept;
}

void recorder_picture(struct recorder *r, const struct recorder_planes *p)
{
    end_picture(r);
    for (int i = 0; i < 3; i++) {
        const uintptr_t start = (uintptr_t)p->data[i];

        if (p->data[i] && p->stride[i] > 0)
            add_plane(r, (struct plane){ start, start + (size_t)(p->stride[i] * p->rows[i]),
                                         p->stride[i], i });
    }
    if (!r->trace.width) {
        r->trace.width = p->width;
        r->trace.height = p->height;
    }
    r->open = true;
    r->fields = false;
    r->unknown = p->width != r->trace.width || p->height != r->trace.height;
    r->picture.index = r->index++;
    r->picture.type = 'P';
}

static const struct plane *plane_at(const struct recorder *r, uintptr_t address)
{
    for (size_t i = 0; i < r->plane_count; i++)
        if (address >= r->planes[i].start && address < r->planes[i].end)
            return &r->planes[i];
    return NULL;
}

static struct trace_call *new_call(struct recorder *r)
{
    struct trace_picture *p = &r->picture;

    if (p->count == r->calls_capacity) {
        const size_t capacity = r->calls_capacity ? 2 * r->calls_capacity : 4096;
        struct trace_call *calls = realloc(p->calls, capacity * sizeof(*calls));

        if (!calls)
            return NULL;
        p->calls = calls;
        r->calls_capacity = capacity;
    }
    return &p->calls[p->count++];
}

static bool find_slot(struct recorder *r, uintptr_t picture, uint8_t *slot)
{
    for (unsigned i = 0; i < 256; i++) {
        if (i == r->picture.slots) {
            r->slots[i] = picture;
            r->picture.slots++;
        }
        if (r->slots[i] == picture) {
            *slot = (uint8_t)i;
            return true;
        }
    }
    return false;
}

struct point {
    ptrdiff_t x, y;
};

/* Where the samples come from. Null: unknown. */
static const struct plane *locate_source(const struct recorder *r, uintptr_t src,
                                         const struct ffmpeg_edge *edge, struct point *at)
{
    const uintptr_t copy = (uintptr_t)edge->copy;
    const struct plane *plane;

    if (copy && src >= copy && src < copy + (size_t)(EDGE_ROWS * edge->stride)) {
        plane = plane_at(r, (uintptr_t)edge->picture);
        at->x = edge->x + (ptrdiff_t)(src - copy) % edge->stride;
        at->y = edge->y + (ptrdiff_t)(src - copy) / edge->stride;
        return plane && plane->start == (uintptr_t)edge->picture ? plane : NULL;
    }
    plane = plane_at(r, src);
    if (plane) {
        at->x = (ptrdiff_t)(src - plane->start) % plane->stride;
        at->y = (ptrdiff_t)(src - plane->start) / plane->stride;
    }
    return plane;
}

/* The place in the picture of a block that goes to the temporary. There a partition starts where
 * the temporary does; when it is made of two blocks, both were put into the picture before:
 * what was last put is where the second belongs, and the first lies one step before. */
static struct point locate_temporary(struct recorder *r, uintptr_t dst, ptrdiff_t stride)
{
    const struct point last = { r->last_x, r->last_y };
    const ptrdiff_t step = (ptrdiff_t)(dst - r->temporary);
    struct trace_call *before;

    if (step != 4 && step != 8 && step != 4 * stride && step != 8 * stride) {
        r->temporary = dst;
        return last;
    }
    before = r->picture.count ? &r->picture.calls[r->picture.count - 1] : NULL;
    if (before && before->temporary) {
        before->x = (uint16_t)(last.x - (step < stride ? step : 0));
        before->y = (uint16_t)(last.y - (step < stride ? 0 : step / stride));
    }
    return last;
}

static bool fits(const struct recorder *r, struct point dst, struct point src, int side)
{
    return dst.x >= 0 && dst.x + side <= r->trace.width && dst.y >= 0 &&
           dst.y + side <= r->trace.height && src.x >= INT16_MIN && src.x <= INT16_MAX &&
           src.y >= INT16_MIN && src.y <= INT16_MAX;
}

void recorder_call(void *user, enum qpel_operation operation, enum qpel_size size, int position,
                   uint8_t *dst, const uint8_t *src, ptrdiff_t stride,
                   const struct ffmpeg_edge *edge)
{
    struct recorder *r = user;
    const struct plane *to = plane_at(r, (uintptr_t)dst), *from;
    struct point dst_at, src_at;
    struct trace_call *call;
    uint8_t slot;

    r->result.calls++;
    from = locate_source(r, (uintptr_t)src, edge, &src_at);
    /* 4:4:4 predicts chroma with the same functions. */
    if ((from && from->component) || (to && to->component))
        return;
    if (!from || !r->open) {
        r->unknown = true;
        return;
    }
    if (from->stride != stride) {
        r->fields = true;
        return;
    }
    if (to) {
        dst_at.x = (ptrdiff_t)((uintptr_t)dst - to->start) % stride;
        dst_at.y = (ptrdiff_t)((uintptr_t)dst - to->start) / stride;
        r->last_x = (uint16_t)dst_at.x;
        r->last_y = (uint16_t)dst_at.y;
    } else {
        dst_at = locate_temporary(r, (uintptr_t)dst, stride);
    }
    if (!fits(r, dst_at, src_at, 16 >> size) || !find_slot(r, from->start, &slot)) {
        r->unknown = true;
        return;
    }
    call = new_call(r);
    if (!call) {
        r->out_of_memory = true;
        r->unknown = true;
        return;
    }
    if (operation == QPEL_AVG)
        r->picture.type = 'B';
    *call = (struct trace_call){
        .position = (uint8_t)position,
        .size = (uint8_t)size,
        .operation = (uint8_t)operation,
        .slot = slot,
        .temporary = !to,
        .x = (uint16_t)dst_at.x,
        .y = (uint16_t)dst_at.y,
        .src_x = (int16_t)src_at.x,
        .src_y = (int16_t)src_at.y,
    };
}

bool recorder_finish(struct recorder *r, size_t most, struct trace *trace,
                     struct recorder_result *result)
{
    size_t count, all;

    end_picture(r);
    all = r->trace.count;
    count = most < all ? most : all;
    /* The middles of `count` equal stretches; the others are freed. */
    for (size_t i = 0, next = 0; i < all; i++) {
        if (next < count && i == (2 * next + 1) * all / (2 * count))
            r->trace.pictures[next++] = r->trace.pictures[i];
        else
            free(r->trace.pictures[i].calls);
    }
    r->trace.count = count;
    *trace = r->trace;
    r->trace = (struct trace){ .name = "" };
    r->capacity = 0;
    *result = r->result;
    return !r->out_of_memory;
}
