/* qpel/vulkan.h: pictures in buffers of the program's own. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "picture_run.h"
#include "vulkan_run.h"

/* An image in a buffer: the part that its planes may lie in, and where they are. */
struct placed {
    const struct image *image;
    const struct own_buffer *buffer;
    struct qpel_vulkan_buffer where;
    struct qpel_picture *picture;
};

#define BETWEEN 0xc5 /* bytes that are nobody's */

/* Words, with gaps that are drawn. Returns the first offset behind it. */
static VkDeviceSize place(struct placed *p, const struct image *image,
                          const struct own_buffer *buffer, VkDeviceSize at, bool mapped,
                          struct random *r)
{
    *p = (struct placed){
        .image = image,
        .buffer = buffer,
        .where = { .buffer = buffer->handle, .size = buffer->size },
    };
    p->where.mapped = mapped ? buffer->data : NULL;
    for (int i = 0; i < image->planes; i++) {
        at = (at + 3) / 4 * 4 + 4 * random_below(r, 20);
        p->where.offset[i] = at;
        p->where.stride[i] = (image->width[i] + 3) / 4 * 4 + 4 * random_below(r, 5);
        if (i == 2)
            p->where.stride[i] = p->where.stride[1];
        for (size_t y = 0; y < image->height[i]; y++)
            memcpy(buffer->data + at + y * p->where.stride[i],
                   image->bytes + image->offset[i] + y * image->stride[i], image->width[i]);
        at += (image->height[i] - 1) * p->where.stride[i] + image->width[i];
    }
    at = (at + 3) / 4 * 4;
    if (random_below(r, 2))
        p->where.size = at; /* not a word behind it */
    return at;
}

/* Room for that. */
static VkDeviceSize room_for(const struct image *image)
{
    VkDeviceSize room = 64;

    for (int i = 0; i < image->planes; i++)
        room += image->height[i] * (image->width[i] + 24) + 100;
    return room;
}

static struct own_buffer make_buffer(VkDeviceSize size)
{
    struct own_buffer b = own_buffer_make(&own, size);

    memset(b.data, BETWEEN, (size_t)size);
    return b;
}

static void wrap(struct placed *p, struct qpel_context *context)
{
    assert_int_equal(qpel_vulkan_picture_wrap(context, &p->image->format, &p->where, &p->picture),
                     QPEL_OK);
}

/* The planes as a region like the image's; the bytes between them must be nobody's. */
static uint8_t *placed_region(const struct placed *p, VkDeviceSize first, VkDeviceSize end)
{
    const struct image *image = p->image;
    uint8_t *region = malloc(image->size);
    uint8_t *rest = malloc((size_t)(end - first));

    assert_non_null(region);
    assert_non_null(rest);
    memcpy(region, image->bytes, image->size);
    memcpy(rest, p->buffer->data + first, (size_t)(end - first));
    for (int i = 0; i < image->planes; i++)
        for (size_t y = 0; y < image->height[i]; y++) {
            VkDeviceSize row = p->where.offset[i] + y * p->where.stride[i];
            memcpy(region + image->offset[i] + y * image->stride[i], p->buffer->data + row,
                   image->width[i]);
            memset(rest + (row - first), BETWEEN, image->width[i]);
        }
    for (VkDeviceSize i = 0; i < end - first; i++)
        assert_int_equal(rest[i], BETWEEN);
    free(rest);
    return region;
}

/* Vectors and places that keep every window inside its reference, which is of the target's size. */
static struct picture_case case_inside(struct random *r)
{
    static const enum qpel_chroma chromas[] = { QPEL_CHROMA_400, QPEL_CHROMA_420, QPEL_CHROMA_422,
                                                QPEL_CHROMA_444 };
    struct qpel_picture_format f = picture_format(80, 64, chromas[random_below(r, 4)]);

    if (f.chroma != QPEL_CHROMA_444 && random_below(r, 2))
        f.layout = QPEL_LAYOUT_INTERLEAVED;
    struct picture_case c = case_make(f, 3, r);
    image_fill(&c.target, r);
    for (int i = 0; i < c.image_count; i++) {
        image_fill(&c.images[i], r);
        c.references[i] = (struct case_reference){ i, QPEL_FRAME };
    }
    c.reference_count = c.image_count;
    c.count = 0;
    for (unsigned y = 16; y < 48; y += 16)
        for (unsigned x = 16; x < 64; x += 16) {
            struct qpel_picture_block *b = &c.blocks[c.count++];
            *b = (struct qpel_picture_block){ .x = (uint16_t)x, .y = (uint16_t)y };
            partition_sides((int)random_below(r, PARTITION_COUNT), b);
            b->references = (uint8_t)(1 + random_below(r, 2));
            for (int l = 0; l < 2; l++) {
                b->reference[l] = (uint8_t)random_below(r, 3);
                for (int i = 0; i < 2; i++)
                    b->mv[l][i] = (int16_t)random_between(r, -44, 48);
            }
        }
    case_expect(&c);
    return c;
}

