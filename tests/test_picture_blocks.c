/* Bad blocks: an error that names the first, and nothing else happens. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "picture_run.h"

static struct qpel_context *context;

/* A batch for a picture of 40x36 with two references: another picture, and the top field of its
 * own; and one weight. */
struct collecting {
    struct qpel_picture *target, *reference;
    struct qpel_batch *batch;
};

static struct collecting collect(void)
{
    struct collecting c = { picture_new(context, 40, 36, QPEL_CHROMA_420),
                            picture_new(context, 20, 20, QPEL_CHROMA_420), NULL };
    struct qpel_weight w = { .planes = 7 };
    uint8_t index;
    uint16_t weight_index;

    assert_int_equal(qpel_batch_create(context, &c.batch), QPEL_OK);
    assert_int_equal(qpel_batch_begin(c.batch, c.target), QPEL_OK);
    assert_int_equal(qpel_batch_reference(c.batch, c.reference, QPEL_FRAME, &index), QPEL_OK);
    assert_int_equal(qpel_batch_reference(c.batch, c.target, QPEL_TOP_FIELD, &index), QPEL_OK);
    assert_int_equal(qpel_batch_weight(c.batch, &w, &weight_index), QPEL_OK);
    return c;
}

static void discard(struct collecting *c)
{
    qpel_batch_destroy(&c->batch);
    qpel_picture_destroy(&c->target);
    qpel_picture_destroy(&c->reference);
}

/* A block amid good ones: refused by its number, and none of the others is kept. */
static void expect_block(struct qpel_picture_block block, bool good)
{
    /* Out of its way: in the last columns, or for one that is there itself, the first ones. */
    uint16_t x = block.x < 16 ? 32 : 0;
    struct qpel_picture_block others[3];
    struct collecting c = collect();

    for (uint16_t i = 0; i < 3; i++)
        others[i] = (struct qpel_picture_block){ .x = x,
                                                 .y = (uint16_t)(i * 4),
                                                 .width = 4,
                                                 .height = 4,
                                                 .parity = QPEL_BOTTOM_FIELD,
                                                 .references = 1 };
    for (size_t at = 0; at < 4; at++) {
        struct qpel_picture_block blocks[4];
        size_t bad = SIZE_MAX, n = 0;
        for (size_t i = 0; i < 4; i++)
            blocks[i] = i == at ? block : others[n++];
        enum qpel_result r = qpel_batch_add(c.batch, blocks, 4, &bad);
        if (good) {
            assert_int_equal(r, QPEL_OK);
            break;
        }
        if (r != QPEL_ERROR_INVALID || bad != at)
            fail_msg("(%d,%d) %dx%d rows %d: %d, block %zu, not %zu", block.x, block.y, block.width,
                     block.height, block.parity, (int)r, bad, at);
        assert_int_equal(qpel_batch_add(c.batch, &block, 1, NULL), QPEL_ERROR_INVALID);
    }
    if (!good)
        assert_int_equal(qpel_batch_add(c.batch, others, 3, NULL), QPEL_OK);
    discard(&c);
}

static struct qpel_picture_block block(int x, int y, int width, int height)
{
    return (struct qpel_picture_block){ .x = (uint16_t)x,
                                        .y = (uint16_t)y,
                                        .width = (uint8_t)width,
                                        .height = (uint8_t)height,
                                        .references = 1 };
}

static bool is_partition(int width, int height)
{
    for (int i = 0; i < PARTITION_COUNT; i++) {
        struct qpel_picture_block b;
        partition_sides(i, &b);
        if (b.width == width && b.height == height)
            return true;
    }
    return false;
}

static void sizes(void **state)
{
    (void)state;
    struct collecting c = collect();
    for (int n = 0; n < 256 * 256; n++) {
        struct qpel_picture_block b = block(0, 0, n % 256, n / 256);
        bool good = is_partition(n % 256, n / 256);
        if (qpel_batch_add(c.batch, &b, 1, NULL) != (good ? QPEL_OK : QPEL_ERROR_INVALID))
            fail_msg("%dx%d", n % 256, n / 256);
        if (!good)
            continue;
        discard(&c);
        c = collect();
    }
    discard(&c);
    expect_block(block(0, 0, 0, 0), false);
    expect_block(block(0, 0, 16, 4), false);
    expect_block(block(0, 0, 8, 2), false);
    expect_block(block(0, 0, 16, 32), false);
}

