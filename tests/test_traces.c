/* The motion of real pictures, replayed on every target: the golden hashes come from other
 * implementations. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "kernels.h"
#include "replay.h"
#include "targets.h"
#include "trace.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;

#define TRACES_MAX 64
static struct trace_path paths[TRACES_MAX];
static size_t path_count;

typedef void picture_fn(const struct replay *r, const char *name);

static void each_picture(picture_fn *each)
{
    for (size_t i = 0; i < path_count; i++) {
        struct trace trace;
        char error[TRACE_ERROR_SIZE], name[TRACE_PATH_SIZE + 32];
        if (!trace_load_both(&trace, paths[i].path, error))
            fail_msg("%s: %s", paths[i].path, error);
        assert_true(trace.count > 0);
        for (size_t p = 0; p < trace.count; p++) {
            struct replay r;
            assert_true(replay_prepare(&r, &trace, &trace.pictures[p], 0));
            assert_true(r.golden);
            snprintf(name, sizeof name, "%s picture %u", trace.name, trace.pictures[p].index);
            each(&r, name);
            replay_free(&r);
        }
        trace_free(&trace);
    }
}

/* A plane of plain memory or in a buffer, for a while. */
struct memory {
    struct qpel_plane plane;
    uint8_t *bytes; /* to be used between memory_begin() and memory_end() */
};

static struct memory memory_make(struct qpel_context *context, bool buffer, size_t size,
                                 ptrdiff_t stride)
{
    struct memory m = { .plane = { .size = size, .stride = stride } };

    if (buffer) {
        assert_int_equal(qpel_buffer_create(context, size, QPEL_NEAR_CPU, &m.plane.buffer),
                         QPEL_OK);
    } else {
        m.plane.data = aligned_alloc(64, (size + 63) / 64 * 64);
        assert_non_null(m.plane.data);
        memset(m.plane.data, 0, size);
    }
    return m;
}

static uint8_t *memory_begin(struct memory *m)
{
    void *bytes = m->plane.data;

    if (m->plane.buffer)
        assert_int_equal(qpel_buffer_begin(m->plane.buffer, QPEL_READ_WRITE, &bytes), QPEL_OK);
    return bytes;
}

static void memory_end(struct memory *m)
{
    if (m->plane.buffer)
        assert_int_equal(qpel_buffer_end(m->plane.buffer), QPEL_OK);
}

static void memory_free(struct memory *m)
{
    if (m->plane.buffer)
        qpel_buffer_destroy(&m->plane.buffer);
    else
        free(m->plane.data);
}

/* All puts, kernel by kernel, then all avgs. */
static bool exact_on(const struct replay *r, const struct target *t, bool buffers)
{
    struct memory dst = memory_make(t->context, buffers, r->dst_size, r->stride);
    struct memory src = memory_make(t->context, buffers, r->src_size, r->stride);

    replay_fill(r, memory_begin(&src));
    memory_end(&src);
    for (size_t i = 0; i < r->group_count; i++) {
        const struct replay_group *g = &r->groups[i];
        struct qpel_report report;
        struct qpel_dispatch_params params = {
            .backend = t->backend,
            .operation = g->operation,
            .size = g->size,
            .position = g->position,
            .dst = dst.plane,
            .src = src.plane,
            .blocks = r->blocks + g->first,
            .count = g->count,
        };
        if (qpel_dispatch(t->context, &params, &report))
            fail_msg("%s: %s", t->name, report.reason);
        assert_int_equal(report.backend, t->backend);
        assert_int_equal(report.blocks, g->count);
    }
    bool exact = replay_exact(r, memory_begin(&dst));
    memory_end(&dst);
    memory_free(&dst);
    memory_free(&src);
    return exact;
}

static void replay_by_dispatch(const struct replay *r, const char *name)
{
    for (int i = 0; i < target_count; i++) {
        if (!exact_on(r, &targets[i], true))
            fail_msg("%s on %s", name, targets[i].name);
        /* Plain memory is staged anew for each of some ninety calls: small pictures will do. */
        if (r->width <= 176 && !exact_on(r, &targets[i], false))
            fail_msg("%s on %s, plain memory", name, targets[i].name);
    }
    printf("# %s: %zu blocks in %zu calls, %d targets\n", name, r->calls_count, r->group_count,
           target_count);
}

static void pictures_by_dispatch(void **state)
{
    (void)state;
    assert_int_equal(failed_devices, 0);
    if (!target_count)
        SKIP_TEST("no device");
    assert_true(path_count > 0);
    each_picture(replay_by_dispatch);
}

/* In decoding order, block by block, as a decoder would. */
static void replay_by_dsp(const struct replay *r, const char *name)
{
    struct cpu_layer layers[CPU_LAYERS_MAX];
    int count = cpu_layers(layers);
    uint8_t *src = malloc(r->src_size), *dst = malloc(r->dst_size);

    assert_true(src && dst);
    replay_fill(r, src);
    for (int i = 0; i < count; i++) {
        memset(dst, 0, r->dst_size);
        replay_run(r, &layers[i].dsp, dst, src);
        if (!replay_exact(r, dst))
            fail_msg("%s on %s", name, layers[i].name);
    }
    free(src);
    free(dst);
}

static void pictures_by_dsp(void **state)
{
    (void)state;
    if (target_count && targets[0].backend == QPEL_BACKEND_GPU)
        SKIP_TEST("the dsp door is the CPU's");
    assert_true(path_count > 0);
    each_picture(replay_by_dsp);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_by_dispatch),
        cmocka_unit_test(pictures_by_dsp),
    };
    path_count = trace_find(argc > 1 ? argv[1] : "tests/data", NULL, paths, TRACES_MAX);
    target_count = targets_open(targets, &failed_devices);
    int status = RUN_GROUP("traces", tests);
    targets_close(targets, target_count);
    return status;
}
