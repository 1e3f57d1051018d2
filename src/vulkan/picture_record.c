/* The commands of a batch:
 *
 *   extend: windows that leave their references, to slots
 *   pass 1: one reference without weights, to the target; list 0 of two, to the scratch picture
 *   pass 2: list 1 of those, mixed with list 0; and one reference with weights
 *
 * with barriers between. Each pass is a dispatch a kernel for luma, and one for chroma. Where there
 * are more slots to fill than there is room, their units take turns. Slots and the scratch picture
 * are shared by all batches: these run in one queue, and each begins with a barrier. */
#include <string.h>

#include "gpu_internal.h"

struct recorder {
    struct gpu *gpu;
    struct gpu_batch *b;
    VkCommandBuffer commands; /* null: only the pipelines are made */
    const struct qpel_batch *batch;
    struct qvk_picture_push push;
    VkDescriptorSet sets[QPEL_PICTURE_SETS]; /* those that are bound */
    VkDescriptorSet dst, scratch;
    enum plan_pass pass;
    uint32_t step;
    uint32_t turn, turns;
    bool picky, apart; /* apart: the scratch picture is not in the target's buffer */
};

/* ---- one dispatch ---- */

static void bind(struct recorder *r, VkDescriptorSet src, VkDescriptorSet dst,
                 VkDescriptorSet scratch)
{
    const VkDescriptorSet sets[QPEL_PICTURE_SETS] = {
        [QPEL_PICTURE_SET_UPLOAD] = r->b->upload->set,
        [QPEL_PICTURE_SET_SRC] = src,
        [QPEL_PICTURE_SET_DST] = dst,
        [QPEL_PICTURE_SET_SCRATCH] = scratch,
    };
    if (!memcmp(sets, r->sets, sizeof sets) || !r->commands)
        return;
    memcpy(r->sets, sets, sizeof sets);
    r->gpu->device.vk.vkCmdBindDescriptorSets(r->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                              r->gpu->picture_pipelines.layout, 0,
                                              QPEL_PICTURE_SETS, sets, 0, NULL);
}

/* Work groups of the list first..end-1, or slots, so many a work group; in jobs that V3D's watchdog
 * allows. `at`: the push constant that tells the first one, less what it is now. */
static void dispatch(struct recorder *r, VkPipeline pipeline, uint32_t *at, uint32_t first,
                     uint32_t end, uint32_t per_group)
{
    const struct VolkDeviceTable *vk = &r->gpu->device.vk;
    VkCommandBuffer commands = r->commands;
    const uint32_t base = *at;
    uint32_t most = r->gpu->device.info->max_groups;
    if (most > GROUPS_PER_JOB / 2)
        most = GROUPS_PER_JOB / 2;
    if (!commands)
        return;
    vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    while (first < end) {
        uint32_t groups = (end - first + per_group - 1) / per_group;
        groups = groups < most ? groups : most;
        *at = base + first;
        vk->vkCmdPushConstants(commands, r->gpu->picture_pipelines.layout,
                               VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof r->push, &r->push);
        vk->vkCmdDispatch(commands, groups, 1, 1);
        first += groups * per_group;
    }
    *at = base;
}

static void separate(struct recorder *r)
{
    if (r->commands)
        qvk_barrier_between(&r->gpu->device, r->commands);
}

/* ---- slots ---- */

/* A source's slots: in its own buffer, or in the batch's. */
static VkDescriptorSet slots_of(const struct recorder *r, unsigned source, uint32_t *base)
{
    bool own = source != PLAN_SLOTS && r->b->chunks[source]->slot_room;
    *base = (own ? (uint32_t)r->b->chunks[source]->slots : 0) -
            (1 + r->turn * r->b->slot_room) * QPEL_SLOT_SIZE;
    if (own)
        return r->b->chunks[source]->buffer->set;
    return r->b->slots ? r->b->slots->set : VK_NULL_HANDLE;
}

