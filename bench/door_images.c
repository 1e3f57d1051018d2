/* The samples of the picture door's works: references, and what must come of them. */
#include <stdlib.h>
#include <string.h>

#include "door.h"
#include "oracle_picture.h"

/* Larger pictures take the oracle too long. */
#define ORACLE_SAMPLES ((size_t)1 << 22)

static int component_width(const struct door_image *image, int component)
{
    return component ? image->width / 2 : image->width;
}

static int component_height(const struct door_image *image, int component)
{
    return component ? image->height / 2 : image->height;
}

static bool image_make(struct door_image *image, int width, int height)
{
    const size_t luma = (size_t)width * (size_t)height;

    free(image->component[0]);
    *image = (struct door_image){ .width = width, .height = height };
    image->component[0] = bench_memory(luma + luma / 2);
    if (!image->component[0])
        return false;
    image->component[1] = image->component[0] + luma;
    image->component[2] = image->component[1] + luma / 4;
    return true;
}

bool door_images_fill(struct door_images *images, const struct door_work *work)
{
    images->width = work->width;
    images->height = work->height;
    for (unsigned slot = 0; slot < work->slots; slot++) {
        struct door_image *image = &images->reference[slot];

        if (image->component[0])
            continue;
        if (!image_make(image, work->width, work->height))
            return false;
        for (int c = 0; c < DOOR_COMPONENTS; c++)
            for (int y = 0; y < component_height(image, c); y++)
                for (int x = 0; x < component_width(image, c); x++)
                    image->component[c][y * component_width(image, c) + x] =
                        trace_sample(slot + (unsigned)c * DOOR_SLOTS, x, y);
    }
    return true;
}

void door_images_free(struct door_images *images)
{
    for (int slot = 0; slot < DOOR_SLOTS; slot++)
        free(images->reference[slot].component[0]);
    free(images->expected.component[0]);
    *images = (struct door_images){ .width = 0 };
}

/* ---- in and out ---- */

/* A row of an interleaved plane. */
static void interleave(uint8_t *out, const struct door_image *image, int row)
{
    const int width = component_width(image, 1);

    for (int x = 0; x < width; x++) {
        out[2 * x] = image->component[1][row * width + x];
        out[2 * x + 1] = image->component[2][row * width + x];
    }
}

struct plane {
    int bytes, rows;
    bool interleaved;
};

static int planes_of(struct qpel_picture *picture, struct plane planes[DOOR_COMPONENTS])
{
    const struct qpel_picture_format f = qpel_picture_get_format(picture);
    const int width = (int)f.width, height = (int)f.height;
    const bool interleaved = f.layout == QPEL_LAYOUT_INTERLEAVED;

    planes[0] = (struct plane){ width, height, false };
    planes[1] = (struct plane){ interleaved ? width : width / 2, height / 2, interleaved };
    planes[2] = planes[1];
    return f.chroma == QPEL_CHROMA_400 ? 1 : interleaved ? 2 : 3;
}

/* The image's row as the plane has it; `room` may be used for it. */
static const uint8_t *row_of(const struct door_image *image, const struct plane *plane, int index,
                             int row, uint8_t *room)
{
    if (!plane->interleaved)
        return image->component[index] + row * plane->bytes;
    interleave(room, image, row);
    return room;
}

bool door_picture_write(struct qpel_picture *picture, const struct door_image *image)
{
    struct plane planes[DOOR_COMPONENTS];
    const int count = planes_of(picture, planes);
    uint8_t *room = malloc((size_t)planes[0].bytes);
    struct qpel_picture_data d;

    if (!room || qpel_picture_begin(picture, QPEL_WRITE, &d)) {
        free(room);
        return false;
    }
    for (int p = 0; p < count; p++)
        for (int y = 0; y < planes[p].rows; y++) {
            uint8_t *row = d.data[p] + y * d.stride[p];

            if (image)
                memcpy(row, row_of(image, &planes[p], p, y, room), (size_t)planes[p].bytes);
            else
                memset(row, 0, (size_t)planes[p].bytes);
        }
    free(room);
    return qpel_picture_end(picture) == QPEL_OK;
}

