/* Dma-bufs and sync files for a device that has neither: memory of files, whose mapping the real
 * device imports, and descriptors of work that has been waited for. */
#define _GNU_SOURCE /* memfd_create() */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "mock_internal.h"

enum { PAGE = 4096, EXTENSIONS_MAX = 512 };

#define DMA_BUF VK_EXTERNAL_MEMORY_HANDLE_TYPE_DMA_BUF_BIT_EXT
#define HOST    VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT

/* ---- what is offered ---- */

/* Those that a mock_device decides on. */
static bool decided(const char *name)
{
    return !strcmp(name, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME) ||
           !strcmp(name, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME) ||
           !strcmp(name, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) ||
           !strcmp(name, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME);
}

static bool real_has(const VkExtensionProperties *list, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(list[i].extensionName, name))
            return true;
    return false;
}

VKAPI_ATTR VkResult VKAPI_CALL mock_EnumerateDeviceExtensionProperties(VkPhysicalDevice device,
                                                                       const char *layer,
                                                                       uint32_t *count,
                                                                       VkExtensionProperties *out)
{
    static VkExtensionProperties list[EXTENSIONS_MAX];
    const struct mock_device *d = mock_device_of(device);
    const struct {
        bool on;
        const char *name;
    } ours[] = {
        { d->host_import, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME },
        { d->dma_buf, VK_EXT_EXTERNAL_MEMORY_DMA_BUF_EXTENSION_NAME },
        { d->sync_fd, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME },
        { d->foreign, VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME },
    };
    uint32_t real = EXTENSIONS_MAX, n = 0;
    VkResult r = mock_step("vkEnumerateDeviceExtensionProperties");

    r = r ? r : REAL(EnumerateDeviceExtensionProperties)(mock_real_device(), layer, &real, list);
    if (r)
        return r;
    bool able = real_has(list, real, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    for (uint32_t i = 0; i < real; i++)
        if (!decided(list[i].extensionName))
            list[n++] = list[i];
    for (size_t i = 0; i < sizeof ours / sizeof *ours && able; i++)
        if (ours[i].on) {
            list[n] = (VkExtensionProperties){ .specVersion = 1 };
            strcpy(list[n++].extensionName, ours[i].name);
        }
    if (out)
        memcpy(out, list, (*count < n ? *count : n) * sizeof *out);
    *count = n;
    return VK_SUCCESS;
}

/* VK_EXT_queue_family_foreign is enabled. */
static bool foreign;

void mock_real_extensions(VkDeviceCreateInfo *info, const char **names)
{
    uint32_t n = 0;
    bool wanted = false;

    foreign = false;
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++)
        foreign |=
            !strcmp(info->ppEnabledExtensionNames[i], VK_EXT_QUEUE_FAMILY_FOREIGN_EXTENSION_NAME);
    for (uint32_t i = 0; i < info->enabledExtensionCount; i++) {
        if (decided(info->ppEnabledExtensionNames[i]))
            wanted = true;
        else
            names[n++] = info->ppEnabledExtensionNames[i];
    }
    /* Whatever stands on it. */
    if (wanted)
        names[n++] = VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME;
    info->enabledExtensionCount = n;
    info->ppEnabledExtensionNames = names;
}

VKAPI_ATTR void VKAPI_CALL mock_GetPhysicalDeviceExternalBufferProperties(
    VkPhysicalDevice device, const VkPhysicalDeviceExternalBufferInfo *info,
    VkExternalBufferProperties *out)
{
    REAL(GetPhysicalDeviceExternalBufferProperties)(mock_real_device(), info, out);
    if (info->handleType != DMA_BUF)
        return;
    out->externalMemoryProperties = (VkExternalMemoryProperties){
        .externalMemoryFeatures =
            VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT | VK_EXTERNAL_MEMORY_FEATURE_EXPORTABLE_BIT,
        .compatibleHandleTypes = DMA_BUF,
    };
    if (mock_device_of(device)->dedicated)
        out->externalMemoryProperties.externalMemoryFeatures |=
            VK_EXTERNAL_MEMORY_FEATURE_DEDICATED_ONLY_BIT;
}