/* Fills those of this turn. */
static enum qpel_result fill_slots(struct recorder *r)
{
    const struct plan *plan = &r->b->plan;
    uint32_t first = r->turn * r->b->slot_room, left = plan->slots - first;
    uint32_t end = first + (left < r->b->slot_room ? left : r->b->slot_room);
    bool tall = r->batch->target->format.chroma == QPEL_CHROMA_422;
    uint32_t per_group = QPEL_GROUP_LANES / QPEL_SLOT_LANES(tall);
    VkPipeline pipeline;
    enum qpel_result result = qvk_extend_pipeline(&r->gpu->picture_pipelines, &r->gpu->device,
                                                  &r->batch->target->format, r->b->tiny, &pipeline);
    r->push.groups = r->b->groups + plan->extend.first;
    r->push.first_slot = 0;
    r->push.slot_count = end;
    for (unsigned s = 0; s < r->b->sources && !result; s++) {
        VkDescriptorSet slots = slots_of(r, s, &r->push.slots_base);
        r->push.source = s;
        bind(r, r->b->chunks[s]->buffer->set, slots, slots);
        dispatch(r, pipeline, &r->push.first_slot, first, end, per_group);
    }
    return result;
}

/* ---- units ---- */

/* A run of a source's items, to the target; and where the scratch picture is in another buffer,
 * those of list 0 apart. */
static void make(struct recorder *r, VkPipeline pipeline, unsigned source, struct plan_run run)
{
    if (run.first == run.end)
        return;
    VkDescriptorSet src = slots_of(r, source, &r->push.slots_base);
    if (source != PLAN_SLOTS)
        src = r->b->chunks[source]->buffer->set;
    r->push.groups = r->b->groups;
    if (!r->apart || r->pass == PLAN_MIX) {
        r->push.reject = QPEL_ITEM_NONE;
        bind(r, src, r->dst, r->scratch);
        dispatch(r, pipeline, &r->push.groups, run.first, run.end, 1);
        return;
    }
    r->push.reject = QPEL_ITEM_NONE | QPEL_ITEM_FIRST;
    bind(r, src, r->dst, r->dst);
    dispatch(r, pipeline, &r->push.groups, run.first, run.end, 1);
    r->push.reject = QPEL_ITEM_NONE | QPEL_ITEM_TO_DST;
    bind(r, src, r->scratch, r->scratch);
    dispatch(r, pipeline, &r->push.groups, run.first, run.end, 1);
}

static void set_plane(struct recorder *r, int component)
{
    const struct qpel_picture *target = r->batch->target;
    const struct samples *rows = &target->component[component];
    const uint8_t *start = target->memory.chunk->buffer->data;
    r->push.dst_base = (uint32_t)(rows->data - start);
    r->push.dst_stride = (uint32_t)rows->stride;
    if (component)
        r->push.dst_base_cr = (uint32_t)(target->component[2].data - start);
}

static enum qpel_result make_luma(struct recorder *r, int component)
{
    enum qpel_result result = QPEL_OK;
    set_plane(r, component);
    for (unsigned s = 0; s < PLAN_SOURCES; s++)
        for (unsigned i = 0; i < r->b->plan.runs && !result; i++) {
            struct plan_run run = r->b->plan.luma[r->pass][s][i];
            VkPipeline pipeline;
            if (run.first == run.end)
                continue;
            result = qvk_luma_pipeline(&r->gpu->picture_pipelines, &r->gpu->device, i, r->step,
                                       r->picky, &pipeline);
            if (!result)
                make(r, pipeline, s, run);
        }
    return result;
}

/* Of all kernels' items: their runs follow one another. */
static enum qpel_result make_chroma(struct recorder *r)
{
    VkPipeline pipeline;
    enum qpel_result result =
        qvk_chroma_pipeline(&r->gpu->picture_pipelines, &r->gpu->device, &r->batch->target->format,
                            r->step, r->picky, &pipeline);
    set_plane(r, 1);
    for (unsigned s = 0; s < PLAN_SOURCES && !result; s++) {
        const struct plan_run *runs = r->b->plan.luma[r->pass][s];
        make(r, pipeline, s, (struct plan_run){ runs[0].first, runs[r->b->plan.runs - 1].end });
    }
    return result;
}

static enum qpel_result make_narrow(struct recorder *r, enum plan_narrow narrow)
{
    VkPipeline pipeline;
    enum qpel_result result = qvk_narrow_pipeline(&r->gpu->picture_pipelines, &r->gpu->device,
                                                  &r->batch->target->format, r->step, &pipeline);
    set_plane(r, 1);
    for (unsigned s = 0; s < PLAN_SOURCES && !result; s++)
        make(r, pipeline, s, r->b->plan.narrow_run[r->pass][s][narrow]);
    return result;
}

static bool any_narrow(const struct recorder *r, enum plan_narrow narrow)
{
    bool any = false;
    for (unsigned s = 0; s < PLAN_SOURCES; s++) {
        struct plan_run run = r->b->plan.narrow_run[r->pass][s][narrow];
        any |= run.first != run.end;
    }
    return any;
}

