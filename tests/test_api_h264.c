/* Every kernel on every backend of this machine, one line each:
 *
 *     H.264 qpel mc22: 20480/20480 bytes bit-exact (100.0000%) put 8x8 cpu avx2
 *
 * Usage: test_api_h264 [cpu|gpu]. Fails if a kernel is not exact or a device is broken; 77,
 * which Meson shows as skipped, if nothing ran. */
#define _GNU_SOURCE /* setenv() */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "batch.h"

struct tally {
    uint64_t bytes, exact;
    char reason[QPEL_REASON_SIZE];
};

/* Dispatches a batch whose blocks cover dst, and counts the bytes that are right. */
static void run(const struct batch *b, const struct target *t, struct tally *tally)
{
    struct qpel_dispatch_params params = batch_params(b, t->backend);
    struct qpel_report report;
    uint8_t *dst = aligned_alloc(64, (b->dst_size + 63) / 64 * 64);

    tally->bytes += b->dst_size;
    if (!dst)
        return;
    memcpy(dst, b->before, b->dst_size);
    params.dst.data = dst;
    params.src.data = b->src;
    enum qpel_result r = qpel_dispatch(t->context, &params, &report);
    if (r || report.backend != t->backend || report.blocks != b->count)
        snprintf(tally->reason, sizeof tally->reason, "%s: %.150s", qpel_result_name(r),
                 report.reason);
    else
        for (size_t i = 0; i < b->dst_size; i++)
            tally->exact += dst[i] == b->expected[i];
    free(dst);
}

/* Rounded down: only what is whole is 100. */
static void print_line(struct kernel k, const struct target *t, const struct tally *tally)
{
    uint64_t parts = tally->exact * 1000000 / tally->bytes;
    int width = kernel_width(k);

    printf("H.264 qpel mc%d%d: %" PRIu64 "/%" PRIu64 " bytes bit-exact (%" PRIu64 ".%04" PRIu64
           "%%) %s %dx%d %s\n",
           k.position % 4, k.position / 4, tally->exact, tally->bytes, parts / 10000, parts % 10000,
           k.operation == QPEL_PUT ? "put" : "avg", width, width, t->name);
    if (*tally->reason)
        printf("# %s\n", tally->reason);
}

static int test_kernel(struct kernel k, const struct target *targets, int count)
{
    struct tally tallies[TARGETS_MAX] = { 0 };
    struct random r =
        random_stream((uint64_t)(k.position + 16 * (int)k.size + 64 * (int)k.operation));
    int width = kernel_width(k), exact = 0;

    for (int kind = 0; kind < HOSTILE_KINDS; kind++) {
        struct batch_shape shape = {
            .kernel = k,
            .count = (size_t)(2048 / (width * width)),
            .dst_unit = 4,
            .src_align = -1,
            .packed = true,
            .kind = kind,
        };
        struct batch b = batch_make(&shape, &r);
        for (int i = 0; i < count; i++)
            run(&b, &targets[i], &tallies[i]);
        batch_free(&b);
    }
    for (int i = 0; i < count; i++) {
        print_line(k, &targets[i], &tallies[i]);
        exact += tallies[i].exact == tallies[i].bytes;
    }
    return exact;
}

int main(int argc, char **argv)
{
    static struct target targets[TARGETS_MAX];
    int failed_devices, exact = 0;

    if (argc > 2 || (argc == 2 && strcmp(argv[1], "cpu") && strcmp(argv[1], "gpu"))) {
        fprintf(stderr, "usage: %s [cpu|gpu]\n", argv[0]);
        return 2;
    }
    if (argc == 2)
        setenv("QPEL_TEST_TARGETS", argv[1], 1);
    int count = targets_open(targets, &failed_devices);
    for (int n = 0; n < KERNEL_COUNT; n++)
        exact += test_kernel(kernel_of(n), targets, count);
    targets_close(targets, count);
    printf("%d of %d kernels exact, on %d backend%s\n", exact, count * KERNEL_COUNT, count,
           count == 1 ? "" : "s");
    if (failed_devices)
        printf("%d devices failed\n", failed_devices);
    if (!count && !failed_devices)
        return 77;
    return exact == count * KERNEL_COUNT && !failed_devices ? EXIT_SUCCESS : EXIT_FAILURE;
}
