#include "batch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guard.h"

/* src: blocks lie anywhere in so many rows of samples. */
#define SRC_WIDTH  96
#define SRC_HEIGHT 64

/* Bytes around a plane in its memory that must stay. */
#define POISON_BYTES 64
#define POISON       0xa5

static void *must(void *p)
{
    if (!p) {
        perror("memory for a test");
        abort();
    }
    return p;
}

static ptrdiff_t signed_draw(struct random *r, ptrdiff_t pitch)
{
    return random_next(r) & 1 ? pitch : -pitch;
}

/* Lays dst out as a grid of cells, a block somewhere in each, in an order that is drawn. */
static void lay_dst(struct batch *b, const struct batch_shape *s, struct random *r)
{
    int unit = s->dst_unit, width = kernel_width(b->kernel);
    int cell_width = s->packed ? width : width + 2 * unit,
        cell_height = s->packed ? width : width + 2;
    size_t columns = b->count < 8 ? (b->count ? b->count : 1) : b->count < 4096 ? 8 : 240;
    size_t lines = (b->count + columns - 1) / columns;

    if (s->dst_stride)
        b->dst_stride = s->dst_stride;
    else
        b->dst_stride = signed_draw(r, (ptrdiff_t)columns * cell_width +
                                           (s->packed ? 0 : random_between(r, 0, 5) * unit));
    size_t pitch = (size_t)labs((long)b->dst_stride);
    b->dst_size = (lines ? lines : 1) * (size_t)cell_height * pitch;
    for (size_t i = 0; i < b->count; i++) {
        size_t x = i % columns * (size_t)cell_width, y = i / columns * (size_t)cell_height;
        if (!s->packed) {
            x += random_below(r, 3) * (size_t)unit;
            y += random_below(r, 3);
        }
        if (b->dst_stride < 0)
            y += (size_t)width - 1;
        b->blocks[i].dst = (uint32_t)(y * pitch + x);
    }
    for (size_t i = b->count; i > 1; i--) {
        size_t j = random_below(r, (uint32_t)i);
        struct qpel_block t = b->blocks[i - 1];
        b->blocks[i - 1] = b->blocks[j];
        b->blocks[j] = t;
    }
}

static void lay_src(struct batch *b, const struct batch_shape *s, struct random *r)
{
    int width = kernel_width(b->kernel);
    struct qpel_window w = qpel_window(b->kernel.position, width, width);

    b->src_stride =
        s->src_stride ? s->src_stride : signed_draw(r, SRC_WIDTH + random_between(r, 0, 20));
    size_t pitch = (size_t)labs((long)b->src_stride);
    b->src_size = SRC_HEIGHT * pitch;
    for (size_t i = 0; i < b->count; i++) {
        int x = random_between(r, -w.bounds.left, SRC_WIDTH - 1 - w.bounds.right);
        int y = random_between(r, -w.bounds.top, SRC_HEIGHT - 1 - w.bounds.bottom);
        if (s->src_align >= 0)
            x = 16 + (x & 32) + s->src_align;
        if (b->src_stride < 0)
            y = SRC_HEIGHT - 1 - y;
        b->blocks[i].src = (uint32_t)((size_t)y * pitch + (size_t)x);
    }
}

struct batch batch_make(const struct batch_shape *shape, struct random *r)
{
    struct batch b = { .kernel = shape->kernel, .count = shape->count };

    b.blocks = must(calloc(b.count + 1, sizeof *b.blocks));
    lay_dst(&b, shape, r);
    lay_src(&b, shape, r);
    b.src = must(malloc(b.src_size));
    b.before = must(malloc(b.dst_size));
    b.expected = must(malloc(b.dst_size));
    size_t pitch = (size_t)labs((long)b.src_stride);
    hostile_fill_kind(r, shape->kind, b.src, (ptrdiff_t)pitch, (int)pitch, SRC_HEIGHT);
    hostile_fill(r, b.before, 64, 64, (int)(b.dst_size / 64));
    for (size_t i = b.dst_size / 64 * 64; i < b.dst_size; i++)
        b.before[i] = (uint8_t)random_next(r);
    memcpy(b.expected, b.before, b.dst_size);
    for (size_t i = 0; i < b.count; i++)
        expected_block(b.kernel, b.expected + b.blocks[i].dst, b.dst_stride,
                       b.src + b.blocks[i].src, b.src_stride);
    return b;
}

void batch_free(struct batch *b)
{
    free(b->blocks);
    free(b->src);
    free(b->before);
    free(b->expected);
    *b = (struct batch){ 0 };
}

struct qpel_dispatch_params batch_params(const struct batch *b, enum qpel_backend backend)
{
    return (struct qpel_dispatch_params){
        .backend = backend,
        .operation = b->kernel.operation,
        .size = b->kernel.size,
        .position = b->kernel.position,
        .dst = { .size = b->dst_size, .stride = b->dst_stride },
        .src = { .size = b->src_size, .stride = b->src_stride },
        .blocks = b->blocks,
        .count = b->count,
    };
}

