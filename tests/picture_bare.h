/* Pictures as callers bring them: each in a GPU's buffer that has nothing else. */
#ifndef TESTS_PICTURE_BARE_H
#define TESTS_PICTURE_BARE_H

#include <stdbool.h>

struct qpel_picture;

/* Of a picture just created: its buffer has no scratch picture and no slots, and no other picture
 * will be in it. Nothing where the CPU's memory has it. */
void picture_make_bare(struct qpel_picture *picture);
/* The same, and if so no word is behind it that may be read. */
void picture_place_alone(struct qpel_picture *picture, bool ending);

#endif
