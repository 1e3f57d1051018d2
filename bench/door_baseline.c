/* The shader of baseline/ on a work that is all mc22. */
#include <stdlib.h>
#include <string.h>

#include "baseline_spirv.h"
#include "door_vulkan.h"

enum { BLOCKS, SRC, DST, BUFFERS };

struct baseline {
    struct door_device *device;
    const struct door_work *work;
    struct door_buffer buffers[BUFFERS];
    size_t samples;
    VkDescriptorSetLayout set_layout;
    VkDescriptorPool pool;
    VkDescriptorSet set;
    VkPipelineLayout layout;
    VkShaderModule module;
    VkPipeline pipeline;
};

static bool make_buffers(struct baseline *b, const struct door_image *reference)
{
    const size_t stride = (size_t)b->work->width;
    uint32_t *blocks;

    if (!door_buffer_create(b->device, b->work->whole.count * 8, DOOR_SHARED,
                            &b->buffers[BLOCKS]) ||
        !door_buffer_create(b->device, b->samples, DOOR_SHARED, &b->buffers[SRC]) ||
        !door_buffer_create(b->device, b->samples, DOOR_SHARED, &b->buffers[DST]))
        return false;
    memcpy(b->buffers[SRC].data, reference->component[0], b->samples);
    memset(b->buffers[DST].data, 0, b->samples);
    blocks = b->buffers[BLOCKS].data;
    for (size_t i = 0; i < b->work->whole.count; i++) {
        const struct qpel_picture_block *block = &b->work->whole.blocks[i];
        const int x = block->x + (block->mv[0][0] >> 2), y = block->y + (block->mv[0][1] >> 2);

        blocks[2 * i] = (uint32_t)(block->y * stride + block->x);
        blocks[2 * i + 1] = (uint32_t)((size_t)y * stride + (size_t)x);
    }
    return true;
}

static bool make_set(struct baseline *b)
{
    const struct VolkDeviceTable *vk = &b->device->vk;
    VkDescriptorSetLayoutBinding bindings[BUFFERS];
    VkDescriptorBufferInfo ranges[BUFFERS];
    VkWriteDescriptorSet writes[BUFFERS];
    const VkDescriptorSetLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = BUFFERS,
        .pBindings = bindings,
    };
    const VkDescriptorPoolSize size = { VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, BUFFERS };
    const VkDescriptorPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = 1,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    VkDescriptorSetAllocateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorSetCount = 1,
        .pSetLayouts = &b->set_layout,
    };

    for (uint32_t i = 0; i < BUFFERS; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    if (vk->vkCreateDescriptorSetLayout(b->device->handle, &layout, NULL, &b->set_layout) ||
        vk->vkCreateDescriptorPool(b->device->handle, &pool, NULL, &b->pool))
        return false;
    set.descriptorPool = b->pool;
    if (vk->vkAllocateDescriptorSets(b->device->handle, &set, &b->set))
        return false;
    for (uint32_t i = 0; i < BUFFERS; i++) {
        ranges[i] = (VkDescriptorBufferInfo){ b->buffers[i].handle, 0, VK_WHOLE_SIZE };
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = b->set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = &ranges[i],
        };
    }
    vk->vkUpdateDescriptorSets(b->device->handle, BUFFERS, writes, 0, NULL);
    return true;
}

static bool make_pipeline(struct baseline *b)
{
    const struct VolkDeviceTable *vk = &b->device->vk;
    const VkPushConstantRange push = { VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(uint32_t) };
    const VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &b->set_layout,
        .pushConstantRangeCount = 1,
        .pPushConstantRanges = &push,
    };
    const VkShaderModuleCreateInfo module = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = sizeof spirv_bytes,
        .pCode = spirv_bytes,
    };
    VkComputePipelineCreateInfo pipeline = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage = {
            .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
            .stage = VK_SHADER_STAGE_COMPUTE_BIT,
            .pName = "main",
        },
    };

    if (vk->vkCreatePipelineLayout(b->device->handle, &layout, NULL, &b->layout) ||
        vk->vkCreateShaderModule(b->device->handle, &module, NULL, &b->module))
        return false;
    pipeline.stage.module = b->module;
    pipeline.layout = b->layout;
    return !vk->vkCreateComputePipelines(b->device->handle, VK_NULL_HANDLE, 1, &pipeline, NULL,
                                         &b->pipeline);
}

static bool run(struct baseline *b, double *gpu, double *wall)
{
    const struct VolkDeviceTable *vk = &b->device->vk;
    const VkCommandBuffer commands = b->device->commands;
    const uint32_t stride = (uint32_t)b->work->width;

    if (!door_commands_begin(b->device))
        return false;
    vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, b->pipeline);
    vk->vkCmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, b->layout, 0, 1, &b->set,
                                0, NULL);
    vk->vkCmdPushConstants(commands, b->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof stride,
                           &stride);
    vk->vkCmdDispatch(commands, (uint32_t)b->work->whole.count, 1, 1);
    return door_commands_run(b->device, gpu, wall);
}

static void destroy(struct baseline *b)
{
    const struct VolkDeviceTable *vk = &b->device->vk;

    vk->vkDestroyPipeline(b->device->handle, b->pipeline, NULL);
    vk->vkDestroyShaderModule(b->device->handle, b->module, NULL);
    vk->vkDestroyPipelineLayout(b->device->handle, b->layout, NULL);
    vk->vkDestroyDescriptorPool(b->device->handle, b->pool, NULL);
    vk->vkDestroyDescriptorSetLayout(b->device->handle, b->set_layout, NULL);
    for (int i = 0; i < BUFFERS; i++)
        door_buffer_destroy(b->device, &b->buffers[i]);
}

static bool measure_rounds(struct baseline *b, unsigned rounds, struct measure_stat *gpu,
                           struct measure_stat *wall)
{
    double *figures = malloc(2 * rounds * sizeof(*figures));
    bool ok = figures;

    for (unsigned i = 0; ok && i < rounds; i++)
        ok = door_device_rouse(b->device) && run(b, &figures[i], &figures[rounds + i]);
    if (ok) {
        *gpu = measure_stat_of(figures, rounds);
        *wall = measure_stat_of(figures + rounds, rounds);
    }
    free(figures);
    return ok;
}

bool door_device_baseline(struct door_device *device, const struct door_work *work,
                          const struct door_images *images, unsigned rounds,
                          struct measure_stat *gpu, struct measure_stat *wall,
                          char why[BENCH_LINE_SIZE])
{
    struct baseline b = {
        .device = device,
        .work = work,
        .samples = (size_t)work->width * (size_t)work->height,
    };
    double once_gpu, once_wall;
    bool ok;

    if (!device->bytes || work->whole.count > device->gpu->device.info->max_groups) {
        snprintf(why, BENCH_LINE_SIZE, "the device stores no single bytes, or has too few groups");
        return false;
    }
    snprintf(why, BENCH_LINE_SIZE, "no memory, or no pipeline");
    ok = make_buffers(&b, &images->reference[0]) && make_set(&b) && make_pipeline(&b);
    if (ok) {
        snprintf(why, BENCH_LINE_SIZE, "wrong bytes");
        ok = run(&b, &once_gpu, &once_wall) &&
             !memcmp(b.buffers[DST].data, images->expected.component[0], b.samples);
    }
    ok = ok && measure_rounds(&b, rounds, gpu, wall);
    destroy(&b);
    return ok;
}
