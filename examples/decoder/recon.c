#include "recon.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

enum { ALIGN = 32 }; /* of commands and of what follows them */

/* Where the four samples above and to the right of a 4x4 block are. */
enum above_right { NONE, IN_PICTURE, REPEATED };

struct command {
    uint8_t op, mode; /* mode: index in the table of functions */
    uint8_t a, b;     /* enum above_right; or the two availabilities, their bits 8.. */
    int32_t stride;
    uint8_t *dst;
    const int *offset;
    uint32_t payload; /* bytes that follow, a multiple of ALIGN */
    uint32_t mask;    /* which 4x4 blocks of coefficients follow; of DC commands the coefficient */
};
_Static_assert(sizeof(struct command) == ALIGN, "commands keep what follows them aligned");

static uint8_t *body(struct command *c)
{
    return (uint8_t *)(c + 1);
}

static struct command *push(struct recon *r, enum recon_op op, int mode, uint8_t *dst,
                            ptrdiff_t stride, size_t payload)
{
    size_t need = sizeof(struct command) + payload;
    if (need > r->room - r->size)
        r->commands = grow_aligned(r->commands, r->size, need, &r->room);
    struct command *c = (struct command *)(void *)(r->commands + r->size);
    *c = (struct command){ .op = (uint8_t)op,
                           .mode = (uint8_t)mode,
                           .stride = (int32_t)stride,
                           .dst = dst,
                           .payload = (uint32_t)payload };
    r->size += need;
    r->count++;
    return c;
}

/* ---- coefficients: only the 4x4 blocks that are not all zero ---- */

static size_t block_bytes(const struct recon *r)
{
    return (size_t)32 << r->wide;
}

static size_t mask_bytes(const struct recon *r, uint32_t mask)
{
    return (size_t)__builtin_popcount(mask) * block_bytes(r);
}

static uint32_t nonzero_mask(const struct recon *r, const int16_t *block, int n)
{
    uint32_t mask = 0;
    size_t size = block_bytes(r);
    for (int i = 0; i < n; i++) {
        uint64_t any = 0, word;
        for (size_t k = 0; k < size; k += sizeof word) {
            memcpy(&word, (const uint8_t *)block + (size_t)i * size + k, sizeof word);
            any |= word;
        }
        mask |= (uint32_t)(any != 0) << i;
    }
    return mask;
}

/* Moves the blocks of `mask` to the record and leaves zeros; of those in `dc_only` too just the DC,
 * and the rest stays. Returns the end in the record. */
static uint8_t *take(const struct recon *r, uint8_t *out, int16_t *block, uint32_t mask,
                     uint32_t dc_only)
{
    size_t size = block_bytes(r), dc_size = (size_t)2 << r->wide;
    for (uint8_t *b = (uint8_t *)block; mask; mask >>= 1, dc_only >>= 1, b += size)
        if (mask & 1) {
            size_t n = dc_only & 1 ? dc_size : size;
            memcpy(out, b, n);
            memset(out + n, 0, size - n);
            memset(b, 0, n);
            out += size;
        }
    return out;
}

/* And back; the blocks between are zero already. */
static const uint8_t *give(const struct recon *r, int16_t *block, const uint8_t *in, uint32_t mask)
{
    size_t size = block_bytes(r);
    for (uint8_t *b = (uint8_t *)block; mask; mask >>= 1, b += size)
        if (mask & 1) {
            memcpy(b, in, size);
            in += size;
        }
    return in;
}

/* libavcodec's table of coefficient counts is 8 wide: columns 4..7 of 5 rows a plane, of which the
 * last four are the macroblock's. */
enum { COUNTS = 15 * 8, COUNT_BYTES = 16 };

static void take_counts(uint8_t *out, const uint8_t *counts, int plane)
{
    for (int row = 0; row < 4; row++)
        memcpy(out + 4 * row, counts + 4 + 8 * (5 * plane + 1 + row), 4);
}

static void give_counts(uint8_t *counts, const uint8_t *in, int plane)
{
    for (int row = 0; row < 4; row++)
        memcpy(counts + 4 + 8 * (5 * plane + 1 + row), in + 4 * row, 4);
}

/* Block k of a plane in z-order: where its count is in the table. */
static int count_at(int plane, int k)
{
    int x = (k & 1) + (k >> 2 & 1) * 2, y = (k >> 1 & 1) + (k >> 3) * 2;
    return 4 + x + 8 * (5 * plane + 1 + y);
}

/* Which of the blocks that aren't zero the real function reads, and of which the DC alone. What it
 * does not read it leaves, to be added by a later one: so it goes after a macroblock that was given
 * up. */
