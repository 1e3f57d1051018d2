/* A mock of V3D whose memory is shared by dma-bufs of fake_kernel.h: the device of some tests. */
#ifndef TESTS_SHARING_DEVICE_H
#define TESTS_SHARING_DEVICE_H

#include "fake_kernel.h"
#include "harness.h"
#include "mock_vulkan.h"
#include "picture_sharing.h"

enum { PATIENCE_MS = 60000 };

/* Resets mock and kernel; skips the test where there is no device to stand on. */
void need_vulkan(void);

/* A context of this backend; one of a GPU at a time. Its closing fails the test where a descriptor
 * that was not open before is, a dma-buf is mapped, or an object of Vulkan's is left. */
struct target sharing_open(enum qpel_backend backend);
void sharing_close(struct target *t);
/* The same, but for descriptors: of a lost device they may stay until it is closed. */
void sharing_close_lost(struct target *t);

#endif
