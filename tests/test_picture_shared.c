/* Memory and ends that are shared with others, on every device that is here and can: the caller's
 * pages, exported dma-bufs, descriptors that tell a submission's end. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"
#include "picture_sharing.h"
#include "split_luma.h"

static struct target targets[TARGETS_MAX];
static int target_count;

enum { CASES = 30 };

/* Skips where no target can; says of each which can't. */
#define FOR_ALL_ABLE(t, able)                                                                      \
    int able_count = 0;                                                                            \
    for (const struct target *t = targets; t < targets + target_count; t++)                        \
        if (!(able))                                                                               \
            printf("# %s: not able\n", t->name);                                                   \
        else if (++able_count)

#define SKIP_IF_NONE(what)                                                                         \
    if (!able_count)                                                                               \
    SKIP_TEST("no device here has %s", what)

/* ---- the caller's pages ---- */

static void pages_of_the_caller(void **state)
{
    struct random r = random_stream(81);

    (void)state;
    FOR_ALL_ABLE(t, t->backend == QPEL_BACKEND_CPU || t->device.host_import)
    {
        for (int n = 0; n < CASES; n++) {
            struct picture_case c = place_case(place_format(&r), &r);
            struct running run = place_open(&c, t->context, PLACE_PAGES, PLACE_PAGES);
            assert_int_equal(place_info(run.target.picture).gpu, t->backend == QPEL_BACKEND_GPU);
            assert_string_equal(qpel_memory_kind_name(place_info(run.target.picture).kind),
                                "wrapped");
            running_collect(&run);
            assert_int_equal(running_submit(&run, t), QPEL_OK);
            running_check(&run, t->name);
            running_close(&run);
            case_free(&c);
            place_free_pages();
        }
    }
    SKIP_IF_NONE("VK_EXT_external_memory_host");
}

/* A wrapped picture of 64x64, 4:0:0, in memory whose bounds are said to be [base, base + size). */
static enum qpel_result wrap(struct qpel_context *context, uint8_t *luma, void *base, size_t size,
                             struct qpel_memory_info *info)
{
    struct qpel_picture_format f = picture_format(64, 64, QPEL_CHROMA_400);
    struct qpel_picture_data data = { { luma }, { 64 }, base, size };
    struct qpel_picture *p;
    enum qpel_result r = qpel_picture_wrap(context, &f, &data, &p);

    if (!r)
        *info = place_info(p);
    qpel_picture_destroy(&p);
    return r;
}

static void pages_that_do_not_fit(void **state)
{
    struct qpel_memory_info info = { .cpu = false };
    uint8_t *memory = aligned_alloc(1 << 16, 1 << 18);

    (void)state;
    assert_non_null(memory);
    for (const struct target *t = targets; t < targets + target_count; t++) {
        bool gpu = t->backend == QPEL_BACKEND_GPU && t->device.host_import;
#define EXPECT(luma, base, size, reached)                                                          \
    assert_int_equal(wrap(t->context, luma, base, size, &info), QPEL_OK);                          \
    assert_true(info.cpu &&info.cached);                                                           \
    assert_int_equal(info.gpu, gpu &&reached);                                                     \
    assert_int_equal(!info.reason[0], info.gpu)
        EXPECT(memory, memory, 1 << 16, true);
        EXPECT(memory, NULL, 0, false);
        EXPECT(memory + 1, memory, 1 << 16, false);       /* not at words */
        EXPECT(memory + 64, memory + 64, 1 << 16, false); /* no whole pages */
        EXPECT(memory, memory, (1 << 16) - 4, false);
        EXPECT(memory + (1 << 16) - 4096, memory, 1 << 16, true); /* up to the end */
        EXPECT(memory + (1 << 16) - 4100, memory, 1 << 16, true);
        /* Beyond the bounds. */
        assert_int_equal(wrap(t->context, memory + 4, memory, 4096, &info), QPEL_ERROR_INVALID);
        assert_int_equal(wrap(t->context, memory, memory + 4096, 1 << 16, &info),
                         QPEL_ERROR_INVALID);
        assert_int_equal(wrap(t->context, memory, memory, 0, &info), QPEL_ERROR_INVALID);
    }
    free(memory);
}

/* ---- dma-bufs ---- */

static void exported_pictures(void **state)
{
    struct random r = random_stream(82);

    (void)state;
    FOR_ALL_ABLE(t, t->backend == QPEL_BACKEND_GPU && t->device.dmabuf_export)
    check_export(t, CASES, &r);
    SKIP_IF_NONE("dma-bufs to export");
}

