#include "picture_pipeline.h"

#include <string.h>

#include "picture.h"
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

static void destroy_all(struct qvk_device *d, const VkPipeline *pipelines, size_t size)
{
    for (size_t i = 0; i < size / sizeof *pipelines; i++)
        d->vk.vkDestroyPipeline(d->handle, pipelines[i], NULL);
}

void qvk_picture_pipelines_close(struct qvk_picture_pipelines *p, struct qvk_device *d)
{
    if (!d->handle)
        return;
    destroy_all(d, &p->luma[0][0][0], sizeof p->luma);
    destroy_all(d, &p->chroma[0][0][0][0], sizeof p->chroma);
    destroy_all(d, &p->narrow[0][0], sizeof p->narrow);
    destroy_all(d, &p->extend[0][0][0][0], sizeof p->extend);
    if (p->cache)
        d->vk.vkDestroyPipelineCache(d->handle, p->cache, NULL);
    if (p->layout)
        d->vk.vkDestroyPipelineLayout(d->handle, p->layout, NULL);
    memset(p, 0, sizeof *p);
}

static enum qpel_result pipeline(struct qvk_picture_pipelines *p, struct qvk_device *d,
                                 unsigned module, const uint32_t values[QVK_CONSTANTS_MAX],
                                 VkPipeline *slot, VkPipeline *out)
{
    enum qpel_result r = QPEL_OK;
    if (!*slot)
        r = qvk_make_pipeline(d, module, p->layout, p->cache, values, QVK_CONSTANTS_MAX, slot);
    *out = *slot;
    return r;
}

enum qpel_result qvk_extend_pipeline(struct qvk_picture_pipelines *p, struct qvk_device *d,
                                     const struct qpel_picture_format *f, bool tiny,
                                     VkPipeline *out)
{
    bool interleaved = f->layout == QPEL_LAYOUT_INTERLEAVED;
    bool as_tall = f->chroma == QPEL_CHROMA_422, chroma = chroma_shift_x(f->chroma);
    const uint32_t values[QVK_CONSTANTS_MAX] = {
        [QPEL_SPEC_INTERLEAVED] = interleaved,
        [QPEL_SPEC_CHROMA_422] = as_tall,
        [QPEL_SPEC_CHROMA] = chroma,
        [QPEL_SPEC_TINY] = tiny,
    };
    return pipeline(p, d, SPIRV_EXTEND, values, &p->extend[interleaved][as_tall][chroma][tiny],
                    out);
}

enum qpel_result qvk_luma_pipeline(struct qvk_picture_pipelines *p, struct qvk_device *d,
                                   unsigned run, uint32_t step, bool picky, VkPipeline *out)
{
    const bool by_family = d->luma_runs == PLAN_BY_FAMILY;
    const uint32_t values[QVK_CONSTANTS_MAX] = {
        [QPEL_SPEC_STEP] = step,
        [QPEL_SPEC_PICKY] = picky,
        [QPEL_SPEC_FAMILIES] = by_family ? QPEL_FAMILIES_FIRST + run % 2 : QPEL_FAMILIES_BOTH,
    };
    const unsigned module = by_family ? SPIRV_PICTURE_WIDE + run / 2 : SPIRV_PICTURE + run;
    return pipeline(p, d, module, values, &p->luma[run][step][picky], out);
}

enum qpel_result qvk_chroma_pipeline(struct qvk_picture_pipelines *p, struct qvk_device *d,
                                     const struct qpel_picture_format *f, uint32_t step, bool picky,
                                     VkPipeline *out)
{
    bool interleaved = f->layout == QPEL_LAYOUT_INTERLEAVED;
    bool as_tall = f->chroma == QPEL_CHROMA_422;
    const uint32_t values[QVK_CONSTANTS_MAX] = {
        [QPEL_SPEC_INTERLEAVED] = interleaved,
        [QPEL_SPEC_CHROMA_422] = as_tall,
        [QPEL_SPEC_STEP] = step,
        [QPEL_SPEC_PICKY] = picky,
        [QPEL_SPEC_LOOPED] = d->luma_runs == PLAN_BY_FAMILY,
    };
    return pipeline(p, d, SPIRV_CHROMA, values, &p->chroma[interleaved][as_tall][step][picky], out);
}

enum qpel_result qvk_narrow_pipeline(struct qvk_picture_pipelines *p, struct qvk_device *d,
                                     const struct qpel_picture_format *f, uint32_t step,
                                     VkPipeline *out)
{
    bool as_tall = f->chroma == QPEL_CHROMA_422;
    const uint32_t values[QVK_CONSTANTS_MAX] = {
        [QPEL_SPEC_CHROMA_422] = as_tall,
        [QPEL_SPEC_STEP] = step,
        [QPEL_SPEC_PICKY] = true,
    };
    return pipeline(p, d, SPIRV_NARROW, values, &p->narrow[as_tall][step], out);
}
