/* Memory that grows. A program that has none left says so and ends: this is no library. */
#ifndef DECODER_MEMORY_H
#define DECODER_MEMORY_H

#include <stddef.h>

_Noreturn void out_of_memory(void);
/* Room for n + more elements of `size` bytes at p, of which there was *room. */
void *grow(void *p, size_t n, size_t more, size_t size, size_t *room);
/* The same for bytes at an address that is a multiple of 64; `used` of them are kept. */
void *grow_aligned(void *p, size_t used, size_t more, size_t *room);

#endif
