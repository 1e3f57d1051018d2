/* The SSSE3 layer. */
#include "ssse3.h"

#include "bodies.h"

QPEL_COMPACT_LAYER(ssse3)
