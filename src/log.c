#include "log.h"

#include <stdarg.h>
#include <stdio.h>

void qpel_log_line(const struct log *log, enum qpel_log_level level, const char *format, ...)
{
    if (!log || !log->fn || level > log->level)
        return;
    char line[512];
    va_list ap;
    va_start(ap, format);
    vsnprintf(line, sizeof line, format, ap);
    va_end(ap);
    log->fn(log->user, level, line);
}

void qpel_reason_set(char reason[QPEL_REASON_SIZE], const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    vsnprintf(reason, QPEL_REASON_SIZE, format, ap);
    va_end(ap);
}
