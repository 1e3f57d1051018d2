/* Decodes streams twice in step, on FFmpeg's functions and on ours, and compares every frame. */
#include <dirent.h>
#include <errno.h>
#include <libavcodec/avcodec.h>
#include <libavutil/log.h>
#include <libavutil/pixdesc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "ffmpeg.h"
#include "record.h"

#define CHUNK        65536 /* bytes given to the parser at a time */
#define MAX_STREAMS  64
#define MIN_PASSES   3 /* for a figure */
#define MAX_PASSES   5
#define CLIP_DEFAULT "city720.264"

struct stream {
    char path[4096 + 300];
    const char *name; /* the path's last part */
    uint8_t *bytes;
    size_t size;
};

struct decoder {
    AVCodecContext *context;
    AVFrame *frame;
    struct ffmpeg_hook hook;
    double wall, cpu; /* seconds inside the decoder */
};

/* What two decoders in step came to. */
struct outcome {
    unsigned frames, different; /* frames given by both; of these not equal */
    bool out_of_step;           /* one gave a frame or an error where the other did not */
    unsigned errors;            /* packets that both refused */
    unsigned fills;             /* tables that got our functions */
    int width, height, bit_depth;
    char format[32];
    double wall[2], cpu[2]; /* FFmpeg's functions, ours */
};

static bool stream_load(struct stream *s, char error[TRACE_ERROR_SIZE])
{
    FILE *f = fopen(s->path, "rb");
    long size = 0;

    s->name = strrchr(s->path, '/') ? strrchr(s->path, '/') + 1 : s->path;
    s->bytes = NULL;
    if (f && !fseek(f, 0, SEEK_END) && (size = ftell(f)) > 0 && !fseek(f, 0, SEEK_SET))
        s->bytes = calloc(1, (size_t)size + AV_INPUT_BUFFER_PADDING_SIZE);
    s->size = (size_t)size;
    if (!s->bytes || fread(s->bytes, 1, s->size, f) != s->size) {
        snprintf(error, TRACE_ERROR_SIZE, "can't be read: %s", errno ? strerror(errno) : "empty");
    } else if (s->size < 4 || memcmp(s->bytes, "\0\0", 2) ||
               (s->bytes[2] != 1 && (s->bytes[2] || s->bytes[3] != 1))) {
        snprintf(error, TRACE_ERROR_SIZE,
                 "not an H.264 stream in Annex B form; to make one: ffmpeg -i FILE -c:v copy -an "
                 "-bsf:v h264_mp4toannexb OUT.264");
    } else {
        fclose(f);
        return true;
    }
    if (f)
        fclose(f);
    free(s->bytes);
    s->bytes = NULL;
    return false;
}

static int get_buffer(AVCodecContext *context, AVFrame *frame, int flags)
{
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(frame->format);
    const int result = avcodec_default_get_buffer2(context, frame, flags);
    struct recorder_planes planes = {
        .width = (context->coded_width + 15) & ~15,
        .height = (context->coded_height + 15) & ~15,
    };

    if (result < 0 || !format)
        return result;
    for (int i = 0; i < 3; i++) {
        planes.data[i] = frame->data[i];
        planes.stride[i] = frame->linesize[i];
        planes.rows[i] = i ? -(-planes.height >> format->log2_chroma_h) : planes.height;
    }
    recorder_picture(context->opaque, &planes);
    return result;
}

static bool decoder_open(struct decoder *d, const struct ffmpeg_hook *hook)
{
    const AVCodec *codec = avcodec_find_decoder(AV_CODEC_ID_H264);

    *d = (struct decoder){ .hook = *hook };
    d->context = codec ? avcodec_alloc_context3(codec) : NULL;
    d->frame = av_frame_alloc();
    if (!d->context || !d->frame)
        return false;
    d->context->thread_count = 1; /* the hook, the recorder and the clocks want one */
    /* The whole reordering delay: no frame is dropped at the start. */
    d->context->strict_std_compliance = FF_COMPLIANCE_STRICT;
    if (hook->call) {
        d->context->opaque = hook->user;
        d->context->get_buffer2 = get_buffer;
    }
    ffmpeg_hook(&d->hook);
    return avcodec_open2(d->context, codec, NULL) >= 0;
}

static void decoder_close(struct decoder *d)
{
    av_frame_free(&d->frame);
    avcodec_free_context(&d->context);
}

