/* Devices that this machine does not have: which is taken, and that the library keeps to
 * their memory and limits. The mock runs their work on a real one. */
#define _GNU_SOURCE /* setenv() */
#include <stdlib.h>
#include <string.h>

#include "batch.h"
#include "guard.h"
#include "harness.h"
#include "mock_vulkan.h"

#define INTEGRATED VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU
#define DISCRETE   VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU
#define VIRTUAL    VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU
#define SOFTWARE   VK_PHYSICAL_DEVICE_TYPE_CPU
#define COMPUTE    VK_QUEUE_COMPUTE_BIT
#define TRANSFER   VK_QUEUE_TRANSFER_BIT
#define GRAPHICS   VK_QUEUE_GRAPHICS_BIT

/* Long, for slow machines that compile shaders at first use. */
enum { TIMEOUT_MS = 120000 };

static bool vulkan_here;

static void need_vulkan(void)
{
    if (!vulkan_here)
        SKIP_TEST("no Vulkan device to stand in for others");
    mock_reset();
}

static void expect_clean(void)
{
    assert_int_equal(mock.live, 0);
    assert_int_equal(mock.violations, 0);
}

/* ---- the choice ---- */

/* Which device a context takes, by name; "" if none. The reason is for none. */
static void taken(const char *wish, char name[QPEL_NAME_SIZE], char reason[QPEL_REASON_SIZE])
{
    struct qpel_context *context;
    struct qpel_context_params params = { .device = wish, .timeout_ms = TIMEOUT_MS };
    struct qpel_device device = { .name = "" };

    assert_int_equal(qpel_context_create(&context, &params), QPEL_OK);
    strcpy(reason, "");
    enum qpel_result r = qpel_context_gpu(context, &device, reason);
    strcpy(name, r ? "" : device.name);
    assert_int_equal(*reason != 0, r != QPEL_OK);
    qpel_context_destroy(&context);
    expect_clean();
}

static void expect_taken(const char *wish, const char *name)
{
    char is[QPEL_NAME_SIZE], reason[QPEL_REASON_SIZE];

    taken(wish, is, reason);
    if (strcmp(is, name))
        fail_msg("asked for %s: %s is taken, not %s (%s)", wish ? wish : "nothing", is, name,
                 reason);
}

static void a_real_gpu_comes_first(void **state)
{
    (void)state;
    need_vulkan();
    mock.devices[0] = (struct mock_device){ .name = "llvm", .type = SOFTWARE, .uuid = 1 };
    mock.devices[1] = (struct mock_device){ .name = "guest", .type = VIRTUAL, .uuid = 2 };
    mock.devices[2] = (struct mock_device){ .name = "V3D", .type = INTEGRATED, .uuid = 0xab };
    mock.devices[3] = (struct mock_device){ .name = "Card", .type = DISCRETE, .uuid = 4 };
    mock.device_count = 4;
    expect_taken(NULL, "Card");
    expect_taken("", "Card");
    expect_taken("v3d", "V3D");
    expect_taken("UES", "guest");
    expect_taken("software", "llvm");
    expect_taken("Software", "llvm");
    expect_taken("LLVM", "llvm");
    expect_taken("abababababababababababababababab", "V3D");
    expect_taken("ABABABAB-ABAB-ABAB-ABAB-ABABABABABAB", "V3D");
    expect_taken("abababababababababababababababac", "");
    expect_taken("Radeon", "");
    mock.device_count = 3;
    expect_taken(NULL, "V3D");
    mock.device_count = 2;
    expect_taken(NULL, "guest");
    expect_taken("V3D", "");
    mock.device_count = 1;
    expect_taken(NULL, "");
    mock.device_count = 0;
    expect_taken(NULL, "");
    expect_taken("software", "");
}

