/* libavcodec's own decoder, with nothing between: the frames to compare with.
 *   reference IN.264 OUT.md5 [c]
 * c: without SIMD. FFmpeg's own weighting in SIMD is not exact for all legal weights; its C is. */
#include "stream.h"

#include <libavutil/cpu.h>
#include <string.h>

static void write_md5(void *out, const AVFrame *frame)
{
    frame_md5(out, frame);
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: reference IN.264 OUT.md5 [c]\n");
        return 2;
    }
    if (argc > 3 && !strcmp(argv[3], "c"))
        av_force_cpu_flags(0);
    FILE *out = fopen(argv[2], "w");
    if (!out) {
        perror(argv[2]);
        return 1;
    }
    int result = stream_decode(argv[1], &(struct stream_user){ .opaque = out, .frame = write_md5 });
    return fclose(out) || result ? 1 : 0;
}