/* Runs a case with pictures in buffers: the target's, and the references if they too are to be;
 * several in one buffer. False: not on this backend. */
static bool run_placed(const struct picture_case *c, const struct target *t, bool references,
                       bool mapped, bool recorded, struct random *r)
{
    struct running run = { .c = c };
    struct placed target, images[CASE_IMAGES];
    VkDeviceSize size = 64 + room_for(&c->target), at[CASE_IMAGES + 1];

    for (int i = 0; i < c->image_count; i++)
        size += room_for(&c->images[i]);
    struct own_buffer buffer = make_buffer(size);
    at[0] = place(&target, &c->target, &buffer, 4 * random_below(r, 16), mapped, r);
    wrap(&target, t->context);
    run.target.picture = target.picture;
    for (int i = 0; i < c->image_count; i++) {
        if (references) {
            at[i + 1] = place(&images[i], &c->images[i], &buffer, at[i], mapped, r);
            wrap(&images[i], t->context);
            run.images[i].picture = images[i].picture;
        } else {
            run.images[i] = load(t->context, &c->images[i], CREATED);
        }
    }
    assert_int_equal(qpel_batch_create(t->context, &run.batch), QPEL_OK);
    running_collect(&run);
    struct own_commands commands = own_commands_begin(&own);
    bool able;
    if (recorded) {
        able = qpel_vulkan_record(run.batch, commands.buffer, NULL) == QPEL_OK;
        own_commands_end(&own, &commands);
        if (able) {
            own_commands_run(&own, &commands, NULL);
            assert_int_equal(qpel_vulkan_recorded_done(run.batch), QPEL_OK);
        }
    } else {
        able = running_submit(&run, t) == QPEL_OK;
        own_commands_end(&own, &commands);
    }
    uint8_t *actual = placed_region(&target, 0, at[0]);
    if (able && !case_equal(c, actual, "in a buffer"))
        fail_msg("not as the standard has it");
    if (!able)
        assert_memory_equal(actual, c->target.bytes, c->target.size);
    free(actual);
    for (int i = 0; i < c->image_count && references; i++) {
        actual = placed_region(&images[i], at[i], at[i + 1]);
        assert_memory_equal(actual, c->images[i].bytes, c->images[i].size);
        free(actual);
    }
    qpel_batch_destroy(&run.batch);
    qpel_picture_destroy(&target.picture);
    for (int i = 0; i < c->image_count; i++) {
        if (references)
            qpel_picture_destroy(&images[i].picture);
        else
            unload(&run.images[i]);
    }
    own_commands_free(&own, &commands);
    own_buffer_free(&own, &buffer);
    return able;
}

static void pictures_in_the_programs_buffers(void **state)
{
    struct random r = random_stream(10);

    (void)state;
    need_vulkan();
    struct target gpu = open_plain(), cpu = gpu;
    cpu.backend = QPEL_BACKEND_CPU;
    for (int n = 0; n < 60; n++) {
        struct picture_case c = case_inside(&r);
        assert_true(run_placed(&c, &gpu, true, n & 1, n & 2, &r));
        assert_true(run_placed(&c, &gpu, false, n & 1, n & 2, &r));
        assert_true(run_placed(&c, &cpu, true, true, false, &r));
        assert_false(run_placed(&c, &cpu, n & 1, false, false, &r));
        case_free(&c);
        /* Any window, too. */
        c = case_draw(60, &r);
        assert_true(run_placed(&c, &gpu, false, n & 1, n & 2, &r));
        assert_true(run_placed(&c, &gpu, true, n & 1, n & 2, &r));
        assert_true(run_placed(&c, &cpu, true, true, false, &r));
        case_free(&c);
    }
    qpel_context_destroy(&gpu.context);
    device_works();
}

/* A picture made of a buffer and where it is in it. */
static void expect_unwrapped(struct qpel_context *context, const struct qpel_vulkan_buffer *where,
                             enum qpel_result expected)
{
    struct qpel_picture_format f = picture_format(16, 16, QPEL_CHROMA_420);
    struct qpel_picture *picture = (struct qpel_picture *)&own;

    assert_int_equal(qpel_vulkan_picture_wrap(context, &f, where, &picture), expected);
    assert_null(picture);
}

#define UNWRAPPED(change, expected)                                                                \
    do {                                                                                           \
        struct qpel_vulkan_buffer where = good;                                                    \
        change;                                                                                    \
        expect_unwrapped(t.context, &where, expected);                                             \
    } while (0)