bool batch_equal(const struct batch *b, const uint8_t *actual, const char *what)
{
    int width = kernel_width(b->kernel);
    struct block_shape shape = { 0, b->dst_stride, width, width };

    if (!memcmp(b->expected, actual, b->dst_size))
        return true;
    if (regions_quiet)
        return false;
    for (size_t i = 0; i < b->count; i++) {
        shape.offset = b->blocks[i].dst;
        for (int y = 0; y < width; y++)
            if (memcmp(b->expected + shape.offset + y * shape.stride,
                       actual + shape.offset + y * shape.stride, (size_t)width)) {
                printf("# block %zu of %zu, src %u of stride %td\n", i, b->count, b->blocks[i].src,
                       b->src_stride);
                return regions_equal(b->expected, actual, b->dst_size, shape, what);
            }
    }
    for (size_t i = 0; i < b->dst_size; i++)
        if (b->expected[i] != actual[i]) {
            printf("# %s: between blocks, byte %zu of %zu is %02x, was %02x; stride %td\n", what, i,
                   b->dst_size, actual[i], b->expected[i], b->dst_stride);
            break;
        }
    return false;
}

/* A plane's memory, with poison around it. */
struct room {
    uint8_t *bytes;
    size_t before, size;
    struct qpel_buffer *buffer;
};

static struct room room_make(const struct target *t, enum memory memory, const uint8_t *data,
                             size_t size, size_t shift, struct qpel_plane *plane)
{
    struct room room = { .before = POISON_BYTES + shift, .size = size + 2 * POISON_BYTES + shift };
    void *bytes;

    if (memory == BUFFER) {
        if (qpel_buffer_create(t->context, room.size, QPEL_NEAR_CPU, &room.buffer) ||
            qpel_buffer_begin(room.buffer, QPEL_READ_WRITE, &bytes))
            abort();
    } else {
        bytes = must(aligned_alloc(64, (room.size + 63) / 64 * 64));
    }
    room.bytes = bytes;
    memset(room.bytes, POISON, room.size);
    memcpy(room.bytes + room.before, data, size);
    plane->size = size;
    if (room.buffer) {
        plane->buffer = room.buffer;
        plane->offset = room.before;
        qpel_buffer_end(room.buffer);
    } else {
        plane->data = room.bytes + room.before;
    }
    return room;
}

static void room_open(struct room *room)
{
    void *bytes;

    if (room->buffer && qpel_buffer_begin(room->buffer, QPEL_READ, &bytes))
        abort();
}

static bool room_poison_stays(const struct room *room, const char *what)
{
    size_t end = room->size - POISON_BYTES;

    for (size_t i = 0; i < room->size; i++) {
        if (i == room->before)
            i = end;
        if (room->bytes[i] != POISON) {
            printf("# %s: byte %td %s the plane was written\n", what,
                   (ptrdiff_t)(i < room->before ? i - room->before : i - end),
                   i < room->before ? "before" : "after");
            return false;
        }
    }
    return true;
}

static void room_free(struct room *room)
{
    if (!room->buffer) {
        free(room->bytes);
        return;
    }
    qpel_buffer_end(room->buffer);
    qpel_buffer_destroy(&room->buffer);
}

bool batch_run(const struct batch *b, const struct target *t, enum memory dst, enum memory src,
               struct random *r, struct qpel_report *report)
{
    struct qpel_report own;
    struct qpel_dispatch_params params = batch_params(b, t->backend);
    char what[QPEL_NAME_SIZE + 80], name[KERNEL_NAME_SIZE];
    size_t dst_unit = t->backend == QPEL_BACKEND_GPU ? 4 : 1;
    struct room dst_room =
        room_make(t, dst, b->before, b->dst_size, random_below(r, 16) * dst_unit, &params.dst);
    struct room src_room = room_make(t, src, b->src, b->src_size, random_below(r, 16), &params.src);

    snprintf(what, sizeof what, "%s, %s, %s to %s", kernel_name(b->kernel, name), t->name,
             src == PLAIN ? "plain" : "buffer", dst == PLAIN ? "plain" : "buffer");
    report = report ? report : &own;
    enum qpel_result result = qpel_dispatch(t->context, &params, report);
    room_open(&dst_room);
    room_open(&src_room);
    bool good = result == QPEL_OK;
    if (!good)
        printf("# %s: %s, %s\n", what, qpel_result_name(result), report->reason);
    good = good && report->blocks == b->count && (b->count == 0 || report->backend == t->backend) &&
           batch_equal(b, dst_room.bytes + dst_room.before, what) &&
           room_poison_stays(&dst_room, what) && room_poison_stays(&src_room, what);
    if (memcmp(src_room.bytes + src_room.before, b->src, b->src_size)) {
        printf("# %s: src was written\n", what);
        good = false;
    }
    room_free(&dst_room);
    room_free(&src_room);
    return good;
}
