/* Where pictures lie: dma-heaps, dma-bufs that come and go, the caller's pages; which side reaches
 * them, what is refused, and that nothing is left behind. The device is a mock of V3D, the kernel
 * fake_kernel.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fake_kernel.h"
#include "harness.h"
#include "mock_vulkan.h"
#include "picture_place.h"

enum { PATIENCE_MS = 60000, CASES = 40 };

static bool vulkan_here;
static int descriptors; /* before the test */

/* A V3D with dma-bufs. */
static void need_vulkan(void)
{
    if (!vulkan_here)
        SKIP_TEST("no Vulkan device to stand in for others");
    mock_reset();
    mock.devices[0].dma_buf = true;
    mock.map = fake_device_map;
    place_dmabuf = fake_dmabuf;
    fake_kernel_reset();
}

static struct target gpu_open(void)
{
    struct target t = { .name = "gpu (mock)", .backend = QPEL_BACKEND_GPU };
    struct qpel_context_params params = { .backend = QPEL_BACKEND_GPU, .timeout_ms = PATIENCE_MS };

    assert_int_equal(qpel_context_create(&t.context, &params), QPEL_OK);
    descriptors = place_descriptors();
    return t;
}

static struct qpel_context *cpu_open(void)
{
    struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU };
    struct qpel_context *context;

    assert_int_equal(qpel_context_create(&context, &params), QPEL_OK);
    descriptors = place_descriptors();
    return context;
}

static void gpu_close(struct target *t)
{
    assert_int_equal(place_descriptors(), descriptors);
    assert_int_equal(fake_kernel.mapped, 0);
    qpel_context_destroy(&t->context);
    assert_int_equal(mock.live, 0);
    assert_int_equal(mock.violations, 0);
    place_free_pages();
}

/* A case on the GPU, then on the CPU, then on the GPU again, in the same pictures. True: the GPU
 * could. */
static bool run_by_turns(const struct picture_case *c, struct target *t, enum place target,
                         enum place references)
{
    struct target cpu = { .name = "cpu", .backend = QPEL_BACKEND_CPU, .context = t->context };
    struct running r = place_open(c, t->context, target, references);
    struct target *turns[] = { t, &cpu, t };
    bool able = true;

    running_collect(&r);
    for (int i = 0; i < 3; i++) {
        if (running_submit(&r, turns[i])) {
            assert_ptr_equal(turns[i], t);
            able = false;
            continue;
        }
        running_check(&r, turns[i]->name);
        picture_fill(r.target.picture, &c->target);
    }
    running_close(&r);
    return able;
}

/* ---- heaps ---- */

static void pictures_of_a_heap(void **state)
{
    struct random r = random_stream(71);

    (void)state;
    need_vulkan();
    fake_kernel.heap = "vidbuf_cached";
    struct target t = gpu_open();
    for (int n = 0; n < CASES; n++) {
        struct picture_case c = case_draw(60, &r);
        unsigned before = fake_kernel.allocations;
        /* A heap's pictures have room for windows that leave them. */
        assert_true(run_by_turns(&c, &t, PLACE_CREATED, PLACE_CREATED));
        assert_int_equal(fake_kernel.allocations - before, 1 + c.image_count);
        case_free(&c);
    }
    assert_true(fake_kernel.starts && fake_kernel.ends && fake_kernel.restarts);
    gpu_close(&t);
}

static struct qpel_picture *small(struct qpel_context *context, enum qpel_near near)
{
    struct qpel_picture_format f = picture_format(64, 48, QPEL_CHROMA_420);
    struct qpel_picture *p;

    assert_int_equal(qpel_picture_create(context, &f, near, &p), QPEL_OK);
    return p;
}

/* Of a small picture: of which kind it is, and a part of the reason. */
static void expect_kind(struct qpel_context *context, enum qpel_near near,
                        enum qpel_memory_kind kind, const char *reason)
{
    struct qpel_picture *p = small(context, near);
    struct qpel_memory_info info = place_info(p);
    struct qpel_picture_data data;

