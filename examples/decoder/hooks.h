/* Between hooks.c, where the linker leads libavcodec, and the functions that record in its tables'
 * stead. */
#ifndef DECODER_HOOKS_H
#define DECODER_HOOKS_H

#include "decoder.h"

/* The one global that wrapping forces: libavcodec's functions have no argument of ours. */
extern struct decoder *hooked;

/* Each replaces a table's functions. */
void hook_luma(struct ffmpeg_luma *table);
void hook_chroma(struct ffmpeg_chroma *table);
void hook_video(struct ffmpeg_video *table);
void hook_weights(struct ffmpeg_dsp *table);
void hook_filters(struct ffmpeg_dsp *table);
void hook_residual(struct ffmpeg_dsp *table);
void hook_pred(struct ffmpeg_pred *table);
/* MODE_NONE: nothing is predicted. */
void hook_nothing_luma(struct ffmpeg_luma *table);
void hook_nothing_chroma(struct ffmpeg_chroma *table);
void hook_nothing_video(struct ffmpeg_video *table);
void hook_nothing_weights(struct ffmpeg_dsp *table);

#endif
