/* The self-test of the picture door's shaders: a small picture of every sort of block. */
#include <string.h>

#include "picture.h"
#include "self_test.h"
#include "ticket.h"

enum { WIDTH = 64, HEIGHT = 128, MACROBLOCK = 16, WEIGHTS = 3 };
enum { BY_CPU, BY_GPU, FIRST_REFERENCE, SECOND_REFERENCE, PICTURES };

struct test {
    struct qpel_context *context;
    struct qpel_picture *pictures[PICTURES];
    struct qpel_batch *batches[BY_GPU + 1];
};

/* ---- kinds ---- */

static enum picture_step step_of(const struct qpel_batch *batch)
{
    return batch->weighted ? PICTURE_WEIGHTED : batch->bi ? PICTURE_TWO_LISTS : PICTURE_ONE_LIST;
}

/* One that is not the GPU's at all is found out later. */
static enum memory_sort sort_of(const struct qpel_batch *batch)
{
    const struct picture_memory *target = &batch->target->memory;
    enum memory_sort sort = SORT_PIECE;
    /* It is written, and nothing is read behind it. */
    if (target->chunk && qpel_picture_memory_sort(target) != SORT_PIECE)
        sort = SORT_ALONE;
    for (size_t i = 0; i < batch->reference_count; i++) {
        const struct picture_memory *memory = &batch->references[i].picture->memory;
        if (memory->chunk && qpel_picture_memory_sort(memory) > sort)
            sort = qpel_picture_memory_sort(memory);
    }
    return sort;
}

struct picture_kind qpel_picture_kind_of(const struct qpel_batch *batch)
{
    return (struct picture_kind){
        .format = batch->target->format,
        .step = step_of(batch),
        .sort = sort_of(batch),
    };
}

/* A bit for each: chroma that is not there, or is filtered as luma, has one layout. */
static uint64_t bit_of(const struct picture_kind *kind)
{
    static const unsigned formats[][2] = { { 0, 0 }, { 1, 2 }, { 3, 4 }, { 5, 5 } };
    unsigned bit = formats[kind->format.chroma][kind->format.layout];
    bit = bit * PICTURE_STEP_COUNT + kind->step;
    return UINT64_C(1) << (bit * SORT_COUNT + kind->sort);
}

/* ---- the blocks ---- */

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*state * below >> 32);
}

/* A vector's part along an axis: to a place from where all that is read of `size` samples is
 * inside, or to one outside. */
static int16_t draw_vector(uint32_t *state, int at, int length, int size, int fraction,
                           bool outside)
{
    int from =
        outside ? -(int)draw(state, 30) : 2 + (int)draw(state, (uint32_t)(size - length - 4));
    return (int16_t)(4 * (from - at) + fraction);
}

static void draw_block(struct qpel_picture_block *b, unsigned index, enum picture_step step,
                       uint32_t *state)
{
    int height = b->parity == QPEL_FRAME ? HEIGHT : HEIGHT / 2;
    uint32_t sort = draw(state, 8);
    b->references = step > PICTURE_ONE_LIST && sort & 1 ? 2 : 1;
    b->weight = step == PICTURE_WEIGHTED && sort & 2 ? (uint16_t)(1 + draw(state, WEIGHTS)) : 0;
    for (unsigned list = 0; list < b->references; list++) {
        unsigned position = (index + 7 * list) % 16;
        bool outside = draw(state, 4) == 0;
        b->mv[list][0] = draw_vector(state, b->x, b->width, WIDTH, (int)(position % 4), outside);
        b->mv[list][1] = draw_vector(state, b->y, b->height, height, (int)(position / 4), outside);
        /* Pictures by turns; of fields any, as qpel_batch_reference() is called below. */
        b->reference[list] = (uint8_t)((index + list) & 1);
        if (b->parity != QPEL_FRAME)
            b->reference[list] = (uint8_t)(2 + draw(state, 4));
    }
}

/* Every second pair of macroblock rows is made of fields. Of small partitions some are left out,
 * so that halves of a word remain alone. */
