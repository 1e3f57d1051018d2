/* An H.264 file through libavcodec, and sums of its frames: what the decoder and the reference that
 * it is compared with have in common. */
#ifndef DECODER_STREAM_H
#define DECODER_STREAM_H

#include <libavcodec/avcodec.h>
#include <stdio.h>

struct stream_user {
    void *opaque; /* AVCodecContext.opaque, and frame()'s argument */
    int (*get_buffer)(AVCodecContext *codec, AVFrame *frame, int flags); /* null: libavcodec's */
    void (*frame)(void *opaque, const AVFrame *frame);                   /* in order of output */
};

/* Decodes a file (Annex B byte stream) to its end, in this thread. 0, or -1 after a message. */
int stream_decode(const char *path, const struct stream_user *user);

/* Writes the MD5 of a frame's visible samples as a line. */
void frame_md5(FILE *out, const AVFrame *frame);

#endif
