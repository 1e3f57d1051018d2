/* A batch as the GPU carries it out: units in the order of their kernels. */
#ifndef QPEL_PLAN_H
#define QPEL_PLAN_H

#include "picture.h"
#include "picture_interface.h"
#include "positions.h"

/* References are read through one buffer a dispatch: those in one buffer are a source. */
enum { PLAN_SOURCE_MAX = 16 };

/* List A: the first list of units with two references. List B: their second list, and
 * all units with one. */
enum plan_list { PLAN_A, PLAN_B, PLAN_LIST_COUNT };

/* Units of list B once more: those of planar chroma with half a word of their own, which chroma's
 * shader makes in pairs; or left halves first, and then right ones. */
enum plan_narrow { PLAN_PAIR, PLAN_LEFT, PLAN_RIGHT, PLAN_NARROW_COUNT };

struct plan_item {
    uint32_t word[4]; /* picture_interface.h */
};

/* The units of one source and kernel, inside ones first. */
struct plan_range {
    uint32_t first;   /* of all items */
    uint32_t inside;  /* units whose window lies inside the reference */
    uint32_t outside; /* and those that follow, whose window does not */
    uint32_t slot;    /* of the first outside unit */
};

struct plan {
    /* Set by the caller. */
    unsigned sources;
    uint8_t source[QPEL_REFERENCE_MAX]; /* each reference's, below `sources` */

    uint32_t items; /* all lists' */
    uint32_t slots;
    struct plan_range range[PLAN_LIST_COUNT][PLAN_SOURCE_MAX][KERNEL_COUNT];
    /* Where a list's items and slots of a source begin; those of the next one follow. */
    uint32_t item_first[PLAN_LIST_COUNT][PLAN_SOURCE_MAX + 1];
    uint32_t slot_first[PLAN_LIST_COUNT][PLAN_SOURCE_MAX + 1];
    uint32_t narrow_first[PLAN_NARROW_COUNT + 1];
    bool bi, weighted; /* the batch has units that are */

    uint16_t *entries; /* two a block, kept from batch to batch */
    size_t entry_room; /* blocks */
};

/* Counts. QPEL_OK, NOMEM. */
enum qpel_result qpel_plan_count(struct plan *plan, const struct qpel_batch *batch);

/* Writes the items, each once, after qpel_plan_count(); and the item that each slot is for. */
void qpel_plan_write(const struct plan *plan, const struct qpel_batch *batch,
                     struct plan_item *items, uint32_t *slots);

void qpel_plan_free(struct plan *plan);

#endif
