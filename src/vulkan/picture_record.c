/* The commands of a batch:
 *
 *   slots of windows that leave their references; and chroma, which needs none of the rest
 *   list A, each kernel: list 0 of units with two references, to the scratch plane
 *   list B, each kernel: list 1 of them, and all other units, to the target
 *
 * with barriers between. Kernels of one list don't depend on each other. Where there are more slots
 * to fill than there is room, their units take turns. */
#include "gpu_internal.h"

struct recorder {
    struct gpu *gpu;
    struct gpu_batch *b;
    VkCommandBuffer commands; /* null: only the pipelines are made */
    const struct qpel_batch *batch;
    struct qvk_picture_push push;
    VkDescriptorSet sets[QPEL_PICTURE_SETS]; /* those that are bound */
    uint32_t step;                           /* of list B, and of chroma */
    uint32_t slot_room;
    uint32_t window; /* slots from window * slot_room on are filled */
};

/* ---- one dispatch ---- */

static VkDescriptorSet source_set(const struct recorder *r, unsigned source)
{
    return r->b->chunks[source]->buffer->set;
}

static void bind(struct recorder *r, VkDescriptorSet src, VkDescriptorSet dst,
                 VkDescriptorSet other)
{
    const VkDescriptorSet sets[QPEL_PICTURE_SETS] = {
        [QPEL_PICTURE_SET_UPLOAD] = r->b->upload->set,
        [QPEL_PICTURE_SET_SRC] = src,
        [QPEL_PICTURE_SET_DST] = dst,
        [QPEL_PICTURE_SET_OTHER] = other,
    };
    bool bound = true;
    for (int i = 0; i < QPEL_PICTURE_SETS; i++) {
        bound &= r->sets[i] == sets[i];
        r->sets[i] = sets[i];
    }
    if (!bound && r->commands)
        r->gpu->device.vk.vkCmdBindDescriptorSets(r->commands, VK_PIPELINE_BIND_POINT_COMPUTE,
                                                  r->gpu->picture_pipelines.layout, 0,
                                                  QPEL_PICTURE_SETS, sets, 0, NULL);
}

/* Items first..end-1, so many to a work group; in jobs that V3D's watchdog allows. */
static void dispatch(struct recorder *r, VkPipeline pipeline, uint32_t first, uint32_t end,
                     uint32_t per_group)
{
    const struct VolkDeviceTable *vk = &r->gpu->device.vk;
    VkCommandBuffer commands = r->commands;
    uint32_t most = r->gpu->device.info->max_groups;
    if (most > GROUPS_PER_JOB)
        most = GROUPS_PER_JOB;
    if (!commands)
        return;
    vk->vkCmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    while (first < end) {
        uint32_t groups = (end - first + per_group - 1) / per_group;
        if (groups > most)
            groups = most;
        uint32_t left = end - first, now = groups * per_group;
        r->push.first_item = first;
        r->push.end_item = first + (now < left ? now : left);
        vk->vkCmdPushConstants(commands, r->gpu->picture_pipelines.layout,
                               VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof r->push, &r->push);
        vk->vkCmdDispatch(commands, groups, 1, 1);
        first = r->push.end_item;
    }
}

static void separate(struct recorder *r)
{
    if (r->commands)
        qvk_barrier_between(&r->gpu->device, r->commands);
}

/* ---- slots ---- */

/* A lane makes a row of a slot. */
#define SLOT_LANES 16

static enum qpel_result fill(struct recorder *r, unsigned source, uint32_t first, uint32_t end)
{
    VkPipeline pipeline;
    uint32_t window = r->window * r->slot_room;
    if (first < window)
        first = window;
    if (end > window + r->slot_room)
        end = window + r->slot_room;
    if (first >= end)
        return QPEL_OK;
    enum qpel_result result =
        qvk_extend_pipeline(&r->gpu->picture_pipelines, &r->gpu->device, &pipeline);
    if (result)
        return result;
    VkDescriptorSet set = source_set(r, source);
    bind(r, set, set, set);
    r->push.slot_shift = 0u - window;
    r->push.slots_base = (uint32_t)r->b->chunks[source]->slots;
    dispatch(r, pipeline, first, end, QPEL_GROUP_LANES / SLOT_LANES);
    return QPEL_OK;
}

