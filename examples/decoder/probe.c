/* Does a decoder link? Built and linked at configure time, as the decoder will be. */
#include "ffmpeg_abi.h"
#include "stubs.c"

int main(void)
{
    AVCodecContext *codec = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    AVCodecParserContext *parser = av_parser_init(AV_CODEC_ID_H264);
    return !codec || !parser || avcodec_open2(codec, codec->codec, NULL);
}
