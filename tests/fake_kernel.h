/* Dma-bufs and heaps of a kernel that has none here. The linker leads open(), ioctl(), mmap() and
 * munmap() through fake_kernel.c, which plays a CPU whose cache no device sees: a mapping of a
 * dma-buf is a copy of it, brought up to date when an access starts and written out, all of it,
 * when one ends that may write. */
#ifndef TESTS_FAKE_KERNEL_H
#define TESTS_FAKE_KERNEL_H

#include <stdbool.h>
#include <stddef.h>

struct fake_kernel {
    /* ---- set by tests ---- */
    const char *heap; /* its name below /dev/dma_heap/; null: none */
    int open_error;   /* of heaps that are there */
    int alloc_error;  /* of the heap's memory */
    int map_error;    /* of dma-bufs */
    int sync_error;   /* of DMA_BUF_IOCTL_SYNC */
    /* ---- told ---- */
    unsigned allocations;  /* of heaps */
    unsigned starts, ends; /* of accesses */
    unsigned restarts;     /* calls that were interrupted, and made again */
    int mapped;            /* dma-bufs, now */
};

extern struct fake_kernel fake_kernel;

/* No heap, no errors, counts at 0 but for `mapped`. */
void fake_kernel_reset(void);

/* A dma-buf, zero-filled, as another device hands it out. Size in whole pages. */
int fake_dmabuf(size_t size);
/* One that is mapped as a device sees it; to be unmapped with munmap(). */
void *fake_device_map(int fd, size_t size);

#endif
