/* The loop filter: recorded edge by edge, replayed in decoding order when the picture is whole. */
#ifndef DECODER_FILTER_H
#define DECODER_FILTER_H

#include "ffmpeg_abi.h"
#include "plug.h"

/* The four tables of struct ffmpeg_dsp, three functions each. */
enum filter_kind { FILTER_LUMA, FILTER_CHROMA, FILTER_LUMA_INTRA, FILTER_CHROMA_INTRA };

struct edge;
struct filter {
    struct edge *edges;
    size_t count, room;
};

/* tc0 has four values; null for the intra kinds */
void filter_record(struct filter *f, enum filter_kind kind, int index, uint8_t *pix,
                   ptrdiff_t stride, int alpha, int beta, const int8_t *tc0);
void filter_replay(struct filter *f, const struct ffmpeg_dsp *dsp);
void filter_free(struct filter *f);

#endif
