/* The tests' own checks, on kernels that are broken on purpose: each fault must be seen. */
#include <stdbool.h>
#include <string.h>

#include "dsp_check.h"
#include "guard.h"
#include "harness.h"

/* Blocks in which a fault has to show. */
#define BLOCKS 2000

/* What is wrong. Each names the smallest fault of its kind. */
enum fault {
    NO_FAULT,
    WRONG_TAP,     /* 19 for one 20 */
    NO_CLIP_ABOVE, /* a sum above 255 wraps */
    NO_CLIP_BELOW,
    ROUNDED_DOWN,     /* half samples: 15 for 16 */
    CENTRE_ROUNDED,   /* the centre's first pass is rounded and clipped */
    CENTRE_16_BITS,   /* the centre's middle sum, within +-33150, is kept in 16 bits */
    AVERAGE_DOWN,     /* quarter samples rounded down */
    DST_AVERAGE_DOWN, /* avg rounded down */
    WRONG_NEIGHBOUR,  /* mc30 as mc10, and so on */
    READS_FURTHER,    /* one more column of the window, its value unused */
    READS_LOWER,      /* one more row */
    READS_EARLIER,    /* one column before */
    READS_CORNER,     /* the corner between a cross's arms */
    WRITES_FURTHER,   /* a sample after each row */
    WRITES_EARLIER,
    WRITES_LOWER,
    FORGETS_ROW,   /* the last row is not written */
    ALIGNED_STORE, /* dst is taken as a multiple of 4 */
    FAULT_COUNT
};

static enum fault fault;
static struct kernel kernel;

static int clip(int v)
{
    if (v < 0)
        return fault == NO_CLIP_BELOW ? v & 255 : 0;
    if (v > 255)
        return fault == NO_CLIP_ABOVE ? v & 255 : 255;
    return v;
}

static int six(int a, int b, int c, int d, int e, int f)
{
    return a - 5 * b + 20 * c + (fault == WRONG_TAP ? 19 : 20) * d - 5 * e + f;
}

static int half(int sum)
{
    return clip((sum + (fault == ROUNDED_DOWN ? 15 : 16)) >> 5);
}

static int row_sum(const uint8_t *s)
{
    return six(s[-2], s[-1], s[0], s[1], s[2], s[3]);
}

static int column_sum(const uint8_t *s, ptrdiff_t stride)
{
    return six(s[-2 * stride], s[-stride], s[0], s[stride], s[2 * stride], s[3 * stride]);
}

static int centre(const uint8_t *s, ptrdiff_t stride)
{
    int sums[6];

    for (int i = 0; i < 6; i++) {
        sums[i] = row_sum(s + (i - 2) * stride);
        if (fault == CENTRE_ROUNDED)
            sums[i] = half(sums[i]);
    }
    int sum = six(sums[0], sums[1], sums[2], sums[3], sums[4], sums[5]);
    if (fault == CENTRE_ROUNDED)
        return half(sum);
    if (fault == CENTRE_16_BITS) {
        int a = sums[0] + sums[5], b = sums[1] + sums[4], c = sums[2] + sums[3];
        sum = 16 * (c + ((int16_t)(((a - b) >> 2) + c - b) >> 2));
    }
    return clip((sum + 512) >> 10);
}

static int average(int a, int b)
{
    return (a + b + (fault != AVERAGE_DOWN)) >> 1;
}

static int predicted(const uint8_t *s, ptrdiff_t stride)
{
    int x = kernel.position % 4, y = kernel.position / 4;
    ptrdiff_t right = x == 3 && fault != WRONG_NEIGHBOUR, below = y == 3 ? stride : 0;

    if (x == 0 && y == 0)
        return s[0];
    if (y == 0)
        return x == 2 ? half(row_sum(s)) : average(half(row_sum(s)), s[right]);
    if (x == 0)
        return y == 2 ? half(column_sum(s, stride))
                      : average(half(column_sum(s, stride)), s[below]);
    if (x == 2 && y == 2)
        return centre(s, stride);
    if (x == 2)
        return average(centre(s, stride), half(row_sum(s + below)));
    if (y == 2)
        return average(centre(s, stride), half(column_sum(s + right, stride)));
    return average(half(row_sum(s + below)), half(column_sum(s + right, stride)));
}

static void touch(const uint8_t *s)
{
    (void)*(const volatile uint8_t *)s;
}

static void bad_reads(const uint8_t *src, ptrdiff_t stride)
{
    int width = kernel_width(kernel);
    struct qpel_window w = qpel_window(kernel.position, width, width);

    if (fault == READS_FURTHER)
        touch(src + w.row.top * stride + w.row.right + 1);
    if (fault == READS_EARLIER)
        touch(src + w.row.top * stride + w.row.left - 1);
    if (fault == READS_LOWER)
        touch(src + (w.column.bottom + 1) * stride + w.column.left);
    if (fault == READS_CORNER)
        touch(src + w.bounds.top * stride + w.bounds.left);
}

