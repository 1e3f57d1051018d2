#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "v3d_cost.h"

static const char usage[] =
    "usage: v3d-cost [OPTION]... [FILE.spv]...\n"
    "  --info            the device's name, limits and features\n"
    "  --extensions      with --info: every device extension\n"
    "  --layout LETTERS  a letter a binding: s storage buffer, u uniform buffer, t/T uniform/\n"
    "                    storage texel buffer, c combined image sampler, i sampled image,\n"
    "                    I storage image; '/' begins the next descriptor set\n"
    "  --push BYTES      size of the push constants\n"
    "  --spec ID=VALUE   a specialization constant (a 32-bit integer)\n"
    "  --trips N         loops run N times (1 unless told)\n"
    "  --samples N       output samples that an invocation makes: print costs a sample\n"
    "  --jobs FILE       also compile each line's pipeline:\n"
    "                    NAME FILE SAMPLES TRIPS [ID=VALUE]...\n"
    "  --json            an object a line, in place of text; progress on stderr\n"
    "  --asm             also print the QPU assembly\n"
    "  --ir              also print every representation that the driver gives\n";

_Noreturn void fail(const char *format, ...)
{
    va_list ap;
    va_start(ap, format);
    fputs("v3d-cost: ", stderr);
    vfprintf(stderr, format, ap);
    fputc('\n', stderr);
    va_end(ap);
    exit(1);
}

void check(VkResult result, const char *what)
{
    if (result < 0)
        fail("%s: VkResult %d", what, result);
}

void *allocate(size_t count, size_t size)
{
    void *p = calloc(count ? count : 1, size);
    if (!p)
        fail("out of memory");
    return p;
}

uint32_t number(const char *text)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 0);
    if (end == text || *end || errno || value > UINT32_MAX)
        fail("'%s' is not a number", text);
    return (uint32_t)value;
}

struct options {
    struct job job; /* of the files on the command line */
    struct output output;
    const char *layout, *jobs;
    uint32_t push_bytes;
    bool info, extensions;
};

/* Reads the options; returns the index of the first file. */
static int parse(int argc, char **argv, struct options *o)
{
    int i = 1;
    for (; i < argc && !strncmp(argv[i], "--", 2); i++) {
        const char *a = argv[i];
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (!strcmp(a, "--help")) {
            fputs(usage, stdout);
            exit(0);
        } else if (!strcmp(a, "--info")) {
            o->info = true;
            continue;
        } else if (!strcmp(a, "--extensions")) {
            o->extensions = true;
            continue;
        } else if (!strcmp(a, "--json")) {
            o->output.json = true;
            continue;
        } else if (!strcmp(a, "--asm")) {
            o->output.assembly = true;
            continue;
        } else if (!strcmp(a, "--ir")) {
            o->output.all_ir = true;
            continue;
        }
        if (!value)
            fail("%s is unknown or lacks its value\n%s", a, usage);
        if (!strcmp(a, "--layout"))
            o->layout = value;
        else if (!strcmp(a, "--jobs"))
            o->jobs = value;
        else if (!strcmp(a, "--push"))
            o->push_bytes = number(value);
        else if (!strcmp(a, "--trips"))
            o->job.trips = number(value);
        else if (!strcmp(a, "--samples"))
            o->job.samples = number(value);
        else if (!strcmp(a, "--spec"))
            job_specialize(&o->job, value);
        else
            fail("unknown option %s\n%s", a, usage);
        i++;
    }
    return i;
}

static void run_jobs(const struct driver *driver, const struct options *o, VkPipelineLayout layout)
{
    FILE *file = fopen(o->jobs, "r");
    if (!file)
        fail("cannot read %s", o->jobs);
    char line[1024];
    for (unsigned done = 1; fgets(line, sizeof line, file); done++) {
        struct job job = { 0 };
        job.name = strtok(line, " \n");
        job.path = strtok(NULL, " \n");
        const char *samples = strtok(NULL, " \n");
        const char *trips = strtok(NULL, " \n");
        if (!trips)
            fail("%s:%u: not NAME FILE SAMPLES TRIPS", o->jobs, done);
        job.samples = number(samples);
        job.trips = number(trips);
        for (const char *spec; (spec = strtok(NULL, " \n"));)
            job_specialize(&job, spec);
        if (o->output.json)
            fprintf(stderr, "%s: %u %s\n", driver->device_name, done, job.name);
        measure(driver, &job, layout, &o->output);
    }
    fclose(file);
}

int main(int argc, char **argv)
{
    struct options o = { .layout = "", .job.trips = 1 };
    int first = parse(argc, argv, &o);
    if (first == argc && !o.info && !o.jobs)
        fail("nothing to do\n%s", usage);

    static struct driver driver;
    driver_open(&driver);
    if (o.info)
        print_info(&driver, o.extensions);
    VkPipelineLayout layout = layout_make(&driver, o.layout, o.push_bytes);
    if (o.jobs)
        run_jobs(&driver, &o, layout);
    for (int i = first; i < argc; i++) {
        o.job.name = o.job.path = argv[i];
        measure(&driver, &o.job, layout, &o.output);
    }
    driver.DestroyPipelineLayout(driver.device, layout, NULL);
    driver_close(&driver);
    return 0;
}