static void the_environment_names_a_device(void **state)
{
    struct qpel_context *context;
    struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU };

    (void)state;
    need_vulkan();
    mock.devices[1] = (struct mock_device){ .name = "llvm", .type = SOFTWARE, .uuid = 1 };
    mock.device_count = 2;
    setenv("QPEL_DEVICE", "software", 1);
    expect_taken(NULL, "llvm");
    expect_taken("v3d", "V3D 7.1.7 (mock)");
    /* A context for the CPU looks for no GPU at all. */
    setenv("QPEL_BACKEND", "gpu", 1);
    mock.calls = 0;
    assert_int_equal(qpel_context_create(&context, &params), QPEL_OK);
    assert_int_equal(qpel_context_gpu(context, NULL, NULL), QPEL_ERROR_UNSUPPORTED);
    size_t count = 0;
    assert_int_equal(qpel_context_devices(context, NULL, &count), QPEL_OK);
    assert_int_equal(count, 0);
    assert_int_equal(mock.calls, 0);
    qpel_context_destroy(&context);
    unsetenv("QPEL_DEVICE");
    unsetenv("QPEL_BACKEND");
}

static void those_not_taken_say_why(void **state)
{
    struct qpel_context *context;
    struct qpel_device list[4];
    size_t count = 4;

    (void)state;
    need_vulkan();
    mock.devices[0] = (struct mock_device){ .name = "old",
                                            .type = DISCRETE,
                                            .api_version = VK_MAKE_API_VERSION(0, 1, 0, 99) };
    mock.devices[1] = (struct mock_device){ .name = "copier",
                                            .type = DISCRETE,
                                            .families = { TRANSFER, GRAPHICS } };
    mock.devices[2] =
        (struct mock_device){ .name = "dark", .type = DISCRETE, .memory = MOCK_MEMORY_INVISIBLE };
    mock.devices[3] = (struct mock_device){ .name = "broken",
                                            .type = DISCRETE,
                                            .create_result = VK_ERROR_INITIALIZATION_FAILED };
    mock.device_count = 4;
    assert_int_equal(qpel_context_create(&context, NULL), QPEL_OK);
    assert_int_equal(qpel_context_gpu(context, NULL, NULL), QPEL_ERROR_UNSUPPORTED);
    assert_int_equal(qpel_context_devices(context, list, &count), QPEL_OK);
    assert_int_equal(count, 4);
    for (size_t i = 0; i < count; i++) {
        printf("# %s: %s\n", list[i].name, list[i].reason);
        assert_false(list[i].taken);
        assert_string_not_equal(list[i].reason, "");
    }
    assert_non_null(strstr(list[0].reason, "1.1"));
    assert_non_null(strstr(list[1].reason, "compute"));
    assert_non_null(strstr(list[2].reason, "memory"));
    assert_non_null(strstr(list[3].reason, "VK_ERROR_INITIALIZATION_FAILED"));
    qpel_context_destroy(&context);
    expect_clean();
    /* The next best stands in for one that fails. */
    mock.devices[0] = (struct mock_device){ .name = "V3D", .type = INTEGRATED };
    expect_taken(NULL, "V3D");
    /* Room for fewer than there are, and for none. */
    assert_int_equal(qpel_context_create(&context, NULL), QPEL_OK);
    count = 1;
    memset(list, 0, sizeof list);
    assert_int_equal(qpel_context_devices(context, list, &count), QPEL_OK);
    assert_int_equal(count, 4);
    assert_string_equal(list[1].name, "");
    count = 0;
    assert_int_equal(qpel_context_devices(context, NULL, &count), QPEL_OK);
    assert_int_equal(count, 4);
    assert_int_equal(qpel_context_devices(context, NULL, &count), QPEL_ERROR_INVALID);
    qpel_context_destroy(&context);
    expect_clean();
}

/* ---- work on odd devices ---- */

