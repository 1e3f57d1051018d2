/* Counts what the library allocates: the linker leads its calls to count_allocations.c, by the
 * options that meson.build keeps beside it. */
#ifndef TESTS_COUNT_ALLOCATIONS_H
#define TESTS_COUNT_ALLOCATIONS_H

#include <stdatomic.h>

extern atomic_size_t allocations;

#endif
