/* Checks of functions of the dsp door, for the library's and for deliberately broken ones. */
#ifndef TESTS_DSP_CHECK_H
#define TESTS_DSP_CHECK_H

#include <stdbool.h>

#include "kernels.h"
#include "random.h"

/* A function that claims to be a kernel. */
struct candidate {
    const char *name;
    qpel_mc_fn *function;
};

/* Each returns -1, or the number of the first candidate that failed, having said how. */

/* At least `blocks` blocks of hostile data of every kind, dst and src of any alignment, strides of
 * both signs, odd ones too, and narrower than the window; dst amid bytes that must stay. */
int check_blocks(struct kernel k, const struct candidate *candidates, int count, int blocks,
                 struct random *r);

/* Every alignment of dst by every alignment of src, 0..15, at a stride; where QPEL_TEST_SLOW is
 * set, every one of either. */
int check_alignments(struct kernel k, const struct candidate *candidates, int count,
                     ptrdiff_t stride, struct random *r);

/* Every row of src's window and of dst lies between forbidden pages of its own, with the first
 * column directly after one or the last directly before one; both ways of a cross; strides of
 * both signs. */
int check_pages(struct kernel k, const struct candidate *candidates, int count, struct random *r);

#endif