VKAPI_ATTR void VKAPI_CALL mock_GetPhysicalDeviceExternalSemaphoreProperties(
    VkPhysicalDevice device, const VkPhysicalDeviceExternalSemaphoreInfo *info,
    VkExternalSemaphoreProperties *out)
{
    bool able = info->handleType == VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT;

    out->externalSemaphoreFeatures =
        able && mock_device_of(device)->sync_fd ? VK_EXTERNAL_SEMAPHORE_FEATURE_EXPORTABLE_BIT : 0;
}

/* ---- memory ---- */

static VkResult map_file(struct mock_file *file, int fd)
{
    file->size = (file->size + PAGE - 1) / PAGE * PAGE;
    if (mock.map)
        file->data = mock.map(fd, file->size);
    else
        file->data = mmap(NULL, file->size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (file->data != MAP_FAILED)
        return VK_SUCCESS;
    file->data = NULL;
    return VK_ERROR_INVALID_EXTERNAL_HANDLE;
}

VkResult mock_file_open(struct mock_file *file, VkMemoryAllocateInfo *info,
                        VkImportMemoryHostPointerInfoEXT *host)
{
    const VkImportMemoryFdInfoKHR *import = NULL;
    const VkMemoryDedicatedAllocateInfo *dedicated = NULL;
    bool export = false, other = false;
    VkResult r = VK_SUCCESS;

    for (const VkBaseInStructure *s = info->pNext; s; s = s->pNext) {
        if (s->sType == VK_STRUCTURE_TYPE_IMPORT_MEMORY_FD_INFO_KHR)
            import = (const VkImportMemoryFdInfoKHR *)s;
        else if (s->sType == VK_STRUCTURE_TYPE_EXPORT_MEMORY_ALLOCATE_INFO)
            export = true;
        else if (s->sType == VK_STRUCTURE_TYPE_MEMORY_DEDICATED_ALLOCATE_INFO)
            dedicated = (const VkMemoryDedicatedAllocateInfo *)s;
        else
            other = true;
    }
    if (other || (!import && !export))
        return VK_SUCCESS;
    if (mock_taken->dedicated && (!dedicated || !dedicated->buffer))
        mock_violation("a dma-buf that is not one buffer's alone");
    file->size = (size_t)info->allocationSize;
    if (export) {
        file->fd = memfd_create("mock dma-buf", MFD_CLOEXEC);
        if (file->fd < 0 || ftruncate(file->fd, (off_t)((file->size + PAGE - 1) / PAGE * PAGE)))
            abort();
    } else if (import->handleType != DMA_BUF) {
        mock_violation("a descriptor that is no dma-buf's");
    }
    r = map_file(file, export ? file->fd : import->fd);
    if (r) {
        mock_file_close(file);
        return r;
    }
    *host = (VkImportMemoryHostPointerInfoEXT){
        .sType = VK_STRUCTURE_TYPE_IMPORT_MEMORY_HOST_POINTER_INFO_EXT,
        .handleType = HOST,
        .pHostPointer = file->data,
    };
    info->pNext = host;
    info->allocationSize = file->size;
    return VK_SUCCESS;
}

void mock_file_close(struct mock_file *file)
{
    if (file->data)
        munmap(file->data, file->size);
    if (file->fd >= 0 && file->data)
        close(file->fd);
    *file = (struct mock_file){ .fd = -1 };
}

VKAPI_ATTR VkResult VKAPI_CALL mock_GetMemoryFdKHR(VkDevice device,
                                                   const VkMemoryGetFdInfoKHR *info, int *fd)
{
    const struct mock_file *file = mock_file_of(info->memory);
    VkResult r = mock_step("vkGetMemoryFdKHR");

    (void)device;
    if (!file || file->fd < 0 || info->handleType != DMA_BUF) {
        mock_violation("memory is exported that was not made for it");
        abort();
    }
    if (!r && mock.no_fds)
        r = VK_ERROR_TOO_MANY_OBJECTS;
    if (!r)
        *fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    return r;
}

VKAPI_ATTR VkResult VKAPI_CALL mock_GetMemoryFdPropertiesKHR(
    VkDevice device, VkExternalMemoryHandleTypeFlagBits type, int fd, VkMemoryFdPropertiesKHR *out)
{
    VkResult r = mock_step("vkGetMemoryFdPropertiesKHR");

    (void)device;
    if (type != DMA_BUF)
        mock_violation("properties of what is no dma-buf");
    /* A pipe is none, either. */
    if (!r && lseek(fd, 0, SEEK_CUR) < 0)
        r = VK_ERROR_INVALID_EXTERNAL_HANDLE;
    out->memoryTypeBits = 1;
    return r;
}

/* ---- whose a buffer is ---- */

enum { BUFFERS_MAX = 64 };

/* Those that are this device's just now. */
static VkBuffer owned[BUFFERS_MAX];

static VkBuffer *find_owned(VkBuffer buffer)
{
    for (int i = 0; i < BUFFERS_MAX; i++)
        if (owned[i] == buffer)
            return &owned[i];
    return NULL;
}

/* The other side of a transfer. */
static void check_family(uint32_t family)
{
    if (family != (foreign ? VK_QUEUE_FAMILY_FOREIGN_EXT : VK_QUEUE_FAMILY_EXTERNAL))
        mock_violation("a buffer goes to or comes from the wrong family");
}

VkBufferMemoryBarrier mock_own(const VkBufferMemoryBarrier *barrier, VkPipelineStageFlags stages)
{
    VkBufferMemoryBarrier real = *barrier;
    VkBuffer *at = find_owned(barrier->buffer);
    const uint32_t from = barrier->srcQueueFamilyIndex, to = barrier->dstQueueFamilyIndex;
    bool acquire = to < MOCK_FAMILIES_MAX;

    if (from == to)
        return real;
    if (stages & VK_PIPELINE_STAGE_HOST_BIT)
        mock_violation("a buffer changes hands at the host's stage");
    check_family(acquire ? from : to);
    if (acquire == (at != NULL))
        mock_violation(acquire ? "a buffer is acquired twice" : "a buffer is released twice");
    if (acquire && !at)
        at = find_owned(VK_NULL_HANDLE);
    if (!at)
        abort();
    *at = acquire ? barrier->buffer : VK_NULL_HANDLE;
    mock.acquired += acquire;
    mock.released += !acquire;
    real.srcQueueFamilyIndex = acquire ? VK_QUEUE_FAMILY_EXTERNAL : mock_real_family();
    real.dstQueueFamilyIndex = acquire ? mock_real_family() : VK_QUEUE_FAMILY_EXTERNAL;
    return real;
}

/* ---- semaphores ---- */

enum { SEMAPHORES_MAX = 32 };

/* Those that are made for export, and stay here; null: none. All others are the real device's. */
static VkSemaphore exportable[SEMAPHORES_MAX];
/* One that is signalled must not be again before that is taken from it. */
static VkSemaphore signalled;

/* Where it is among them. */
static VkSemaphore *find_exportable(VkSemaphore semaphore)
{
    for (int i = 0; i < SEMAPHORES_MAX; i++)
        if (exportable[i] == semaphore)
            return &exportable[i];
    return NULL;
}

VKAPI_ATTR VkResult VKAPI_CALL mock_CreateSemaphore(VkDevice device,
                                                    const VkSemaphoreCreateInfo *info,
                                                    const VkAllocationCallbacks *allocator,
                                                    VkSemaphore *out)
{
    const VkSemaphoreCreateInfo plain = { .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO };
    const VkExportSemaphoreCreateInfo *as = info->pNext;
    bool export = as && as->sType == VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO;
    VkResult r = mock_step("vkCreateSemaphore");

    if (export && as->handleTypes != VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT)
        mock_violation("a semaphore that can't be exported");
    r = r ? r : REAL(CreateSemaphore)(device, export ? &plain : info, allocator, out);
    if (r)
        return r;
    mock.live++;
    if (export) {
        VkSemaphore *at = find_exportable(VK_NULL_HANDLE);
        if (!at)
            abort();
        *at = *out;
    }
    return r;
}

VKAPI_ATTR void VKAPI_CALL mock_DestroySemaphore(VkDevice device, VkSemaphore semaphore,
                                                 const VkAllocationCallbacks *allocator)
{
    VkSemaphore *at = semaphore ? find_exportable(semaphore) : NULL;

    mock.live -= semaphore != VK_NULL_HANDLE;
    if (semaphore == signalled)
        signalled = VK_NULL_HANDLE;
    if (at)
        *at = VK_NULL_HANDLE;
    REAL(DestroySemaphore)(device, semaphore, allocator);
}

VKAPI_ATTR VkResult VKAPI_CALL mock_QueueSubmit(VkQueue queue, uint32_t count,
                                                const VkSubmitInfo *infos, VkFence fence)
{
    VkSubmitInfo info = infos[0];
    const VkTimelineSemaphoreSubmitInfo *values = info.pNext;
    VkTimelineSemaphoreSubmitInfo real_values;
    VkSemaphore others[SEMAPHORES_MAX];
    uint64_t other_values[SEMAPHORES_MAX];
    uint32_t n = 0;
    VkResult r = mock_step("vkQueueSubmit");

    if (count != 1 || info.signalSemaphoreCount > SEMAPHORES_MAX)
        abort(); /* not needed so far */
    if (values && values->signalSemaphoreValueCount != info.signalSemaphoreCount)
        mock_violation("values of other semaphores than are signalled");
    for (uint32_t i = 0; i < info.signalSemaphoreCount && !r; i++) {
        VkSemaphore semaphore = info.pSignalSemaphores[i];
        if (find_exportable(semaphore)) {
            if (semaphore == signalled)
                mock_violation("a semaphore is signalled twice");
            signalled = semaphore;
            continue;
        }
        other_values[n] = values ? values->pSignalSemaphoreValues[i] : 0;
        others[n++] = semaphore;
    }
    info.signalSemaphoreCount = n;
    info.pSignalSemaphores = others;
    if (values) {
        real_values = *values;
        real_values.signalSemaphoreValueCount = n;
        real_values.pSignalSemaphoreValues = other_values;
        info.pNext = &real_values;
    }
    return r ? r : REAL(QueueSubmit)(queue, 1, &info, fence);
}

VKAPI_ATTR VkResult VKAPI_CALL mock_GetSemaphoreFdKHR(VkDevice device,
                                                      const VkSemaphoreGetFdInfoKHR *info, int *fd)
{
    VkResult r = mock_step("vkGetSemaphoreFdKHR");

    if (info->semaphore != signalled)
        mock_violation("a semaphore is exported that nothing signals");
    if (!r && mock.no_fds)
        r = VK_ERROR_TOO_MANY_OBJECTS;
    /* The real work ends all the same, since its memory may be taken away after a failure. */
    if (r || mock.fence == MOCK_FENCE_REAL)
        REAL(DeviceWaitIdle)(device);
    if (r)
        return r;
    signalled = VK_NULL_HANDLE;
    /* Work that is held back holds the descriptor back, too. */
    *fd = mock.sync_fd_late ? -1 : eventfd(mock.fence == MOCK_FENCE_REAL, EFD_CLOEXEC);
    return VK_SUCCESS;
}
