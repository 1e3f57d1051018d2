/* Luma inter prediction straight from Rec. ITU-T H.264, slow and obvious. It shares
 * nothing with the library: no code, no table, no header. */
#ifndef TESTS_ORACLE_H
#define TESTS_ORACLE_H

/* A reference picture: the sample at (x, y). What lies outside is the callee's to decide. */
typedef int oracle_sample_fn(const void *picture, int x, int y);

/* 8.4.2.2.1: the luma sample predicted at whole position (x, y) plus the fraction
 * (x_frac, y_frac), in quarter samples. */
int oracle_luma(oracle_sample_fn *sample, const void *picture, int x, int y, int x_frac, int y_frac,
                int bit_depth);

/* 8.4.2.3.1: default weighting of two predictions. */
int oracle_average(int a, int b);

/* Pictures in memory. */
struct oracle_plane {
    const unsigned char *origin; /* of sample (0, 0) */
    long stride;
    int width, height; /* for oracle_clamped() only */
};

/* Just the sample: the caller knows that it is there. */
int oracle_direct(const void *plane, int x, int y);

/* As 8.4.2.2.1 has it: both coordinates are clamped to the picture. */
int oracle_clamped(const void *plane, int x, int y);

#endif
