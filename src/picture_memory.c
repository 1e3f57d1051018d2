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
        if (!chunk->alone && chunk->piece == piece && chunk->slot_room >= slot_room &&
            chunk->near == near && take_piece(chunk, out, used))
            return true;
    return false;
}

/* ---- chunks ---- */

static void add_chunk(struct qpel_context *c, struct picture_chunk *chunk,
                      struct picture_memory *memory)
{
    bool used;
    struct picture_memory piece = { .offset = 0 };
    pthread_mutex_lock(&c->lock);
    chunk->next = c->chunks;
    c->chunks = chunk;
    take_piece(chunk, &piece, &used);
    pthread_mutex_unlock(&c->lock);
    memory->chunk = piece.chunk;
    memory->offset = piece.offset;
}

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

static size_t round_up(size_t size, size_t to)
{
    return (size + to - 1) / to * to;
}

static enum qpel_result take_piece_of_gpu(struct qpel_context *c, struct gpu *gpu,
                                          const struct picture_need *need,
                                          struct picture_memory *out)
{
    if (need->size > SIZE_MAX / 2 / CHUNK_PICTURES_MAX)
        return QPEL_ERROR_NOMEM;
    size_t piece = round_up(need->size, GPU_BUFFER_ATOM);
    bool used = false;
    pthread_mutex_lock(&c->lock);
    bool found = find_piece(c, piece, slot_room_of(need->units), need->near, out, &used);
    pthread_mutex_unlock(&c->lock);
    if (!found) {
        struct picture_chunk *chunk;
        enum qpel_result r = make_chunk(gpu, piece, slot_room_of(need->units), need->near, &chunk);
        if (r)
            return r;
        add_chunk(c, chunk, out);
    }
    /* A piece that nobody has had yet is as the buffer was made. */
    if (used) {
        memset(qpel_picture_memory_data(out), 0, piece);
        enum qpel_result r =
            qpel_gpu_buffer_flush(c->gpu, out->chunk->buffer, out->offset, out->chunk->piece);
        if (r) {
            qpel_picture_memory_give(c, out);
            return r;
        }
    }
    return QPEL_OK;
}

/* ---- buffers of one picture ---- */

/* Nothing is behind the picture: it would be tended to by the CPU's accesses with it, and go where
 * it goes. `how`: .exportable and .behind. */
static enum qpel_result wrap_buffer(struct qpel_context *c, struct gpu_buffer *buffer, size_t piece,
                                    struct picture_chunk how, struct picture_memory *memory)
{
    struct picture_chunk *chunk = calloc(1, sizeof *chunk);
    if (!chunk) {
        qpel_gpu_buffer_destroy(c->gpu, buffer);
        return QPEL_ERROR_NOMEM;
    }
    *chunk = (struct picture_chunk){
        .buffer = buffer,
        .alone = true,
        .exportable = how.exportable,
        .behind = how.behind,
        .piece = piece,
        .count = 1,
    };
    add_chunk(c, chunk, memory);
    return QPEL_OK;
}

enum qpel_result qpel_picture_memory_adopt(struct qpel_context *c, struct gpu_buffer *buffer,
                                           size_t size, enum chunk_behind behind,
                                           struct picture_memory *memory)
{
    const struct picture_chunk how = { .behind = behind };
    return wrap_buffer(c, buffer, size, how, memory);
}

static enum qpel_result take_exportable(struct qpel_context *c, struct gpu *gpu,
                                        const struct picture_need *need, struct picture_memory *out,
                                        char reason[QPEL_REASON_SIZE])
{
    struct gpu_buffer *buffer;
    if (need->size > SIZE_MAX / 2)
        return QPEL_ERROR_NOMEM;
    size_t piece = round_up(need->size + need->row + 4, GPU_BUFFER_ATOM);
    enum qpel_result r = qpel_gpu_buffer_create_shared(gpu, piece, need->near, &buffer, reason);
    const struct picture_chunk how = { .exportable = true };
    return r ? r : wrap_buffer(c, buffer, piece, how, out);
}

enum memory_sort qpel_picture_memory_sort(const struct picture_memory *memory)
{
    const struct picture_chunk *chunk = memory->chunk;
    return chunk->behind == BEHIND_NOTHING ? SORT_ENDING
           : chunk->slot_room              ? SORT_PIECE
                                           : SORT_ALONE;
}

enum qpel_result qpel_picture_memory_take_sort(struct qpel_context *c, struct gpu *gpu,
                                               const struct picture_need *need,
                                               enum memory_sort sort, struct picture_memory *out)
{
    *out = (struct picture_memory){ .own = NULL };
    if (sort == SORT_PIECE)
        return take_piece_of_gpu(c, gpu, need, out);
    struct gpu_buffer *buffer;
    size_t piece = round_up(need->size, GPU_BUFFER_ATOM);
    enum qpel_result r = qpel_gpu_buffer_create(gpu, piece, need->near, &buffer);
    const struct picture_chunk how = { .behind =
                                           sort == SORT_ENDING ? BEHIND_NOTHING : BEHIND_WORD };
    return r ? r : wrap_buffer(c, buffer, piece, how, out);
}

