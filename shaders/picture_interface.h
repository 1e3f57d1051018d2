/* What host and shaders agree on for the picture door; included by C and by GLSL.
 *
 * A unit is 8x8 luma samples of a block, in rows of the block's parity, or the part of them that a
 * smaller block has. An item describes a unit: 16 bytes. */
#ifndef QPEL_PICTURE_INTERFACE_H
#define QPEL_PICTURE_INTERFACE_H

#define QPEL_UNIT 8 /* samples, columns and rows */

/* Word 0 of an item: where the unit is and how large. */
#define QPEL_ITEM_X_SHIFT      0          /* 12 bits: column / 4 */
#define QPEL_ITEM_Y_SHIFT      12         /* 12 bits: row / 4, in rows of the parity */
#define QPEL_ITEM_PARITY_SHIFT 24         /* 2 bits: enum qpel_parity */
#define QPEL_ITEM_WIDE         (1u << 26) /* 8 columns, else 4 */
#define QPEL_ITEM_TALL         (1u << 27) /* 8 rows, else 4 */
#define QPEL_ITEM_BI           (1u << 28) /* two references */
#define QPEL_ITEM_PLACE_MASK   0xfffu

/* Word 1: the vector that this pass follows, x in the low half and y in the high one, quarter
 * samples. Word 2: the other list's, in pass B of a unit with two references. */

/* Word 3: references and weights. */
#define QPEL_ITEM_REFERENCE_SHIFT 0  /* 8 bits: of word 1's vector */
#define QPEL_ITEM_OTHER_SHIFT     8  /* 8 bits: of word 2's */
#define QPEL_ITEM_WEIGHT_SHIFT    16 /* 16 bits: 0 default */

/* A window that leaves its reference is copied to a slot, with clamped coordinates: columns and
 * rows from -2 of the unit's sample G on. */
#define QPEL_SLOT_STRIDE 16
#define QPEL_SLOT_ROWS   13
#define QPEL_SLOT_SIZE   256

/* Sets, one storage buffer (binding 0) each, as in interface.h. */
#define QPEL_PICTURE_SET_UPLOAD  0 /* sections of 16-byte rows: references, weights, items, slots */
#define QPEL_PICTURE_SET_SRC     1
#define QPEL_PICTURE_SET_DST     2 /* extend: the same buffer as src */
#define QPEL_PICTURE_SET_SCRATCH 3 /* list 0 of units with two references, where dst has luma */

/* A reference: three rows, one a component. Rows of its parity. */
#define QPEL_REFERENCE_ROWS   3
#define QPEL_REFERENCE_BASE   x /* bytes in src */
#define QPEL_REFERENCE_STRIDE y
#define QPEL_REFERENCE_WIDTH  z
#define QPEL_REFERENCE_HEIGHT w

/* Weights: three rows, one a component: w0, w1, o0 | o1 << 16, logWD or QPEL_WEIGHT_DEFAULT. */
#define QPEL_WEIGHT_ROWS    3
#define QPEL_WEIGHT_DEFAULT 255u

/* How a unit's samples reach dst. */
#define QPEL_SPEC_STEP 0
#define QPEL_STEP_PUT  0 /* as predicted: list A into the scratch plane, or a batch with nothing else */
#define QPEL_STEP_MEAN 1 /* those with two references averaged with the scratch plane */
#define QPEL_STEP_WEIGH 2 /* weights, too */

/* Chroma's shape. */
#define QPEL_SPEC_INTERLEAVED 1 /* bool */
#define QPEL_SPEC_CHROMA_422  2 /* bool: as many rows as luma */
#define QPEL_SPEC_NARROW      3 /* which units, of planar chroma: */
#define QPEL_NARROW_NOT   0 /* 4 samples wide, a word; and interleaved ones */
#define QPEL_NARROW_PAIR  1 /* two units side by side, 2 samples wide each: items i and i + 1 of a list of their own */
#define QPEL_NARROW_ALONE 2 /* such a unit whose neighbour is elsewhere: half a word */

/* Push constants. Indices of rows in the upload buffer are in units of 16 bytes. */
#define QPEL_PICTURE_PUSH_CONSTANTS(X)                                                             \
    X(uint, first_item)    /* of this dispatch */                                                  \
    X(uint, end_item)                                                                              \
    X(uint, outside_first) /* items from here on are read from slots */                            \
    X(uint, slot_shift)    /* added to an item's index: its slot */                                \
    X(uint, slots_base)    /* bytes in src to slot 0 */                                            \
    X(uint, references)    /* row of the first reference */                                        \
    X(uint, weights)       /* row of the first weights */                                          \
    X(uint, items)         /* row of item 0 */                                                     \
    X(uint, slots)         /* extend: word index of slot 0's item index */                         \
    X(uint, component)     /* luma's shaders: 0, or 1, 2 of 4:4:4 */                                \
    X(uint, dst_base)      /* bytes in dst to the component, or Cb, or CbCr */                     \
    X(uint, dst_base_cr)   /* planar chroma: to Cr */                                              \
    X(uint, dst_stride)                                                                            \
    X(uint, scratch_base)  /* bytes in the scratch buffer less dst_base */

#endif
