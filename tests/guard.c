/* MAP_ANONYMOUS */
#define _GNU_SOURCE
#include "guard.h"

#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

bool regions_quiet;

static size_t page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

static void *map_forbidden(size_t size)
{
    void *p = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (p == MAP_FAILED) {
        perror("mmap");
        abort();
    }
    return p;
}

static void protect(void *p, size_t size, int protection)
{
    if (size && mprotect(p, size, protection)) {
        perror("mprotect");
        abort();
    }
}

struct guard guard_open(size_t size, enum guard_side side)
{
    size_t page = page_size(), inside = (size + page - 1) / page * page;
    struct guard g = { .size = size, .map_size = inside + 2 * page };

    g.map = map_forbidden(g.map_size);
    uint8_t *first = (uint8_t *)g.map + page;
    protect(first, inside, PROT_READ | PROT_WRITE);
    g.data = side == GUARD_BEFORE ? first : first + inside - size;
    return g;
}

void guard_close(struct guard *g)
{
    munmap(g->map, g->map_size);
    *g = (struct guard){ 0 };
}

/* ---- fences ---- */

/* Pages to a row: the column `edge` lies in the second or at the end of it, so that 16 and
 * some columns to either side are there. */
#define ROW_PAGES 3

ptrdiff_t fence_stride(void)
{
    return (ptrdiff_t)(ROW_PAGES * page_size());
}

struct fence fence_open(int rows)
{
    struct fence f = { .page = page_size(), .rows = rows };

    /* One more at both ends, always forbidden. */
    f.map_size = (size_t)(rows + 2) * ROW_PAGES * f.page;
    f.map = map_forbidden(f.map_size);
    return f;
}

void fence_close(struct fence *f)
{
    munmap(f->map, f->map_size);
}

uint8_t *fence_lay(struct fence *f, const struct fence_span *spans, int top, int count, int edge,
                   enum guard_side side, bool flipped)
{
    ptrdiff_t stride = fence_stride(), page = (ptrdiff_t)f->page;
    ptrdiff_t column0 = (side == GUARD_BEFORE ? page : 2 * page - 1) - edge;

    if (count > f->rows)
        abort();
    uint8_t *first_row = f->map + stride;
    protect(f->map, f->map_size, PROT_NONE);
    for (int i = 0; i < count; i++) {
        uint8_t *row = first_row + (flipped ? count - 1 - i : i) * stride;
        if (spans[i].left > spans[i].right)
            continue;
        ptrdiff_t first = (column0 + spans[i].left) / page;
        ptrdiff_t last = (column0 + spans[i].right) / page;
        protect(row + first * page, (size_t)((last - first + 1) * page), PROT_READ | PROT_WRITE);
    }
    return first_row + column0 + (flipped ? (count - 1 + top) * stride : -top * stride);
}

/* ---- faults ---- */

static sigjmp_buf fault_return;

static void on_fault(int number)
{
    siglongjmp(fault_return, number);
}

bool guard_run(void (*call)(void *user), void *user)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGILL };
    enum { COUNT = sizeof signals / sizeof *signals };
    struct sigaction action = { .sa_handler = on_fault }, before[COUNT];
    volatile bool survived = false;

    for (int i = 0; i < COUNT; i++)
        sigaction(signals[i], &action, &before[i]);
    if (!sigsetjmp(fault_return, 1)) {
        call(user);
        survived = true;
    }
    for (int i = 0; i < COUNT; i++)
        sigaction(signals[i], &before[i], NULL);
    return survived;
}

/* ---- comparison ---- */

static void print_rows(const uint8_t *region, struct block_shape b, const char *title)
{
    printf("#   %s\n", title);
    for (int y = 0; y < b.height; y++) {
        printf("#  ");
        for (int x = 0; x < b.width; x++)
            printf(" %02x", region[b.offset + y * b.stride + x]);
        printf("\n");
    }
}

static void print_map(const uint8_t *expected, const uint8_t *actual, struct block_shape b)
{
    printf("#   differing\n");
    for (int y = 0; y < b.height; y++) {
        printf("#   ");
        for (int x = 0; x < b.width; x++) {
            ptrdiff_t at = b.offset + y * b.stride + x;
            putchar(expected[at] == actual[at] ? '.' : 'x');
        }
        printf("\n");
    }
}

/* Where in relation to the block, going by its stride, an offset lies. */
enum where { INSIDE, ABOVE, BELOW, LEFT, RIGHT, WHERE_COUNT };

static enum where where(ptrdiff_t at, struct block_shape b)
{
    ptrdiff_t pitch = b.stride < 0 ? -b.stride : b.stride, relative = at - b.offset;

    if (!pitch)
        return INSIDE;
    /* The nearest row whose middle is within half a stride. */
    ptrdiff_t middle = relative - b.width / 2 + pitch / 2;
    ptrdiff_t line = middle < 0 ? -((-middle + pitch - 1) / pitch) : middle / pitch;
    ptrdiff_t column = relative - line * pitch, row = b.stride < 0 ? -line : line;
    if (row < 0)
        return ABOVE;
    if (row >= b.height)
        return BELOW;
    if (column < 0)
        return LEFT;
    return column >= b.width ? RIGHT : INSIDE;
}

static void print_surroundings(const uint8_t *expected, const uint8_t *actual, size_t size,
                               struct block_shape b)
{
    static const char *const names[] = { "inside", "above", "below", "left", "right" };
    size_t counts[WHERE_COUNT] = { 0 };

    for (size_t i = 0; i < size; i++)
        counts[where((ptrdiff_t)i, b)] += expected[i] != actual[i];
    printf("#   bytes that differ:");
    for (int i = 0; i < WHERE_COUNT; i++)
        if (counts[i])
            printf(" %zu %s", counts[i], names[i]);
    printf("\n");
}

bool regions_equal(const uint8_t *expected, const uint8_t *actual, size_t size,
                   struct block_shape block, const char *what)
{
    if (!memcmp(expected, actual, size))
        return true;
    if (regions_quiet)
        return false;
    printf("# %s: block %dx%d at %td, stride %td\n", what, block.width, block.height, block.offset,
           block.stride);
    print_rows(expected, block, "expected");
    print_rows(actual, block, "is");
    print_map(expected, actual, block);
    print_surroundings(expected, actual, size, block);
    fflush(stdout);
    return false;
}
