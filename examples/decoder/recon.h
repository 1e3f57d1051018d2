/* Intra prediction and residual: recorded as commands, replayed in decoding order. */
#ifndef DECODER_RECON_H
#define DECODER_RECON_H

#include "ffmpeg_abi.h"

#include <stdbool.h>

/* The functions of libavcodec that a command stands for. */
enum recon_op {
    RECON_PRED4,
    RECON_PRED8L,
    RECON_PRED8,
    RECON_PRED16,
    RECON_ADD4,
    RECON_ADD8,
    RECON_BYPASS4,
    RECON_BYPASS8,
    RECON_DC4,
    RECON_DC8,
    RECON_ADD16,
    RECON_ADD8X4,
    RECON_ADD16_INTRA,
    RECON_ADD_CHROMA,
    RECON_PRED4_ADD,
    RECON_PRED8L_ADD,
    RECON_PRED8L_FILTER_ADD,
    RECON_PRED8_ADD,
    RECON_PRED16_ADD,
};

struct recon {
    uint8_t *commands; /* struct command and its coefficients, one after the other */
    size_t size, room;
    int wide; /* 1: samples of 16 bits, coefficients of 32 */
    uint64_t count;
};

/* Each copies what the real function would read and clears the coefficients, as that would. */
void recon_pred4(struct recon *r, int mode, uint8_t *dst, const uint8_t *above_right,
                 ptrdiff_t stride);
void recon_pred8l(struct recon *r, int mode, uint8_t *dst, int has_above_left, int has_above_right,
                  ptrdiff_t stride);
void recon_pred(struct recon *r, enum recon_op op, int mode, uint8_t *dst, ptrdiff_t stride);
/* n 4x4 blocks of coefficients; offset null where there is one place only */
void recon_add(struct recon *r, enum recon_op op, int mode, uint8_t *dst, const int *offset,
               int16_t *block, ptrdiff_t stride, int n, int has_above_left, int has_above_right);
void recon_dc(struct recon *r, enum recon_op op, uint8_t *dst, int16_t *block, int stride);
void recon_add_many(struct recon *r, enum recon_op op, uint8_t *dst, const int *offset,
                    int16_t *block, int stride, const uint8_t *nonzero);
void recon_add_chroma(struct recon *r, uint8_t **dst, const int *offset, int16_t *block, int stride,
                      const uint8_t *nonzero);

/* Carries all out with libavcodec's own functions, and empties the record. */
void recon_replay(struct recon *r, const struct ffmpeg_dsp *dsp, const struct ffmpeg_pred *pred);
void recon_free(struct recon *r);

#endif