/* What a call for a GPU's memory comes to where the CPU can do without. */
static enum qpel_result without(enum qpel_result r)
{
    return r == QPEL_ERROR_UNSUPPORTED ? QPEL_OK : r;
}

enum qpel_result qpel_picture_memory_import(struct qpel_context *c, enum chunk_behind behind,
                                            struct picture_memory *memory,
                                            char reason[QPEL_REASON_SIZE])
{
    const struct picture_chunk how = { .behind = behind };
    enum qpel_result r;
    struct gpu_buffer *buffer = NULL;
    const struct dmabuf *d = &memory->dmabuf;
    struct gpu *gpu = qpel_context_open_gpu(c, false, &r, reason);
    if (!gpu)
        return QPEL_OK;
    r = qpel_gpu_buffer_import(gpu, d->fd, d->size, d->data, &buffer, reason);
    return r ? without(r) : wrap_buffer(c, buffer, d->size, how, memory);
}

enum qpel_result qpel_picture_memory_wrap(struct qpel_context *c, void *base, size_t size,
                                          enum chunk_behind behind, struct picture_memory *memory,
                                          char reason[QPEL_REASON_SIZE])
{
    const struct picture_chunk how = { .behind = behind };
    enum qpel_result r;
    struct gpu_buffer *buffer = NULL;
    struct gpu *gpu = qpel_context_open_gpu(c, false, &r, reason);
    if (!gpu)
        return QPEL_OK;
    r = qpel_gpu_buffer_import_host(gpu, base, size, &buffer, reason);
    return r ? without(r) : wrap_buffer(c, buffer, size, how, memory);
}

/* ---- heaps ---- */

/* Whether the GPU's driver has no memory that is cached for the CPU. */
static bool uncached(struct gpu *gpu)
{
    const uint32_t both = QPEL_MEMORY_HOST_VISIBLE | QPEL_MEMORY_HOST_CACHED;
    size_t count;
    int taken;
    const struct qpel_device *list = qpel_gpu_devices(gpu, &count, &taken), *d = &list[taken];
    for (uint32_t i = 0; i < d->memory_types; i++)
        if ((d->memory[i].flags & both) == both)
            return false;
    return true;
}

/* A dma-buf each, so that the CPU's accesses tend to the caches of one picture. gpu may be null. */
static enum qpel_result take_heap(struct qpel_context *c, struct gpu *gpu,
                                  const struct picture_need *need, struct picture_memory *out,
                                  char reason[QPEL_REASON_SIZE])
{
    pthread_mutex_lock(&c->lock);
    bool none = c->no_heap;
    pthread_mutex_unlock(&c->lock);
    if (none) {
        qpel_reason_set(reason, "no dma-heap can be opened");
        return QPEL_ERROR_UNSUPPORTED;
    }
    if (need->size > SIZE_MAX / 2)
        return QPEL_ERROR_NOMEM;
    /* BEHIND_ROWS */
    size_t piece = round_up(need->size + need->row + 4, GPU_BUFFER_ATOM);
    enum qpel_result r = qpel_dmabuf_from_heap(&out->dmabuf, piece, reason);
    if (r) {
        if (r == QPEL_ERROR_UNSUPPORTED) {
            pthread_mutex_lock(&c->lock);
            c->no_heap = true;
            pthread_mutex_unlock(&c->lock);
        }
        return r;
    }
    struct gpu_buffer *buffer;
    if (gpu) {
        r = qpel_gpu_buffer_import(gpu, out->dmabuf.fd, out->dmabuf.size, out->dmabuf.data, &buffer,
                                   reason);
        if (!r)
            r = wrap_buffer(c, buffer, piece, (struct picture_chunk){ .behind = BEHIND_ROWS }, out);
    }
    if (r)
        qpel_dmabuf_close(&out->dmabuf);
    return r;
}

/* ---- the choice ---- */

enum qpel_result qpel_picture_memory_take(struct qpel_context *c, const struct picture_need *need,
                                          struct picture_memory *out, char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r, from_heap = QPEL_ERROR_UNSUPPORTED;
    char why[QPEL_REASON_SIZE];
    struct gpu *gpu = qpel_context_open_gpu(c, false, &r, why);
    *out = (struct picture_memory){ .own = NULL };
    reason[0] = 0;
    if (gpu ? need->near == QPEL_NEAR_CPU && uncached(gpu) : need->exportable) {
        from_heap = take_heap(c, gpu, need, out, reason);
        if (!from_heap) {
            reason[0] = 0;
            return QPEL_OK;
        }
    }
    if (gpu && need->exportable) {
        r = take_exportable(c, gpu, need, out, reason);
    } else if (gpu) {
        r = take_piece_of_gpu(c, gpu, need, out);
    } else if (need->exportable) {
        return from_heap;
    } else {
        out->own = qpel_context_own_memory(need->size);
        r = out->own ? QPEL_OK : QPEL_ERROR_NOMEM;
    }
    if (r == QPEL_ERROR_NOMEM)
        qpel_reason_set(reason, "out of memory");
    return r;
}

