/* Buffers in memory that others share: gpu.h says what each call does. */
#ifndef QPEL_VK_EXTERNAL_H
#define QPEL_VK_EXTERNAL_H

#include "memory.h"

enum qpel_result qvk_buffer_import_dmabuf(struct qvk_device *device, int fd, size_t size,
                                          void *data, struct gpu_buffer **out,
                                          char reason[QPEL_REASON_SIZE]);
enum qpel_result qvk_buffer_import_host(struct qvk_device *device, void *base, size_t size,
                                        struct gpu_buffer **out, char reason[QPEL_REASON_SIZE]);
/* UNSUPPORTED: the device can't export. */
enum qpel_result qvk_check_export(const struct qvk_device *device, char reason[QPEL_REASON_SIZE]);
enum qpel_result qvk_buffer_export(struct qvk_device *device, const struct gpu_buffer *buffer,
                                   int *fd, char reason[QPEL_REASON_SIZE]);

#endif
