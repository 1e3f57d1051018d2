/* Reproducible randomness: the seed is printed by every program that draws, and taken from
 * QPEL_TEST_SEED. */
#ifndef TESTS_RANDOM_H
#define TESTS_RANDOM_H

#include <stddef.h>
#include <stdint.h>

struct random {
    uint64_t state;
};

/* The program's seed. Printed on first use. */
uint64_t random_seed(void);

/* A stream of its own for each number, so that one test's draws don't move another's. */
struct random random_stream(uint64_t number);

uint32_t random_next(struct random *r);

/* 0 .. limit - 1 */
uint32_t random_below(struct random *r, uint32_t limit);

/* low .. high */
int random_between(struct random *r, int low, int high);

/* Fills width x height samples (rows `stride` apart) with data of one kind that makes
 * filters clip, carry or reach their limits; the kind is drawn. */
void hostile_fill(struct random *r, uint8_t *data, ptrdiff_t stride, int width, int height);

/* The kinds, one by one: a test that wants them all counts through them. */
#define HOSTILE_KINDS 10
void hostile_fill_kind(struct random *r, int kind, uint8_t *data, ptrdiff_t stride, int width,
                       int height);

/* How often to repeat: `count`, or far fewer where QPEL_TEST_SLOW is set, for emulators and
 * valgrind. */
int repetitions(int count);

#endif
