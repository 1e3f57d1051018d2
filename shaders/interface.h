/* What host and shaders agree on, for both: included by C and by GLSL.
 * Sets, one storage buffer (binding 0) each, so that every buffer brings its own
 * descriptor set, written once:
 *
 *   set 0  blocks: pairs of byte offsets (dst, src), relative to the planes' bases
 *   set 1  src, read as 32-bit words
 *   set 2  dst, written (avg: and read) as whole 32-bit words
 *
 * Specialization constants pick the block size, the operation and a faster way of reading. */
#ifndef QPEL_SHADER_INTERFACE_H
#define QPEL_SHADER_INTERFACE_H

#define QPEL_SET_BLOCKS 0
#define QPEL_SET_SRC    1
#define QPEL_SET_DST    2

#define QPEL_SPEC_SIZE      0 /* block width and height: 16, 8 or 4 */
#define QPEL_SPEC_OPERATION 1 /* enum qpel_operation: 0 put, 1 avg */
#define QPEL_SPEC_ALIGNED   2 /* 1: src_stride is a multiple of 4, which is faster; 0: any */

/* Invocations of a work group; flat, since a 2-D index costs V3D some 45 instructions. */
#define QPEL_GROUP_LANES 64

/* Columns of the strip that a lane makes: one word of dst. */
#define QPEL_STRIP_COLUMNS 4

/* Rows of the strip, by block size. */
#define QPEL_STRIP_ROWS(size) ((size) < 8 ? 4 : 8)

#define QPEL_LANES_PER_BLOCK(size) ((size) / QPEL_STRIP_COLUMNS * ((size) / QPEL_STRIP_ROWS(size)))

/* Push constants, in this order, 4 bytes each. Offsets wrap modulo 2^32.
 * A lane is first_lane plus the invocation's global index; lanes from end_lane
 * on do nothing. dx, dy: the family's parameters, see positions.h. */
#define QPEL_PUSH_CONSTANTS(X)                                                                     \
    X(uint, first_lane)                                                                            \
    X(uint, end_lane)                                                                              \
    X(uint, src_base) /* bytes from the buffer's start to the plane's offset 0 */                  \
    X(uint, dst_base) /* the same; a multiple of 4 */                                              \
    X(int, src_stride)                                                                             \
    X(int, dst_stride) /* a multiple of 4 */                                                       \
    X(int, dx)         /* 0 or 1: plane B's column offset */                                       \
    X(int, dy)         /* 0 or 1: plane A's or B's row offset */

#endif
