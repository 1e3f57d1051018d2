#include "replay.h"

#include <stdlib.h>
#include <string.h>

const char *operation_name(enum qpel_operation operation)
{
    return operation == QPEL_PUT ? "put" : "avg";
}

ptrdiff_t replay_stride(int width)
{
    ptrdiff_t stride = (width + 2 * REPLAY_BORDER + 63) & ~(ptrdiff_t)63;

    return stride & (stride - 1) ? stride : stride + 64;
}

static size_t reference_bytes(const struct replay *r)
{
    return (size_t)r->stride * (size_t)(r->height + 2 * REPLAY_BORDER);
}

static int clamp(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

/* From outside by a block and the filter's reach on, all samples of a row or column are alike. */
static struct replay_call place(const struct replay *r, const struct trace_call *call)
{
    const int side = size_of(call->size), far = side + 2;
    const int x = clamp(call->src_x, -far, r->width + 1);
    const int y = clamp(call->src_y, -far, r->height + 1);
    const size_t rows = (size_t)call->y + (call->temporary ? (size_t)r->height : 0);

    return (struct replay_call){
        .dst = (uint32_t)(rows * (size_t)r->stride + call->x),
        .src = (uint32_t)(call->slot * reference_bytes(r) +
                          (size_t)(y + REPLAY_BORDER) * (size_t)r->stride +
                          (size_t)(x + REPLAY_BORDER)),
        .operation = call->operation,
        .size = call->size,
        .position = call->position,
    };
}

static size_t kernel_index(const struct replay_call *c)
{
    return ((size_t)c->operation * QPEL_SIZE_COUNT + c->size) * QPEL_POSITION_COUNT + c->position;
}

/* Blocks by kernel, in decoding order within each: the kernels' order has puts before avgs. */
static void group(struct replay *r)
{
    enum { KERNELS = QPEL_OPERATION_COUNT * QPEL_SIZE_COUNT * QPEL_POSITION_COUNT };
    size_t next[KERNELS] = { 0 }, first = 0;

    for (size_t i = 0; i < r->calls_count; i++)
        next[kernel_index(&r->calls[i])]++;
    r->group_count = 0;
    for (size_t k = 0; k < KERNELS; k++) {
        const size_t count = next[k];

        next[k] = first;
        if (!count)
            continue;
        r->groups[r->group_count++] = (struct replay_group){
            .operation = k / (QPEL_SIZE_COUNT * QPEL_POSITION_COUNT),
            .size = k / QPEL_POSITION_COUNT % QPEL_SIZE_COUNT,
            .position = (int)(k % QPEL_POSITION_COUNT),
            .first = first,
            .count = count,
        };
        first += count;
    }
    for (size_t i = 0; i < r->calls_count; i++)
        r->blocks[next[kernel_index(&r->calls[i])]++] =
            (struct qpel_block){ r->calls[i].dst, r->calls[i].src };
}

bool replay_prepare(struct replay *r, const struct trace *trace,
                    const struct trace_picture *picture, ptrdiff_t stride)
{
    *r = (struct replay){
        .width = trace->width,
        .height = trace->height,
        .slots = picture->slots ? picture->slots : 1,
        .stride = stride ? stride : replay_stride(trace->width),
        .calls_count = picture->count,
        .expected_dst = picture->golden_dst,
        .expected_tmp = picture->golden_tmp,
        .golden = picture->golden,
    };
    if (r->stride < trace->width + 2 * REPLAY_BORDER || r->stride % 16)
        return false;
    r->src_size = r->slots * reference_bytes(r) + REPLAY_SLACK;
    r->dst_size = 2 * (size_t)r->stride * (size_t)r->height + REPLAY_SLACK;
    if (r->src_size > UINT32_MAX || r->dst_size > UINT32_MAX)
        return false;
    r->calls = malloc((r->calls_count + 1) * sizeof(*r->calls));
    r->blocks = malloc((r->calls_count + 1) * sizeof(*r->blocks));
    if (!r->calls || !r->blocks) {
        replay_free(r);
        return false;
    }
    for (size_t i = 0; i < r->calls_count; i++)
        r->calls[i] = place(r, &picture->calls[i]);
    group(r);
    return true;
}

void replay_free(struct replay *r)
{
    free(r->calls);
    free(r->blocks);
    *r = (struct replay){ .calls = NULL };
}

static void fill_reference(const struct replay *r, unsigned slot, uint8_t *plane)
{
    const size_t stride = (size_t)r->stride;

    for (int y = 0; y < r->height; y++) {
        uint8_t *row = plane + (size_t)(y + REPLAY_BORDER) * stride;
        uint8_t *last = row + REPLAY_BORDER + r->width - 1;

        for (int x = 0; x < r->width; x++)
            row[REPLAY_BORDER + x] = trace_sample(slot, x, y);
        memset(row, row[REPLAY_BORDER], REPLAY_BORDER);
        memset(last + 1, *last, (size_t)(row + stride - 1 - last));
    }
    for (int y = 0; y < REPLAY_BORDER; y++) {
        uint8_t *inside = plane + REPLAY_BORDER * stride;
        uint8_t *below = inside + (size_t)r->height * stride;

        memcpy(plane + (size_t)y * stride, inside, stride);
        memcpy(below + (size_t)y * stride, below - stride, stride);
    }
}

void replay_fill(const struct replay *r, uint8_t *src)
{
    for (unsigned slot = 0; slot < r->slots; slot++)
        fill_reference(r, slot, src + slot * reference_bytes(r));
    memset(src + r->slots * reference_bytes(r), 0, REPLAY_SLACK);
}

void replay_run(const struct replay *r, const struct qpel_dsp *dsp, uint8_t *dst,
                const uint8_t *src)
{
    const ptrdiff_t stride = r->stride;

    for (size_t i = 0; i < r->calls_count; i++) {
        const struct replay_call c = r->calls[i];
        qpel_mc_fn *fn = (c.operation == QPEL_PUT ? dsp->put : dsp->avg)[c.size][c.position];

        fn(dst + c.dst, src + c.src, stride);
    }
}

static uint64_t fnv1a(const uint8_t *samples, ptrdiff_t stride, int width, int height)
{
    uint64_t hash = 0xCBF29CE484222325u;

    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            hash = (hash ^ samples[y * stride + x]) * 0x100000001B3u;
    return hash;
}

void replay_hash(const struct replay *r, const uint8_t *dst, uint64_t *hash_dst, uint64_t *hash_tmp)
{
    *hash_dst = fnv1a(dst, r->stride, r->width, r->height);
    *hash_tmp = fnv1a(dst + r->stride * r->height, r->stride, r->width, r->height);
}

bool replay_exact(const struct replay *r, const uint8_t *dst)
{
    uint64_t hash_dst, hash_tmp;

    replay_hash(r, dst, &hash_dst, &hash_tmp);
    return hash_dst == r->expected_dst && hash_tmp == r->expected_tmp;
}
