/* The functions of intra prediction, residual and loop filter in libavcodec's tables: they record,
 * or, while the decoder is `direct`, do what they are called for. */
#include "hooks.h"

static struct recon *record_at(const uint8_t *dst)
{
    decoder_target(hooked, dst);
    return &hooked->job->recon;
}

/* ---- residual ---- */

#define ADD(name, op, blocks)                                                                      \
    static void name(uint8_t *dst, int16_t *block, int stride)                                     \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.dsp.name(dst, block, stride);                                             \
        else                                                                                       \
            recon_add(record_at(dst), op, 0, dst, NULL, block, stride, blocks, 0, 0);              \
    }
ADD(add4, RECON_ADD4, 1)
ADD(add8, RECON_ADD8, 4)
ADD(bypass4, RECON_BYPASS4, 1)
ADD(bypass8, RECON_BYPASS8, 4)

#define DC(name, op)                                                                               \
    static void name(uint8_t *dst, int16_t *block, int stride)                                     \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.dsp.name(dst, block, stride);                                             \
        else                                                                                       \
            recon_dc(record_at(dst), op, dst, block, stride);                                      \
    }
DC(dc4, RECON_DC4)
DC(dc8, RECON_DC8)

#define ADD_MANY(name, op)                                                                         \
    static void name(uint8_t *dst, const int *offset, int16_t *block, int stride,                  \
                     const uint8_t *nonzero)                                                       \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.dsp.name(dst, offset, block, stride, nonzero);                            \
        else                                                                                       \
            recon_add_many(record_at(dst), op, dst, offset, block, stride, nonzero);               \
    }
ADD_MANY(add16, RECON_ADD16)
ADD_MANY(add8x4, RECON_ADD8X4)
ADD_MANY(add16_intra, RECON_ADD16_INTRA)

static void add_chroma(uint8_t **dst, const int *offset, int16_t *block, int stride,
                       const uint8_t *nonzero)
{
    if (hooked->direct)
        hooked->real.dsp.add_chroma(dst, offset, block, stride, nonzero);
    else
        recon_add_chroma(record_at(dst[0]), dst, offset, block, stride, nonzero);
}

void hook_residual(struct ffmpeg_dsp *table)
{
    table->add4 = add4;
    table->add8 = add8;
    table->dc4 = dc4;
    table->dc8 = dc8;
    table->bypass4 = bypass4;
    table->bypass8 = bypass8;
    table->add16 = add16;
    table->add8x4 = add8x4;
    table->add16_intra = add16_intra;
    table->add_chroma = add_chroma;
}

/* ---- intra prediction: a function for each mode ---- */

#define MODES_7(X, ...)                                                                            \
    X(__VA_ARGS__, 0)                                                                              \
    X(__VA_ARGS__, 1)                                                                              \
    X(__VA_ARGS__, 2)                                                                              \
    X(__VA_ARGS__, 3)                                                                              \
    X(__VA_ARGS__, 4)                                                                              \
    X(__VA_ARGS__, 5)                                                                              \
    X(__VA_ARGS__, 6)
#define MODES_11(X, ...)                                                                           \
    MODES_7(X, __VA_ARGS__)                                                                        \
    X(__VA_ARGS__, 7)                                                                              \
    X(__VA_ARGS__, 8)                                                                              \
    X(__VA_ARGS__, 9)                                                                              \
    X(__VA_ARGS__, 10)
#define MODES_12(X, ...)                                                                           \
    MODES_11(X, __VA_ARGS__)                                                                       \
    X(__VA_ARGS__, 11)

#define PRED4(name, mode)                                                                          \
    static void name##_##mode(uint8_t *dst, const uint8_t *above_right, ptrdiff_t stride)          \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.pred.name[mode](dst, above_right, stride);                                \
        else                                                                                       \
            recon_pred4(record_at(dst), mode, dst, above_right, stride);                           \
    }
MODES_12(PRED4, pred4)

#define PRED8L(name, mode)                                                                         \
    static void name##_##mode(uint8_t *dst, int has_above_left, int has_above_right,               \
                              ptrdiff_t stride)                                                    \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.pred.name[mode](dst, has_above_left, has_above_right, stride);            \
        else                                                                                       \
            recon_pred8l(record_at(dst), mode, dst, has_above_left, has_above_right, stride);      \
    }
MODES_12(PRED8L, pred8l)

#define PRED(name, op, mode)                                                                       \
    static void name##_##mode(uint8_t *dst, ptrdiff_t stride)                                      \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.pred.name[mode](dst, stride);                                             \
        else                                                                                       \
            recon_pred(record_at(dst), op, mode, dst, stride);                                     \
    }
MODES_11(PRED, pred8, RECON_PRED8)
MODES_7(PRED, pred16, RECON_PRED16)

