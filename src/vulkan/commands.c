/* F_DUPFD_CLOEXEC */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static enum qpel_result made(struct qvk_device *d, char *reason, VkResult result, const char *call)
{
    return reason ? qvk_check_open(d->health->log, reason, result, call)
                  : qvk_check(d->health, result, call);
}
#define MADE(d, reason, call) made(d, reason, call, #call)

enum qpel_result qvk_commands_open(struct qvk_commands *c, struct qvk_device *d, char *reason)
{
    memset(c, 0, sizeof *c);
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .flags = VK_COMMAND_POOL_CREATE_TRANSIENT_BIT,
        .queueFamilyIndex = d->at.family,
    };
    enum qpel_result r =
        MADE(d, reason, d->vk.vkCreateCommandPool(d->handle, &pool, NULL, &c->pool));
    if (r) {
        c->pool = VK_NULL_HANDLE;
        return r;
    }
    VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .commandPool = c->pool,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkFenceCreateInfo fence = { .sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO };
    r = MADE(d, reason, d->vk.vkAllocateCommandBuffers(d->handle, &buffer, &c->buffer));
    if (!r) {
        r = MADE(d, reason, d->vk.vkCreateFence(d->handle, &fence, NULL, &c->fence));
        if (r)
            c->fence = VK_NULL_HANDLE;
    }
    if (r)
        qvk_commands_close(c, d);
    return r;
}

/* The last submission's descriptor is nobody's any more. */
static void forget_fd(struct qvk_commands *c)
{
    if (c->exported && c->fd >= 0)
        close(c->fd);
    c->exported = false;
}

static void destroy_semaphore(struct qvk_commands *c, struct qvk_device *d)
{
    if (c->ended)
        d->vk.vkDestroySemaphore(d->handle, c->ended, NULL);
    c->ended = VK_NULL_HANDLE;
    c->unfit = false;
}

void qvk_commands_close(struct qvk_commands *c, struct qvk_device *d)
{
    forget_fd(c);
    destroy_semaphore(c, d);
    qvk_stamps_close(&c->stamps, d);
    if (c->fence)
        d->vk.vkDestroyFence(d->handle, c->fence, NULL);
    if (c->pool)
        d->vk.vkDestroyCommandPool(d->handle, c->pool, NULL);
    memset(c, 0, sizeof *c);
}

/* ---- barriers ---- */

static void barrier(const struct qvk_device *d, VkCommandBuffer commands, VkPipelineStageFlags from,
                    VkAccessFlags written, VkPipelineStageFlags to, VkAccessFlags seen)
{
    VkMemoryBarrier memory = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = written,
        .dstAccessMask = seen,
    };
    d->vk.vkCmdPipelineBarrier(commands, from, to, 0, 1, &memory, 0, NULL, 0, NULL);
}

#define SHADER VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT
#define HOST   VK_PIPELINE_STAGE_HOST_BIT

/* Also for what earlier submissions wrote: V3D's driver had bugs with barriers at a command
 * buffer's end. */
