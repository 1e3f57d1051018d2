/* What host and shaders agree on for the picture door; included by C and by GLSL.
 *
 * A unit is 8 columns by 4, 8 or 16 rows of a block's luma samples, in rows of the block's parity,
 * or the left half of that where the block is 4 wide. An item describes a unit and one of its
 * references: 16 bytes. A chunk is the items of a work group; two lanes are an item's. */
#ifndef QPEL_PICTURE_INTERFACE_H
#define QPEL_PICTURE_INTERFACE_H

#define QPEL_UNIT_COLUMNS 8
#define QPEL_UNIT_ROWS    16 /* at most */
#define QPEL_CHUNK_ITEMS  32

/* Word 0 of an item: where the unit is, and what it is. */
#define QPEL_ITEM_X_MASK     0x3ffcu    /* its first column */
#define QPEL_ITEM_NARROW     (1u << 0)  /* 4 columns */
#define QPEL_ITEM_NONE       (1u << 1)  /* no item: fills a chunk up */
#define QPEL_ITEM_FIRST      (1u << 14) /* list 0 of two: goes to the scratch picture */
#define QPEL_ITEM_TO_DST     (1u << 15) /* all others */
#define QPEL_ITEM_FIELD      (1u << 16) /* its rows are those of a field */
#define QPEL_ITEM_SECOND     (1u << 17) /* list 1 of two: the scratch picture has list 0 */
#define QPEL_ITEM_LINE_SHIFT 18         /* 14 bits: its first row, of the frame */

/* Word 1: the vector, x in the low half and y in the high one, quarter samples. */

/* Word 2: tables. */
#define QPEL_ITEM_REFERENCE_MASK 0x1ffu /* the reference's first row in its table */
#define QPEL_ITEM_WEIGHT_SHIFT   9      /* 16 bits: 0 default */
#define QPEL_ITEM_ROWS_SHIFT     25     /* 4, 8 or 16 */

/* Word 3: 0; or 1 + the slot that the unit's window is copied to, since it leaves its reference. */

/* A slot: a window of luma with clamped coordinates, columns and rows from -2 of the unit's first
 * whole sample on, and behind it that of chroma from 0 on: interleaved; or Cb, and Cr beside it. */
#define QPEL_SLOT_STRIDE      16
#define QPEL_SLOT_ABOVE       2 /* rows, and columns */
#define QPEL_SLOT_LUMA_ROWS   (QPEL_UNIT_ROWS + 5)
#define QPEL_SLOT_CHROMA_ROWS (QPEL_UNIT_ROWS + 1)
#define QPEL_SLOT_CHROMA      (QPEL_SLOT_LUMA_ROWS * QPEL_SLOT_STRIDE)
#define QPEL_SLOT_CR          8 /* planar: bytes from Cb to Cr */
#define QPEL_SLOT_SIZE        (QPEL_SLOT_CHROMA + QPEL_SLOT_CHROMA_ROWS * QPEL_SLOT_STRIDE)
/* Lanes of a slot, one a row; 4:2:2 has more rows. */
#define QPEL_SLOT_LANES(chroma_422) ((chroma_422) ? 64 : 32)

/* Sets, one storage buffer (binding 0) each, as in interface.h. */
#define QPEL_PICTURE_SET_UPLOAD  0 /* chunks, tables: rows of 16 bytes; the list of work groups */
#define QPEL_PICTURE_SET_SRC     1
#define QPEL_PICTURE_SET_DST     2 /* extend: where the slots are */
#define QPEL_PICTURE_SET_SCRATCH 3 /* pass 2: where the scratch picture is */
#define QPEL_PICTURE_SETS        4

/* A reference: a row a component (of interleaved chroma one for both), of its parity. */
#define QPEL_REFERENCE_ROWS   3
#define QPEL_REFERENCE_BASE   x /* bytes in its buffer */
#define QPEL_REFERENCE_STRIDE y
#define QPEL_REFERENCE_EXTENT z /* samples: width in the low half, height in the high one */
#define QPEL_REFERENCE_TAG    w /* its parity, and from bit 2 on which source (plan.h) it is in */
#define QPEL_TAG_PARITY_MASK  3u
#define QPEL_TAG_SOURCE_SHIFT 2

