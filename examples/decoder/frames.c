#include "frames.h"
#include "decoder.h"

#include <errno.h>
#include <libavutil/pixdesc.h>

static void give_back(void *opaque, uint8_t *data)
{
    struct picture *picture = opaque;
    (void)data;
    picture->holds--;
}

/* Vectors are clamped to the coded size, whole macroblocks, not to the cropped one. */
static uint32_t coded(int visible, int in_stream)
{
    int size = in_stream > visible ? in_stream : visible;
    return (uint32_t)(size + 15) / 16 * 16;
}

int frames_get_buffer(AVCodecContext *codec, AVFrame *frame, int flags)
{
    struct decoder *d = codec->opaque;
    (void)flags;
    decoder_new_frame(d);
    const AVPixFmtDescriptor *pixels = av_pix_fmt_desc_get(frame->format);
    d->format = (struct qpel_picture_format){
        .width = coded(frame->width, codec->coded_width),
        .height = coded(frame->height, codec->coded_height),
        .chroma = pixels->nb_components < 3 ? QPEL_CHROMA_400
                  : !pixels->log2_chroma_w  ? QPEL_CHROMA_444
                  : !pixels->log2_chroma_h  ? QPEL_CHROMA_422
                                            : QPEL_CHROMA_420,
        .layout = QPEL_LAYOUT_PLANAR,
        .bit_depth = pixels->comp[0].depth,
    };
    struct picture *picture;
    enum qpel_result r = pictures_take(&d->pictures, &d->format, &picture);
    if (r) {
        d->picture_error = r;
        return r == QPEL_ERROR_NOMEM ? AVERROR(ENOMEM) : AVERROR(ENOSYS);
    }
    for (unsigned i = 0; i < picture_planes(&d->format); i++) {
        frame->data[i] = picture->data.data[i];
        frame->linesize[i] = (int)picture->data.stride[i];
    }
    frame->extended_data = frame->data;
    frame->buf[0] =
        av_buffer_create(picture->data.data[0], (size_t)picture->data.stride[0] * d->format.height,
                         give_back, picture, 0);
    if (!frame->buf[0]) {
        picture->holds--;
        return AVERROR(ENOMEM);
    }
    return 0;
}
