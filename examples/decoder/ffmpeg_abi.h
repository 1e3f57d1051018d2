/* The private tables of functions of libavcodec's H.264 decoder, as facts of its ABI: version 59
 * (FFmpeg 5.1) to 61 (7.1). Declared here, so that no private header is needed. The decoder fills
 * each table through an _init function, and that is where the linker puts hooks.c's own.
 *
 * Names: k counts sizes downwards (16, 8, 4, 2 samples for luma and weights; 8, 4, 2, 1 for
 * chroma). `stride` steps from a row to the next one of the frame or of the field; `block` holds
 * coefficients, 16 bits each for 8-bit samples and 32 for more, and is left all zero. */
#ifndef DECODER_FFMPEG_ABI_H
#define DECODER_FFMPEG_ABI_H

#include <libavcodec/version.h>
#include <stddef.h>
#include <stdint.h>

#if LIBAVCODEC_VERSION_MAJOR < 59 || LIBAVCODEC_VERSION_MAJOR > 61
#error "these tables are known for libavcodec 59 to 61 only"
#endif

/* [k][x + 4 * y], x and y in quarter samples; the 2x2 row is not H.264's */
typedef void ffmpeg_luma_fn(uint8_t *dst, const uint8_t *src, ptrdiff_t stride);
struct ffmpeg_luma {
    ffmpeg_luma_fn *put[4][16], *avg[4][16];
};

/* x and y in eighths of a sample */
typedef void ffmpeg_chroma_fn(uint8_t *dst, uint8_t *src, ptrdiff_t stride, int h, int x, int y);
struct ffmpeg_chroma {
    ffmpeg_chroma_fn *put[4], *avg[4];
};

/* Copies a window that leaves the w x h picture to dst, edges repeated. (x, y) is src's place. */
typedef void ffmpeg_edge_fn(uint8_t *dst, const uint8_t *src, ptrdiff_t dst_stride,
                            ptrdiff_t src_stride, int block_w, int block_h, int x, int y, int w,
                            int h);
struct ffmpeg_video {
    ffmpeg_edge_fn *edge;
    void (*prefetch)(uint8_t *buf, ptrdiff_t stride, int h);
};

typedef void ffmpeg_weight_fn(uint8_t *dst, ptrdiff_t stride, int h, int log_wd, int w, int o);
/* o is the sum of both lists' offsets */
typedef void ffmpeg_biweight_fn(uint8_t *dst, uint8_t *src, ptrdiff_t stride, int h, int log_wd,
                                int w_dst, int w_src, int o);
typedef void ffmpeg_filter_fn(uint8_t *pix, ptrdiff_t stride, int alpha, int beta, int8_t *tc0);
typedef void ffmpeg_filter_intra_fn(uint8_t *pix, ptrdiff_t stride, int alpha, int beta);
typedef void ffmpeg_add_fn(uint8_t *dst, int16_t *block, int stride);
typedef void ffmpeg_add_many_fn(uint8_t *dst, const int *offset, int16_t *block, int stride,
                                const uint8_t *nonzero);
typedef void ffmpeg_add_chroma_fn(uint8_t **dst, const int *offset, int16_t *block, int stride,
                                  const uint8_t *nonzero);
struct ffmpeg_dsp {
    ffmpeg_weight_fn *weight[4];
    ffmpeg_biweight_fn *biweight[4];
    /* three each: across a vertical edge's rows, a horizontal edge, a vertical edge in MBAFF */
    ffmpeg_filter_fn *filter_luma[3];
    ffmpeg_filter_intra_fn *filter_luma_intra[3];
    ffmpeg_filter_fn *filter_chroma[3];
    ffmpeg_filter_intra_fn *filter_chroma_intra[3];
    void (*strength)(void); /* touches no sample */
    ffmpeg_add_fn *add4, *add8, *dc4, *dc8;
    ffmpeg_add_many_fn *add16, *add8x4;
    ffmpeg_add_chroma_fn *add_chroma;
    ffmpeg_add_many_fn *add16_intra;
    void (*luma_dc)(int16_t *out, int16_t *in, int qmul); /* coefficients only, as the next */
    void (*chroma_dc)(int16_t *block, int qmul);
    ffmpeg_add_fn *bypass8, *bypass4;
    int (*startcode)(const uint8_t *buf, int size);
};

typedef void ffmpeg_pred4_fn(uint8_t *dst, const uint8_t *above_right, ptrdiff_t stride);
typedef void ffmpeg_pred8l_fn(uint8_t *dst, int has_above_left, int has_above_right,
                              ptrdiff_t stride);
typedef void ffmpeg_pred_fn(uint8_t *dst, ptrdiff_t stride);
/* lossless: prediction and residual in one */
typedef void ffmpeg_pred_add_fn(uint8_t *dst, int16_t *block, ptrdiff_t stride);
typedef void ffmpeg_pred_add_filtered_fn(uint8_t *dst, int16_t *block, int has_above_left,
                                         int has_above_right, ptrdiff_t stride);
typedef void ffmpeg_pred_add_many_fn(uint8_t *dst, const int *offset, int16_t *block,
                                     ptrdiff_t stride);
struct ffmpeg_pred {
    ffmpeg_pred4_fn *pred4[15];   /* 12 of them H.264's */
    ffmpeg_pred8l_fn *pred8l[12]; /* 8x8 luma */
    ffmpeg_pred_fn *pred8[11];    /* chroma */
    ffmpeg_pred_fn *pred16[9];    /* 7 of them H.264's */
    ffmpeg_pred_add_fn *pred4_add[2];
    ffmpeg_pred_add_fn *pred8l_add[2];
    ffmpeg_pred_add_filtered_fn *pred8l_filter_add[2];
    ffmpeg_pred_add_many_fn *pred8_add[3];
    ffmpeg_pred_add_many_fn *pred16_add[3];
};

#endif
