/* The picture door on values worked out by hand from the standard's formulas, and on cases in which
 * other implementations went wrong. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "picture_run.h"
#include "split_luma.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;
static bool refused; /* a device couldn't run the test's cases in the library's own memory */

/* Runs a case on every target in every kind of memory. */
static void run_everywhere(struct picture_case *c)
{
    for (int t = 0; t < target_count; t++)
        for (int m = 0; m < PICTURE_MEMORY_COUNT; m++) {
            bool ran = case_run(c, &targets[t], (enum picture_memory)m, (enum picture_memory)m);
            if (targets[t].backend == QPEL_BACKEND_CPU)
                assert_true(ran);
            refused |= m == CREATED && !ran;
        }
}

static void begin_test(void)
{
    assert_int_equal(failed_devices, 0);
    if (!target_count)
        SKIP_TEST("no device");
    refused = false;
}

static void end_test(void)
{
    if (refused)
        SKIP_TEST("a device can't run these");
}

/* ---- making cases ---- */

/* Frames without gaps, each a reference. */
static struct picture_case frames(struct qpel_picture_format f, int images)
{
    struct picture_case c = case_make(f, images, NULL);

    for (int i = 0; i < images; i++)
        c.references[c.reference_count++] = (struct case_reference){ i, QPEL_FRAME };
    return c;
}

static void fill(struct image *image, int value)
{
    memset(image->bytes, value, image->size);
}

static struct qpel_picture_block *add(struct picture_case *c, int x, int y, int width, int height,
                                      int mv_x, int mv_y)
{
    struct qpel_picture_block *b = &c->blocks[c->count++];

    *b = (struct qpel_picture_block){
        .x = (uint16_t)x,
        .y = (uint16_t)y,
        .width = (uint8_t)width,
        .height = (uint8_t)height,
        .references = 1,
        .mv = { { (int16_t)mv_x, (int16_t)mv_y } },
    };
    return b;
}

static int expected(const struct picture_case *c, int component, int x, int y)
{
    size_t at = (size_t)(image_sample(&c->target, component, x, y) - c->target.bytes);

    return c->expected[at];
}

/* ---- luma ---- */

static void clamped_edge(void **state)
{
    static const int left[] = { 0, 0, 0, 4, 15 }, right[] = { 125, 135, 146, 151, 150 };

    (void)state;
    begin_test();
    struct picture_case c = frames(picture_format(16, 16, QPEL_CHROMA_400), 1);
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++)
            *image_sample(&c.images[0], 0, x, y) = (uint8_t)(10 * x);
    /* mc20 at columns -3 to 4, and 12 to 15 and beyond. */
    add(&c, 0, 0, 8, 8, -3 * 4 + 2, 0);
    add(&c, 8, 0, 8, 8, 4 * 4 + 2, 0);
    case_expect(&c);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(expected(&c, 0, i, 3), left[i]);
        assert_int_equal(expected(&c, 0, 8 + i, 3), right[i]);
    }
    run_everywhere(&c);
    case_free(&c);
    end_test();
}

static void constant(void **state)
{
    (void)state;
    begin_test();
    for (int chroma = 0; chroma <= QPEL_CHROMA_444; chroma++)
        for (int position = 0; position < 16; position++) {
            struct picture_case c = frames(picture_format(32, 32, (enum qpel_chroma)chroma), 1);
            fill(&c.images[0], 200);
            int x = position % 4, y = position / 4;
            add(&c, 0, 0, 16, 16, x - 32768, y - 32768);
            add(&c, 16, 0, 16, 16, x + 32764, y + 12);
            add(&c, 0, 16, 16, 16, x + 8, y - 40);
            add(&c, 16, 16, 16, 16, x, y);
            case_expect(&c);
            for (size_t i = 0; i < c.target.size; i++)
                assert_int_equal(c.expected[i], 200);
            run_everywhere(&c);
            case_free(&c);
        }
    end_test();
}

/* Blocks of every size at the last corner of a picture without a border: all vectors' fractions,
 * and vectors by which just the last rows and columns that the filter takes are outside. */
static void last_corner(void **state)
{
    struct random r = random_stream(20);

    (void)state;
    begin_test();
    for (int partition = 0; partition < PARTITION_COUNT; partition++)
        for (int n = 0; n < 16 * 5; n++) {
            struct picture_case c = frames(picture_format(48, 48, QPEL_CHROMA_420), 1);
            struct qpel_picture_block b = { .width = 0 };
            image_fill(&c.images[0], &r);
            partition_sides(partition, &b);
            int shift = 4 * (n / 16 - 3); /* -3..1 samples */
            add(&c, 48 - b.width, 48 - b.height, b.width, b.height, n % 4 + shift,
                n / 4 % 4 + shift);
            case_expect(&c);
            run_everywhere(&c);
            case_free(&c);
        }
    end_test();
}