/* Fills the slots of a window, for all lists and sources. */
static enum qpel_result fill_window(struct recorder *r)
{
    const struct plan *plan = &r->b->plan;
    if (plan->sources == 1)
        return fill(r, 0, 0, plan->slots);
    enum qpel_result result = QPEL_OK;
    for (int list = 0; list < PLAN_LIST_COUNT; list++)
        for (unsigned s = 0; s < plan->sources && !result; s++)
            result = fill(r, s, plan->slot_first[list][s], plan->slot_first[list][s + 1]);
    return result;
}

/* ---- luma ---- */

/* Lanes of a unit. */
#define UNIT_LANES (QPEL_UNIT / QPEL_STRIP_COLUMNS)

/* The units of a range whose slots are filled; inside: and those that need none. */
static enum qpel_result make_range(struct recorder *r, enum plan_list list, unsigned source,
                                   enum picture_kernel kernel, bool inside)
{
    const struct plan_range *range = &r->b->plan.range[list][source][kernel];
    uint32_t outside = range->first + range->inside;
    uint32_t window = r->window * r->slot_room, window_end = window + r->slot_room;
    /* Of the outside units, those before the window and its end. */
    uint32_t before = window > range->slot ? window - range->slot : 0;
    uint32_t until = window_end > range->slot ? window_end - range->slot : 0;
    if (before > range->outside)
        before = range->outside;
    if (until > range->outside)
        until = range->outside;
    uint32_t first = inside ? range->first : outside + before, end = outside + until;
    if (first >= end)
        return QPEL_OK;
    VkPipeline pipeline;
    enum qpel_result result =
        qvk_luma_pipeline(&r->gpu->picture_pipelines, &r->gpu->device, kernel,
                          list == PLAN_A ? QPEL_STEP_PUT : r->step, &pipeline);
    if (result)
        return result;
    r->push.outside_first = outside;
    r->push.slot_shift = range->slot - outside - window;
    r->push.slots_base = (uint32_t)r->b->chunks[source]->slots;
    dispatch(r, pipeline, first, end, QPEL_GROUP_LANES / UNIT_LANES);
    return QPEL_OK;
}

static enum qpel_result make_list(struct recorder *r, enum plan_list list, VkDescriptorSet dst,
                                  VkDescriptorSet other)
{
    const struct plan *plan = &r->b->plan;
    enum qpel_result result = QPEL_OK;
    for (bool inside = true;; inside = false) {
        for (unsigned s = 0; s < plan->sources && !result; s++) {
            bind(r, source_set(r, s), dst, other);
            for (int k = 0; k < KERNEL_COUNT && !result; k++)
                result = make_range(r, list, s, (enum picture_kernel)k, inside);
        }
        if (result || plan->slot_first[list][plan->sources] <= (r->window + 1) * r->slot_room)
            return result;
        separate(r);
        r->window++;
        result = fill_window(r);
        separate(r);
    }
}

static enum qpel_result make_luma(struct recorder *r, int component)
{
    const struct qpel_picture *target = r->batch->target;
    const struct samples *rows = &target->component[component];
    const struct gpu_buffer *buffer = target->memory.chunk->buffer;
    VkDescriptorSet scratch = r->b->plan.bi ? r->b->scratch->set : r->b->upload->set;
    enum qpel_result result = QPEL_OK;
    r->push.dst_stride = (uint32_t)rows->stride;
    if (r->b->plan.bi) {
        r->push.dst_base = 0;
        result = make_list(r, PLAN_A, scratch, scratch);
        separate(r);
    }
    r->push.dst_base = (uint32_t)(rows->data - (const uint8_t *)buffer->data);
    r->push.other_base = 0u - r->push.dst_base;
    if (!result)
        result = make_list(r, PLAN_B, buffer->set, scratch);
    return result;
}

/* ---- chroma ---- */

static enum qpel_result make_chroma(struct recorder *r, uint32_t narrow, unsigned source,
                                    unsigned other, uint32_t first, uint32_t end)
{
    const struct qpel_picture *target = r->batch->target;
    const struct gpu_buffer *buffer = target->memory.chunk->buffer;
    if (first >= end)
        return QPEL_OK;
    VkPipeline pipeline;
    enum qpel_result result = qvk_chroma_pipeline(&r->gpu->picture_pipelines, &r->gpu->device,
                                                  &target->format, r->step, narrow, &pipeline);
    if (result)
        return result;
    bind(r, source_set(r, source), buffer->set, source_set(r, other));
    r->push.sources = source | (uint32_t)other << 16;
    r->push.dst_base = (uint32_t)(target->component[1].data - (const uint8_t *)buffer->data);
    r->push.dst_base_cr = (uint32_t)(target->component[2].data - (const uint8_t *)buffer->data);
    r->push.dst_stride = (uint32_t)target->component[1].stride;
    uint32_t items = narrow == QPEL_NARROW_PAIR ? 2 : 1; /* of a lane */
    dispatch(r, pipeline, first, end, QPEL_GROUP_LANES * items);
    return QPEL_OK;
}

