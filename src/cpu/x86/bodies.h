/* The families, in the words of ssse3.h or avx2.h: the one is included before. Both
 * have the same words,
 *
 *   load(), store(), average()          a group of rows' samples
 *   half_h()                            H of a group
 *   column_begin(), half_v()            V, group after group of a strip of columns
 *   centre_begin(), centre_samples()    CENTRE, the same, of a part of the columns
 *   keep(), all_parts()                 groups of samples put aside
 *
 * and say how many rows a group has, how wide strips are, and what the parts are. */

#define FOR_EACH_GROUP                                                                             \
    for (int y = 0; y < height;                                                                    \
         y += GROUP_ROWS(width), next_group(&dst, GROUP_ROWS(width) * dst_stride, &src,            \
                                            GROUP_ROWS(width) * src_stride))

#define FOR_EACH_GROUP_UNROLLED UNROLL FOR_EACH_GROUP

QPEL_INLINE void next_group(uint8_t *restrict *dst, ptrdiff_t dst_step,
                            const uint8_t *restrict *src, ptrdiff_t src_step)
{
    *dst += dst_step;
    FIX(*dst);
    *src += src_step;
    FIX(*src);
}

/* A block of 16 x 16. */
#define BLOCK_VECS (16 * 16 / sizeof(vec))

#define SRC src, src_stride, width
#define DST dst, dst_stride, width

QPEL_BODY(COPY)
{
    ptrdiff_t src_3 = 3 * src_stride, dst_3 = 3 * dst_stride;

    (void)dx, (void)dy;
    /* As four addresses from one pointer: a sum each would be a chain of 16. */
    FIX(src_3);
    FIX(dst_3);
    for (int y = 0; y < height; y += 4, next_group(&dst, 4 * dst_stride, &src, 4 * src_stride)) {
        const uint8_t *from[] = { src, src + src_stride, src + 2 * src_stride, src + src_3 };
        uint8_t *to[] = { dst, dst + dst_stride, dst + 2 * dst_stride, dst + dst_3 };
        __m128i rows[4];

        for (int i = 0; i < 4; i++) {
            rows[i] = load_row(from[i], width);
            if (last.operation == QPEL_AVG)
                rows[i] = _mm_avg_epu8(rows[i], load_row(to[i], width));
        }
        for (int i = 0; i < 4; i++)
            store_row(to[i], width, rows[i]);
    }
}

QPEL_BODY(H)
{
    (void)dx, (void)dy;
    FOR_EACH_GROUP
    {
        store(DST, half_h(SRC), last);
    }
}

QPEL_BODY(H_FULL)
{
    (void)dy;
    FOR_EACH_GROUP
    {
        store(DST, average(half_h(SRC), load(src + dx, src_stride, width)), last);
    }
}

/* A family whose block is done in strips of columns. */
#define STRIP_ARGUMENTS                                                                            \
    uint8_t *restrict dst, const uint8_t *restrict src, ptrdiff_t dst_stride,                      \
        ptrdiff_t src_stride, int dx, int dy, int width, int height, struct last_step last

#define STRIP_BODY(family)                                                                         \
    QPEL_INLINE void strip_##family(STRIP_ARGUMENTS);                                              \
    QPEL_BODY(family)                                                                              \
    {                                                                                              \
        ROLLED                                                                                     \
        for (int x = 0; x < width; x += STRIP(width))                                              \
            strip_##family(dst + x, src + x, dst_stride, src_stride, dx, dy, STRIP(width), height, \
                           last);                                                                  \
    }                                                                                              \
    QPEL_INLINE void strip_##family(STRIP_ARGUMENTS)

STRIP_BODY(V)
{
    struct column column;

    (void)dx, (void)dy;
    column_begin(&column, SRC);
    FOR_EACH_GROUP_UNROLLED
    {
        store(DST, half_v(&column, src_stride, width), last);
    }
}

STRIP_BODY(V_FULL)
{
    struct column column;

    (void)dx;
    column_begin(&column, SRC);
    src += dy * src_stride;
    FOR_EACH_GROUP_UNROLLED
    {
        store(DST, average(half_v(&column, src_stride, width), load(SRC)), last);
    }
}

