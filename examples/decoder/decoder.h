/* A two-pass H.264 decoder: libavcodec's own, with these functions between it and its samples. */
#ifndef DECODER_DECODER_H
#define DECODER_DECODER_H

#include "ffmpeg_abi.h"
#include "filter.h"
#include "inter.h"
#include "pictures.h"
#include "recon.h"
#include "times.h"

enum mode {
    MODE_ONE, /* the decoder as it is: nothing is recorded */
    MODE_TWO, /* a picture is finished when its last macroblock is parsed */
    MODE_LAG, /* its batch runs while the next picture is parsed; it is finished when that one is,
               * or when somebody wants to see it */
    MODE_NONE /* as ONE, but inter prediction is left out: what it costs is the difference */
};

/* Pass 1's record of a picture. */
struct job {
    struct picture *target;
    bool pending; /* submitted, not yet finished */
    struct batch batch;
    size_t weight_room;
    struct recon recon;
    struct filter filter;
    uint64_t uses;     /* pictures by number: each has a hold of this job's */
    size_t blocks;     /* of the whole picture */
    bool frame_blocks; /* one of them is of frame rows */
};

/* libavcodec's own functions. */
struct ffmpeg_functions {
    struct ffmpeg_luma luma;
    struct ffmpeg_chroma chroma;
    struct ffmpeg_video video;
    struct ffmpeg_dsp dsp;
    struct ffmpeg_pred pred;
};

struct decoder {
    enum mode mode;
    bool check;    /* compare each chroma call with what luma implies */
    bool sabotage; /* a few vectors are wrong, to prove that frames depend on them */
    struct pictures pictures;
    enum qpel_result picture_error;    /* why there was no picture for a frame */
    bool no_backend;                   /* a batch was UNSUPPORTED: nothing computes here */
    struct qpel_picture_format format; /* of the pictures that are decoded now */
    int bit_depth;
    struct ffmpeg_functions real;
    bool direct; /* call them: what runs now is to see and change samples itself */

    struct job jobs[2], *job; /* the one that pass 1 fills */
    struct inter inter;
    unsigned frames_taken;             /* since the last picture ended */
    int reported_macroblocks, damaged; /* of this picture, as libavcodec's concealment is told */

    struct inter_counts counts;
    uint64_t pictures_ended, inter_pictures, early, commands, command_bytes, edges, faults;
    struct times times;
};

/* passes.c */
void decoder_init(struct decoder *d, const struct plug *plug, void *self);
void decoder_free(struct decoder *d);
/* A record names this picture. */
void decoder_use(struct decoder *d, struct picture *picture);
/* A command writes at this address: its picture is the one that is decoded. */
void decoder_target(struct decoder *d, const uint8_t *address);
/* Pass 1 of a picture ends; the rest of it may lag behind. */
void decoder_end_picture(struct decoder *d, bool may_lag);
/* The picture that `data` lies in must be whole now; null: all must. */
void decoder_finish(struct decoder *d, const uint8_t *data);
/* libavcodec takes a frame buffer. */
void decoder_new_frame(struct decoder *d);
/* Something that can't be. The decoder goes on, says so, and fails in the end. */
void decoder_fault(struct decoder *d, const char *why);

/* hooks.c: makes libavcodec's functions record in this decoder. The linker's --wrap passes no
 * argument of ours, so that one pointer has to be global; null: libavcodec is left as it is. */
void hooks_set(struct decoder *d);

#endif
