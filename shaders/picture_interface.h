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
 * samples. Word 2: the other list's, in list B of a unit with two references. */

/* Word 3: references and weights. */
#define QPEL_ITEM_REFERENCE_SHIFT 0  /* 8 bits: of word 1's vector */
#define QPEL_ITEM_OTHER_SHIFT     8  /* 8 bits: of word 2's; with one reference the same again */
#define QPEL_ITEM_WEIGHT_SHIFT    16 /* 16 bits: 0 default */

/* A window that leaves its reference is copied to a slot, with clamped coordinates: columns and
 * rows from -2 of the unit's sample G on. */
#define QPEL_SLOT_STRIDE 16
#define QPEL_SLOT_ROWS   13
#define QPEL_SLOT_SIZE   256

/* Sets, one storage buffer (binding 0) each, as in interface.h. */
#define QPEL_PICTURE_SET_UPLOAD                                                                    \
    0 /* sections of 16-byte rows: references, weights, items, slots                               \
       */
#define QPEL_PICTURE_SET_SRC 1
#define QPEL_PICTURE_SET_DST 2 /* extend: the same buffer as src */
/* Luma, list B: list 0 of units with two references, where dst has its samples. Chroma: what the
 * other reference lies in. */
#define QPEL_PICTURE_SET_OTHER 3
#define QPEL_PICTURE_SETS      4

/* A reference: a row a component (of interleaved chroma one for both), of its parity. */
#define QPEL_REFERENCE_ROWS   3
#define QPEL_REFERENCE_BASE   x /* bytes in its buffer */
#define QPEL_REFERENCE_STRIDE y
#define QPEL_REFERENCE_EXTENT z /* samples: width in the low half, height in the high one */
#define QPEL_REFERENCE_TAG    w /* its parity, and from bit 2 on which source (plan.h) it is in */
#define QPEL_TAG_PARITY_MASK  3u
#define QPEL_TAG_SOURCE_SHIFT 2

/* Weights: three rows, one a component: w0, w1, o0 | o1 << 16, logWD or QPEL_WEIGHT_DEFAULT. */
#define QPEL_WEIGHT_ROWS    3
#define QPEL_WEIGHT_DEFAULT 255u

/* How a unit's samples reach dst. */
#define QPEL_SPEC_STEP  0
#define QPEL_STEP_PUT   0 /* as predicted: list A, or a batch that has nothing else */
#define QPEL_STEP_MEAN  1 /* those with two references averaged */
#define QPEL_STEP_WEIGH 2 /* weights, too */
#define QPEL_STEP_COUNT 3

/* Chroma's shape. */
#define QPEL_SPEC_INTERLEAVED 1 /* bool */
#define QPEL_SPEC_CHROMA_422  2 /* bool: as many rows as luma */
/* Which units, of planar chroma that is 4 samples wide where luma is 8: */
#define QPEL_SPEC_NARROW  3
#define QPEL_NARROW_NOT   0 /* a word or more wide; and all of interleaved chroma */
#define QPEL_NARROW_PAIR  1 /* half a word; items 2 i and 2 i + 1 are side by side in one word */
#define QPEL_NARROW_ALONE 2 /* half a word, whose other half is elsewhere or nobody's */
#define QPEL_NARROW_COUNT 3

/* Push constants. Rows of the upload buffer are 16 bytes. Offsets wrap modulo 2^32. */
#define QPEL_PICTURE_PUSH_CONSTANTS(X)                                                             \
    X(uint, first_item) /* of this dispatch; extend: slots */                                      \
    X(uint, end_item)                                                                              \
    X(uint, outside_first) /* items from here on are read from slots */                            \
    X(uint, slot_shift)    /* added to an item's index (extend: a slot's): its place */            \
    X(uint, slots_base)    /* bytes in src to the place of slots */                                \
    X(uint, references)    /* row of the first reference */                                        \
    X(uint, weights)       /* row of the first weights */                                          \
    X(uint, items)         /* row of item 0 */                                                     \
    X(uint, slots)         /* extend: word of slot 0's item index */                               \
    X(uint, component)     /* luma and extend: 0, or 1, 2 of 4:4:4 */                              \
    X(uint, sources)       /* chroma: of the units made: reference's | other's << 16 */            \
    X(uint, dst_base)      /* bytes in dst to the component, or Cb, or CbCr */                     \
    X(uint, dst_base_cr)   /* planar chroma: to Cr */                                              \
    X(uint, dst_stride)                                                                            \
    X(uint, other_base) /* luma: bytes in the other buffer less those in dst */

#endif
