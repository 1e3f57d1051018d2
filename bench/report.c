#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "bench.h"
#include "ffmpeg.h"

void bench_fail(struct bench *b, const char *format, ...)
{
    va_list args;
    char line[BENCH_LINE_SIZE];

    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    b->failures++;
    printf("FAILED: %s\n", line);
    bench_summary(b, "FAILED     %s", line);
}

void bench_summary(struct bench *b, const char *format, ...)
{
    va_list args;

    if (b->summary_count == BENCH_MAX_SUMMARY)
        return;
    va_start(args, format);
    vsnprintf(b->summary[b->summary_count++], BENCH_LINE_SIZE, format, args);
    va_end(args);
}

void bench_progress(const struct bench *b, const char *format, ...)
{
    va_list args;

    if (!b->options.progress)
        return;
    fflush(stdout);
    fputs("\r\033[K", stderr);
    if (!format)
        return;
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
}

static const char *compiler(void)
{
#if defined(__clang__)
    return "clang " __clang_version__;
#elif defined(__GNUC__)
    return "gcc " __VERSION__;
#else
    return "unknown";
#endif
}

void bench_head(struct bench *b)
{
    char cpu[QPEL_NAME_SIZE], date[32] = "";
    const time_t now = time(NULL);
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    struct utsname system;

    qpel_cpu_name(cpu);
    if (uname(&system))
        memset(&system, 0, sizeof system);
    strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
    printf("qpel-bench %s, %s\n", qpel_version(), date);
    printf("  machine   %s, %ld cores, %s %s %s\n", cpu, cores, system.sysname, system.release,
           system.machine);
    printf("  compiler  %s\n", compiler());
    printf("  layers   ");
    for (size_t i = 0; i < b->layer_count; i++)
        printf(" %s", b->layers[i].name);
    printf("\n  FFmpeg    %s\n", ffmpeg_version() ? ffmpeg_version() : "not in this build");
    if (!b->device_count)
        printf("  GPU       none: %s\n", b->no_device);
    for (size_t i = 0; i < b->device_count; i++)
        printf("  GPU %zu     %s (%s; %s)\n", i, b->devices[i].info.name, b->devices[i].info.driver,
               qpel_device_kind_name(b->devices[i].info.kind));

    json_string(&b->json, "qpel", qpel_version());
    json_string(&b->json, "date", date);
    json_string(&b->json, "cpu", cpu);
    json_number(&b->json, "cores", (double)cores);
    json_string(&b->json, "system", system.sysname);
    json_string(&b->json, "release", system.release);
    json_string(&b->json, "architecture", system.machine);
    json_string(&b->json, "compiler", compiler());
    json_string(&b->json, "ffmpeg", ffmpeg_version() ? ffmpeg_version() : "");
    json_bool(&b->json, "quick", b->options.quick);
    json_array(&b->json, "layers");
    for (size_t i = 0; i < b->layer_count; i++)
        json_string(&b->json, NULL, b->layers[i].name);
    json_end_array(&b->json);
    json_string(&b->json, "no_device", b->device_count ? "" : b->no_device);
    json_array(&b->json, "devices");
    for (size_t i = 0; i < b->device_count; i++) {
        json_object(&b->json, NULL);
        json_string(&b->json, "name", b->devices[i].info.name);
        json_string(&b->json, "driver", b->devices[i].info.driver);
        json_string(&b->json, "kind", qpel_device_kind_name(b->devices[i].info.kind));
        json_bool(&b->json, "timestamps", b->devices[i].info.timestamps);
        json_end_object(&b->json);
    }
    json_end_array(&b->json);
}

void bench_json_stat(struct json *j, const char *key, struct measure_stat stat)
{
    json_object(j, key);
    json_number(j, "median", stat.median);
    json_number(j, "q1", stat.q1);
    json_number(j, "q3", stat.q3);
    json_number(j, "min", stat.min);
    json_end_object(j);
}

void bench_json_case(struct json *j, const struct measure_case *c)
{
    json_number(j, "rounds", c->rounds);
    json_number(j, "repeats", (double)c->repeats);
    bench_json_stat(j, "wall", c->wall);
    bench_json_stat(j, "cpu", c->cpu);
    if (c->gpu.median > 0)
        bench_json_stat(j, "gpu", c->gpu);
}
