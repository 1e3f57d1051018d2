/* Does libavcodec.a link with the stubs alone, and are its internal functions there? */
#include "../examples/decoder/stubs.c"

void ff_h264qpel_init(void *table, int bit_depth);
void ff_videodsp_init(void *table, int bits);

int main(void)
{
    AVCodecContext *context = avcodec_alloc_context3(avcodec_find_decoder(AV_CODEC_ID_H264));
    void *table[256];

    ff_h264qpel_init(table, 8);
    ff_videodsp_init(table, 8);
    return !context || avcodec_open2(context, NULL, NULL) < 0;
}
