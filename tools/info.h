/* The parts of qpel-info. */
#ifndef TOOLS_INFO_H
#define TOOLS_INFO_H

#include <qpel/qpel.h>

/* Prints whom AUTO would give typical pictures, and why. 0, or 1: it can't. */
int info_print_pictures(struct qpel_context *context);

#endif
