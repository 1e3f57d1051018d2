/* qpel/vulkan.h: the library's pictures in commands of the program's own. */
#include <string.h>

#include "harness.h"
#include "picture_run.h"
#include "vulkan_run.h"

enum { SIDE = 32, PLANES = 3, TIGHT = SIDE * SIDE * 3 / 2 };

/* Copies between a picture and tight planes, a row at a time. */
static void copy(VkCommandBuffer commands, const struct own_buffer *tight,
                 const struct qpel_vulkan_buffer *picture, bool to_picture)
{
    VkBufferCopy rows[2 * SIDE];
    uint32_t n = 0;
    VkDeviceSize at = 0;

    for (int p = 0; p < PLANES; p++) {
        VkDeviceSize side = p ? SIDE / 2 : SIDE;
        for (VkDeviceSize y = 0; y < side; y++, at += side) {
            VkDeviceSize there = picture->offset[p] + y * picture->stride[p];
            rows[n++] = (VkBufferCopy){ to_picture ? at : there, to_picture ? there : at, side };
        }
    }
    if (to_picture)
        own.CmdCopyBuffer(commands, tight->handle, picture->buffer, n, rows);
    else
        own.CmdCopyBuffer(commands, picture->buffer, tight->handle, n, rows);
}

static uint8_t sample(int plane, int x, int y)
{
    return (uint8_t)(100 * plane + 3 * x + 7 * y);
}

static void fill_tight(struct own_buffer *tight)
{
    uint8_t *at = tight->data;

    for (int p = 0; p < PLANES; p++)
        for (int y = 0; y < (p ? SIDE / 2 : SIDE); y++)
            for (int x = 0; x < (p ? SIDE / 2 : SIDE); x++)
                *at++ = sample(p, x, y);
}

/* The same, luma shifted to the right so many samples, twice as many as chroma. */
static void expect_tight(const uint8_t *at, int shift)
{
    for (int p = 0; p < PLANES; p++)
        for (int y = 0; y < (p ? SIDE / 2 : SIDE); y++)
            for (int x = 0; x < (p ? SIDE / 2 : SIDE); x++) {
                int from = x - (p ? shift / 2 : shift);
                assert_int_equal(*at++, sample(p, from < 0 ? 0 : from, y));
            }
}

/* Vectors that leave the reference to the left. */
static struct qpel_batch *shifting(struct qpel_context *context, struct qpel_picture *target,
                                   struct qpel_picture *reference, int shift)
{
    struct qpel_batch *batch;
    uint8_t index;

    assert_int_equal(qpel_batch_create(context, &batch), QPEL_OK);
    assert_int_equal(qpel_batch_begin(batch, target), QPEL_OK);
    assert_int_equal(qpel_batch_reference(batch, reference, QPEL_FRAME, &index), QPEL_OK);
    for (uint16_t y = 0; y < SIDE; y += 16)
        for (uint16_t x = 0; x < SIDE; x += 16) {
            struct qpel_picture_block b = { .x = x, .y = y, .width = 16, .height = 16 };
            b.references = 1;
            b.mv[0][0] = (int16_t)(-4 * shift);
            assert_int_equal(qpel_batch_add(batch, &b, 1, NULL), QPEL_OK);
        }
    return batch;
}

