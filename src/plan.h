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
    size_t items; /* both lists */
    size_t slots;
    size_t list_first[PLAN_LIST_COUNT + 1];
    struct plan_range range[PLAN_LIST_COUNT][PLAN_SOURCE_MAX][FAMILY_COUNT];
    bool bi, weighted; /* the batch has units that are */

    uint16_t *keys; /* per block, kept from batch to batch */
    size_t key_room;
};

/* Counts. source: each reference's, below PLAN_SOURCE_MAX. QPEL_OK, NOMEM. */
enum qpel_result plan_count(struct plan *plan, const struct qpel_batch *batch,
                            const uint8_t source[QPEL_REFERENCE_MAX]);

/* Writes the items, in order and once, after plan_count(); and the item that each slot is for. */
void plan_write(struct plan *plan, const struct qpel_batch *batch, struct plan_item *items,
                uint32_t *slots);

void plan_free(struct plan *plan);

#endif