enum qpel_result qpel_picture_memory_export(struct qpel_context *c,
                                            const struct picture_memory *memory, int *fd,
                                            size_t *size, char reason[QPEL_REASON_SIZE])
{
    const struct picture_chunk *chunk = memory->chunk;
    if (memory->dmabuf.data) {
        *size = memory->dmabuf.size;
        enum qpel_result r = qpel_dmabuf_duplicate(&memory->dmabuf, fd);
        if (r)
            qpel_reason_set(reason, "there are too many descriptors");
        return r;
    }
    if (chunk && chunk->exportable)
        return qpel_gpu_buffer_export(c->gpu, chunk->buffer, fd, size, reason);
    qpel_reason_set(reason, "the picture was not made to be exported");
    return QPEL_ERROR_UNSUPPORTED;
}

void qpel_picture_memory_give(struct qpel_context *c, struct picture_memory *memory)
{
    struct picture_chunk *chunk = memory->chunk;
    bool last = false;
    if (chunk) {
        pthread_mutex_lock(&c->lock);
        chunk->taken &= ~(1u << memory->offset / chunk->piece);
        last = !chunk->taken;
        if (last) {
            struct picture_chunk **link = &c->chunks;
            while (*link != chunk)
                link = &(*link)->next;
            *link = chunk->next;
        }
        pthread_mutex_unlock(&c->lock);
    }
    if (last) {
        qpel_gpu_buffer_destroy(c->gpu, chunk->buffer);
        free(chunk);
    }
    qpel_dmabuf_close(&memory->dmabuf);
    free(memory->own);
    *memory = (struct picture_memory){ .own = NULL };
}

/* ---- use ---- */

void *qpel_picture_memory_data(const struct picture_memory *memory)
{
    if (memory->dmabuf.data)
        return memory->dmabuf.data;
    if (!memory->chunk)
        return memory->own;
    return (uint8_t *)qpel_gpu_buffer_data(memory->chunk->buffer) + memory->offset;
}

static enum qpel_result to_cpu(struct qpel_context *c, const struct picture_memory *m,
                               unsigned access)
{
    const struct picture_chunk *chunk = m->chunk;
    if (m->dmabuf.data)
        return qpel_dmabuf_start(&m->dmabuf, access & QPEL_WRITE);
    return chunk ? qpel_gpu_buffer_invalidate(c->gpu, chunk->buffer, m->offset, chunk->piece)
                 : QPEL_OK;
}

static enum qpel_result to_gpu(struct qpel_context *c, const struct picture_memory *m,
                               unsigned access)
{
    const struct picture_chunk *chunk = m->chunk;
    if (m->dmabuf.data)
        return qpel_dmabuf_end(&m->dmabuf, access & QPEL_WRITE);
    return chunk && access & QPEL_WRITE
               ? qpel_gpu_buffer_flush(c->gpu, chunk->buffer, m->offset, chunk->piece)
               : QPEL_OK;
}

static void await_change(struct qpel_context *c, const struct picture_memory *m)
{
    while (m->changing)
        pthread_cond_wait(&c->finished, &c->lock);
}

enum qpel_result qpel_picture_memory_open(struct qpel_context *c, struct picture_memory *m,
                                          enum qpel_access access)
{
    enum qpel_result r = QPEL_OK;
    /* Who writes has it as if he read, too: to open it for a reader once more would throw away what
     * is written in the cache. */
    unsigned wanted = access & QPEL_WRITE ? QPEL_READ_WRITE : QPEL_READ;
    await_change(c, m);
    if (wanted & ~m->access) {
        m->changing = true;
        pthread_mutex_unlock(&c->lock);
        r = to_cpu(c, m, wanted);
        pthread_mutex_lock(&c->lock);
        m->changing = false;
        pthread_cond_broadcast(&c->finished);
    }
    if (!r) {
        m->users++;
        m->access |= wanted;
    }
    return r;
}

enum qpel_result qpel_picture_memory_close(struct qpel_context *c, struct picture_memory *m)
{
    enum qpel_result r = QPEL_OK;
    await_change(c, m);
    if (m->users == 1) {
        m->changing = true;
        pthread_mutex_unlock(&c->lock);
        r = to_gpu(c, m, m->access);
        pthread_mutex_lock(&c->lock);
        m->changing = false;
        m->access = 0;
        pthread_cond_broadcast(&c->finished);
    }
    m->users--;
    return r;
}