/* ---- passes ---- */

/* Luma, or another component of 4:4:4; chroma with it. */
static enum qpel_result make_pass(struct recorder *r, int component)
{
    uint32_t room = r->b->slot_room;
    r->push.first_slot = r->turn ? 1 + r->turn * room : 0;
    r->push.slot_count = r->turn ? room : r->turns > 1 ? room + 1 : UINT32_MAX;
    enum qpel_result result = make_luma(r, component);
    if (result || !chroma_shift_x(r->batch->target->format.chroma))
        return result;
    result = make_chroma(r);
    if (!result && any_narrow(r, PLAN_LEFT))
        result = make_narrow(r, PLAN_LEFT);
    if (!result && any_narrow(r, PLAN_RIGHT)) {
        separate(r);
        result = make_narrow(r, PLAN_RIGHT);
    }
    return result;
}

static bool is_empty(const struct plan *plan, enum plan_pass pass)
{
    return plan->luma[pass][0][0].first == plan->luma[pass][PLAN_SOURCES - 1][plan->runs - 1].end;
}

static enum qpel_result record(struct recorder *r)
{
    const struct plan *plan = &r->b->plan;
    int components = r->batch->target->format.chroma == QPEL_CHROMA_444 ? COMPONENT_COUNT : 1;
    enum qpel_result result = QPEL_OK;
    bool begun = false, filled;
    for (int c = 0; c < components; c++) {
        r->push.component = (uint32_t)c;
        filled = false;
        for (int pass = 0; pass < PLAN_PASSES; pass++) {
            r->pass = (enum plan_pass)pass;
            r->step = pass == PLAN_PUT ? QPEL_STEP_PUT
                      : plan->weighted ? QPEL_STEP_WEIGH
                                       : QPEL_STEP_MEAN;
            if (is_empty(plan, r->pass))
                continue;
            for (r->turn = 0; r->turn < r->turns && !result; r->turn++) {
                if (begun)
                    separate(r);
                begun = true;
                if (plan->slots && (!filled || r->turns > 1)) {
                    result = fill_slots(r);
                    separate(r);
                    filled = true;
                }
                if (!result)
                    result = make_pass(r, c);
            }
        }
    }
    return result;
}

/* ---- all of it ---- */

static void find_buffers(struct recorder *r)
{
    const struct picture_memory *memory = &r->batch->target->memory;
    const struct picture_chunk *chunk = memory->chunk;
    r->dst = r->scratch = chunk->buffer->set;
    r->push.scratch_base = (uint32_t)(chunk->scratch - memory->offset);
    r->push.idle_base = (uint32_t)chunk->idle;
    if (!chunk->slot_room) {
        r->picky = true;
        r->apart = r->b->plan.bi;
        r->push.scratch_base = 0u - (uint32_t)qvk_target_span(r->batch->target).first;
        if (r->apart)
            r->scratch = r->b->scratch->set;
    }
    for (unsigned s = 0; s < r->b->sources; s++)
        r->picky |= !r->b->chunks[s]->slot_room;
    uint32_t slots = r->b->plan.slots;
    r->turns = slots > r->b->slot_room ? (slots + r->b->slot_room - 1) / r->b->slot_room : 1;
    r->picky |= r->turns > 1;
}

static enum qpel_result run(struct gpu *g, struct gpu_batch *b, const struct qpel_batch *batch,
                            VkCommandBuffer commands)
{
    struct recorder r = {
        .gpu = g,
        .b = b,
        .commands = commands,
        .batch = batch,
        .push = { .references = b->references, .weights = b->weights },
    };
    find_buffers(&r);
    return record(&r);
}

enum qpel_result qvk_batch_prepare(struct gpu *g, struct gpu_batch *b,
                                   const struct qpel_batch *batch)
{
    pthread_mutex_lock(&g->pictures_lock); /* for the pipelines */
    enum qpel_result result = qvk_picture_layout(&g->picture_pipelines, &g->device);
    if (!result)
        result = run(g, b, batch, VK_NULL_HANDLE);
    pthread_mutex_unlock(&g->pictures_lock);
    return result;
}

void qvk_batch_record(struct gpu *g, struct gpu_batch *b, const struct qpel_batch *batch,
                      VkCommandBuffer commands)
{
    run(g, b, batch, commands);
}