/* The barriers that the header asks for. */
static void before_batch(VkCommandBuffer commands)
{
    own_barrier(&own, commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

static void after_batch(VkCommandBuffer commands)
{
    own_barrier(&own, commands, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_READ_BIT);
}

static struct qpel_vulkan_buffer buffer_of(const struct qpel_picture *p)
{
    struct qpel_vulkan_buffer b = { .mapped = &own };

    assert_int_equal(qpel_vulkan_picture_buffer(p, &b), QPEL_OK);
    assert_true(b.buffer != VK_NULL_HANDLE);
    assert_null(b.mapped);
    return b;
}

/* Into a picture, a batch, and out of another, all in one command buffer. */
static void copies_around_a_recorded_batch(void **state)
{
    enum { SHIFT = 6 };

    (void)state;
    need_vulkan();
    struct target t = open_plain();
    for (int near = QPEL_NEAR_CPU; near <= QPEL_NEAR_GPU; near++) {
        struct qpel_picture_format f = picture_format(SIDE, SIDE, QPEL_CHROMA_420);
        struct qpel_picture *p[2];
        struct own_buffer in = own_buffer_make(&own, TIGHT), out = own_buffer_make(&own, TIGHT);
        for (int i = 0; i < 2; i++)
            assert_int_equal(qpel_picture_create(t.context, &f, (enum qpel_near)near, &p[i]),
                             QPEL_OK);
        struct qpel_vulkan_buffer from = buffer_of(p[0]), to = buffer_of(p[1]);
        struct qpel_batch *batch = shifting(t.context, p[1], p[0], SHIFT);
        struct own_commands c = own_commands_begin(&own);
        fill_tight(&in);
        copy(c.buffer, &in, &from, true);
        before_batch(c.buffer);
        assert_int_equal(qpel_vulkan_record(batch, c.buffer, NULL), QPEL_OK);
        after_batch(c.buffer);
        copy(c.buffer, &out, &to, false);
        own_commands_end(&own, &c);
        own_commands_run(&own, &c, NULL);
        expect_tight(out.data, SHIFT);
        qpel_batch_destroy(&batch);
        qpel_picture_destroy(&p[0]);
        qpel_picture_destroy(&p[1]);
        own_commands_free(&own, &c);
        own_buffer_free(&own, &in);
        own_buffer_free(&own, &out);
    }
    qpel_context_destroy(&t.context);
    device_works();
}

/* What the CPU wrote, by the library's own submission, and out by the program's commands, whose
 * barrier is all that orders them; then the CPU again. */
static void copies_after_a_submission(void **state)
{
    struct qpel_submit_params gpu = { .backend = QPEL_BACKEND_GPU };
    struct qpel_picture_data data;
    struct qpel_picture *p[2];
    qpel_ticket ticket;

    (void)state;
    need_vulkan();
    struct target t = open_plain();
    struct own_buffer out = own_buffer_make(&own, TIGHT);
    for (int i = 0; i < 2; i++)
        p[i] = picture_new(t.context, SIDE, SIDE, QPEL_CHROMA_420);
    assert_int_equal(qpel_picture_begin(p[0], QPEL_WRITE, &data), QPEL_OK);
    for (int i = 0; i < PLANES; i++)
        for (int y = 0; y < (i ? SIDE / 2 : SIDE); y++)
            for (int x = 0; x < (i ? SIDE / 2 : SIDE); x++)
                data.data[i][y * data.stride[i] + x] = sample(i, x, y);
    assert_int_equal(qpel_picture_end(p[0]), QPEL_OK);
    struct qpel_vulkan_buffer to = buffer_of(p[1]);
    struct qpel_batch *batch = shifting(t.context, p[1], p[0], 4);
    struct own_commands c = own_commands_begin(&own);
    after_batch(c.buffer);
    copy(c.buffer, &out, &to, false);
    own_commands_end(&own, &c);
    assert_int_equal(qpel_submit(batch, &gpu, &ticket, NULL), QPEL_OK);
    own_commands_run(&own, &c, NULL);
    expect_tight(out.data, 4);
    assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);
    assert_int_equal(qpel_picture_begin(p[1], QPEL_READ, &data), QPEL_OK);
    assert_int_equal(data.data[1][3], sample(1, 1, 0));
    for (int i = 0; i < PLANES; i++)
        assert_int_equal((VkDeviceSize)data.stride[i], to.stride[i]);
    assert_int_equal(data.data[2] - data.data[0], to.offset[2] - to.offset[0]);
    assert_int_equal(qpel_picture_end(p[1]), QPEL_OK);
    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&p[0]);
    qpel_picture_destroy(&p[1]);
    own_commands_free(&own, &c);
    own_buffer_free(&own, &out);
    qpel_context_destroy(&t.context);
}