static void pictures_that_cannot_be_exported(void **state)
{
    struct qpel_picture_format f = picture_format(64, 64, QPEL_CHROMA_420);

    (void)state;
    for (const struct target *t = targets; t < targets + target_count; t++) {
        struct qpel_dmabuf d = { .fd = 0 };
        struct qpel_picture *p;
        assert_int_equal(qpel_picture_create(t->context, &f, QPEL_NEAR_GPU, &p), QPEL_OK);
        assert_false(place_info(p).exportable);
        assert_int_equal(qpel_picture_export(p, &d), QPEL_ERROR_UNSUPPORTED);
        assert_int_equal(d.fd, -1);
        qpel_picture_destroy(&p);
        if (!t->device.dmabuf_export && access("/dev/dma_heap", F_OK)) {
            enum qpel_result r = qpel_picture_create_exportable(t->context, &f, QPEL_NEAR_CPU, &p);
            assert_int_equal(r, QPEL_ERROR_UNSUPPORTED);
            assert_null(p);
        }
    }
    assert_int_equal(qpel_picture_export(NULL, &(struct qpel_dmabuf){ .fd = 0 }),
                     QPEL_ERROR_INVALID);
}

/* ---- ends ---- */

static void descriptors_of_submissions(void **state)
{
    struct random r = random_stream(83);

    (void)state;
    FOR_ALL_ABLE(t, t->backend == QPEL_BACKEND_CPU || t->device.completion_fd)
    check_completion(t, CASES, &r);
    SKIP_IF_NONE("SYNC_FD semaphores");
}

/* A device that has none says so, and nothing has started. */
static void descriptors_that_are_not_to_be_had(void **state)
{
    struct random r = random_stream(84);

    (void)state;
    FOR_ALL_ABLE(t, t->backend == QPEL_BACKEND_GPU && !t->device.completion_fd)
    {
        struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU, .completion_fd = true };
        struct picture_case c = case_draw(60, &r);
        struct running run = running_open(&c, t->context, CREATED, CREATED);
        struct qpel_report report;
        qpel_ticket ticket = 99;
        running_collect(&run);
        assert_int_equal(qpel_submit(run.batch, &params, &ticket, &report), QPEL_ERROR_UNSUPPORTED);
        assert_int_equal(ticket, 99);
        assert_non_null(strstr(report.reason, "descriptor"));
        assert_int_equal(running_submit(&run, t), QPEL_OK);
        running_check(&run, t->name);
        running_close(&run);
        case_free(&c);
    }
    SKIP_IF_NONE("no descriptors");
}

/* Of slices: readable when the last has run, and when its batch goes away. */
static void descriptors_of_slices(void **state)
{
    struct random r = random_stream(85);

    (void)state;
    FOR_ALL_ABLE(t, t->backend == QPEL_BACKEND_CPU)
    {
        struct qpel_submit_params params = { .backend = QPEL_BACKEND_CPU,
                                             .slices = 3,
                                             .completion_fd = true };
        struct picture_case c = case_draw(60, &r);
        struct running run = running_open(&c, t->context, CREATED, CREATED);
        int before = place_descriptors(), fds[2];
        qpel_ticket ticket;
        running_collect(&run);
        for (int last = 0; last < 2; last++) {
            assert_int_equal(qpel_submit(run.batch, &params, &ticket, NULL), QPEL_OK);
            for (int i = 0; i < 2; i++)
                assert_int_equal(qpel_ticket_fd(t->context, ticket, &fds[i]), QPEL_OK);
            for (unsigned i = 0; i < 3 - (unsigned)last; i++) {
                assert_false(fd_readable(fds[0], 0) || fd_readable(fds[1], 0));
                assert_int_equal(qpel_run_slice(run.batch, i), QPEL_OK);
            }
            if (last)
                qpel_batch_destroy(&run.batch);
            else
                running_check(&run, t->name);
            for (int i = 0; i < 2; i++) {
                assert_true(fd_readable(fds[i], 0));
                close(fds[i]);
            }
        }
        running_close(&run);
        assert_int_equal(place_descriptors(), before);
        case_free(&c);
    }
    SKIP_IF_NONE("slices");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pages_of_the_caller),
        cmocka_unit_test(pages_that_do_not_fit),
        cmocka_unit_test(exported_pictures),
        cmocka_unit_test(pictures_that_cannot_be_exported),
        cmocka_unit_test(descriptors_of_submissions),
        cmocka_unit_test(descriptors_that_are_not_to_be_had),
        cmocka_unit_test(descriptors_of_slices),
    };
    int failed;
    target_count = targets_open(targets, &failed);
    split_luma(targets, target_count);
    int status = failed ? EXIT_FAILURE : EXIT_SKIPPED;
    if (!failed && target_count)
        status = RUN_GROUP("shared pictures", tests);
    targets_close(targets, target_count);
    return status;
}
