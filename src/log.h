/* Lines for the caller's log function; the library itself prints nothing. */
#ifndef QPEL_LOG_H
#define QPEL_LOG_H

#include "qpel/context.h"

struct log {
    qpel_log_fn *fn; /* null: silent */
    void *user;
    enum qpel_log_level level; /* the highest that is passed on */
};

#if defined(__GNUC__)
#define QPEL_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define QPEL_PRINTF(f, a)
#endif

void qpel_log_line(const struct log *log, enum qpel_log_level level, const char *format, ...)
    QPEL_PRINTF(3, 4);

/* Writes a sentence into a reason, cut to fit. */
void qpel_reason_set(char reason[QPEL_REASON_SIZE], const char *format, ...) QPEL_PRINTF(2, 3);

#endif
