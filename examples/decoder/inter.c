#include "inter.h"
#include "decoder.h"
#include "memory.h"

#include <string.h>

static struct qpel_picture_block *last_block(struct decoder *d)
{
    struct batch *b = &d->job->batch;
    return b->count ? &b->blocks[b->count - 1] : NULL;
}

/* ---- weights ---- */

static uint16_t weight_index(struct decoder *d, const struct qpel_weight *w)
{
    struct batch *b = &d->job->batch;
    uint32_t hash = 2166136261u; /* FNV-1a */
    for (size_t i = 0; i < sizeof *w; i++)
        hash = (hash ^ ((const uint8_t *)w)[i]) * 16777619u;
    uint16_t *known = &d->inter.weight_cache[(hash ^ hash >> 16) % WEIGHT_CACHE];
    if (*known && !memcmp(&b->weights[*known - 1], w, sizeof *w))
        return *known;
    if (b->weight_count == WEIGHTS_MAX) {
        decoder_fault(d, "too many different weights");
        return 0;
    }
    b->weights = grow(b->weights, b->weight_count, 1, sizeof *w, &d->job->weight_room);
    b->weights[b->weight_count++] = *w;
    return *known = (uint16_t)b->weight_count;
}

void inter_close_block(struct decoder *d)
{
    struct inter *in = &d->inter;
    struct qpel_picture_block *block = last_block(d);
    if (block && in->weight.planes) {
        block->weight = weight_index(d, &in->weight);
        d->counts.weighted++;
    }
    if (block && d->sabotage && d->job->blocks % 64 == 1)
        block->mv[0][0] ^= 64; /* 16 samples away */
    memset(&in->weight, 0, sizeof in->weight);
    in->last.open = false;
}

void inter_end_picture(struct decoder *d)
{
    inter_close_block(d);
    memset(d->inter.weight_cache, 0, sizeof d->inter.weight_cache);
}

/* ---- places ---- */

static bool locate_source(struct decoder *d, const uint8_t *src, ptrdiff_t stride,
                          struct place *place)
{
    const struct inter *in = &d->inter;
    uintptr_t at = (uintptr_t)src - (uintptr_t)in->window.from;
    if (at >= (uintptr_t)(in->window.to - in->window.from))
        return pictures_locate(&d->pictures, src, stride, place);
    *place = in->window.origin;
    place->y = in->window.y + (int)(at / (uintptr_t)in->window.stride);
    place->x = in->window.x +
               (int)(at % (uintptr_t)in->window.stride >> bytes_shift(&place->picture->format));
    return true;
}

void inter_edge(struct decoder *d, const uint8_t *dst, const uint8_t *src, ptrdiff_t dst_stride,
                ptrdiff_t src_stride, int block_h, int x, int y, int w, int h)
{
    struct inter *in = &d->inter;
    d->counts.edge_calls++;
    in->window.from = dst;
    in->window.to = dst + dst_stride * block_h;
    in->window.stride = dst_stride;
    in->window.x = x;
    in->window.y = y;
    const uint8_t *origin =
        src - (ptrdiff_t)x * (1 << bytes_shift(&d->format)) - (ptrdiff_t)y * src_stride;
    struct place *o = &in->window.origin;
    if (!pictures_locate(&d->pictures, origin, src_stride, o)) {
        in->window.to = dst;
        decoder_fault(d, "edge: in no picture");
        return;
    }
    /* vectors are clamped to the coded size, of the field for field rows */
    const struct qpel_picture_format *f = &o->picture->format;
    if (o->x || o->y || w != (int)f->width >> shift_x(f, o->plane) ||
        h != (int)f->height >> shift_y(f, o->plane) >> (o->parity != QPEL_FRAME))
        decoder_fault(d, "edge: another picture size");
}

static uint8_t reference_index(struct decoder *d, const struct place *place)
{
    struct batch *b = &d->job->batch;
    for (unsigned i = b->reference_count; i--;)
        if (b->references[i].picture == place->picture && b->references[i].parity == place->parity)
            return (uint8_t)i;
    if (b->reference_count == QPEL_REFERENCE_MAX) {
        decoder_fault(d, "too many references");
        return 0;
    }
    b->references[b->reference_count] =
        (struct reference){ .picture = place->picture, .parity = (uint8_t)place->parity };
    decoder_use(d, place->picture);
    return (uint8_t)b->reference_count++;
}