static int decoder_send(struct decoder *d, const AVPacket *packet)
{
    double cpu, wall;
    int result;

    ffmpeg_hook(&d->hook);
    cpu = measure_cpu_now();
    wall = measure_now();
    result = avcodec_send_packet(d->context, packet);
    d->wall += measure_now() - wall;
    d->cpu += measure_cpu_now() - cpu;
    return result;
}

static int decoder_receive(struct decoder *d)
{
    double cpu, wall;
    int result;

    ffmpeg_hook(&d->hook);
    cpu = measure_cpu_now();
    wall = measure_now();
    result = avcodec_receive_frame(d->context, d->frame);
    d->wall += measure_now() - wall;
    d->cpu += measure_cpu_now() - cpu;
    return result;
}

/* All planes, the visible samples. */
static bool equal_frames(const AVFrame *a, const AVFrame *b)
{
    const AVPixFmtDescriptor *format = av_pix_fmt_desc_get(a->format);

    if (!format || a->format != b->format || a->width != b->width || a->height != b->height)
        return false;
    for (int i = 0; i < format->nb_components; i++) {
        const bool chroma = i == 1 || i == 2;
        const int width = chroma ? -(-a->width >> format->log2_chroma_w) : a->width;
        const int height = chroma ? -(-a->height >> format->log2_chroma_h) : a->height;
        const size_t bytes = (size_t)width * (size_t)((format->comp[i].depth + 7) / 8);

        for (ptrdiff_t y = 0; y < height; y++)
            if (memcmp(a->data[i] + y * a->linesize[i], b->data[i] + y * b->linesize[i], bytes))
                return false;
    }
    return true;
}

/* Takes what both have ready. */
static void drain(struct decoder d[2], struct outcome *o)
{
    for (;;) {
        const int theirs = decoder_receive(&d[0]), ours = decoder_receive(&d[1]);
        const AVPixFmtDescriptor *format;

        o->out_of_step |= theirs != ours;
        if (theirs < 0 || ours < 0)
            return;
        format = av_pix_fmt_desc_get(d[0].frame->format);
        o->frames++;
        o->different += !equal_frames(d[0].frame, d[1].frame);
        o->width = d[0].frame->width;
        o->height = d[0].frame->height;
        o->bit_depth = format ? format->comp[0].depth : 0;
        snprintf(o->format, sizeof o->format, "%s", format ? format->name : "unknown");
    }
}

/* False: out of memory, or no decoder. */
static bool decode_pair(const struct bench *bench, const struct stream *stream,
                        const struct ffmpeg_hook *hook, struct outcome *o)
{
    const struct ffmpeg_hook own = { .dsp = NULL };
    struct decoder d[2] = { { .context = NULL }, { .context = NULL } };
    AVCodecParserContext *parser = av_parser_init(AV_CODEC_ID_H264);
    AVPacket *packet = av_packet_alloc();
    const unsigned fills = ffmpeg_hook_fills();
    bool ok = decoder_open(&d[0], &own) && decoder_open(&d[1], hook) && parser && packet;

    *o = (struct outcome){ .frames = 0 };
    for (size_t at = 0, ended = 0; ok && !ended;) {
        const size_t left = stream->size - at;
        uint8_t *bytes = NULL;
        int size = 0;
        const int used =
            av_parser_parse2(parser, d[0].context, &bytes, &size, stream->bytes + at,
                             (int)(left < CHUNK ? left : CHUNK), AV_NOPTS_VALUE, AV_NOPTS_VALUE, 0);

        if (used < 0)
            break;
        ended = !left && !size;
        at += (size_t)used;
        if (!size)
            continue;
        packet->data = bytes;
        packet->size = size;

        const int theirs = decoder_send(&d[0], packet), ours = decoder_send(&d[1], packet);

        o->out_of_step |= theirs != ours;
        o->errors += theirs < 0;
        drain(d, o);
        bench_progress(bench, "decode %s: %zu %%", stream->name, at * 100 / stream->size);
    }
    if (ok) {
        decoder_send(&d[0], NULL);
        decoder_send(&d[1], NULL);
        drain(d, o);
    }
    bench_progress(bench, NULL);
    o->fills = ffmpeg_hook_fills() - fills;
    for (int i = 0; i < 2; i++) {
        o->wall[i] = d[i].wall;
        o->cpu[i] = d[i].cpu;
        decoder_close(&d[i]);
    }
    ffmpeg_hook(&own);
    av_packet_free(&packet);
    av_parser_close(parser);
    return ok;
}

static bool exact(const struct outcome *o)
{
    return o->frames && !o->different && !o->out_of_step;
}

