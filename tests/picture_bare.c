#include "picture_bare.h"

#include "picture.h"

void picture_make_bare(struct qpel_picture *picture)
{
    if (picture->memory.chunk)
        picture->memory.chunk->slot_room = 0;
}
