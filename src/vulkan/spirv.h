/* The shaders, compiled at build time. */
#ifndef QPEL_VK_SPIRV_H
#define QPEL_VK_SPIRV_H

#include <stddef.h>
#include <stdint.h>

#include "positions.h"

struct qvk_spirv {
    const uint32_t *words;
    size_t size; /* bytes */
};

extern const struct qvk_spirv qpel_spirv[FAMILY_COUNT];

#endif
