/* libqpel: what every door shares: results, kernels' names, backends.
 *
 * Conventions of all headers: sizes, offsets and strides are in bytes, widths
 * and heights in samples. A struct that a caller fills is zeroed first (or
 * filled by its _default function); a zero field means the default, so that
 * fields added in later versions are harmless. Clause numbers are those of
 * Rec. ITU-T H.264 (08/2021). */
#ifndef QPEL_COMMON_H
#define QPEL_COMMON_H

#include <stddef.h>
#include <stdint.h>

#include "version.h"

#ifdef __cplusplus
extern "C" {
#endif

#if defined(QPEL_STATIC)
#define QPEL_API
#elif defined(__GNUC__)
#define QPEL_API __attribute__((visibility("default")))
#else
#define QPEL_API
#endif

/* Every function that can fail returns one of these. On any but QPEL_OK the
 * call has had no effect: nothing written, nothing kept, nothing leaked, except
 * where the function says otherwise. */
enum qpel_result {
    QPEL_OK = 0,
    /* An argument breaks its contract. Mend the caller; the report or the log
     * names the argument and, in a list, the first bad element. */
    QPEL_ERROR_INVALID = -1,
    /* Out of host or device memory. Free something and call again, or go on without. */
    QPEL_ERROR_NOMEM = -2,
    /* The request is valid but this backend, device or build can't carry it out
     * (no GPU, a plane that its words don't fit, a depth that is not there yet).
     * Ask for QPEL_BACKEND_AUTO or QPEL_BACKEND_CPU instead. */
    QPEL_ERROR_UNSUPPORTED = -3,
    /* The GPU or its driver failed during this call or an earlier one. The
     * context goes on without it: QPEL_BACKEND_GPU keeps this answer, AUTO and
     * CPU still work. What the GPU was writing is undefined. */
    QPEL_ERROR_DEVICE_LOST = -4,
    /* The time given ran out. The work may still be running; see the function. */
    QPEL_ERROR_TIMEOUT = -5,
    /* Something that this call needs is in use: finish that, and call again. */
    QPEL_ERROR_BUSY = -6,
    /* A file could not be read or written, or does not parse. The log names the line. */
    QPEL_ERROR_IO = -7,
    /* The library found itself wrong. Please report it. */
    QPEL_ERROR_INTERNAL = -8
};

/* The name of a result, "QPEL_OK" and so on; "unknown" for other numbers.
 * Static storage; any thread. */
QPEL_API const char *qpel_result_name(enum qpel_result result);

/* The version of the library that runs, QPEL_VERSION_STRING of its build. Any thread. */
QPEL_API const char *qpel_version(void);

/* Blocks are square: 16x16, 8x8 or 4x4 samples. Other partitions are made of
 * these (16x8 is two of 8x8 rows: four 8x8 blocks with one vector). */
enum qpel_size { QPEL_SIZE_16, QPEL_SIZE_8, QPEL_SIZE_4, QPEL_SIZE_COUNT };

/* A position is xFrac + 4 * yFrac, both in quarter samples (8.4.2.2.1): mcXY is
 * position X + 4 * Y, mc22 is 10. */
#define QPEL_POSITION_COUNT 16

/* What is done with a predicted sample p: */
enum qpel_operation {
    QPEL_PUT, /* dst = p */
    QPEL_AVG, /* dst = (dst + p + 1) >> 1, the default weighting of 8.4.2.3.1 */
    QPEL_OPERATION_COUNT
};

/* Who computes. AUTO lets the recipe choose (recipe.h). */
enum qpel_backend { QPEL_BACKEND_AUTO, QPEL_BACKEND_CPU, QPEL_BACKEND_GPU };

/* "auto", "cpu", "gpu"; "unknown" for other numbers. Static storage; any thread. */
QPEL_API const char *qpel_backend_name(enum qpel_backend backend);

#ifdef __cplusplus
}
#endif

#endif