static void bad_buffers_are_refused(void **state)
{
    struct qpel_picture_format f = picture_format(16, 16, QPEL_CHROMA_420);
    struct qpel_picture_data data;
    struct qpel_memory_info info;
    struct qpel_picture *p;
    struct qpel_context *found;

    (void)state;
    need_vulkan();
    struct target t = open_plain();
    struct own_buffer buffer = make_buffer(4096);
    const struct qpel_vulkan_buffer good = {
        .buffer = buffer.handle,
        .size = 128 + 16 * 16,
        .offset = { 128, 0, 64 },
        .stride = { 16, 8, 8 },
    };
    UNWRAPPED(where.buffer = VK_NULL_HANDLE, QPEL_ERROR_INVALID);
    UNWRAPPED(where.stride[0] = 15, QPEL_ERROR_INVALID);
    UNWRAPPED(where.stride[0] = 0, QPEL_ERROR_INVALID);
    UNWRAPPED(where.stride[2] = UINT64_MAX, QPEL_ERROR_INVALID);
    UNWRAPPED(where.offset[0] = 140, QPEL_ERROR_INVALID);
    UNWRAPPED(where.offset[0] = UINT64_MAX - 3, QPEL_ERROR_INVALID);
    UNWRAPPED(where.size = 128 + 16 * 16 - 1, QPEL_ERROR_INVALID);
    UNWRAPPED(where.offset[1] = 4, QPEL_ERROR_INVALID);
    UNWRAPPED(where.offset[2] = 380, QPEL_ERROR_INVALID);
    UNWRAPPED(where.stride[1] = 9, QPEL_ERROR_INVALID); /* into the next plane */
    UNWRAPPED((where.stride[2] = 8, where.offset[2] = 63), QPEL_ERROR_INVALID);
    UNWRAPPED((where.size = 4096, where.offset[0] = 129), QPEL_ERROR_UNSUPPORTED);
    UNWRAPPED((where.size = 4096, where.stride[0] = 18), QPEL_ERROR_UNSUPPORTED);
    UNWRAPPED((where.size = 4096, where.offset[2] = 1024, where.stride[2] = 12),
              QPEL_ERROR_UNSUPPORTED); /* not Cb's */
    UNWRAPPED((where.size = UINT64_MAX, where.offset[0] = UINT64_C(1) << 33),
              sizeof(size_t) > 4 ? QPEL_ERROR_UNSUPPORTED : QPEL_ERROR_INVALID);
    expect_unwrapped(t.context, NULL, QPEL_ERROR_INVALID);
    expect_unwrapped(NULL, &good, QPEL_ERROR_INVALID);
    assert_int_equal(qpel_vulkan_picture_wrap(t.context, NULL, &good, &p), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_vulkan_picture_wrap(t.context, &f, &good, NULL), QPEL_ERROR_INVALID);
    f = (struct qpel_picture_format){ .width = 18, .height = 16 };
    struct qpel_vulkan_buffer short_word = good;
    short_word.offset[0] = 0;
    short_word.stride[0] = 20;
    short_word.size = 15 * 20 + 18;
    assert_int_equal(qpel_vulkan_picture_wrap(t.context, &f, &short_word, &p),
                     QPEL_ERROR_UNSUPPORTED);
    f = picture_format(16, 16, QPEL_CHROMA_420);
    f.bit_depth = 10;
    assert_int_equal(qpel_vulkan_picture_wrap(t.context, &f, &good, &p), QPEL_ERROR_UNSUPPORTED);
    f.bit_depth = 8;
    assert_int_equal(qpel_context_create(&found, &patient), QPEL_OK);
    expect_unwrapped(found, &good, QPEL_ERROR_INVALID);
    qpel_context_destroy(&found);
    /* Nothing of that was touched. */
    for (VkDeviceSize i = 0; i < buffer.size; i++)
        assert_int_equal(buffer.data[i], BETWEEN);

    /* As far as it goes, and out of the CPU's reach. */
    assert_int_equal(qpel_vulkan_picture_wrap(t.context, &f, &good, &p), QPEL_OK);
    assert_int_equal(qpel_picture_begin(p, QPEL_READ, &data), QPEL_ERROR_UNSUPPORTED);
    assert_int_equal(qpel_picture_memory(p, &info), QPEL_OK);
    assert_true(info.kind == QPEL_MEMORY_VULKAN && info.gpu && !info.cpu && !info.cached);
    assert_string_not_equal(info.reason, "");
    qpel_picture_destroy(&p);
    qpel_context_destroy(&t.context);
    own_buffer_free(&own, &buffer);
}

