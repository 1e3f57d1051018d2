/* Batches: what a decoder enters, checked as it comes. */
#include <stdlib.h>
#include <string.h>

#include "picture.h"

/* ---- growing arrays ---- */

static enum qpel_result grow(void **array, size_t *room, size_t need, size_t size)
{
    if (need <= *room)
        return QPEL_OK;
    size_t wanted = need > 2 * *room ? need : 2 * *room;
    if (need > PTRDIFF_MAX / size / 2)
        return QPEL_ERROR_NOMEM;
    void *grown = realloc(*array, wanted * size);
    if (!grown)
        return QPEL_ERROR_NOMEM;
    *array = grown;
    *room = wanted;
    return QPEL_OK;
}

/* ---- which samples are written ----
 *
 * A bit for 4 columns of 2 rows of a field: a 4x4 block of a frame has two bits, one of each
 * parity, and one of a field two, of its own. Bit 2 * column + parity, so that the sides of all
 * blocks are runs within one byte. */

#define COVER_ROW_WORDS(width) (((size_t)(width) / 4 * 2 + 63) / 64 + 1)
#define COVER_ROWS(height)     (((size_t)(height) + 3) / 4 + 1)

static bool cover_block(struct qpel_batch *batch, const struct qpel_picture_block *b, bool set)
{
    /* Pairs of bits, one a column: both parities, or one. */
    uint64_t pairs = b->parity == QPEL_FRAME ? 0xff : b->parity == QPEL_TOP_FIELD ? 0x55 : 0xaa;
    uint64_t mask = pairs & ((UINT64_C(1) << b->width / 2) - 1);
    size_t step = COVER_ROW_WORDS(batch->target->format.width);
    size_t bit = b->x / 4 * 2;
    int rows = b->parity == QPEL_FRAME ? b->height / 4 : b->height / 2;
    uint64_t *word =
        batch->cover + bit / 64 + step * (b->parity == QPEL_FRAME ? b->y / 4 : b->y / 2);
    mask <<= bit & 63;
    if (!set) {
        for (int i = 0; i < rows; i++)
            word[step * (size_t)i] &= ~mask;
        return true;
    }
    uint64_t met = 0;
    for (int i = 0; i < rows; i++)
        met |= word[step * (size_t)i] & mask;
    if (met)
        return false;
    for (int i = 0; i < rows; i++)
        word[step * (size_t)i] |= mask;
    return true;
}

/* ---- lifetime ---- */

enum qpel_result qpel_batch_create(struct qpel_context *context, struct qpel_batch **out)
{
    if (!out)
        return QPEL_ERROR_INVALID;
    *out = NULL;
    if (!context)
        return QPEL_ERROR_INVALID;
    *out = calloc(1, sizeof **out);
    if (!*out)
        return QPEL_ERROR_NOMEM;
    struct qpel_batch *b = *out;
    b->context = context;
    pthread_mutex_lock(&context->lock);
    b->next = context->batches;
    context->batches = b;
    pthread_mutex_unlock(&context->lock);
    return QPEL_OK;
}

/* Forgets the pictures. */
static void batch_clear(struct qpel_batch *batch)
{
    for (size_t i = 0; i <= batch->reference_count; i++) {
        struct qpel_picture *p =
            i == batch->reference_count ? batch->target : batch->references[i].picture;
        if (!p)
            continue;
        pthread_mutex_lock(&batch->context->lock);
        bool last = picture_drop(p);
        pthread_mutex_unlock(&batch->context->lock);
        if (last)
            picture_free(p);
    }
    batch->target = NULL;
    batch->rows_written = batch->rows_read = 0;
    batch->reference_count = batch->weight_count = batch->block_count = 0;
    batch->state = BATCH_EMPTY;
}

void qpel_batch_destroy(struct qpel_batch **batch)
{
    if (!batch || !*batch)
        return;
    struct qpel_batch *b = *batch;
    *batch = NULL;
    submission_end(b);
    batch_clear(b);
    pthread_mutex_lock(&b->context->lock);
    struct qpel_batch **link = &b->context->batches;
    while (*link != b)
        link = &(*link)->next;
    *link = b->next;
    pthread_mutex_unlock(&b->context->lock);
    free(b->slices_taken);
    free(b->weights);
    free(b->blocks);
    free(b->cover);
    free(b);
}

enum qpel_result qpel_batch_begin(struct qpel_batch *batch, struct qpel_picture *target)
{
    if (!batch || !target || target->context != batch->context)
        return QPEL_ERROR_INVALID;
    bool done = true;
    if (batch->state == BATCH_RUNNING)
        qpel_poll(batch->context, batch->ticket, &done);
    if (!done)
        return QPEL_ERROR_BUSY;
    size_t words = COVER_ROW_WORDS(target->format.width) * COVER_ROWS(target->format.height);
    enum qpel_result r =
        grow((void **)&batch->cover, &batch->cover_words, words, sizeof *batch->cover);
    if (r)
        return r;
    pthread_mutex_lock(&batch->context->lock);
    picture_hold(target);
    pthread_mutex_unlock(&batch->context->lock);
    batch_clear(batch);
    memset(batch->cover, 0, words * sizeof *batch->cover);
    batch->target = target;
    batch->state = BATCH_COLLECTING;
    return QPEL_OK;
}

/* ---- references and weights ---- */

