/* The cost of pictures: some that differ in what is counted, and as many equations. All of them
 * begin with blocks of every position, of one list and of two, so that a GPU has the same
 * dispatches to make for each. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tune.h"

enum { WIDTH = 1920, HEIGHT = 1088, MACROBLOCK = 16, REFERENCES = 4, POSITIONS = 16 };
enum { FIRST = 2 * POSITIONS, FIRST_MACROBLOCKS = FIRST / 4 };

/* In the order of the equations, one a term. */
static const struct design {
    const char *what;
    enum { FEW, LARGE, SMALL, MIXED } blocks; /* none but the first; 16x16, 8x8, copies; any */
    bool chroma, weighted;
} designs[] = {
    { "few blocks", FEW, false, false },    { "16x16, copies", LARGE, false, false },
    { "8x8, copies", SMALL, false, false }, { "all blocks", MIXED, false, false },
    { "NV12", MIXED, true, false },         { "NV12, weighted", MIXED, true, true },
};
static const enum qpel_term terms[] = { QPEL_TERM_FIXED, QPEL_TERM_BLOCK,  QPEL_TERM_SAMPLE,
                                        QPEL_TERM_AXIS,  QPEL_TERM_CHROMA, QPEL_TERM_WEIGH };
enum { DESIGNS = sizeof designs / sizeof *designs };
_Static_assert(DESIGNS == sizeof terms / sizeof *terms, "an equation for each unknown");

struct picture {
    struct tune *tune;
    struct qpel_picture *target, *references[REFERENCES];
    struct qpel_batch *batch;
    enum qpel_backend backend; /* that runs it */
    double count[QPEL_TERM_COUNT];
    /* The last block's. */
    int16_t mv[2];
    uint8_t reference;
};

/* ---- making ---- */

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*state * below >> 32);
}

static void fill(struct qpel_picture *picture, uint32_t state)
{
    struct qpel_picture_format f = qpel_picture_get_format(picture);
    struct qpel_picture_data data;
    tune_check(qpel_picture_begin(picture, QPEL_WRITE, &data), "qpel_picture_begin");
    for (int p = 0; p < (f.chroma == QPEL_CHROMA_400 ? 1 : 2); p++)
        for (uint32_t y = 0; y < f.height >> p; y++)
            for (uint32_t x = 0; x < f.width; x++)
                data.data[p][(ptrdiff_t)y * data.stride[p] + x] = (uint8_t)draw(&state, 256);
    tune_check(qpel_picture_end(picture), "qpel_picture_end");
}

static uint64_t hash_of(struct qpel_picture *picture)
{
    struct qpel_picture_format f = qpel_picture_get_format(picture);
    struct qpel_picture_data data;
    uint64_t hash = TUNE_HASH;
    tune_check(qpel_picture_begin(picture, QPEL_READ, &data), "qpel_picture_begin");
    for (int p = 0; p < (f.chroma == QPEL_CHROMA_400 ? 1 : 2); p++)
        for (uint32_t y = 0; y < f.height >> p; y++)
            hash = tune_hash(hash, data.data[p] + (ptrdiff_t)y * data.stride[p], f.width);
    tune_check(qpel_picture_end(picture), "qpel_picture_end");
    return hash;
}

/* Motion of up to 16 samples, mostly into the first reference; every other block moves as the one
 * before. */
static void draw_motion(struct picture *p, struct qpel_picture_block *b, unsigned index, bool mixed,
                        uint32_t *state)
{
    for (int list = 0; list < b->references; list++) {
        if (index < FIRST || draw(state, 2)) {
            uint32_t position = index < FIRST ? index : mixed ? draw(state, POSITIONS) : 0;
            p->mv[0] = (int16_t)(4 * ((int)draw(state, 33) - 16) + (int)(position % 4));
            p->mv[1] = (int16_t)(4 * ((int)draw(state, 33) - 16) + (int)(position / 4 % 4));
            p->reference = (uint8_t)(draw(state, 2) ? 0 : draw(state, REFERENCES));
        }
        memcpy(b->mv[list], p->mv, sizeof p->mv);
        b->reference[list] = p->reference;
    }
}

static void count_block(struct picture *p, const struct qpel_picture_block *b, bool chroma)
{
    double samples = b->width * b->height;
    for (int list = 0; list < b->references; list++) {
        p->count[QPEL_TERM_BLOCK] += 1;
        p->count[QPEL_TERM_SAMPLE] += samples;
        p->count[QPEL_TERM_AXIS] +=
            samples * (((b->mv[list][0] & 3) != 0) + ((b->mv[list][1] & 3) != 0));
        p->count[QPEL_TERM_CHROMA] += chroma ? samples / 2 : 0;
    }
    if (b->weight)
        p->count[QPEL_TERM_WEIGH] += samples + (chroma ? samples / 2 : 0);
}

