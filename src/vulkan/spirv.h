/* The shaders, compiled at build time. */
#ifndef QPEL_VK_SPIRV_H
#define QPEL_VK_SPIRV_H

#include <stddef.h>
#include <stdint.h>

#include "positions.h"

enum spirv {
    SPIRV_DISPATCH,                                    /* and a family */
    SPIRV_PICTURE = SPIRV_DISPATCH + FAMILY_COUNT,     /* and a kernel */
    SPIRV_PICTURE_WIDE = SPIRV_PICTURE + KERNEL_COUNT, /* likewise */
    SPIRV_EXTEND = SPIRV_PICTURE_WIDE + KERNEL_COUNT,
    SPIRV_CHROMA,
    SPIRV_NARROW,
    SPIRV_COUNT
};

struct qvk_spirv {
    const uint32_t *words;
    size_t size; /* bytes */
};

extern const struct qvk_spirv qpel_spirv[SPIRV_COUNT];

#endif
