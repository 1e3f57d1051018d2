#include <qpel/dsp.h>

#include "cpu/kernels.h"

enum qpel_result qpel_dsp_init(struct qpel_dsp *dsp, int bit_depth, unsigned cpu_mask)
{
    /* bit_depth_luma_minus8 is 0..6 (7.4.2.1.1). */
    if (!dsp || bit_depth < 8 || bit_depth > 14)
        return QPEL_ERROR_INVALID;
    if (bit_depth != 8)
        return QPEL_ERROR_UNSUPPORTED;

    struct qpel_cpu_tables tables;

    qpel_cpu_tables_init(&tables, cpu_mask);
    *dsp = tables.dsp;
    return QPEL_OK;
}
