#include "kernels.h"

#include "blocks.h"
#include "cpu.h"
#include "layer.h"

/* The layers of this build, weakest first: each overwrites what it does better.
 * The build defines QPEL_LAYER_... for those that it compiles. */
static const struct layer {
    const char *name;
    unsigned features; /* all are needed */
    qpel_layer_fn *fill;
    /* Null: the weaker layer's. */
    qpel_chroma_fn *chroma;
    qpel_weight_fn *weight;
} layers[] = {
    { "c", 0, qpel_layer_c, qpel_chroma_c, qpel_weight_c },
#ifdef QPEL_LAYER_NEON
    { "neon", QPEL_CPU_NEON, qpel_layer_neon, qpel_chroma_neon, qpel_weight_neon },
#endif
#ifdef QPEL_LAYER_X86
    { "ssse3", QPEL_CPU_SSSE3, qpel_layer_ssse3, qpel_chroma_ssse3, qpel_weight_ssse3 },
    { "avx2", QPEL_CPU_AVX2, qpel_layer_avx2, NULL, NULL },
#endif
};

#define LAYER_COUNT (sizeof(layers) / sizeof(layers[0]))

static int allowed(const struct layer *layer, unsigned features)
{
    return (layer->features & features) == layer->features;
}

void qpel_cpu_tables_init(struct qpel_cpu_tables *tables, unsigned cpu_mask)
{
    const unsigned features = qpel_cpu_features() & cpu_mask;

    for (size_t i = 0; i < LAYER_COUNT; i++) {
        if (!allowed(&layers[i], features))
            continue;
        layers[i].fill(tables);
        if (layers[i].chroma)
            tables->kernels.chroma = layers[i].chroma;
        if (layers[i].weight)
            tables->kernels.weight = layers[i].weight;
    }
}

void qpel_kernels_init(struct qpel_kernels *kernels, unsigned cpu_mask)
{
    struct qpel_cpu_tables tables;

    qpel_cpu_tables_init(&tables, cpu_mask);
    *kernels = tables.kernels;
}

const char *qpel_dsp_layer(unsigned cpu_mask)
{
    const unsigned features = qpel_cpu_features() & cpu_mask;
    size_t best = 0;

    for (size_t i = 1; i < LAYER_COUNT; i++)
        if (allowed(&layers[i], features))
            best = i;
    return layers[best].name;
}