static uint32_t read_mask(const struct recon *r, enum recon_op op, const int16_t *block, int plane,
                          const uint8_t *counts, uint32_t *dc_only)
{
    bool inter = op == RECON_ADD16 || op == RECON_ADD8X4;
    uint32_t mask = nonzero_mask(r, block, plane ? 8 : 16), read = 0;
    *dc_only = 0;
    for (int i = 0; mask >> i; i++) {
        if (!(mask >> i & 1))
            continue;
        int first = op == RECON_ADD8X4 ? i & ~3 : i; /* of an 8x8 block */
        /* 4:2:2 has its second four blocks where luma's third four are */
        int count = counts[count_at(plane, plane && i >= 4 ? i + 4 : first)];
        uint32_t dc = 0;
        memcpy(&dc, block + ((first * 16) << r->wide), (size_t)2 << r->wide);
        bool has_dc = dc != 0;
        if (inter ? count > 1 || (count && !has_dc) : count)
            read |= 1u << i;
        else if (has_dc && i == first && (count || !inter))
            read |= *dc_only |= 1u << i;
    }
    return read;
}

/* ---- recording ---- */

void recon_pred4(struct recon *r, int mode, uint8_t *dst, const uint8_t *above_right,
                 ptrdiff_t stride)
{
    struct command *c = push(r, RECON_PRED4, mode, dst, stride, 0);
    /* Not in the picture: a local variable of the caller with the sample above the last column,
     * four times. It was read too early, so it is taken again when the command is carried out. */
    if (above_right)
        c->a = above_right == dst + (4 << r->wide) - stride ? IN_PICTURE : REPEATED;
}

void recon_pred8l(struct recon *r, int mode, uint8_t *dst, int has_above_left, int has_above_right,
                  ptrdiff_t stride)
{
    struct command *c = push(r, RECON_PRED8L, mode, dst, stride, 0);
    /* 0x8000 and 0x4000, or 0: assembly for 10 bits computes with these very values */
    c->a = (uint8_t)(has_above_left >> 8);
    c->b = (uint8_t)(has_above_right >> 8);
}

void recon_pred(struct recon *r, enum recon_op op, int mode, uint8_t *dst, ptrdiff_t stride)
{
    push(r, op, mode, dst, stride, 0);
}

void recon_add(struct recon *r, enum recon_op op, int mode, uint8_t *dst, const int *offset,
               int16_t *block, ptrdiff_t stride, int n, int has_above_left, int has_above_right)
{
    uint32_t mask = nonzero_mask(r, block, n);
    struct command *c = push(r, op, mode, dst, stride, mask_bytes(r, mask));
    c->mask = mask;
    c->offset = offset;
    c->a = (uint8_t)(has_above_left >> 8);
    c->b = (uint8_t)(has_above_right >> 8);
    take(r, body(c), block, mask, 0);
}

void recon_dc(struct recon *r, enum recon_op op, uint8_t *dst, int16_t *block, int stride)
{
    struct command *c = push(r, op, 0, dst, stride, 0);
    size_t size = (size_t)2 << r->wide;
    memcpy(&c->mask, block, size);
    memset(block, 0, size);
}

void recon_add_many(struct recon *r, enum recon_op op, uint8_t *dst, const int *offset,
                    int16_t *block, int stride, const uint8_t *nonzero)
{
    uint32_t dc_only, mask = read_mask(r, op, block, 0, nonzero, &dc_only);
    if (!mask)
        return;
    struct command *c = push(r, op, 0, dst, stride, 2 * COUNT_BYTES + mask_bytes(r, mask));
    c->mask = mask;
    c->offset = offset;
    take_counts(body(c), nonzero, 0);
    take(r, body(c) + 2 * COUNT_BYTES, block, mask, dc_only);
}

/* The macroblock's coefficients: 16 blocks of luma, then up to 16 of each chroma plane, of which
 * 4:2:0 and 4:2:2 use 8. */
static int16_t *plane_blocks(const struct recon *r, int16_t *block, int plane)
{
    return block + ((plane * 256) << r->wide);
}

/* After the command: Cr's address, the counts of Cb and Cr, their coefficients. */
enum { CR_ADDRESS = 0, CB_COUNTS = 16, CR_COUNTS = 32, CHROMA_BLOCKS = 64 };

void recon_add_chroma(struct recon *r, uint8_t **dst, const int *offset, int16_t *block, int stride,
                      const uint8_t *nonzero)
{
    int16_t *cb = plane_blocks(r, block, 1), *cr = plane_blocks(r, block, 2);
    uint32_t cb_dc, cr_dc, cb_mask = read_mask(r, RECON_ADD_CHROMA, cb, 1, nonzero, &cb_dc),
                           cr_mask = read_mask(r, RECON_ADD_CHROMA, cr, 2, nonzero, &cr_dc);
    uint32_t mask = cb_mask | cr_mask << 8;
    if (!mask)
        return;
    struct command *c =
        push(r, RECON_ADD_CHROMA, 0, dst[0], stride, CHROMA_BLOCKS + mask_bytes(r, mask));
    c->mask = mask;
    c->offset = offset;
    memcpy(body(c) + CR_ADDRESS, &dst[1], sizeof dst[1]);
    take_counts(body(c) + CB_COUNTS, nonzero, 1);
    take_counts(body(c) + CR_COUNTS, nonzero, 2);
    uint8_t *out = take(r, body(c) + CHROMA_BLOCKS, cb, cb_mask, cb_dc);
    take(r, out, cr, cr_mask, cr_dc);
}

/* ---- replay ---- */

