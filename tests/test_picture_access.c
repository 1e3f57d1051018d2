/* The CPU's way to memory that devices share: what it can't map, what the kernel refuses, when
 * accesses start and end. The device and the kernel are those of sharing_device.h. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sharing_device.h"

static void memory_that_the_cpu_does_not_reach(void **state)
{
    struct random r = random_stream(74);
    struct qpel_submit_params cpu = { .backend = QPEL_BACKEND_CPU };
    struct qpel_picture_data data;
    struct qpel_report report;
    qpel_ticket ticket;

    (void)state;
    need_vulkan();
    struct target t = sharing_open(QPEL_BACKEND_GPU);
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
    close(d.fd);
    case_free(&c);
    sharing_close(&t);
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
    struct target t = sharing_open(QPEL_BACKEND_GPU);
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
    sharing_close(&t);
}

/* Accesses that nest start and end once, and what a reader finds does not undo a writer's work. */
static void nested_accesses(void **state)
{
    struct qpel_picture_data data;

    (void)state;
    need_vulkan();
    fake_kernel.heap = "system";
    struct target t = sharing_open(QPEL_BACKEND_GPU);
    struct qpel_picture *p = picture_new(t.context, 64, 48, QPEL_CHROMA_420);
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
    sharing_close(&t);
}

/* AUTO takes who reaches the pictures, and where the CPU alone would have to, it is refused. */
static void who_reaches_the_pictures(void **state)
{
    struct random r = random_stream(76);
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_AUTO };

    (void)state;
    need_vulkan();
    struct picture_case c = place_case(picture_format(64, 64, QPEL_CHROMA_420), &r);
    struct qpel_dmabuf d = place_layout(&c.target);
    d.fd = fake_dmabuf(d.size);
    for (int mapped = 0; mapped < 2; mapped++) {
        struct target t = sharing_open(QPEL_BACKEND_AUTO);
        struct running run = place_open(&c, t.context, PLACE_CREATED, PLACE_CREATED);
        struct qpel_report report;
        qpel_ticket ticket;
        fake_kernel.map_error = mapped ? 0 : EACCES;
        qpel_picture_destroy(&run.target.picture);
        assert_int_equal(qpel_picture_import(t.context, &c.target.format, &d, &run.target.picture),
                         QPEL_OK);
        running_collect(&run);
        assert_int_equal(qpel_submit(run.batch, &params, &ticket, &report), QPEL_OK);
        assert_int_equal(report.backend, mapped ? QPEL_BACKEND_CPU : QPEL_BACKEND_GPU);
        assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);
        running_close(&run);
        sharing_close(&t);
    }
    struct target t = sharing_open(QPEL_BACKEND_CPU);
    struct qpel_picture *p;
    fake_kernel.map_error = EACCES;
    assert_int_equal(qpel_picture_import(t.context, &c.target.format, &d, &p),
                     QPEL_ERROR_UNSUPPORTED);
    sharing_close(&t);
    close(d.fd);
    case_free(&c);
}

/* ---- threads ---- */

enum { THREADS = 4 };

struct reader {
    struct qpel_picture *picture;
    bool good;
};

static void *read_over_and_over(void *user)
{
    struct reader *r = user;
    struct qpel_picture_data data;

    r->good = true;
    for (int n = 0; n < 200 && r->good; n++) {
        r->good = qpel_picture_begin(r->picture, QPEL_READ, &data) == QPEL_OK;
        for (int y = 0; y < 64 && r->good; y++)
            r->good = data.data[0][y * data.stride[0] + y] == 5;
        r->good = qpel_picture_end(r->picture) == QPEL_OK && r->good;
    }
    return NULL;
}

/* The first one to come starts the access for all, and nobody sees the memory before. */
static void readers_in_threads(void **state)
{
    struct qpel_picture_format f = picture_format(64, 64, QPEL_CHROMA_400);
    struct qpel_picture_data data;
    struct reader readers[THREADS];
    pthread_t threads[THREADS];
    struct qpel_picture *p;

    (void)state;
    need_vulkan();
    fake_kernel.heap = "system";
    struct target t = sharing_open(QPEL_BACKEND_GPU);
    assert_int_equal(qpel_picture_create(t.context, &f, QPEL_NEAR_CPU, &p), QPEL_OK);
    assert_int_equal(qpel_picture_begin(p, QPEL_WRITE, &data), QPEL_OK);
    memset(data.data[0], 5, 64 * (size_t)data.stride[0]);
    assert_int_equal(qpel_picture_end(p), QPEL_OK);
    for (int i = 0; i < THREADS; i++) {
        readers[i] = (struct reader){ p, false };
        assert_int_equal(pthread_create(&threads[i], NULL, read_over_and_over, &readers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        assert_true(readers[i].good);
    }
    qpel_picture_destroy(&p);
    sharing_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_that_the_cpu_does_not_reach),
        cmocka_unit_test(a_kernel_that_refuses),
        cmocka_unit_test(nested_accesses),
        cmocka_unit_test(who_reaches_the_pictures),
        cmocka_unit_test(readers_in_threads),
    };
    return RUN_GROUP("picture access", tests);
}
