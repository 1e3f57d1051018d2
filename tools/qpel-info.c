/* qpel-info: what libqpel finds on this machine, what it takes, and what AUTO would do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "info.h"

static const char usage[] =
    "usage: qpel-info [--device NAME|UUID|software] [--cpu-time] [--recipe]\n"
    "  --device    as QPEL_DEVICE: the GPU to take\n"
    "  --cpu-time  AUTO prefers less CPU time (twice the wall time at most)\n"
    "  --recipe    also print the recipe's lines\n"
    "QPEL_BACKEND, QPEL_DEVICE, QPEL_RECIPE and QPEL_LOG are heeded.\n";

static void print_log(void *user, enum qpel_log_level level, const char *message)
{
    (void)user, (void)level;
    fprintf(stderr, "qpel-info: %s\n", message);
}

static void print_memory(const struct qpel_device *d)
{
    static const char *const names[] = { "device-local", "host-visible", "coherent", "cached" };
    for (uint32_t i = 0; i < d->memory_types; i++) {
        printf("    memory type %-2" PRIu32 "  %6" PRIu64 " MiB ", i, d->memory[i].heap_size >> 20);
        for (int bit = 0; bit < 4; bit++)
            if (d->memory[i].flags >> bit & 1)
                printf(" %s", names[bit]);
        printf("\n");
    }
}

static const char *yes_no(bool answer)
{
    return answer ? "yes" : "no";
}

static void print_device(const struct qpel_device *d)
{
    printf("  %s\n", d->name);
    printf("    %s: %s\n", d->taken ? "taken" : "not taken", d->reason);
    printf("    kind            %s\n", qpel_device_kind_name(d->kind));
    printf("    driver          %s\n", d->driver);
    printf("    Vulkan          %" PRIu32 ".%" PRIu32 ".%" PRIu32 ", vendor %#" PRIx32
           ", device %#" PRIx32 "\n",
           d->api_version[0], d->api_version[1], d->api_version[2], d->vendor_id, d->device_id);
    printf("    UUID            ");
    for (int i = 0; i < QPEL_UUID_SIZE; i++)
        printf("%02x", d->uuid[i]);
    printf("\n    groups          %" PRIu32 " a dimension, %" PRIu32 " invocations\n",
           d->max_groups, d->max_group_lanes);
    printf("    storage range   %" PRIu64 " bytes, offsets of %" PRIu64 "\n", d->max_storage_range,
           d->storage_alignment);
    printf("    push constants  %" PRIu32 " bytes\n", d->max_push_bytes);
    printf("    timestamps      %s\n", yes_no(d->timestamps));
    printf("    shares          dma-bufs in: %s, out: %s; the caller's memory: %s; completion "
           "descriptors: %s\n",
           yes_no(d->dmabuf_import), yes_no(d->dmabuf_export), yes_no(d->host_import),
           yes_no(d->completion_fd));
    print_memory(d);
}

static int print_devices(struct qpel_context *context)
{
    size_t count = 0;
    if (qpel_context_devices(context, NULL, &count))
        return 1;
    struct qpel_device *devices = calloc(count ? count : 1, sizeof *devices);
    if (!devices || qpel_context_devices(context, devices, &count))
        return 1;
    printf("Vulkan devices: %zu\n", count);
    for (size_t i = 0; i < count; i++)
        print_device(&devices[i]);
    free(devices);
    return 0;
}

/* Where pictures come from that are near the CPU. */
static int print_pictures(struct qpel_context *context)
{
    struct qpel_picture_format format = { .width = 64, .height = 64, .chroma = QPEL_CHROMA_420 };
    struct qpel_memory_info info;
    struct qpel_picture *picture;
    if (qpel_picture_create(context, &format, QPEL_NEAR_CPU, &picture))
        return 1;
    int failed = qpel_picture_memory(picture, &info) != QPEL_OK;
    if (!failed)
        printf("pictures near the CPU: %s memory, %s for the CPU%s%s\n",
               qpel_memory_kind_name(info.kind), info.cached ? "cached" : "not cached",
               info.reason[0] ? "; " : "", info.reason);
    qpel_picture_destroy(&picture);
    return failed;
}