/* The largest window, 21x21, around every corner, as far out as it goes and with one sample in. */
static void windows_around_corners(void **state)
{
    static const int outside[] = { -18 * 4 - 2, -17 * 4 - 2, -2, 2, 14, 16 * 4 + 2, 19 * 4 + 2 };
    enum { COUNT = sizeof outside / sizeof *outside };
    struct random r = random_stream(21);

    (void)state;
    begin_test();
    for (int corner = 0; corner < 4; corner++) {
        struct picture_case c = frames(picture_format(32, 32, QPEL_CHROMA_444), 1);
        image_fill(&c.images[0], &r);
        for (int n = 0; n < COUNT * COUNT; n++) {
            c.count = 0;
            add(&c, corner % 2 * 16, corner / 2 * 16, 16, 16, outside[n % COUNT],
                outside[n / COUNT]);
            case_expect(&c);
            run_everywhere(&c);
        }
        case_free(&c);
    }
    end_test();
}

/* ---- averages ---- */

/* Two references are averaged once, rounding up: every pair of positions. */
static void every_pair_of_positions(void **state)
{
    struct random r = random_stream(22);

    (void)state;
    begin_test();
    struct picture_case c = frames(picture_format(128, 128, QPEL_CHROMA_420), 2);
    image_fill(&c.images[0], &r);
    image_fill(&c.images[1], &r);
    for (int pair = 0; pair < 256; pair++) {
        int a = pair % 16, b = pair / 16;
        struct qpel_picture_block *block =
            add(&c, pair % 16 * 8, pair / 16 * 8, 8, 8, a % 4 + 4 * random_between(&r, -9, 9),
                a / 4 + 4 * random_between(&r, -9, 9));
        block->references = 2;
        block->reference[1] = 1;
        block->mv[1][0] = (int16_t)(b % 4 + 4 * random_between(&r, -9, 9));
        block->mv[1][1] = (int16_t)(b / 4 + 4 * random_between(&r, -9, 9));
    }
    case_expect(&c);
    run_everywhere(&c);
    case_free(&c);
    end_test();
}

/* A pair of flat references; the target's samples in every plane. */
static void expect_pair(int v0, int v1, const struct qpel_weight *weight, int references, int value)
{
    struct picture_case c = frames(picture_format(16, 16, QPEL_CHROMA_420), 2);
    struct qpel_picture_block *b = add(&c, 0, 0, 16, 16, 5, 7);

    fill(&c.images[0], v0);
    fill(&c.images[1], v1);
    b->references = (uint8_t)references;
    b->reference[1] = 1;
    if (weight) {
        c.weights[c.weight_count++] = *weight;
        b->weight = 1;
    }
    case_expect(&c);
    for (size_t i = 0; i < c.target.size; i++)
        assert_int_equal(c.expected[i], value);
    run_everywhere(&c);
    case_free(&c);
}

static void averages_round_up(void **state)
{
    (void)state;
    begin_test();
    expect_pair(10, 11, NULL, 2, 11);
    expect_pair(11, 10, NULL, 2, 11);
    expect_pair(0, 255, NULL, 2, 128);
    end_test();
}

/* mc22 of stripes, twice. */
static void centre_of_stripes(void **state)
{
    (void)state;
    begin_test();
    struct picture_case c = frames(picture_format(32, 32, QPEL_CHROMA_400), 1);
    for (int y = 0; y < 32; y++)
        for (int x = 0; x < 32; x++)
            *image_sample(&c.images[0], 0, x, y) = x & 1 ? 255 : 0;
    struct qpel_picture_block *b = add(&c, 8, 8, 8, 8, 2, 2);
    b->references = 2;
    b->mv[1][0] = b->mv[1][1] = 2;
    case_expect(&c);
    assert_int_equal(expected(&c, 0, 8, 8), 128);
    run_everywhere(&c);
    case_free(&c);
    end_test();
}

/* ---- weights ---- */

static struct qpel_weight weight(int log_wd, int w0, int w1, int o0, int o1)
{
    struct qpel_weight w = { .planes = 7 };

