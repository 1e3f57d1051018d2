/* In a file of its own, so that nothing of it is inlined or moved. */
#include <qpel/dsp.h>

void measured(qpel_mc_fn *function, uint8_t *dst, const uint8_t *src, ptrdiff_t stride);

void measured(qpel_mc_fn *function, uint8_t *dst, const uint8_t *src, ptrdiff_t stride)
{
    function(dst, src, stride);
    __asm__ volatile("" ::: "memory"); /* the call above is not the last thing done */
}
