#include "dispatch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool memory_create(struct memory *m, struct qpel_context *context, enum qpel_near near,
                   size_t src_size, size_t dst_size)
{
    *m = (struct memory){ .plain = !context, .src_size = src_size, .dst_size = dst_size };
    if (m->plain) {
        m->src = bench_memory(src_size);
        m->dst = bench_memory(dst_size);
        if (m->src && m->dst)
            return true;
    } else if (!qpel_buffer_create(context, src_size, near, &m->src_buffer) &&
               !qpel_buffer_create(context, dst_size, near, &m->dst_buffer)) {
        return true;
    }
    memory_destroy(m);
    return false;
}

void memory_destroy(struct memory *m)
{
    if (m->plain) {
        free(m->src);
        free(m->dst);
    }
    qpel_buffer_destroy(&m->src_buffer);
    qpel_buffer_destroy(&m->dst_buffer);
    *m = (struct memory){ .plain = m->plain };
}

bool memory_begin(struct memory *m)
{
    if (m->plain)
        return true;
    if (qpel_buffer_begin(m->src_buffer, QPEL_READ_WRITE, &m->src))
        return false;
    if (!qpel_buffer_begin(m->dst_buffer, QPEL_READ_WRITE, &m->dst))
        return true;
    qpel_buffer_end(m->src_buffer);
    return false;
}

bool memory_end(struct memory *m)
{
    bool ok;

    if (m->plain)
        return true;
    ok = !qpel_buffer_end(m->src_buffer);
    return !qpel_buffer_end(m->dst_buffer) && ok;
}

bool memory_write_src(struct memory *m, const void *src)
{
    if (!memory_begin(m))
        return false;
    memcpy(m->src, src, m->src_size);
    return memory_end(m);
}

bool memory_write_dst(struct memory *m, const void *dst)
{
    if (!memory_begin(m))
        return false;
    if (dst)
        memcpy(m->dst, dst, m->dst_size);
    else
        memset(m->dst, 0, m->dst_size);
    return memory_end(m);
}

bool memory_read_dst(struct memory *m, void *dst)
{
    if (!memory_begin(m))
        return false;
    memcpy(dst, m->dst, m->dst_size);
    return memory_end(m);
}

void memory_planes(const struct memory *m, struct qpel_dispatch_params *params)
{
    params->src.buffer = m->src_buffer;
    params->dst.buffer = m->dst_buffer;
    params->src.data = m->plain ? m->src : NULL;
    params->dst.data = m->plain ? m->dst : NULL;
    params->src.size = m->src_size;
    params->dst.size = m->dst_size;
}

bool checked_dispatch(struct qpel_context *context, const struct qpel_dispatch_params *params,
                      double *gpu_seconds, char why[BENCH_LINE_SIZE])
{
    struct qpel_report report;
    const enum qpel_result result = qpel_dispatch(context, params, &report);
    const bool buffers = params->src.buffer && params->dst.buffer;

    if (result)
        snprintf(why, BENCH_LINE_SIZE, "%s: %.180s", qpel_result_name(result), report.reason);
    else if (report.backend != params->backend)
        snprintf(why, BENCH_LINE_SIZE, "%s was asked for, but %s ran",
                 qpel_backend_name(params->backend), qpel_backend_name(report.backend));
    else if (report.blocks != params->count)
        snprintf(why, BENCH_LINE_SIZE, "%zu of %zu blocks were done", report.blocks, params->count);
    else if (buffers && (report.copies || report.copied_bytes))
        snprintf(why, BENCH_LINE_SIZE, "buffers were copied");
    else {
        if (report.gpu_seconds > 0)
            *gpu_seconds += report.gpu_seconds;
        return true;
    }
    return false;
}

enum { WIDTH = 1920, HEIGHT = 1088, SIDE = 16, BLOCKS = WIDTH / SIDE * (HEIGHT / SIDE) };

struct calibration {
    struct bench_device *device;
    struct memory memory;
    struct qpel_dispatch_params params;
    struct qpel_block blocks[BLOCKS]; /* all of a 1080p plane, copied in place */
    char why[BENCH_LINE_SIZE];
};

static bool run_one(void *user, size_t repeats, double *gpu_seconds)
{
    struct calibration *c = user;

    for (size_t i = 0; i < repeats; i++)
        if (!checked_dispatch(c->device->context, &c->params, gpu_seconds, c->why))
            return false;
    return true;
}

static void fill(uint8_t *samples, size_t count, uint32_t seed)
{
    for (size_t i = 0; i < count; i++) {
        seed = seed * 1664525u + 1013904223u;
        samples[i] = (uint8_t)(seed >> 24);
    }
}

