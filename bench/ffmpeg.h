/* FFmpeg's own functions, and its decoder with another table in it. ffmpeg.c is the only file that
 * knows the ABI behind libavcodec's public headers; ffmpeg_none.c stands in for it
 * where the program is built without libavcodec.a. */
#ifndef BENCH_FFMPEG_H
#define BENCH_FFMPEG_H

#include <stdbool.h>

#include <qpel/qpel.h>

/* "libavcodec 59.37.100 (5.1.6-0+deb12u1)"; null: built without. */
const char *ffmpeg_version(void);

/* FFmpeg's own functions for 8 bits: its assembly for this machine, or its C. They may read up to 3
 * bytes beyond a window, and want dst of 16x16 blocks aligned to 16. False: there are none. */
bool ffmpeg_dsp(struct qpel_dsp *dsp, bool assembly);

/* Called before each block that the decoder predicts. The source may be FFmpeg's copy of a
 * block outside the picture: then `edge` tells of that copy, made last. */
struct ffmpeg_edge {
    const uint8_t *copy; /* where the copy starts, with rows of `stride` */
    ptrdiff_t stride;
    const uint8_t *picture; /* sample (0, 0) of what it was made from */
    int x, y;               /* of the copy's first sample */
};
typedef void ffmpeg_call_fn(void *user, enum qpel_operation operation, enum qpel_size size,
                            int position, uint8_t *dst, const uint8_t *src, ptrdiff_t stride,
                            const struct ffmpeg_edge *edge);

/* What a decoder gets whose tables are set up from here on, until the next call; decoders
 * set them up inside any call that takes a packet or gives a frame. */
struct ffmpeg_hook {
    const struct qpel_dsp *dsp; /* instead of its own table, for 8 bits; null: its own */
    ffmpeg_call_fn *call;       /* null: none; else dsp must be set, and must stay */
    void *user;
};
void ffmpeg_hook(const struct ffmpeg_hook *hook);

/* How often a decoder's table has been filled from a hook's dsp. */
unsigned ffmpeg_hook_fills(void);

#endif
