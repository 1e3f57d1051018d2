/* Batches for the picture door, drawn at random or made by hand, and what should become of them. */
#ifndef TESTS_PICTURE_CASE_H
#define TESTS_PICTURE_CASE_H

#include <stdbool.h>

#include <qpel/picture.h>

#include "oracle_picture.h"
#include "random.h"

/* ---- pictures as plain bytes ---- */

/* Planar, 8 bits. */
struct qpel_picture_format picture_format(uint32_t width, uint32_t height, enum qpel_chroma chroma);

/* Planes in a region, with bytes before, between and after their rows that are nobody's. */
struct image {
    struct qpel_picture_format format;
    int planes;
    size_t offset[QPEL_PLANE_MAX], stride[QPEL_PLANE_MAX];
    size_t width[QPEL_PLANE_MAX], height[QPEL_PLANE_MAX]; /* bytes of a row; rows */
    size_t size;
    uint8_t *bytes;
};

/* Lays out the planes, with strides and gaps drawn by r, or tightly with none if r is null. All
 * bytes are 0. */
struct image image_make(struct qpel_picture_format format, struct random *r);
/* Hostile samples, and other bytes between them. */
void image_fill(struct image *image, struct random *r);
void image_free(struct image *image);

/* How the oracle sees it; bytes: a region laid out as the image's. */
struct oracle_picture image_oracle(const struct image *image, uint8_t *bytes);

/* The sample (x, y) of a component of the frame. */
uint8_t *image_sample(const struct image *image, int component, int x, int y);

/* ---- batches ---- */

enum {
    CASE_IMAGES = 6,      /* references' pictures at most */
    CASE_REFERENCES = 20, /* references at most */
    CASE_WEIGHTS = 40,
    CASE_BLOCKS = 1200
};

/* A reference whose picture is the target. */
#define TARGET_ITSELF (-1)

struct case_reference {
    int image; /* TARGET_ITSELF, or an index of images */
    enum qpel_parity parity;
};

struct picture_case {
    struct image target;
    struct image images[CASE_IMAGES];
    int image_count;
    struct case_reference references[CASE_REFERENCES];
    int reference_count;
    struct qpel_weight weights[CASE_WEIGHTS];
    int weight_count;
    struct qpel_picture_block *blocks;
    size_t count;
    uint8_t *expected; /* of the target's region */
};

/* A case without images' contents, references or blocks; target and `images` images alike. */
struct picture_case case_make(struct qpel_picture_format format, int images, struct random *r);
void case_free(struct picture_case *c);

/* Draws everything: formats, sizes from 4x4 up to about `side`, references of that size and of
 * others down to 1x1, fields of the target, weights, blocks of all kinds, and asks the oracle. */
struct picture_case case_draw(int side, struct random *r);

/* Sets `expected`, by the oracle. */
void case_expect(struct picture_case *c);

/* Where the samples of a block lie: whether (x, y) of the luma frame is one. */
bool block_has(const struct qpel_picture_block *b, int x, int y);

/* One of the seven partitions. */
#define PARTITION_COUNT 7
void partition_sides(int partition, struct qpel_picture_block *b);

/* Compares a region with the expected one; if they differ, shows the first block that does. */
bool case_equal(const struct picture_case *c, const uint8_t *actual, const char *what);

#endif
