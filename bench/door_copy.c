/* What the device itself needs to copy so many bytes. */
#include <stdlib.h>
#include <string.h>

#include "door_vulkan.h"

struct copy {
    struct door_device *device;
    size_t bytes;
    struct door_buffer src, dst, shown; /* shown: to the CPU */
};

static void record(struct copy *c, const struct door_buffer *from, const struct door_buffer *to)
{
    const VkBufferCopy all = { .size = c->bytes };

    c->device->vk.vkCmdCopyBuffer(c->device->commands, from->handle, to->handle, 1, &all);
    door_commands_separate(c->device);
}

/* A pattern to src, by the copy that is measured to dst, and back to the CPU. */
static bool prove(struct copy *c)
{
    struct door_device *d = c->device;
    uint8_t *shown = c->shown.data;
    double gpu, wall;
    bool equal = true;

    for (size_t i = 0; i < c->bytes; i++)
        shown[i] = (uint8_t)(i * 0x9E3779B1u >> 24);
    if (!door_commands_begin(d))
        return false;
    record(c, &c->shown, &c->src);
    d->vk.vkCmdFillBuffer(d->commands, c->dst.handle, 0, VK_WHOLE_SIZE, 0);
    d->vk.vkCmdFillBuffer(d->commands, c->shown.handle, 0, VK_WHOLE_SIZE, 0);
    door_commands_separate(d);
    record(c, &c->src, &c->dst);
    record(c, &c->dst, &c->shown);
    if (!door_commands_run(d, &gpu, &wall))
        return false;
    for (size_t i = 0; i < c->bytes; i++)
        equal &= shown[i] == (uint8_t)(i * 0x9E3779B1u >> 24);
    return equal;
}

bool door_device_rouse(struct door_device *d)
{
    const double until = measure_now() + 0.010;
    const VkBufferCopy all = { .size = 64 << 20 };
    double gpu, wall;

    if (d->gpu->device.info->kind != QPEL_DEVICE_DISCRETE)
        return true;
    for (int i = 0; i < 2; i++)
        if (!d->rouse[i].handle && !door_buffer_create(d, all.size, DOOR_OWN, &d->rouse[i]))
            return false;
    do {
        if (!door_commands_begin(d))
            return false;
        for (int i = 0; i < 8; i++) {
            d->vk.vkCmdCopyBuffer(d->commands, d->rouse[0].handle, d->rouse[1].handle, 1, &all);
            door_commands_separate(d);
        }
        if (!door_commands_run(d, &gpu, &wall))
            return false;
    } while (measure_now() < until);
    return true;
}

static bool measure_rounds(struct copy *c, double *figures, unsigned rounds)
{
    for (unsigned i = 0; i < rounds; i++) {
        double gpu, wall;

        if (!door_device_rouse(c->device) || !door_commands_begin(c->device))
            return false;
        record(c, &c->src, &c->dst);
        if (!door_commands_run(c->device, &gpu, &wall))
            return false;
        /* A clock that takes its time when commands are recorded, not run, tells nothing. */
        figures[i] = gpu > 0 ? gpu : wall;
    }
    return true;
}

bool door_device_copy(struct door_device *device, size_t bytes, unsigned rounds,
                      struct measure_stat *seconds, char why[BENCH_LINE_SIZE])
{
    struct copy c = { .device = device, .bytes = bytes };
    double *figures = malloc(rounds * sizeof(*figures));
    bool ok = figures && door_buffer_create(device, bytes, DOOR_OWN, &c.src) &&
              door_buffer_create(device, bytes, DOOR_OWN, &c.dst) &&
              door_buffer_create(device, bytes, DOOR_SHOWN, &c.shown);

    snprintf(why, BENCH_LINE_SIZE, ok ? "the device's own copy went wrong" : "no memory");
    ok = ok && prove(&c) && measure_rounds(&c, figures, rounds);
    if (ok)
        *seconds = measure_stat_of(figures, rounds);
    door_buffer_destroy(device, &c.src);
    door_buffer_destroy(device, &c.dst);
    door_buffer_destroy(device, &c.shown);
    free(figures);
    return ok;
}
