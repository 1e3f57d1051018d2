#include "picture_case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"

static void *allocate(size_t size)
{
    void *p = calloc(1, size ? size : 1);

    if (!p) {
        perror("calloc");
        abort();
    }
    return p;
}

/* ---- pictures as plain bytes ---- */

struct qpel_picture_format picture_format(uint32_t width, uint32_t height, enum qpel_chroma chroma)
{
    return (struct qpel_picture_format){ .width = width, .height = height, .chroma = chroma };
}

/* Bytes around the planes. */
enum { IMAGE_MARGIN = 64 };

static bool interleaved(const struct qpel_picture_format *f)
{
    return f->layout == QPEL_LAYOUT_INTERLEAVED;
}

static int plane_count(const struct qpel_picture_format *f)
{
    return f->chroma == QPEL_CHROMA_400 ? 1 : interleaved(f) ? 2 : 3;
}

static int component_width(const struct qpel_picture_format *f, int component)
{
    bool half = component && f->chroma != QPEL_CHROMA_444;

    return (int)(half ? (f->width + 1) / 2 : f->width);
}

static int component_height(const struct qpel_picture_format *f, int component)
{
    bool half = component && f->chroma == QPEL_CHROMA_420;

    return (int)(half ? (f->height + 1) / 2 : f->height);
}

struct image image_make(struct qpel_picture_format format, struct random *r)
{
    struct image image = { .format = format, .planes = plane_count(&format) };
    size_t at = r ? IMAGE_MARGIN + random_below(r, 16) : 0;

    for (int p = 0; p < image.planes; p++) {
        image.width[p] = (size_t)component_width(&format, p) * (p && interleaved(&format) ? 2 : 1);
        image.height[p] = (size_t)component_height(&format, p);
        image.stride[p] = image.width[p] + (r && random_below(r, 3) ? random_below(r, 40) : 0);
        image.offset[p] = at;
        at += (image.height[p] - 1) * image.stride[p] + image.width[p];
        at += r ? random_below(r, 20) : 0;
    }
    image.size = at + (r ? IMAGE_MARGIN : 0);
    image.bytes = allocate(image.size);
    return image;
}

void image_fill(struct image *image, struct random *r)
{
    for (size_t i = 0; i < image->size; i++)
        image->bytes[i] = (uint8_t)random_next(r);
    for (int p = 0; p < image->planes; p++)
        hostile_fill(r, image->bytes + image->offset[p], (ptrdiff_t)image->stride[p],
                     (int)image->width[p], (int)image->height[p]);
}

void image_free(struct image *image)
{
    free(image->bytes);
    *image = (struct image){ .bytes = NULL };
}

struct oracle_picture image_oracle(const struct image *image, uint8_t *bytes)
{
    const struct qpel_picture_format *f = &image->format;
    struct oracle_picture o = { .chroma_format_idc = (int)f->chroma };

    for (int c = 0; c < (f->chroma == QPEL_CHROMA_400 ? 1 : 3); c++) {
        bool pair = c && interleaved(f);
        int plane = pair ? 1 : c;
        o.component[c] = (struct oracle_samples){
            .first = bytes + image->offset[plane] + (pair && c == 2),
            .stride = (long)image->stride[plane],
            .step = pair ? 2 : 1,
            .width = component_width(f, c),
            .height = component_height(f, c),
        };
    }
    return o;
}

uint8_t *image_sample(const struct image *image, int component, int x, int y)
{
    struct oracle_samples s = image_oracle(image, image->bytes).component[component];

    return s.first + y * s.stride + x * s.step;
}

/* ---- batches ---- */

struct picture_case case_make(struct qpel_picture_format format, int images, struct random *r)
{
    struct picture_case c = { .target = image_make(format, r), .image_count = images };

    for (int i = 0; i < images; i++)
        c.images[i] = image_make(format, r);
    c.blocks = allocate(CASE_BLOCKS * sizeof *c.blocks);
    return c;
}

void case_free(struct picture_case *c)
{
    image_free(&c->target);
    for (int i = 0; i < c->image_count; i++)
        image_free(&c->images[i]);
    free(c->blocks);
    free(c->expected);
    *c = (struct picture_case){ .count = 0 };
}

static enum oracle_rows rows_of(unsigned parity)
{
    return parity == QPEL_FRAME       ? ORACLE_FRAME
           : parity == QPEL_TOP_FIELD ? ORACLE_TOP_FIELD
                                      : ORACLE_BOTTOM_FIELD;
}

static struct oracle_weights oracle_weights(const struct qpel_weight *w)
{
    struct oracle_weights o = { .weighted = { 0 } };

    for (int c = 0; c < 3; c++) {
        o.weighted[c] = w->planes >> c & 1;
        o.log_wd[c] = w->log_wd[c];
        o.w0[c] = w->w[0][c];
        o.w1[c] = w->w[1][c];
        o.o0[c] = w->o[0][c];
        o.o1[c] = w->o[1][c];
    }
    return o;
}

