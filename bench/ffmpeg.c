/* Links against the unmodified libavcodec.a: the linker turns its calls of two internal
 * functions into calls of __wrap_..., and __real_... into the functions themselves (--wrap). What
 * is declared here of its private structures is the same in FFmpeg 5.1 and 7.1. */
#include "ffmpeg.h"

#include <libavcodec/avcodec.h>
#include <libavutil/cpu.h>
#include <stdio.h>
#include <string.h>

#include "positions.h"

/* Its sizes are ours, and 2x2 behind, which H.264 never takes. */
#define FF_SIZES 4

struct ff_qpel {
    qpel_mc_fn *put[FF_SIZES][QPEL_POSITION_COUNT];
    qpel_mc_fn *avg[FF_SIZES][QPEL_POSITION_COUNT];
};

typedef void ff_edge_fn(uint8_t *dst, const uint8_t *src, ptrdiff_t dst_stride,
                        ptrdiff_t src_stride, int width, int height, int x, int y,
                        int picture_width, int picture_height);

struct ff_video {
    ff_edge_fn *edge;
    void (*prefetch)(uint8_t *samples, ptrdiff_t stride, int rows);
};

void __real_ff_h264qpel_init(struct ff_qpel *qpel, int bit_depth);
void __wrap_ff_h264qpel_init(struct ff_qpel *qpel, int bit_depth);
void __real_ff_videodsp_init(struct ff_video *video, int bits);
void __wrap_ff_videodsp_init(struct ff_video *video, int bits);

/* FFmpeg's functions take no user pointer, so that this can't be elsewhere. One thread. */
static struct {
    struct ffmpeg_hook hook;
    unsigned fills;
    ff_edge_fn *real_edge;
    struct ffmpeg_edge edge;
} state;

void ffmpeg_hook(const struct ffmpeg_hook *hook)
{
    state.hook = *hook;
}

unsigned ffmpeg_hook_fills(void)
{
    return state.fills;
}

/* An entry for each kernel, which reports the call and then makes it. */
#define REPORTING(op, operation, n, x, y)                                                          \
    static void op##_##n##_mc##x##y(uint8_t *dst, const uint8_t *src, ptrdiff_t stride)            \
    {                                                                                              \
        const int position = (x) + 4 * (y);                                                        \
                                                                                                   \
        state.hook.call(state.hook.user, operation, QPEL_SIZE_##n, position, dst, src, stride,     \
                        &state.edge);                                                              \
        state.hook.dsp->op[QPEL_SIZE_##n][position](dst, src, stride);                             \
    }
#define REPORTING_SIZE(n, x, y)                                                                    \
    REPORTING(put, QPEL_PUT, n, x, y)                                                              \
    REPORTING(avg, QPEL_AVG, n, x, y)
#define REPORTING_POSITION(x, y, family, a_dx, a_dy, b_dx, b_dy)                                   \
    REPORTING_SIZE(16, x, y)                                                                       \
    REPORTING_SIZE(8, x, y)                                                                        \
    REPORTING_SIZE(4, x, y)
QPEL_POSITIONS(REPORTING_POSITION)

static void fill_reporting(struct ff_qpel *qpel)
{
#define ENTER_SIZE(n, x, y)                                                                        \
    qpel->put[QPEL_SIZE_##n][(x) + 4 * (y)] = put_##n##_mc##x##y;                                  \
    qpel->avg[QPEL_SIZE_##n][(x) + 4 * (y)] = avg_##n##_mc##x##y;
#define ENTER_POSITION(x, y, family, a_dx, a_dy, b_dx, b_dy)                                       \
    ENTER_SIZE(16, x, y)                                                                           \
    ENTER_SIZE(8, x, y)                                                                            \
    ENTER_SIZE(4, x, y)
    QPEL_POSITIONS(ENTER_POSITION)
}

void __wrap_ff_h264qpel_init(struct ff_qpel *qpel, int bit_depth)
{
    __real_ff_h264qpel_init(qpel, bit_depth);
    if (!state.hook.dsp || bit_depth != 8)
        return;
    state.fills++;
    if (state.hook.call) {
        fill_reporting(qpel);
        return;
    }
    memcpy(qpel->put, state.hook.dsp->put, sizeof state.hook.dsp->put);
    memcpy(qpel->avg, state.hook.dsp->avg, sizeof state.hook.dsp->avg);
}

/* A block outside the picture is predicted from a copy; this says whence. */
static void reporting_edge(uint8_t *dst, const uint8_t *src, ptrdiff_t dst_stride,
                           ptrdiff_t src_stride, int width, int height, int x, int y,
                           int picture_width, int picture_height)
{
    /* src points outside its picture: as numbers, since as pointers that is undefined. */
    const intptr_t first = (intptr_t)y * src_stride + x;

    state.edge = (struct ffmpeg_edge){
        .copy = dst,
        .stride = dst_stride,
        .picture = (const uint8_t *)((uintptr_t)src - (uintptr_t)first),
        .x = x,
        .y = y,
    };
    state.real_edge(dst, src, dst_stride, src_stride, width, height, x, y, picture_width,
                    picture_height);
}

void __wrap_ff_videodsp_init(struct ff_video *video, int bits)
{
    __real_ff_videodsp_init(video, bits);
    if (!state.hook.call || bits > 8)
        return;
    state.real_edge = video->edge;
    video->edge = reporting_edge;
}

const char *ffmpeg_version(void)
{
    static char text[128];
    const unsigned v = avcodec_version();

    snprintf(text, sizeof text, "libavcodec %u.%u.%u (FFmpeg %s)", v >> 16, v >> 8 & 255, v & 255,
             av_version_info());
    return text;
}

bool ffmpeg_dsp(struct qpel_dsp *dsp, bool assembly)
{
    struct ff_qpel qpel;

    av_force_cpu_flags(assembly ? -1 : 0);
    __real_ff_h264qpel_init(&qpel, 8);
    av_force_cpu_flags(-1);
    memcpy(dsp->put, qpel.put, sizeof dsp->put);
    memcpy(dsp->avg, qpel.avg, sizeof dsp->avg);
    return true;
}
