/* Memory that runs out: each allocation of the library fails in turn; it says so, and leaks
 * nothing. The linker puts the functions below in the place of libc's. */
#define _GNU_SOURCE /* mkstemp(), memfd_create() */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <qpel/picture.h>

#include "batch.h"
#include "harness.h"

static bool counting; /* within calls of the library */
static unsigned allocations, fail_at;
static int live;

static bool fails(void)
{
    return counting && ++allocations == fail_at;
}

#define WRAPPED(name, parameters, arguments)                                                       \
    void *__real_##name parameters;                                                                \
    void *__wrap_##name parameters;                                                                \
    void *__wrap_##name parameters                                                                 \
    {                                                                                              \
        void *p = fails() ? NULL : __real_##name arguments;                                        \
        live += counting && p;                                                                     \
        return p;                                                                                  \
    }

WRAPPED(malloc, (size_t size), (size))
WRAPPED(calloc, (size_t count, size_t size), (count, size))
WRAPPED(aligned_alloc, (size_t alignment, size_t size), (alignment, size))
WRAPPED(strdup, (const char *text), (text))

void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size)
{
    void *p = fails() ? NULL : __real_realloc(old, size);
    live += counting && p && !old;
    return p;
}

void __real_free(void *p);
void __wrap_free(void *p);
void __wrap_free(void *p)
{
    live -= counting && p;
    __real_free(p);
}

/* ---- what is done while memory runs out ---- */

static char path[] = "/tmp/qpel-test-XXXXXX";
static int memory;                /* of a picture */
static struct batch batch, whole; /* whole: in one plane, whose overlaps are looked at */

/* First failure of a list of calls. */
static enum qpel_result first(enum qpel_result before, enum qpel_result now)
{
    return before ? before : now;
}

static enum qpel_result dispatch(struct qpel_context *context, const struct batch *b,
                                 struct qpel_buffer *buffer, uint8_t *plain)
{
    struct qpel_dispatch_params params = batch_params(b, QPEL_BACKEND_CPU);

    params.dst.buffer = buffer;
    params.dst.data = buffer ? NULL : plain;
    params.src.data = b->src;
    return qpel_dispatch(context, &params, NULL);
}

/* Pictures of all kinds that the CPU alone can have, and a submission that tells its end. */
static enum qpel_result use_pictures(struct qpel_context *context)
{
    struct qpel_picture_format f = { .width = 64, .height = 64, .chroma = QPEL_CHROMA_400 };
    struct qpel_picture_block block = { .width = 16, .height = 16, .references = 1 };
    struct qpel_submit_params params = { .backend = QPEL_BACKEND_CPU,
                                         .slices = 1,
                                         .completion_fd = true };
    static uint8_t bytes[4096];
    struct qpel_picture_data data = { { bytes }, { 64 }, bytes, sizeof bytes };
    struct qpel_dmabuf dmabuf = { .fd = memory, .stride = { 64 } }, out;
    struct qpel_picture *made = NULL, *wrapped = NULL, *imported = NULL;
    struct qpel_batch *b = NULL;
    qpel_ticket ticket;
    uint8_t index;
    int fd;

    enum qpel_result r = qpel_picture_create(context, &f, QPEL_NEAR_CPU, &made);
    r = first(r, qpel_picture_wrap(context, &f, &data, &wrapped));
    r = first(r, qpel_picture_import(context, &f, &dmabuf, &imported));
    r = first(r, qpel_batch_create(context, &b));
    if (imported && !qpel_picture_export(imported, &out))
        close(out.fd);
    if (made && imported && b) {
        r = first(r, qpel_batch_begin(b, imported));
        r = first(r, qpel_batch_reference(b, made, QPEL_FRAME, &index));
        r = first(r, qpel_batch_add(b, &block, 1, NULL));
        enum qpel_result submitted = qpel_submit(b, &params, &ticket, NULL);
        r = first(r, submitted);
        if (!submitted) {
            r = first(r, qpel_ticket_fd(context, ticket, &fd));
            if (fd >= 0)
                close(fd);
        }
    }
    /* The slice is never run. */
    qpel_batch_destroy(&b);
    qpel_picture_destroy(&made);
    qpel_picture_destroy(&wrapped);
    qpel_picture_destroy(&imported);
    return r;
}

static int open_files(void)
{
    int count = 0;

    for (int fd = 0; fd < 256; fd++)
        count += fcntl(fd, F_GETFD) >= 0;
    return count;
}