void case_expect(struct picture_case *c)
{
    struct oracle_picture images[CASE_IMAGES], before, after;

    free(c->expected);
    c->expected = allocate(c->target.size);
    memcpy(c->expected, c->target.bytes, c->target.size);
    after = image_oracle(&c->target, c->expected);
    before = image_oracle(&c->target, c->target.bytes);
    for (int i = 0; i < c->image_count; i++)
        images[i] = image_oracle(&c->images[i], c->images[i].bytes);
    for (size_t i = 0; i < c->count; i++) {
        const struct qpel_picture_block *b = &c->blocks[i];
        struct oracle_weights weights;
        struct oracle_block o = { .rows = rows_of(b->parity),
                                  .x = b->x,
                                  .y = b->y,
                                  .width = b->width,
                                  .height = b->height,
                                  .references = b->references };
        for (int l = 0; l < b->references; l++) {
            const struct case_reference *r = &c->references[b->reference[l]];
            o.reference[l] = (struct oracle_reference){
                r->image == TARGET_ITSELF ? &before : &images[r->image],
                rows_of(r->parity),
                { b->mv[l][0], b->mv[l][1] },
            };
        }
        if (b->weight) {
            weights = oracle_weights(&c->weights[b->weight - 1]);
            o.weights = &weights;
        }
        oracle_predict(&after, &o);
    }
}

bool block_has(const struct qpel_picture_block *b, int x, int y)
{
    if (b->parity != QPEL_FRAME) {
        if (y % 2 != (b->parity == QPEL_BOTTOM_FIELD))
            return false;
        y /= 2;
    }
    return x >= b->x && x < b->x + b->width && y >= b->y && y < b->y + b->height;
}

void partition_sides(int partition, struct qpel_picture_block *b)
{
    static const uint8_t sides[PARTITION_COUNT][2] = { { 16, 16 }, { 16, 8 }, { 8, 16 }, { 8, 8 },
                                                       { 8, 4 },   { 4, 8 },  { 4, 4 } };

    b->width = sides[partition][0];
    b->height = sides[partition][1];
}

/* ---- comparison ---- */

/* A block's share of a component, as bytes of the region. */
static struct block_shape block_shape(const struct image *image, const struct qpel_picture_block *b,
                                      int component)
{
    const struct qpel_picture_format *f = &image->format;
    struct oracle_samples s = image_oracle(image, image->bytes).component[component];
    int sx = component && f->chroma != QPEL_CHROMA_444,
        sy = component && f->chroma == QPEL_CHROMA_420;
    int fields = b->parity == QPEL_FRAME ? 1 : 2;
    long row = (long)(b->y >> sy) * fields + (b->parity == QPEL_BOTTOM_FIELD);

    return (struct block_shape){
        .offset = s.first - image->bytes + row * s.stride + (long)(b->x >> sx) * s.step,
        .stride = s.stride * fields,
        .width = (b->width >> sx) * s.step,
        .height = b->height >> sy,
    };
}

static bool shape_equal(const struct picture_case *c, const uint8_t *actual, struct block_shape s)
{
    for (int y = 0; y < s.height; y++)
        if (memcmp(c->expected + s.offset + y * s.stride, actual + s.offset + y * s.stride,
                   (size_t)s.width))
            return false;
    return true;
}

static void print_block(size_t index, const struct qpel_picture_block *b, int component)
{
    printf("# block %zu, component %d: (%d,%d) %dx%d rows %d, references %d: %d (%d,%d), "
           "%d (%d,%d), weight %d\n",
           index, component, b->x, b->y, b->width, b->height, b->parity, b->references,
           b->reference[0], b->mv[0][0], b->mv[0][1], b->reference[1], b->mv[1][0], b->mv[1][1],
           b->weight);
}

bool case_equal(const struct picture_case *c, const uint8_t *actual, const char *what)
{
    const struct qpel_picture_format *f = &c->target.format;

    if (!memcmp(c->expected, actual, c->target.size))
        return true;
    if (regions_quiet)
        return false;
    printf("# picture %ux%u, chroma %d, layout %d, %zu blocks\n", f->width, f->height,
           (int)f->chroma, (int)f->layout, c->count);
    for (size_t i = 0; i < c->count; i++)
        for (int component = 0; component < (f->chroma == QPEL_CHROMA_400 ? 1 : 3); component++) {
            struct block_shape s = block_shape(&c->target, &c->blocks[i], component);
            if (shape_equal(c, actual, s))
                continue;
            print_block(i, &c->blocks[i], component);
            return regions_equal(c->expected, actual, c->target.size, s, what);
        }
    printf("# no block's samples\n");
    return regions_equal(c->expected, actual, c->target.size,
                         (struct block_shape){ 0, (ptrdiff_t)c->target.stride[0], 1, 1 }, what);
}
