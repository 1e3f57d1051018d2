#include "filter.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

/* Up to 100,000 a picture */
struct edge {
    uint8_t *pix;
    int32_t stride;
    uint8_t kind, index, alpha, beta; /* alpha and beta: 0..255 and 0..18, for 8-bit samples */
    int8_t tc0[4];
};

void filter_record(struct filter *f, enum filter_kind kind, int index, uint8_t *pix,
                   ptrdiff_t stride, int alpha, int beta, const int8_t *tc0)
{
    if (f->count == f->room)
        f->edges = grow(f->edges, f->count, 1, sizeof *f->edges, &f->room);
    struct edge *e = &f->edges[f->count++];
    *e = (struct edge){ .pix = pix,
                        .stride = (int32_t)stride,
                        .kind = (uint8_t)kind,
                        .index = (uint8_t)index,
                        .alpha = (uint8_t)alpha,
                        .beta = (uint8_t)beta };
    if (tc0)
        memcpy(e->tc0, tc0, sizeof e->tc0);
}

void filter_replay(struct filter *f, const struct ffmpeg_dsp *dsp)
{
    for (size_t i = 0; i < f->count; i++) {
        struct edge *e = &f->edges[i];
        switch ((enum filter_kind)e->kind) {
        case FILTER_LUMA:
            dsp->filter_luma[e->index](e->pix, e->stride, e->alpha, e->beta, e->tc0);
            break;
        case FILTER_CHROMA:
            dsp->filter_chroma[e->index](e->pix, e->stride, e->alpha, e->beta, e->tc0);
            break;
        case FILTER_LUMA_INTRA:
            dsp->filter_luma_intra[e->index](e->pix, e->stride, e->alpha, e->beta);
            break;
        case FILTER_CHROMA_INTRA:
            dsp->filter_chroma_intra[e->index](e->pix, e->stride, e->alpha, e->beta);
            break;
        }
    }
    f->count = 0;
}

void filter_free(struct filter *f)
{
    free(f->edges);
    *f = (struct filter){ 0 };
}
