#include "picture_pipeline.h"

#include <string.h>

#include "pipeline.h"

enum qpel_result qvk_picture_layout(struct qvk_picture_pipelines *p, struct qvk_device *d)
{
    VkDescriptorSetLayout sets[QPEL_PICTURE_SETS];
    for (int i = 0; i < QPEL_PICTURE_SETS; i++)
        sets[i] = d->set_layout;
    VkPushConstantRange push = {
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .size = sizeof(struct qvk_picture_push),
    };
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = QPEL_PICTURE_SETS,
        .pSetLayouts = sets,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    VkPipelineCacheCreateInfo cache = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO };
    enum qpel_result r = QPEL_OK;
    if (!p->cache) {
        r = QVK_CHECK(d->health, d->vk.vkCreatePipelineCache(d->handle, &cache, NULL, &p->cache));
        if (r)
            p->cache = VK_NULL_HANDLE;
    }
    if (!r && !p->layout) {
        r = QVK_CHECK(d->health,
                      d->vk.vkCreatePipelineLayout(d->handle, &layout, NULL, &p->layout));
        if (r)
            p->layout = VK_NULL_HANDLE;
    }
    return r;
}

void qvk_picture_pipelines_close(struct qvk_picture_pipelines *p, struct qvk_device *d)
{
    VkPipeline *luma = &p->luma[0][0], *chroma = &p->chroma[0][0][0][0];
    if (!d->handle)
        return;
    for (size_t i = 0; i < sizeof p->luma / sizeof *luma; i++)
        d->vk.vkDestroyPipeline(d->handle, luma[i], NULL);
    for (size_t i = 0; i < sizeof p->chroma / sizeof *chroma; i++)
        d->vk.vkDestroyPipeline(d->handle, chroma[i], NULL);
    d->vk.vkDestroyPipeline(d->handle, p->extend, NULL);
    if (p->cache)
        d->vk.vkDestroyPipelineCache(d->handle, p->cache, NULL);
    if (p->layout)
        d->vk.vkDestroyPipelineLayout(d->handle, p->layout, NULL);
    memset(p, 0, sizeof *p);
}

/* Constants 0.. are the values, in order. */
static enum qpel_result pipeline(struct qvk_picture_pipelines *p, struct qvk_device *d,
                                 unsigned module, const uint32_t *values, uint32_t count,
                                 VkPipeline *slot, VkPipeline *out)
{
    enum qpel_result r = QPEL_OK;
    if (!*slot)
        r = qvk_make_pipeline(d, module, p->layout, p->cache, values, count, slot);
    *out = *slot;
    return r;
}

enum qpel_result qvk_extend_pipeline(struct qvk_picture_pipelines *p, struct qvk_device *d,
                                     VkPipeline *out)
{
    return pipeline(p, d, SPIRV_EXTEND, NULL, 0, &p->extend, out);
}

enum qpel_result qvk_luma_pipeline(struct qvk_picture_pipelines *p, struct qvk_device *d,
                                   enum picture_kernel kernel, uint32_t step, VkPipeline *out)
{
    const uint32_t values[] = { [QPEL_SPEC_STEP] = step };
    return pipeline(p, d, SPIRV_PICTURE + kernel, values, 1, &p->luma[kernel][step], out);
}

enum qpel_result qvk_chroma_pipeline(struct qvk_picture_pipelines *p, struct qvk_device *d,
                                     const struct qpel_picture_format *f, uint32_t step,
                                     uint32_t narrow, VkPipeline *out)
{
    bool interleaved = f->layout == QPEL_LAYOUT_INTERLEAVED;
    bool as_tall = f->chroma == QPEL_CHROMA_422;
    const uint32_t values[] = {
        [QPEL_SPEC_STEP] = step,
        [QPEL_SPEC_INTERLEAVED] = interleaved,
        [QPEL_SPEC_CHROMA_422] = as_tall,
        [QPEL_SPEC_NARROW] = narrow,
    };
    return pipeline(p, d, SPIRV_CHROMA, values, sizeof values / sizeof *values,
                    &p->chroma[interleaved][as_tall][step][narrow], out);
}
