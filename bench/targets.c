#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "ffmpeg.h"

static void print_log(void *user, enum qpel_log_level level, const char *message)
{
    (void)user, (void)level;
    fprintf(stderr, "qpel-bench: %s\n", message);
}

void *bench_memory(size_t size)
{
    void *memory = aligned_alloc(64, (size + 63) & ~(size_t)63);

    if (memory)
        memset(memory, 0, (size + 63) & ~(size_t)63);
    return memory;
}

const struct bench_layer *bench_best(const struct bench *b)
{
    return &b->layers[b->layer_count - 1];
}

/* Features are numbered weakest first: masks of ever more bits show each layer once. */
static bool find_layers(struct bench *b)
{
    for (unsigned bits = 0; bits <= 32; bits++) {
        const unsigned mask = bits < 32 ? (1u << bits) - 1 : QPEL_CPU_ALL;
        const char *name = qpel_dsp_layer(mask);
        struct bench_layer *layer = &b->layers[b->layer_count];

        if ((b->layer_count && !strcmp(bench_best(b)->name, name)) ||
            b->layer_count == BENCH_MAX_LAYERS)
            continue;
        *layer = (struct bench_layer){ .name = name, .mask = mask };
        if (qpel_dsp_init(&layer->dsp, 8, mask))
            return false;
        b->layer_count++;
    }
    return true;
}

static void uuid_text(const uint8_t uuid[QPEL_UUID_SIZE], char text[2 * QPEL_UUID_SIZE + 1])
{
    for (int i = 0; i < QPEL_UUID_SIZE; i++)
        snprintf(text + 2 * i, 3, "%02x", uuid[i]);
}

/* Opens a device, the library's choice for null. */
static bool open_device(struct bench *b, const char *name, char reason[QPEL_REASON_SIZE])
{
    struct bench_device *device = &b->devices[b->device_count];
    const struct qpel_context_params params = { .device = name, .log = print_log };

    *device = (struct bench_device){ .context = NULL };
    if (qpel_context_create(&device->context, &params)) {
        snprintf(reason, QPEL_REASON_SIZE, "no context with this device or recipe");
        return false;
    }
    if (qpel_context_gpu(device->context, &device->info, reason)) {
        qpel_context_destroy(&device->context);
        return false;
    }
    device->own_memory = device->info.kind == QPEL_DEVICE_DISCRETE;
    b->device_count++;
    return true;
}

/* The library's choice; and where nobody named a device, every other real one. */
static void open_devices(struct bench *b)
{
    struct qpel_device all[BENCH_MAX_DEVICES];
    size_t count = BENCH_MAX_DEVICES;

    if (!open_device(b, b->options.device, b->no_device) || b->options.device ||
        getenv("QPEL_DEVICE") || qpel_context_devices(b->devices[0].context, all, &count))
        return;
    for (size_t i = 0; i < count && i < BENCH_MAX_DEVICES; i++) {
        char uuid[2 * QPEL_UUID_SIZE + 1], reason[QPEL_REASON_SIZE];

        if (all[i].kind == QPEL_DEVICE_SOFTWARE || b->device_count == BENCH_MAX_DEVICES ||
            !memcmp(all[i].uuid, b->devices[0].info.uuid, QPEL_UUID_SIZE))
            continue;
        uuid_text(all[i].uuid, uuid);
        if (!open_device(b, uuid, reason))
            printf("note: %s is not measured: %s\n", all[i].name, reason);
    }
}

bool bench_open_targets(struct bench *b)
{
    const struct qpel_context_params cpu = { .backend = QPEL_BACKEND_CPU, .log = print_log };

    if (!find_layers(b) || qpel_context_create(&b->cpu, &cpu)) {
        bench_fail(b, "no CPU context: a bad recipe?");
        return false;
    }
    b->ffmpeg = ffmpeg_dsp(&b->ffmpeg_asm, true) && ffmpeg_dsp(&b->ffmpeg_c, false);
    if (b->options.backend == QPEL_BACKEND_CPU)
        snprintf(b->no_device, sizeof b->no_device, "only the CPU was asked for");
    else
        open_devices(b);
    if (!b->device_count && (b->options.backend == QPEL_BACKEND_GPU || b->options.device))
        bench_fail(b, "no GPU: %s", b->no_device);
    return true;
}

void bench_close_targets(struct bench *b)
{
    for (size_t i = 0; i < b->device_count; i++)
        qpel_context_destroy(&b->devices[i].context);
    qpel_context_destroy(&b->cpu);
}
