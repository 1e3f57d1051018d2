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

#endif