enum qpel_result qpel_batch_reference(struct qpel_batch *batch, struct qpel_picture *picture,
                                      enum qpel_parity parity, uint8_t *index)
{
    if (!batch || !picture || !index || batch->state != BATCH_COLLECTING ||
        picture->context != batch->context || (unsigned)parity > QPEL_BOTTOM_FIELD ||
        batch->reference_count == QPEL_REFERENCE_MAX ||
        picture->format.chroma != batch->target->format.chroma ||
        picture->format.layout != batch->target->format.layout ||
        picture->format.bit_depth != batch->target->format.bit_depth ||
        !has_rows(picture, parity) || (parity == QPEL_FRAME && picture == batch->target))
        return QPEL_ERROR_INVALID;
    pthread_mutex_lock(&batch->context->lock);
    picture_hold(picture);
    pthread_mutex_unlock(&batch->context->lock);
    batch->references[batch->reference_count] = (struct reference){ picture, parity };
    *index = (uint8_t)batch->reference_count++;
    return QPEL_OK;
}

static bool valid_weight(const struct qpel_weight *w)
{
    if (w->planes > 7)
        return false;
    for (int p = 0; p < COMPONENT_COUNT; p++) {
        if (!(w->planes >> p & 1))
            continue;
        if (w->log_wd[p] > 7)
            return false;
        for (int l = 0; l < 2; l++)
            if (w->w[l][p] < -128 || w->w[l][p] > 128 || w->o[l][p] < -128 || w->o[l][p] > 127)
                return false;
    }
    return true;
}

enum qpel_result qpel_batch_weight(struct qpel_batch *batch, const struct qpel_weight *weight,
                                   uint16_t *index)
{
    if (!batch || !weight || !index || batch->state != BATCH_COLLECTING ||
        batch->weight_count == UINT16_MAX || !valid_weight(weight))
        return QPEL_ERROR_INVALID;
    enum qpel_result r = grow((void **)&batch->weights, &batch->weight_room,
                              batch->weight_count + 1, sizeof *batch->weights);
    if (r)
        return r;
    batch->weights[batch->weight_count++] = *weight;
    *index = (uint16_t)batch->weight_count;
    return QPEL_OK;
}

/* ---- blocks ---- */

/* A partition's side: 16, 8 or 4, and one of them at most twice the other. */
static bool valid_sides(unsigned width, unsigned height)
{
    return (width == 16 || width == 8 || width == 4) &&
           (height == width || height == 2 * width || width == 2 * height) && height >= 4 &&
           height <= 16;
}

static bool valid_reference(const struct qpel_batch *batch, const struct qpel_picture_block *b,
                            int list)
{
    return b->reference[list] < batch->reference_count;
}

static bool valid_block(const struct qpel_batch *batch, const struct qpel_picture_block *b)
{
    if (!valid_sides(b->width, b->height) || b->x % b->width || b->y % b->height ||
        b->parity > QPEL_BOTTOM_FIELD || b->references < 1 || b->references > 2)
        return false;
    struct samples rows = samples_rows(batch->target->component[0], (enum qpel_parity)b->parity);
    if (b->x + b->width > rows.width || b->y + b->height > rows.height)
        return false;
    return valid_reference(batch, b, 0) && (b->references == 1 || valid_reference(batch, b, 1)) &&
           b->weight <= batch->weight_count;
}

/* Bit 0: the top field's rows; bit 1: the bottom field's. */
static unsigned parity_rows(unsigned parity)
{
    return parity == QPEL_FRAME ? 3 : 1u << (parity - QPEL_TOP_FIELD);
}

/* Enters which rows of the target are written and which are read as a reference; false if some are
 * both. */
static bool apart(const struct qpel_batch *batch, const struct qpel_picture_block *b,
                  unsigned *written, unsigned *read)
{
    unsigned w = *written | parity_rows(b->parity), r = *read;
    for (int l = 0; l < b->references; l++) {
        const struct reference *ref = &batch->references[b->reference[l]];
        if (ref->picture == batch->target)
            r |= parity_rows(ref->parity);
    }
    if (w & r)
        return false;
    *written = w;
    *read = r;
    return true;
}

enum qpel_result qpel_batch_room(struct qpel_batch *batch, size_t count,
                                 struct qpel_picture_block **blocks)
{
    if (!batch || !blocks || batch->state != BATCH_COLLECTING)
        return QPEL_ERROR_INVALID;
    if (count > PTRDIFF_MAX / sizeof **blocks - batch->block_count)
        return QPEL_ERROR_NOMEM;
    enum qpel_result r = grow((void **)&batch->blocks, &batch->block_room,
                              batch->block_count + count, sizeof *batch->blocks);
    if (!r)
        *blocks = batch->blocks + batch->block_count;
    return r;
}

enum qpel_result qpel_batch_commit(struct qpel_batch *batch, size_t count, size_t *bad)
{
    if (!batch || batch->state != BATCH_COLLECTING ||
        count > batch->block_room - batch->block_count)
        return QPEL_ERROR_INVALID;
    const struct qpel_picture_block *b = batch->blocks + batch->block_count;
    unsigned written = batch->rows_written, read = batch->rows_read;
    for (size_t i = 0; i < count; i++) {
        if (valid_block(batch, &b[i]) && apart(batch, &b[i], &written, &read) &&
            cover_block(batch, &b[i], true))
            continue;
        for (size_t k = 0; k < i; k++)
            cover_block(batch, &b[k], false);
        if (bad)
            *bad = i;
        return QPEL_ERROR_INVALID;
    }
    batch->block_count += count;
    batch->rows_written = written;
    batch->rows_read = read;
    return QPEL_OK;
}

enum qpel_result qpel_batch_add(struct qpel_batch *batch, const struct qpel_picture_block *blocks,
                                size_t count, size_t *bad)
{
    struct qpel_picture_block *room;
    if (!blocks && count)
        return QPEL_ERROR_INVALID;
    enum qpel_result r = qpel_batch_room(batch, count, &room);
    if (r)
        return r;
    if (count)
        memcpy(room, blocks, count * sizeof *blocks);
    return qpel_batch_commit(batch, count, bad);
}