/* Weights: for one reference and for two, a row a component; of index 0, default weighting.
 *
 * A sum a w0 + b w1 spans at most 255 (|w0| + |w1|), so a bias makes it 0..65535 for two samples
 * in a word: a multiple of 2^shift, enough to make the least sum positive when it is rounded.
 * What is left of that bias after the shift goes with the offset. */
#define QPEL_WEIGHT_ROWS         3
#define QPEL_WEIGHT_A            x /* list 0's factor; of one reference 0 */
#define QPEL_WEIGHT_B            y /* list 1's; or the only one */
#define QPEL_WEIGHT_BIAS         z /* and what rounds, in both halves of the word */
#define QPEL_WEIGHT_SHIFT_OFFSET w /* low half: 0..8; high half: what makes 0x8000 of 0 */

/* Chroma's shape, of all shaders that have to do with it. */
#define QPEL_SPEC_INTERLEAVED 0 /* bool */
#define QPEL_SPEC_CHROMA_422  1 /* bool: as many rows as luma */

/* How a unit's samples reach dst. */
#define QPEL_SPEC_STEP  2
#define QPEL_STEP_PUT   0 /* pass 1: as predicted */
#define QPEL_STEP_MEAN  1 /* pass 2: averaged with list 0 */
#define QPEL_STEP_WEIGH 2 /* the same of a batch that has weights, of one reference or two */
#define QPEL_STEP_COUNT 3

/* Bool: lanes leave early that are idle, or whose item is not for this dispatch. Otherwise all
 * items are, and idle lanes follow the others and write where it does not matter, which is
 * cheaper. */
#define QPEL_SPEC_PICKY 3

/* Luma: units of both of the kernel's families, or of one. */
#define QPEL_SPEC_FAMILIES   4
#define QPEL_FAMILIES_BOTH   0
#define QPEL_FAMILIES_FIRST  1
#define QPEL_FAMILIES_SECOND 2

/* Chroma: bool: rows in a loop, as luma's are where they are wide. */
#define QPEL_SPEC_LOOPED 5

/* Units are no higher. For those who ask what lower ones cost: what those skip is left out. */
#define QPEL_SPEC_MOST_ROWS 6

/* Extend. */
#define QPEL_SPEC_CHROMA 2 /* bool: chroma's windows, too */
#define QPEL_SPEC_TINY   3 /* bool: references may be narrower than a word */

/* Push constants. Rows of the upload buffer are 16 bytes. Offsets wrap modulo 2^32. */
#define QPEL_PICTURE_PUSH_CONSTANTS(X)                                                             \
    X(uint, groups)      /* the first work group's word: the row of its chunk */                   \
    X(uint, references)  /* row of the first reference */                                          \
    X(uint, weights)     /* row of the first weights */                                            \
    X(uint, component)   /* luma and extend: 0, or 1, 2 of 4:4:4 */                                \
    X(uint, dst_base)    /* bytes in dst to the component, or Cb, or CbCr */                       \
    X(uint, dst_base_cr) /* planar chroma: to Cr */                                                \
    X(uint, dst_stride)                                                                            \
    X(uint, scratch_base) /* bytes from a sample in the target to that of the scratch picture */   \
    X(uint, idle_base)    /* bytes in dst to a word a lane that is nobody's */                     \
    X(uint, slots_base)   /* bytes to the slot of word 3 = 0, if there were one */                 \
    X(uint, first_slot)   /* picky: of items for this dispatch, the first word 3; extend: slot */  \
    X(uint, slot_count)   /* and how many from there on; extend: end of slots */                   \
    X(uint, reject)       /* picky: flags of items that are not for this dispatch */               \
    X(uint, source)       /* extend: that of the references in src */

#endif
