/* A picture's inter prediction straight from Rec. ITU-T H.264 (8.4.1.4, 8.4.2.1 to 8.4.2.3), block
 * by block and sample by sample, slow and obvious. Luma's filter is oracle.h's. It shares
 * nothing with the library: no code, no table, no header. */
#ifndef TESTS_ORACLE_PICTURE_H
#define TESTS_ORACLE_PICTURE_H

/* The rows that are meant: of the frame, or of one of its fields, which are its even and odd rows.
 */
enum oracle_rows { ORACLE_FRAME, ORACLE_TOP_FIELD, ORACLE_BOTTOM_FIELD };

/* One component of a frame: sample (x, y) is at first[y * stride + x * step]. */
struct oracle_samples {
    unsigned char *first;
    long stride;
    int step;
    int width, height;
};

struct oracle_picture {
    int chroma_format_idc;              /* table 6-1: 0..3 */
    struct oracle_samples component[3]; /* Y, Cb, Cr; of chroma_format_idc 0, Y alone */
};

struct oracle_reference {
    const struct oracle_picture *picture;
    enum oracle_rows rows;
    int mv[2]; /* mvLX: quarter luma samples */
};

/* What clause 8.4.2.3 takes, by component. */
struct oracle_weights {
    int weighted[3]; /* 0: default weighting of this component */
    int log_wd[3], w0[3], w1[3], o0[3], o1[3];
};

struct oracle_block {
    enum oracle_rows rows;   /* that are written; y counts in them */
    int x, y, width, height; /* luma samples */
    int references;          /* 1 or 2 */
    struct oracle_reference reference[2];
    const struct oracle_weights *weights; /* null: default */
};

/* Predicts a block into the target. 8 bits. */
void oracle_predict(const struct oracle_picture *target, const struct oracle_block *block);

#endif
