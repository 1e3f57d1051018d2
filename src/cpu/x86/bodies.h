/* The families, in the words of ssse3.h or avx2.h, either of which comes first. */

#define FOR_EACH_GROUP(rows)                                                                       \
    for (int y = 0; y < height;                                                                    \
         y += (rows), next_group(&dst, (rows)*dst_stride, &src, (rows)*src_stride))

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
    (void)dx, (void)dy;
    FOR_EACH_GROUP(4)
    {
        __m128i rows[4];

        for (int i = 0; i < 4; i++) {
            rows[i] = load_row(src + i * src_stride, width);
            if (last.operation == QPEL_AVG)
                rows[i] = _mm_avg_epu8(rows[i], load_row(dst + i * dst_stride, width));
        }
        for (int i = 0; i < 4; i++)
            store_row(dst + i * dst_stride, width, rows[i]);
    }
}

QPEL_BODY(H)
{
    (void)dx, (void)dy;
    FOR_EACH_GROUP(GROUP_ROWS(width))
    store(DST, half_h(SRC), last);
}

QPEL_BODY(H_FULL)
{
    (void)dy;
    FOR_EACH_GROUP(GROUP_ROWS(width))
    store(DST, average(half_h(SRC), load(src + dx, src_stride, width)), last);
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
    UNROLL FOR_EACH_GROUP(GROUP_ROWS(width)) store(DST, half_v(&column, src_stride, width), last);
}

STRIP_BODY(V_FULL)
{
    struct column column;

    (void)dx;
    column_begin(&column, SRC);
    src += dy * src_stride;
    UNROLL FOR_EACH_GROUP(GROUP_ROWS(width))
        store(DST, average(half_v(&column, src_stride, width), load(SRC)), last);
}

STRIP_BODY(DIAGONAL)
{
    struct column column;

    column_begin(&column, src + dx, src_stride, width);
    src += dy * src_stride;
    UNROLL FOR_EACH_GROUP(GROUP_ROWS(width))
        store(DST, average(half_v(&column, src_stride, width), half_h(SRC)), last);
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

QPEL_BODY(CENTRE)
{
    vec kept[BLOCK_VECS];

    (void)dx, (void)dy;
    centre_block(kept, src, src_stride, width, height, 0);
    FOR_EACH_GROUP(GROUP_ROWS(width))
    store(DST, all_parts(kept, y / GROUP_ROWS(width), width), last);
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
    centre_block(kept, src, src_stride, width, height, 1);
    FOR_EACH_GROUP(GROUP_ROWS(width))
    store(DST, all_parts(kept, y / GROUP_ROWS(width), width), last);
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

QPEL_BODY(CENTRE_V)
{
    vec kept[BLOCK_VECS], v[BLOCK_VECS];

    (void)dy;
    half_v_block(v, src + dx, src_stride, width, height);
    centre_block(kept, src, src_stride, width, height, 0);
    FOR_EACH_GROUP(GROUP_ROWS(width))
    {
        const int group = y / GROUP_ROWS(width);

        store(DST, average(all_parts(kept, group, width), v[group]), last);
    }
}
