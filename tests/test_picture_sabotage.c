/* The comparison that the picture door's tests go through, on a second implementation that is
 * broken on purpose: each fault must be seen. */
#include <stdlib.h>
#include <string.h>

#include "guard.h"
#include "harness.h"
#include "oracle.h"
#include "picture_case.h"

/* What is wrong. Each names the smallest fault of its kind. */
enum fault {
    NO_FAULT,
    WEIGHT_ONE_ROUNDED_DOWN,
    WEIGHT_TWO_ROUNDED_DOWN,
    OFFSETS_ROUNDED_DOWN,
    WEIGHT_OF_A_BYTE, /* 128 is -128 */
    SUM_OF_16_BITS,   /* of two weighted samples, saturated */
    OFFSET_SCALED,    /* added before the shift */
    WEIGHTS_SWAPPED,
    WEIGHTS_OF_LUMA, /* for chroma too */
    WEIGHTS_OF_ALL,  /* a plane is weighted though its bit is clear */
    AVERAGE_DOWN,
    SECOND_FORGOTTEN,
    NO_PARITY_OFFSET,
    PARITY_OFFSET_REVERSED,
    PARITY_OFFSET_EVERYWHERE, /* in 4:2:2 too */
    NO_CLAMP,                 /* outside is black */
    CLAMP_EARLY,              /* one column short */
    CLAMP_OF_FRAME,           /* a field's rows are clamped to the frame's */
    CLAMP_OF_TARGET,          /* a reference has the target's size */
    WRONG_FIELD,
    CHROMA_ROUNDED_DOWN,
    CHROMA_ROWS_OF_420,  /* 4:2:2's vertical vectors in eighths */
    VECTOR_TOWARDS_ZERO, /* whole samples of negative vectors */
    BLOCK_FORGOTTEN,     /* the last one */
    FIELD_ROWS_AS_FRAME, /* a field's block is written as a frame's */
    WRITES_BESIDE,       /* a sample after the block */
    WRITES_BETWEEN_ROWS, /* a byte after a row of the picture */
    FAULT_COUNT
};

static enum fault fault;

static int clamp(int v, int low, int high)
{
    return v < low ? low : v > high ? high : v;
}

/* ---- one sample of one reference ---- */

struct source {
    struct oracle_samples samples;
    int parity;
    int clamp_width, clamp_height; /* of the frame */
};

static int source_sample(const void *source, int x, int y)
{
    const struct source *s = source;
    int rows = s->clamp_height, step = s->parity ? 2 : 1;
    int bottom = s->parity == QPEL_BOTTOM_FIELD;

    if (s->parity)
        rows = (rows + !bottom) / 2;
    int cx = clamp(x, 0, s->clamp_width - 1 - (fault == CLAMP_EARLY && s->clamp_width > 1));
    int cy = clamp(y, 0, rows - 1);
    if (fault == NO_CLAMP && (cx != x || cy != y))
        return 0;
    int row = fault == CLAMP_OF_FRAME ? clamp(step * y + bottom, 0, s->clamp_height - 1)
                                      : step * cy + bottom;
    /* In memory all the same. */
    cx = clamp(cx, 0, s->samples.width - 1);
    row = clamp(row, 0, s->samples.height - 1);
    return s->samples.first[row * s->samples.stride + cx * s->samples.step];
}

static int shifted(int vector, int bits)
{
    int unit = 1 << bits;

    return fault == VECTOR_TOWARDS_ZERO ? vector / unit : vector >> bits;
}

static int chroma_sample(const struct source *s, enum qpel_chroma chroma, int mv_x, int mv_y, int x,
                         int y)
{
    bool eighths = chroma == QPEL_CHROMA_420 || fault == CHROMA_ROWS_OF_420;
    int fx = mv_x & 7, fy = eighths ? mv_y & 7 : (mv_y & 3) * 2;
    int left = x + shifted(mv_x, 3), top = y + shifted(mv_y, eighths ? 3 : 2), sum = 0;

    for (int v = 0; v < 2; v++)
        for (int u = 0; u < 2; u++)
            sum += (u ? fx : 8 - fx) * (v ? fy : 8 - fy) * source_sample(s, left + u, top + v);
    return (sum + (fault == CHROMA_ROUNDED_DOWN ? 31 : 32)) / 64;
}

static int parity_offset(enum qpel_chroma chroma, int current, int reference)
{
    if (!current || !reference || fault == NO_PARITY_OFFSET ||
        (chroma != QPEL_CHROMA_420 && fault != PARITY_OFFSET_EVERYWHERE))
        return 0;
    int offset = 2 * (current - reference);
    return fault == PARITY_OFFSET_REVERSED ? -offset : offset;
}

static int list_sample(const struct picture_case *c, const struct qpel_picture_block *b, int list,
                       int component, int x, int y)
{
    const struct case_reference *r = &c->references[b->reference[list]];
    const struct image *image = r->image == TARGET_ITSELF ? &c->target : &c->images[r->image];
    enum qpel_chroma chroma = c->target.format.chroma;
    struct source s = { image_oracle(image, image->bytes).component[component], (int)r->parity, 0,
                        0 };
    const struct oracle_samples own =
        image_oracle(&c->target, c->target.bytes).component[component];
    const struct oracle_samples *size = fault == CLAMP_OF_TARGET ? &own : &s.samples;
    int mv_x = b->mv[list][0], mv_y = b->mv[list][1];

    s.clamp_width = size->width;
    s.clamp_height = size->height;
    if (fault == WRONG_FIELD && s.parity)
        s.parity = QPEL_TOP_FIELD;
    if (component && chroma != QPEL_CHROMA_444)
        return chroma_sample(&s, chroma, mv_x,
                             mv_y + parity_offset(chroma, b->parity, (int)r->parity), x, y);
    return oracle_luma(source_sample, &s, x + shifted(mv_x, 2), y + shifted(mv_y, 2), mv_x & 3,
                       mv_y & 3, 8);
}

