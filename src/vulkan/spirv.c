#include "spirv.h"

#include "spirv_arrays.h" /* made at build time from shaders/ */

#define MODULE(at, name)           [at] = { spirv_##name, sizeof spirv_##name },
#define DISPATCH(name, text, a, b) MODULE(SPIRV_DISPATCH + FAMILY_##name, name)
#define PICTURE(name, alone)       MODULE(SPIRV_PICTURE + KERNEL_##name, picture_##name)
#define WIDE(name, alone)          MODULE(SPIRV_PICTURE_WIDE + KERNEL_##name, picture_wide_##name)
const struct qvk_spirv qpel_spirv[SPIRV_COUNT] = {
    /* clang-format off */
    QPEL_FAMILIES(DISPATCH)
    QPEL_KERNELS(PICTURE)
    QPEL_KERNELS(WIDE)
    MODULE(SPIRV_EXTEND, picture_extend)
    MODULE(SPIRV_CHROMA, picture_chroma)
    MODULE(SPIRV_NARROW, picture_narrow)
    /* clang-format on */
};