static void expect_no_buffer(const struct qpel_picture *p, enum qpel_result expected)
{
    struct qpel_vulkan_buffer b = { .size = 1 };

    assert_int_equal(qpel_vulkan_picture_buffer(p, &b), expected);
    assert_true(b.buffer == VK_NULL_HANDLE && b.size == 0);
}

/* Of each sort of picture: the buffer, as it was stated if it was. */
static void where_pictures_lie(void **state)
{
    static uint8_t samples[SIDE * SIDE];
    struct qpel_picture_format f = picture_format(SIDE, SIDE, QPEL_CHROMA_420);
    struct qpel_picture_format luma = picture_format(SIDE, SIDE, QPEL_CHROMA_400);
    struct qpel_picture_data data = { { samples }, { SIDE }, NULL, 0 };
    struct qpel_picture *p[3];
    struct qpel_context *found;

    (void)state;
    need_vulkan();
    struct target t = open_plain();
    /* Two in one buffer do not meet. */
    for (int i = 0; i < 2; i++)
        p[i] = picture_new(t.context, SIDE, SIDE, QPEL_CHROMA_420);
    struct qpel_vulkan_buffer a = buffer_of(p[0]), b = buffer_of(p[1]);
    VkDeviceSize span = a.offset[2] + SIDE / 2 * a.stride[2] - a.offset[0];
    assert_true(a.buffer == b.buffer && a.size == b.size);
    assert_true(a.offset[0] + span <= b.offset[0] && b.offset[0] + span <= b.size);
    qpel_picture_destroy(&p[0]);
    qpel_picture_destroy(&p[1]);
    /* One of the program's: not from its start, and not to its end. */
    struct own_buffer mine = own_buffer_make(&own, 65536);
    const struct qpel_vulkan_buffer where = {
        .buffer = mine.handle,
        .size = mine.size,
        .offset = { 8196, 4100, 16004 },
        .stride = { 36, 20, 20 },
        .mapped = mine.data,
    };
    for (int mapped = 0; mapped < 2; mapped++) {
        struct qpel_vulkan_buffer w = where;
        w.mapped = mapped ? mine.data : NULL;
        assert_int_equal(qpel_vulkan_picture_wrap(t.context, &f, &w, &p[0]), QPEL_OK);
        a = buffer_of(p[0]);
        assert_true(a.buffer == where.buffer);
        assert_memory_equal(a.offset, where.offset, sizeof a.offset);
        assert_memory_equal(a.stride, where.stride, sizeof a.stride);
        assert_in_range(a.size, 16004 + 15 * 20 + 16, where.size);
        qpel_picture_destroy(&p[0]);
    }
    own_buffer_free(&own, &mine);
    /* Out of the GPU's reach; nothing; another device's. */
    assert_int_equal(qpel_picture_wrap(t.context, &luma, &data, &p[0]), QPEL_OK);
    expect_no_buffer(p[0], QPEL_ERROR_UNSUPPORTED);
    assert_int_equal(qpel_vulkan_picture_buffer(p[0], NULL), QPEL_ERROR_INVALID);
    qpel_picture_destroy(&p[0]);
    expect_no_buffer(NULL, QPEL_ERROR_INVALID);
    assert_int_equal(qpel_context_create(&found, &patient), QPEL_OK);
    p[0] = picture_new(found, SIDE, SIDE, QPEL_CHROMA_420);
    expect_no_buffer(p[0], QPEL_ERROR_INVALID);
    qpel_picture_destroy(&p[0]);
    qpel_context_destroy(&found);
    qpel_context_destroy(&t.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_around_a_recorded_batch),
        cmocka_unit_test(copies_after_a_submission),
        cmocka_unit_test(where_pictures_lie),
    };
    return RUN_VULKAN_GROUP("vulkan_pictures", tests);
}
