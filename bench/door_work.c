/* Works of the picture door: the calls of a trace as blocks; drawn pictures. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "door.h"

const struct qpel_weight door_weight = {
    .planes = 7,
    .log_wd = { 5, 5, 5 },
    .w = { { 40, 40, 40 }, { 24, 24, 24 } },
};

/* ---- traces ---- */

static struct qpel_picture_block block_of(const struct trace_call *call)
{
    const int x = 4 * (call->src_x - call->x) + call->position % 4;
    const int y = 4 * (call->src_y - call->y) + call->position / 4;

    return (struct qpel_picture_block){
        .x = call->x,
        .y = call->y,
        .width = (uint8_t)(16 >> call->size),
        .height = (uint8_t)(16 >> call->size),
        .references = 1,
        .reference = { call->slot },
        .mv = { { (int16_t)x, (int16_t)y } },
    };
}

/* Makes the block of one list the second list of `first`. */
static bool join(struct qpel_picture_block *first, const struct qpel_picture_block *second)
{
    if (first->width != second->width || first->references != 1)
        return false;
    first->references = 2;
    first->reference[1] = second->reference[0];
    memcpy(first->mv[1], second->mv[0], sizeof first->mv[1]);
    return true;
}

/* Enters a call; at: by 4x4 cell, one more than the index of the block that begins there. */
static bool enter(struct door_list *list, size_t *at, const struct trace_call *call, bool second,
                  uint16_t weight)
{
    const struct qpel_picture_block block = block_of(call);

    if (!second) {
        list->blocks[list->count] = block;
        *at = ++list->count;
        return true;
    }
    if (!*at || !join(&list->blocks[*at - 1], &block))
        return false;
    list->blocks[*at - 1].weight = weight;
    return true;
}

static bool allocate(struct door_list *list, size_t count)
{
    list->blocks = malloc((count + 1) * sizeof(*list->blocks));
    return list->blocks;
}

bool door_work_trace(struct door_work *w, const struct trace *trace, const struct trace_picture *p)
{
    const size_t columns = (size_t)trace->width / 4, cells = columns * (size_t)trace->height / 4;
    size_t *at = calloc(3 * cells, sizeof(*at));
    bool ok;

    *w = (struct door_work){
        .type = p->type,
        .width = trace->width,
        .height = trace->height,
        .slots = p->slots,
        .golden = { p->golden_dst, p->golden_tmp },
    };
    snprintf(w->name, sizeof w->name, "%.60s %u", trace->name, p->index);
    ok = at && p->slots <= DOOR_SLOTS && allocate(&w->called[0], p->count) &&
         allocate(&w->called[1], p->count) && allocate(&w->whole, p->count);
    for (size_t i = 0; ok && i < p->count; i++) {
        const struct trace_call *call = &p->calls[i];
        const size_t cell = call->y / 4 * columns + call->x / 4;
        const bool avg = call->operation == QPEL_AVG;

        ok = enter(&w->called[call->temporary], &at[call->temporary * cells + cell], call, avg, 0);
        ok = ok &&
             enter(&w->whole, &at[2 * cells + cell], call, avg || call->temporary, call->temporary);
    }
    free(at);
    if (!ok)
        door_work_free(w);
    else if (!p->golden)
        w->called[0].count = w->called[1].count = 0;
    return ok;
}

/* ---- drawn ---- */

static uint32_t draw(uint32_t *state, uint32_t below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint32_t)((uint64_t)*state * below >> 32);
}

/* A vector along one axis of at most 16 samples; for DOOR_CENTRE to the half sample, and to where
 * the window of 13 samples from -2 on is inside. */
static int16_t draw_vector(uint32_t *state, int at, int size, enum door_drawn drawn)
{
    int whole;

    if (drawn == DOOR_MIXED || drawn == DOOR_BI)
        return (int16_t)((int)draw(state, 129) - 64);
    whole = (int)draw(state, 33) - 16;
    if (at + whole < 2)
        whole = 2 - at;
    if (at + whole > size - 11)
        whole = size - 11 - at;
    return (int16_t)(4 * whole + 2);
}

bool door_work_draw(struct door_work *w, int width, int height, enum door_drawn drawn)
{
    static const char *const names[] = { "all mc22", "all positions", "all positions, bi",
                                         "one block" };
    const unsigned lists = drawn == DOOR_BI ? 2 : 1;
    uint32_t state = 1;

    *w = (struct door_work){
        .type = lists == 2 ? 'B' : 'P',
        .width = width,
        .height = height,
        .slots = lists,
        .centre = drawn == DOOR_CENTRE,
    };
    snprintf(w->name, sizeof w->name, "%s, 8x8, %dx%d", names[drawn], width, height);
    if (!allocate(&w->whole, (size_t)(width / 8) * (size_t)(height / 8)))
        return false;
    for (int y = 0; y + 8 <= height; y += 8)
        for (int x = 0; x + 8 <= width; x += 8) {
            struct qpel_picture_block *b = &w->whole.blocks[w->whole.count++];

            *b = (struct qpel_picture_block){
                .x = (uint16_t)x,
                .y = (uint16_t)y,
                .width = 8,
                .height = 8,
                .references = (uint8_t)lists,
                .reference = { 0, 1 },
            };
            for (unsigned list = 0; list < lists; list++) {
                b->mv[list][0] = draw_vector(&state, x, width, drawn);
                b->mv[list][1] = draw_vector(&state, y, height, drawn);
            }
        }
    if (drawn == DOOR_ONE)
        w->whole.count = 1;
    return true;
}

void door_work_free(struct door_work *w)
{
    free(w->called[0].blocks);
    free(w->called[1].blocks);
    free(w->whole.blocks);
    *w = (struct door_work){ .name = "" };
}

unsigned door_work_lists(const struct door_work *w, enum door_form form,
                         const struct door_list *lists[2])
{
    lists[0] = form == DOOR_CALLED ? &w->called[0] : &w->whole;
    lists[1] = &w->called[1];
    return form == DOOR_CALLED && w->called[1].count ? 2 : 1;
}