    for (int p = 0; p < 3; p++) {
        w.log_wd[p] = (uint8_t)log_wd;
        w.w[0][p] = (int16_t)w0;
        w.w[1][p] = (int16_t)w1;
        w.o[0][p] = (int16_t)o0;
        w.o[1][p] = (int16_t)o1;
    }
    return w;
}

static void weights(void **state)
{
    static const struct {
        int references, v0, v1, log_wd, w0, w1, o0, o1, value;
    } cases[] = {
        /* Implicit weights reach 128 and -64. */
        { 2, 100, 50, 5, 128, -64, 0, 0, 150 },
        { 2, 255, 0, 5, 128, -64, 0, 0, 255 },
        { 2, 0, 255, 5, 128, -64, 0, 0, 0 },
        { 2, 255, 255, 0, -128, -128, 0, 0, 0 },
        { 2, 255, 255, 0, 127, 127, -128, -128, 255 },
        { 2, 255, 255, 7, 128, 128, -128, -128, 127 },
        { 1, 100, 0, 0, 1, 0, 5, 0, 105 },
        { 1, 255, 0, 7, 127, 0, 0, 0, 253 },
        { 1, 255, 0, 7, -128, 0, 127, 0, 0 },
        { 1, 3, 0, 6, 64, 0, -1, 0, 2 },
        /* Offsets of -1 and 0 average to 0, of -3 and 0 to -1. */
        { 2, 100, 100, 0, 1, 1, -1, 0, 100 },
        { 2, 100, 100, 0, 1, 1, -3, 0, 99 },
        { 2, 100, 100, 0, 1, 1, 0, -3, 99 },
    };

    (void)state;
    begin_test();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct qpel_weight w =
            weight(cases[i].log_wd, cases[i].w0, cases[i].w1, cases[i].o0, cases[i].o1);
        expect_pair(cases[i].v0, cases[i].v1, &w, cases[i].references, cases[i].value);
    }
    end_test();
}

/* A plane that is weighted beside planes that are not. */
static void weights_of_one_plane(void **state)
{
    (void)state;
    begin_test();
    for (int layout = QPEL_LAYOUT_PLANAR; layout <= QPEL_LAYOUT_INTERLEAVED; layout++)
        for (int plane = 0; plane < 3; plane++) {
            struct qpel_picture_format f = picture_format(16, 16, QPEL_CHROMA_420);
            f.layout = (enum qpel_layout)layout;
            struct picture_case c = frames(f, 1);
            fill(&c.images[0], 50);
            c.weights[c.weight_count] = weight(0, 2, 0, 3, 0);
            c.weights[c.weight_count++].planes = (uint8_t)(1 << plane);
            add(&c, 0, 0, 16, 16, 0, 0)->weight = 1;
            case_expect(&c);
            for (int p = 0; p < 3; p++)
                assert_int_equal(expected(&c, p, 3, 3), p == plane ? 103 : 50);
            run_everywhere(&c);
            case_free(&c);
        }
    end_test();
}

/* ---- chroma ---- */

static void chroma_fractions(void **state)
{
    static const struct {
        int mv_x, mv_y, value;
    } cases[] = {
        { 3, 5, 26 }, /* (5*3*10 + 3*3*20 + 5*5*30 + 3*5*40 + 32) >> 6 */
        { 4, 0, 15 }, { 0, 0, 10 }, { 0, 4, 20 }, { 8, 8, 40 },
    };

    (void)state;
    begin_test();
    for (int layout = QPEL_LAYOUT_PLANAR; layout <= QPEL_LAYOUT_INTERLEAVED; layout++)
        for (int side = 4; side <= 16; side *= 2)
            for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
                uint32_t size = (uint32_t)side;
                struct qpel_picture_format f = picture_format(size, size, QPEL_CHROMA_420);
                f.layout = (enum qpel_layout)layout;
                struct picture_case c = frames(f, 1);
                for (int y = 0; y < side / 2; y++)
                    for (int x = 0; x < side / 2; x++)
                        for (int p = 1; p < 3; p++)
                            *image_sample(&c.images[0], p, x, y) =
                                (uint8_t)(10 + 10 * (x & 1) + 20 * (y & 1));
                add(&c, 0, 0, side, side, cases[i].mv_x, cases[i].mv_y);
                case_expect(&c);
                assert_int_equal(expected(&c, 1, 0, 0), cases[i].value);
                assert_int_equal(expected(&c, 2, 0, 0), cases[i].value);
                run_everywhere(&c);
                case_free(&c);
            }
    end_test();
}

