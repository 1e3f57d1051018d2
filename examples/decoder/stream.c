#include "stream.h"

#include <libavutil/md5.h>
#include <libavutil/mem.h>
#include <libavutil/pixdesc.h>
#include <stdlib.h>

static uint8_t *read_file(const char *path, size_t *size)
{
    uint8_t *data = NULL;
    FILE *f = fopen(path, "rb");
    if (f && !fseek(f, 0, SEEK_END)) {
        long end = ftell(f);
        rewind(f);
        if (end >= 0)
            data = calloc(1, (size_t)end + AV_INPUT_BUFFER_PADDING_SIZE);
        *size = (size_t)end;
        if (data && fread(data, 1, *size, f) != *size) {
            free(data);
            data = NULL;
        }
    }
    if (f)
        fclose(f);
    return data;
}

static void drain(AVCodecContext *codec, AVFrame *frame, const struct stream_user *user)
{
    while (avcodec_receive_frame(codec, frame) >= 0) {
        user->frame(user->opaque, frame);
        av_frame_unref(frame);
    }
}

static int decode(AVCodecContext *codec, AVCodecParserContext *parser, const uint8_t *data,
                  size_t size, const struct stream_user *user)
{
    AVPacket *packet = av_packet_alloc();
    AVFrame *frame = av_frame_alloc();
    int result = packet && frame ? 0 : -1;
    for (size_t at = 0; !result;) {
        enum { CHUNK = 65536 };
        size_t n = size - at < CHUNK ? size - at : CHUNK;
        uint8_t *out;
        int out_size, used = av_parser_parse2(parser, codec, &out, &out_size, data + at, (int)n,
                                              AV_NOPTS_VALUE, AV_NOPTS_VALUE, 0);
        if (used < 0)
            break;
        at += (size_t)used;
        if (out_size) {
            packet->data = out;
            packet->size = out_size;
            /* a damaged packet is refused; the ones after it may be whole */
            avcodec_send_packet(codec, packet);
            drain(codec, frame, user);
        } else if (!n) { /* an empty chunk gave the last packet; there is none left */
            break;
        }
    }
    avcodec_send_packet(codec, NULL);
    drain(codec, frame, user);
    av_frame_free(&frame);
    av_packet_free(&packet);
    return result;
}

int stream_decode(const char *path, const struct stream_user *user)
{
    av_log_set_level(AV_LOG_ERROR);
    size_t size = 0;
    uint8_t *data = read_file(path, &size);
    if (!data) {
        perror(path);
        return -1;
    }
    int result = -1;
    AVCodecParserContext *parser = av_parser_init(AV_CODEC_ID_H264);
    AVCodecContext *codec = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    if (parser && codec) {
        codec->thread_count = 1;
        /* the full delay of reordering: no B picture is dropped at the start */
        codec->strict_std_compliance = FF_COMPLIANCE_STRICT;
        codec->opaque = user->opaque;
        if (user->get_buffer)
            codec->get_buffer2 = user->get_buffer;
        if (!avcodec_open2(codec, codec->codec, NULL))
            result = decode(codec, parser, data, size, user);
    }
    if (result)
        fprintf(stderr, "%s: libavcodec's H.264 decoder can't be set up\n", path);
    avcodec_free_context(&codec);
    av_parser_close(parser);
    free(data);
    return result;
}

void frame_md5(FILE *out, const AVFrame *frame)
{
    struct AVMD5 *md5 = av_md5_alloc();
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(frame->format);
    if (!md5)
        return;
    size_t bytes = format->comp[0].depth > 8 ? 2 : 1;
    av_md5_init(md5);
    for (int i = 0; i < format->nb_components; i++) {
        int w = i ? AV_CEIL_RSHIFT(frame->width, format->log2_chroma_w) : frame->width;
        int h = i ? AV_CEIL_RSHIFT(frame->height, format->log2_chroma_h) : frame->height;
        for (int y = 0; y < h; y++)
            av_md5_update(md5, frame->data[i] + y * (ptrdiff_t)frame->linesize[i],
                          (size_t)w * bytes);
    }
    uint8_t sum[16];
    av_md5_final(md5, sum);
    for (int i = 0; i < 16; i++)
        fprintf(out, "%02x", sum[i]);
    fprintf(out, "\n");
    av_free(md5);
}
