/* Values worked out by hand from the standard's formulas, and cases in which other
 * implementations went wrong. */
#include <stdbool.h>
#include <string.h>

#include "guard.h"
#include "harness.h"
#include "kernels.h"
#include "oracle.h"
#include "random.h"

static struct cpu_layer layers[CPU_LAYERS_MAX];
static int layer_count;

/* mcXY */
#define MC(x, y) ((x) + 4 * (y))

#define SIDE   48 /* of the planes */
#define BORDER 16 /* of clamped or repeated samples around a picture in them */

/* A picture of at most 32x32 with its border. */
struct picture {
    uint8_t plane[SIDE + 2 * BORDER][SIDE + 2 * BORDER];
};

static uint8_t *at(struct picture *p, int x, int y)
{
    return &p->plane[y + BORDER][x + BORDER];
}

#define PICTURE_STRIDE (SIDE + 2 * BORDER)

/* Expects row[0..count-1] from x on of every kernel size that covers it, from the oracle and from
 * every layer. */
static void expect_row(struct picture *p, int x, int y, int position, const int *row, int count)
{
    struct oracle_plane plane = { .origin = at(p, 0, 0), .stride = PICTURE_STRIDE };

    for (int i = 0; i < count; i++)
        assert_int_equal(
            oracle_luma(oracle_direct, &plane, x + i, y, position % 4, position / 4, 8), row[i]);
    for (int l = 0; l < layer_count; l++)
        for (int size = 0; size < QPEL_SIZE_COUNT; size++) {
            uint8_t dst[16 * PICTURE_STRIDE];
            layers[l].dsp.put[size][position](dst, at(p, x, y), PICTURE_STRIDE);
            for (int i = 0; i < count && i < 16 >> size; i++)
                if (dst[i] != row[i])
                    fail_msg("%s, size %d, mc%d%d at (%d, %d): %d, not %d", layers[l].name,
                             16 >> size, position % 4, position / 4, x + i, y, dst[i], row[i]);
        }
}

static void ramp(void **state)
{
    static const int rows[4][4] = {
        { 160, 162, 164, 166 },
        { 164, 166, 167, 169 },
        { 167, 169, 170, 172 },
        { 170, 172, 174, 176 },
    };
    struct picture p;

    (void)state;
    for (int y = -BORDER; y < SIDE + BORDER; y++)
        for (int x = -BORDER; x < SIDE + BORDER; x++)
            *at(&p, x, y) = (uint8_t)(7 * x + 13 * y);
    for (int y = 0; y < 4; y++)
        for (int x = 0; x < 4; x++)
            expect_row(&p, 8, 8, MC(x, y), &rows[y][x], 1);
}

static void impulse(void **state)
{
    static const struct {
        int position, row[4];
    } cases[] = {
        { MC(2, 0), { 0, 159, 159, 0 } }, { MC(2, 2), { 0, 100, 100, 0 } },
        { MC(1, 0), { 0, 80, 207, 0 } },  { MC(1, 1), { 0, 80, 159, 0 } },
        { MC(3, 3), { 0, 80, 0, 0 } },    { MC(0, 1), { 0, 0, 207, 0 } },
    };
    struct picture p;

    (void)state;
    memset(&p, 0, sizeof p);
    *at(&p, 8, 8) = 255;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect_row(&p, 6, 8, cases[i].position, cases[i].row, 4);
}

/* A clip or a rounding between the two passes would give 124. */
static void no_clip_between_passes(void **state)
{
    struct picture p;

    (void)state;
    memset(&p, 0, sizeof p);
    for (int y = 0; y < 4; y++)
        memset(at(&p, 2, y), y < 2 ? 255 : 100, 2);
    expect_row(&p, 2, 2, MC(2, 2), (const int[]){ 116 }, 1);
}

static void stripes(void **state)
{
    static const struct {
        int position, even, odd; /* at column 8, at column 9 */
    } cases[] = {
        { MC(0, 0), 0, 255 },  { MC(1, 0), 64, 192 },  { MC(2, 0), 128, 128 },
        { MC(3, 0), 192, 64 }, { MC(2, 2), 128, 128 },
    };
    struct picture p;

    (void)state;
    for (int y = -BORDER; y < SIDE + BORDER; y++)
        for (int x = -BORDER; x < SIDE + BORDER; x++)
            *at(&p, x, y) = x & 1 ? 255 : 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        expect_row(&p, 8, 8, cases[i].position, &cases[i].even, 1);
        expect_row(&p, 9, 8, cases[i].position, &cases[i].odd, 1);
    }
}

static void clamped_edge(void **state)
{
    struct picture p;
    uint8_t inside[16][16];
    struct oracle_plane plane = { &inside[0][0], 16, 16, 16 };

    (void)state;
    for (int y = 0; y < 16; y++)
        for (int x = 0; x < 16; x++)
            inside[y][x] = (uint8_t)(10 * x);
    for (int y = -BORDER; y < SIDE + BORDER; y++)
        for (int x = -BORDER; x < SIDE + BORDER; x++)
            *at(&p, x, y) = (uint8_t)oracle_clamped(&plane, x, y);
    expect_row(&p, -3, 4, MC(2, 0), (const int[]){ 0, 0, 0, 4, 15 }, 5);
    expect_row(&p, 12, 4, MC(2, 0), (const int[]){ 125, 135, 146, 151, 150 }, 5);
}

static void constant(void **state)
{
    struct picture p;
    int row[16];

    (void)state;
    memset(&p, 200, sizeof p);
    for (int i = 0; i < 16; i++)
        row[i] = 200;
    for (int position = 0; position < QPEL_POSITION_COUNT; position++)
        for (int x = -8; x < 32; x += 5)
            expect_row(&p, x, 8, position, row, 16);
}

