/* Cuts a static libavcodec down to its H.264 decoder. These stand in for the objects that list
 * every codec, parser, bitstream filter and hardware, so that the decoder links without the dozens
 * of libraries that a distribution's FFmpeg uses. They are not asked for anything while decoding.
 */
#include <libavcodec/avcodec.h>
#include <libavcodec/bsf.h>
#include <string.h>

extern const char ff_h264_decoder[], ff_h264_parser[], ff_h264_mp4toannexb_bsf[];

static const void *once(void **state, const void *only)
{
    if (*state)
        return NULL;
    *state = (void *)1;
    return only;
}

const AVCodec *av_codec_iterate(void **state)
{
    return once(state, ff_h264_decoder);
}

const AVCodec *avcodec_find_decoder(enum AVCodecID id)
{
    return id == AV_CODEC_ID_H264 ? (const void *)ff_h264_decoder : NULL;
}

const AVCodec *avcodec_find_encoder(enum AVCodecID id)
{
    (void)id;
    return NULL;
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
    return strcmp(name, "h264_mp4toannexb") ? NULL : (const void *)ff_h264_mp4toannexb_bsf;
}

const AVClass *ff_bsf_child_class_iterate(void **state);
const AVClass *ff_bsf_child_class_iterate(void **state)
{
    (void)state;
    return NULL;
}

/* Tables of hardware that is never asked for; more than any version has does no harm. */
#define NOTHING(name)                                                                              \
    extern const char name[1024];                                                                  \
    const char name[1024] __attribute__((aligned(16))) = { 0 }
NOTHING(ff_h264_nvdec_hwaccel);
NOTHING(ff_h264_vaapi_hwaccel);
NOTHING(ff_h264_vdpau_hwaccel);
NOTHING(ff_h264_vulkan_hwaccel);
NOTHING(ff_hwcontext_type_cuda);
NOTHING(ff_hwcontext_type_drm);
NOTHING(ff_hwcontext_type_opencl);
NOTHING(ff_hwcontext_type_qsv);
NOTHING(ff_hwcontext_type_vaapi);
NOTHING(ff_hwcontext_type_vdpau);
NOTHING(ff_hwcontext_type_vulkan);
