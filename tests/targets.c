#include "targets.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels.h"

void print_log(void *user, enum qpel_log_level level, const char *message)
{
    (void)user;
    printf("# log %d: %s\n", (int)level, message);
}

void uuid_text(const struct qpel_device *device, char text[UUID_TEXT_SIZE])
{
    for (int i = 0; i < QPEL_UUID_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", device->uuid[i]);
}

static int open_layers(struct target *targets, int room)
{
    struct cpu_layer layers[CPU_LAYERS_MAX];
    int count = cpu_layers(layers);

    for (int i = 0; i < count && i < room; i++) {
        struct qpel_context_params params = {
            .backend = QPEL_BACKEND_CPU,
            .cpu_hidden = ~layers[i].mask,
            .log = print_log,
        };
        struct target *t = &targets[i];
        *t = (struct target){ .backend = QPEL_BACKEND_CPU };
        snprintf(t->name, sizeof t->name, "cpu %s", layers[i].name);
        if (qpel_context_create(&t->context, &params)) {
            printf("# %s: no context\n", t->name);
            abort();
        }
    }
    return count < room ? count : room;
}

static bool open_device(struct target *t, const struct qpel_device *device, int *failed)
{
    char uuid[UUID_TEXT_SIZE];
    struct qpel_context_params params = {
        .backend = QPEL_BACKEND_GPU,
        .device = uuid,
        .timeout_ms = 120000, /* sanitizers on a software device on a busy machine */
        .log = print_log,
    };

    uuid_text(device, uuid);
    *t = (struct target){ .backend = QPEL_BACKEND_GPU, .device = *device };
    snprintf(t->name, sizeof t->name, "gpu %s", device->name);
    enum qpel_result r = qpel_context_create(&t->context, &params);
    if (r) {
        printf("# %s: %s\n", t->name, qpel_result_name(r));
        *failed += r != QPEL_ERROR_UNSUPPORTED;
        return false;
    }
    return true;
}

static int open_devices(struct target *targets, int room, int *failed)
{
    static struct qpel_device devices[TARGETS_MAX];
    struct qpel_context *lister;
    size_t count = TARGETS_MAX;
    int opened = 0;

    if (qpel_context_create(&lister, NULL) || qpel_context_devices(lister, devices, &count))
        abort();
    if (count == 0)
        printf("# no Vulkan device\n");
    for (size_t i = 0; i < count && i < TARGETS_MAX && opened < room; i++)
        opened += open_device(&targets[opened], &devices[i], failed);
    qpel_context_destroy(&lister);
    return opened;
}

int targets_open(struct target targets[TARGETS_MAX], int *failed)
{
    const char *only = getenv("QPEL_TEST_TARGETS");
    int count = 0;

    *failed = 0;
    if (!only || !strcmp(only, "cpu"))
        count = open_layers(targets, TARGETS_MAX);
    if (!only || !strcmp(only, "gpu"))
        count += open_devices(targets + count, TARGETS_MAX - count, failed);
    for (int i = 0; i < count; i++)
        printf("# target: %s\n", targets[i].name);
    fflush(stdout);
    return count;
}

void targets_close(struct target *targets, int count)
{
    for (int i = 0; i < count; i++)
        qpel_context_destroy(&targets[i].context);
}