/* ---- weights ---- */

static int weighted(const struct qpel_weight *w, int references, int component, int p0, int p1)
{
    int plane = fault == WEIGHTS_OF_LUMA ? 0 : component, log_wd = w->log_wd[plane];
    int w0 = w->w[0][plane], w1 = w->w[1][plane], o0 = w->o[0][plane], o1 = w->o[1][plane];

    if (fault == WEIGHTS_SWAPPED && references == 2) {
        int t = w0;
        w0 = w1;
        w1 = t;
    }
    if (fault == WEIGHT_OF_A_BYTE) {
        w0 = w0 == 128 ? -128 : w0;
        w1 = w1 == 128 ? -128 : w1;
    }
    if (references == 1) {
        int round = log_wd ? (1 << (log_wd - 1)) - (fault == WEIGHT_ONE_ROUNDED_DOWN) : 0;
        if (fault == OFFSET_SCALED)
            return clamp((p0 * w0 + round + o0) >> log_wd, 0, 255);
        return clamp(((p0 * w0 + round) >> log_wd) + o0, 0, 255);
    }
    int offset = (o0 + o1 + (fault != OFFSETS_ROUNDED_DOWN)) >> 1;
    int sum = p0 * w0 + p1 * w1 + (1 << log_wd) - (fault == WEIGHT_TWO_ROUNDED_DOWN);
    if (fault == SUM_OF_16_BITS)
        sum = clamp(sum, INT16_MIN, INT16_MAX);
    return clamp((sum >> (log_wd + 1)) + offset, 0, 255);
}

static int block_sample(const struct picture_case *c, const struct qpel_picture_block *b,
                        int component, int x, int y)
{
    const struct qpel_weight *w = b->weight ? &c->weights[b->weight - 1] : NULL;
    int references = fault == SECOND_FORGOTTEN ? 1 : b->references;
    int p0 = list_sample(c, b, 0, component, x, y);
    int p1 = references == 2 ? list_sample(c, b, 1, component, x, y) : 0;

    if (w && (w->planes >> component & 1 || fault == WEIGHTS_OF_ALL))
        return weighted(w, references, component, p0, p1);
    return references == 1 ? p0 : (p0 + p1 + (fault != AVERAGE_DOWN)) >> 1;
}

/* ---- a picture ---- */

static void run_block(const struct picture_case *c, const struct qpel_picture_block *b,
                      uint8_t *region)
{
    enum qpel_chroma chroma = c->target.format.chroma;
    struct oracle_picture target = image_oracle(&c->target, region);

    for (int i = 0; i < (chroma == QPEL_CHROMA_400 ? 1 : 3); i++) {
        const struct oracle_samples *s = &target.component[i];
        int sx = i && chroma != QPEL_CHROMA_444, sy = i && chroma == QPEL_CHROMA_420;
        int step = b->parity && fault != FIELD_ROWS_AS_FRAME ? 2 : 1;
        int width = b->width >> sx;
        for (int y = b->y >> sy; y < (b->y + b->height) >> sy; y++) {
            uint8_t *row = s->first + (step * y + (b->parity == QPEL_BOTTOM_FIELD)) * s->stride;
            for (int x = b->x >> sx; x < (b->x >> sx) + width; x++)
                row[x * s->step] = (uint8_t)block_sample(c, b, i, x, y);
            int after = (b->x >> sx) + width;
            if (fault == WRITES_BESIDE && after < s->width)
                row[after * s->step] ^= 1;
        }
    }
}

/* The region as this implementation leaves it; to be freed. */
static uint8_t *run(const struct picture_case *c)
{
    uint8_t *region = malloc(c->target.size);
    const struct image *t = &c->target;

    assert_non_null(region);
    memcpy(region, t->bytes, t->size);
    for (size_t i = 0; i + (fault == BLOCK_FORGOTTEN) < c->count; i++)
        run_block(c, &c->blocks[i], region);
    if (fault == WRITES_BETWEEN_ROWS && c->count)
        region[t->offset[t->planes - 1] + t->height[t->planes - 1] * t->stride[t->planes - 1] -
               t->stride[t->planes - 1] + t->width[t->planes - 1]] ^= 1;
    return region;
}

/* In how many of some cases a fault is seen. */
static int times_seen(enum fault f)
{
    enum { CASES = 150 };
    struct random r = random_stream(50);
    int seen = 0;

    fault = f;
    regions_quiet = f != NO_FAULT;
    for (int n = 0; n < CASES; n++) {
        struct picture_case c = case_draw(40, &r);
        uint8_t *region = run(&c);
        seen += !case_equal(&c, region, "the second implementation");
        free(region);
        case_free(&c);
    }
    regions_quiet = false;
    return seen;
}

/* And so the oracle is confirmed by an implementation of another shape. */
static void without_fault_nothing_is_seen(void **state)
{
    (void)state;
    assert_int_equal(times_seen(NO_FAULT), 0);
}

static void every_fault_is_seen(void **state)
{
    (void)state;
    for (int f = NO_FAULT + 1; f < FAULT_COUNT; f++) {
        int seen = times_seen((enum fault)f);
        if (seen < 2)
            fail_msg("fault %d was seen %d times", f, seen);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_fault_nothing_is_seen),
        cmocka_unit_test(every_fault_is_seen),
    };
    return RUN_GROUP("picture sabotage", tests);
}
