#include "picture_bare.h"

#include "picture.h"

void picture_place_alone(struct qpel_picture *picture, bool ending)
{
    struct picture_chunk *chunk = picture->memory.chunk;
    if (!chunk)
        return;
    chunk->slot_room = 0;
    if (ending)
        chunk->behind = BEHIND_NOTHING;
}

void picture_make_bare(struct qpel_picture *picture)
{
    picture_place_alone(picture, false);
}
