#define _GNU_SOURCE /* memfd_create() */
#include "fake_kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/dma-heap.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct fake_kernel fake_kernel;

void fake_kernel_reset(void)
{
    fake_kernel = (struct fake_kernel){ .mapped = fake_kernel.mapped };
}

int __real_open(const char *path, int flags, ...);
int __real_ioctl(int fd, unsigned long request, ...);
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __real_munmap(void *at, size_t size);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, ...);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset);
int __wrap_munmap(void *at, size_t size);

/* With 64-bit offsets they have other names. */
#define ALIAS(name) extern __typeof__(__wrap_##name) __wrap_##name##64
ALIAS(open) __attribute__((alias("__wrap_open")));
ALIAS(mmap) __attribute__((alias("__wrap_mmap")));

/* ---- which files are ours ---- */

enum { FILES_MAX = 4096, MAPPINGS_MAX = 256 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static ino_t dmabufs[FILES_MAX];
static size_t dmabuf_count;
static ino_t heap_file;

static ino_t inode(int fd)
{
    struct stat s;

    return fd >= 0 && fstat(fd, &s) == 0 ? s.st_ino : 0;
}

static bool is_dmabuf(int fd)
{
    ino_t file = inode(fd);

    for (size_t i = 0; i < dmabuf_count && file; i++)
        if (dmabufs[i] == file)
            return true;
    return false;
}

int fake_dmabuf(size_t size)
{
    int fd = memfd_create("fake dma-buf", MFD_CLOEXEC);

    if (fd < 0 || ftruncate(fd, (off_t)size))
        abort();
    pthread_mutex_lock(&lock);
    /* Numbers of files come back: it may be there already. */
    if (!is_dmabuf(fd)) {
        if (dmabuf_count == FILES_MAX)
            abort();
        dmabufs[dmabuf_count++] = inode(fd);
    }
    pthread_mutex_unlock(&lock);
    return fd;
}

void *fake_device_map(int fd, size_t size)
{
    return __real_mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

/* ---- mappings, which are copies ---- */

static struct mapping {
    uint8_t *data;
    size_t size;
    ino_t file;
} mappings[MAPPINGS_MAX];

static void move(int fd, bool out)
{
    ino_t file = inode(fd);

    for (int i = 0; i < MAPPINGS_MAX; i++) {
        struct mapping *m = &mappings[i];
        if (!m->data || m->file != file)
            continue;
        uint8_t *device = fake_device_map(fd, m->size);
        if (device == MAP_FAILED)
            abort();
        memcpy(out ? device : m->data, out ? m->data : device, m->size);
        __real_munmap(device, m->size);
    }
}

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, off_t offset)
{
    pthread_mutex_lock(&lock);
    bool ours = is_dmabuf(fd);
    pthread_mutex_unlock(&lock);
    if (!ours)
        return __real_mmap(at, size, protection, flags, fd, offset);
    if (fake_kernel.map_error) {
        errno = fake_kernel.map_error;
        return MAP_FAILED;
    }
    void *copy = __real_mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (copy == MAP_FAILED)
        return copy;
    memset(copy, 0xdd, size); /* what it has before the first access is nobody's business */
    pthread_mutex_lock(&lock);
    int i = 0;
    while (i < MAPPINGS_MAX && mappings[i].data)
        i++;
    if (i == MAPPINGS_MAX)
        abort();
    mappings[i] = (struct mapping){ copy, size, inode(fd) };
    fake_kernel.mapped++;
    pthread_mutex_unlock(&lock);
    return copy;
}

int __wrap_munmap(void *at, size_t size)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAPPINGS_MAX; i++)
        if (mappings[i].data == at) {
            mappings[i] = (struct mapping){ .data = NULL };
            fake_kernel.mapped--;
        }
    pthread_mutex_unlock(&lock);
    return __real_munmap(at, size);
}

/* ---- heaps ---- */

#define HEAPS "/dev/dma_heap/"

int __wrap_open(const char *path, int flags, ...)
{
    mode_t mode = 0;
    va_list ap;

    if (flags & O_CREAT) {
        va_start(ap, flags);
        mode = (mode_t)va_arg(ap, unsigned);
        va_end(ap);
    }
    if (strncmp(path, HEAPS, strlen(HEAPS)))
        return __real_open(path, flags, mode);
    errno = ENOENT;
    if (!fake_kernel.heap || strcmp(path + strlen(HEAPS), fake_kernel.heap))
        return -1;
    errno = fake_kernel.open_error;
    if (fake_kernel.open_error)
        return -1;
    int fd = memfd_create("fake heap", MFD_CLOEXEC);
    heap_file = inode(fd);
    return fd;
}

static int allocate(struct dma_heap_allocation_data *wanted)
{
    errno = fake_kernel.alloc_error;
    if (fake_kernel.alloc_error)
        return -1;
    if (wanted->len % 4096 || wanted->fd_flags != (O_RDWR | O_CLOEXEC) || wanted->heap_flags ||
        wanted->fd)
        abort(); /* a kernel would refuse, or might one day */
    wanted->fd = (uint32_t)fake_dmabuf((size_t)wanted->len);
    fake_kernel.allocations++;
    return 0;
}

static int synchronise(int fd, const struct dma_buf_sync *sync)
{
    bool end = sync->flags & DMA_BUF_SYNC_END;

    if (!(sync->flags & DMA_BUF_SYNC_RW) || sync->flags & ~(uint64_t)DMA_BUF_SYNC_VALID_FLAGS_MASK)
        abort();
    errno = fake_kernel.sync_error;
    if (fake_kernel.sync_error)
        return -1;
    if ((fake_kernel.starts + fake_kernel.ends + fake_kernel.restarts) % 5 == 4) {
        fake_kernel.restarts++;
        errno = EINTR;
        return -1;
    }
    *(end ? &fake_kernel.ends : &fake_kernel.starts) += 1;
    /* To start for writing alone cleans nothing out of the cache. */
    if (!end && sync->flags & DMA_BUF_SYNC_READ)
        move(fd, false);
    if (end && sync->flags & DMA_BUF_SYNC_WRITE)
        move(fd, true);
    return 0;
}

int __wrap_ioctl(int fd, unsigned long request, ...)
{
    va_list ap;

    va_start(ap, request);
    void *argument = va_arg(ap, void *);
    va_end(ap);
    pthread_mutex_lock(&lock);
    int r;
    if (request == DMA_HEAP_IOCTL_ALLOC && inode(fd) == heap_file) {
        pthread_mutex_unlock(&lock); /* fake_dmabuf() takes it */
        return allocate(argument);
    }
    if (request == DMA_BUF_IOCTL_SYNC && is_dmabuf(fd))
        r = synchronise(fd, argument);
    else
        r = __real_ioctl(fd, request, argument);
    pthread_mutex_unlock(&lock);
    return r;
}