STRIP_BODY(DIAGONAL)
{
    struct column column;

    column_begin(&column, src + dx, src_stride, width);
    src += dy * src_stride;
    FOR_EACH_GROUP_UNROLLED
    {
        store(DST, average(half_v(&column, src_stride, width), half_h(SRC)), last);
    }
}

/* The centre's samples of a block, kept in parts of its columns. */
QPEL_INLINE void centre_block(vec *kept, const uint8_t *src, ptrdiff_t stride, int width,
                              int height, int with_h)
{
    const int parts = CENTRE_PARTS(width);

    ROLLED
    for (int part = 0; part < parts; part++) {
        struct centre centre;

        centre_begin(&centre, src + part, stride, width);
        UNROLL
        for (int y = 0; y < height; y += CENTRE_ROWS(width))
            *kept++ = centre_samples(&centre, stride, width, height - y, with_h);
    }
}

/* 16 wide, one copy for all that want it: a call costs it little. */
QPEL_ONE_COPY void centre_block_16(vec *kept, const uint8_t *src, ptrdiff_t stride)
{
    centre_block(kept, src, stride, 16, 16, 0);
}

QPEL_ONE_COPY void centre_block_16_h(vec *kept, const uint8_t *src, ptrdiff_t stride)
{
    centre_block(kept, src, stride, 16, 16, 1);
}

QPEL_INLINE void centre_samples_of(vec *kept, const uint8_t *src, ptrdiff_t stride, int width,
                                   int height, int with_h)
{
    if (width != 16)
        centre_block(kept, src, stride, width, height, with_h);
    else if (with_h)
        centre_block_16_h(kept, src, stride);
    else
        centre_block_16(kept, src, stride);
}

QPEL_BODY(CENTRE)
{
    vec kept[BLOCK_VECS];

    (void)dx, (void)dy;
    centre_samples_of(kept, src, src_stride, width, height, 0);
    FOR_EACH_GROUP
    {
        store(DST, all_parts(kept, y / GROUP_ROWS(width), width), last);
    }
}

QPEL_BODY(CENTRE_H)
{
    vec kept[BLOCK_VECS];

    (void)dx;
    if (dy) {
        /* The row below is the row above of the block upside down. */
        src += height * src_stride;
        dst += (height - 1) * dst_stride;
        src_stride = -src_stride;
        dst_stride = -dst_stride;
    }
    centre_samples_of(kept, src, src_stride, width, height, 1);
    FOR_EACH_GROUP
    {
        store(DST, all_parts(kept, y / GROUP_ROWS(width), width), last);
    }
}

/* Half between rows first: windows of both kinds have no room in the registers. */
QPEL_INLINE void half_v_block(vec *kept, const uint8_t *src, ptrdiff_t stride, int width,
                              int height)
{
    const int strip = STRIP(width);

    ROLLED
    for (int x = 0; x < width; x += strip) {
        uint8_t *row = (uint8_t *)kept + x;
        struct column column;

        column_begin(&column, src + x, stride, strip);
        UNROLL
        for (int y = 0; y < height; y += GROUP_ROWS(strip), row += GROUP_ROWS(strip) * width)
            keep(row, width, half_v(&column, stride, strip));
    }
}

QPEL_ONE_COPY void half_v_block_16(vec *kept, const uint8_t *src, ptrdiff_t stride)
{
    half_v_block(kept, src, stride, 16, 16);
}

QPEL_BODY(CENTRE_V)
{
    vec kept[BLOCK_VECS], v[BLOCK_VECS];

    (void)dy;
    if (width == 16)
        half_v_block_16(v, src + dx, src_stride);
    else
        half_v_block(v, src + dx, src_stride, width, height);
    centre_samples_of(kept, src, src_stride, width, height, 0);
    FOR_EACH_GROUP
    {
        const int group = y / GROUP_ROWS(width);

        store(DST, average(all_parts(kept, group, width), v[group]), last);
    }
}