/* ---- luma: blocks ---- */

static struct qpel_picture_block *add_block(struct decoder *d)
{
    struct batch *b = &d->job->batch;
    if (b->count == b->room) {
        enum phase before = times_enter(&d->times, PHASE_SUBMIT);
        enum qpel_result r = d->pictures.plug->room(d->pictures.self, b);
        times_enter(&d->times, before);
        if (r) {
            decoder_fault(d, qpel_result_name(r));
            return NULL;
        }
    }
    d->job->blocks++;
    d->counts.blocks++;
    return memset(&b->blocks[b->count++], 0, sizeof *b->blocks);
}

/* The second luma call of a partition that isn't square continues the first to the right or below.
 */
static bool continues(const struct inter *in, int list, int k, int position, const struct place *to,
                      const struct place *from)
{
    int n = 16 >> k, dx = to->x - in->last.x, dy = to->y - in->last.y;
    return in->last.open && !in->last.twice && in->last.list == list && in->last.k == k &&
           in->last.position == position && ((dx == n && !dy) || (!dx && dy == n)) &&
           from->x - in->last.from_x == dx && from->y - in->last.from_y == dy;
}

/* The first list of a block; null: there is nothing to add. */
static struct qpel_picture_block *first_list(struct decoder *d, int k, int position,
                                             const struct place *to, const struct place *from)
{
    struct inter *in = &d->inter;
    int n = 16 >> k;
    if (continues(in, 0, k, position, to, from)) {
        struct qpel_picture_block *block = last_block(d);
        if (to->x != in->last.x)
            block->width = (uint8_t)(2 * n);
        else
            block->height = (uint8_t)(2 * n);
        d->counts.samples += (uint64_t)(n * n);
        in->last.twice = true;
        return NULL;
    }
    inter_close_block(d);
    struct qpel_picture_block *block = add_block(d);
    if (!block)
        return NULL;
    block->x = (uint16_t)to->x;
    block->y = (uint16_t)to->y;
    block->width = block->height = (uint8_t)n;
    block->parity = (uint8_t)to->parity;
    block->references = 1;
    d->counts.samples += (uint64_t)(n * n);
    d->counts.field_rows += to->parity != QPEL_FRAME;
    d->job->frame_blocks |= to->parity == QPEL_FRAME;
    return block;
}

/* The second list, averaged with the block's dst (then `to` is known) or predicted into a buffer
 * of the decoder's, to be weighted (then it is the block's place). */
static struct qpel_picture_block *second_list(struct decoder *d, int k, int position,
                                              struct place *to, const struct place *from)
{
    struct inter *in = &d->inter;
    struct qpel_picture_block *block = last_block(d);
    int n = 16 >> k;
    if (!block) {
        decoder_fault(d, "second list without a first");
        return NULL;
    }
    int x = block->x, y = block->y;
    if (block->references == 2) { /* the second call */
        x += block->width > block->height ? n : 0;
        y += block->height > block->width ? n : 0;
        struct place expected = { .x = x, .y = y };
        if (!continues(in, 1, k, position, &expected, from) ||
            (to->picture && (to->x != x || to->y != y)))
            decoder_fault(d, "second list: an unexpected call");
        in->last.twice = true;
        return NULL;
    }
    if (to->picture && (to->x != x || to->y != y || to->picture != d->job->target))
        decoder_fault(d, "second list: another place");
    to->x = x;
    to->y = y;
    block->references = 2;
    d->counts.bi++;
    return block;
}

