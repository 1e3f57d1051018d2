/* What a batch's shaders read: tables, items, slots. */
#include <string.h>

#include "picture_batch.h"

enum { ROW_SIZE = 16 };

struct row {
    uint32_t x, y, z, w;
};

/* ---- where the pictures are ---- */

static enum qpel_result check_memory(const struct qpel_picture *p, char reason[QPEL_REASON_SIZE])
{
    if (!p->memory.chunk)
        qpel_reason_set(reason, "the GPU does not reach a picture: %.160s", p->reason);
    else if (!p->memory.chunk->buffer->set)
        qpel_reason_set(reason, "a picture is larger than this device's maxStorageBufferRange");
    else
        return QPEL_OK;
    return QPEL_ERROR_UNSUPPORTED;
}

/* Gives each reference its source. */
static enum qpel_result find_sources(struct gpu_batch *b, const struct qpel_batch *batch,
                                     char reason[QPEL_REASON_SIZE])
{
    struct plan *plan = &b->plan;
    plan->sources = 0;
    enum qpel_result r = check_memory(batch->target, reason);
    for (size_t i = 0; i < batch->reference_count && !r; i++) {
        const struct qpel_picture *p = batch->references[i].picture;
        r = check_memory(p, reason);
        unsigned s = 0;
        while (s < plan->sources && b->chunks[s] != p->memory.chunk)
            s++;
        if (!r && s == PLAN_SOURCE_MAX) {
            qpel_reason_set(reason, "the references are in more than %d buffers", PLAN_SOURCE_MAX);
            r = QPEL_ERROR_UNSUPPORTED;
        }
        if (!r) {
            b->chunks[s] = p->memory.chunk;
            plan->source[i] = (uint8_t)s;
            plan->sources += s == plan->sources;
        }
    }
    return r;
}

/* ---- tables ---- */

static void write_references(struct row *rows, const struct plan *plan,
                             const struct qpel_batch *batch)
{
    for (size_t i = 0; i < batch->reference_count; i++, rows += QPEL_REFERENCE_ROWS) {
        const struct reference *ref = &batch->references[i];
        const uint8_t *start = ref->picture->memory.chunk->buffer->data;
        for (int c = 0; c < ref->picture->components; c++)
            rows[c] = (struct row){
                .QPEL_REFERENCE_BASE = (uint32_t)(ref->rows[c].data - start),
                .QPEL_REFERENCE_STRIDE = (uint32_t)ref->rows[c].stride,
                .QPEL_REFERENCE_EXTENT =
                    (uint32_t)ref->rows[c].width | (uint32_t)ref->rows[c].height << 16,
                .QPEL_REFERENCE_TAG = (uint32_t)ref->parity | (uint32_t)plan->source[i]
                                                                  << QPEL_TAG_SOURCE_SHIFT,
            };
    }
}

static void write_weights(struct row *rows, const struct qpel_batch *batch)
{
    for (size_t i = 0; i < batch->weight_count; i++, rows += QPEL_WEIGHT_ROWS) {
        const struct qpel_weight *w = &batch->weights[i];
        for (int c = 0; c < COMPONENT_COUNT; c++) {
            bool weighted = w->planes >> c & 1;
            rows[c] = (struct row){
                (uint32_t)(int32_t)w->w[0][c],
                (uint32_t)(int32_t)w->w[1][c],
                (uint16_t)w->o[0][c] | (uint32_t)(uint16_t)w->o[1][c] << 16,
                weighted ? w->log_wd[c] : QPEL_WEIGHT_DEFAULT,
            };
        }
    }
}

/* ---- sections ---- */

static void place_sections(struct gpu_batch *b, const struct qpel_batch *batch)
{
    b->weights = (uint32_t)batch->reference_count * QPEL_REFERENCE_ROWS;
    b->items = b->weights + (uint32_t)batch->weight_count * QPEL_WEIGHT_ROWS;
    b->slots = b->items + b->plan.items;
    b->rows = b->slots + (b->plan.slots + 3) / 4;
}

static enum qpel_result reserve_scratch(struct qvk_device *d, struct gpu_batch *b,
                                        const struct qpel_picture *target)
{
    size_t size = 0;
    if (!b->plan.bi)
        return QPEL_OK;
    for (int c = 0; c < target->components; c++) {
        size_t plane = (size_t)target->component[c].stride * (size_t)target->component[c].height;
        size = plane > size ? plane : size;
    }
    return qvk_buffer_reserve(d, &b->scratch, size, QVK_NEAR_GPU);
}

enum qpel_result qvk_batch_upload(struct qvk_device *d, struct gpu_batch *b,
                                  const struct qpel_batch *batch, char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = find_sources(b, batch, reason);
    if (!r)
        r = qpel_plan_count(&b->plan, batch);
    if (r)
        return r;
    /* Memory that is not ours has no room for windows that leave it. */
    for (unsigned s = 0; s < b->plan.sources && b->plan.slots; s++)
        if (!b->chunks[s]->slot_room) {
            qpel_reason_set(reason, "windows leave their references, and one of these is in memory "
                                    "that is not the library's");
            return QPEL_ERROR_UNSUPPORTED;
        }
    place_sections(b, batch);
    size_t size = (size_t)b->rows * ROW_SIZE;
    r = qvk_buffer_reserve(d, &b->upload, size, QVK_UPLOAD);
    if (!r)
        r = reserve_scratch(d, b, batch->target);
    if (r)
        return r;
    if (!b->upload->set || (b->scratch && !b->scratch->set)) {
        qpel_reason_set(reason, "the batch is larger than this device's maxStorageBufferRange");
        return QPEL_ERROR_UNSUPPORTED;
    }
    struct row *rows = b->upload->data;
    write_references(rows, &b->plan, batch);
    write_weights(rows + b->weights, batch);
    qpel_plan_write(&b->plan, batch, (struct plan_item *)(rows + b->items),
                    (uint32_t *)(rows + b->slots));
    return qvk_buffer_flush(d, b->upload, 0, size);
}
