/* Cuts libavcodec.a down to its H.264 decoder. These stand in for the objects that list every
 * codec, parser, filter and kind of hardware, so that none of the external libraries of a
 * distribution's FFmpeg is needed to link. None takes part in decoding. */
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <stdint.h>
#include <string.h>

/* Private types; all but their addresses is libavcodec's business. Each starts with the public
 * one. */
extern const char ff_h264_decoder[], ff_h264_parser[], ff_h264_mp4toannexb_bsf[];

const AVClass *ff_bsf_child_class_iterate(void **state);

/* An iterator over a list of one. */
static const void *once(void **state, const void *item)
{
    if (*state)
        return NULL;
    *state = (void *)(uintptr_t)1;
    return item;
}

const AVCodec *av_codec_iterate(void **state)
{
    return once(state, ff_h264_decoder);
}

const AVCodecParser *av_parser_iterate(void **state)
{
    return once(state, ff_h264_parser);
}

const AVBitStreamFilter *av_bsf_iterate(void **state)
{
    return once(state, ff_h264_mp4toannexb_bsf);
}

const AVBitStreamFilter *av_bsf_get_by_name(const char *name)
{
    const void *filter = ff_h264_mp4toannexb_bsf;

    return name && !strcmp(name, "h264_mp4toannexb") ? filter : NULL;
}

const AVClass *ff_bsf_child_class_iterate(void **state)
{
    (void)state;
    return NULL;
}

const AVCodec *avcodec_find_decoder(enum AVCodecID id)
{
    const void *decoder = ff_h264_decoder;

    return id == AV_CODEC_ID_H264 ? decoder : NULL;
}

const AVCodec *avcodec_find_encoder(enum AVCodecID id)
{
    (void)id;
    return NULL;
}

/* Descriptions of hardware decoders and contexts, as different builds of FFmpeg list them. They are
 * looked through, never taken: all zero is a description of nothing. */
#define NOTHING(name)                                                                              \
    extern const char name[1024];                                                                  \
    const char name[1024] __attribute__((aligned(16))) = { 0 }
NOTHING(ff_h264_nvdec_hwaccel);
NOTHING(ff_h264_v4l2request_hwaccel);
NOTHING(ff_h264_vaapi_hwaccel);
NOTHING(ff_h264_vdpau_hwaccel);
NOTHING(ff_h264_vulkan_hwaccel);
NOTHING(ff_hwcontext_type_cuda);
NOTHING(ff_hwcontext_type_drm);
NOTHING(ff_hwcontext_type_opencl);
NOTHING(ff_hwcontext_type_qsv);
NOTHING(ff_hwcontext_type_v4l2request);
NOTHING(ff_hwcontext_type_vaapi);
NOTHING(ff_hwcontext_type_vdpau);
NOTHING(ff_hwcontext_type_vulkan);
