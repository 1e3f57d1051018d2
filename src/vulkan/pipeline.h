/* The compute pipelines, made on first use and kept. */
#ifndef QPEL_VK_PIPELINE_H
#define QPEL_VK_PIPELINE_H

#include "device.h"
#include "interface.h"
#include "positions.h"
#include "qpel/common.h"
#include "spirv.h"

/* The push constants as C sees them. */
#define QVK_C_uint            uint32_t
#define QVK_C_int             int32_t
#define QVK_FIELD(type, name) QVK_C_##type name;
struct qvk_push {
    QPEL_PUSH_CONSTANTS(QVK_FIELD)
};
#undef QVK_FIELD

#define QVK_SETS 3

struct qvk_pipelines {
    struct qvk_device *device;
    VkPipelineCache cache;
    VkPipelineLayout layout;
    VkPipeline made[FAMILY_COUNT][QPEL_SIZE_COUNT][QPEL_OPERATION_COUNT]
                   [2]; /* any stride, aligned */
};

enum qpel_result qvk_pipelines_open(struct qvk_pipelines *pipelines, struct qvk_device *device,
                                    char reason[QPEL_REASON_SIZE]);
void qvk_pipelines_close(struct qvk_pipelines *pipelines);

/* aligned: the stride of src is a multiple of 4. One thread at a time. */
enum qpel_result qvk_pipeline(struct qvk_pipelines *pipelines, enum family family,
                              enum qpel_size size, enum qpel_operation operation, bool aligned,
                              VkPipeline *out);

/* Makes a pipeline of a shader (enum spirv). The values are those of its specialization constants
 * 0.., at most QVK_CONSTANTS_MAX. */
enum { QVK_CONSTANTS_MAX = 6 };
enum qpel_result qvk_make_pipeline(struct qvk_device *device, unsigned shader,
                                   VkPipelineLayout layout, VkPipelineCache cache,
                                   const uint32_t *values, uint32_t count, VkPipeline *out);

#endif
