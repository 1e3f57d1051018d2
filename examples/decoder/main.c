/* An H.264 decoder on libqpel's picture door: README.md says how. Options: see usage(). */
#include "decoder.h"
#include "frames.h"
#include "stream.h"

#include <inttypes.h>
#include <libavutil/cpu.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_UNSUPPORTED = 77 }; /* what Meson calls skipped */

static const struct plug *const plugs[] = { &plug_qpel, &plug_plain };
enum { PLUGS = sizeof plugs / sizeof *plugs };

struct options {
    const char *input, *md5_path;
    const struct plug *plug;
    const char *backend; /* of the plug's; null: it chooses */
    enum mode mode;
    bool no_check, sabotage, no_simd;
};

static int usage(void)
{
    fprintf(stderr, "usage: decoder [options] IN.264\n"
                    "  --mode one   libavcodec as it is\n"
                    "         two   each picture's inter prediction as one batch (default)\n"
                    "         lag   the same, run while the next picture is parsed\n"
                    "         none  as one, but without inter prediction: for its time\n"
                    "  --plug NAME  who predicts:");
    for (int i = 0; i < PLUGS; i++)
        fprintf(stderr, " %s", plugs[i]->name);
    fprintf(stderr,
            "\n"
            "  --backend B  who computes: auto (default), cpu or gpu; plain: cpu or thread\n"
            "  --md5 FILE   write each frame's MD5\n"
            "  --no-check   don't compare chroma calls with luma's: for times\n"
            "  --no-simd    libavcodec's functions in C\n"
            "  --sabotage   some vectors are wrong: frames must differ\n");
    return 2;
}

static bool parse_mode(const char *name, enum mode *mode)
{
    static const char *const names[] = {
        [MODE_ONE] = "one", [MODE_TWO] = "two", [MODE_LAG] = "lag", [MODE_NONE] = "none"
    };
    for (int i = 0; i < (int)(sizeof names / sizeof *names); i++)
        if (!strcmp(name, names[i])) {
            *mode = (enum mode)i;
            return true;
        }
    return false;
}

static bool parse_plug(const char *name, const struct plug **plug)
{
    for (int i = 0; i < PLUGS; i++)
        if (!strcmp(name, plugs[i]->name)) {
            *plug = plugs[i];
            return true;
        }
    return false;
}

static bool parse(int argc, char **argv, struct options *o)
{
    *o = (struct options){ .mode = MODE_TWO, .plug = plugs[0] };
    for (int i = 1; i < argc; i++) {
        const char *a = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool good = true, taken = false;
        if (!strcmp(a, "--no-check"))
            o->no_check = true;
        else if (!strcmp(a, "--no-simd"))
            o->no_simd = true;
        else if (!strcmp(a, "--sabotage"))
            o->sabotage = true;
        else if (a[0] != '-' && !o->input)
            o->input = a;
        else if (value)
            taken = true;
        else
            return false;
        if (!taken)
            continue;
        i++;
        if (!strcmp(a, "--mode"))
            good = parse_mode(value, &o->mode);
        else if (!strcmp(a, "--plug"))
            good = parse_plug(value, &o->plug);
        else if (!strcmp(a, "--md5"))
            o->md5_path = value;
        else if (!strcmp(a, "--backend"))
            o->backend = value;
        else
            good = false;
        if (!good)
            return false;
    }
    return o->input != NULL;
}

struct program {
    struct decoder decoder; /* first: AVCodecContext.opaque is both */
    FILE *md5;
    uint64_t frames;
};

static void output(void *opaque, const AVFrame *frame)
{
    struct program *p = opaque;
    p->frames++;
    decoder_finish(&p->decoder, frame->data[0]);
    if (!p->md5)
        return;
    enum phase before = times_enter(&p->decoder.times, PHASE_OUTPUT);
    frame_md5(p->md5, frame);
    times_enter(&p->decoder.times, before);
}

