/* What a GPU's first submission of a kind would do, ahead of it. */
#include "picture.h"
#include "self_test.h"

_Static_assert(QPEL_PREPARE_P == 1 << PICTURE_ONE_LIST, "a bit each");
_Static_assert(QPEL_PREPARE_B == 1 << PICTURE_TWO_LISTS, "a bit each");
_Static_assert(QPEL_PREPARE_WEIGHTED == 1 << PICTURE_WEIGHTED, "a bit each");

static enum qpel_result prepare(const struct qpel_picture *like, unsigned kinds,
                                char reason[QPEL_REASON_SIZE])
{
    struct qpel_context *c = like->context;
    enum qpel_result r;
    struct gpu *gpu = qpel_context_open_gpu(c, true, &r, reason);
    if (!gpu)
        return r;
    if (qpel_gpu_picture_refuses(like, reason))
        return QPEL_ERROR_UNSUPPORTED;
    struct picture_kind kind = {
        .format = like->format,
        .sort = qpel_picture_memory_sort(&like->memory),
    };
    for (int step = 0; step < PICTURE_STEP_COUNT && !r; step++) {
        kind.step = (enum picture_step)step;
        if (kinds >> step & 1)
            r = qpel_picture_self_test(c, gpu, &kind, reason);
    }
    if (r == QPEL_ERROR_DEVICE_LOST)
        qpel_context_gpu_failed(c, reason);
    return r;
}

enum qpel_result qpel_picture_prepare(const struct qpel_picture *like, unsigned kinds,
                                      char reason[QPEL_REASON_SIZE])
{
    char why[QPEL_REASON_SIZE] = "";
    enum qpel_result r = QPEL_OK;
    if (!like || !kinds || kinds >> PICTURE_STEP_COUNT) {
        qpel_reason_set(why, like ? "kinds" : "the picture is null");
        r = QPEL_ERROR_INVALID;
    } else if (like->context->backend != QPEL_BACKEND_CPU) {
        r = prepare(like, kinds, why);
    }
    if (r && reason)
        qpel_reason_set(reason, "%s", why);
    return r;
}