    printf("# %s: %s\n", qpel_memory_kind_name(info.kind), info.reason);
    assert_int_equal(info.kind, kind);
    assert_true(info.cpu);
    assert_int_equal(info.gpu, kind != QPEL_MEMORY_CPU);
    assert_int_equal(info.exportable, kind == QPEL_MEMORY_HEAP);
    if (*reason)
        assert_non_null(strstr(info.reason, reason));
    else
        assert_string_equal(info.reason, "");
    assert_int_equal(qpel_picture_begin(p, QPEL_READ, &data), QPEL_OK);
    for (int y = 0; y < 48; y++)
        for (int x = 0; x < 64; x++)
            assert_int_equal(data.data[0][y * data.stride[0] + x], 0);
    assert_int_equal(qpel_picture_end(p), QPEL_OK);
    qpel_picture_destroy(&p);
}

static void which_memory_is_taken(void **state)
{
    static const char *const names[] = { "vidbuf_cached", "system", "linux,cma",
                                         "default_cma_region", "reserved" };

    (void)state;
    need_vulkan();
    struct target t = gpu_open();
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        fake_kernel.heap = names[i];
        expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_HEAP, "");
        struct qpel_picture *p = small(t.context, QPEL_NEAR_CPU);
        assert_true(place_info(p).cached);
        qpel_picture_destroy(&p);
    }
    expect_kind(t.context, QPEL_NEAR_GPU, QPEL_MEMORY_DRIVER, "");
    fake_kernel.alloc_error = ENOMEM;
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_DRIVER, strerror(ENOMEM));
    fake_kernel.alloc_error = 0;
    fake_kernel.map_error = EACCES;
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_DRIVER, strerror(EACCES));
    fake_kernel.map_error = 0;
    fake_kernel.open_error = EACCES;
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_DRIVER, "/dev/dma_heap/reserved");
    /* It is not asked again. */
    fake_kernel.open_error = 0;
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_DRIVER, "no dma-heap can be opened");
    struct qpel_picture *p = small(t.context, QPEL_NEAR_CPU);
    assert_false(place_info(p).cached);
    qpel_picture_destroy(&p);
    gpu_close(&t);

    fake_kernel_reset();
    t = gpu_open();
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_DRIVER, "there is no /dev/dma_heap");
    gpu_close(&t);

    /* A device that imports none; one whose own memory is cached; none. */
    fake_kernel.heap = "system";
    mock.devices[0].dma_buf = false;
    t = gpu_open();
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_DRIVER, "imports no dma-bufs");
    gpu_close(&t);
    mock.devices[0].dma_buf = true;
    mock.devices[0].memory = MOCK_MEMORY_NOT_COHERENT;
    t = gpu_open();
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_DRIVER, "");
    gpu_close(&t);
    t.context = cpu_open();
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_CPU, "");
    gpu_close(&t);
}

/* ---- import ---- */

static void pictures_in_others_memory(void **state)
{
    struct random r = random_stream(72);
    int able = 0;

    (void)state;
    need_vulkan();
    mock.devices[0].host_import = true;
    for (int dedicated = 0; dedicated < 2; dedicated++) {
        mock.devices[0].dedicated = dedicated;
        struct target t = gpu_open();
        for (int n = 0; n < CASES; n++) {
            struct picture_case c = place_case(place_format(&r), &r);
            for (int target = 0; target < PLACE_COUNT; target++)
                assert_true(run_by_turns(&c, &t, (enum place)target,
                                         (enum place)random_below(&r, PLACE_COUNT)));
            case_free(&c);
            /* Windows that leave such memory need room elsewhere: done right, or refused. */
            c = case_draw(60, &r);
            able += run_by_turns(&c, &t, PLACE_IMPORTED, PLACE_IMPORTED);
            case_free(&c);
            place_free_pages();
        }
        gpu_close(&t);
    }
    printf("# windows outside: %d of %d done\n", able, 2 * CASES);
}