/* The real functions clear the coefficients that they are given, so these stay zero between
 * commands. */
struct scratch {
    _Alignas(64) int16_t block[3 * 256 * 2];
    uint8_t counts[COUNTS];
};

static void replay_pred4(const struct recon *r, const struct ffmpeg_pred *pred,
                         const struct command *c)
{
    const uint8_t *above_right = c->a ? c->dst + (4 << r->wide) - c->stride : NULL;
    _Alignas(8) uint8_t four[8];
    if (c->a == REPEATED) {
        size_t size = (size_t)1 << r->wide;
        for (size_t i = 0; i < 4; i++)
            memcpy(four + i * size, above_right - size, size);
        above_right = four;
    }
    pred->pred4[c->mode](c->dst, above_right, c->stride);
}

static void replay_many(const struct recon *r, const struct ffmpeg_dsp *dsp, struct command *c,
                        struct scratch *s)
{
    ffmpeg_add_many_fn *add = c->op == RECON_ADD16    ? dsp->add16
                              : c->op == RECON_ADD8X4 ? dsp->add8x4
                                                      : dsp->add16_intra;
    give_counts(s->counts, body(c), 0);
    give(r, s->block, body(c) + 2 * COUNT_BYTES, c->mask);
    add(c->dst, c->offset, s->block, c->stride, s->counts);
}

static void replay_chroma(const struct recon *r, const struct ffmpeg_dsp *dsp, struct command *c,
                          struct scratch *s)
{
    uint8_t *dst[2] = { c->dst, NULL };
    memcpy(&dst[1], body(c) + CR_ADDRESS, sizeof dst[1]);
    give_counts(s->counts, body(c) + CB_COUNTS, 1);
    give_counts(s->counts, body(c) + CR_COUNTS, 2);
    const uint8_t *in = body(c) + CHROMA_BLOCKS;
    in = give(r, plane_blocks(r, s->block, 1), in, c->mask & 255);
    give(r, plane_blocks(r, s->block, 2), in, c->mask >> 8);
    dsp->add_chroma(dst, c->offset, s->block, c->stride, s->counts);
}

static void replay(const struct recon *r, const struct ffmpeg_dsp *dsp,
                   const struct ffmpeg_pred *pred, struct command *c, struct scratch *s)
{
    int16_t *block = s->block;
    switch ((enum recon_op)c->op) {
    case RECON_PRED4:
        replay_pred4(r, pred, c);
        return;
    case RECON_PRED8L:
        pred->pred8l[c->mode](c->dst, c->a << 8, c->b << 8, c->stride);
        return;
    case RECON_PRED8:
        pred->pred8[c->mode](c->dst, c->stride);
        return;
    case RECON_PRED16:
        pred->pred16[c->mode](c->dst, c->stride);
        return;
    case RECON_DC4:
    case RECON_DC8:
        memcpy(block, &c->mask, (size_t)2 << r->wide);
        (c->op == RECON_DC4 ? dsp->dc4 : dsp->dc8)(c->dst, block, c->stride);
        return;
    case RECON_ADD16:
    case RECON_ADD8X4:
    case RECON_ADD16_INTRA:
        replay_many(r, dsp, c, s);
        return;
    case RECON_ADD_CHROMA:
        replay_chroma(r, dsp, c, s);
        return;
    default: /* one place's coefficients, or those of a lossless macroblock */
        give(r, block, body(c), c->mask);
    }
    switch ((enum recon_op)c->op) {
    case RECON_ADD4:
        dsp->add4(c->dst, block, c->stride);
        return;
    case RECON_ADD8:
        dsp->add8(c->dst, block, c->stride);
        return;
    case RECON_BYPASS4:
        dsp->bypass4(c->dst, block, c->stride);
        return;
    case RECON_BYPASS8:
        dsp->bypass8(c->dst, block, c->stride);
        return;
    case RECON_PRED4_ADD:
        pred->pred4_add[c->mode](c->dst, block, c->stride);
        return;
    case RECON_PRED8L_ADD:
        pred->pred8l_add[c->mode](c->dst, block, c->stride);
        return;
    case RECON_PRED8L_FILTER_ADD:
        pred->pred8l_filter_add[c->mode](c->dst, block, c->a << 8, c->b << 8, c->stride);
        return;
    case RECON_PRED8_ADD:
        pred->pred8_add[c->mode](c->dst, c->offset, block, c->stride);
        return;
    case RECON_PRED16_ADD:
        pred->pred16_add[c->mode](c->dst, c->offset, block, c->stride);
        return;
    default:
        return;
    }
}

void recon_replay(struct recon *r, const struct ffmpeg_dsp *dsp, const struct ffmpeg_pred *pred)
{
    struct scratch s = { 0 };
    for (size_t at = 0; at < r->size;) {
        struct command *c = (struct command *)(void *)(r->commands + at);
        at += sizeof *c + c->payload;
        replay(r, dsp, pred, c, &s);
    }
    r->size = 0;
    r->count = 0;
}

void recon_free(struct recon *r)
{
    free(r->commands);
    *r = (struct recon){ 0 };
}