static void report_times(const struct program *p)
{
    const struct times *t = &p->decoder.times;
    double per_frame = 1e3 / (double)(p->frames ? p->frames : 1);
    struct clocks all = { 0 };
    printf("  ms a frame            wall  CPU, this thread  CPU, others\n");
    for (int i = 0; i < PHASE_COUNT; i++) {
        const struct clocks *s = &t->sum[i];
        if (i == PHASE_OUTPUT || s->wall == 0)
            continue;
        all.wall += s->wall;
        all.process += s->process;
        all.thread += s->thread;
        printf("  %-18s %7.3f  %16.3f  %11.3f\n", phase_names[i], s->wall * per_frame,
               s->thread * per_frame, (s->process - s->thread) * per_frame);
    }
    printf("  %-18s %7.3f  %16.3f  %11.3f\n", "all", all.wall * per_frame, all.thread * per_frame,
           (all.process - all.thread) * per_frame);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0;
}

static void report_record(const struct decoder *d)
{
    const struct inter_counts *c = &d->counts;
    uint64_t pictures = d->pictures_ended ? d->pictures_ended : 1;
    uint64_t inter = d->inter_pictures ? d->inter_pictures : 1;
    printf("  %" PRIu64 " pictures (a field is one), %" PRIu64 " with inter blocks: %" PRIu64
           " each, at most %" PRIu64 "\n"
           "  of the blocks %.1f %% with two references, %.1f %% weighted, %.1f %% field rows\n"
           "  from %" PRIu64 " luma, %" PRIu64 " chroma and %" PRIu64 " edge calls\n"
           "  record: %" PRIu64 " commands, %" PRIu64 " kB and %" PRIu64 " filter calls a picture\n"
           "  %u pictures in use; %" PRIu64 " finished early for output; %" PRIu64 " faults\n",
           d->pictures_ended, d->inter_pictures, c->blocks / inter, c->max_blocks,
           percent(c->bi, c->blocks), percent(c->weighted, c->blocks),
           percent(c->field_rows, c->blocks), c->luma_calls, c->chroma_calls, c->edge_calls,
           d->commands / pictures, d->command_bytes / 1000 / pictures, d->edges / pictures,
           d->pictures.peak, d->early, d->faults);
}

static int decode(struct program *p, const struct options *o)
{
    struct decoder *d = &p->decoder;
    hooks_set(d);
    int result = stream_decode(
        o->input,
        &(struct stream_user){ .opaque = p, .get_buffer = frames_get_buffer, .frame = output });
    decoder_finish(d, NULL);
    times_enter(&d->times, PHASE_OUTPUT);
    hooks_set(NULL);
    if (d->picture_error) {
        printf("%s: no picture from plug %s: %s\n", o->input, o->plug->name,
               qpel_result_name(d->picture_error));
        return d->picture_error == QPEL_ERROR_UNSUPPORTED ? EXIT_UNSUPPORTED : 1;
    }
    if (d->no_backend) {
        printf("%s: plug %s has no such backend here\n", o->input, o->plug->name);
        return EXIT_UNSUPPORTED;
    }
    printf("%s: %" PRIu64 " frames\n", o->input, p->frames);
    report_times(p);
    if (o->mode == MODE_TWO || o->mode == MODE_LAG)
        report_record(d);
    return result || d->faults ? 1 : 0;
}

int main(int argc, char **argv)
{
    struct options o;
    if (!parse(argc, argv, &o))
        return usage();
    void *self;
    enum qpel_result r = o.plug->create(&self);
    if (r) {
        fprintf(stderr, "plug %s: %s\n", o.plug->name, qpel_result_name(r));
        return 1;
    }
    int result = 2;
    if (o.backend && (r = o.plug->backend(self, o.backend)))
        fprintf(stderr, "plug %s: backend %s: %s\n", o.plug->name, o.backend, qpel_result_name(r));
    struct program *p = r ? NULL : calloc(1, sizeof *p);
    if (p)
        p->md5 = o.md5_path ? fopen(o.md5_path, "w") : NULL;
    if (p && o.md5_path && !p->md5) {
        perror(o.md5_path);
        result = 1;
    } else if (p) {
        if (o.no_simd)
            av_force_cpu_flags(0);
        decoder_init(&p->decoder, o.plug, self);
        p->decoder.mode = o.mode;
        p->decoder.check = !o.no_check;
        p->decoder.sabotage = o.sabotage;
        result = decode(p, &o);
        decoder_free(&p->decoder);
        if (p->md5 && fclose(p->md5))
            result = 1;
    }
    free(p);
    o.plug->destroy(self);
    return result;
}
