/* Kinds of pictures, as far as shaders differ. */
#ifndef QPEL_SRC_PICTURE_KIND_H
#define QPEL_SRC_PICTURE_KIND_H

#include "qpel/picture.h"

/* What the blocks of a picture have. */
enum picture_step { PICTURE_ONE_LIST, PICTURE_TWO_LISTS, PICTURE_WEIGHTED, PICTURE_STEP_COUNT };

/* The GPU's memory that a picture has: a piece, with scratch picture and slots behind it; a buffer
 * without these; one that ends with the picture. */
enum memory_sort { SORT_PIECE, SORT_ALONE, SORT_ENDING, SORT_COUNT };

struct picture_kind {
    struct qpel_picture_format format; /* width and height do not count */
    enum picture_step step;
    enum memory_sort sort;
};

#endif
