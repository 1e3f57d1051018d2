/* Where the linker leads libavcodec: for each NAME given to it as --wrap=NAME, calls of NAME end in
 * __wrap_NAME, and __real_NAME is the original. Five of them fill tables of functions, which is
 * done once a sequence; the others say where a picture begins and ends. */
#include "hooks.h"

struct decoder *hooked;

void hooks_set(struct decoder *d)
{
    hooked = d;
}

static bool records(void)
{
    return hooked && (hooked->mode == MODE_TWO || hooked->mode == MODE_LAG);
}

static bool leaves_out(void)
{
    return hooked && hooked->mode == MODE_NONE;
}

/* What is recorded was meant for the functions of before. */
static void finish_all(void)
{
    if (records())
        decoder_finish(hooked, NULL);
}

#define WRAP(result, name, ...)                                                                    \
    result __real_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__);                                                             \
    result __wrap_##name(__VA_ARGS__)

/* ---- tables ---- */

WRAP(void, ff_videodsp_init, struct ffmpeg_video *table, int bits)
{
    finish_all();
    __real_ff_videodsp_init(table, bits);
    if (!hooked)
        return;
    hooked->real.video = *table;
    if (records())
        hook_video(table);
    if (leaves_out())
        hook_nothing_video(table);
}

WRAP(void, ff_h264qpel_init, struct ffmpeg_luma *table, int bits)
{
    finish_all();
    __real_ff_h264qpel_init(table, bits);
    if (!hooked)
        return;
    hooked->real.luma = *table;
    hooked->bit_depth = bits;
    for (int i = 0; i < 2; i++)
        hooked->jobs[i].recon.wide = bits > 8;
    if (records())
        hook_luma(table);
    if (leaves_out())
        hook_nothing_luma(table);
}

WRAP(void, ff_h264chroma_init, struct ffmpeg_chroma *table, int bits)
{
    finish_all();
    __real_ff_h264chroma_init(table, bits);
    if (!hooked)
        return;
    hooked->real.chroma = *table;
    if (records())
        hook_chroma(table);
    if (leaves_out())
        hook_nothing_chroma(table);
}

WRAP(void, ff_h264dsp_init, struct ffmpeg_dsp *table, int bits, int chroma)
{
    finish_all();
    __real_ff_h264dsp_init(table, bits, chroma);
    if (!hooked)
        return;
    hooked->real.dsp = *table;
    if (records()) {
        hook_weights(table);
        hook_filters(table);
        hook_residual(table);
    }
    if (leaves_out())
        hook_nothing_weights(table);
}

WRAP(void, ff_h264_pred_init, struct ffmpeg_pred *table, int codec, int bits, int chroma)
{
    finish_all();
    __real_ff_h264_pred_init(table, codec, bits, chroma);
    if (!hooked)
        return;
    hooked->real.pred = *table;
    if (records())
        hook_pred(table);
}

/* ---- a picture's life ---- */

/* A frame or field is parsed. in_setup: not a picture's end but a frame thread's. */
WRAP(int, ff_h264_field_end, void *h264, void *slice, int in_setup)
{
    if (records()) {
        decoder_end_picture(hooked, hooked->mode == MODE_LAG && !in_setup);
        hooked->frames_taken = 0;
    }
    return __real_ff_h264_field_end(h264, slice, in_setup);
}

/* Concealment reads and writes samples itself: the picture has to be finished first, and
 * libavcodec's own functions have to run. It does nothing to a picture whose macroblocks were all
 * reported as good; so that such a picture can lag, they are counted here as it counts them. */
WRAP(void, ff_er_frame_start, void *er)
{
    if (hooked)
        hooked->reported_macroblocks = hooked->damaged = 0;
    __real_ff_er_frame_start(er);
}

WRAP(void, ff_er_add_slice, void *er, int start_x, int start_y, int end_x, int end_y, int status)
{
    if (hooked) {
        enum { ERRORS = 2 | 4 | 8 }; /* in AC, DC or vectors */
        int width = (int)hooked->format.width / 16, all = width * (int)hooked->format.height / 16;
        int start = start_x + start_y * width, end = end_x + end_y * width;
        hooked->reported_macroblocks +=
            (end > all ? all : end) - (start > all - 1 ? all - 1 : start) + 1;
        hooked->damaged |= status & ERRORS;
    }
    __real_ff_er_add_slice(er, start_x, start_y, end_x, end_y, status);
}

/* `flag`: not there in FFmpeg 5.1, which does not look at it. */
WRAP(void, ff_er_frame_end, void *er, void *flag)
{
    if (records()) {
        int all = (int)(hooked->format.width / 16 * (hooked->format.height / 16));
        if (hooked->mode == MODE_TWO || hooked->damaged || hooked->reported_macroblocks != all) {
            decoder_end_picture(hooked, false);
            hooked->direct = true;
        }
    }
    __real_ff_er_frame_end(er, flag);
    if (hooked)
        hooked->direct = false;
}
