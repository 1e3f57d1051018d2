/*
 * A do-nothing V3D DRM device, as an LD_PRELOAD library.
 *
 * It lets the Mesa v3dv driver start, create a device and compile pipelines
 * on a machine without a V3D.  Nothing is executed: a submission completes at
 * once, signals its sync objects and leaves every buffer as it was.
 *
 * How it works
 *  - libdrm's device enumeration is replaced, so no sysfs tree is faked: one
 *    platform device with a primary and a render node is reported.
 *  - Opening one of the nodes gives a duplicate of one memfd.  Buffer objects
 *    are ranges of that file, so the driver's own mmap() works unchanged.
 *  - ioctl() calls on that file are answered here.  Sync objects keep their
 *    state: the driver submits from a thread of its own, so a wait that ended
 *    before the submission would let it free what that thread still uses.
 *
 * V3D_NOOP_VER selects the GPU: 71 (default) or 42.
 * V3D_NOOP_TRACE=1 prints each ioctl number to stderr.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <drm/v3d_drm.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <xf86drm.h>

#define PRIMARY_NODE "/dev/dri/card0"
#define RENDER_NODE  "/dev/dri/renderD128"
#define MAX_BO       65536u
#define MAX_SYNC     65536u
#define BO_ALIGN     4096u

/* Numbers that older copies of v3d_drm.h lack. */
enum {
    SUBMIT_CPU = 0x0b,
    PERFMON_GET_COUNTER = 0x0c,
    PARAM_SUPPORTS_CPU_QUEUE = 12,
};
struct submit_cpu {
    uint64_t bo_handles;
    uint32_t bo_handle_count, flags;
    uint64_t extensions;
};

/* Identity registers.  Core IDENT0[31:24] is the major version; core IDENT1
 * holds the minor version [3:0], slices [7:4], QPUs a slice [11:8] and the
 * VPM size [31:28]; hub IDENT3 holds the revision [15:8].  The values are the
 * ones Mesa's own tests use, but 7.1 has 3 slices here, for the Pi 5's 12 QPUs;
 * the compiler's output does not depend on that. */
struct ident {
    uint32_t uifcfg, hub1, hub2, hub3, core0, core1, core2;
};

static const struct ident ident_71 = {
    .uifcfg = 0x45,
    .hub1 = 0x00081117,
    .hub2 = 0x1900,
    .hub3 = 0x0700,
    .core0 = 0x07443356,
    .core1 = 0x81001431,
    .core2 = 0xc0078101,
};
static const struct ident ident_42 = {
    .uifcfg = 0x45,
    .hub1 = 0x000e1124,
    .hub2 = 0x0100,
    .hub3 = 0x0e00,
    .core0 = 0x04443356,
    .core1 = 0x81001422,
    .core2 = 0x40078121,
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int store_fd = -1; /* the memfd behind both nodes */
static struct stat store_stat;
static uint64_t store_size = BO_ALIGN; /* offset 0 stays unused */
static uint64_t bo_offset[MAX_BO];     /* by handle; 0: no such buffer */
static uint32_t bo_count;
static uint32_t perfmon_count;
static enum { SYNC_FREE, SYNC_UNSIGNALED, SYNC_SIGNALED } sync_state[MAX_SYNC];
static pthread_cond_t sync_changed;
static pthread_once_t sync_once = PTHREAD_ONCE_INIT;

static const struct ident *ident(void)
{
    const char *ver = getenv("V3D_NOOP_VER");
    return ver && !strcmp(ver, "42") ? &ident_42 : &ident_71;
}

/* ---- the two nodes ---- */

static bool is_node(const char *path)
{
    return path && (!strcmp(path, PRIMARY_NODE) || !strcmp(path, RENDER_NODE));
}

static int open_node(void)
{
    int fd = -1;
    pthread_mutex_lock(&lock);
    if (store_fd < 0) {
        store_fd = memfd_create("v3d-noop", MFD_CLOEXEC);
        if (store_fd >= 0 &&
            (ftruncate(store_fd, (off_t)store_size) || fstat(store_fd, &store_stat))) {
            close(store_fd);
            store_fd = -1;
        }
    }
    if (store_fd >= 0)
        fd = fcntl(store_fd, F_DUPFD_CLOEXEC, 0);
    pthread_mutex_unlock(&lock);
    return fd;
}

static bool is_ours(int fd)
{
    struct stat st;
    return store_fd >= 0 && !fstat(fd, &st) && st.st_dev == store_stat.st_dev &&
           st.st_ino == store_stat.st_ino;
}

#define OPEN_WRAPPER(name)                                                                         \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        mode_t mode = 0;                                                                           \
        if (flags & (O_CREAT | O_TMPFILE)) {                                                       \
            va_list ap;                                                                            \
            va_start(ap, flags);                                                                   \
            mode = va_arg(ap, mode_t);                                                             \
            va_end(ap);                                                                            \
        }                                                                                          \
        if (is_node(path))                                                                         \
            return open_node();                                                                    \
        return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);                              \
    }
