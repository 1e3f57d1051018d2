/* What a picture's format means in rows and bytes, and where its planes may lie. */
#ifndef QPEL_PICTURE_SHAPE_H
#define QPEL_PICTURE_SHAPE_H

#include "picture.h"

/* INVALID, or UNSUPPORTED. */
enum qpel_result qpel_check_format(const struct qpel_picture_format *format);

int qpel_plane_count(const struct qpel_picture_format *format);
int qpel_component_width(const struct qpel_picture_format *format, int component);
int qpel_component_height(const struct qpel_picture_format *format, int component);
/* Bytes of a row's samples. */
size_t qpel_row_bytes(const struct qpel_picture_format *format, int plane);
/* Bytes from a plane's first sample to behind its last. */
size_t qpel_plane_span(const struct qpel_picture_format *format, int plane, size_t stride);

/* Whether planes that are stated by offsets lie in so many bytes, with rows as long as their
 * samples; else reason names the first that does not. */
bool qpel_planes_fit(const struct qpel_picture_format *format, const struct picture_planes *planes,
                     size_t size, char reason[QPEL_REASON_SIZE]);
/* Whether all planes are there, rows are as long as their samples, nothing wraps around and no
 * plane starts before another ends. */
bool qpel_planes_valid(const struct qpel_picture_format *format,
                       const struct qpel_picture_data *data);
/* Whether valid planes lie in [base, base + size). */
bool qpel_planes_inside(const struct qpel_picture_format *format,
                        const struct qpel_picture_data *data, const void *base, size_t size);
/* Why shaders, which read and write 32-bit words, can't use such planes; null if they can. Static
 * storage. */
const char *qpel_planes_unfit_for_words(const struct qpel_picture_format *format,
                                        const struct qpel_picture_data *data, const void *base,
                                        size_t size);
/* Whether less than a word of the memory follows the last word of one of those planes. */
bool qpel_planes_end_memory(const struct qpel_picture_format *format,
                            const struct qpel_picture_data *data, const void *base, size_t size);

#endif
