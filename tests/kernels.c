#include "kernels.h"

#include <stdio.h>
#include <string.h>

#include "oracle.h"

struct kernel kernel_of(int index)
{
    return (struct kernel){
        .operation = (enum qpel_operation)(index / (QPEL_SIZE_COUNT * QPEL_POSITION_COUNT)),
        .size = (enum qpel_size)(index / QPEL_POSITION_COUNT % QPEL_SIZE_COUNT),
        .position = index % QPEL_POSITION_COUNT,
    };
}

int kernel_width(struct kernel k)
{
    return k.size == QPEL_SIZE_16 ? 16 : k.size == QPEL_SIZE_8 ? 8 : 4;
}

const char *kernel_name(struct kernel k, char name[KERNEL_NAME_SIZE])
{
    int width = kernel_width(k);

    snprintf(name, KERNEL_NAME_SIZE, "%s %dx%d mc%d%d", k.operation == QPEL_PUT ? "put" : "avg",
             width, width, k.position % 4, k.position / 4);
    return name;
}

static int known(const struct cpu_layer *layers, int count, const struct qpel_dsp *dsp)
{
    for (int i = 0; i < count; i++)
        if (!memcmp(&layers[i].dsp, dsp, sizeof *dsp))
            return 1;
    return 0;
}

static int add(struct cpu_layer *layers, int count, unsigned mask)
{
    struct qpel_dsp dsp;

    if (count == CPU_LAYERS_MAX || qpel_dsp_init(&dsp, 8, mask) != QPEL_OK ||
        known(layers, count, &dsp))
        return count;
    layers[count] = (struct cpu_layer){ mask, qpel_dsp_layer(mask), dsp };
    return count + 1;
}

int cpu_layers(struct cpu_layer layers[CPU_LAYERS_MAX])
{
    int count = add(layers, 0, QPEL_CPU_NONE);

    /* Whatever the features' bits are: each alone, and each with all below it. */
    for (int bit = 0; bit < 32; bit++) {
        count = add(layers, count, 1u << bit);
        count = add(layers, count, (2u << bit) - 1);
    }
    return add(layers, count, QPEL_CPU_ALL);
}

qpel_mc_fn *layer_function(const struct cpu_layer *layer, struct kernel k)
{
    return k.operation == QPEL_PUT ? layer->dsp.put[k.size][k.position]
                                   : layer->dsp.avg[k.size][k.position];
}

void expected_block(struct kernel k, uint8_t *dst, ptrdiff_t dst_stride, const uint8_t *src,
                    ptrdiff_t src_stride)
{
    struct oracle_plane plane = { .origin = src, .stride = src_stride };
    int width = kernel_width(k);

    for (int y = 0; y < width; y++)
        for (int x = 0; x < width; x++) {
            uint8_t *d = dst + y * dst_stride + x;
            int p = oracle_luma(oracle_direct, &plane, x, y, k.position % 4, k.position / 4, 8);
            *d = (uint8_t)(k.operation == QPEL_PUT ? p : oracle_average(*d, p));
        }
}