/* ---- classes of faults ---- */

/* Averages round up, and once: the prediction is rounded, then the average with dst. */
static void averages_round_up(void **state)
{
    (void)state;
    for (int l = 0; l < layer_count; l++)
        for (int size = 0; size < QPEL_SIZE_COUNT; size++) {
            uint8_t src[16 * 16], dst[16 * 16];
            memset(src, 11, sizeof src);
            memset(dst, 10, sizeof dst);
            layers[l].dsp.avg[size][0](dst, src, 16);
            for (int y = 0; y < 16; y++)
                for (int x = 0; x < 16; x++)
                    assert_int_equal(dst[16 * y + x], x < 16 >> size && y < 16 >> size ? 11 : 10);
        }
}

/* put of one position, then avg of another, for every pair. */
static void put_then_avg(void **state)
{
    struct picture p;
    struct random r = random_stream(1);
    struct oracle_plane plane = { .origin = at(&p, 0, 0), .stride = PICTURE_STRIDE };

    (void)state;
    hostile_fill_kind(&r, 0, &p.plane[0][0], PICTURE_STRIDE, PICTURE_STRIDE, PICTURE_STRIDE);
    for (int l = 0; l < layer_count; l++)
        for (int pair = 0; pair < 256; pair++) {
            int a = pair % 16, b = pair / 16;
            uint8_t dst[8 * PICTURE_STRIDE];
            layers[l].dsp.put[QPEL_SIZE_8][a](dst, at(&p, 8, 8), PICTURE_STRIDE);
            layers[l].dsp.avg[QPEL_SIZE_8][b](dst, at(&p, 21, 17), PICTURE_STRIDE);
            for (int y = 0; y < 8; y++)
                for (int x = 0; x < 8; x++) {
                    int first = oracle_luma(oracle_direct, &plane, 8 + x, 8 + y, a % 4, a / 4, 8);
                    int second =
                        oracle_luma(oracle_direct, &plane, 21 + x, 17 + y, b % 4, b / 4, 8);
                    assert_int_equal(dst[y * PICTURE_STRIDE + x], oracle_average(first, second));
                }
        }
}

/* Rows stored bottom-up give the flipped picture of rows stored top-down. */
static void bottom_up_rows(void **state)
{
    struct picture p, flipped;

    (void)state;
    for (int y = -BORDER; y < SIDE + BORDER; y++)
        for (int x = -BORDER; x < SIDE + BORDER; x++)
            *at(&p, x, y) = (uint8_t)(7 * x + 13 * y);
    for (int y = 0; y < PICTURE_STRIDE; y++)
        memcpy(flipped.plane[y], p.plane[PICTURE_STRIDE - 1 - y], PICTURE_STRIDE);
    for (int l = 0; l < layer_count; l++)
        for (int n = 0; n < KERNEL_COUNT; n++) {
            struct kernel k = kernel_of(n);
            qpel_mc_fn *f = layer_function(&layers[l], k);
            int width = kernel_width(k);
            uint8_t down[16 * PICTURE_STRIDE] = { 0 }, up[16 * PICTURE_STRIDE] = { 0 };
            const uint8_t *src = at(&p, 8, 8);
            ptrdiff_t row = (src - &p.plane[0][0]) / PICTURE_STRIDE;
            f(down, src, PICTURE_STRIDE);
            f(up + (width - 1) * PICTURE_STRIDE,
              &flipped.plane[PICTURE_STRIDE - 1 - row][8 + BORDER], -PICTURE_STRIDE);
            for (int y = 0; y < width; y++)
                assert_memory_equal(down + y * PICTURE_STRIDE,
                                    up + (width - 1 - y) * PICTURE_STRIDE, (size_t)width);
        }
}

/* A 16x16 store with dst at 8 modulo 16, and strides that keep or break that. */
static void stores_of_any_alignment(void **state)
{
    static const ptrdiff_t strides[] = { 768, 763 };
    static _Alignas(64) uint8_t src[24 * 768], dst[17 * 768], expected[17 * 768];
    struct random r = random_stream(2);

    (void)state;
    hostile_fill_kind(&r, 1, src, 768, 768, 24);
    for (size_t s = 0; s < sizeof strides / sizeof *strides; s++)
        for (int n = 0; n < KERNEL_COUNT; n++)
            for (int offset = 0; offset < 16; offset++)
                for (int l = 0; l < layer_count; l++) {
                    struct kernel k = kernel_of(n);
                    int width = kernel_width(k);
                    char name[KERNEL_NAME_SIZE];
                    struct block_shape shape = { offset, strides[s], width, width };
                    memset(dst, 0x5a, sizeof dst);
                    memset(expected, 0x5a, sizeof expected);
                    expected_block(k, expected + offset, strides[s], src + 2 * 768 + 3, strides[s]);
                    layer_function(&layers[l], k)(dst + offset, src + 2 * 768 + 3, strides[s]);
                    assert_true(
                        regions_equal(expected, dst, sizeof dst, shape, kernel_name(k, name)));
                }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ramp),
        cmocka_unit_test(impulse),
        cmocka_unit_test(no_clip_between_passes),
        cmocka_unit_test(stripes),
        cmocka_unit_test(clamped_edge),
        cmocka_unit_test(constant),
        cmocka_unit_test(averages_round_up),
        cmocka_unit_test(put_then_avg),
        cmocka_unit_test(bottom_up_rows),
        cmocka_unit_test(stores_of_any_alignment),
    };
    layer_count = cpu_layers(layers);
    return RUN_GROUP("goldens", tests);
}