OPEN_WRAPPER(open)
OPEN_WRAPPER(open64)

/* ---- libdrm's enumeration ---- */

/* One allocation holds the device and all that it points to. */
struct fake_device {
    drmDevice dev;
    char *nodes[DRM_NODE_MAX];
    drmPlatformBusInfo bus;
    drmPlatformDeviceInfo info;
    char *compatible[2];
    char primary[sizeof PRIMARY_NODE], render[sizeof RENDER_NODE], name[16];
};

static drmDevicePtr make_device(void)
{
    struct fake_device *f = calloc(1, sizeof *f);
    if (!f)
        return NULL;
    strcpy(f->primary, PRIMARY_NODE);
    strcpy(f->render, RENDER_NODE);
    strcpy(f->name, ident() == &ident_42 ? "brcm,2711-v3d" : "brcm,2712-v3d");
    strcpy(f->bus.fullname, "/v3dbus/v3d");
    f->compatible[0] = f->name;
    f->info.compatible = f->compatible;
    f->nodes[DRM_NODE_PRIMARY] = f->primary;
    f->nodes[DRM_NODE_RENDER] = f->render;
    f->dev.nodes = f->nodes;
    f->dev.available_nodes = 1 << DRM_NODE_PRIMARY | 1 << DRM_NODE_RENDER;
    f->dev.bustype = DRM_BUS_PLATFORM;
    f->dev.businfo.platform = &f->bus;
    f->dev.deviceinfo.platform = &f->info;
    return &f->dev;
}

int drmGetDevices2(uint32_t flags, drmDevicePtr devices[], int max)
{
    (void)flags;
    if (!devices)
        return 1;
    if (max < 1)
        return 0;
    devices[0] = make_device();
    return devices[0] ? 1 : -ENOMEM;
}

int drmGetDevices(drmDevicePtr devices[], int max)
{
    return drmGetDevices2(0, devices, max);
}

int drmGetDevice2(int fd, uint32_t flags, drmDevicePtr *device)
{
    (void)flags;
    if (!is_ours(fd))
        return -ENODEV;
    *device = make_device();
    return *device ? 0 : -ENOMEM;
}

void drmFreeDevice(drmDevicePtr *device)
{
    if (device) {
        free(*device); /* the device is the first member of its allocation */
        *device = NULL;
    }
}

void drmFreeDevices(drmDevicePtr devices[], int count)
{
    for (int i = 0; devices && i < count; i++)
        drmFreeDevice(&devices[i]);
}

/* ---- ioctls ---- */

static void put_string(char *dst, __kernel_size_t *len, const char *s)
{
    size_t n = strlen(s);
    if (dst && *len)
        memcpy(dst, s, n < *len ? n : *len);
    *len = n;
}

static int get_param(struct drm_v3d_get_param *p)
{
    const struct ident *id = ident();
    switch ((unsigned)p->param) {
    case DRM_V3D_PARAM_V3D_UIFCFG:
        p->value = id->uifcfg;
        return 0;
    case DRM_V3D_PARAM_V3D_HUB_IDENT1:
        p->value = id->hub1;
        return 0;
    case DRM_V3D_PARAM_V3D_HUB_IDENT2:
        p->value = id->hub2;
        return 0;
    case DRM_V3D_PARAM_V3D_HUB_IDENT3:
        p->value = id->hub3;
        return 0;
    case DRM_V3D_PARAM_V3D_CORE0_IDENT0:
        p->value = id->core0;
        return 0;
    case DRM_V3D_PARAM_V3D_CORE0_IDENT1:
        p->value = id->core1;
        return 0;
    case DRM_V3D_PARAM_V3D_CORE0_IDENT2:
        p->value = id->core2;
        return 0;
    case DRM_V3D_PARAM_SUPPORTS_TFU:
    case DRM_V3D_PARAM_SUPPORTS_CSD:
    case DRM_V3D_PARAM_SUPPORTS_CACHE_FLUSH:
    case DRM_V3D_PARAM_SUPPORTS_PERFMON:
    case DRM_V3D_PARAM_SUPPORTS_MULTISYNC_EXT:
    case PARAM_SUPPORTS_CPU_QUEUE:
        p->value = 1;
        return 0;
    default:
        return EINVAL;
    }
}