static enum qpel_result add_macroblock(struct qpel_batch *batch, unsigned number,
                                       enum picture_step step, unsigned *index, uint32_t *state)
{
    static const uint8_t sides[][2] = { { 16, 16 }, { 16, 8 }, { 8, 16 }, { 8, 8 },
                                        { 8, 4 },   { 4, 8 },  { 4, 4 } };
    const uint8_t *side = sides[number % (sizeof sides / sizeof *sides)];
    unsigned columns = WIDTH / MACROBLOCK, column = number % columns, row = number / columns;
    bool fields = row / 2 & 1;
    unsigned top = fields ? row / 2 * MACROBLOCK : row * MACROBLOCK;
    enum qpel_result r = QPEL_OK;
    for (unsigned y = 0; y < MACROBLOCK; y += side[1])
        for (unsigned x = 0; x < MACROBLOCK && !r; x += side[0]) {
            struct qpel_picture_block b = {
                .x = (uint16_t)(column * MACROBLOCK + x),
                .y = (uint16_t)(top + y),
                .width = side[0],
                .height = side[1],
                .parity = !fields   ? QPEL_FRAME
                          : row & 1 ? QPEL_BOTTOM_FIELD
                                    : QPEL_TOP_FIELD,
            };
            draw_block(&b, (*index)++, step, state);
            if (side[0] > 4 || *index % 3)
                r = qpel_batch_add(batch, &b, 1, NULL);
        }
    return r;
}

static enum qpel_result enter_all(struct qpel_batch *batch, struct test *t, enum picture_step step)
{
    static const struct qpel_weight weights[WEIGHTS] = {
        { 7, { 5, 5, 5 }, { { 40, 40, 40 }, { 24, 24, 24 } }, { { 3, -2, 1 }, { -7, 0, 90 } } },
        { 7, { 7, 7, 7 }, { { -128, 127, 128 }, { 128, 1, -128 } }, { { 127, -128, 0 }, { 0 } } },
        { 1, { 0, 0, 0 }, { { 2, 0, 0 }, { -1, 0, 0 } }, { { -128, 0, 0 }, { 127, 0, 0 } } },
    };
    enum qpel_result r = QPEL_OK;
    uint8_t reference;
    uint16_t weight;
    for (int parity = QPEL_FRAME; parity <= QPEL_BOTTOM_FIELD; parity++)
        for (int p = FIRST_REFERENCE; p <= SECOND_REFERENCE && !r; p++)
            r = qpel_batch_reference(batch, t->pictures[p], (enum qpel_parity)parity, &reference);
    for (int i = 0; i < WEIGHTS && step == PICTURE_WEIGHTED && !r; i++)
        r = qpel_batch_weight(batch, &weights[i], &weight);
    unsigned index = 0, count = WIDTH / MACROBLOCK * (HEIGHT / MACROBLOCK);
    uint32_t state = 1;
    for (unsigned n = 0; n < count && !r; n++)
        r = add_macroblock(batch, n, step, &index, &state);
    return r;
}

/* ---- pictures ---- */

static enum qpel_result fill_picture(struct qpel_picture *p, int which)
{
    struct qpel_picture_data data;
    enum qpel_result r = qpel_picture_begin(p, QPEL_WRITE, &data);
    for (int c = 0; c < p->components && !r; c++) {
        const struct samples *s = &p->component[c];
        if (s->step == 2 && c == 2)
            continue; /* with Cb */
        for (int y = 0; y < s->height; y++) {
            uint8_t *row = s->data + y * s->stride;
            size_t size = (size_t)(s->width * s->step);
            if (which >= FIRST_REFERENCE)
                qpel_self_test_fill(row, size, (uint32_t)(y + 1000 * c + 10000 * which));
            else
                memset(row, 0x5a, size);
        }
    }
    return r ? r : qpel_picture_end(p);
}

static bool same_samples(const struct qpel_picture *a, const struct qpel_picture *b)
{
    for (int c = 0; c < a->components; c += a->component[c].step) {
        const struct samples *s = &a->component[c], *t = &b->component[c];
        for (int y = 0; y < s->height; y++)
            if (memcmp(s->data + y * s->stride, t->data + y * t->stride,
                       (size_t)(s->width * s->step)))
                return false;
    }
    return true;
}

/* ---- the test ---- */

static enum qpel_result open_test(struct test *t, struct gpu *gpu, const struct picture_kind *kind)
{
    struct qpel_picture_format format = kind->format;
    format.width = WIDTH;
    format.height = HEIGHT;
    enum qpel_result r = QPEL_OK;
    for (int i = 0; i < PICTURES && !r; i++) {
        r = qpel_picture_create_sort(t->context, gpu, &format, kind->sort, &t->pictures[i]);
        if (!r)
            r = fill_picture(t->pictures[i], i);
    }
    for (int i = BY_CPU; i <= BY_GPU && !r; i++) {
        r = qpel_batch_create(t->context, &t->batches[i]);
        if (!r)
            r = qpel_batch_begin(t->batches[i], t->pictures[i]);
        if (!r)
            r = enter_all(t->batches[i], t, kind->step);
    }
    return r;
}

