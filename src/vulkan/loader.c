/* volk, contained.
 *
 * volk keeps the functions that it loads in global variables. A library must not: another
 * context, or a program with volk of its own, may use another loader, instance or device at the
 * same time. So volk_names.h gives those variables names that only we know, this file alone touches
 * them, always under the mutex below, and what was loaded is copied into the caller's tables before
 * the mutex is released. They hold nothing between two calls. */
#define VOLK_IMPLEMENTATION
#include "loader.h"

#include <dlfcn.h>
#include <pthread.h>
#include <string.h>

#include "result.h"

/* Also keeps instances and devices from being created, destroyed and asked at the same time, in
 * which loaders have races. */
static pthread_mutex_t volk_mutex = PTHREAD_MUTEX_INITIALIZER;

static PFN_vkGetInstanceProcAddr open_libvulkan(char reason[QPEL_REASON_SIZE])
{
    /* Never unloaded: drivers leave threads and thread-local destructors behind. */
    void *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!library) {
        qpel_reason_set(reason, "no Vulkan loader: %s", dlerror());
        return NULL;
    }
    PFN_vkGetInstanceProcAddr get_proc = NULL;
    void *symbol = dlsym(library, "vkGetInstanceProcAddr");
    memcpy(&get_proc, &symbol, sizeof get_proc);
    dlclose(library);
    if (!get_proc)
        qpel_reason_set(reason, "libvulkan.so.1 has no vkGetInstanceProcAddr");
    return get_proc;
}

/* The functions of the instance, with the mutex held. */
static bool load_instance(struct qvk_instance *instance, char reason[QPEL_REASON_SIZE])
{
#define LOAD(name)                                                                                 \
    instance->name = (PFN_vk##name)instance->get_proc(instance->handle, "vk" #name);               \
    if (!instance->name) {                                                                         \
        qpel_reason_set(reason, "the Vulkan loader lacks vk" #name);                               \
        return false;                                                                              \
    }
    QVK_INSTANCE_FUNCTIONS(LOAD)
#undef LOAD
    return true;
}

static enum qpel_result create_instance(struct qvk_instance *instance, const struct log *log,
                                        char reason[QPEL_REASON_SIZE])
{
    volkInitializeCustom(instance->get_proc);
    uint32_t version = volkGetInstanceVersion();
    if (version < VK_API_VERSION_1_1) {
        qpel_reason_set(reason, "the Vulkan loader is older than Vulkan 1.1");
        return QPEL_ERROR_UNSUPPORTED;
    }
    VkApplicationInfo application = {
        .sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
        .pEngineName = "libqpel",
        .apiVersion = VK_API_VERSION_1_1,
    };
    VkInstanceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
        .pApplicationInfo = &application,
    };
    enum qpel_result r =
        QVK_CHECK_OPEN(log, reason, vkCreateInstance(&info, NULL, &instance->handle));
    if (r) {
        instance->handle = VK_NULL_HANDLE;
        return r;
    }
    instance->owned = true;
    return load_instance(instance, reason) ? QPEL_OK : QPEL_ERROR_UNSUPPORTED;
}

enum qpel_result qvk_instance_open(struct qvk_instance *instance, void (*loader)(void),
                                   const struct log *log, char reason[QPEL_REASON_SIZE])
{
    memset(instance, 0, sizeof *instance);
    pthread_mutex_lock(&volk_mutex);
    instance->get_proc = loader ? (PFN_vkGetInstanceProcAddr)loader : open_libvulkan(reason);
    enum qpel_result r =
        instance->get_proc ? create_instance(instance, log, reason) : QPEL_ERROR_UNSUPPORTED;
    pthread_mutex_unlock(&volk_mutex);
    if (r)
        qvk_instance_close(instance);
    return r;
}

enum qpel_result qvk_instance_adopt(struct qvk_instance *instance,
                                    PFN_vkGetInstanceProcAddr get_proc, VkInstance handle,
                                    char reason[QPEL_REASON_SIZE])
{
    memset(instance, 0, sizeof *instance);
    instance->get_proc = get_proc;
    instance->handle = handle;
    pthread_mutex_lock(&volk_mutex);
    bool loaded = load_instance(instance, reason);
    pthread_mutex_unlock(&volk_mutex);
    return loaded ? QPEL_OK : QPEL_ERROR_UNSUPPORTED;
}

void qvk_instance_close(struct qvk_instance *instance)
{
    pthread_mutex_lock(&volk_mutex);
    if (instance->owned && instance->DestroyInstance)
        instance->DestroyInstance(instance->handle, NULL);
    pthread_mutex_unlock(&volk_mutex);
    memset(instance, 0, sizeof *instance);
}

VkResult qvk_enumerate_devices(const struct qvk_instance *instance, uint32_t *count,
                               VkPhysicalDevice *devices)
{
    pthread_mutex_lock(&volk_mutex);
    VkResult result = instance->EnumeratePhysicalDevices(instance->handle, count, devices);
    pthread_mutex_unlock(&volk_mutex);
    return result;
}

VkResult qvk_create_device(const struct qvk_instance *instance, VkPhysicalDevice at,
                           const VkDeviceCreateInfo *info, VkDevice *out)
{
    pthread_mutex_lock(&volk_mutex);
    VkResult result = instance->CreateDevice(at, info, NULL, out);
    pthread_mutex_unlock(&volk_mutex);
    return result;
}

void qvk_destroy_device(const struct VolkDeviceTable *table, VkDevice device)
{
    pthread_mutex_lock(&volk_mutex);
    if (table->vkDestroyDevice)
        table->vkDestroyDevice(device, NULL);
    pthread_mutex_unlock(&volk_mutex);
}

bool qvk_device_table(const struct qvk_instance *instance, VkDevice device,
                      struct VolkDeviceTable *table)
{
    pthread_mutex_lock(&volk_mutex);
    /* volkLoadDeviceTable() asks the vkGetDeviceProcAddr that was loaded last. */
    volkInitializeCustom(instance->get_proc);
    volkLoadInstanceOnly(instance->handle);
    memset(table, 0, sizeof *table);
    if (vkGetDeviceProcAddr)
        volkLoadDeviceTable(table, device);
    pthread_mutex_unlock(&volk_mutex);
#define REQUIRE(name)                                                                              \
    if (!table->vk##name)                                                                          \
        return false;
    QVK_DEVICE_FUNCTIONS(REQUIRE)
#undef REQUIRE
    return true;
}