/* The program's copy, the library's work and the program's copy back, by a timeline alone. */
static void a_timeline_between_copies_and_batches(void **state)
{
    enum { SIZE = 16 * 16 + 2 * 8 * 8 + 4 };
    struct qpel_picture_format f = picture_format(16, 16, QPEL_CHROMA_420);
    struct qpel_picture *p[2];
    qpel_ticket ticket;

    (void)state;
    need_vulkan();
    struct target t = open_plain();
    struct own_buffer outside = make_buffer(SIZE), inside = make_buffer(2 * SIZE);
    for (int i = 0; i < 2; i++) {
        struct qpel_vulkan_buffer where = {
            .buffer = inside.handle,
            .size = inside.size,
            .offset = { (VkDeviceSize)i * SIZE, (VkDeviceSize)i * SIZE + 256,
                        (VkDeviceSize)i * SIZE + 320 },
            .stride = { 16, 8, 8 },
        };
        assert_int_equal(qpel_vulkan_picture_wrap(t.context, &f, &where, &p[i]), QPEL_OK);
    }
    /* A block that stays inside. */
    struct qpel_picture_block block = {
        .x = 4, .y = 4, .width = 4, .height = 4, .references = 1, .mv = { { -16, 0 } }
    };
    struct qpel_batch *batch;
    uint8_t index;
    assert_int_equal(qpel_batch_create(t.context, &batch), QPEL_OK);
    assert_int_equal(qpel_batch_begin(batch, p[1]), QPEL_OK);
    assert_int_equal(qpel_batch_reference(batch, p[0], QPEL_FRAME, &index), QPEL_OK);
    assert_int_equal(qpel_batch_add(batch, &block, 1, NULL), QPEL_OK);

    for (int i = 0; i < SIZE; i++)
        outside.data[i] = (uint8_t)i;
    VkSemaphore timeline = own_semaphore(&own, true);
    const VkBufferCopy there = { 0, 0, SIZE }, back = { SIZE, 0, SIZE };
    struct own_commands before = own_commands_begin(&own), after = own_commands_begin(&own);
    own.CmdCopyBuffer(before.buffer, outside.handle, inside.handle, 1, &there);
    assert_int_equal(own.EndCommandBuffer(before.buffer), VK_SUCCESS);
    own.CmdCopyBuffer(after.buffer, inside.handle, outside.handle, 1, &back);
    own_commands_end(&own, &after);
    const uint64_t one = 1, two = 2;
    VkTimelineSemaphoreSubmitInfo values = {
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .signalSemaphoreValueCount = 1,
        .pSignalSemaphoreValues = &one,
    };
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &values,
        .commandBufferCount = 1,
        .pCommandBuffers = &before.buffer,
        .signalSemaphoreCount = 1,
        .pSignalSemaphores = &timeline,
    };
    assert_int_equal(own.QueueSubmit(own.queue, 1, &info, VK_NULL_HANDLE), VK_SUCCESS);
    struct qpel_vulkan_semaphore wait = { timeline, 1 }, signal = { timeline, 2 };
    struct qpel_vulkan_semaphores s = { &wait, 1, &signal, 1 };
    assert_int_equal(qpel_vulkan_submit(batch, NULL, &s, &ticket, NULL), QPEL_OK);
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    values = (VkTimelineSemaphoreSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = 1,
        .pWaitSemaphoreValues = &two,
    };
    info = (VkSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .pNext = &values,
        .waitSemaphoreCount = 1,
        .pWaitSemaphores = &timeline,
        .pWaitDstStageMask = &stage,
    };
    own_commands_run(&own, &after, &info);
    for (int i = 0; i < SIZE; i++) {
        int x = i % 16, y = i / 16;
        bool luma = i < 256 && x >= 4 && x < 8 && y >= 4 && y < 8;
        int chroma = i - 256, cx = chroma % 8, cy = chroma % 64 / 8;
        bool small = i >= 256 && i < 384 && cx >= 2 && cx < 4 && cy >= 2 && cy < 4;
        /* Luma from 4 columns to the left, chroma from 2. */
        assert_int_equal(outside.data[i], luma    ? (uint8_t)(i - 4)
                                          : small ? (uint8_t)(i - 2)
                                                  : BETWEEN);
    }
    assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);

    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&p[0]);
    qpel_picture_destroy(&p[1]);
    qpel_context_destroy(&t.context);
    own.DestroySemaphore(own.device, timeline, NULL);
    own_commands_free(&own, &before);
    own_commands_free(&own, &after);
    own_buffer_free(&own, &inside);
    own_buffer_free(&own, &outside);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_in_the_programs_buffers),
        cmocka_unit_test(bad_buffers_are_refused),
        cmocka_unit_test(a_timeline_between_copies_and_batches),
    };
    return RUN_VULKAN_GROUP("vulkan_buffers", tests);
}