static void close_test(struct test *t)
{
    for (int i = BY_CPU; i <= BY_GPU; i++)
        qpel_batch_destroy(&t->batches[i]);
    for (int i = 0; i < PICTURES; i++)
        qpel_picture_destroy(&t->pictures[i]);
}

/* What came before has the context's timeout each, and this its own. */
static void drain(struct qpel_context *c)
{
    enum qpel_result result;
    pthread_mutex_lock(&c->lock);
    while (qpel_tickets_wait_gpu(c, UINT64_MAX, &result))
        ;
    pthread_mutex_unlock(&c->lock);
}

/* The CPU's turn: with all of the pictures. */
static enum qpel_result begin_cpu(struct test *t)
{
    struct qpel_picture_data data;
    enum qpel_result r = QPEL_OK;
    for (int i = 0; i < PICTURES && !r; i++)
        r = qpel_picture_begin(t->pictures[i], QPEL_READ_WRITE, &data);
    return r;
}

static enum qpel_result end_cpu(struct test *t)
{
    enum qpel_result r = QPEL_OK;
    for (int i = 0; i < PICTURES && !r; i++)
        r = qpel_picture_end(t->pictures[i]);
    return r;
}

static enum qpel_result run_cpu(struct test *t)
{
    enum qpel_result r = begin_cpu(t);
    if (r)
        return r;
    qpel_picture_run_cpu(t->batches[BY_CPU], 0, t->batches[BY_CPU]->block_count);
    return end_cpu(t);
}

static enum qpel_result run_gpu(struct test *t, struct gpu *gpu, char reason[QPEL_REASON_SIZE])
{
    struct qpel_batch *b = t->batches[BY_GPU];
    enum qpel_result r = qpel_gpu_batch_create(gpu, &b->gpu);
    if (r)
        return r;
    drain(t->context);
    r = qpel_gpu_batch_submit(gpu, b->gpu, b, false, NULL, reason);
    if (!r)
        r = qpel_gpu_batch_wait(gpu, b->gpu, UINT64_MAX);
    return r;
}

static enum qpel_result run_test(struct qpel_context *c, struct gpu *gpu,
                                 const struct picture_kind *kind, char reason[QPEL_REASON_SIZE])
{
    struct test t = { .context = c };
    char why[QPEL_REASON_SIZE] = "";
    enum qpel_result r = open_test(&t, gpu, kind);
    if (!r)
        r = run_cpu(&t);
    if (!r)
        r = run_gpu(&t, gpu, why);
    if (!r)
        r = begin_cpu(&t);
    if (r) {
        if (r == QPEL_ERROR_DEVICE_LOST)
            qpel_gpu_is_lost(gpu, why);
        qpel_reason_set(reason, "self-test of pictures: %s", *why ? why : qpel_result_name(r));
    } else if (!same_samples(t.pictures[BY_CPU], t.pictures[BY_GPU])) {
        qpel_reason_set(reason, "self-test: a picture with %s differs from the CPU's",
                        (const char *const[]){ "one reference a block", "two references a block",
                                               "weights" }[kind->step]);
        r = QPEL_ERROR_DEVICE_LOST;
    }
    end_cpu(&t);
    close_test(&t);
    return r;
}

enum qpel_result qpel_picture_self_test(struct qpel_context *c, struct gpu *gpu,
                                        const struct picture_kind *kind,
                                        char reason[QPEL_REASON_SIZE])
{
    const uint64_t bit = bit_of(kind);
    pthread_mutex_lock(&c->lock);
    while (!(c->pictures_tested & bit) && c->pictures_in_test)
        pthread_cond_wait(&c->finished, &c->lock);
    bool tested = c->pictures_tested & bit;
    c->pictures_in_test |= !tested;
    pthread_mutex_unlock(&c->lock);
    if (tested)
        return QPEL_OK;
    enum qpel_result r = run_test(c, gpu, kind, reason);
    pthread_mutex_lock(&c->lock);
    if (!r)
        c->pictures_tested |= bit;
    c->pictures_in_test = false;
    pthread_cond_broadcast(&c->finished);
    pthread_mutex_unlock(&c->lock);
    return r;
}
