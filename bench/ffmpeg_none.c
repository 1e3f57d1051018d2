/* The program without libavcodec. */
#include <stdio.h>

#include "bench.h"
#include "ffmpeg.h"

const char *ffmpeg_version(void)
{
    return NULL;
}

bool ffmpeg_dsp(struct qpel_dsp *dsp, bool assembly)
{
    (void)dsp, (void)assembly;
    return false;
}

void bench_decode(struct bench *bench)
{
    printf("\ndecode: not in this build: libavcodec.a was not there (libavcodec-dev)\n");
    bench_summary(bench, "decode     not in this build (it needs libavcodec-dev)");
}

void bench_compare(struct bench *bench)
{
    bench_fail(bench, "compare: not in this build: libavcodec.a was not there (libavcodec-dev)");
}
