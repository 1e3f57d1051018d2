/* What a batch's shaders read: chunks of items, tables, the list of work groups. */
#include <string.h>

#include "picture_batch.h"

enum { ROW_SIZE = 16 };

struct row {
    uint32_t x, y, z, w;
};

/* ---- where the pictures are ---- */

enum qpel_result qvk_picture_reached(const struct qpel_picture *p, char reason[QPEL_REASON_SIZE])
{
    if (!p->memory.chunk)
        qpel_reason_set(reason, "the GPU does not reach a picture: %.160s", p->reason);
    else if (!p->memory.chunk->buffer->set)
        qpel_reason_set(reason, "a picture is larger than this device's maxStorageBufferRange");
    else
        return QPEL_OK;
    return QPEL_ERROR_UNSUPPORTED;
}

static bool is_tiny(const struct reference *reference)
{
    bool tiny = false;
    for (int c = 0; c < reference->picture->components; c++)
        tiny |= reference->rows[c].width < 4;
    return tiny;
}

/* Tells the plan of references that are new, each with its source. */
static enum qpel_result plan_references(struct gpu_batch *b, const struct qpel_batch *batch,
                                        char reason[QPEL_REASON_SIZE])
{
    while (b->plan.references < batch->reference_count) {
        const struct reference *ref = &batch->references[b->plan.references];
        struct picture_chunk *chunk = ref->picture->memory.chunk;
        enum qpel_result r = qvk_picture_reached(ref->picture, reason);
        if (r)
            return r;
        unsigned s = 0;
        while (s < b->sources && b->chunks[s] != chunk)
            s++;
        if (s == PLAN_SOURCE_MAX) {
            qpel_reason_set(reason, "the references are in more than %d buffers", PLAN_SOURCE_MAX);
            return QPEL_ERROR_UNSUPPORTED;
        }
        b->chunks[s] = chunk;
        b->sources += s == b->sources;
        /* Such windows are made sample by sample, and then of no word too many. */
        b->tiny |= is_tiny(ref) || chunk->behind == BEHIND_NOTHING;
        qpel_plan_reference(&b->plan, ref, s, chunk->slot_room, chunk->behind);
    }
    return QPEL_OK;
}

/* ---- planning ---- */

/* Chunks that the upload memory has room for. */
static uint32_t room_of(const struct gpu_buffer *upload)
{
    return (uint32_t)((upload->size - QVK_PADDING) / sizeof(struct plan_chunk));
}

/* Room for `size` bytes, and for the plan to begin anew. */
static enum qpel_result reserve(struct qvk_device *d, struct gpu_batch *b,
                                const struct qpel_batch *batch, size_t size,
                                char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = qvk_buffer_reserve(d, &b->upload, size, QVK_UPLOAD);
    if (!r)
        r = qpel_plan_place(&b->plan, b->upload->data, room_of(b->upload));
    if (!r && !b->upload->set) {
        qpel_reason_set(reason, "the batch is larger than this device's maxStorageBufferRange");
        qvk_buffer_destroy(d, b->upload);
        b->upload = NULL;
        r = QPEL_ERROR_UNSUPPORTED;
    }
    if (r)
        qpel_plan_place(&b->plan, NULL, 0);
    else
        qvk_batch_begin(b, batch);
    return r;
}

void qvk_batch_begin(struct gpu_batch *b, const struct qpel_batch *batch)
{
    qpel_plan_reset(&b->plan, batch->target);
    b->sources = 0;
    b->tiny = b->uploaded = false;
}

