/* What this machine's CPU can do. */
#ifndef QPEL_CPU_CPU_H
#define QPEL_CPU_CPU_H

#include <qpel/dsp.h>

/* The features that processor and kernel both support. Asked anew each time:
 * a few microseconds, and no global to guard. */
unsigned qpel_cpu_features(void);

#endif