/* Lossless macroblocks: prediction and residual in one. */
#define PRED_ADD(name, op, blocks, mode)                                                           \
    static void name##_##mode(uint8_t *dst, int16_t *block, ptrdiff_t stride)                      \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.pred.name[mode](dst, block, stride);                                      \
        else                                                                                       \
            recon_add(record_at(dst), op, mode, dst, NULL, block, stride, blocks, 0, 0);           \
    }
PRED_ADD(pred4_add, RECON_PRED4_ADD, 1, 0)
PRED_ADD(pred4_add, RECON_PRED4_ADD, 1, 1)
PRED_ADD(pred8l_add, RECON_PRED8L_ADD, 4, 0)
PRED_ADD(pred8l_add, RECON_PRED8L_ADD, 4, 1)

#define PRED_FILTER_ADD(name, op, mode)                                                            \
    static void name##_##mode(uint8_t *dst, int16_t *block, int has_above_left,                    \
                              int has_above_right, ptrdiff_t stride)                               \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.pred.name[mode](dst, block, has_above_left, has_above_right, stride);     \
        else                                                                                       \
            recon_add(record_at(dst), op, mode, dst, NULL, block, stride, 4, has_above_left,       \
                      has_above_right);                                                            \
    }
PRED_FILTER_ADD(pred8l_filter_add, RECON_PRED8L_FILTER_ADD, 0)
PRED_FILTER_ADD(pred8l_filter_add, RECON_PRED8L_FILTER_ADD, 1)

#define PRED_ADD_MANY(name, op, blocks, mode)                                                      \
    static void name##_##mode(uint8_t *dst, const int *offset, int16_t *block, ptrdiff_t stride)   \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.pred.name[mode](dst, offset, block, stride);                              \
        else                                                                                       \
            recon_add(record_at(dst), op, mode, dst, offset, block, stride, blocks, 0, 0);         \
    }
PRED_ADD_MANY(pred8_add, RECON_PRED8_ADD, 8, 0)
PRED_ADD_MANY(pred8_add, RECON_PRED8_ADD, 8, 1)
PRED_ADD_MANY(pred8_add, RECON_PRED8_ADD, 8, 2)
PRED_ADD_MANY(pred16_add, RECON_PRED16_ADD, 16, 0)
PRED_ADD_MANY(pred16_add, RECON_PRED16_ADD, 16, 1)
PRED_ADD_MANY(pred16_add, RECON_PRED16_ADD, 16, 2)

void hook_pred(struct ffmpeg_pred *table)
{
#define SET(name, mode) table->name[mode] = name##_##mode;
    MODES_12(SET, pred4)
    MODES_12(SET, pred8l)
    MODES_11(SET, pred8)
    MODES_7(SET, pred16)
    SET(pred4_add, 0)
    SET(pred4_add, 1)
    SET(pred8l_add, 0)
    SET(pred8l_add, 1)
    SET(pred8l_filter_add, 0)
    SET(pred8l_filter_add, 1)
    SET(pred8_add, 0)
    SET(pred8_add, 1)
    SET(pred8_add, 2)
    SET(pred16_add, 0)
    SET(pred16_add, 1)
    SET(pred16_add, 2)
#undef SET
}

/* ---- loop filter ---- */

static struct filter *filter_at(const uint8_t *pix)
{
    decoder_target(hooked, pix);
    return &hooked->job->filter;
}

#define FILTER(name, kind, index)                                                                  \
    static void name##_##index(uint8_t *pix, ptrdiff_t stride, int alpha, int beta, int8_t *tc0)   \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.dsp.name[index](pix, stride, alpha, beta, tc0);                           \
        else                                                                                       \
            filter_record(filter_at(pix), kind, index, pix, stride, alpha, beta, tc0);             \
    }
#define FILTER_INTRA(name, kind, index)                                                            \
    static void name##_##index(uint8_t *pix, ptrdiff_t stride, int alpha, int beta)                \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.dsp.name[index](pix, stride, alpha, beta);                                \
        else                                                                                       \
            filter_record(filter_at(pix), kind, index, pix, stride, alpha, beta, NULL);            \
    }
#define THREE(X, ...)                                                                              \
    X(__VA_ARGS__, 0)                                                                              \
    X(__VA_ARGS__, 1)                                                                              \
    X(__VA_ARGS__, 2)
THREE(FILTER, filter_luma, FILTER_LUMA)
THREE(FILTER, filter_chroma, FILTER_CHROMA)
THREE(FILTER_INTRA, filter_luma_intra, FILTER_LUMA_INTRA)
THREE(FILTER_INTRA, filter_chroma_intra, FILTER_CHROMA_INTRA)

void hook_filters(struct ffmpeg_dsp *table)
{
#define SET(name, index) table->name[index] = name##_##index;
    THREE(SET, filter_luma)
    THREE(SET, filter_chroma)
    THREE(SET, filter_luma_intra)
    THREE(SET, filter_chroma_intra)
#undef SET
}
