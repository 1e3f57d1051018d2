#include "memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

_Noreturn void out_of_memory(void)
{
    fprintf(stderr, "out of memory\n");
    exit(1);
}

void *grow(void *p, size_t n, size_t more, size_t size, size_t *room)
{
    if (n + more <= *room)
        return p;
    *room = 2 * (n + more) < 1024 ? 1024 : 2 * (n + more);
    p = realloc(p, *room * size);
    if (!p)
        out_of_memory();
    return p;
}

void *grow_aligned(void *p, size_t used, size_t more, size_t *room)
{
    *room = (2 * (used + more) + (1 << 16)) / 64 * 64;
    void *q = aligned_alloc(64, *room);
    if (!q)
        out_of_memory();
    if (used)
        memcpy(q, p, used);
    free(p);
    return q;
}
