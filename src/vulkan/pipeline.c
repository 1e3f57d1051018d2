#include "pipeline.h"

#include <string.h>

static enum qpel_result make_layout(struct qvk_pipelines *p, char reason[QPEL_REASON_SIZE])
{
    struct qvk_device *d = p->device;
    const struct log *log = d->health->log;
    VkDescriptorSetLayout sets[QVK_SETS] = { d->set_layout, d->set_layout, d->set_layout };
    VkPushConstantRange push = {
        .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        .size = sizeof(struct qvk_push),
    };
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = QVK_SETS,
        .pSetLayouts = sets,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    enum qpel_result r = QVK_CHECK_OPEN(
        log, reason, d->vk.vkCreatePipelineLayout(d->handle, &layout, NULL, &p->layout));
    if (r) {
        p->layout = VK_NULL_HANDLE;
        return r;
    }
    /* The pipelines of a family have much in common. */
    VkPipelineCacheCreateInfo cache = { .sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO };
    r = QVK_CHECK_OPEN(log, reason,
                       d->vk.vkCreatePipelineCache(d->handle, &cache, NULL, &p->cache));
    if (r)
        p->cache = VK_NULL_HANDLE;
    return r;
}

enum qpel_result qvk_pipelines_open(struct qvk_pipelines *p, struct qvk_device *device,
                                    char reason[QPEL_REASON_SIZE])
{
    memset(p, 0, sizeof *p);
    p->device = device;
    enum qpel_result r = make_layout(p, reason);
    if (r)
        qvk_pipelines_close(p);
    return r;
}

void qvk_pipelines_close(struct qvk_pipelines *p)
{
    struct qvk_device *d = p->device;
    if (!d)
        return;
    VkPipeline *all = &p->made[0][0][0][0];
    for (size_t i = 0; i < sizeof p->made / sizeof *all; i++)
        if (all[i])
            d->vk.vkDestroyPipeline(d->handle, all[i], NULL);
    if (p->cache)
        d->vk.vkDestroyPipelineCache(d->handle, p->cache, NULL);
    if (p->layout)
        d->vk.vkDestroyPipelineLayout(d->handle, p->layout, NULL);
    memset(p, 0, sizeof *p);
}

static enum qpel_result make(struct qvk_device *d, VkShaderModule module, VkPipelineLayout layout,
                             VkPipelineCache cache, const uint32_t *values, uint32_t count,
                             VkPipeline *out)
{
    VkSpecializationMapEntry entries[QVK_CONSTANTS_MAX];
    for (uint32_t i = 0; i < count; i++)
        entries[i] = (VkSpecializationMapEntry){ i, i * (uint32_t)sizeof *values, sizeof *values };
    VkSpecializationInfo constants = {
        .mapEntryCount = count,
        .pMapEntries = entries,
        .dataSize = count * sizeof *values,
        .pData = values,
    };
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .module = module,
            .pName = "main",
            .pSpecializationInfo = &constants,
        },
        .layout = layout,
    };
    VkPipeline made = VK_NULL_HANDLE;
    enum qpel_result r = QVK_CHECK(
        d->health, d->vk.vkCreateComputePipelines(d->handle, cache, 1, &info, NULL, &made));
    if (!r)
        *out = made;
    return r;
}

enum qpel_result qvk_make_pipeline(struct qvk_device *d, unsigned shader, VkPipelineLayout layout,
                                   VkPipelineCache cache, const uint32_t *values, uint32_t count,
                                   VkPipeline *out)
{
    VkShaderModuleCreateInfo code = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = qpel_spirv[shader].size,
        .pCode = qpel_spirv[shader].words,
    };
    VkShaderModule module;
    enum qpel_result r =
        QVK_CHECK(d->health, d->vk.vkCreateShaderModule(d->handle, &code, NULL, &module));
    if (r)
        return r;
    r = make(d, module, layout, cache, values, count, out);
    d->vk.vkDestroyShaderModule(d->handle, module, NULL);
    return r;
}

enum qpel_result qvk_pipeline(struct qvk_pipelines *p, enum family family, enum qpel_size size,
                              enum qpel_operation operation, bool aligned, VkPipeline *out)
{
    VkPipeline *slot = &p->made[family][size][operation][aligned];
    const uint32_t values[] = {
        [QPEL_SPEC_SIZE] = 16u >> size,
        [QPEL_SPEC_OPERATION] = (uint32_t)operation,
        [QPEL_SPEC_ALIGNED] = aligned,
    };
    enum qpel_result r = QPEL_OK;
    if (!*slot)
        r = qvk_make_pipeline(p->device, SPIRV_DISPATCH + family, p->layout, p->cache, values,
                              sizeof values / sizeof *values, slot);
    *out = *slot;
    return r;
}
