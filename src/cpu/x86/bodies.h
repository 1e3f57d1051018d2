/* The families, in the words of ssse3.h or avx2.h. */
#define FOR_EACH_GROUP for (int y = 0; y < height; y += GROUP_ROWS(width))

/* The same with windows that roll over the rows, for a strip of columns at a time:
 * within 4 groups they turn over without moves. */
#ifdef __clang__
#define UNROLL _Pragma("clang loop unroll_count(4)")
#define KEEP   _Pragma("clang loop unroll(disable)")
#else
#define UNROLL _Pragma("GCC unroll 4")
#define KEEP   _Pragma("GCC unroll 1")
#endif
#define FOR_EACH_STRIP                                                                             \
    KEEP for (int x = 0; x < width; x += STRIP(width), src += STRIP(width), dst += STRIP(width))
#define FOR_EACH_GROUP_ROLLING UNROLL for (int y = 0; y < height; y += GROUP_ROWS(STRIP(width)))

#define SRC (src + y * src_stride)
#define DST dst + y *dst_stride, dst_stride

QPEL_BODY(COPY)
{
    (void)dx, (void)dy;
    FOR_EACH_GROUP
    store(DST, width, load(SRC, src_stride, width), last);
}

QPEL_BODY(H)
{
    (void)dx, (void)dy;
    FOR_EACH_GROUP
    store(DST, width, half_h(SRC, src_stride, width), last);
}

QPEL_BODY(H_FULL)
{
    (void)dy;
    FOR_EACH_GROUP
    store(DST, width, average(half_h(SRC, src_stride, width), load(SRC + dx, src_stride, width)),
          last);
}

QPEL_BODY(V)
{
    (void)dx, (void)dy;
    FOR_EACH_STRIP
    {
        struct column column;

        column_begin(&column, src, src_stride, STRIP(width));
        FOR_EACH_GROUP_ROLLING
        store(DST, STRIP(width), half_v(&column, SRC, src_stride, STRIP(width)), last);
    }
}

QPEL_BODY(V_FULL)
{
    (void)dx;
    FOR_EACH_STRIP
    {
        const uint8_t *full = src + dy * src_stride;
        struct column column;

        column_begin(&column, src, src_stride, STRIP(width));
        FOR_EACH_GROUP_ROLLING
        store(DST, STRIP(width),
              average(half_v(&column, SRC, src_stride, STRIP(width)),
                      load(full + y * src_stride, src_stride, STRIP(width))),
              last);
    }
}

QPEL_BODY(DIAGONAL)
{
    FOR_EACH_STRIP
    {
        const uint8_t *row = src + dy * src_stride;
        struct column column;

        column_begin(&column, src + dx, src_stride, STRIP(width));
        FOR_EACH_GROUP_ROLLING
        store(DST, STRIP(width),
              average(half_v(&column, SRC + dx, src_stride, STRIP(width)),
                      half_h(row + y * src_stride, src_stride, STRIP(width))),
              last);
    }
}

QPEL_BODY(CENTRE)
{
    (void)dx, (void)dy;
    FOR_EACH_STRIP
    {
        struct centre window;

        centre_begin(&window, src, src_stride, STRIP(width));
        FOR_EACH_GROUP_ROLLING
        store(DST, STRIP(width), centre(&window, SRC, src_stride, STRIP(width), height - y, 0),
              last);
    }
}

QPEL_BODY(CENTRE_H)
{
    (void)dx;
    if (dy) {
        /* The rows below are those above of the block upside down. */
        src += height * src_stride;
        dst += (height - 1) * dst_stride;
        src_stride = -src_stride;
        dst_stride = -dst_stride;
    }
    FOR_EACH_STRIP
    {
        struct centre window;
        centre_begin(&window, src, src_stride, STRIP(width));
        FOR_EACH_GROUP_ROLLING
        store(DST, STRIP(width), centre(&window, SRC, src_stride, STRIP(width), height - y, 1),
              last);
    }
}

QPEL_BODY(CENTRE_V)
{
    (void)dy;
    FOR_EACH_STRIP
    {
        struct centre window;
        struct column column;
        vec v[8];
        column_begin(&column, src + dx, src_stride, STRIP(width));
        FOR_EACH_GROUP_ROLLING
        v[y / GROUP_ROWS(STRIP(width))] = half_v(&column, SRC + dx, src_stride, STRIP(width));
        centre_begin(&window, src, src_stride, STRIP(width));
        FOR_EACH_GROUP_ROLLING
        store(DST, STRIP(width),
              average(centre(&window, SRC, src_stride, STRIP(width), height - y, 0),
                      v[y / GROUP_ROWS(STRIP(width))]),
              last);
    }
}