enum qpel_result qvk_batch_plan(struct qvk_device *d, struct gpu_batch *b,
                                const struct qpel_batch *batch, char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = QPEL_OK;
    /* At first an item for each 8x8 samples, more than most pictures have. */
    const struct samples *luma = &batch->target->component[0];
    size_t size = (size_t)(luma->width + 7) / 8 * (size_t)((luma->height + 7) / 8) * ROW_SIZE;
    if (!b->plan.out)
        r = reserve(d, b, batch, size, reason);
    for (;;) {
        if (!r)
            r = plan_references(b, batch, reason);
        if (r)
            return r;
        if (b->plan.blocks < batch->block_count)
            qpel_plan_add(&b->plan, batch);
        if (!b->plan.overflow)
            return QPEL_OK;
        r = reserve(d, b, batch, (size_t)b->upload->size * 2, reason);
    }
}

/* ---- tables ---- */

static void write_references(struct row *rows, const struct gpu_batch *b,
                             const struct qpel_batch *batch)
{
    for (size_t i = 0; i < batch->reference_count; i++, rows += QPEL_REFERENCE_ROWS) {
        const struct reference *ref = &batch->references[i];
        const struct picture_chunk *chunk = ref->picture->memory.chunk;
        const uint8_t *start = chunk->buffer->data;
        uint32_t source = 0;
        while (b->chunks[source] != chunk)
            source++;
        for (int c = 0; c < ref->picture->components; c++)
            rows[c] = (struct row){
                .QPEL_REFERENCE_BASE = (uint32_t)(ref->rows[c].data - start),
                .QPEL_REFERENCE_STRIDE = (uint32_t)ref->rows[c].stride,
                .QPEL_REFERENCE_EXTENT =
                    (uint32_t)ref->rows[c].width | (uint32_t)ref->rows[c].height << 16,
                .QPEL_REFERENCE_TAG = (uint32_t)ref->parity | source << QPEL_TAG_SOURCE_SHIFT,
            };
    }
}

/* 8.4.2.3; default weighting is that of 1 and logWD 0. */
static struct row weights_row(const struct qpel_weight *w, int c, bool two)
{
    const bool weighted = w && w->planes >> c & 1;
    const int w0 = weighted ? w->w[0][c] : 1, w1 = weighted ? w->w[1][c] : 1;
    const int o0 = weighted ? w->o[0][c] : 0, o1 = weighted ? w->o[1][c] : 0;
    const int a = two ? w0 : 0, b = two ? w1 : w0;
    const int offset = two ? (o0 + o1 + 1) >> 1 : o0;
    const int shift = (weighted ? w->log_wd[c] : 0) + two;
    const int least = 255 * ((a < 0 ? a : 0) + (b < 0 ? b : 0));
    const int round = 1 << shift >> 1;
    /* So many times 2^shift make least + round positive: no more, as there is no room. */
    const int bias = ((1 << shift) - 1 - round - least) >> shift;
    return (struct row){
        .QPEL_WEIGHT_A = (uint32_t)a,
        .QPEL_WEIGHT_B = (uint32_t)b,
        .QPEL_WEIGHT_BIAS = (uint32_t)((bias << shift) + round) * 0x10001u,
        .QPEL_WEIGHT_SHIFT_OFFSET = (uint32_t)shift | (uint32_t)(0x8000 - bias + offset) << 16,
    };
}

static void write_weights(struct row *rows, const struct qpel_batch *batch)
{
    for (size_t i = 0; i <= batch->weight_count; i++)
        for (int two = 0; two < 2; two++)
            for (int c = 0; c < QPEL_WEIGHT_ROWS; c++)
                *rows++ = weights_row(i ? &batch->weights[i - 1] : NULL, c, two);
}

/* ---- what a batch has of its own ---- */

struct qvk_span qvk_target_span(const struct qpel_picture *target)
{
    const uint8_t *start = target->memory.chunk->buffer->data;
    struct qvk_span span = { SIZE_MAX, 0 };
    size_t end = 0;
    for (int c = 0; c < target->components; c++) {
        const struct samples *s = &target->component[c];
        size_t first = (size_t)(s->data - start) & ~(size_t)3;
        size_t last = (size_t)(s->data - start) + (size_t)s->stride * (size_t)s->height;
        span.first = first < span.first ? first : span.first;
        end = last > end ? last : end;
    }
    span.size = end - span.first;
    return span;
}

