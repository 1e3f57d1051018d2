/* What any device that can share memory or tell of its end must do, mock or real. */
#ifndef TESTS_PICTURE_SHARING_H
#define TESTS_PICTURE_SHARING_H

#include "picture_place.h"

/* Predicts into pictures that are exported, and reads and predicts from them elsewhere: in a
 * context of the CPU's, where the dma-buf can be mapped, and in the target's, where it imports. */
void check_export(const struct target *t, int cases, struct random *r);

/* Descriptors of submissions: readable when these are over, as often as they are asked for. */
void check_completion(const struct target *t, int cases, struct random *r);

/* Whether a descriptor is readable now, or within so long. */
bool fd_readable(int fd, int timeout_ms);

#endif