/* Bytes around the samples stay as they are, also for the CPU alone. */
static void only_samples_are_written(void **state)
{
    struct random r = random_stream(73);

    (void)state;
    fake_kernel_reset();
    struct target t = { .name = "cpu", .backend = QPEL_BACKEND_CPU, .context = cpu_open() };
    for (int n = 0; n < CASES; n++) {
        struct picture_case c = place_case(place_format(&r), &r);
        struct running run = place_open(&c, t.context, PLACE_IMPORTED, PLACE_IMPORTED);
        struct qpel_dmabuf d, whole;
        assert_int_equal(qpel_picture_export(run.target.picture, &d), QPEL_OK);
        whole = place_layout(&c.target);
        assert_int_equal(d.size, whole.size);
        assert_memory_equal(d.offset, whole.offset, sizeof d.offset);
        assert_memory_equal(d.stride, whole.stride, sizeof d.stride);
        uint8_t *seen = fake_device_map(d.fd, d.size);
        struct qpel_memory_info info = place_info(run.target.picture);
        assert_int_equal(info.kind, QPEL_MEMORY_IMPORTED);
        assert_true(info.cpu && !info.gpu && info.exportable);
        running_collect(&run);
        assert_int_equal(running_submit(&run, &t), QPEL_OK);
        running_check(&run, "cpu");
        /* Zero the samples, and nothing is left. */
        for (int p = 0; p < c.target.planes; p++)
            for (size_t y = 0; y < c.target.height[p]; y++)
                memset(seen + d.offset[p] + y * d.stride[p], 0, c.target.width[p]);
        for (size_t i = 0; i < d.size; i++)
            assert_int_equal(seen[i], 0);
        munmap(seen, d.size);
        close(d.fd);
        running_close(&run);
        case_free(&c);
    }
    gpu_close(&t);
}

struct refusal {
    const char *what;
    struct qpel_dmabuf dmabuf;
    enum qpel_result result;
};

static void what_import_refuses(void **state)
{
    struct qpel_picture_format f = picture_format(64, 64, QPEL_CHROMA_420);
    struct qpel_picture *p = (struct qpel_picture *)1;
    int fd, ends[2];

    (void)state;
    need_vulkan();
    fd = fake_dmabuf(8192);
    assert_int_equal(pipe(ends), 0);
#define PLANES .offset = { 0, 4096, 5120 }, .stride = { 64, 32, 32 }
    const struct refusal refusals[] = {
        { "no descriptor", { .fd = -1, PLANES }, QPEL_ERROR_INVALID },
        { "a closed one", { .fd = 1000, PLANES }, QPEL_ERROR_INVALID },
        { "of unknown size", { .fd = ends[0], PLANES }, QPEL_ERROR_INVALID },
        { "nobody's memory", { .fd = ends[0], .size = 8192, PLANES }, QPEL_ERROR_UNSUPPORTED },
        { "larger than it is", { .fd = fd, .size = 8193, PLANES }, QPEL_ERROR_INVALID },
        { "no size", { .fd = fd, .size = SIZE_MAX, PLANES }, QPEL_ERROR_INVALID },
        { "too small", { .fd = fd, .size = 6143, PLANES }, QPEL_ERROR_INVALID },
        { "stride",
          { .fd = fd, .offset = { 0, 4096, 5120 }, .stride = { 63, 32, 32 } },
          QPEL_ERROR_INVALID },
        { "no stride",
          { .fd = fd, .offset = { 0, 4096, 5120 }, .stride = { 64, 32 } },
          QPEL_ERROR_INVALID },
        { "wide stride",
          { .fd = fd, .offset = { 0, 4096, 5120 }, .stride = { SIZE_MAX, 32, 32 } },
          QPEL_ERROR_INVALID },
        { "behind the end",
          { .fd = fd, .offset = { 0, 4096, 8193 }, .stride = { 64, 32, 32 } },
          QPEL_ERROR_INVALID },
        { "far behind it",
          { .fd = fd, .offset = { SIZE_MAX, 4096, 0 }, .stride = { 64, 32, 32 } },
          QPEL_ERROR_INVALID },
        { "overlap",
          { .fd = fd, .offset = { 0, 4096, 4127 }, .stride = { 64, 32, 32 } },
          QPEL_ERROR_INVALID },
    };
    struct target t = gpu_open();
    for (int gpu = 1; gpu >= 0; gpu--) {
        struct qpel_context *context = gpu ? t.context : cpu_open();
        for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
            int live = mock.live;
            enum qpel_result r = qpel_picture_import(context, &f, &refusals[i].dmabuf, &p);
            if (r != refusals[i].result || p)
                fail_msg("%s: %s", refusals[i].what, qpel_result_name(r));
            assert_int_equal(mock.live, live);
            assert_int_equal(place_descriptors(), descriptors);
            assert_int_equal(fake_kernel.mapped, 0);
        }
        struct qpel_dmabuf good = { .fd = fd, PLANES };
        assert_int_equal(qpel_picture_import(NULL, &f, &good, &p), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_picture_import(context, NULL, &good, &p), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_picture_import(context, &f, NULL, &p), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_picture_import(context, &f, &good, NULL), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_picture_import(context, &f, &good, &p), QPEL_OK);
        assert_int_equal(place_info(p).gpu, gpu);
        qpel_picture_destroy(&p);
        if (!gpu)
            qpel_context_destroy(&context);
    }
