#include "trace.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_BYTES  64
#define PICTURE_BYTES 16
#define CALL_BYTES    12

static unsigned u16(const uint8_t *p)
{
    return p[0] | (unsigned)p[1] << 8;
}

static uint32_t u32(const uint8_t *p)
{
    return u16(p) | (uint32_t)u16(p + 2) << 16;
}

static uint8_t *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = NULL;
    long end;

    if (!f)
        return NULL;
    if (!fseek(f, 0, SEEK_END) && (end = ftell(f)) >= 0 && !fseek(f, 0, SEEK_SET)) {
        *size = (size_t)end;
        bytes = malloc(*size + 1);
        if (bytes && fread(bytes, 1, *size, f) != *size) {
            free(bytes);
            bytes = NULL;
        }
    }
    fclose(f);
    return bytes;
}

/* Null, or what is wrong. */
static const char *parse_call(struct trace_call *call, const uint8_t *p, const struct trace *trace,
                              unsigned slots)
{
    const unsigned side = 16u >> (p[1] & 3);

    *call = (struct trace_call){
        .position = p[0],
        .size = p[1] & 3,
        .operation = p[1] >> 2 & 1 ? QPEL_AVG : QPEL_PUT,
        .temporary = p[1] >> 3 & 1,
        .slot = p[2],
        .x = (uint16_t)u16(p + 4),
        .y = (uint16_t)u16(p + 6),
        .src_x = (int16_t)u16(p + 8),
        .src_y = (int16_t)u16(p + 10),
    };
    if (call->position >= QPEL_POSITION_COUNT || call->size >= QPEL_SIZE_COUNT)
        return "a call of an unknown kernel";
    if (p[1] >> 5 & 3)
        return "a call of another plane than luma";
    if (call->slot >= slots)
        return "a call with a reference that the picture has not";
    if (call->x + side > (unsigned)trace->width || call->y + side > (unsigned)trace->height)
        return "a call outside the picture";
    return NULL;
}

static const char *parse(struct trace *trace, const uint8_t *bytes, size_t size)
{
    size_t at = HEADER_BYTES;

    if (size < HEADER_BYTES || memcmp(bytes, "QTRACE1", 8))
        return "not a trace";
    trace->width = (int)u16(bytes + 8);
    trace->height = (int)u16(bytes + 10);
    if (u16(bytes + 12) != 8 || u16(bytes + 14) != 1)
        return "not 8 bits, or not luma alone";
    if (!trace->width || !trace->height || trace->width % 16 || trace->height % 16)
        return "a picture size that is no multiple of 16";
    memcpy(trace->name, bytes + 24, 40);

    const uint32_t pictures = u32(bytes + 16);

    if (pictures > size / PICTURE_BYTES)
        return "shorter than its header says";
    trace->pictures = calloc(pictures ? pictures : 1, sizeof(*trace->pictures));
    if (!trace->pictures)
        return "out of memory";
    for (trace->count = 0; trace->count < pictures; trace->count++) {
        struct trace_picture *picture = &trace->pictures[trace->count];

        if (size - at < PICTURE_BYTES || (size - at - PICTURE_BYTES) / CALL_BYTES < u32(bytes + at))
            return "shorter than its header says";
        picture->count = u32(bytes + at);
        picture->index = u32(bytes + at + 4);
        picture->type = (char)bytes[at + 8];
        picture->slots = bytes[at + 9];
        at += PICTURE_BYTES;
        picture->calls = calloc(picture->count ? picture->count : 1, sizeof(*picture->calls));
        if (!picture->calls)
            return "out of memory";
        for (size_t i = 0; i < picture->count; i++, at += CALL_BYTES) {
            const char *wrong = parse_call(&picture->calls[i], bytes + at, trace, picture->slots);

            if (wrong) {
                trace->count++; /* for trace_free() */
                return wrong;
            }
        }
    }
    return at == size ? NULL : "longer than its header says";
}

bool trace_load(struct trace *trace, const char *path, char error[TRACE_ERROR_SIZE])
{
    size_t size = 0;
    uint8_t *bytes = read_all(path, &size);
    const char *wrong;

    *trace = (struct trace){ .name = "" };
    if (!bytes) {
        snprintf(error, TRACE_ERROR_SIZE, "can't be read: %s", strerror(errno));
        return false;
    }
    wrong = parse(trace, bytes, size);
    free(bytes);
    if (wrong) {
        snprintf(error, TRACE_ERROR_SIZE, "%s", wrong);
        trace_free(trace);
    }
    return !wrong;
}

size_t trace_load_golden(struct trace *trace, const char *path)
{
    FILE *f = fopen(path, "r");
    char line[256];
    size_t found = 0;

    if (!f)
        return 0;
    while (fgets(line, sizeof line, f)) {
        char name[64], type;
        uint32_t index;
        size_t calls;
        uint64_t dst, tmp;

        if (sscanf(line,
                   "golden %63s pic %" SCNu32 " type %c calls %zu dst %" SCNx64 " tmp %" SCNx64,
                   name, &index, &type, &calls, &dst, &tmp) != 6 ||
            strcmp(name, trace->name))
            continue;
        for (size_t i = 0; i < trace->count; i++) {
            struct trace_picture *p = &trace->pictures[i];

            if (p->index != index || p->count != calls)
                continue;
            p->golden = true;
            p->golden_dst = dst;
            p->golden_tmp = tmp;
            found++;
        }
    }
    fclose(f);
    return found;
}

void trace_free(struct trace *trace)
{
    for (size_t i = 0; i < trace->count; i++)
        free(trace->pictures[i].calls);
    free(trace->pictures);
    *trace = (struct trace){ .name = "" };
}

bool trace_load_both(struct trace *trace, const char *path, char error[TRACE_ERROR_SIZE])
{
    char golden[TRACE_PATH_SIZE + 16];
    const char *name = strrchr(path, '/');

    if (!trace_load(trace, path, error))
        return false;
    snprintf(golden, sizeof golden, "%.*sGOLDEN.txt", name ? (int)(name + 1 - path) : 0, path);
    trace_load_golden(trace, golden);
    return true;
}

static int by_path(const void *a, const void *b)
{
    return strcmp(((const struct trace_path *)a)->path, ((const struct trace_path *)b)->path);
}

size_t trace_find(const char *data, const char *only, struct trace_path *paths, size_t room)
{
    struct trace_path directory;
    size_t count = 0;
    DIR *d;

    if (snprintf(directory.path, sizeof directory.path, "%s/traces", data) >=
        (int)sizeof directory.path)
        return 0;
    d = opendir(directory.path);
    for (struct dirent *e; d && count < room && (e = readdir(d));) {
        const char *dot = strrchr(e->d_name, '.');

        if (!dot || strcmp(dot, ".qtrace") || (only && strcmp(e->d_name, only)))
            continue;
        if (snprintf(paths[count].path, TRACE_PATH_SIZE, "%s/%s", directory.path, e->d_name) <
            TRACE_PATH_SIZE)
            count++;
    }
    if (d)
        closedir(d);
    qsort(paths, count, sizeof(*paths), by_path);
    return count;
}
