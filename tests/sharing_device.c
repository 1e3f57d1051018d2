#include "sharing_device.h"

static int descriptors;

void need_vulkan(void)
{
    static int possible = -1;

    if (possible < 0)
        possible = mock_possible();
    if (!possible)
        SKIP_TEST("no Vulkan device to stand in for others");
    mock_reset();
    mock.devices[0].dma_buf = mock.devices[0].sync_fd = true;
    mock.map = fake_device_map;
    fake_kernel_reset();
    place_dmabuf = fake_dmabuf;
}

struct target sharing_open(enum qpel_backend backend)
{
    struct target t = { .name = "gpu (mock)", .backend = backend };
    struct qpel_context_params params = { .backend = backend, .timeout_ms = PATIENCE_MS };

    assert_int_equal(qpel_context_create(&t.context, &params), QPEL_OK);
    descriptors = place_descriptors();
    return t;
}

void sharing_close(struct target *t)
{
    assert_int_equal(place_descriptors(), descriptors);
    sharing_close_lost(t);
}

void sharing_close_lost(struct target *t)
{
    assert_int_equal(fake_kernel.mapped, 0);
    qpel_context_destroy(&t->context);
    assert_int_equal(mock.live, 0);
    assert_int_equal(mock.violations, 0);
    place_free_pages();
}