static int create_bo(struct drm_v3d_create_bo *bo)
{
    uint64_t size = ((uint64_t)bo->size + BO_ALIGN - 1) & ~(uint64_t)(BO_ALIGN - 1);
    if (!size || bo_count + 1 >= MAX_BO || store_size + size > UINT32_MAX)
        return ENOMEM;
    if (ftruncate(store_fd, (off_t)(store_size + size)))
        return errno;
    bo->handle = ++bo_count;
    bo->offset = (uint32_t)store_size;
    bo_offset[bo->handle] = store_size;
    store_size += size;
    return 0;
}

static uint64_t find_bo(uint32_t handle)
{
    return handle < MAX_BO ? bo_offset[handle] : 0;
}

static int get_cap(struct drm_get_cap *cap)
{
    cap->value = 0;
    if (cap->capability == DRM_CAP_SYNCOBJ)
        cap->value = 1;
    else if (cap->capability == DRM_CAP_PRIME)
        cap->value = DRM_PRIME_CAP_IMPORT | DRM_PRIME_CAP_EXPORT;
    return 0;
}

/* ---- sync objects (the lock is held) ---- */

static void init_sync(void)
{
    pthread_condattr_t attr;
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC); /* as the waits' deadlines */
    pthread_cond_init(&sync_changed, &attr);
    pthread_condattr_destroy(&attr);
}

static bool is_sync(uint32_t handle)
{
    return handle < MAX_SYNC && sync_state[handle] != SYNC_FREE;
}

static int create_sync(bool signaled, uint32_t *handle)
{
    for (uint32_t h = 1; h < MAX_SYNC; h++)
        if (sync_state[h] == SYNC_FREE) {
            sync_state[h] = signaled ? SYNC_SIGNALED : SYNC_UNSIGNALED;
            *handle = h;
            return 0;
        }
    return ENOMEM;
}

static int set_syncs(uint64_t handles, uint32_t count, bool signaled)
{
    const uint32_t *h = (const uint32_t *)(uintptr_t)handles;
    for (uint32_t i = 0; i < count; i++)
        if (!is_sync(h[i]))
            return ENOENT;
    for (uint32_t i = 0; i < count; i++)
        sync_state[h[i]] = signaled ? SYNC_SIGNALED : SYNC_UNSIGNALED;
    pthread_cond_broadcast(&sync_changed);
    return 0;
}

static int wait_syncs(struct drm_syncobj_wait *w)
{
    const uint32_t *h = (const uint32_t *)(uintptr_t)w->handles;
    const bool all = w->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_ALL;
    const int64_t ns = w->timeout_nsec > 0 ? w->timeout_nsec : 0;
    const struct timespec deadline = {
        .tv_sec = (time_t)(ns / 1000000000),
        .tv_nsec = (long)(ns % 1000000000),
    };
    for (;;) {
        uint32_t done = 0;
        for (uint32_t i = w->count_handles; i-- > 0;) {
            if (!is_sync(h[i]))
                return ENOENT;
            if (sync_state[h[i]] == SYNC_SIGNALED) {
                done++;
                w->first_signaled = i;
            }
        }
        if (all ? done == w->count_handles : done > 0)
            return 0;
        /* Unsignaled means not submitted: nothing takes time here. */
        if (!(w->flags & DRM_SYNCOBJ_WAIT_FLAGS_WAIT_FOR_SUBMIT))
            return EINVAL;
        if (pthread_cond_timedwait(&sync_changed, &lock, &deadline) == ETIMEDOUT)
            return ETIME;
    }
}

/* Completes a submission: signals the one sync object of the older interface,
 * or those of the multi-sync extension. */
static int complete(uint32_t out_sync, uint64_t extensions)
{
    if (out_sync && is_sync(out_sync))
        sync_state[out_sync] = SYNC_SIGNALED;
    while (extensions) {
        const struct drm_v3d_extension *e = (const void *)(uintptr_t)extensions;
        if (e->id == DRM_V3D_EXT_ID_MULTI_SYNC) {
            const struct drm_v3d_multi_sync *m = (const void *)e;
            const struct drm_v3d_sem *sem = (const void *)(uintptr_t)m->out_syncs;
            for (uint32_t i = 0; i < m->out_sync_count; i++)
                if (is_sync(sem[i].handle))
                    sync_state[sem[i].handle] = SYNC_SIGNALED;
        }
        extensions = e->next;
    }
    pthread_cond_broadcast(&sync_changed);
    return 0;
}

