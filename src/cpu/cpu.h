/* What this machine's CPU can do. */
#ifndef QPEL_CPU_CPU_H
#define QPEL_CPU_CPU_H

#include <qpel/dsp.h>

/* Features that kernels may be written for. The constant of a feature that a
 * layer uses (kernels.c) belongs to callers too: its line moves to qpel/dsp.h. */
#define QPEL_CPU_NEON    (1u << 0)
#define QPEL_CPU_DOTPROD (1u << 1)

/* The features that processor and kernel both support. Asked anew each time:
 * a few microseconds, and no global to guard. */
unsigned qpel_cpu_features(void);

#endif
