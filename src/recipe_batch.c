/* What a batch costs on each backend, and which AUTO takes. */
#include "picture.h"
#include "recipe.h"

/* ---- counting ---- */

/* Axes along which a vector points between samples. */
static unsigned axes_of(const int16_t mv[2])
{
    return ((mv[0] & 3) != 0) + ((mv[1] & 3) != 0);
}

/* Enters the blocks that are not yet in. */
static void count_blocks(struct qpel_batch *batch)
{
    struct batch_counts c = batch->counts;
    for (; c.blocks < batch->block_count; c.blocks++) {
        const struct qpel_picture_block *b = &batch->blocks[c.blocks];
        unsigned samples = (unsigned)b->width * b->height;
        /* No branch: it would be mispredicted often. */
        unsigned axes = axes_of(b->mv[0]) + (b->references >> 1) * axes_of(b->mv[1]);
        c.lists += b->references;
        c.samples += samples * b->references;
        c.axes += samples * axes;
        if (b->weight) {
            unsigned planes = batch->weights[b->weight - 1].planes;
            c.weighted_luma += samples * (planes & 1);
            c.weighted_chroma += samples * ((planes >> 1 & 1) + (planes >> 2));
        }
    }
    batch->counts = c;
}

static void fill_counts(struct qpel_batch *batch, double count[QPEL_TERM_COUNT])
{
    enum qpel_chroma chroma = batch->target->format.chroma;
    count_blocks(batch);
    const struct batch_counts *c = &batch->counts;
    double shrink = 1 << chroma_shift_x(chroma) << chroma_shift_y(chroma);
    double planes = chroma == QPEL_CHROMA_444 ? COMPONENT_COUNT : 1; /* of luma's kernels */
    count[QPEL_TERM_FIXED] = 1;
    count[QPEL_TERM_BLOCK] = (double)c->lists;
    count[QPEL_TERM_SAMPLE] = (double)c->samples * planes;
    count[QPEL_TERM_AXIS] = (double)c->axes * planes;
    count[QPEL_TERM_WEIGH] = (double)c->weighted_luma;
    if (chroma == QPEL_CHROMA_400)
        return;
    count[QPEL_TERM_WEIGH] += (double)c->weighted_chroma / shrink;
    if (chroma != QPEL_CHROMA_444)
        count[QPEL_TERM_CHROMA] = 2 * (double)c->samples / shrink;
}

/* ---- choosing ---- */

void qpel_recipe_choose_batch(struct qpel_batch *batch, unsigned slices,
                              struct qpel_recipe_answer *answer)
{
    enum qpel_result r;
    char reason[QPEL_REASON_SIZE] = "";
    struct question q = {
        .gpu = qpel_context_open_gpu(batch->context, false, &r, reason),
        .class = { .work = QPEL_WORK_PICTURE },
        .slices = slices ? slices : 1,
    };
    if (!q.gpu || qpel_gpu_batch_refuses(batch, reason))
        q.why = reason;
    fill_counts(batch, q.count);
    qpel_recipe_choose(batch->context, &q, answer);
}

enum qpel_result qpel_recipe_query_batch(struct qpel_batch *batch,
                                         const struct qpel_submit_params *params,
                                         struct qpel_recipe_answer *answer)
{
    if (!batch || !params || !answer || (unsigned)params->backend > QPEL_BACKEND_GPU ||
        batch->state == BATCH_EMPTY)
        return QPEL_ERROR_INVALID;
    qpel_recipe_choose_batch(batch, params->slices, answer);
    qpel_recipe_settle(batch->context, answer);
    return QPEL_OK;
}