static void places(void **state)
{
    (void)state;
    for (int partition = 0; partition < PARTITION_COUNT; partition++) {
        struct qpel_picture_block b = block(0, 0, 0, 0);
        partition_sides(partition, &b);
        for (int x = 0; x < 44; x++)
            for (int y = 0; y < 40; y += x % 4 ? 4 : 1)
                for (int parity = QPEL_FRAME; parity <= QPEL_BOTTOM_FIELD; parity++) {
                    int rows = parity == QPEL_FRAME ? 36 : 18;
                    b.x = (uint16_t)x;
                    b.y = (uint16_t)y;
                    b.parity = (uint8_t)parity;
                    bool good = x % b.width == 0 && y % b.height == 0 && x + b.width <= 40 &&
                                y + b.height <= rows;
                    expect_block(b, good);
                }
    }
    expect_block(block(65532, 0, 4, 4), false);
    expect_block(block(0, 65532, 4, 4), false);
    expect_block(block(65520, 65520, 16, 16), false);
}

static void other_members(void **state)
{
    struct qpel_picture_block b;

    (void)state;
    for (int n = 0; n < 256; n++) {
        b = block(0, 0, 8, 8);
        b.references = (uint8_t)n;
        expect_block(b, n == 1 || n == 2);
        b = block(0, 0, 8, 8);
        b.parity = (uint8_t)n;
        expect_block(b, n <= QPEL_BOTTOM_FIELD);
        /* Reference 1 is the top field, read by blocks of the bottom field only. */
        b = block(0, 0, 8, 8);
        b.parity = QPEL_BOTTOM_FIELD;
        b.reference[0] = (uint8_t)n;
        expect_block(b, n < 2);
        b.reference[0] = 0;
        b.reference[1] = (uint8_t)n;
        expect_block(b, true); /* not looked at */
        b.references = 2;
        expect_block(b, n < 2);
    }
    for (int n = 0; n < 65536; n += n < 4 ? 1 : 4093) {
        b = block(0, 0, 8, 8);
        b.weight = (uint16_t)n;
        expect_block(b, n <= 1);
    }
}

/* Rows of the target that a block reads and one writes, whichever comes first. */
static void rows_read_and_written(void **state)
{
    (void)state;
    for (int n = 0; n < 3 * 2 * 2; n++) {
        struct collecting c = collect();
        struct qpel_picture_block reader = block(0, 0, 8, 8), writer = block(16, 0, 8, 8);
        struct qpel_picture_block both[2];
        int parity = n % 3;
        bool reader_first = n / 3 % 2, one_call = n / 6, good = parity == QPEL_BOTTOM_FIELD;
        size_t bad = SIZE_MAX;
        reader.parity = QPEL_BOTTOM_FIELD;
        reader.reference[0] = 1;
        writer.parity = (uint8_t)parity;
        both[!reader_first] = reader;
        both[reader_first] = writer;
        enum qpel_result r;
        if (one_call) {
            r = qpel_batch_add(c.batch, both, 2, &bad);
        } else {
            assert_int_equal(qpel_batch_add(c.batch, both, 1, &bad), QPEL_OK);
            r = qpel_batch_add(c.batch, both + 1, 1, &bad);
        }
        assert_int_equal(r, good ? QPEL_OK : QPEL_ERROR_INVALID);
        if (!good)
            assert_int_equal(bad, one_call);
        discard(&c);
    }
}

/* ---- two blocks on one sample ---- */

enum { MAP_SIDE = 72 };

/* The first block that meets an earlier one or one of the map; the count if none does. Those before
 * it are entered in the map. */
static size_t first_meeting(uint8_t map[MAP_SIDE * MAP_SIDE], const struct qpel_picture_block *b,
                            size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (int at = 0; at < MAP_SIDE * MAP_SIDE; at++)
            if (map[at] && block_has(&b[i], at % MAP_SIDE, at / MAP_SIDE))
                return i;
        for (int at = 0; at < MAP_SIDE * MAP_SIDE; at++)
            map[at] |= block_has(&b[i], at % MAP_SIDE, at / MAP_SIDE);
    }
    return count;
}

