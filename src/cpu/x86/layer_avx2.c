/* The AVX2 layer. */
#include "avx2.h"

#include "bodies.h"

QPEL_COMPACT_LAYER(avx2)
