#include "picture_memory.h"

#include <stdlib.h>
#include <string.h>

#include "interface.h"
#include "picture_interface.h"

/* Of a chunk: what drivers of V3D bound at most for long, and 16 pictures of 1080p fit in. */
#define CHUNK_SIZE_MAX ((size_t)1 << 27)

/* Slots of a picture: a quarter of one list's units (of 8x16, which are half as many) may leave
 * their reference at once, more of them take turns. Real pictures have 0.3 to 4 % of both lists. */
static size_t slot_room_of(size_t units)
{
    return units / 8 + 256;
}

/* ---- pieces; with the context's lock held ---- */

static bool take_piece(struct picture_chunk *chunk, struct picture_memory *out, bool *used)
{
    for (unsigned i = 0; i < chunk->count; i++) {
        if (chunk->taken >> i & 1)
            continue;
        *used = chunk->used >> i & 1;
        chunk->taken |= 1u << i;
        chunk->used |= 1u << i;
        *out = (struct picture_memory){ .chunk = chunk, .offset = i * chunk->piece };
        return true;
    }
    return false;
}

static bool find_piece(struct qpel_context *c, size_t piece, size_t slot_room, enum qpel_near near,
                       struct picture_memory *out, bool *used)
{
    for (struct picture_chunk *chunk = c->chunks; chunk; chunk = chunk->next)
        if (chunk->piece == piece && chunk->slot_room >= slot_room && chunk->near == near &&
            take_piece(chunk, out, used))
            return true;
    return false;
}

/* ---- chunks ---- */

static unsigned pieces_of_chunk(struct gpu *gpu, size_t piece, size_t behind)
{
    size_t count;
    int taken;
    uint64_t most = qpel_gpu_devices(gpu, &count, &taken)[taken].max_storage_range;
    if (most > CHUNK_SIZE_MAX)
        most = CHUNK_SIZE_MAX;
    unsigned n = CHUNK_PICTURES_MAX;
    /* One is always tried: what is too large to be bound serves the CPU. */
    while (n > 1 && n * (uint64_t)piece + behind + GPU_BUFFER_ATOM > most)
        n--;
    return n;
}

static enum qpel_result make_chunk(struct gpu *gpu, size_t piece, size_t slot_room,
                                   enum qpel_near near, struct picture_chunk **out)
{
    struct picture_chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk)
        return QPEL_ERROR_NOMEM;
    const size_t slots_size = slot_room * QPEL_SLOT_SIZE, idle_size = QPEL_GROUP_LANES * 4;
    const size_t behind = piece + slots_size + idle_size;
    enum qpel_result r = QPEL_ERROR_NOMEM;
    for (unsigned n = pieces_of_chunk(gpu, piece, behind); n && r == QPEL_ERROR_NOMEM; n /= 2) {
        chunk->count = n;
        r = qpel_gpu_buffer_create(gpu, n * piece + behind, near, &chunk->buffer);
    }
    if (r) {
        free(chunk);
        return r == QPEL_ERROR_UNSUPPORTED ? QPEL_ERROR_NOMEM : r;
    }
    chunk->near = near;
    chunk->piece = piece;
    chunk->scratch = chunk->count * piece;
    chunk->slots = chunk->scratch + piece;
    chunk->idle = chunk->slots + slots_size;
    chunk->slot_room = slot_room;
    *out = chunk;
    return QPEL_OK;
}

static enum qpel_result take_gpu(struct qpel_context *c, struct gpu *gpu, size_t size, size_t units,
                                 enum qpel_near near, struct picture_memory *out)
{
    if (size > SIZE_MAX / 2 / CHUNK_PICTURES_MAX)
        return QPEL_ERROR_NOMEM;
    size_t piece = (size + GPU_BUFFER_ATOM - 1) / GPU_BUFFER_ATOM * GPU_BUFFER_ATOM;
    bool used = false;
    pthread_mutex_lock(&c->lock);
    bool found = find_piece(c, piece, slot_room_of(units), near, out, &used);
    pthread_mutex_unlock(&c->lock);
    if (!found) {
        struct picture_chunk *chunk;
        enum qpel_result r = make_chunk(gpu, piece, slot_room_of(units), near, &chunk);
        if (r)
            return r;
        pthread_mutex_lock(&c->lock);
        chunk->next = c->chunks;
        c->chunks = chunk;
        take_piece(chunk, out, &used);
        pthread_mutex_unlock(&c->lock);
    }
    /* A piece that nobody has had yet is as the buffer was made. */
    if (used) {
        memset(qpel_picture_memory_data(out), 0, piece);
        enum qpel_result r = qpel_picture_memory_to_gpu(c, out);
        if (r) {
            qpel_picture_memory_give(c, out);
            return r;
        }
    }
    return QPEL_OK;
}

enum qpel_result qpel_picture_memory_take(struct qpel_context *c, size_t size, size_t units,
                                          enum qpel_near near, struct picture_memory *out)
{
    enum qpel_result r;
    char reason[QPEL_REASON_SIZE];
    struct gpu *gpu = qpel_context_open_gpu(c, false, &r, reason);
    *out = (struct picture_memory){ .own = NULL };
    if (gpu)
        return take_gpu(c, gpu, size, units, near, out);
    out->own = qpel_context_own_memory(size);
    return out->own ? QPEL_OK : QPEL_ERROR_NOMEM;
}

void qpel_picture_memory_give(struct qpel_context *c, struct picture_memory *memory)
{
    struct picture_chunk *chunk = memory->chunk;
    free(memory->own);
    memory->own = NULL;
    if (!chunk)
        return;
    memory->chunk = NULL;
    pthread_mutex_lock(&c->lock);
    chunk->taken &= ~(1u << memory->offset / chunk->piece);
    bool last = !chunk->taken;
    if (last) {
        struct picture_chunk **link = &c->chunks;
        while (*link != chunk)
            link = &(*link)->next;
        *link = chunk->next;
    }
    pthread_mutex_unlock(&c->lock);
    if (last) {
        qpel_gpu_buffer_destroy(c->gpu, chunk->buffer);
        free(chunk);
    }
}

/* ---- use ---- */

void *qpel_picture_memory_data(const struct picture_memory *memory)
{
    if (!memory->chunk)
        return memory->own;
    return (uint8_t *)qpel_gpu_buffer_data(memory->chunk->buffer) + memory->offset;
}

enum qpel_result qpel_picture_memory_to_cpu(struct qpel_context *c,
                                            const struct picture_memory *memory)
{
    if (!memory->chunk)
        return QPEL_OK;
    return qpel_gpu_buffer_invalidate(c->gpu, memory->chunk->buffer, memory->offset,
                                      memory->chunk->piece);
}

enum qpel_result qpel_picture_memory_to_gpu(struct qpel_context *c,
                                            const struct picture_memory *memory)
{
    if (!memory->chunk)
        return QPEL_OK;
    return qpel_gpu_buffer_flush(c->gpu, memory->chunk->buffer, memory->offset,
                                 memory->chunk->piece);
}
