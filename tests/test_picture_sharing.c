/* Dma-bufs and descriptors of a mock of V3D: what test_picture_shared does on real devices that
 * have them, and what goes wrong. The kernel is fake_kernel.h. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sharing_device.h"

enum { CASES = 30 };

static void exported_pictures(void **state)
{
    struct random r = random_stream(91);

    (void)state;
    need_vulkan();
    /* By the driver, and it wants each alone; near the CPU by a heap (test_picture_memory). */
    for (int dedicated = 0; dedicated < 2; dedicated++) {
        mock.devices[0].dedicated = dedicated;
        struct target t = sharing_open(QPEL_BACKEND_GPU);
        check_export(&t, CASES, &r);
        sharing_close(&t);
    }
    mock.devices[0].memory = MOCK_MEMORY_NOT_COHERENT;
    struct target t = sharing_open(QPEL_BACKEND_GPU);
    check_export(&t, 10, &r);
    sharing_close(&t);
}

/* Of each kind: whose dma-buf it is. */
static void what_can_be_exported(void **state)
{
    struct qpel_picture_format f = picture_format(64, 64, QPEL_CHROMA_420);
    struct qpel_dmabuf d;
    struct qpel_picture *p;

    (void)state;
    need_vulkan();
    struct target t = sharing_open(QPEL_BACKEND_GPU);
    int before = place_descriptors();
    /* Near the CPU it is the heap's, and where there is none the driver's. */
    for (int heap = 1; heap >= 0; heap--) {
        fake_kernel.heap = heap ? "system" : NULL;
        assert_int_equal(qpel_picture_create_exportable(t.context, &f, QPEL_NEAR_CPU, &p), QPEL_OK);
        assert_int_equal(place_info(p).kind, heap ? QPEL_MEMORY_HEAP : QPEL_MEMORY_DRIVER);
        assert_int_equal(qpel_picture_export(p, &d), QPEL_OK);
        close(d.fd);
        mock.no_fds = true;
        assert_int_equal(qpel_picture_export(p, &d), heap ? QPEL_OK : QPEL_ERROR_NOMEM);
        assert_int_equal(d.fd < 0, !heap);
        mock.no_fds = false;
        if (heap)
            close(d.fd);
        qpel_picture_destroy(&p);
    }
    assert_int_equal(place_descriptors(), before);
    sharing_close(&t);
    /* A device that can't: only the heap. */
    mock.devices[0].dma_buf = false;
    t = sharing_open(QPEL_BACKEND_GPU);
    assert_int_equal(qpel_picture_create_exportable(t.context, &f, QPEL_NEAR_GPU, &p),
                     QPEL_ERROR_UNSUPPORTED);
    assert_null(p);
    sharing_close(&t);
    t = sharing_open(QPEL_BACKEND_CPU);
    fake_kernel.heap = "system";
    assert_int_equal(qpel_picture_create_exportable(t.context, &f, QPEL_NEAR_CPU, &p), QPEL_OK);
    assert_int_equal(place_info(p).kind, QPEL_MEMORY_HEAP);
    qpel_picture_destroy(&p);
    sharing_close(&t);
}

/* ---- ends ---- */

static void descriptors_of_submissions(void **state)
{
    struct random r = random_stream(92);

    (void)state;
    need_vulkan();
    struct target t = sharing_open(QPEL_BACKEND_GPU);
    check_completion(&t, CASES, &r);
    mock.sync_fd_late = true;
    check_completion(&t, CASES, &r);
    sharing_close(&t);
}

static void an_end_that_does_not_come(void **state)
{
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU, .completion_fd = true };
    struct random r = random_stream(93);
    qpel_ticket ticket;
    int fd, again;

    (void)state;
    need_vulkan();
    struct target t = sharing_open(QPEL_BACKEND_GPU);
    struct picture_case c = case_draw(60, &r);
    struct running run = running_open(&c, t.context, CREATED, CREATED);
    running_collect(&run);
    assert_int_equal(running_submit(&run, &t), QPEL_OK); /* after the self-test of such pictures */
    mock.fence = MOCK_FENCE_NEVER;
    assert_int_equal(qpel_submit(run.batch, &params, &ticket, NULL), QPEL_OK);
    /* Out of descriptors: call again. */
    mock.no_fds = true;
    assert_int_equal(qpel_ticket_fd(t.context, ticket, &fd), QPEL_ERROR_NOMEM);
    assert_int_equal(fd, -1);
    mock.no_fds = false;
    assert_int_equal(qpel_ticket_fd(t.context, ticket, &fd), QPEL_OK);
    assert_int_equal(qpel_ticket_fd(t.context, ticket, &again), QPEL_OK);
    assert_false(fd_readable(fd, 0) || fd_readable(again, 0));
    close(again);
    /* Once it is over, a new one is readable. */
    mock.fence = MOCK_FENCE_REAL;
    assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);
    assert_int_equal(qpel_ticket_fd(t.context, ticket, &again), QPEL_OK);
    assert_true(fd_readable(again, 0));
    close(again);
    close(fd);
    /* Lost: as good as over, and the wait tells. */
    assert_int_equal(qpel_submit(run.batch, &params, &ticket, NULL), QPEL_OK);
    mock.fence = MOCK_FENCE_LOST;
    mock.fail_at = mock.calls + 1;
    mock.fail_with = VK_ERROR_DEVICE_LOST;
    assert_int_equal(qpel_ticket_fd(t.context, ticket, &fd), QPEL_OK);
    assert_string_equal(mock.failed, "vkGetSemaphoreFdKHR");
    assert_true(fd_readable(fd, 0));
    close(fd);
    assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_ERROR_DEVICE_LOST);
    running_close(&run);
    case_free(&c);
    sharing_close(&t);
}