/* Decodes a stream `passes` times with a layer; proves it, then tells the medians. */
static void decode_layer(struct bench *b, const struct stream *stream,
                         const struct bench_layer *layer, unsigned passes)
{
    const struct ffmpeg_hook hook = { .dsp = &layer->dsp };
    double wall[2][MAX_PASSES], cpu[2][MAX_PASSES];
    struct outcome o;
    unsigned frames = 0;

    for (unsigned pass = 0; pass < passes; pass++) {
        if (!decode_pair(b, stream, &hook, &o)) {
            bench_fail(b, "decode %s: out of memory, or no H.264 decoder", stream->name);
            return;
        }
        if (!exact(&o)) {
            bench_fail(b, "decode %s with %s: %u of %u frames differ%s", stream->name, layer->name,
                       o.different, o.frames, o.out_of_step ? ", and out of step" : "");
            return;
        }
        for (int i = 0; i < 2; i++) {
            wall[i][pass] = o.wall[i] / o.frames;
            cpu[i][pass] = o.cpu[i] / o.frames;
        }
        frames += o.frames;
    }

    const bool ours = o.fills > 0;

    if (!ours && o.bit_depth == 8) {
        bench_fail(b, "decode %s: the decoder never took our functions", stream->name);
        return;
    }

    const struct measure_stat theirs_cpu = measure_stat_of(cpu[0], passes);
    const struct measure_stat ours_cpu = measure_stat_of(cpu[1], passes);
    const bool best = layer == bench_best(b);

    json_object(&b->json, NULL);
    json_string(&b->json, "stream", stream->name);
    json_string(&b->json, "layer", layer->name);
    json_string(&b->json, "format", o.format);
    json_number(&b->json, "width", o.width);
    json_number(&b->json, "height", o.height);
    json_number(&b->json, "frames", o.frames);
    json_number(&b->json, "passes", passes);
    json_number(&b->json, "packets_refused_by_both", o.errors);
    json_bool(&b->json, "our_functions_used", ours);
    json_bool(&b->json, "exact", true);
    bench_json_stat(&b->json, "ffmpeg_wall_per_frame", measure_stat_of(wall[0], passes));
    bench_json_stat(&b->json, "qpel_wall_per_frame", measure_stat_of(wall[1], passes));
    bench_json_stat(&b->json, "ffmpeg_cpu_per_frame", theirs_cpu);
    bench_json_stat(&b->json, "qpel_cpu_per_frame", ours_cpu);
    json_end_object(&b->json);

    printf("  %-20s %4dx%-4d %-11s %-6s %3u frames ", stream->name, o.width, o.height, o.format,
           ours ? layer->name : "-", frames);
    if (!ours) {
        printf("equal, but by FFmpeg's own functions (%d bits): proves nothing of ours\n",
               o.bit_depth);
        if (best)
            bench_summary(b, "decode     %-20s not on ours: %d bits a sample", stream->name,
                          o.bit_depth);
        return;
    }
    printf("equal, all planes");
    if (o.errors)
        printf("; %u packets refused by both", o.errors);
    printf("\n");
    if (best)
        bench_summary(b, "decode     %-20s %u frames equal (layer %s)", stream->name, frames,
                      layer->name);
    if (passes < MIN_PASSES)
        return;
    printf("    CPU ms a frame, %u passes: on FFmpeg's functions %.3f (%.3f..%.3f), on ours %.3f "
           "(%.3f..%.3f): %.2fx\n",
           passes, theirs_cpu.median * 1e3, theirs_cpu.q1 * 1e3, theirs_cpu.q3 * 1e3,
           ours_cpu.median * 1e3, ours_cpu.q1 * 1e3, ours_cpu.q3 * 1e3,
           theirs_cpu.median / ours_cpu.median);
    if (best)
        bench_summary(b, "decode     %-20s CPU ms a frame: %.3f, on FFmpeg's functions %.3f",
                      stream->name, ours_cpu.median * 1e3, theirs_cpu.median * 1e3);
}

/* The negative control: this must be noticed. */
static const struct qpel_dsp *sound;

static void wrong_copy_16(uint8_t *dst, const uint8_t *src, ptrdiff_t stride)
{
    sound->put[QPEL_SIZE_16][0](dst, src, stride);
    dst[0] ^= 0x80;
}

static void wrong_copy_8(uint8_t *dst, const uint8_t *src, ptrdiff_t stride)
{
    sound->put[QPEL_SIZE_8][0](dst, src, stride);
    dst[0] ^= 0x80;
}