static enum qpel_result use_everything(uint8_t *plain)
{
    struct qpel_recipe *recipe = NULL, *loaded = NULL, *shipped = NULL;
    struct qpel_context *context = NULL;
    struct qpel_buffer *buffer = NULL;
    struct qpel_recipe_line line = { .backend = QPEL_BACKEND_CPU, .position = 5 };
    void *data;

    enum qpel_result r = qpel_recipe_default(&shipped);
    r = first(r, qpel_recipe_create(&recipe));
    if (recipe) {
        for (int i = 0; i < 40; i++)
            r = first(r, qpel_recipe_add(recipe, &line));
        r = first(r, qpel_recipe_save(recipe, path));
        r = first(r, qpel_recipe_load(&loaded, path, NULL));
    }
    struct qpel_context_params params = {
        .backend = QPEL_BACKEND_CPU,
        .device = "nothing",
        .recipe = loaded,
    };
    enum qpel_result made = qpel_context_create(&context, &params);
    r = first(r, made);
    if (!made) {
        enum qpel_result got = qpel_buffer_create(context, batch.dst_size, QPEL_NEAR_CPU, &buffer);
        r = first(r, got);
        r = first(r, dispatch(context, &batch, NULL, plain));
        r = first(r, dispatch(context, &whole, NULL, plain));
        if (!got) {
            r = first(r, dispatch(context, &batch, buffer, NULL));
            r = first(r, qpel_buffer_begin(buffer, QPEL_READ, &data));
            r = first(r, qpel_buffer_end(buffer));
        }
        qpel_buffer_destroy(&buffer);
        r = first(r, use_pictures(context));
    }
    qpel_context_destroy(&context);
    qpel_recipe_destroy(&shipped);
    qpel_recipe_destroy(&loaded);
    qpel_recipe_destroy(&recipe);
    return r;
}

static void each_allocation_fails_in_turn(void **state)
{
    size_t size = batch.dst_size > whole.dst_size ? batch.dst_size : whole.dst_size;
    uint8_t *plain = calloc(1, size);
    unsigned total = 1;

    (void)state;
    assert_non_null(plain);
    for (unsigned n = 0; n <= total; n++) {
        allocations = 0;
        live = 0;
        fail_at = n;
        int files = open_files();
        counting = true;
        enum qpel_result r = use_everything(plain);
        counting = false;
        assert_int_equal(open_files(), files);
        if (n == 0)
            total = allocations;
        /* stdio's memory is not the library's to report: a file that can't be opened is IO. */
        if (n == 0 ? r != QPEL_OK : r != QPEL_ERROR_NOMEM && r != QPEL_ERROR_IO)
            fail_msg("allocation %u fails: %s", n, qpel_result_name(r));
        if (live)
            fail_msg("allocation %u fails: %d are left", n, live);
    }
    printf("# %u allocations failed in turn\n", total);
    assert_true(total >= 8);
    free(plain);
}

/* Steady state allocates nothing. */
static void steady_state_allocates_nothing(void **state)
{
    struct qpel_context *context;
    struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU };
    uint8_t *plain = calloc(1, whole.dst_size);

    (void)state;
    assert_non_null(plain);
    fail_at = 0;
    assert_int_equal(qpel_context_create(&context, &params), QPEL_OK);
    for (int i = 0; i < 5; i++) {
        allocations = 0;
        counting = true;
        enum qpel_result r = dispatch(context, &whole, NULL, plain);
        counting = false;
        assert_int_equal(r, QPEL_OK);
        assert_true(i == 0 || allocations == 0);
    }
    qpel_context_destroy(&context);
    free(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_allocation_fails_in_turn),
        cmocka_unit_test(steady_state_allocates_nothing),
    };
    struct random r = random_stream(1);
    struct batch_shape shape = {
        .kernel = { QPEL_PUT, QPEL_SIZE_8, 10 }, .count = 30, .dst_unit = 1, .src_align = -1
    };
    int fd = mkstemp(path);
    if (fd < 0)
        return 1;
    close(fd);
    memory = memfd_create("a picture", MFD_CLOEXEC);
    if (memory < 0 || ftruncate(memory, 4096))
        return 1;
    batch = batch_make(&shape, &r);
    shape.count = 4000;
    whole = batch_make(&shape, &r);
    int status = RUN_GROUP("allocation", tests);
    batch_free(&batch);
    batch_free(&whole);
    remove(path);
    return status;
}