/* For each pair of buffers that references may be in: a list of narrow units, or those of list B
 * that are not. */
static enum qpel_result make_chroma_of(struct recorder *r, uint32_t narrow, enum plan_narrow list)
{
    const struct plan *plan = &r->b->plan;
    enum qpel_result result = QPEL_OK;
    for (unsigned s = 0; s < plan->sources; s++)
        for (unsigned o = 0; o < plan->sources && !result; o++) {
            uint32_t first = plan->item_first[PLAN_B][s], end = plan->item_first[PLAN_B][s + 1];
            if (narrow != QPEL_NARROW_NOT) {
                first = plan->narrow_first[list];
                end = plan->narrow_first[list + 1];
            }
            if (o == s || plan->bi)
                result = make_chroma(r, narrow, s, o, first, end);
        }
    return result;
}

static bool has_chroma(const struct qpel_picture_format *f)
{
    return f->chroma == QPEL_CHROMA_420 || f->chroma == QPEL_CHROMA_422;
}

/* All but the right halves of words, which must not meet the left ones. */
static enum qpel_result make_most_chroma(struct recorder *r)
{
    enum qpel_result result = make_chroma_of(r, QPEL_NARROW_NOT, PLAN_PAIR);
    if (!result)
        result = make_chroma_of(r, QPEL_NARROW_PAIR, PLAN_PAIR);
    if (!result)
        result = make_chroma_of(r, QPEL_NARROW_ALONE, PLAN_LEFT);
    return result;
}

static enum qpel_result make_right_halves(struct recorder *r)
{
    const struct plan *plan = &r->b->plan;
    if (plan->narrow_first[PLAN_RIGHT] == plan->narrow_first[PLAN_RIGHT + 1])
        return QPEL_OK;
    separate(r);
    return make_chroma_of(r, QPEL_NARROW_ALONE, PLAN_RIGHT);
}

/* ---- all of it ---- */

static enum qpel_result record(struct recorder *r)
{
    const struct qpel_picture_format *f = &r->batch->target->format;
    int components = f->chroma == QPEL_CHROMA_444 ? COMPONENT_COUNT : 1;
    enum qpel_result result = QPEL_OK;
    for (int c = 0; c < components && !result; c++) {
        r->push.component = (uint32_t)c;
        r->window = 0;
        if (c)
            separate(r);
        result = fill_window(r);
        if (!result && has_chroma(f))
            result = make_most_chroma(r);
        if (r->b->plan.slots)
            separate(r);
        if (!result)
            result = make_luma(r, c);
    }
    if (!result && has_chroma(f))
        result = make_right_halves(r);
    return result;
}

static enum qpel_result run(struct gpu *g, struct gpu_batch *b, const struct qpel_batch *batch,
                            VkCommandBuffer commands)
{
    const struct plan *plan = &b->plan;
    struct recorder r = {
        .gpu = g,
        .b = b,
        .commands = commands,
        .batch = batch,
        .step = plan->weighted ? QPEL_STEP_WEIGH
                : plan->bi     ? QPEL_STEP_MEAN
                               : QPEL_STEP_PUT,
        .slot_room = UINT32_MAX,
        .push = { .weights = b->weights, .items = b->items, .slots = b->slots * 4 },
    };
    for (unsigned s = 0; s < plan->sources; s++)
        if (b->chunks[s]->slot_room < r.slot_room)
            r.slot_room = (uint32_t)b->chunks[s]->slot_room;
    return record(&r);
}

enum qpel_result qvk_batch_prepare(struct gpu *g, struct gpu_batch *b,
                                   const struct qpel_batch *batch)
{
    enum qpel_result result = QPEL_OK;
    pthread_mutex_lock(&g->pictures_lock); /* for the pipelines */
    if (b->plan.sources)
        result = qvk_picture_layout(&g->picture_pipelines, &g->device);
    if (b->plan.sources && !result)
        result = run(g, b, batch, VK_NULL_HANDLE);
    pthread_mutex_unlock(&g->pictures_lock);
    return result;
}

void qvk_batch_record(struct gpu *g, struct gpu_batch *b, const struct qpel_batch *batch,
                      VkCommandBuffer commands)
{
    qvk_barrier_first(&g->device, commands);
    if (b->plan.sources)
        run(g, b, batch, commands);
}
