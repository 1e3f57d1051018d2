/* A picture's motion, laid out for replay: the references in one plane, one below the other,
 * each with a border of clamped samples; the picture and the temporary in another. */
#ifndef BENCH_REPLAY_H
#define BENCH_REPLAY_H

#include "trace.h"

/* Rows and columns around a reference. A block further out than this sees the same samples. */
#define REPLAY_BORDER 32

/* Bytes that FFmpeg's functions may touch beyond a block's window. */
#define REPLAY_SLACK 64

struct replay_call {
    uint32_t dst, src;
    uint8_t operation, size, position;
};

/* Blocks of one kernel: a dispatch. */
struct replay_group {
    enum qpel_operation operation;
    enum qpel_size size;
    int position;
    size_t first, count; /* in blocks */
};

struct replay {
    int width, height;
    unsigned slots;
    ptrdiff_t stride; /* of all planes */
    size_t src_size, dst_size;
    size_t calls_count;
    struct replay_call *calls; /* in decoding order */
    struct qpel_block *blocks; /* by group: all puts, then all avgs */
    size_t group_count;
    struct replay_group groups[QPEL_OPERATION_COUNT * QPEL_SIZE_COUNT * QPEL_POSITION_COUNT];
    uint64_t expected_dst, expected_tmp; /* the bytes' hashes: golden, or the first replay's */
    bool golden;
};

/* The smallest good stride for a width: a border on both sides, a multiple of 64, and no power of
 * two, with which rows would compete for the same cache sets. */
ptrdiff_t replay_stride(int width);

/* Lays a picture out. A stride of 0 means replay_stride(). False: out of memory, the stride is too
 * small or no multiple of 16, or the planes don't fit 32-bit offsets. */
bool replay_prepare(struct replay *replay, const struct trace *trace,
                    const struct trace_picture *picture, ptrdiff_t stride);
void replay_free(struct replay *replay);

/* Fills the references, src_size bytes. */
void replay_fill(const struct replay *replay, uint8_t *src);

/* Carries the calls out in decoding order, as a decoder would, on dst_size bytes. */
void replay_run(const struct replay *replay, const struct qpel_dsp *dsp, uint8_t *dst,
                const uint8_t *src);

/* The hashes of dst's picture and temporary (64-bit FNV-1a of the samples, row by row). */
void replay_hash(const struct replay *replay, const uint8_t *dst, uint64_t *hash_dst,
                 uint64_t *hash_tmp);

/* Whether dst has the expected bytes. */
bool replay_exact(const struct replay *replay, const uint8_t *dst);

/* "put" or "avg"; 16, 8 or 4. */
const char *operation_name(enum qpel_operation operation);
static inline int size_of(enum qpel_size size)
{
    return 16 >> size;
}

#endif