/* Width and height of a macroblock's blocks. */
static void draw_sides(unsigned macroblock, const struct design *d, uint32_t *state, int sides[2])
{
    bool small = macroblock < FIRST_MACROBLOCKS || d->blocks == SMALL;
    for (int i = 0; i < 2; i++)
        sides[i] = small || (d->blocks == MIXED && draw(state, 5) < 3) ? 8 : 16;
}

static void add_macroblock(struct picture *p, const struct design *d, unsigned macroblock,
                           unsigned *index, uint32_t *state, uint16_t weight)
{
    int x = (int)(macroblock % (WIDTH / MACROBLOCK)) * MACROBLOCK, sides[2];
    int y = (int)(macroblock / (WIDTH / MACROBLOCK)) * MACROBLOCK;
    draw_sides(macroblock, d, state, sides);
    for (int v = 0; v < MACROBLOCK; v += sides[1])
        for (int u = 0; u < MACROBLOCK; u += sides[0]) {
            struct qpel_picture_block b = {
                .x = (uint16_t)(x + u),
                .y = (uint16_t)(y + v),
                .width = (uint8_t)sides[0],
                .height = (uint8_t)sides[1],
                .references = *index >= POSITIONS && *index < FIRST ? 2 : 1,
                .weight = d->weighted ? weight : 0,
            };
            draw_motion(p, &b, (*index)++, d->blocks == MIXED, state);
            count_block(p, &b, d->chroma);
            tune_check(qpel_batch_add(p->batch, &b, 1, NULL), "qpel_batch_add");
        }
}

static void add_blocks(struct picture *p, const struct design *d, uint16_t weight)
{
    unsigned count = WIDTH / MACROBLOCK * (HEIGHT / MACROBLOCK), index = 0;
    uint32_t state = 1;
    for (unsigned n = 0; n < (d->blocks == FEW ? FIRST_MACROBLOCKS : count); n++)
        add_macroblock(p, d, n, &index, &state, weight);
}

static void open_picture(struct picture *p, struct tune *t, const struct design *d)
{
    static const struct qpel_weight half = {
        .planes = 7,
        .log_wd = { 5, 5, 5 },
        .w = { { 40, 40, 40 }, { 24, 24, 24 } },
    };
    const struct qpel_picture_format format = {
        .width = WIDTH,
        .height = HEIGHT,
        .chroma = d->chroma ? QPEL_CHROMA_420 : QPEL_CHROMA_400,
        .layout = QPEL_LAYOUT_INTERLEAVED,
    };
    uint8_t reference;
    uint16_t weight;
    *p = (struct picture){ .tune = t, .count = { [QPEL_TERM_FIXED] = 1 } };
    tune_check(qpel_picture_create(t->context, &format, QPEL_NEAR_CPU, &p->target),
               "qpel_picture_create");
    tune_check(qpel_batch_create(t->context, &p->batch), "qpel_batch_create");
    tune_check(qpel_batch_begin(p->batch, p->target), "qpel_batch_begin");
    for (int i = 0; i < REFERENCES; i++) {
        tune_check(qpel_picture_create(t->context, &format, QPEL_NEAR_CPU, &p->references[i]),
                   "qpel_picture_create");
        fill(p->references[i], 1 + (uint32_t)i);
        tune_check(qpel_batch_reference(p->batch, p->references[i], QPEL_FRAME, &reference),
                   "qpel_batch_reference");
    }
    tune_check(qpel_batch_weight(p->batch, &half, &weight), "qpel_batch_weight");
    add_blocks(p, d, weight);
}

static void close_picture(struct picture *p)
{
    qpel_batch_destroy(&p->batch);
    qpel_picture_destroy(&p->target);
    for (int i = 0; i < REFERENCES; i++)
        qpel_picture_destroy(&p->references[i]);
}

/* ---- measuring ---- */

/* From qpel_submit() to the end of qpel_wait(). */
static bool run(void *user, size_t repeats, double *gpu_seconds)
{
    struct picture *p = user;
    struct qpel_submit_params params = { .backend = p->backend };
    struct qpel_report report;
    qpel_ticket ticket;
    (void)gpu_seconds;
    for (size_t i = 0; i < repeats; i++)
        if (qpel_submit(p->batch, &params, &ticket, &report) || report.backend != p->backend ||
            qpel_wait(p->tune->context, ticket, UINT64_C(10000000000)))
            return false;
    return true;
}

