/* A driver that compiles a shader wrongly, or a device that reports work as done that
 * it did not do, must not decide what a picture looks like. */
#include "self_test.h"

#include <string.h>

#include "job_cpu.h"
#include "positions.h"

enum { WIDTH = 48, HEIGHT = 32, BLOCKS = 4 };

void qpel_self_test_fill(uint8_t *samples, size_t count, uint32_t state)
{
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525u + 1013904223u;
        uint32_t kind = state >> 30;
        samples[i] = kind == 0 ? 0 : kind == 1 ? 255 : (uint8_t)(state >> 16);
    }
}

static enum qpel_result test_position(struct gpu *gpu, const struct qpel_kernels *kernels,
                                      int position, enum qpel_operation operation,
                                      char reason[QPEL_REASON_SIZE])
{
    uint8_t src[WIDTH * HEIGHT];
    _Alignas(4) uint8_t cpu[WIDTH * HEIGHT], device[WIDTH * HEIGHT]; /* whole words, see job */
    static const struct qpel_block blocks[BLOCKS] = {
        { 0, 2 * WIDTH + 3 },
        { 8, 9 * WIDTH + 16 },
        { 8 * WIDTH, 4 * WIDTH + 25 },
        { 16 * WIDTH + 24, 20 * WIDTH + 34 },
    };
    qpel_self_test_fill(src, sizeof src, 1);
    memset(cpu, 0x5a, sizeof cpu);
    memset(device, 0x5a, sizeof device);
    struct job job = {
        .operation = operation,
        .size = QPEL_SIZE_8,
        .position = position,
        .dst = { .data = cpu, .size = sizeof cpu, .stride = WIDTH, .end = sizeof cpu },
        .src = { .data = src, .size = sizeof src, .stride = WIDTH, .end = sizeof src },
        .blocks = blocks,
        .count = BLOCKS,
        .words = true,
    };
    job_run_cpu(&job, kernels);
    job.dst.data = device;
    struct qpel_report report = { .reason = "" };
    const char *refusal = qpel_gpu_refuses(gpu, &job);
    enum qpel_result r = refusal ? QPEL_ERROR_UNSUPPORTED : qpel_gpu_dispatch(gpu, &job, &report);
    if (r) {
        qpel_reason_set(reason, "self-test of %s: %s", qpel_position_names[position],
                        refusal ? refusal : report.reason);
        return QPEL_ERROR_DEVICE_LOST;
    }
    if (memcmp(cpu, device, sizeof cpu)) {
        qpel_reason_set(reason, "self-test: %s of %s differs from the CPU's",
                        operation == QPEL_PUT ? "put" : "avg", qpel_position_names[position]);
        return QPEL_ERROR_DEVICE_LOST;
    }
    return QPEL_OK;
}

enum qpel_result qpel_self_test(struct gpu *gpu, const struct qpel_kernels *kernels,
                                char reason[QPEL_REASON_SIZE])
{
    bool done[FAMILY_COUNT] = { false };
    /* From the back: there the parameters of a family are not all 0. */
    for (int position = QPEL_POSITION_COUNT - 1; position >= 0; position--) {
        enum family family = qpel_positions[position].family;
        if (done[family])
            continue;
        done[family] = true;
        enum qpel_result r = test_position(gpu, kernels, position, QPEL_PUT, reason);
        if (r)
            return r;
    }
    /* The averaging step is the same in all families. */
    return test_position(gpu, kernels, QPEL_POSITION_COUNT - 1, QPEL_AVG, reason);
}
