/* Everything that can run a dispatch on this machine. */
#ifndef TESTS_TARGETS_H
#define TESTS_TARGETS_H

#include <stdbool.h>

#include <qpel/qpel.h>

struct target {
    char name[QPEL_NAME_SIZE + 16]; /* "cpu c", "gpu llvmpipe (...)" */
    enum qpel_backend backend;      /* CPU or GPU */
    struct qpel_context *context;
    struct qpel_device device; /* of a GPU */
};

#define TARGETS_MAX 32

/* Opens them: each CPU layer, and each Vulkan device by its UUID, software ones too.
 * QPEL_TEST_TARGETS, "cpu" or "gpu", keeps only those. Prints the devices that can't be
 * used, with the reason. A device that is there but fails its self-test counts in *failed. */
int targets_open(struct target targets[TARGETS_MAX], int *failed);
void targets_close(struct target *targets, int count);

/* The UUID as a context wants it. */
#define UUID_TEXT_SIZE (2 * QPEL_UUID_SIZE + 1)
void uuid_text(const struct qpel_device *device, char text[UUID_TEXT_SIZE]);

/* Prints what the library logs. */
void print_log(void *user, enum qpel_log_level level, const char *message);

#endif
