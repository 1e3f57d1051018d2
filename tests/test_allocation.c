/* Memory that runs out: each allocation of the library fails in turn; it says so, and leaks
 * nothing. The linker puts the functions below in the place of libc's. */
#define _GNU_SOURCE /* mkstemp() */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
        counting = true;
        enum qpel_result r = use_everything(plain);
        counting = false;
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
    batch = batch_make(&shape, &r);
    shape.count = 4000;
    whole = batch_make(&shape, &r);
    int status = RUN_GROUP("allocation", tests);
    batch_free(&batch);
    batch_free(&whole);
    remove(path);
    return status;
}
