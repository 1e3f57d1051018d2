/* Dispatches between two barriers depend on nothing but what was before the first: they may run in
 * any order, and do here where a test asks for it. A barrier that is missing then shows in the
 * bytes, which no validation layer can tell, as to it a dispatch uses whole buffers. */
#include <stdlib.h>
#include <string.h>

#include "mock_internal.h"
#include "random.h"

enum { SETS_MAX = 8, PUSH_MAX = 128, DISPATCHES_MAX = 4096, BARRIERS_MAX = 32 };

struct dispatch {
    VkPipeline pipeline;
    VkPipelineLayout layout;
    VkDescriptorSet sets[SETS_MAX];
    uint32_t set_count;
    uint8_t push[PUSH_MAX];
    uint32_t push_size;
    uint32_t groups[3];
};

/* Of the command buffer that is being recorded: one at a time. */
static struct dispatch state, held[DISPATCHES_MAX];
static size_t held_count;

static void emit(VkCommandBuffer commands, const struct dispatch *d)
{
    REAL(CmdBindPipeline)(commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->pipeline);
    REAL(CmdBindDescriptorSets)
    (commands, VK_PIPELINE_BIND_POINT_COMPUTE, d->layout, 0, d->set_count, d->sets, 0, NULL);
    REAL(CmdPushConstants)
    (commands, d->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0, d->push_size, d->push);
    REAL(CmdDispatch)(commands, d->groups[0], d->groups[1], d->groups[2]);
}

static void emit_held(VkCommandBuffer commands)
{
    static uint64_t seed;
    struct random r = random_stream(seed++);

    while (held_count) {
        size_t i = mock.order == MOCK_ORDER_BACKWARDS ? held_count - 1
                                                      : random_below(&r, (uint32_t)held_count);
        emit(commands, &held[i]);
        held[i] = held[--held_count];
    }
}

VKAPI_ATTR void VKAPI_CALL mock_CmdBindPipeline(VkCommandBuffer commands, VkPipelineBindPoint point,
                                                VkPipeline pipeline)
{
    state.pipeline = pipeline;
    REAL(CmdBindPipeline)(commands, point, pipeline);
}

VKAPI_ATTR void VKAPI_CALL mock_CmdBindDescriptorSets(
    VkCommandBuffer commands, VkPipelineBindPoint point, VkPipelineLayout layout, uint32_t first,
    uint32_t count, const VkDescriptorSet *sets, uint32_t offset_count, const uint32_t *offsets)
{
    if (first || count > SETS_MAX || offset_count)
        abort(); /* not needed so far */
    if (!layout)
        mock_violation("sets bound by no layout");
    state.layout = layout;
    state.set_count = count;
    memcpy(state.sets, sets, count * sizeof *sets);
    REAL(CmdBindDescriptorSets)
    (commands, point, layout, first, count, sets, offset_count, offsets);
}

VKAPI_ATTR void VKAPI_CALL mock_CmdPushConstants(VkCommandBuffer commands, VkPipelineLayout layout,
                                                 VkShaderStageFlags stages, uint32_t offset,
                                                 uint32_t size, const void *data)
{
    if (offset || size > PUSH_MAX)
        mock_violation("push constants beyond 128 bytes, or not from the first on");
    memcpy(state.push, data, size);
    mock_lie_about(state.push, size);
    state.push_size = size;
    REAL(CmdPushConstants)(commands, layout, stages, offset, size, state.push);
}

VKAPI_ATTR void VKAPI_CALL mock_CmdDispatch(VkCommandBuffer commands, uint32_t x, uint32_t y,
                                            uint32_t z)
{
    if (mock_taken->max_groups && x > mock_taken->max_groups)
        mock_violation("more groups than maxComputeWorkGroupCount");
    if (++mock.dispatches == mock.skip_at)
        return;
    if (mock.order == MOCK_ORDER_REAL) {
        REAL(CmdDispatch)(commands, x, y, z);
        return;
    }
    if (held_count == DISPATCHES_MAX)
        abort();
    held[held_count] = state;
    held[held_count].groups[0] = x;
    held[held_count].groups[1] = y;
    held[held_count++].groups[2] = z;
}

VKAPI_ATTR void VKAPI_CALL mock_CmdPipelineBarrier(
    VkCommandBuffer commands, VkPipelineStageFlags from, VkPipelineStageFlags to,
    VkDependencyFlags flags, uint32_t memory_count, const VkMemoryBarrier *memory,
    uint32_t buffer_count, const VkBufferMemoryBarrier *buffers, uint32_t image_count,
    const VkImageMemoryBarrier *images)
{
    VkBufferMemoryBarrier real[BARRIERS_MAX];

    mock.recorded += commands == mock.watched;
    emit_held(commands);
    if (buffer_count > BARRIERS_MAX)
        abort();
    for (uint32_t i = 0; i < buffer_count; i++)
        real[i] = mock_own(&buffers[i], from | to);
    REAL(CmdPipelineBarrier)
    (commands, from, to, flags, memory_count, memory, buffer_count, real, image_count, images);
}

VKAPI_ATTR VkResult VKAPI_CALL mock_EndCommandBuffer(VkCommandBuffer commands)
{
    VkResult r = mock_step("vkEndCommandBuffer");

    emit_held(commands);
    return r ? r : REAL(EndCommandBuffer)(commands);
}
