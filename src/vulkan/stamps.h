/* What commands take by the device's own clock. */
#ifndef QPEL_VK_STAMPS_H
#define QPEL_VK_STAMPS_H

#include "device.h"

struct qvk_stamps {
    VkQueryPool pool; /* null: not needed so far */
    bool used;        /* by the commands that were recorded last */
};

/* Before recording. Nothing is used where the device has no timestamps. NOMEM, DEVICE_LOST. */
enum qpel_result qvk_stamps_use(struct qvk_stamps *stamps, struct qvk_device *device, bool timed);
/* The first and the last command. Nothing where they are not used. */
void qvk_stamps_begin(struct qvk_stamps *stamps, struct qvk_device *device, VkCommandBuffer buffer);
void qvk_stamps_end(struct qvk_stamps *stamps, struct qvk_device *device, VkCommandBuffer buffer);
/* Once those commands have ended. *seconds is negative where there is no figure, which is no error.
 * DEVICE_LOST. */
enum qpel_result qvk_stamps_read(const struct qvk_stamps *stamps, struct qvk_device *device,
                                 double *seconds);
void qvk_stamps_close(struct qvk_stamps *stamps, struct qvk_device *device);

#endif
