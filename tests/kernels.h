/* What there is to test: the kernels, and the CPU's layers. */
#ifndef TESTS_KERNELS_H
#define TESTS_KERNELS_H

#include <qpel/dsp.h>

struct kernel {
    enum qpel_operation operation;
    enum qpel_size size;
    int position;
};

#define KERNEL_COUNT (QPEL_OPERATION_COUNT * QPEL_SIZE_COUNT * QPEL_POSITION_COUNT)

/* 0 .. KERNEL_COUNT - 1 */
struct kernel kernel_of(int index);

/* Samples of the block's side. */
int kernel_width(struct kernel k);

/* "put 8x8 mc22" */
#define KERNEL_NAME_SIZE 32
const char *kernel_name(struct kernel k, char name[KERNEL_NAME_SIZE]);

/* A CPU layer by the mask that chooses it. */
struct cpu_layer {
    unsigned mask;
    const char *name;
    struct qpel_dsp dsp;
};

/* The layers that this machine runs, weakest first, each table once. At most `room`. */
#define CPU_LAYERS_MAX 16
int cpu_layers(struct cpu_layer layers[CPU_LAYERS_MAX]);

qpel_mc_fn *layer_function(const struct cpu_layer *layer, struct kernel k);

/* What a block of w x w samples should become: dst as it is after the operation on sample G at
 * `src`. The oracle computes it, sample by sample, from planes in memory. */
void expected_block(struct kernel k, uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src,
                    ptrdiff_t src_stride);

#endif