static void prove(struct picture *p)
{
    uint64_t hash[2];
    for (int i = 0; i < 2; i++) {
        fill(p->target, 7);
        p->backend = i ? QPEL_BACKEND_GPU : QPEL_BACKEND_CPU;
        if (!run(p, 1, NULL))
            tune_fail("a picture failed");
        hash[i] = hash_of(p->target);
    }
    if (hash[0] != hash[1])
        tune_fail("the GPU's picture differs from the CPU's");
}

/* Gaussian elimination. The designs make it regular. */
static void solve(double rows[DESIGNS][DESIGNS], double values[DESIGNS])
{
    for (int i = 0; i < DESIGNS; i++) {
        int best = i;
        for (int k = i + 1; k < DESIGNS; k++)
            if (fabs(rows[k][i]) > fabs(rows[best][i]))
                best = k;
        for (int j = 0; j < DESIGNS; j++) {
            double swapped = rows[i][j];
            rows[i][j] = rows[best][j];
            rows[best][j] = swapped;
        }
        double swapped = values[i];
        values[i] = values[best];
        values[best] = swapped;
        for (int k = 0; k < DESIGNS; k++) {
            double factor = k == i ? 0 : rows[k][i] / rows[i][i];
            for (int j = 0; j < DESIGNS; j++)
                rows[k][j] -= factor * rows[i][j];
            values[k] -= factor * values[i];
        }
    }
    for (int i = 0; i < DESIGNS; i++)
        values[i] /= rows[i][i];
}

/* The terms that give the times. What comes out below 0 is less than the noise. */
static void find_prices(const struct picture *pictures, const double seconds[DESIGNS],
                        double prices[DESIGNS])
{
    double rows[DESIGNS][DESIGNS];
    for (int i = 0; i < DESIGNS; i++)
        for (int t = 0; t < DESIGNS; t++)
            rows[i][t] = pictures[i].count[terms[t]];
    memcpy(prices, seconds, DESIGNS * sizeof *prices);
    solve(rows, prices);
    for (int i = 0; i < DESIGNS; i++)
        prices[i] = fmax(prices[i], 0) * 1e9;
}

static void measure_backend(struct tune *t, struct picture *pictures, enum qpel_backend backend)
{
    /* One picture after another, not the same again and again: a decoder's caches are cold. */
    const struct measure_plan plan = { .rounds = 5 * t->plan.rounds, .max_seconds = 5 };
    struct measure_case cases[DESIGNS];
    double wall[DESIGNS], cpu[DESIGNS], wall_prices[DESIGNS], cpu_prices[DESIGNS];
    for (int i = 0; i < DESIGNS; i++) {
        pictures[i].backend = backend;
        cases[i] = (struct measure_case){ .run = run, .user = &pictures[i] };
    }
    if (!measure(cases, DESIGNS, &plan))
        tune_fail("a picture failed");
    for (int i = 0; i < DESIGNS; i++) {
        wall[i] = cases[i].wall.median;
        cpu[i] = cases[i].cpu.median;
    }
    find_prices(pictures, wall, wall_prices);
    find_prices(pictures, cpu, cpu_prices);
    struct qpel_recipe_line line = { .backend = backend, .work = QPEL_WORK_PICTURE };
    for (int i = 0; i < DESIGNS; i++)
        line.cost.price[terms[i]] = (struct qpel_price){ wall_prices[i], cpu_prices[i] };
    tune_add(t, line);
}

void tune_pictures(struct tune *t)
{
    struct picture pictures[DESIGNS];
    int backends = t->with_gpu ? 2 : 1;
    for (int i = 0; i < DESIGNS; i++) {
        open_picture(&pictures[i], t, &designs[i]);
        if (t->with_gpu) {
            tune_progress(i, DESIGNS, QPEL_BACKEND_GPU, designs[i].what);
            prove(&pictures[i]);
        }
    }
    for (int b = 0; b < backends; b++) {
        tune_progress(b, backends, b ? QPEL_BACKEND_GPU : QPEL_BACKEND_CPU, "pictures");
        measure_backend(t, pictures, b ? QPEL_BACKEND_GPU : QPEL_BACKEND_CPU);
    }
    for (int i = 0; i < DESIGNS; i++)
        close_picture(&pictures[i]);
}