#undef PLANES
    gpu_close(&t);
    close(ends[0]);
    close(ends[1]);
    close(fd);
}

/* Imports and tells whether the GPU reaches it; if not, a part of the reason. */
static void expect_gpu(struct qpel_context *context, struct qpel_picture_format f,
                       struct qpel_dmabuf d, const char *why_not)
{
    struct qpel_picture *p;

    d.fd = fake_dmabuf(d.size);
    assert_int_equal(qpel_picture_import(context, &f, &d, &p), QPEL_OK);
    struct qpel_memory_info info = place_info(p);
    printf("# %s\n", info.gpu ? "the GPU's, too" : info.reason);
    assert_true(info.cpu);
    assert_int_equal(info.gpu, !why_not);
    if (why_not)
        assert_non_null(strstr(info.reason, why_not));
    qpel_picture_destroy(&p);
    close(d.fd);
}

static void what_the_gpu_reaches(void **state)
{
    struct qpel_picture_format nv12 = picture_format(64, 64, QPEL_CHROMA_420);
    struct qpel_picture_format grey = picture_format(64, 64, QPEL_CHROMA_400);
    struct qpel_dmabuf d = { .size = 8192, .offset = { 0, 6144 }, .stride = { 64, 64 } };

    (void)state;
    need_vulkan();
    nv12.layout = QPEL_LAYOUT_INTERLEAVED;
    struct target t = gpu_open();
    expect_gpu(t.context, nv12, d, NULL); /* chroma ends where the memory does */
    d.offset[1] -= 2;
    expect_gpu(t.context, nv12, d, "no multiple of 4");
    d.offset[1] = 4096;
    d.stride[1] = 66;
    expect_gpu(t.context, nv12, d, "no multiple of 4");
    d.offset[0] = 4096;
    expect_gpu(t.context, grey, d, "reads a word more");
    d.offset[0] = 4092;
    expect_gpu(t.context, grey, d, NULL);
    struct qpel_dmabuf planar = { .size = 8192,
                                  .offset = { 0, 4096, 6000 },
                                  .stride = { 64, 32, 36 } };
    expect_gpu(t.context, picture_format(64, 64, QPEL_CHROMA_420), planar, "strides of their own");
    gpu_close(&t);
    mock.devices[0].dma_buf = false;
    t = gpu_open();
    expect_gpu(t.context, grey, d, "imports no dma-bufs");
    gpu_close(&t);
    mock.devices[0].dma_buf = true;
    mock.devices[0].max_storage_range = 1 << 16;
    t = gpu_open();
    d.size = 1 << 17;
    expect_gpu(t.context, grey, d, "maxStorageBufferRange");
    gpu_close(&t);
}

/* ---- the CPU ---- */

static void memory_that_the_cpu_does_not_reach(void **state)
{
    struct random r = random_stream(74);
    struct qpel_submit_params cpu = { .backend = QPEL_BACKEND_CPU };
    struct qpel_picture_data data;
    struct qpel_report report;
    qpel_ticket ticket;

    (void)state;
    need_vulkan();
    struct target t = gpu_open();
    struct picture_case c = place_case(picture_format(64, 64, QPEL_CHROMA_420), &r);
    struct running run = place_open(&c, t.context, PLACE_CREATED, PLACE_CREATED);
    struct qpel_dmabuf d = place_layout(&c.target);
    d.fd = fake_dmabuf(d.size);
    fake_kernel.map_error = EACCES;
    struct qpel_picture *p;
    qpel_picture_destroy(&run.target.picture);
    assert_int_equal(qpel_picture_import(t.context, &c.target.format, &d, &p), QPEL_OK);
    struct qpel_memory_info info = place_info(p);
    printf("# %s\n", info.reason);
    assert_true(info.gpu && !info.cpu);
    assert_non_null(strstr(info.reason, strerror(EACCES)));
    assert_int_equal(qpel_picture_begin(p, QPEL_READ, &data), QPEL_ERROR_UNSUPPORTED);
    run.target.picture = p;
    running_collect(&run);
    assert_int_equal(qpel_submit(run.batch, &cpu, &ticket, &report), QPEL_ERROR_UNSUPPORTED);
    assert_string_equal(report.reason, info.reason);
    assert_int_equal(running_submit(&run, &t), QPEL_OK);
    uint8_t *seen = fake_device_map(d.fd, d.size);
    for (int i = 0; i < c.target.planes; i++)
        for (size_t y = 0; y < c.target.height[i]; y++)
            assert_memory_equal(seen + d.offset[i] + y * d.stride[i],
                                c.expected + c.target.offset[i] + y * c.target.stride[i],
                                c.target.width[i]);
    munmap(seen, d.size);
    running_close(&run);
    struct qpel_context *alone = cpu_open();
    assert_int_equal(qpel_picture_import(alone, &c.target.format, &d, &p), QPEL_ERROR_UNSUPPORTED);
    qpel_context_destroy(&alone);
    descriptors = place_descriptors() - 1;
    close(d.fd);
    case_free(&c);
    gpu_close(&t);
}

