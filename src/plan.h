/* A batch as the GPU carries it out: its units as items (picture_interface.h), gathered in chunks
 * of one kernel.
 *
 * Blocks are planned once, in the order in which they come, as soon as they are accepted: each
 * unit's item goes to the open chunk of its bucket, and a chunk that is full goes to the upload
 * memory as a whole, at its next place: that memory may be write-combined, and is written in order.
 * Before a submission the open chunks follow, and a list of all in the order of the dispatches. */
#ifndef QPEL_PLAN_H
#define QPEL_PLAN_H

#include "picture.h"
#include "picture_interface.h"
#include "positions.h"

/* References are read through one buffer a dispatch: those in one buffer are a source. One more is
 * the slots of those buffers that have no room for any of their own. */
enum { PLAN_SOURCE_MAX = 16, PLAN_SLOTS = PLAN_SOURCE_MAX, PLAN_SOURCES };

/* Pass 1: what is predicted from one reference without weights, to the target; and list 0 of all
 * that have two, to the scratch picture. Pass 2: list 1 of those, and one reference with weights.
 */
enum plan_pass { PLAN_PUT, PLAN_MIX, PLAN_PASSES };

/* Planar chroma of units 4 wide is half a word. Items in pairs, left and right: with a left one, or
 * with both; and with a right one alone, which must wait for left ones of the same words. */
enum plan_narrow { PLAN_LEFT, PLAN_RIGHT, PLAN_NARROW_COUNT };

/* Of a kernel: its families, and in each the heights of units, 4, 8 and 16 rows. */
enum { PLAN_HEIGHTS = 3, PLAN_KERNEL_BUCKETS = 2 * PLAN_HEIGHTS };

/* Luma's dispatches of a source and pass: of the first and the second family of each kernel, or one
 * a kernel. */
enum { PLAN_BY_FAMILY = 2 * KERNEL_COUNT, PLAN_BY_KERNEL = KERNEL_COUNT };

/* Of a source and pass: those of each kernel, and the narrow ones. */
enum {
    PLAN_LUMA_BUCKETS = KERNEL_COUNT * PLAN_KERNEL_BUCKETS,
    PLAN_PASS_BUCKETS = PLAN_LUMA_BUCKETS + PLAN_NARROW_COUNT,
    PLAN_EXTEND = PLAN_SOURCES * PLAN_PASSES * PLAN_PASS_BUCKETS, /* units with slots, in order */
    PLAN_BUCKETS
};

struct plan_item {
    uint32_t word[4]; /* picture_interface.h */
};

struct plan_chunk {
    struct plan_item items[QPEL_CHUNK_ITEMS];
};

/* A chunk that is being filled. Items are entered in twos, of which the second may not count. */
struct plan_open {
    struct plan_item items[QPEL_CHUNK_ITEMS + 1];
};

/* Work groups first..end-1 of the list, a chunk each. */
struct plan_run {
    uint32_t first, end;
};

/* What planning needs to know of a reference. */
struct plan_reference {
    int32_t top, right, bottom; /* of the samples that windows may reach: first row, last column
                                 * and row */
    uint32_t row;               /* in the shaders' table */
    uint16_t inside, outside;   /* first buckets of units whose windows are so */
    /* A block that begins so far inside these (right, bottom: less its sides) is inside at any
     * position. */
    int32_t all_top, all_right, all_bottom;
};

/* Of blocks 4 wide, planar: a left half whose right one may come next. */
struct plan_pending {
    struct qpel_picture_block block;
    unsigned count; /* passes that it has items of; 0: none is pending */
    struct plan_half {
        unsigned bucket; /* of its source and pass: the first one */
        struct plan_item item;
    } half[2];
};

/* By position: the window around a block of 0 x 0. */
struct plan_rule {
    int32_t left, top, right, bottom;
};

struct plan {
    struct plan_rule rule[QPEL_POSITION_COUNT];
    uint32_t bucket[QPEL_POSITION_COUNT]; /* the family's first, of a source and pass */
    unsigned runs;                        /* PLAN_BY_FAMILY or PLAN_BY_KERNEL */

    /* Where full chunks go, and how many have room; set by the caller. */
    struct plan_chunk *out;
    uint32_t room;

    size_t blocks, references; /* of the batch, that are planned */
    uint32_t chunks;           /* that were full and are written */
    bool overflow;             /* there was no room: the plan is void */
    bool narrow;               /* planar chroma of half the columns */
    bool bi, weighted;         /* there are units that are */
    uint32_t slots;
    struct plan_pending pending;
    struct plan_reference reference[QPEL_REFERENCE_MAX];
    uint32_t count[PLAN_BUCKETS]; /* items in the open chunk */
    uint32_t last[PLAN_BUCKETS];  /* 1 + place of the last chunk that was full; 0: none */
    struct plan_open *open;       /* by bucket */
    uint32_t *earlier;            /* by place: `last` before that chunk */
    uint32_t earlier_room;

    /* Of qpel_plan_finish(). */
    uint32_t groups;
    struct plan_run luma[PLAN_PASSES][PLAN_SOURCES][PLAN_BY_FAMILY]; /* `runs` of these */
    struct plan_run narrow_run[PLAN_PASSES][PLAN_SOURCES][PLAN_NARROW_COUNT];
    struct plan_run extend;
};

/* Makes a zeroed plan usable. runs: PLAN_BY_FAMILY or PLAN_BY_KERNEL. NOMEM. */
enum qpel_result qpel_plan_open(struct plan *plan, unsigned runs);
void qpel_plan_reset(struct plan *plan, const struct qpel_picture *target);
/* Sets where chunks go; for a plan that has none yet. NOMEM. */
enum qpel_result qpel_plan_place(struct plan *plan, void *memory, uint32_t room);
void qpel_plan_close(struct plan *plan);

/* The batch's next reference. source: below PLAN_SOURCE_MAX. own_slots: its buffer has room for
 * slots. */
void qpel_plan_reference(struct plan *plan, const struct reference *reference, unsigned source,
                         bool own_slots, enum chunk_behind behind);

/* Plans the blocks that are new, whose references are known. */
void qpel_plan_add(struct plan *plan, const struct qpel_batch *batch);

/* Chunks that qpel_plan_finish() would have in all, at most. */
uint32_t qpel_plan_most_chunks(const struct plan *plan);
/* Writes the open chunks behind the others, and the list of work groups: rows of 16 bytes where
 * their chunks begin. Changes nothing of the plan but what it tells; blocks may still come. */
void qpel_plan_finish(struct plan *plan, uint32_t *groups);

#endif
