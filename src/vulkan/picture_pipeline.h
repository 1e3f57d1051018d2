/* The picture door's pipelines, made on first use and kept. */
#ifndef QPEL_VK_PICTURE_PIPELINE_H
#define QPEL_VK_PICTURE_PIPELINE_H

#include "device.h"
#include "picture_interface.h"
#include "plan.h"
#include "qpel/picture.h"

/* The push constants as C sees them. */
#define QVK_FIELD(type, name) uint32_t name;
struct qvk_picture_push {
    QPEL_PICTURE_PUSH_CONSTANTS(QVK_FIELD)
};
#undef QVK_FIELD

struct qvk_picture_pipelines {
    VkPipelineCache cache;
    VkPipelineLayout layout; /* null: nothing was needed so far */
    /* picky or not; chroma: interleaved, 4:2:2 */
    VkPipeline luma[PLAN_BY_FAMILY][QPEL_STEP_COUNT][2];
    VkPipeline chroma[2][2][QPEL_STEP_COUNT][2];
    VkPipeline narrow[2][QPEL_STEP_COUNT];
    VkPipeline extend[2][2][2][2]; /* interleaved, 4:2:2, with chroma, tiny */
};

void qvk_picture_pipelines_close(struct qvk_picture_pipelines *pipelines,
                                 struct qvk_device *device);

/* Each: one thread at a time. The layout comes first: sets are bound before a pipeline is asked
 * for.
 */
enum qpel_result qvk_picture_layout(struct qvk_picture_pipelines *pipelines,
                                    struct qvk_device *device);
/* tiny: a plane of a reference is less than a word wide. */
enum qpel_result qvk_extend_pipeline(struct qvk_picture_pipelines *pipelines,
                                     struct qvk_device *device,
                                     const struct qpel_picture_format *format, bool tiny,
                                     VkPipeline *out);
/* run: below the device's luma_runs. */
enum qpel_result qvk_luma_pipeline(struct qvk_picture_pipelines *pipelines,
                                   struct qvk_device *device, unsigned run, uint32_t step,
                                   bool picky, VkPipeline *out);
enum qpel_result qvk_chroma_pipeline(struct qvk_picture_pipelines *pipelines,
                                     struct qvk_device *device,
                                     const struct qpel_picture_format *format, uint32_t step,
                                     bool picky, VkPipeline *out);
enum qpel_result qvk_narrow_pipeline(struct qvk_picture_pipelines *pipelines,
                                     struct qvk_device *device,
                                     const struct qpel_picture_format *format, uint32_t step,
                                     VkPipeline *out);

#endif