static void a_kernel_that_refuses(void **state)
{
    struct random r = random_stream(75);
    struct qpel_submit_params cpu = { .backend = QPEL_BACKEND_CPU };
    struct qpel_picture_data data;
    struct qpel_report report;
    qpel_ticket ticket;

    (void)state;
    need_vulkan();
    fake_kernel.heap = "system";
    struct target t = gpu_open();
    struct picture_case c = place_case(picture_format(64, 64, QPEL_CHROMA_420), &r);
    struct running run = place_open(&c, t.context, PLACE_CREATED, PLACE_IMPORTED);
    running_collect(&run);
    fake_kernel.sync_error = EIO;
    assert_int_equal(qpel_picture_begin(run.target.picture, QPEL_WRITE, &data), QPEL_ERROR_IO);
    assert_int_equal(qpel_picture_end(run.target.picture), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_submit(run.batch, &cpu, &ticket, &report), QPEL_ERROR_IO);
    assert_non_null(strstr(report.reason, "dma-buf"));
    /* As if it had not been tried. */
    fake_kernel.sync_error = 0;
    assert_int_equal(running_submit(&run, &t), QPEL_OK);
    running_check(&run, "after a refusal");
    running_close(&run);
    case_free(&c);
    gpu_close(&t);
}

/* Accesses that nest start and end once, and what a reader finds does not undo a writer's work. */
static void nested_accesses(void **state)
{
    struct qpel_picture_data data;

    (void)state;
    need_vulkan();
    fake_kernel.heap = "system";
    struct target t = gpu_open();
    struct qpel_picture *p = small(t.context, QPEL_NEAR_CPU);
    unsigned starts = fake_kernel.starts, ends = fake_kernel.ends;
    assert_int_equal(qpel_picture_begin(p, QPEL_READ, &data), QPEL_OK);
    assert_int_equal(fake_kernel.starts, starts + 1);
    assert_int_equal(qpel_picture_begin(p, QPEL_WRITE, &data), QPEL_OK);
    assert_int_equal(fake_kernel.starts, starts + 2);
    data.data[0][5] = 77;
    assert_int_equal(qpel_picture_begin(p, QPEL_READ, &data), QPEL_OK);
    assert_int_equal(fake_kernel.starts, starts + 2);
    assert_int_equal(data.data[0][5], 77);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(fake_kernel.ends, ends);
        assert_int_equal(qpel_picture_end(p), QPEL_OK);
    }
    assert_int_equal(fake_kernel.ends, ends + 1);
    assert_int_equal(qpel_picture_begin(p, QPEL_READ, &data), QPEL_OK);
    assert_int_equal(data.data[0][5], 77);
    assert_int_equal(qpel_picture_end(p), QPEL_OK);
    qpel_picture_destroy(&p);
    gpu_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_of_a_heap),
        cmocka_unit_test(which_memory_is_taken),
        cmocka_unit_test(pictures_in_others_memory),
        cmocka_unit_test(only_samples_are_written),
        cmocka_unit_test(what_import_refuses),
        cmocka_unit_test(what_the_gpu_reaches),
        cmocka_unit_test(memory_that_the_cpu_does_not_reach),
        cmocka_unit_test(a_kernel_that_refuses),
        cmocka_unit_test(nested_accesses),
    };
    vulkan_here = mock_possible();
    return RUN_GROUP("picture memory", tests);
}
