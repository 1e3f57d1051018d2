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
 * A word for 16 columns of 32 rows of the frame, a macroblock pair: 8 bytes for 4 rows each, in
 * them 4 pairs of bits for 4 columns each, of which the lower bit is the top field's two rows and
 * the upper one the bottom field's. Blocks lie at multiples of their sides, in rows of the frame or
 * of a field, so each is in one word. */

struct cover {
    size_t word;
    uint64_t bits;
};

static size_t cover_columns(const struct qpel_picture *target)
{
    return (target->format.width + 15) / 16;
}

static size_t cover_words(const struct qpel_picture *target)
{
    return cover_columns(target) * ((target->format.height + 31) / 32);
}

/* Of a valid block; columns: cover_columns(). */
static struct cover cover_of(const struct qpel_picture_block *b, size_t columns)
{
    static const uint8_t parities[] = { 0xff, 0x55, 0xaa };
    unsigned field = b->parity != QPEL_FRAME;
    /* Rows that a byte stands for are 4 of the frame, 2 of a field. */
    unsigned bytes = b->height >> (2 - field), first = (b->y >> (2 - field)) & 7;
    uint64_t byte = parities[b->parity] & ((1u << b->width / 2) - 1) << (b->x / 4 % 4 * 2);
    uint64_t every = UINT64_C(0x0101010101010101) >> (64 - 8 * bytes) << 8 * first;
    return (struct cover){
        .word = (b->y >> (5 - field)) * columns + b->x / 16,
        .bits = byte * every,
    };
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
        bool last = qpel_picture_drop(p);
        pthread_mutex_unlock(&batch->context->lock);
        if (last)
            qpel_picture_free(p);
    }
    batch->target = NULL;
    batch->rows_written = batch->rows_read = 0;
    batch->bi = batch->weighted = false;
    batch->counts = (struct batch_counts){ .blocks = 0 };
    batch->reference_count = batch->weight_count = batch->block_count = 0;
    batch->state = BATCH_EMPTY;
}

void qpel_batch_destroy(struct qpel_batch **batch)
{
    if (!batch || !*batch)
        return;
    struct qpel_batch *b = *batch;
    *batch = NULL;
    qpel_submission_end(b);
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
    size_t words = cover_words(target);
    enum qpel_result r =
        grow((void **)&batch->cover, &batch->cover_words, words, sizeof *batch->cover);
    if (r)
        return r;
    pthread_mutex_lock(&batch->context->lock);
    qpel_picture_hold(target);
    pthread_mutex_unlock(&batch->context->lock);
    batch_clear(batch);
    memset(batch->cover, 0, words * sizeof *batch->cover);
    batch->target = target;
    batch->state = BATCH_COLLECTING;
    if (batch->gpu)
        qpel_gpu_batch_begin(batch->gpu, batch);
    return QPEL_OK;
}

/* ---- references and weights ---- */

/* Bit 0: the top field's rows; bit 1: the bottom field's. */
static const uint8_t rows_of_parity[] = { 3, 1, 2 };

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
    qpel_picture_hold(picture);
    pthread_mutex_unlock(&batch->context->lock);
    struct reference *r = &batch->references[batch->reference_count];
    r->picture = picture;
    r->parity = parity;
    r->target_rows = picture == batch->target ? rows_of_parity[parity] : 0;
    for (int i = 0; i < picture->components; i++)
        r->rows[i] = samples_rows(picture->component[i], parity);
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

/* What blocks are checked against. */
struct checker {
    const struct qpel_batch *batch;
    int width, height[3];         /* of the target, rows by parity */
    unsigned written, read;       /* rows of the target, a bit a field */
    unsigned references, weights; /* the blocks' own, or'ed */
};

static struct checker checker_of(const struct qpel_batch *batch)
{
    struct samples luma = batch->target->component[0];
    struct checker c = {
        .batch = batch,
        .width = luma.width,
        .written = batch->rows_written,
        .read = batch->rows_read,
    };
    for (int parity = QPEL_FRAME; parity <= QPEL_BOTTOM_FIELD; parity++)
        c.height[parity] = samples_rows(luma, (enum qpel_parity)parity).height;
    return c;
}

static bool valid_shape(const struct checker *c, const struct qpel_picture_block *b)
{
    /* By width: the heights of partitions, which are powers of two. */
    static const uint8_t heights[UINT8_MAX + 1] = { [4] = 4 | 8, [8] = 4 | 8 | 16, [16] = 8 | 16 };
    unsigned w = b->width, h = b->height;
    return (heights[w] & h) && !(h & (h - 1)) && !((b->x & (w - 1)) | (b->y & (h - 1))) &&
           b->parity <= QPEL_BOTTOM_FIELD && b->x + (int)w <= c->width &&
           b->y + (int)h <= c->height[b->parity];
}

/* Enters the rows of the target that the block writes and reads; false: it names what is not
 * there, or some of those rows are both. */
static bool valid_use(struct checker *c, const struct qpel_picture_block *b)
{
    const struct qpel_batch *batch = c->batch;
    if (b->references - 1u > 1)
        return false;
    unsigned first = b->reference[0], second = b->reference[b->references - 1];
    if (first >= batch->reference_count || second >= batch->reference_count ||
        b->weight > batch->weight_count)
        return false;
    c->references |= b->references;
    c->weights |= b->weight;
    c->written |= rows_of_parity[b->parity];
    c->read |= batch->references[first].target_rows | batch->references[second].target_rows;
    return !(c->written & c->read);
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
        *blocks = batch->blocks ? batch->blocks + batch->block_count : NULL;
    return r;
}

enum qpel_result qpel_batch_commit(struct qpel_batch *batch, size_t count, size_t *bad)
{
    if (!batch || batch->state != BATCH_COLLECTING ||
        count > batch->block_room - batch->block_count)
        return QPEL_ERROR_INVALID;
    if (!count)
        return QPEL_OK;
    const struct qpel_picture_block *b = batch->blocks + batch->block_count;
    const size_t columns = cover_columns(batch->target);
    uint64_t *words = batch->cover;
    struct checker c = checker_of(batch);
    size_t i;
    for (i = 0; i < count; i++) {
        if (!valid_shape(&c, &b[i]) || !valid_use(&c, &b[i]))
            break;
        struct cover cover = cover_of(&b[i], columns);
        if (words[cover.word] & cover.bits)
            break;
        words[cover.word] |= cover.bits;
    }
    if (i < count) {
        if (bad)
            *bad = i;
        while (i--) {
            struct cover cover = cover_of(&b[i], columns);
            words[cover.word] &= ~cover.bits;
        }
        return QPEL_ERROR_INVALID;
    }
    batch->block_count += count;
    batch->rows_written = c.written;
    batch->rows_read = c.read;
    batch->bi |= c.references & 2;
    batch->weighted |= c.weights != 0;
    if (batch->for_gpu)
        qpel_gpu_batch_add(batch->context->gpu, batch->gpu, batch);
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
