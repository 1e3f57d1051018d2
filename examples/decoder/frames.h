/* libavcodec's frames in pictures of the pool. */
#ifndef DECODER_FRAMES_H
#define DECODER_FRAMES_H

#include <libavcodec/avcodec.h>

/* AVCodecContext.get_buffer2; its opaque is a struct decoder. */
int frames_get_buffer(AVCodecContext *codec, AVFrame *frame, int flags);

#endif