void qvk_barrier_first(const struct qvk_device *d, VkCommandBuffer commands)
{
    barrier(d, commands, HOST | SHADER, VK_ACCESS_HOST_WRITE_BIT | VK_ACCESS_SHADER_WRITE_BIT,
            SHADER, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void qvk_barrier_between(const struct qvk_device *d, VkCommandBuffer commands)
{
    barrier(d, commands, SHADER, VK_ACCESS_SHADER_WRITE_BIT, SHADER,
            VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
}

void qvk_barrier_last(const struct qvk_device *d, VkCommandBuffer commands)
{
    barrier(d, commands, SHADER, VK_ACCESS_SHADER_WRITE_BIT, HOST,
            VK_ACCESS_HOST_READ_BIT | VK_ACCESS_HOST_WRITE_BIT);
}

/* No stage of the host's may be in such a barrier. The shader's on either side chains it to the
 * barriers around, to semaphores, and a release to the next acquisition. */
void qvk_barrier_owner(const struct qvk_device *d, VkCommandBuffer commands,
                       const VkBuffer *buffers, uint32_t count, bool ours)
{
    const uint32_t others =
        d->on.family_foreign ? VK_QUEUE_FAMILY_FOREIGN_EXT : VK_QUEUE_FAMILY_EXTERNAL;
    VkBufferMemoryBarrier list[QVK_OWNED_MAX];
    for (uint32_t i = 0; i < count; i++)
        list[i] = (VkBufferMemoryBarrier){
            .sType = VK_STRUCTURE_TYPE_BUFFER_MEMORY_BARRIER,
            .srcAccessMask = ours ? 0 : VK_ACCESS_SHADER_WRITE_BIT,
            .dstAccessMask = ours ? VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT : 0,
            .srcQueueFamilyIndex = ours ? others : d->at.family,
            .dstQueueFamilyIndex = ours ? d->at.family : others,
            .buffer = buffers[i],
            .size = VK_WHOLE_SIZE,
        };
    if (count)
        d->vk.vkCmdPipelineBarrier(commands, SHADER, SHADER, 0, 0, NULL, count, list, 0, NULL);
}

/* ---- recording and submission ---- */

enum qpel_result qvk_commands_begin(struct qvk_commands *c, struct qvk_device *d)
{
    enum qpel_result r = QVK_CHECK(d->health, d->vk.vkResetCommandPool(d->handle, c->pool, 0));
    if (r)
        return r;
    VkCommandBufferBeginInfo begin = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    r = QVK_CHECK(d->health, d->vk.vkBeginCommandBuffer(c->buffer, &begin));
    if (r)
        return r;
    qvk_barrier_first(d, c->buffer);
    qvk_stamps_begin(&c->stamps, d, c->buffer);
    return QPEL_OK;
}

void qvk_commands_finish(struct qvk_commands *c, struct qvk_device *d)
{
    qvk_barrier_last(d, c->buffer);
    qvk_stamps_end(&c->stamps, d, c->buffer);
}

static void lock_queue(struct qvk_device *d)
{
    /* Not both: the caller may hold its own while a call of ours waits for it. */
    if (d->lock_queue)
        d->lock_queue(d->lock_user);
    else
        pthread_mutex_lock(&d->queue_lock);
}

static void unlock_queue(struct qvk_device *d)
{
    if (d->unlock_queue)
        d->unlock_queue(d->lock_user);
    else
        pthread_mutex_unlock(&d->queue_lock);
}

/* Those of the caller, and ours for the end. */
enum { SIGNALS_MAX = QPEL_VULKAN_SEMAPHORE_MAX + 1 };

/* As VkSubmitInfo has them. */
struct semaphores {
    VkSemaphore wait[QPEL_VULKAN_SEMAPHORE_MAX], signal[SIGNALS_MAX];
    uint64_t wait_value[QPEL_VULKAN_SEMAPHORE_MAX], signal_value[SIGNALS_MAX];
    VkPipelineStageFlags stage[QPEL_VULKAN_SEMAPHORE_MAX];
    VkTimelineSemaphoreSubmitInfo values;
};

/* After those that are there. */
static void add_semaphores(struct semaphores *s, VkSubmitInfo *info, const struct qvk_device *d,
                           const struct qpel_vulkan_semaphores *from)
{
    uint32_t ours = info->signalSemaphoreCount;
    for (uint32_t i = 0; i < from->wait_count; i++) {
        s->wait[i] = from->wait[i].semaphore;
        s->wait_value[i] = from->wait[i].value;
        s->stage[i] = SHADER;
    }
    for (uint32_t i = 0; i < ours; i++) {
        s->signal[i] = info->pSignalSemaphores[i];
        s->signal_value[i] = 0;
    }
    for (uint32_t i = 0; i < from->signal_count; i++) {
        s->signal[ours + i] = from->signal[i].semaphore;
        s->signal_value[ours + i] = from->signal[i].value;
    }
    info->waitSemaphoreCount = from->wait_count;
    info->pWaitSemaphores = s->wait;
    info->pWaitDstStageMask = s->stage;
    info->signalSemaphoreCount = ours + from->signal_count;
    info->pSignalSemaphores = s->signal;
    /* The values of binary ones are not looked at. */
    s->values = (VkTimelineSemaphoreSubmitInfo){
        .sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO,
        .waitSemaphoreValueCount = from->wait_count,
        .pWaitSemaphoreValues = s->wait_value,
        .signalSemaphoreValueCount = info->signalSemaphoreCount,
        .pSignalSemaphoreValues = s->signal_value,
    };
    if (d->timelines)
        info->pNext = &s->values;
}

/* The only vkQueueSubmit. */
enum qpel_result qvk_commands_submit(struct qvk_commands *c, struct qvk_device *d,
                                     const struct qpel_vulkan_semaphores *semaphores)
{
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &c->buffer,
        .signalSemaphoreCount = c->signals,
        .pSignalSemaphores = &c->ended,
    };
    struct semaphores added;
    if (semaphores)
        add_semaphores(&added, &info, d, semaphores);
    enum qpel_result r = QVK_CHECK(d->health, d->vk.vkEndCommandBuffer(c->buffer));
    if (!r)
        r = QVK_CHECK(d->health, d->vk.vkResetFences(d->handle, 1, &c->fence));
    if (r)
        return r;
    lock_queue(d);
    r = QVK_CHECK(d->health, d->vk.vkQueueSubmit(d->queue, 1, &info, c->fence));
    unlock_queue(d);
    c->pending = !r;
    c->unfit |= c->signals && !r;
    return r;
}

/* ---- a descriptor for the end ---- */

static enum qpel_result make_semaphore(struct qvk_commands *c, struct qvk_device *d)
{
    VkExportSemaphoreCreateInfo as = {
        .sType = VK_STRUCTURE_TYPE_EXPORT_SEMAPHORE_CREATE_INFO,
        .handleTypes = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
    };
    VkSemaphoreCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO,
        .pNext = &as,
    };
    enum qpel_result r =
        QVK_CHECK(d->health, d->vk.vkCreateSemaphore(d->handle, &info, NULL, &c->ended));
    if (r)
        c->ended = VK_NULL_HANDLE;
    return r;
}

enum qpel_result qvk_commands_signal(struct qvk_commands *c, struct qvk_device *d, bool wish,
                                     char reason[QPEL_REASON_SIZE])
{
    enum qpel_result r = QPEL_OK;
    forget_fd(c);
    c->signals = false;
    if (!wish)
        return QPEL_OK;
    if (!d->on.semaphore_fd || !d->at.sharing.sync_fd) {
        qpel_reason_set(reason, "the device has no descriptor that tells the end of its work");
        return QPEL_ERROR_UNSUPPORTED;
    }
    if (c->unfit)
        destroy_semaphore(c, d);
    if (!c->ended)
        r = make_semaphore(c, d);
    if (r)
        qpel_reason_set(reason, "no semaphore: %s", qpel_result_name(r));
    c->signals = !r;
    return r;
}

/* Takes the signal, which is on its way, from the semaphore. */
static enum qpel_result export_semaphore(struct qvk_commands *c, struct qvk_device *d)
{
    VkSemaphoreGetFdInfoKHR info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_GET_FD_INFO_KHR,
        .semaphore = c->ended,
        .handleType = VK_EXTERNAL_SEMAPHORE_HANDLE_TYPE_SYNC_FD_BIT,
    };
    enum qpel_result r = QVK_CHECK(d->health, d->vk.vkGetSemaphoreFdKHR(d->handle, &info, &c->fd));
    c->exported = !r;
    c->unfit &= !c->exported;
    return r;
}

