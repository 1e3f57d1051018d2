/* qpel-bench: proves libqpel on real pictures, and times it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench.h"
#include "dispatch.h"

static const char usage[] =
    "usage: qpel-bench [options] [STREAM.264]\n"
    "\n"
    "Sections; without any, the first three run:\n"
    "  --decode          decode the stream (an Annex B file, or those of the test data) with\n"
    "                    libavcodec on libqpel's functions; compare with the plain decoder\n"
    "  --pictures        replay real motion as whole pictures on every backend\n"
    "  --kernels         each kernel: ns a block, ms a 1080p picture, batch sizes\n"
    "  --door            the picture door: real and drawn pictures on every backend, against the\n"
    "                    dsp door, the device's own copy, and a baseline shader\n"
    "  --compare         all 96 functions against FFmpeg's assembly and C, alternated\n"
    "\n"
    "Options:\n"
    "  --quick           fewer cases and rounds: under a minute\n"
    "  --backend NAME    auto (default): all there are; cpu; gpu: fail if there is none\n"
    "  --device NAME     the GPU: part of its name, its UUID, or software\n"
    "  --plain           pictures: also from plain memory, which the GPU must stage\n"
    "  --stride BYTES    of every plane; a multiple of 16 (default: the width and a border of\n"
    "                    32 on both sides, no power of two: 1984 for 1920)\n"
    "  --blocks N        compare: blocks in the working set (default 8)\n"
    "  --data DIR        the test data, with streams/ and traces/\n"
    "  --json FILE       write all figures\n"
    "  --progress        show progress on stderr even if it is no terminal\n"
    "  --help\n"
    "\n"
    "Nothing is timed whose bytes, return codes and backend have not been checked. Exit status: 0\n"
    "all is exact; 1 something is not, or is missing that was asked for; 2 bad usage.\n";

static bool bad(const char *what, const char *value)
{
    fprintf(stderr, "qpel-bench: %s %s (--help tells more)\n", what, value);
    return false;
}

static bool parse_backend(const char *name, enum qpel_backend *backend)
{
    for (int i = QPEL_BACKEND_AUTO; i <= QPEL_BACKEND_GPU; i++)
        if (!strcmp(name, qpel_backend_name((enum qpel_backend)i))) {
            *backend = (enum qpel_backend)i;
            return true;
        }
    return bad("no such backend:", name);
}

static bool parse_number(const char *text, long low, long high, long *value)
{
    char *end;

    *value = strtol(text, &end, 10);
    if (*text && !*end && *value >= low && *value <= high)
        return true;
    return bad("bad number:", text);
}

struct flag {
    const char *name;
    bool *value;
};

static bool parse(int argc, char **argv, struct bench_options *o, const char **json)
{
    const struct flag flags[] = {
        { "--decode", &o->decode },     { "--pictures", &o->pictures },
        { "--kernels", &o->kernels },   { "--compare", &o->compare },
        { "--quick", &o->quick },       { "--plain", &o->plain },
        { "--progress", &o->progress }, { "--door", &o->door },
    };

    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i], *value = i + 1 < argc ? argv[i + 1] : NULL;
        bool known = false;
        long number;

        for (size_t k = 0; k < sizeof(flags) / sizeof(flags[0]); k++)
            if (!strcmp(arg, flags[k].name))
                known = *flags[k].value = true;
        if (known)
            continue;
        if (arg[0] != '-') {
            if (o->stream)
                return bad("one stream at a time, not also", arg);
            o->stream = arg;
            continue;
        }
        i++; /* all others have a value */
        if (!strcmp(arg, "--backend") && value) {
            if (!parse_backend(value, &o->backend))
                return false;
        } else if (!strcmp(arg, "--device") && value) {
            o->device = value;
        } else if (!strcmp(arg, "--stride") && value) {
            if (!parse_number(value, 16, 1 << 16, &number))
                return false;
            if (number % 16)
                return bad("no multiple of 16:", value);
            o->stride = number;
        } else if (!strcmp(arg, "--blocks") && value) {
            if (!parse_number(value, 1, 4096, &number))
                return false;
            o->blocks = (unsigned)number;
        } else if (!strcmp(arg, "--data") && value) {
            o->data = value;
        } else if (!strcmp(arg, "--json") && value) {
            *json = value;
        } else {
            return bad("unknown option, or one without its value:", arg);
        }
    }
    if (!o->decode && !o->pictures && !o->kernels && !o->compare && !o->door)
        o->decode = o->pictures = o->kernels = true;
    return true;
}

int main(int argc, char **argv)
{
    static struct bench bench; /* zeroed, and large for a stack */
    const char *json = NULL;
    bool ok;

    bench.options = (struct bench_options){
        .progress = isatty(2),
        .data = BENCH_DATA,
        .blocks = 8,
    };
    for (int i = 1; i < argc; i++)
        if (!strcmp(argv[i], "--help")) {
            fputs(usage, stdout);
            return 0;
        }
    if (!parse(argc, argv, &bench.options, &json))
        return 2;
    setvbuf(stdout, NULL, _IOLBF, 0); /* a log is whole up to where the program is */
    if (json && !json_open(&bench.json, json)) {
        perror(json);
        return 2;
    }
    ok = bench_open_targets(&bench);
    if (ok) {
        bench_head(&bench);
        if (bench.options.decode)
            bench_decode(&bench);
        if (bench.options.pictures || bench.options.kernels)
            bench_calibrate(&bench);
        if (bench.options.pictures)
            bench_pictures(&bench);
        if (bench.options.kernels)
            bench_kernels(&bench);
        if (bench.options.door)
            bench_door(&bench);
        if (bench.options.compare)
            bench_compare(&bench);
    }
    json_number(&bench.json, "failures", bench.failures);
    json_bool(&bench.json, "busy", bench.busy);
    if (json && !json_close(&bench.json))
        bench_fail(&bench, "%s could not be written", json);
    printf("\nsummary\n");
    for (size_t i = 0; i < bench.summary_count; i++)
        printf("  %s\n", bench.summary[i]);
    if (bench.busy)
        printf(
            "  note: the machine was busy with other work; where wall and CPU time differ, trust "
            "CPU time\n");
    printf("  %s\n", bench.failures ? "NOT ALL IS WELL: see FAILED above"
                                    : "all bytes, return codes and backends as they must be");
    trace_free(&bench.clip);
    bench_close_targets(&bench);
    return bench.failures ? 1 : 0;
}
