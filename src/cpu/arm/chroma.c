/* Chroma (8.4.2.2.2) with NEON: widening multiply-adds of at most 64 * 255. */
#include "../blocks.h"
#include "eight.h"

typedef uint8x8_t eight;

struct filter {
    enum neighbours neighbours; /* a constant */
    int step;
    uint8x8_t a, b, c, d; /* weights of a sample, its right one, and of those below */
};

typedef struct {
    uint8x8_t here, right;
} row;

QPEL_INLINE row enter(const uint8_t *src, ptrdiff_t stride, int width, struct filter f)
{
    row r = { .here = load_eight(src, stride, width) };

    r.right = f.neighbours == BELOW ? r.here : load_eight(src + f.step, stride, width);
    return r;
}

QPEL_INLINE eight filtered(row above, row below, struct filter f)
{
    uint16x8_t sum = vmull_u8(above.here, f.a);

    if (f.neighbours != BELOW)
        sum = vmlal_u8(sum, above.right, f.b);
    if (f.neighbours != RIGHT)
        sum = vmlal_u8(sum, below.here, f.c);
    if (f.neighbours == BOTH)
        sum = vmlal_u8(sum, below.right, f.d);
    return vrshrn_n_u16(sum, 6);
}

QPEL_INLINE void finish(uint8_t *dst, ptrdiff_t stride, int width, eight samples,
                        enum qpel_operation operation)
{
    if (operation == QPEL_AVG)
        samples = vrhadd_u8(samples, load_eight(dst, stride, width));
    store_eight(dst, stride, width, samples);
}

static struct filter filter_of(int x_frac, int y_frac, int step)
{
    const int left = 8 - x_frac, upper = 8 - y_frac;

    return (struct filter){
        .step = step,
        .a = vdup_n_u8((uint8_t)(left * upper)),
        .b = vdup_n_u8((uint8_t)(x_frac * upper)),
        .c = vdup_n_u8((uint8_t)(left * y_frac)),
        .d = vdup_n_u8((uint8_t)(x_frac * y_frac)),
    };
}

#include "../chroma_rows.h"

QPEL_CHROMA(qpel_chroma_neon)
