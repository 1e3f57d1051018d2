/* Cases drawn at random. */
#include <stdlib.h>

#include "picture_case.h"

static bool one_in(struct random *r, uint32_t n)
{
    return random_below(r, n) == 0;
}

static struct qpel_picture_format draw_format(int side, struct random *r)
{
    struct qpel_picture_format f = {
        .width = (uint32_t)random_between(r, 4, side),
        .height = (uint32_t)random_between(r, 4, side),
        .chroma = (enum qpel_chroma)random_below(r, 4),
    };

    /* What a decoder has. */
    if (one_in(r, 3)) {
        f.width = (f.width + 15) / 16 * 16;
        f.height = (f.height + 15) / 16 * 16;
    }
    if (f.chroma != QPEL_CHROMA_444 && one_in(r, 2))
        f.layout = QPEL_LAYOUT_INTERLEAVED;
    return f;
}

/* A reference of the target's format, of its size or another. */
static struct qpel_picture_format draw_reference_format(struct qpel_picture_format f,
                                                        struct random *r)
{
    if (one_in(r, 2))
        return f;
    f.width = one_in(r, 3) ? 1 : (uint32_t)random_between(r, 1, 70);
    f.height = one_in(r, 3) ? 1 : (uint32_t)random_between(r, 1, 70);
    return f;
}

/* Whether each component has a row of this parity. */
static bool has_rows(const struct qpel_picture_format *f, enum qpel_parity parity)
{
    return parity != QPEL_BOTTOM_FIELD || f->height >= (f->chroma == QPEL_CHROMA_420 ? 3u : 2u);
}

static void add_reference(struct picture_case *c, int image, enum qpel_parity parity)
{
    const struct image *i = image == TARGET_ITSELF ? &c->target : &c->images[image];

    if (c->reference_count < CASE_REFERENCES && has_rows(&i->format, parity))
        c->references[c->reference_count++] = (struct case_reference){ image, parity };
}

/* Frame and fields of every picture, some of them twice; `own`: a field of the target too. */
static void draw_references(struct picture_case *c, enum qpel_parity own, struct random *r)
{
    for (int i = 0; i < c->image_count; i++) {
        for (int parity = QPEL_FRAME; parity <= QPEL_BOTTOM_FIELD; parity++)
            add_reference(c, i, (enum qpel_parity)parity);
        if (one_in(r, 3))
            add_reference(c, i, QPEL_TOP_FIELD);
    }
    if (own != QPEL_FRAME)
        add_reference(c, TARGET_ITSELF, own);
}

static int draw_weight_value(struct random *r, int high)
{
    switch (random_below(r, 4)) {
    case 0:
        return -128;
    case 1:
        return high;
    case 2:
        return random_between(r, -2, 2);
    default:
        return random_between(r, -128, high);
    }
}

static struct qpel_weight draw_weight(struct random *r)
{
    struct qpel_weight w = { .planes = (uint8_t)random_below(r, 8) };

    for (int p = 0; p < 3; p++) {
        w.log_wd[p] = (uint8_t)random_below(r, 8);
        for (int l = 0; l < 2; l++) {
            w.w[l][p] = (int16_t)draw_weight_value(r, 128);
            w.o[l][p] = (int16_t)draw_weight_value(r, 127);
        }
        /* As an encoder has them: near 1, in sum. */
        if (one_in(r, 2)) {
            int one = 1 << w.log_wd[p];
            w.w[0][p] = (int16_t)(one + random_between(r, -one / 4, one < 128 ? one / 4 : 0));
            w.w[1][p] = (int16_t)(2 * one - w.w[0][p] > 128 ? 128 : 2 * one - w.w[0][p]);
            w.o[0][p] = (int16_t)random_between(r, -4, 4);
        }
    }
    return w;
}

static int16_t draw_vector(struct random *r)
{
    switch (random_below(r, 16)) {
    case 0:
        return one_in(r, 2) ? INT16_MIN : INT16_MAX;
    case 1:
        return (int16_t)random_between(r, INT16_MIN, INT16_MAX);
    case 2:
    case 3:
        return (int16_t)random_between(r, -400, 400);
    default:
        return (int16_t)random_between(r, -70, 70);
    }
}

static struct qpel_picture_block draw_block(const struct picture_case *c, enum qpel_parity own,
                                            struct random *r)
{
    struct qpel_picture_block b = {
        .parity = (uint8_t)random_below(r, 3),
        .references = (uint8_t)random_between(r, 1, 2),
        .weight = (uint16_t)(one_in(r, 2) ? 0 : random_between(r, 1, c->weight_count)),
    };

    /* Where a field of the target is read, the other one is written. */
    if (own != QPEL_FRAME)
        b.parity = own == QPEL_TOP_FIELD ? QPEL_BOTTOM_FIELD : QPEL_TOP_FIELD;
    partition_sides((int)random_below(r, PARTITION_COUNT), &b);
    b.x = (uint16_t)(random_below(r, c->target.format.width / b.width + 1) * b.width);
    b.y = (uint16_t)(random_below(r, c->target.format.height / b.height + 1) * b.height);
    for (int l = 0; l < 2; l++) {
        b.reference[l] = (uint8_t)random_below(r, (uint32_t)c->reference_count);
        b.mv[l][0] = draw_vector(r);
        b.mv[l][1] = draw_vector(r);
        /* Copies, and skipped blocks. */
        if (one_in(r, 8))
            b.mv[l][0] = b.mv[l][1] = 0;
    }
    return b;
}

/* Takes the block's samples; false: they are not all there, or taken. */
static bool take(uint8_t *taken, const struct qpel_picture_format *f,
                 const struct qpel_picture_block *b)
{
    int rows = b->parity == QPEL_FRAME       ? (int)f->height
               : b->parity == QPEL_TOP_FIELD ? (int)(f->height + 1) / 2
                                             : (int)f->height / 2;
    int width = (int)f->width, height = (int)f->height;

    if (b->x + b->width > width || b->y + b->height > rows)
        return false;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (block_has(b, x, y) && taken[y * width + x])
                return false;
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            if (block_has(b, x, y))
                taken[y * width + x] = 1;
    return true;
}

static void draw_blocks(struct picture_case *c, enum qpel_parity own, struct random *r)
{
    const struct qpel_picture_format *f = &c->target.format;
    uint8_t *taken = calloc(f->width, f->height);
    /* Up to about as many as there is room for. */
    uint32_t tries = random_below(r, 2 + f->width * f->height / 3);

    if (!taken)
        abort();
    for (uint32_t i = 0; i < tries && c->count < CASE_BLOCKS; i++) {
        struct qpel_picture_block b = draw_block(c, own, r);
        if (take(taken, f, &b))
            c->blocks[c->count++] = b;
    }
    free(taken);
}

struct picture_case case_draw(int side, struct random *r)
{
    struct qpel_picture_format format = draw_format(side, r);
    struct picture_case c = case_make(format, 0, r);
    enum qpel_parity own = one_in(r, 4) ? random_between(r, 1, 2) : QPEL_FRAME;

    c.image_count = random_between(r, 1, CASE_IMAGES);
    for (int i = 0; i < c.image_count; i++) {
        c.images[i] = image_make(draw_reference_format(format, r), r);
        image_fill(&c.images[i], r);
    }
    image_fill(&c.target, r);
    draw_references(&c, own, r);
    c.weight_count = random_between(r, 1, CASE_WEIGHTS);
    for (int i = 0; i < c.weight_count; i++)
        c.weights[i] = draw_weight(r);
    draw_blocks(&c, own, r);
    case_expect(&c);
    return c;
}
