/* Where pictures lie: dma-heaps, dma-bufs that come and go, the caller's pages; which side reaches
 * them, what is refused, and that nothing is left behind. The device is a mock of V3D, the kernel
 * fake_kernel.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sharing_device.h"

enum { CASES = 40 };

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
    struct target t = sharing_open(QPEL_BACKEND_GPU);
    for (int n = 0; n < CASES; n++) {
        struct picture_case c = case_draw(60, &r);
        /* Once for the self-test of such pictures, which has pictures of its own. */
        assert_true(run_by_turns(&c, &t, PLACE_CREATED, PLACE_CREATED));
        unsigned before = fake_kernel.allocations;
        assert_true(run_by_turns(&c, &t, PLACE_CREATED, PLACE_CREATED));
        /* The self-tests of new kinds of pictures have some, too. */
        assert_true(fake_kernel.allocations - before >= 1 + (unsigned)c.image_count);
        case_free(&c);
    }
    assert_true(fake_kernel.starts && fake_kernel.ends && fake_kernel.restarts);
    sharing_close(&t);
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
    struct target t = sharing_open(QPEL_BACKEND_GPU);
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
    sharing_close(&t);

    fake_kernel_reset();
    t = sharing_open(QPEL_BACKEND_GPU);
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_DRIVER, "there is no /dev/dma_heap");
    sharing_close(&t);

    /* A device that imports none; one whose own memory is cached; none. */
    fake_kernel.heap = "system";
    mock.devices[0].dma_buf = false;
    t = sharing_open(QPEL_BACKEND_GPU);
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_DRIVER, "imports no dma-bufs");
    sharing_close(&t);
    mock.devices[0].dma_buf = true;
    mock.devices[0].memory = MOCK_MEMORY_NOT_COHERENT;
    t = sharing_open(QPEL_BACKEND_GPU);
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_DRIVER, "");
    sharing_close(&t);
    t = sharing_open(QPEL_BACKEND_CPU);
    expect_kind(t.context, QPEL_NEAR_CPU, QPEL_MEMORY_CPU, "");
    sharing_close(&t);
}

/* ---- import ---- */

static void pictures_in_others_memory(void **state)
{
    struct random r = random_stream(72);

    (void)state;
    need_vulkan();
    mock.devices[0].host_import = true;
    for (int dedicated = 0; dedicated < 2; dedicated++) {
        mock.devices[0].dedicated = dedicated;
        struct target t = sharing_open(QPEL_BACKEND_GPU);
        for (int n = 0; n < CASES; n++) {
            struct picture_case c = place_case(place_format(&r), &r);
            for (int target = 0; target < PLACE_COUNT; target++)
                assert_true(run_by_turns(&c, &t, (enum place)target,
                                         (enum place)random_below(&r, PLACE_COUNT)));
            case_free(&c);
            /* Windows that leave such memory, which has no room for slots. */
            c = case_draw(60, &r);
            for (int target = 0; target < PLACE_COUNT; target++)
                assert_true(run_by_turns(&c, &t, (enum place)target,
                                         (enum place)random_below(&r, PLACE_COUNT)));
            case_free(&c);
            place_free_pages();
        }
        sharing_close(&t);
    }
}

/* Bytes around the samples stay as they are, also for the CPU alone. */
static void only_samples_are_written(void **state)
{
    struct random r = random_stream(73);

    (void)state;
    need_vulkan();
    struct target t = sharing_open(QPEL_BACKEND_CPU);
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
    sharing_close(&t);
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
    for (int gpu = 1; gpu >= 0; gpu--) {
        struct target t = sharing_open(gpu ? QPEL_BACKEND_GPU : QPEL_BACKEND_CPU);
        struct qpel_context *context = t.context;
        int descriptors = place_descriptors();
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
        sharing_close(&t);
    }
#undef PLANES
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
    struct target t = sharing_open(QPEL_BACKEND_GPU);
    expect_gpu(t.context, nv12, d, NULL); /* chroma ends where the memory does */
    d.offset[1] -= 2;
    expect_gpu(t.context, nv12, d, "no multiple of 4");
    d.offset[1] = 4096;
    d.stride[1] = 66;
    expect_gpu(t.context, nv12, d, "no multiple of 4");
    d.offset[0] = 4096;
    expect_gpu(t.context, grey, d, NULL);
    struct qpel_picture_format narrow = picture_format(62, 64, QPEL_CHROMA_400);
    d.size = 8190;
    expect_gpu(t.context, narrow, d, "last word");
    d.size = 8192;
    expect_gpu(t.context, narrow, d, NULL);
    struct qpel_dmabuf planar = { .size = 8192,
                                  .offset = { 0, 4096, 6000 },
                                  .stride = { 64, 32, 36 } };
    expect_gpu(t.context, picture_format(64, 64, QPEL_CHROMA_420), planar, "strides of their own");
    sharing_close(&t);
    mock.devices[0].dma_buf = false;
    t = sharing_open(QPEL_BACKEND_GPU);
    expect_gpu(t.context, grey, d, "imports no dma-bufs");
    sharing_close(&t);
    mock.devices[0].dma_buf = true;
    mock.devices[0].max_storage_range = 1 << 16;
    t = sharing_open(QPEL_BACKEND_GPU);
    d.size = 1 << 17;
    expect_gpu(t.context, grey, d, "maxStorageBufferRange");
    sharing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pictures_of_a_heap),        cmocka_unit_test(which_memory_is_taken),
        cmocka_unit_test(pictures_in_others_memory), cmocka_unit_test(only_samples_are_written),
        cmocka_unit_test(what_import_refuses),       cmocka_unit_test(what_the_gpu_reaches),
    };
    return RUN_GROUP("picture memory", tests);
}
