/* The dsp door: every kernel of every CPU layer, against the oracle and between forbidden pages. */
#include <string.h>

#include "dsp_check.h"
#include "harness.h"

#define BLOCKS 10000

static struct cpu_layer layers[CPU_LAYERS_MAX];
static int layer_count;

typedef int check_fn(struct kernel k, const struct candidate *candidates, int count,
                     struct random *r);

/* Runs a check for every kernel, all layers at once so that the oracle is asked once. */
static void each_kernel(check_fn *check, uint64_t stream)
{
    for (int n = 0; n < KERNEL_COUNT; n++) {
        struct kernel k = kernel_of(n);
        struct candidate candidates[CPU_LAYERS_MAX];
        char name[KERNEL_NAME_SIZE], names[CPU_LAYERS_MAX][KERNEL_NAME_SIZE + 32];
        struct random r = random_stream(stream + (uint64_t)n);

        kernel_name(k, name);
        for (int i = 0; i < layer_count; i++) {
            snprintf(names[i], sizeof names[i], "%s, %s", name, layers[i].name);
            candidates[i] = (struct candidate){ names[i], layer_function(&layers[i], k) };
        }
        int failed = check(k, candidates, layer_count, &r);
        if (failed >= 0)
            fail_msg("%s", names[failed]);
    }
}

static int blocks(struct kernel k, const struct candidate *candidates, int count, struct random *r)
{
    return check_blocks(k, candidates, count, repetitions(BLOCKS), r);
}

static int alignments(struct kernel k, const struct candidate *candidates, int count,
                      struct random *r)
{
    static const ptrdiff_t strides[] = { 64, -64, 37, -53 };

    for (size_t i = 0; i < sizeof strides / sizeof *strides; i++) {
        int failed = check_alignments(k, candidates, count, strides[i], r);
        if (failed >= 0)
            return failed;
    }
    return -1;
}

static void blocks_are_exact(void **state)
{
    (void)state;
    each_kernel(blocks, 1000);
}

static void every_alignment_is_exact(void **state)
{
    (void)state;
    each_kernel(alignments, 2000);
}

static void nothing_beside_is_touched(void **state)
{
    (void)state;
    each_kernel(check_pages, 3000);
}

/* ---- the table itself ---- */

static void every_entry_is_set(void **state)
{
    (void)state;
    for (int i = 0; i < layer_count; i++)
        for (int n = 0; n < KERNEL_COUNT; n++)
            assert_non_null(layer_function(&layers[i], kernel_of(n)));
}

static void depth_is_the_argument(void **state)
{
    struct qpel_dsp dsp, before, again;
    static const int later[] = { 9, 10, 11, 12, 13, 14 },
                     never[] = { -8, 0, 1, 7, 15, 16, 1 << 30 };

    (void)state;
    assert_int_equal(qpel_dsp_init(&before, 8, QPEL_CPU_ALL), QPEL_OK);
    dsp = before;
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        assert_int_equal(qpel_dsp_init(&dsp, later[i], QPEL_CPU_ALL), QPEL_ERROR_UNSUPPORTED);
    for (size_t i = 0; i < sizeof never / sizeof *never; i++)
        assert_int_equal(qpel_dsp_init(&dsp, never[i], QPEL_CPU_ALL), QPEL_ERROR_INVALID);
    assert_memory_equal(&dsp, &before, sizeof dsp);
    assert_int_equal(qpel_dsp_init(&again, 8, QPEL_CPU_ALL), QPEL_OK);
    assert_memory_equal(&again, &before, sizeof again);
    assert_int_equal(qpel_dsp_init(NULL, 8, QPEL_CPU_ALL), QPEL_ERROR_INVALID);
}

static void masks_choose_layers(void **state)
{
    (void)state;
    assert_string_equal(qpel_dsp_layer(QPEL_CPU_NONE), "c");
    for (int i = 0; i < layer_count; i++)
        printf("# layer %s\n", layers[i].name);
    /* The last is what a program gets that hides nothing. */
    assert_string_equal(layers[layer_count - 1].name, qpel_dsp_layer(QPEL_CPU_ALL));
}

static bool share_an_entry(const struct qpel_dsp *a, const struct qpel_dsp *b)
{
    const struct cpu_layer la = { .dsp = *a }, lb = { .dsp = *b };

    for (int n = 0; n < KERNEL_COUNT; n++)
        for (int m = 0; m < KERNEL_COUNT; m++)
            if (layer_function(&la, kernel_of(n)) == layer_function(&lb, kernel_of(m)))
                return true;
    return false;
}

/* A feature's code is what a mask of it alone leads to. Without the feature, no mask leads there:
 * not that of nothing, of any other feature, nor of all others. */
static void hidden_code_is_not_reached(void **state)
{
    (void)state;
    for (int bit = 0; bit < 32; bit++) {
        struct qpel_dsp own, other;

        assert_int_equal(qpel_dsp_init(&own, 8, 1u << bit), QPEL_OK);
        if (!strcmp(qpel_dsp_layer(1u << bit), "c"))
            continue; /* no feature, or not this machine's */
        for (int i = -1; i <= 32; i++) {
            unsigned mask = i < 0 ? QPEL_CPU_NONE : i == 32 ? QPEL_CPU_ALL : 1u << i;

            assert_int_equal(qpel_dsp_init(&other, 8, mask & ~(1u << bit)), QPEL_OK);
            if (share_an_entry(&own, &other))
                fail_msg("mask %#x leads to code of feature %d", mask & ~(1u << bit), bit);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_set),        cmocka_unit_test(depth_is_the_argument),
        cmocka_unit_test(masks_choose_layers),       cmocka_unit_test(hidden_code_is_not_reached),
        cmocka_unit_test(nothing_beside_is_touched), cmocka_unit_test(every_alignment_is_exact),
        cmocka_unit_test(blocks_are_exact),
    };
    layer_count = cpu_layers(layers);
    return RUN_GROUP("dsp", tests);
}