/* Records the stream's motion, in a decoder with one wrong sample a copied block. */
static void record_clip(struct bench *b, const struct stream *stream)
{
    struct recorder *recorder = recorder_create();
    const struct bench_layer *layer = bench_best(b);
    struct qpel_dsp wrong = layer->dsp;
    const struct ffmpeg_hook hook = { &wrong, recorder_call, recorder };
    struct recorder_result result;
    struct outcome o;
    bool ok;

    sound = &layer->dsp;
    wrong.put[QPEL_SIZE_16][0] = wrong_copy_16;
    wrong.put[QPEL_SIZE_8][0] = wrong_copy_8;
    ok = recorder && decode_pair(b, stream, &hook, &o) &&
         recorder_finish(recorder, b->options.quick ? 2 : 6, &b->clip, &result);
    recorder_destroy(recorder);
    if (!ok) {
        bench_fail(b, "decode %s: out of memory while recording", stream->name);
        return;
    }
    snprintf(b->clip.name, sizeof b->clip.name, "%s", stream->name);
    if (!result.calls) {
        printf("  %s has no inter prediction of 8 bits: nothing to replay\n", stream->name);
        return;
    }

    const bool noticed = o.different || o.out_of_step;

    if (!noticed)
        bench_fail(b, "decode %s: a decoder made wrong on purpose was not noticed", stream->name);
    printf("  negative control: copies made wrong on purpose %s (%u of %u frames differ)\n",
           noticed ? "were noticed" : "were NOT noticed", o.different, o.frames);
    printf("  recorded %zu calls of %zu inter pictures, %.0f a picture; %zu picked for replay",
           result.calls, result.pictures, (double)result.calls / (double)result.pictures,
           b->clip.count);
    if (result.fields)
        printf("; %zu left out: they have field rows", result.fields);
    if (result.unknown)
        printf("; %zu left out: another size, or a call that could not be placed", result.unknown);
    printf("\n");
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct stream *)a)->path, ((const struct stream *)b)->path);
}

/* The test data's streams. */
static size_t find_streams(const struct bench *b, struct stream streams[MAX_STREAMS])
{
    char directory[4096];
    size_t count = 0;
    DIR *d;

    snprintf(directory, sizeof directory, "%s/streams", b->options.data);
    d = opendir(directory);
    for (struct dirent *e; d && count < MAX_STREAMS && (e = readdir(d));) {
        const size_t length = strlen(e->d_name);

        if (length < 5 || strcmp(e->d_name + length - 4, ".264") ||
            (b->options.quick && strcmp(e->d_name, CLIP_DEFAULT)))
            continue;
        if (snprintf(streams[count].path, sizeof streams[count].path, "%s/%s", directory,
                     e->d_name) < (int)sizeof streams[count].path)
            count++;
    }
    if (d)
        closedir(d);
    qsort(streams, count, sizeof(*streams), by_path);
    return count;
}

void bench_decode(struct bench *b)
{
    struct stream *streams = calloc(MAX_STREAMS, sizeof(*streams));
    size_t count = 0;

    if (!streams) {
        bench_fail(b, "decode: out of memory");
        return;
    }
    if (b->options.stream) {
        snprintf(streams[0].path, sizeof streams[0].path, "%s", b->options.stream);
        count = 1;
    } else {
        count = find_streams(b, streams);
    }
    av_log_set_level(AV_LOG_QUIET); /* damage shows as refused packets */
    printf("\ndecode: each stream twice in step, on FFmpeg's luma functions and on ours; every "
           "plane of every frame compared\n");
    if (!count)
        bench_fail(b, "decode: no streams in %s/streams", b->options.data);
    json_array(&b->json, "decode");
    for (size_t i = 0; i < count; i++) {
        char error[TRACE_ERROR_SIZE];
        const struct bench_layer *best = bench_best(b);

        errno = 0;
        if (!stream_load(&streams[i], error)) {
            bench_fail(b, "%s: %s", streams[i].path, error);
            continue;
        }

        const bool clip = b->options.stream || !strcmp(streams[i].name, CLIP_DEFAULT);

        for (size_t k = 0; k < b->layer_count; k++)
            if (clip || &b->layers[k] == best)
                decode_layer(b, &streams[i], &b->layers[k],
                             !clip              ? 1
                             : b->options.quick ? MIN_PASSES
                                                : MAX_PASSES);
        if (clip)
            record_clip(b, &streams[i]);
        free(streams[i].bytes);
    }
    json_end_array(&b->json);
    free(streams);
}