/* Some batches of every family, in plain memory and buffers; and no misuse. */
static void expect_exact(const char *what)
{
    struct target t = { .backend = QPEL_BACKEND_GPU };
    struct qpel_context_params params = { .backend = QPEL_BACKEND_GPU,
                                          .timeout_ms = TIMEOUT_MS,
                                          .log = print_log };
    struct random r = random_stream(1);

    snprintf(t.name, sizeof t.name, "%s", what);
    assert_int_equal(qpel_context_create(&t.context, &params), QPEL_OK);
    for (int n = 0; n < KERNEL_COUNT; n += 5) {
        struct batch_shape shape = {
            .kernel = kernel_of(n),
            .count = 100,
            .dst_unit = 4,
            .src_align = -1,
            .kind = n % HOSTILE_KINDS,
        };
        struct batch b = batch_make(&shape, &r);
        for (int memory = 0; memory < 4; memory++)
            assert_true(batch_run(&b, &t, memory & 1, memory >> 1, &r, NULL));
        batch_free(&b);
    }
    qpel_context_destroy(&t.context);
    expect_clean();
}

static void memory_like_v3ds(void **state)
{
    (void)state;
    need_vulkan();
    expect_exact("V3D's memory");
}

static void memory_that_is_not_coherent(void **state)
{
    (void)state;
    need_vulkan();
    mock.devices[0].memory = MOCK_MEMORY_NOT_COHERENT;
    expect_exact("memory that is not coherent");
}

static void memory_of_two_kinds(void **state)
{
    (void)state;
    need_vulkan();
    mock.devices[0].memory = MOCK_MEMORY_SPLIT;
    expect_exact("memory apart");
}

static void queue_families_in_any_order(void **state)
{
    static const VkQueueFlags orders[][MOCK_FAMILIES_MAX] = {
        { COMPUTE },
        { TRANSFER, COMPUTE },
        { TRANSFER, GRAPHICS, COMPUTE | TRANSFER },
        { GRAPHICS, TRANSFER, GRAPHICS | COMPUTE, COMPUTE },
    };

    (void)state;
    need_vulkan();
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        memcpy(mock.devices[0].families, orders[i], sizeof orders[i]);
        expect_exact("queue families");
    }
}

static void no_timestamps(void **state)
{
    (void)state;
    need_vulkan();
    mock.devices[0].no_timestamps = true;
    expect_exact("no timestamps");
}

/* Three groups of 64 lanes at a time, thousands of them. */
static void few_groups(void **state)
{
    struct target t = { .name = "few groups", .backend = QPEL_BACKEND_GPU };
    struct qpel_context_params params = { .backend = QPEL_BACKEND_GPU, .timeout_ms = TIMEOUT_MS };
    struct random r = random_stream(2);

    (void)state;
    need_vulkan();
    mock.devices[0].max_groups = 3;
    expect_exact("few groups");
    assert_int_equal(qpel_context_create(&t.context, &params), QPEL_OK);
    for (int size = 0; size < QPEL_SIZE_COUNT; size++) {
        struct batch_shape shape = {
            .kernel = { QPEL_AVG, (enum qpel_size)size, 6 },
            .count = 5000,
            .dst_unit = 4,
            .src_align = -1,
        };
        struct batch b = batch_make(&shape, &r);
        assert_true(batch_run(&b, &t, size == 1, size == 2, &r, NULL));
        batch_free(&b);
    }
    qpel_context_destroy(&t.context);
    expect_clean();
}

