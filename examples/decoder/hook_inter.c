/* The functions of inter prediction in libavcodec's tables: they record, or, while the decoder is
 * `direct`, do what they are called for. */
#include "hooks.h"

/* ---- luma: a function for each operation, size and position ---- */

#define LUMA(name, average, k, position)                                                           \
    static void name##_##k##_##position(uint8_t *dst, const uint8_t *src, ptrdiff_t stride)        \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.luma.name[k][position](dst, src, stride);                                 \
        else                                                                                       \
            inter_luma(hooked, average, k, position, dst, src, stride);                            \
    }
#define POSITIONS(X, ...)                                                                          \
    X(__VA_ARGS__, 0)                                                                              \
    X(__VA_ARGS__, 1)                                                                              \
    X(__VA_ARGS__, 2)                                                                              \
    X(__VA_ARGS__, 3)                                                                              \
    X(__VA_ARGS__, 4)                                                                              \
    X(__VA_ARGS__, 5)                                                                              \
    X(__VA_ARGS__, 6)                                                                              \
    X(__VA_ARGS__, 7)                                                                              \
    X(__VA_ARGS__, 8)                                                                              \
    X(__VA_ARGS__, 9)                                                                              \
    X(__VA_ARGS__, 10)                                                                             \
    X(__VA_ARGS__, 11)                                                                             \
    X(__VA_ARGS__, 12)                                                                             \
    X(__VA_ARGS__, 13)                                                                             \
    X(__VA_ARGS__, 14)                                                                             \
    X(__VA_ARGS__, 15)
#define SIZES(X)                                                                                   \
    POSITIONS(X, put, false, 0)                                                                    \
    POSITIONS(X, put, false, 1)                                                                    \
    POSITIONS(X, put, false, 2)                                                                    \
    POSITIONS(X, avg, true, 0)                                                                     \
    POSITIONS(X, avg, true, 1)                                                                     \
    POSITIONS(X, avg, true, 2)

SIZES(LUMA)

void hook_luma(struct ffmpeg_luma *table)
{
#define SET(name, average, k, position) table->name[k][position] = name##_##k##_##position;
    SIZES(SET)
#undef SET
}

/* ---- chroma ---- */

#define CHROMA(name, average, k)                                                                   \
    static void chroma_##name##_##k(uint8_t *dst, uint8_t *src, ptrdiff_t stride, int h, int x,    \
                                    int y)                                                         \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.chroma.name[k](dst, src, stride, h, x, y);                                \
        else                                                                                       \
            inter_chroma(hooked, average, k, dst, src, stride, h, x, y);                           \
    }
#define CHROMAS(X)                                                                                 \
    X(put, false, 0)                                                                               \
    X(put, false, 1) X(put, false, 2) X(avg, true, 0) X(avg, true, 1) X(avg, true, 2)

CHROMAS(CHROMA)

void hook_chroma(struct ffmpeg_chroma *table)
{
#define SET(name, average, k) table->name[k] = chroma_##name##_##k;
    CHROMAS(SET)
#undef SET
}

/* ---- weights ---- */

#define WEIGHT(k)                                                                                  \
    static void weight_##k(uint8_t *dst, ptrdiff_t stride, int h, int log_wd, int w, int o)        \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.dsp.weight[k](dst, stride, h, log_wd, w, o);                              \
        else                                                                                       \
            inter_weight(hooked, false, k, dst, stride, h, log_wd, (int[]){ w, 0 }, o);            \
    }                                                                                              \
    static void biweight_##k(uint8_t *dst, uint8_t *src, ptrdiff_t stride, int h, int log_wd,      \
                             int w_dst, int w_src, int o)                                          \
    {                                                                                              \
        if (hooked->direct)                                                                        \
            hooked->real.dsp.biweight[k](dst, src, stride, h, log_wd, w_dst, w_src, o);            \
        else                                                                                       \
            inter_weight(hooked, true, k, dst, stride, h, log_wd, (int[]){ w_dst, w_src }, o);     \
    }

WEIGHT(0)
WEIGHT(1)
WEIGHT(2)
WEIGHT(3)

void hook_weights(struct ffmpeg_dsp *table)
{
#define SET(k)                                                                                     \
    table->weight[k] = weight_##k;                                                                 \
    table->biweight[k] = biweight_##k;
    SET(0)
    SET(1)
    SET(2)
    SET(3)
#undef SET
}

/* ---- windows that leave the picture: not copied, only noted ---- */

static void edge(uint8_t *dst, const uint8_t *src, ptrdiff_t dst_stride, ptrdiff_t src_stride,
                 int block_w, int block_h, int x, int y, int w, int h)
{
    if (hooked->direct) {
        hooked->inter.window.from = hooked->inter.window.to = NULL;
        hooked->real.video.edge(dst, src, dst_stride, src_stride, block_w, block_h, x, y, w, h);
    } else {
        inter_edge(hooked, dst, src, dst_stride, src_stride, block_h, x, y, w, h);
    }
}

static void no_prefetch(uint8_t *buf, ptrdiff_t stride, int h)
{
    (void)buf;
    (void)stride;
    (void)h;
}

void hook_video(struct ffmpeg_video *table)
{
    table->edge = edge;
    table->prefetch = no_prefetch;
}

/* ---- MODE_NONE ---- */

static void no_luma(uint8_t *dst, const uint8_t *src, ptrdiff_t stride)
{
    (void)dst;
    (void)src;
    (void)stride;
}

static void no_chroma(uint8_t *dst, uint8_t *src, ptrdiff_t stride, int h, int x, int y)
{
    (void)dst;
    (void)src;
    (void)stride;
    (void)h;
    (void)x;
    (void)y;
}

static void no_weight(uint8_t *dst, ptrdiff_t stride, int h, int log_wd, int w, int o)
{
    (void)dst;
    (void)stride;
    (void)h;
    (void)log_wd;
    (void)w;
    (void)o;
}

static void no_biweight(uint8_t *dst, uint8_t *src, ptrdiff_t stride, int h, int log_wd, int w_dst,
                        int w_src, int o)
{
    (void)src;
    (void)w_src;
    no_weight(dst, stride, h, log_wd, w_dst, o);
}

static void no_edge(uint8_t *dst, const uint8_t *src, ptrdiff_t dst_stride, ptrdiff_t src_stride,
                    int block_w, int block_h, int x, int y, int w, int h)
{
    (void)dst;
    (void)src;
    (void)dst_stride;
    (void)src_stride;
    (void)block_w;
    (void)block_h;
    (void)x;
    (void)y;
    (void)w;
    (void)h;
}

void hook_nothing_luma(struct ffmpeg_luma *table)
{
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 16; i++)
            table->put[k][i] = table->avg[k][i] = no_luma;
}

void hook_nothing_chroma(struct ffmpeg_chroma *table)
{
    for (int k = 0; k < 3; k++)
        table->put[k] = table->avg[k] = no_chroma;
}

void hook_nothing_video(struct ffmpeg_video *table)
{
    table->edge = no_edge;
    table->prefetch = no_prefetch;
}

void hook_nothing_weights(struct ffmpeg_dsp *table)
{
    for (int k = 0; k < 4; k++) {
        table->weight[k] = no_weight;
        table->biweight[k] = no_biweight;
    }
}
