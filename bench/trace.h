/* The motion of pictures: which block was predicted from where. Read from .qtrace files or
 * recorded from a decoder (record.h). Their form is told beside the files. */
#ifndef BENCH_TRACE_H
#define BENCH_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <qpel/qpel.h>

struct trace_call {
    uint8_t position;
    uint8_t size;      /* enum qpel_size */
    uint8_t operation; /* enum qpel_operation */
    uint8_t slot;      /* of the reference */
    bool temporary;    /* writes to a plane of its own: the second list of a weighted block */
    uint16_t x, y;
    int16_t src_x, src_y; /* may lie outside the picture */
};

struct trace_picture {
    uint32_t index; /* in decoding order */
    char type;      /* 'P' or 'B' */
    unsigned slots; /* of references */
    size_t count;
    struct trace_call *calls; /* in decoding order */
    /* Hashes of the replay's dst and temporary planes, where a file tells them. */
    bool golden;
    uint64_t golden_dst, golden_tmp;
};

struct trace {
    char name[64];
    int width, height; /* coded: multiples of 16 */
    size_t count;
    struct trace_picture *pictures;
};

/* Room for what is wrong with a file. */
#define TRACE_ERROR_SIZE 160

/* Reads a file. False: *trace is empty and error says why. */
bool trace_load(struct trace *trace, const char *path, char error[TRACE_ERROR_SIZE]);

/* Takes the hashes of this trace from a GOLDEN.txt; how many pictures got theirs. */
size_t trace_load_golden(struct trace *trace, const char *path);

void trace_free(struct trace *trace);

/* Lists the traces in `data`/traces, by name; at most `room`, or just the one named `only` where
 * that is not null. */
#define TRACE_PATH_SIZE 4400
struct trace_path {
    char path[TRACE_PATH_SIZE];
};
size_t trace_find(const char *data, const char *only, struct trace_path *paths, size_t room);

/* trace_load() and trace_load_golden() with the GOLDEN.txt beside the file. */
bool trace_load_both(struct trace *trace, const char *path, char error[TRACE_ERROR_SIZE]);

/* Sample (x, y), inside the picture, of reference `slot`. */
static inline uint8_t trace_sample(unsigned slot, int x, int y)
{
    uint32_t v = slot * 0x9E3779B1u ^ (uint32_t)x * 0x85EBCA77u ^ (uint32_t)y * 0xC2B2AE3Du;

    v ^= v >> 15;
    v *= 0x2C1B3C6Du;
    v ^= v >> 12;
    v *= 0x297A2D39u;
    v ^= v >> 15;
    return (uint8_t)(v >> 24);
}

#endif