void inter_luma(struct decoder *d, bool avg, int k, int position, const uint8_t *dst,
                const uint8_t *src, ptrdiff_t stride)
{
    struct inter *in = &d->inter;
    struct place to = { 0 }, from;
    d->counts.luma_calls++;
    if (!locate_source(d, src, stride, &from)) {
        decoder_fault(d, "luma: source in no picture");
        return;
    }
    if (from.plane) { /* chroma of 4:4:4: the same block and vector as its luma */
        in->last.open = false;
        return;
    }
    int list = 1;
    if (!pictures_locate(&d->pictures, dst, stride, &to))
        to.picture = NULL;
    else if (!avg)
        list = 0;
    if (!list)
        decoder_target(d, dst);
    struct qpel_picture_block *block =
        list ? second_list(d, k, position, &to, &from) : first_list(d, k, position, &to, &from);
    if (!block)
        return;
    block->mv[list][0] = (int16_t)((from.x - to.x) * 4 + (position & 3));
    block->mv[list][1] = (int16_t)((from.y - to.y) * 4 + (position >> 2));
    block->reference[list] = reference_index(d, &from);
    in->last.open = true;
    in->last.twice = false;
    in->last.list = list;
    in->last.k = k;
    in->last.position = position;
    in->last.x = to.x;
    in->last.y = to.y;
    in->last.from_x = from.x;
    in->last.from_y = from.y;
}

/* ---- what follows from luma ---- */

void inter_chroma(struct decoder *d, bool avg, int k, const uint8_t *dst, const uint8_t *src,
                  ptrdiff_t stride, int h, int x, int y)
{
    struct place to = { 0 }, from;
    d->counts.chroma_calls++;
    d->inter.last.open = false;
    if (!d->check)
        return;
    const struct qpel_picture_block *block = last_block(d);
    bool inside = pictures_locate(&d->pictures, dst, stride, &to);
    int list = avg || !inside;
    if (!block || list >= block->references || !locate_source(d, src, stride, &from)) {
        decoder_fault(d, "chroma: no luma for it");
        return;
    }
    /* 8.4.1.4: chroma's vector is luma's, in units of 1/8 of a chroma sample (1/4 down the rows of
     * 4:2:2); in 4:2:0 moved by -2 or +2 between fields of other parity */
    const struct reference *ref = &d->job->batch.references[block->reference[list]];
    bool halved = d->format.chroma == QPEL_CHROMA_420;
    int at_x = block->x * 4 + block->mv[list][0], at_y = block->y * 4 + block->mv[list][1];
    if (!halved)
        at_y *= 2;
    else if (block->parity != QPEL_FRAME)
        at_y += 2 * (block->parity - ref->parity);
    if (from.picture != ref->picture || from.parity != ref->parity || from.x != at_x >> 3 ||
        from.y != at_y >> 3 || x != (at_x & 7) || y != (at_y & 7) || 8 >> k != block->width / 2 ||
        h != block->height >> halved ||
        (inside && (to.x != block->x / 2 || to.y != block->y >> halved || to.plane != from.plane)))
        decoder_fault(d, "chroma differs from what luma says");
}

void inter_weight(struct decoder *d, bool bi, int k, const uint8_t *dst, ptrdiff_t stride, int h,
                  int log_wd, const int w[2], int o)
{
    struct qpel_weight *weight = &d->inter.weight;
    const struct qpel_picture_block *block = last_block(d);
    struct place to;
    d->inter.last.open = false;
    if (!block || !pictures_locate(&d->pictures, dst, stride, &to)) {
        decoder_fault(d, "weight: no block for it");
        return;
    }
    const struct qpel_picture_format *f = &d->format;
    int p = to.plane;
    if (to.x != block->x >> shift_x(f, p) || to.y != block->y >> shift_y(f, p) ||
        16 >> k != block->width >> shift_x(f, p) || h != block->height >> shift_y(f, p) ||
        bi != (block->references == 2))
        decoder_fault(d, "weight: another place");
    weight->planes |= (uint8_t)(1 << p);
    weight->log_wd[p] = (uint8_t)log_wd;
    weight->w[0][p] = (int16_t)w[0];
    weight->w[1][p] = (int16_t)w[1];
    /* only the sum of both counts (8-299) */
    weight->o[0][p] = (int16_t)(bi ? o >> 1 : o);
    weight->o[1][p] = (int16_t)(bi ? o - (o >> 1) : 0);
}