/* Answers one ioctl; returns 0 or an errno value. */
static int answer(unsigned nr, void *arg)
{
    switch (nr) {
    case _IOC_NR(DRM_IOCTL_VERSION): {
        struct drm_version *v = arg;
        v->version_major = 1;
        v->version_minor = 0;
        v->version_patchlevel = 0;
        put_string(v->name, &v->name_len, "v3d");
        put_string(v->date, &v->date_len, "20180419");
        put_string(v->desc, &v->desc_len, "no-op V3D");
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_GET_CAP):
        return get_cap(arg);
    case _IOC_NR(DRM_IOCTL_GEM_CLOSE): {
        struct drm_gem_close *c = arg;
        if (!find_bo(c->handle))
            return EINVAL;
        bo_offset[c->handle] = 0; /* its range is not used again */
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_CREATE): {
        struct drm_syncobj_create *c = arg;
        return create_sync(c->flags & DRM_SYNCOBJ_CREATE_SIGNALED, &c->handle);
    }
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_DESTROY): {
        struct drm_syncobj_destroy *d = arg;
        if (!is_sync(d->handle))
            return EINVAL;
        sync_state[d->handle] = SYNC_FREE;
        return 0;
    }
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_WAIT):
        return wait_syncs(arg);
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_RESET):
    case _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL): {
        struct drm_syncobj_array *a = arg;
        return set_syncs(a->handles, a->count_handles, nr == _IOC_NR(DRM_IOCTL_SYNCOBJ_SIGNAL));
    }
    case DRM_COMMAND_BASE + DRM_V3D_SUBMIT_CL: {
        const struct drm_v3d_submit_cl *c = arg;
        return complete(c->out_sync, c->flags & DRM_V3D_SUBMIT_EXTENSION ? c->extensions : 0);
    }
    case DRM_COMMAND_BASE + DRM_V3D_SUBMIT_TFU: {
        const struct drm_v3d_submit_tfu *t = arg;
        return complete(t->out_sync, t->flags & DRM_V3D_SUBMIT_EXTENSION ? t->extensions : 0);
    }
    case DRM_COMMAND_BASE + DRM_V3D_SUBMIT_CSD: {
        const struct drm_v3d_submit_csd *c = arg;
        return complete(c->out_sync, c->flags & DRM_V3D_SUBMIT_EXTENSION ? c->extensions : 0);
    }
    case DRM_COMMAND_BASE + SUBMIT_CPU: {
        const struct submit_cpu *c = arg;
        return complete(0, c->flags & DRM_V3D_SUBMIT_EXTENSION ? c->extensions : 0);
    }
    case DRM_COMMAND_BASE + DRM_V3D_GET_PARAM:
        return get_param(arg);
    case DRM_COMMAND_BASE + DRM_V3D_CREATE_BO:
        return create_bo(arg);
    case DRM_COMMAND_BASE + DRM_V3D_MMAP_BO: {
        struct drm_v3d_mmap_bo *m = arg;
        m->offset = find_bo(m->handle);
        return m->offset ? 0 : ENOENT;
    }
    case DRM_COMMAND_BASE + DRM_V3D_GET_BO_OFFSET: {
        struct drm_v3d_get_bo_offset *g = arg;
        g->offset = (uint32_t)find_bo(g->handle);
        return g->offset ? 0 : ENOENT;
    }
    case DRM_COMMAND_BASE + DRM_V3D_PERFMON_CREATE: {
        struct drm_v3d_perfmon_create *p = arg;
        p->id = ++perfmon_count;
        return 0;
    }
    case DRM_COMMAND_BASE + PERFMON_GET_COUNTER:
        return EINVAL; /* the driver then uses its own tables */
    default:
        /* Waits for buffers and the rest of the V3D range succeed; sharing
         * buffers or sync objects by file descriptor is not offered. */
        return nr >= DRM_COMMAND_BASE && nr < DRM_COMMAND_END ? 0 : EOPNOTSUPP;
    }
}

int ioctl(int fd, unsigned long request, ...)
{
    va_list ap;
    va_start(ap, request);
    void *arg = va_arg(ap, void *);
    va_end(ap);
    if (_IOC_TYPE(request) != DRM_IOCTL_BASE || !is_ours(fd))
        return (int)syscall(SYS_ioctl, fd, request, arg);

    unsigned nr = _IOC_NR(request);
    pthread_once(&sync_once, init_sync);
    pthread_mutex_lock(&lock);
    int err = answer(nr, arg);
    pthread_mutex_unlock(&lock);
    if (getenv("V3D_NOOP_TRACE"))
        fprintf(stderr, "v3d-noop: ioctl 0x%02x: %s\n", nr, err ? strerror(err) : "ok");
    if (!err)
        return 0;
    errno = err;
    return -1;
}