/* One class of kernels over growing batches, in buffers: nothing is staged. */
static int print_choice(struct qpel_context *context, struct qpel_buffer *buffer, int position,
                        const char *name)
{
    static const size_t counts[] = { 1, 64, 256, 1024, 4096, 16384, 32640 };
    printf("  %s", name);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct qpel_dispatch_params p = {
            .operation = QPEL_PUT,
            .size = QPEL_SIZE_8,
            .position = position,
            .dst.buffer = buffer,
            .src.buffer = buffer,
            .count = counts[i],
        };
        struct qpel_recipe_answer a;
        if (qpel_recipe_query(context, &p, &a))
            return 1;
        printf("  %zu: %s", counts[i], qpel_backend_name(a.backend));
        if (i + 1 == sizeof counts / sizeof *counts)
            printf("\n        %s\n", a.reason);
    }
    return 0;
}

static int print_choices(struct qpel_context *context)
{
    static const struct {
        int position;
        const char *name;
    } kernels[] = { { 0, "mc00" }, { 2, "mc20" }, { 8, "mc02" }, { 5, "mc11" }, { 10, "mc22" } };
    struct qpel_buffer *buffer;
    if (qpel_buffer_create(context, 64, QPEL_NEAR_CPU, &buffer))
        return 1;
    int failed = 0;
    printf("AUTO, put 8x8, by number of blocks in buffers:\n");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
        failed |= print_choice(context, buffer, kernels[i].position, kernels[i].name);
    qpel_buffer_destroy(&buffer);
    return failed;
}

static void print_line(const struct qpel_recipe_line *l)
{
    const struct qpel_price *price = l->cost.price;
    printf("  %s \"%s\" ", qpel_backend_name(l->backend), l->device);
    if (l->work == QPEL_WORK_PICTURE)
        printf("picture");
    else
        printf("%s %d mc%d%d", l->operation ? "avg" : "put", 16 >> l->size, l->position & 3,
               l->position >> 2);
    printf(": %.0f ns + %.3f a block", price[QPEL_TERM_FIXED].wall, price[QPEL_TERM_BLOCK].wall);
    if (l->work == QPEL_WORK_PICTURE)
        printf(" + %.4f a sample, %.4f an axis, %.4f chroma, %.4f weighted",
               price[QPEL_TERM_SAMPLE].wall, price[QPEL_TERM_AXIS].wall,
               price[QPEL_TERM_CHROMA].wall, price[QPEL_TERM_WEIGH].wall);
    printf("; CPU %.0f + %.3f (%s: %s)\n", price[QPEL_TERM_FIXED].cpu, price[QPEL_TERM_BLOCK].cpu,
           qpel_origin_name(l->cost.origin), l->source);
}

static int print_recipe(void)
{
    struct qpel_recipe *recipe;
    size_t count;
    if (qpel_recipe_default(&recipe))
        return 1;
    const struct qpel_recipe_line *lines = qpel_recipe_lines(recipe, &count);
    printf("shipped recipe: %zu lines\n", count);
    for (size_t i = 0; i < count; i++)
        print_line(&lines[i]);
    qpel_recipe_destroy(&recipe);
    return 0;
}

int main(int argc, char **argv)
{
    struct qpel_context_params params = { .log = print_log };
    bool recipe = false;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--device") && i + 1 < argc)
            params.device = argv[++i];
        else if (!strcmp(argv[i], "--cpu-time"))
            params.preference = QPEL_PREFER_CPU_TIME;
        else if (!strcmp(argv[i], "--recipe"))
            recipe = true;
        else {
            bool help = !strcmp(argv[i], "--help");
            fputs(usage, help ? stdout : stderr);
            return help ? 0 : 2;
        }
    }
    char cpu[QPEL_NAME_SIZE], reason[QPEL_REASON_SIZE];
    qpel_cpu_name(cpu);
    printf("libqpel %s\nCPU: %s, kernels: %s\n", qpel_version(), cpu, qpel_dsp_layer(QPEL_CPU_ALL));

    struct qpel_context *context;
    enum qpel_result r = qpel_context_create(&context, &params);
    if (r) {
        fprintf(stderr, "qpel-info: %s\n", qpel_result_name(r));
        return 1;
    }
    struct qpel_device device;
    r = qpel_context_gpu(context, &device, reason);
    printf("GPU: %s\n", r ? reason : device.name);
    int failed = print_devices(context) || print_pictures(context) || print_choices(context) ||
                 info_print_pictures(context);
    if (recipe)
        failed |= print_recipe();
    qpel_context_destroy(&context);
    return failed;
}