static void two_blocks_on_one_sample(void **state)
{
    struct random r = random_stream(40);
    size_t met = 0, apart = 0;

    (void)state;
    for (int n = 0; n < 300; n++) {
        uint32_t width = (uint32_t)random_between(&r, 16, MAP_SIDE);
        uint32_t height = (uint32_t)random_between(&r, 32, MAP_SIDE);
        uint8_t map[MAP_SIDE * MAP_SIDE] = { 0 }, before[MAP_SIDE * MAP_SIDE], index;
        struct qpel_picture *target = picture_new(context, width, height, QPEL_CHROMA_400);
        struct qpel_picture *reference = picture_new(context, 8, 8, QPEL_CHROMA_400);
        struct qpel_batch *batch;
        assert_int_equal(qpel_batch_create(context, &batch), QPEL_OK);
        assert_int_equal(qpel_batch_begin(batch, target), QPEL_OK);
        assert_int_equal(qpel_batch_reference(batch, reference, QPEL_FRAME, &index), QPEL_OK);
        for (int call = 0; call < 12; call++) {
            struct qpel_picture_block blocks[6];
            size_t count = random_below(&r, 6), bad = SIZE_MAX;
            for (size_t i = 0; i < count; i++) {
                struct qpel_picture_block *b = &blocks[i];
                *b = block(0, 0, 0, 0);
                partition_sides((int)random_below(&r, PARTITION_COUNT), b);
                b->parity = (uint8_t)random_below(&r, 3);
                uint32_t rows = b->parity == QPEL_FRAME ? height : height / 2;
                b->x = (uint16_t)(random_below(&r, width / b->width) * b->width);
                b->y = (uint16_t)(random_below(&r, rows / b->height) * b->height);
            }
            memcpy(before, map, sizeof map);
            size_t expected = first_meeting(map, blocks, count);
            enum qpel_result result = qpel_batch_add(batch, blocks, count, &bad);
            assert_int_equal(result, expected < count ? QPEL_ERROR_INVALID : QPEL_OK);
            if (expected < count) {
                assert_int_equal(bad, expected);
                memcpy(map, before, sizeof map);
            }
            *(expected < count ? &met : &apart) += 1;
        }
        qpel_batch_destroy(&batch);
        qpel_picture_destroy(&target);
        qpel_picture_destroy(&reference);
    }
    printf("# %zu calls with two blocks on one sample, %zu without\n", met, apart);
}

/* Refused blocks leave no trace in what runs. */
static void nothing_of_the_bad_runs(void **state)
{
    struct random r = random_stream(41);

    (void)state;
    for (int n = 0; n < 100; n++) {
        struct picture_case c = case_draw(40, &r);
        struct target t = { .name = "after bad input",
                            .backend = QPEL_BACKEND_CPU,
                            .context = context };
        struct running run = running_open(&c, context, WRAPPED, WRAPPED);
        running_collect(&run);
        struct qpel_picture_block bad[2] = { block(0, 0, 4, 4), block(0, 0, 5, 4) };
        struct qpel_picture_block *room;
        struct qpel_submit_params params = { .backend = (enum qpel_backend)7 };
        qpel_ticket ticket = 77;
        assert_int_equal(qpel_batch_add(run.batch, bad, 2, NULL), QPEL_ERROR_INVALID);
        /* Room that is never committed. */
        assert_int_equal(qpel_batch_room(run.batch, 100, &room), QPEL_OK);
        memset(room, 0xff, 100 * sizeof *room);
        assert_int_equal(qpel_submit(run.batch, &params, &ticket, NULL), QPEL_ERROR_INVALID);
        params.backend = QPEL_BACKEND_GPU;
        assert_int_equal(qpel_submit(run.batch, &params, &ticket, NULL), QPEL_ERROR_UNSUPPORTED);
        assert_int_equal(ticket, 77);
        assert_int_equal(running_submit(&run, &t), QPEL_OK);
        running_check(&run, t.name);
        running_close(&run);
        case_free(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes),
        cmocka_unit_test(places),
        cmocka_unit_test(other_members),
        cmocka_unit_test(rows_read_and_written),
        cmocka_unit_test(two_blocks_on_one_sample),
        cmocka_unit_test(nothing_of_the_bad_runs),
    };
    struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU };
    if (qpel_context_create(&context, &params))
        return EXIT_FAILURE;
    int status = RUN_GROUP("picture blocks", tests);
    qpel_context_destroy(&context);
    return status;
}