static void broken(uint8_t *dst, const uint8_t *src, ptrdiff_t stride)
{
    int width = kernel_width(kernel);

    bad_reads(src, stride);
    if (fault == ALIGNED_STORE)
        dst -= (uintptr_t)dst & 3;
    for (int y = 0; y < width - (fault == FORGETS_ROW); y++)
        for (int x = 0; x < width; x++) {
            uint8_t *d = dst + y * stride + x;
            int p = predicted(src + y * stride + x, stride);
            if (kernel.operation == QPEL_AVG)
                p = (*d + p + (fault != DST_AVERAGE_DOWN)) >> 1;
            *d = (uint8_t)p;
        }
    if (fault == WRITES_FURTHER)
        dst[width] ^= 1;
    if (fault == WRITES_EARLIER)
        dst[(width - 1) * stride - 1] ^= 1;
    if (fault == WRITES_LOWER)
        dst[width * stride] ^= 1;
}

static bool seen_by_blocks(enum fault f, struct kernel k)
{
    struct candidate c = { "broken", broken };
    struct random r = random_stream(10);

    fault = f;
    kernel = k;
    return check_blocks(k, &c, 1, f == NO_FAULT ? repetitions(BLOCKS) : BLOCKS, &r) >= 0;
}

static bool seen_by_pages(enum fault f, struct kernel k)
{
    struct candidate c = { "broken", broken };
    struct random r = random_stream(11);

    fault = f;
    kernel = k;
    return check_pages(k, &c, 1, &r) >= 0;
}

/* Whether a fault changes what the kernel does at all. */
static bool concerns(enum fault f, struct kernel k)
{
    int x = k.position % 4, y = k.position / 4;

    switch (f) {
    case WRONG_TAP:
    case NO_CLIP_ABOVE:
    case NO_CLIP_BELOW:
        return k.position != 0;
    case ROUNDED_DOWN:
        return k.position != 0 && k.position != 10;
    case CENTRE_ROUNDED:
    case CENTRE_16_BITS:
        return (x == 2 && y) || (y == 2 && x);
    case AVERAGE_DOWN:
        return x % 2 || y % 2;
    case DST_AVERAGE_DOWN:
        return k.operation == QPEL_AVG;
    case WRONG_NEIGHBOUR:
        return x == 3;
    case READS_CORNER:
        return x % 2 && y % 2;
    default:
        return true;
    }
}

static void expect_seen(enum fault first, enum fault last, bool (*seen)(enum fault, struct kernel))
{
    regions_quiet = true;
    for (int f = (int)first; f <= (int)last; f++)
        for (int n = 0; n < KERNEL_COUNT; n++) {
            struct kernel k = kernel_of(n);
            char name[KERNEL_NAME_SIZE];
            if (concerns((enum fault)f, k) && !seen((enum fault)f, k))
                fail_msg("fault %d of %s was not seen", f, kernel_name(k, name));
        }
    regions_quiet = false;
}

static void without_fault_nothing_is_seen(void **state)
{
    (void)state;
    for (int n = 0; n < KERNEL_COUNT; n++) {
        assert_false(seen_by_blocks(NO_FAULT, kernel_of(n)));
        assert_false(seen_by_pages(NO_FAULT, kernel_of(n)));
    }
}

static void wrong_samples_are_seen(void **state)
{
    (void)state;
    expect_seen(WRONG_TAP, WRONG_NEIGHBOUR, seen_by_blocks);
    expect_seen(FORGETS_ROW, ALIGNED_STORE, seen_by_blocks);
}

static void writes_beside_are_seen(void **state)
{
    (void)state;
    expect_seen(WRITES_FURTHER, WRITES_LOWER, seen_by_blocks);
    expect_seen(WRITES_FURTHER, WRITES_LOWER, seen_by_pages);
}

static void reads_beside_are_seen(void **state)
{
    (void)state;
    expect_seen(READS_FURTHER, READS_CORNER, seen_by_pages);
}

/* The picture of a failure tells where it is. */
static void margins_are_told_apart(void **state)
{
    uint8_t expected[64] = { 0 }, actual[64] = { 0 };
    struct block_shape shape = { 18, 8, 4, 4 };

    (void)state;
    assert_true(regions_equal(expected, actual, sizeof actual, shape, "same"));
    regions_quiet = true;
    for (size_t i = 0; i < sizeof actual; i++) {
        actual[i] = 1;
        assert_false(regions_equal(expected, actual, sizeof actual, shape, "one byte"));
        actual[i] = 0;
    }
    regions_quiet = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_fault_nothing_is_seen), cmocka_unit_test(wrong_samples_are_seen),
        cmocka_unit_test(writes_beside_are_seen),        cmocka_unit_test(reads_beside_are_seen),
        cmocka_unit_test(margins_are_told_apart),
    };
    return RUN_GROUP("sabotage", tests);
}