/* ---- failures ---- */

static enum qpel_result first(enum qpel_result before, enum qpel_result now)
{
    return before ? before : now;
}

/* Everything that is shared, once, in a context that is open. Returns the first failure. */
static enum qpel_result share_everything(struct qpel_context *context, uint8_t *pages)
{
    struct qpel_picture_format f = picture_format(64, 64, QPEL_CHROMA_400);
    struct qpel_picture_block block = { .width = 16, .height = 16, .references = 1 };
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU, .completion_fd = true };
    struct qpel_picture_data data = { { pages }, { 64 }, pages, 8192 };
    struct qpel_dmabuf d = { .fd = -1 }, other = { .size = 8192, .stride = { 64 } };
    struct qpel_picture *heap = NULL, *mine = NULL, *theirs = NULL, *wrapped = NULL;
    struct qpel_batch *batch = NULL;
    qpel_ticket ticket;
    uint8_t index;
    int fd = -1;

    other.fd = fake_dmabuf(8192);
    enum qpel_result r = qpel_picture_create(context, &f, QPEL_NEAR_CPU, &heap);
    r = first(r, qpel_picture_create_exportable(context, &f, QPEL_NEAR_GPU, &mine));
    r = first(r, qpel_picture_import(context, &f, &other, &theirs));
    r = first(r, qpel_picture_wrap(context, &f, &data, &wrapped));
    if (mine)
        r = first(r, qpel_picture_export(mine, &d));
    r = first(r, qpel_batch_create(context, &batch));
    if (heap && mine && batch) {
        r = first(r, qpel_batch_begin(batch, mine));
        r = first(r, qpel_batch_reference(batch, heap, QPEL_FRAME, &index));
        r = first(r, qpel_batch_add(batch, &block, 1, NULL));
        enum qpel_result submitted = qpel_submit(batch, &params, &ticket, NULL);
        r = first(r, submitted);
        if (!submitted) {
            r = first(r, qpel_ticket_fd(context, ticket, &fd));
            r = first(r, qpel_wait(context, ticket, WAIT_NS));
        }
    }
    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&heap);
    qpel_picture_destroy(&mine);
    qpel_picture_destroy(&theirs);
    qpel_picture_destroy(&wrapped);
    if (fd >= 0)
        close(fd);
    if (d.fd >= 0)
        close(d.fd);
    close(other.fd);
    return r;
}

/* Everything is as before, though a call failed. */
struct balance {
    int live, descriptors, mapped;
};

static struct balance balance(void)
{
    return (struct balance){ mock.live, place_descriptors(), fake_kernel.mapped };
}

/* A context that has done everything before, so that now it only makes what it then destroys. */
static struct target open_warm(uint8_t *pages)
{
    fake_kernel.heap = "system";
    mock.fail_at = 0;
    struct target t = sharing_open(QPEL_BACKEND_GPU);
    assert_int_equal(share_everything(t.context, pages), QPEL_OK);
    return t;
}

/* Each of every `step` calls. */
static void each_call_fails_in_turn(VkResult with, unsigned step)
{
    uint8_t *pages = aligned_alloc(4096, 8192);
    unsigned failed = 0, total = 0;

    assert_non_null(pages);
    need_vulkan();
    mock.devices[0].host_import = true;
    struct target t = open_warm(pages);
    struct balance before = balance();
    unsigned calls = mock.calls;
    assert_int_equal(share_everything(t.context, pages), QPEL_OK);
    total = mock.calls - calls;
    for (unsigned n = 1; n <= total; n += step) {
        mock.fail_at = mock.calls + n;
        mock.fail_with = with;
        enum qpel_result r = share_everything(t.context, pages);
        mock.fail_at = 0;
        /* Some are made up for: a heap that is not imported, memory of another type, the CPU. */
        failed += r != QPEL_OK;
        printf("# %s: %s\n", mock.failed, qpel_result_name(r));
        if (r && r != QPEL_ERROR_NOMEM && r != QPEL_ERROR_DEVICE_LOST &&
            r != QPEL_ERROR_UNSUPPORTED)
            fail_msg("call %u fails (%s): %s", n, mock.failed, qpel_result_name(r));
        if (r == QPEL_ERROR_DEVICE_LOST) {
            /* What may be in use stays until the end, which looks. */
            sharing_close_lost(&t);
            t = open_warm(pages);
            before = balance();
            continue;
        }
        struct balance after = balance();
        if (memcmp(&after, &before, sizeof after))
            fail_msg("call %u fails (%s): something is left", n, mock.failed);
    }
    printf("# %u of %u calls failed in turn, %u of them for good\n", (total + step - 1) / step,
           total, failed);
    assert_true(failed > 5);
    sharing_close(&t);
    free(pages);
}

static void out_of_device_memory(void **state)
{
    (void)state;
    each_call_fails_in_turn(VK_ERROR_OUT_OF_DEVICE_MEMORY, 1);
}

static void descriptors_that_a_driver_rejects(void **state)
{
    (void)state;
    each_call_fails_in_turn(VK_ERROR_INVALID_EXTERNAL_HANDLE, 2);
}

static void device_lost_anywhere(void **state)
{
    (void)state;
    each_call_fails_in_turn(VK_ERROR_DEVICE_LOST, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exported_pictures),
        cmocka_unit_test(what_can_be_exported),
        cmocka_unit_test(descriptors_of_submissions),
        cmocka_unit_test(an_end_that_does_not_come),
        cmocka_unit_test(out_of_device_memory),
        cmocka_unit_test(descriptors_that_a_driver_rejects),
        cmocka_unit_test(device_lost_anywhere),
    };
    return RUN_GROUP("picture sharing", tests);
}