bool door_picture_equal(struct qpel_picture *picture, const struct door_image *image)
{
    struct plane planes[DOOR_COMPONENTS];
    const int count = planes_of(picture, planes);
    uint8_t *room = malloc((size_t)planes[0].bytes);
    struct qpel_picture_data d;
    bool equal;

    if (!room || qpel_picture_begin(picture, QPEL_READ, &d)) {
        free(room);
        return false;
    }
    equal = true;
    for (int p = 0; p < count; p++)
        for (int y = 0; equal && y < planes[p].rows; y++)
            equal = !memcmp(d.data[p] + y * d.stride[p], row_of(image, &planes[p], p, y, room),
                            (size_t)planes[p].bytes);
    free(room);
    return qpel_picture_end(picture) == QPEL_OK && equal;
}

bool door_picture_hash(struct qpel_picture *picture, uint64_t *hash)
{
    const struct qpel_picture_format f = qpel_picture_get_format(picture);
    uint8_t *row = malloc(f.width);
    struct qpel_picture_data d;

    if (!row || qpel_picture_begin(picture, QPEL_READ, &d)) {
        free(row);
        return false;
    }
    *hash = 0xCBF29CE484222325u;
    for (uint32_t y = 0; y < f.height; y++) {
        /* At once: some memory is slow to read sample by sample. */
        memcpy(row, d.data[0] + (ptrdiff_t)y * d.stride[0], f.width);
        for (uint32_t x = 0; x < f.width; x++)
            *hash = (*hash ^ row[x]) * 0x100000001B3u;
    }
    free(row);
    return qpel_picture_end(picture) == QPEL_OK;
}

/* ---- what must come of them ---- */

static struct oracle_picture oracle_view(const struct door_image *image)
{
    struct oracle_picture view = { .chroma_format_idc = 1 };

    for (int c = 0; c < DOOR_COMPONENTS; c++)
        view.component[c] = (struct oracle_samples){
            .first = image->component[c],
            .stride = component_width(image, c),
            .step = 1,
            .width = component_width(image, c),
            .height = component_height(image, c),
        };
    return view;
}

static void expect_by_oracle(struct door_images *images, const struct door_work *work)
{
    const struct oracle_picture target = oracle_view(&images->expected);
    struct oracle_picture references[DOOR_SLOTS];
    struct oracle_weights weights;

    for (unsigned slot = 0; slot < work->slots; slot++)
        references[slot] = oracle_view(&images->reference[slot]);
    for (int c = 0; c < DOOR_COMPONENTS; c++) {
        weights.weighted[c] = 1;
        weights.log_wd[c] = door_weight.log_wd[c];
        weights.w0[c] = door_weight.w[0][c];
        weights.w1[c] = door_weight.w[1][c];
        weights.o0[c] = door_weight.o[0][c];
        weights.o1[c] = door_weight.o[1][c];
    }
    for (size_t i = 0; i < work->whole.count; i++) {
        const struct qpel_picture_block *b = &work->whole.blocks[i];
        struct oracle_block block = {
            .x = b->x,
            .y = b->y,
            .width = b->width,
            .height = b->height,
            .references = b->references,
            .weights = b->weight ? &weights : NULL,
        };

        for (int list = 0; list < b->references; list++)
            block.reference[list] = (struct oracle_reference){
                .picture = &references[b->reference[list]],
                .mv = { b->mv[list][0], b->mv[list][1] },
            };
        oracle_predict(&target, &block);
    }
}

/* Y alone. */
static bool expect_by_cpu(struct door_images *images, const struct door_work *work,
                          struct qpel_context *cpu)
{
    struct door_runner runner = {
        .context = cpu,
        .backend = QPEL_BACKEND_CPU,
        .form = DOOR_LUMA,
    };
    double phases[DOOR_PHASE_COUNT];
    struct qpel_picture_data d;
    bool ok = door_runner_open(&runner, work, images, NULL, NULL) &&
              door_picture_write(runner.target[0], NULL) && door_cycle(&runner, work, phases) &&
              !qpel_picture_begin(runner.target[0], QPEL_READ, &d);

    if (ok) {
        for (int y = 0; y < work->height; y++)
            memcpy(images->expected.component[0] + (ptrdiff_t)y * work->width,
                   d.data[0] + y * d.stride[0], (size_t)work->width);
        ok = !qpel_picture_end(runner.target[0]);
    }
    door_runner_close(&runner);
    return ok;
}

bool door_images_expect(struct door_images *images, const struct door_work *work,
                        struct qpel_context *cpu)
{
    if (!image_make(&images->expected, work->width, work->height))
        return false;
    if ((size_t)work->width * (size_t)work->height > ORACLE_SAMPLES)
        return expect_by_cpu(images, work, cpu);
    expect_by_oracle(images, work);
    return true;
}
