/* qpel_window() is exactly what the standard's formulas read. */
#include <stdbool.h>
#include <string.h>

#include <qpel/dsp.h>

#include "harness.h"
#include "oracle.h"

#define SIDE   32 /* rows and columns watched, from -ORIGIN */
#define ORIGIN 8

struct watch {
    bool read[SIDE][SIDE];
};

static int watched(const void *picture, int x, int y)
{
    struct watch *w = (struct watch *)(uintptr_t)picture;

    assert_in_range(x + ORIGIN, 0, SIDE - 1);
    assert_in_range(y + ORIGIN, 0, SIDE - 1);
    w->read[y + ORIGIN][x + ORIGIN] = true;
    return 0;
}

static bool holds(struct qpel_rectangle r, int x, int y)
{
    return x >= r.left && x <= r.right && y >= r.top && y <= r.bottom;
}

static void check(int position, int width, int height)
{
    struct watch w;
    struct qpel_window window = qpel_window(position, width, height);
    struct qpel_rectangle bounds = { SIDE, SIDE, -SIDE, -SIDE };

    memset(&w, 0, sizeof w);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            oracle_luma(watched, &w, x, y, position % 4, position / 4, 8);
    for (int y = -ORIGIN; y < SIDE - ORIGIN; y++)
        for (int x = -ORIGIN; x < SIDE - ORIGIN; x++) {
            bool read = w.read[y + ORIGIN][x + ORIGIN];
            if (read != (holds(window.row, x, y) || holds(window.column, x, y)))
                fail_msg("mc%d%d %dx%d: sample (%d, %d) is %sread", position % 4, position / 4,
                         width, height, x, y, read ? "" : "not ");
            if (read) {
                bounds.left = x < bounds.left ? x : bounds.left;
                bounds.top = y < bounds.top ? y : bounds.top;
                bounds.right = x > bounds.right ? x : bounds.right;
                bounds.bottom = y > bounds.bottom ? y : bounds.bottom;
            }
        }
    assert_memory_equal(&bounds, &window.bounds, sizeof bounds);
}

static void window_is_what_is_read(void **state)
{
    static const int sides[] = { 1, 2, 4, 8, 16 };

    (void)state;
    for (int position = 0; position < QPEL_POSITION_COUNT; position++)
        for (size_t w = 0; w < sizeof sides / sizeof *sides; w++)
            for (size_t h = 0; h < sizeof sides / sizeof *sides; h++)
                check(position, sides[w], sides[h]);
}

static void position_is_taken_modulo_16(void **state)
{
    (void)state;
    for (int position = 0; position < QPEL_POSITION_COUNT; position++) {
        struct qpel_window a = qpel_window(position, 8, 8), b = qpel_window(position + 16, 8, 8);
        assert_memory_equal(&a, &b, sizeof a);
        b = qpel_window(position - 32, 8, 8);
        assert_memory_equal(&a, &b, sizeof a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_is_what_is_read),
        cmocka_unit_test(position_is_taken_modulo_16),
    };
    return RUN_GROUP("window", tests);
}