/* Seconds to copy what the GPU has just written to memory of the CPU, and to write as much. */
static bool measure_memory(struct calibration *c, unsigned rounds, struct measure_stat *read,
                           struct measure_stat *write)
{
    const size_t size = (size_t)WIDTH * HEIGHT;
    uint8_t *expected = bench_memory(size), *copy = bench_memory(size);
    double *seconds = malloc(2 * rounds * sizeof(*seconds)), gpu = 0, start;
    bool ok = expected && copy && seconds;

    c->params.count = BLOCKS;
    for (unsigned i = 0; ok && i < rounds; i++) {
        fill(expected, size, i);
        snprintf(c->why, sizeof c->why, "no access to a buffer");
        start = measure_now();
        ok = memory_write_src(&c->memory, expected);
        seconds[i] = measure_now() - start;
        ok = ok && checked_dispatch(c->device->context, &c->params, &gpu, c->why);
        start = measure_now();
        ok = ok && memory_read_dst(&c->memory, copy);
        seconds[rounds + i] = measure_now() - start;
        if (ok && memcmp(copy, expected, size)) {
            snprintf(c->why, sizeof c->why, "a copied plane came back wrong");
            ok = false;
        }
    }
    if (ok) {
        *write = measure_stat_of(seconds, rounds);
        *read = measure_stat_of(seconds + rounds, rounds);
    }
    free(expected);
    free(copy);
    free(seconds);
    return ok;
}

static bool calibrate(struct bench *b, struct bench_device *device, enum qpel_near near,
                      struct calibration *c)
{
    const struct measure_plan plan = { b->options.quick ? 15 : 41, 2e-3, 2 };
    const size_t size = (size_t)WIDTH * HEIGHT;
    const char *where = !device->own_memory     ? "buffers"
                        : near == QPEL_NEAR_CPU ? "buffers near the CPU"
                                                : "buffers near the GPU";
    struct measure_case one = { .run = run_one, .user = c };
    struct measure_stat read, write;

    c->device = device;
    snprintf(c->why, sizeof c->why, "no memory");
    if (!memory_create(&c->memory, device->context, near, size, size))
        return false;
    c->params = (struct qpel_dispatch_params){
        .backend = QPEL_BACKEND_GPU,
        .size = QPEL_SIZE_16,
        .src.stride = WIDTH,
        .dst.stride = WIDTH,
        .blocks = c->blocks,
    };
    memory_planes(&c->memory, &c->params);
    for (uint32_t i = 0; i < BLOCKS; i++) {
        const uint32_t at = i / (WIDTH / SIDE) * SIDE * WIDTH + i % (WIDTH / SIDE) * SIDE;

        c->blocks[i] = (struct qpel_block){ at, at };
    }
    if (!measure_memory(c, b->options.quick ? 7 : 21, &read, &write))
        return false;
    c->params.count = 1;
    if (!measure(&one, 1, &plan))
        return false;

    const double mb = (double)size * 1e-6;

    printf("  %s, %s: a dispatch of one block %.1f us (%.1f..%.1f), CPU time %.1f us",
           device->info.name, where, one.wall.median * 1e6, one.wall.q1 * 1e6, one.wall.q3 * 1e6,
           one.cpu.median * 1e6);
    if (one.gpu.median > 0)
        printf(", GPU time %.1f us", one.gpu.median * 1e6);
    printf("; the CPU reads what it wrote at %.0f MB/s (%.0f..%.0f), and writes at %.0f\n",
           mb / read.median, mb / read.q3, mb / read.q1, mb / write.median);
    bench_summary(
        b, "overhead   %.40s, %s: %.1f us a dispatch; readback %.0f MB/s, write %.0f MB/s",
        device->info.name, where, one.wall.median * 1e6, mb / read.median, mb / write.median);
    json_object(&b->json, NULL);
    json_string(&b->json, "device", device->info.name);
    json_string(&b->json, "memory", where);
    json_object(&b->json, "dispatch_of_one_block");
    bench_json_case(&b->json, &one);
    json_end_object(&b->json);
    json_number(&b->json, "plane_bytes", (double)size);
    bench_json_stat(&b->json, "readback", read);
    bench_json_stat(&b->json, "write", write);
    json_end_object(&b->json);
    return true;
}

void bench_calibrate(struct bench *b)
{
    if (!b->device_count)
        return;
    printf("\noverhead: what a device costs before its blocks do\n");
    json_array(&b->json, "overhead");
    for (size_t i = 0; i < 2 * b->device_count; i++) {
        struct bench_device *device = &b->devices[i / 2];
        const enum qpel_near near = i & 1 ? QPEL_NEAR_GPU : QPEL_NEAR_CPU;
        struct calibration *c;

        if (near == QPEL_NEAR_GPU && !device->own_memory)
            continue;
        c = calloc(1, sizeof(*c));
        if (!c || !calibrate(b, device, near, c))
            bench_fail(b, "overhead of %.80s: %.100s", device->info.name, c ? c->why : "no memory");
        if (c)
            memory_destroy(&c->memory);
        free(c);
    }
    json_end_array(&b->json);
}
