/* F_DUPFD_CLOEXEC, MAP_ANONYMOUS */
#define _GNU_SOURCE
#include "dmabuf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

/* Restarted as the kernel's manual of these calls wants it. */
static int call(int fd, unsigned long request, void *argument)
{
    int r;
    do
        r = ioctl(fd, request, argument);
    while (r < 0 && (errno == EINTR || errno == EAGAIN));
    return r;
}

static bool synchronise(const struct dmabuf *b, uint64_t flags)
{
    struct dma_buf_sync sync = { .flags = flags };
    return call(b->fd, DMA_BUF_IOCTL_SYNC, &sync) == 0;
}

/* ---- mappings ---- */

static void map(struct dmabuf *b, char reason[QPEL_REASON_SIZE])
{
    void *p = mmap(NULL, b->size, PROT_READ | PROT_WRITE, MAP_SHARED, b->fd, 0);
    b->mapped = p != MAP_FAILED;
    if (!b->mapped) {
        qpel_reason_set(reason, "the CPU can't map the dma-buf: %s", strerror(errno));
        p = mmap(NULL, b->size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    }
    b->data = p == MAP_FAILED ? NULL : p;
}

/* Of a descriptor that is ours by now. */
static enum qpel_result adopt(struct dmabuf *b, char reason[QPEL_REASON_SIZE])
{
    map(b, reason);
    if (!b->data) {
        qpel_reason_set(reason, "no addresses are left for %zu bytes", b->size);
        close(b->fd);
        *b = (struct dmabuf){ .data = NULL };
        return QPEL_ERROR_NOMEM;
    }
    /* Plain shared memory, which is none of a device's, knows no such call and needs none (ENOSYS:
     * by an emulator). To end what was not started waits for nothing. */
    b->synced = synchronise(b, DMA_BUF_SYNC_END | DMA_BUF_SYNC_READ) ||
                (errno != ENOTTY && errno != ENOSYS);
    return QPEL_OK;
}

/* 0: it does not tell. */
static size_t size_of(int fd)
{
    off_t at = lseek(fd, 0, SEEK_CUR), end = lseek(fd, 0, SEEK_END);
    /* A file's position is shared with the caller; a dma-buf has none. */
    if (at >= 0)
        lseek(fd, at, SEEK_SET);
    return end > 0 && (uintmax_t)end <= PTRDIFF_MAX ? (size_t)end : 0;
}

enum qpel_result qpel_dmabuf_open(struct dmabuf *b, int fd, size_t size,
                                  char reason[QPEL_REASON_SIZE])
{
    *b = (struct dmabuf){ .data = NULL };
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0) {
        qpel_reason_set(reason, "descriptor %d: %s", fd, strerror(errno));
        return errno == EMFILE ? QPEL_ERROR_NOMEM : QPEL_ERROR_INVALID;
    }
    size_t whole = size_of(own);
    if (!size)
        size = whole;
    if (!size || size > PTRDIFF_MAX || (whole && size > whole)) {
        if (!size)
            qpel_reason_set(reason, "descriptor %d does not tell its size", fd);
        else
            qpel_reason_set(reason, "size: %zu bytes, and the dma-buf has %zu", size, whole);
        close(own);
        return QPEL_ERROR_INVALID;
    }
    b->fd = own;
    b->size = size;
    return adopt(b, reason);
}

void qpel_dmabuf_close(struct dmabuf *b)
{
    if (!b->data)
        return;
    munmap(b->data, b->size);
    close(b->fd);
    *b = (struct dmabuf){ .data = NULL };
}

enum qpel_result qpel_dmabuf_duplicate(const struct dmabuf *b, int *fd)
{
    *fd = fcntl(b->fd, F_DUPFD_CLOEXEC, 0);
    return *fd < 0 ? QPEL_ERROR_NOMEM : QPEL_OK;
}

/* ---- heaps ---- */

/* The first is what Raspberry Pi OS links to the heap that its own video programs are to use:
 * memory of pages on a Pi 5, whose display has an MMU, and contiguous memory on older ones, which
 * the display needs there. Next the heap of pages, which V3D can use on all of them, and last the
 * contiguous memory, of which there is little, under the names that it has had. */
static const char *const heaps[] = {
    "/dev/dma_heap/vidbuf_cached",      "/dev/dma_heap/system",   "/dev/dma_heap/linux,cma",
    "/dev/dma_heap/default_cma_region", "/dev/dma_heap/reserved",
};

/* -1: none. Names in reason the last that is there and can't be opened. */
static int open_heap(char reason[QPEL_REASON_SIZE])
{
    qpel_reason_set(reason, "there is no /dev/dma_heap");
    for (size_t i = 0; i < sizeof heaps / sizeof *heaps; i++) {
        int fd = open(heaps[i], O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            return fd;
        if (errno != ENOENT)
            qpel_reason_set(reason, "%s: %s", heaps[i], strerror(errno));
    }
    return -1;
}

enum qpel_result qpel_dmabuf_from_heap(struct dmabuf *b, size_t size, char reason[QPEL_REASON_SIZE])
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    *b = (struct dmabuf){ .size = (size + page - 1) / page * page };
    int heap = open_heap(reason);
    if (heap < 0)
        return QPEL_ERROR_UNSUPPORTED;
    struct dma_heap_allocation_data wanted = {
        .len = b->size,
        .fd_flags = O_RDWR | O_CLOEXEC,
    };
    int failed = call(heap, DMA_HEAP_IOCTL_ALLOC, &wanted);
    if (failed)
        qpel_reason_set(reason, "a dma-heap has no %zu bytes: %s", b->size, strerror(errno));
    close(heap);
    if (failed)
        return QPEL_ERROR_NOMEM;
    b->fd = (int)wanted.fd;
    enum qpel_result r = adopt(b, reason);
    if (!r && !b->mapped) {
        qpel_dmabuf_close(b);
        return QPEL_ERROR_NOMEM;
    }
    return r;
}

/* ---- accesses ---- */

static enum qpel_result tell(const struct dmabuf *b, uint64_t flags, bool writes)
{
    flags |= writes ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ;
    return !b->synced || synchronise(b, flags) ? QPEL_OK : QPEL_ERROR_IO;
}

enum qpel_result qpel_dmabuf_start(const struct dmabuf *b, bool writes)
{
    return tell(b, DMA_BUF_SYNC_START, writes);
}

enum qpel_result qpel_dmabuf_end(const struct dmabuf *b, bool writes)
{
    return tell(b, DMA_BUF_SYNC_END, writes);
}
