/* Dma-bufs as the kernel has them: descriptors, mappings, cache maintenance, heaps. Knows no GPU.
 */
#ifndef QPEL_DMABUF_H
#define QPEL_DMABUF_H

#include "log.h"
#include "qpel/context.h"

struct dmabuf {
    /* The CPU's mapping; where there can be none, addresses of that many bytes which nothing may
     * touch, so that offsets are still reckoned from them. Null: no dma-buf. */
    uint8_t *data;
    size_t size;
    int fd; /* ours */
    bool mapped;
    bool synced; /* the kernel wants to be told of the CPU's accesses */
};

/* Takes a duplicate of the caller's descriptor and maps it. size 0: asked of the descriptor. One
 * that can't be mapped is no error: `mapped` is false, and reason says why. INVALID (no descriptor,
 * or a size that it does not have), NOMEM; both fill reason. */
enum qpel_result qpel_dmabuf_open(struct dmabuf *buffer, int fd, size_t size,
                                  char reason[QPEL_REASON_SIZE]);

/* Zero-filled memory of the first heap that can be opened, mapped, cached for the CPU.
 * UNSUPPORTED: no heap can be opened; NOMEM: one could, and had no memory. Both fill reason. */
enum qpel_result qpel_dmabuf_from_heap(struct dmabuf *buffer, size_t size,
                                       char reason[QPEL_REASON_SIZE]);

/* Of none: nothing. */
void qpel_dmabuf_close(struct dmabuf *buffer);

/* A new descriptor of the same memory. NOMEM: there are too many. */
enum qpel_result qpel_dmabuf_duplicate(const struct dmabuf *buffer, int *fd);

/* Around the CPU's accesses to the mapping, which read, and write if `writes`: to write alone is
 * not offered, as what the cache holds of neighbours would be written over what a device has made
 * of them. The start may wait for devices that use the buffer. IO: the kernel refuses. */
enum qpel_result qpel_dmabuf_start(const struct dmabuf *buffer, bool writes);
enum qpel_result qpel_dmabuf_end(const struct dmabuf *buffer, bool writes);

#endif