/* What a device can't bind: refused, or left to the CPU, and never bound. */
static void small_storage_range(void **state)
{
    enum { RANGE = 1 << 16, LARGE = 4 * RANGE, STRIDE = 256 };
    static uint8_t dst[LARGE], src[LARGE];
    struct qpel_context *context;
    struct qpel_buffer *buffer;
    struct qpel_report report;
    struct qpel_block blocks[2] = { { 0, 8 * STRIDE + 8 },
                                    { LARGE - 8 * STRIDE, LARGE - 16 * STRIDE } };

    (void)state;
    need_vulkan();
    mock.devices[0].max_storage_range = RANGE;
    expect_exact("a small storage range");
    struct qpel_context_params params = { .timeout_ms = TIMEOUT_MS };
    assert_int_equal(qpel_context_create(&context, &params), QPEL_OK);
    struct qpel_dispatch_params p = {
        .backend = QPEL_BACKEND_GPU,
        .size = QPEL_SIZE_8,
        .position = 10,
        .dst = { .data = dst, .size = LARGE, .stride = STRIDE },
        .src = { .data = src, .size = LARGE, .stride = STRIDE },
        .blocks = blocks,
        .count = 2,
    };
    assert_int_equal(qpel_dispatch(context, &p, &report), QPEL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(report.reason, "maxStorageBufferRange"));
    p.backend = QPEL_BACKEND_AUTO;
    assert_int_equal(qpel_dispatch(context, &p, &report), QPEL_OK);
    assert_int_equal(report.backend, QPEL_BACKEND_CPU);
    assert_non_null(strstr(report.reason, "maxStorageBufferRange"));
    /* Large planes are fine where the blocks touch little of them. */
    p.backend = QPEL_BACKEND_GPU;
    p.count = 1;
    assert_int_equal(qpel_dispatch(context, &p, &report), QPEL_OK);
    assert_int_equal(report.backend, QPEL_BACKEND_GPU);
    /* A large buffer can be had, for the CPU. */
    assert_int_equal(qpel_buffer_create(context, LARGE, QPEL_NEAR_CPU, &buffer), QPEL_OK);
    p.dst.data = NULL;
    p.dst.buffer = buffer;
    assert_int_equal(qpel_dispatch(context, &p, &report), QPEL_ERROR_UNSUPPORTED);
    assert_non_null(strstr(report.reason, "maxStorageBufferRange"));
    p.backend = QPEL_BACKEND_CPU;
    assert_int_equal(qpel_dispatch(context, &p, &report), QPEL_OK);
    qpel_buffer_destroy(&buffer);
    qpel_context_destroy(&context);
    expect_clean();
}

/* ---- no Vulkan at all ---- */

static void expect_cpu_only(void)
{
    struct qpel_context *context;
    struct qpel_context_params params = { .backend = QPEL_BACKEND_GPU };
    char reason[QPEL_REASON_SIZE] = "";
    struct target t = { .name = "cpu", .backend = QPEL_BACKEND_CPU };
    struct random r = random_stream(3);
    struct batch_shape shape = {
        .kernel = { QPEL_PUT, QPEL_SIZE_8, 10 }, .count = 9, .dst_unit = 4, .src_align = -1
    };
    struct batch b = batch_make(&shape, &r);

    assert_int_equal(qpel_context_create(&context, &params), QPEL_ERROR_UNSUPPORTED);
    assert_null(context);
    assert_int_equal(qpel_context_create(&context, NULL), QPEL_OK);
    assert_int_equal(qpel_context_gpu(context, NULL, reason), QPEL_ERROR_UNSUPPORTED);
    printf("# %s\n", reason);
    assert_string_not_equal(reason, "");
    t.context = context;
    assert_true(batch_run(&b, &t, BUFFER, BUFFER, &r, NULL));
    assert_true(batch_run(&b, &t, PLAIN, PLAIN, &r, NULL));
    batch_free(&b);
    qpel_context_destroy(&context);
    assert_int_equal(mock.live, 0);
}

static void no_loader(void **state)
{
    (void)state;
    mock_reset();
    mock.hidden = true;
    expect_cpu_only();
}

static void no_driver(void **state)
{
    (void)state;
    if (!vulkan_here)
        SKIP_TEST("no Vulkan loader");
    mock_reset();
    mock.enabled = false;
    setenv("VK_DRIVER_FILES", "/nonexistent.json", 1);
    setenv("VK_ICD_FILENAMES", "/nonexistent.json", 1);
    expect_cpu_only();
    unsetenv("VK_DRIVER_FILES");
    unsetenv("VK_ICD_FILENAMES");
}