/* Table 8-9, on a ramp down the chroma rows: 8 levels a row of the field. */
static void fields_of_other_parity(void **state)
{
    static const struct {
        enum qpel_parity current, reference;
        int difference; /* in eighths of a row, and so in levels */
    } cases[] = {
        { QPEL_TOP_FIELD, QPEL_TOP_FIELD, 0 },
        { QPEL_TOP_FIELD, QPEL_BOTTOM_FIELD, -2 },
        { QPEL_BOTTOM_FIELD, QPEL_TOP_FIELD, 2 },
        { QPEL_BOTTOM_FIELD, QPEL_BOTTOM_FIELD, 0 },
    };

    (void)state;
    begin_test();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int chroma = QPEL_CHROMA_420; chroma <= QPEL_CHROMA_422; chroma++) {
            struct picture_case c = frames(picture_format(16, 64, (enum qpel_chroma)chroma), 1);
            int rows = chroma == QPEL_CHROMA_420 ? 32 : 64;
            for (int y = 0; y < rows; y++)
                for (int x = 0; x < 8; x++)
                    for (int p = 1; p < 3; p++)
                        *image_sample(&c.images[0], p, x, y) = (uint8_t)(y / 2 * 8);
            c.references[0].parity = cases[i].reference;
            add(&c, 0, 16, 16, 16, 0, 0)->parity = (uint8_t)cases[i].current;
            case_expect(&c);
            int first = chroma == QPEL_CHROMA_420 ? 8 : 16; /* row of the field */
            int difference = chroma == QPEL_CHROMA_420 ? cases[i].difference : 0;
            int bottom = cases[i].current == QPEL_BOTTOM_FIELD;
            for (int y = first; y < first + 4; y++)
                assert_int_equal(expected(&c, 1, 2, 2 * y + bottom), (8 * y + difference) & 255);
            run_everywhere(&c);
            case_free(&c);
        }
    end_test();
}

/* Blocks 4 wide, chroma 2 wide, weighted too, at every place of a word: their neighbours stay. */
static void narrow_blocks(void **state)
{
    struct random r = random_stream(23);

    (void)state;
    begin_test();
    for (int n = 0; n < 64; n++) {
        struct qpel_picture_format f = picture_format(32, 16, QPEL_CHROMA_420);
        f.layout = n & 1 ? QPEL_LAYOUT_INTERLEAVED : QPEL_LAYOUT_PLANAR;
        struct picture_case c = frames(f, 2);
        image_fill(&c.target, &r);
        image_fill(&c.images[0], &r);
        image_fill(&c.images[1], &r);
        c.weights[c.weight_count++] = weight(3, 9, -3, 4, -6);
        struct qpel_picture_block *b = add(&c, n / 2 % 8 * 4, 8, 4, n & 16 ? 8 : 4, n, 3 * n);
        b->references = n & 32 ? 2 : 1;
        b->reference[1] = 1;
        b->weight = n >> 1 & 1;
        case_expect(&c);
        run_everywhere(&c);
        case_free(&c);
    }
    end_test();
}

/* 4:0:0: planes of chroma are neither needed nor looked at. */
static void luma_alone(void **state)
{
    struct random r = random_stream(24);

    (void)state;
    begin_test();
    struct picture_case c = frames(picture_format(16, 16, QPEL_CHROMA_400), 1);
    image_fill(&c.images[0], &r);
    c.weights[c.weight_count++] = weight(0, 1, 0, 1, 0);
    add(&c, 0, 0, 16, 16, 9, 9)->weight = 1;
    case_expect(&c);
    run_everywhere(&c);
    case_free(&c);
    end_test();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clamped_edge),
        cmocka_unit_test(constant),
        cmocka_unit_test(last_corner),
        cmocka_unit_test(windows_around_corners),
        cmocka_unit_test(averages_round_up),
        cmocka_unit_test(centre_of_stripes),
        cmocka_unit_test(every_pair_of_positions),
        cmocka_unit_test(weights),
        cmocka_unit_test(weights_of_one_plane),
        cmocka_unit_test(chroma_fractions),
        cmocka_unit_test(fields_of_other_parity),
        cmocka_unit_test(narrow_blocks),
        cmocka_unit_test(luma_alone),
    };
    target_count = targets_open(targets, &failed_devices);
    split_luma(targets, target_count);
    int status = RUN_GROUP("picture goldens", tests);
    targets_close(targets, target_count);
    return status;
}