enum qpel_result qvk_commands_fd(struct qvk_commands *c, struct qvk_device *d, int *fd)
{
    *fd = -1;
    enum qpel_result r = c->exported ? QPEL_OK : export_semaphore(c, d);
    if (r || c->fd < 0)
        return r;
    *fd = fcntl(c->fd, F_DUPFD_CLOEXEC, 0);
    return *fd < 0 ? QPEL_ERROR_NOMEM : QPEL_OK;
}

enum qpel_result qvk_commands_wait(struct qvk_commands *c, struct qvk_device *d,
                                   uint64_t timeout_ns)
{
    if (!c->pending)
        return QPEL_OK;
    bool look = timeout_ns == 0;
    VkResult v = look ? d->vk.vkGetFenceStatus(d->handle, c->fence)
                      : d->vk.vkWaitForFences(d->handle, 1, &c->fence, VK_TRUE, timeout_ns);
    if (v == VK_TIMEOUT || v == VK_NOT_READY)
        return QPEL_ERROR_TIMEOUT;
    if (v == VK_SUCCESS || v == VK_ERROR_DEVICE_LOST)
        c->pending = false;
    if (v == VK_SUCCESS)
        return QPEL_OK;
    /* Whatever it is, also out of memory: the work was submitted and its end is not known. */
    const char *call = look ? "vkGetFenceStatus" : "vkWaitForFences";
    qvk_lose(d->health, "%s from %s", qvk_result_name(v), call);
    qvk_check(d->health, v, call);
    return QPEL_ERROR_DEVICE_LOST;
}