/* ---- extensions ---- */

static unsigned devices_created(void)
{
    unsigned n = 0;

    for (unsigned i = 0; i < mock.calls; i++)
        n += !strcmp(mock.names[i], "vkCreateDevice");
    return n;
}

/* Opens the device, which is V3D and shares all there is but for what its driver refuses. */
static enum qpel_result open_sharing(struct qpel_context **context, struct qpel_device *device,
                                     VkResult refuses, VkResult create_result)
{
    size_t count = 1;

    mock_reset();
    mock.devices[0].dma_buf = mock.devices[0].sync_fd = mock.devices[0].host_import = true;
    mock.devices[0].refuses = refuses;
    mock.devices[0].create_result = create_result;
    assert_int_equal(qpel_context_create(context, NULL), QPEL_OK);
    enum qpel_result r = qpel_context_gpu(*context, NULL, NULL);
    assert_int_equal(qpel_context_devices(*context, device, &count), QPEL_OK);
    assert_int_equal(device->taken, r == QPEL_OK);
    printf("# %s\n", device->reason);
    return r;
}

static void refused_extensions_are_done_without(void **state)
{
    static const VkResult refusals[] = { VK_ERROR_EXTENSION_NOT_PRESENT,
                                         VK_ERROR_FEATURE_NOT_PRESENT,
                                         VK_ERROR_INITIALIZATION_FAILED };
    struct qpel_context *context;
    struct qpel_device device;

    (void)state;
    need_vulkan();
    assert_int_equal(open_sharing(&context, &device, VK_SUCCESS, VK_SUCCESS), QPEL_OK);
    assert_true(device.dmabuf_import && device.completion_fd && device.host_import);
    assert_null(strstr(device.reason, "refuses"));
    assert_int_equal(devices_created(), 1);
    qpel_context_destroy(&context);
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        assert_int_equal(open_sharing(&context, &device, refusals[i], VK_SUCCESS), QPEL_OK);
        assert_int_equal(devices_created(), 2);
        assert_false(device.dmabuf_import || device.dmabuf_export || device.host_import ||
                     device.completion_fd);
        assert_non_null(strstr(device.reason, "refuses"));
        assert_non_null(strstr(device.reason, i ? i == 1 ? "FEATURE" : "INITIAL" : "EXTENSION"));
        qpel_context_destroy(&context);
        expect_exact("without extensions");
    }
    /* It was not for them; or not for them alone. */
    assert_int_equal(open_sharing(&context, &device, VK_SUCCESS, VK_ERROR_INITIALIZATION_FAILED),
                     QPEL_ERROR_UNSUPPORTED);
    assert_int_equal(devices_created(), 2);
    assert_non_null(strstr(device.reason, "INITIALIZATION_FAILED"));
    qpel_context_destroy(&context);
    assert_int_equal(open_sharing(&context, &device, VK_ERROR_OUT_OF_HOST_MEMORY, VK_SUCCESS),
                     QPEL_ERROR_UNSUPPORTED);
    assert_int_equal(devices_created(), 1);
    qpel_context_destroy(&context);
    expect_clean();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_real_gpu_comes_first),
        cmocka_unit_test(the_environment_names_a_device),
        cmocka_unit_test(those_not_taken_say_why),
        cmocka_unit_test(memory_like_v3ds),
        cmocka_unit_test(memory_that_is_not_coherent),
        cmocka_unit_test(memory_of_two_kinds),
        cmocka_unit_test(queue_families_in_any_order),
        cmocka_unit_test(no_timestamps),
        cmocka_unit_test(refused_extensions_are_done_without),
        cmocka_unit_test(few_groups),
        cmocka_unit_test(small_storage_range),
        cmocka_unit_test(no_loader),
        cmocka_unit_test(no_driver),
    };
    vulkan_here = mock_possible();
    return RUN_GROUP("devices", tests);
}
