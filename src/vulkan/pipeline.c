#include "pipeline.h"

#include <string.h>

#include "spirv.h"

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
    VkPipeline *all = &p->made[0][0][0];
    for (size_t i = 0; i < sizeof p->made / sizeof *all; i++)
        if (all[i])
            d->vk.vkDestroyPipeline(d->handle, all[i], NULL);
    if (p->cache)
        d->vk.vkDestroyPipelineCache(d->handle, p->cache, NULL);
    if (p->layout)
        d->vk.vkDestroyPipelineLayout(d->handle, p->layout, NULL);
    memset(p, 0, sizeof *p);
}

static enum qpel_result make(struct qvk_pipelines *p, VkShaderModule module, uint32_t samples,
                             enum qpel_operation operation, VkPipeline *out)
{
    struct qvk_device *d = p->device;
    const uint32_t values[] = { samples, (uint32_t)operation };
    const VkSpecializationMapEntry entries[] = {
        { .constantID = QPEL_SPEC_SIZE, .offset = 0, .size = sizeof *values },
        { .constantID = QPEL_SPEC_OPERATION, .offset = sizeof *values, .size = sizeof *values },
    };
    VkSpecializationInfo constants = {
        .mapEntryCount = sizeof entries / sizeof *entries,
        .pMapEntries = entries,
        .dataSize = sizeof values,
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
        .layout = p->layout,
    };
    VkPipeline made = VK_NULL_HANDLE;
    enum qpel_result r = QVK_CHECK(
        d->health, d->vk.vkCreateComputePipelines(d->handle, p->cache, 1, &info, NULL, &made));
    if (!r)
        *out = made;
    return r;
}

enum qpel_result qvk_pipeline(struct qvk_pipelines *p, enum family family, enum qpel_size size,
                              enum qpel_operation operation, VkPipeline *out)
{
    struct qvk_device *d = p->device;
    VkPipeline *slot = &p->made[family][size][operation];
    if (!*slot) {
        VkShaderModuleCreateInfo code = {
            .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
            .codeSize = qpel_spirv[family].size,
            .pCode = qpel_spirv[family].words,
        };
        VkShaderModule module;
        enum qpel_result r =
            QVK_CHECK(d->health, d->vk.vkCreateShaderModule(d->handle, &code, NULL, &module));
        if (r)
            return r;
        r = make(p, module, 16u >> size, operation, slot);
        d->vk.vkDestroyShaderModule(d->handle, module, NULL);
        if (r)
            return r;
    }
    *out = *slot;
    return QPEL_OK;
}