/* For targets whose buffer has no scratch picture. */
static enum qpel_result reserve_scratch(struct qvk_device *d, struct gpu_batch *b,
                                        const struct qpel_picture *target)
{
    if (!b->plan.bi || target->memory.chunk->slot_room)
        return QPEL_OK;
    return qvk_buffer_reserve(d, &b->scratch, qvk_target_span(target).size, QVK_NEAR_GPU);
}

/* For sources whose buffers have no slots. */
static enum qpel_result reserve_slots(struct qvk_device *d, struct gpu_batch *b)
{
    const uint32_t most = 4096;
    bool own = false;
    b->slot_room = UINT32_MAX;
    for (unsigned s = 0; s < b->sources; s++) {
        size_t room = b->chunks[s]->slot_room;
        own |= !room;
        if (room && room < b->slot_room)
            b->slot_room = (uint32_t)room;
    }
    if (!own || !b->plan.slots)
        return QPEL_OK;
    if (b->slot_room > most)
        b->slot_room = b->plan.slots < most ? b->plan.slots : most;
    return qvk_buffer_reserve(d, &b->slots, (size_t)b->slot_room * QPEL_SLOT_SIZE, QVK_NEAR_GPU);
}

/* ---- all of it ---- */

/* Makes room behind the full chunks: for the rest of them, the tables and the list of groups. */
static enum qpel_result place_tables(struct qvk_device *d, struct gpu_batch *b,
                                     const struct qpel_batch *batch, size_t *size,
                                     char reason[QPEL_REASON_SIZE])
{
    for (;;) {
        uint32_t chunks = qpel_plan_most_chunks(&b->plan);
        b->references = chunks * QPEL_CHUNK_ITEMS;
        b->weights = b->references + (uint32_t)batch->reference_count * QPEL_REFERENCE_ROWS;
        uint32_t rows = b->weights + ((uint32_t)batch->weight_count + 1) * 2 * QPEL_WEIGHT_ROWS;
        b->groups = rows * (ROW_SIZE / 4);
        *size = (size_t)rows * ROW_SIZE + (size_t)chunks * 4;
        if (*size <= b->upload->size - QVK_PADDING)
            return QPEL_OK;
        enum qpel_result r = reserve(d, b, batch, *size, reason);
        if (!r)
            r = qvk_batch_plan(d, b, batch, reason);
        if (r)
            return r;
    }
}

enum qpel_result qvk_batch_upload(struct qvk_device *d, struct gpu_batch *b,
                                  const struct qpel_batch *batch, char reason[QPEL_REASON_SIZE])
{
    if (b->uploaded && b->block_count == batch->block_count &&
        b->reference_count == batch->reference_count && b->weight_count == batch->weight_count)
        return QPEL_OK;
    size_t size;
    enum qpel_result r = qvk_picture_reached(batch->target, reason);
    if (!r)
        r = qvk_batch_plan(d, b, batch, reason);
    if (!r)
        r = place_tables(d, b, batch, &size, reason);
    if (!r)
        r = reserve_scratch(d, b, batch->target);
    if (!r)
        r = reserve_slots(d, b);
    if (r)
        return r;
    if ((b->scratch && !b->scratch->set) || (b->slots && !b->slots->set)) {
        qpel_reason_set(reason, "the batch is larger than this device's maxStorageBufferRange");
        return QPEL_ERROR_UNSUPPORTED;
    }
    struct row *rows = b->upload->data;
    qpel_plan_finish(&b->plan, (uint32_t *)rows + b->groups);
    write_references(rows + b->references, b, batch);
    write_weights(rows + b->weights, batch);
    r = qvk_buffer_flush(d, b->upload, 0, size);
    b->uploaded = !r;
    b->block_count = batch->block_count;
    b->reference_count = batch->reference_count;
    b->weight_count = batch->weight_count;
    return r;
}
