/* Built without Vulkan: no device can be looked at from below, and none is there. */
#include <stdio.h>

#include "door.h"

struct door_device *door_device_open(struct qpel_context *context, char why[BENCH_LINE_SIZE])
{
    (void)context;
    snprintf(why, BENCH_LINE_SIZE, "built without Vulkan");
    return NULL;
}

void door_device_close(struct door_device *device)
{
    (void)device;
}

bool door_device_rouse(struct door_device *device)
{
    (void)device;
    return false;
}

double door_device_queued_at(const struct door_device *device)
{
    (void)device;
    return 0;
}

bool door_device_copy(struct door_device *device, size_t bytes, unsigned rounds,
                      struct measure_stat *seconds, char why[BENCH_LINE_SIZE])
{
    (void)device, (void)bytes, (void)rounds, (void)seconds, (void)why;
    return false;
}

bool door_device_baseline(struct door_device *device, const struct door_work *work,
                          const struct door_images *images, unsigned rounds,
                          struct measure_stat *gpu, struct measure_stat *wall,
                          char why[BENCH_LINE_SIZE])
{
    (void)device, (void)work, (void)images, (void)rounds, (void)gpu, (void)wall, (void)why;
    return false;
}
