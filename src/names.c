/* Names for people, and the version. */
#include "qpel/common.h"
#include "qpel/context.h"
#include "qpel/dispatch.h"
#include "qpel/picture.h"
#include "qpel/recipe.h"

#define NAME(table, index)                                                                         \
    ((index) >= 0 && (size_t)(index) < sizeof(table) / sizeof *(table) ? (table)[index] : "unknown")

const char *qpel_version(void)
{
    return QPEL_VERSION_STRING;
}

const char *qpel_result_name(enum qpel_result result)
{
    static const char *const names[] = {
        "QPEL_OK",
        "QPEL_ERROR_INVALID",
        "QPEL_ERROR_NOMEM",
        "QPEL_ERROR_UNSUPPORTED",
        "QPEL_ERROR_DEVICE_LOST",
        "QPEL_ERROR_TIMEOUT",
        "QPEL_ERROR_BUSY",
        "QPEL_ERROR_IO",
        "QPEL_ERROR_INTERNAL",
    };
    int index = result == INT32_MIN ? -1 : -(int)result;
    return NAME(names, index);
}

const char *qpel_backend_name(enum qpel_backend backend)
{
    static const char *const names[] = { "auto", "cpu", "gpu" };
    return NAME(names, (int)backend);
}

const char *qpel_device_kind_name(enum qpel_device_kind kind)
{
    static const char *const names[] = { "other", "integrated", "discrete", "virtual", "software" };
    return NAME(names, (int)kind);
}

const char *qpel_memory_kind_name(enum qpel_memory_kind kind)
{
    static const char *const names[] = { "CPU",      "driver",  "dma-heap",
                                         "imported", "wrapped", "Vulkan" };
    return NAME(names, (int)kind);
}

const char *qpel_origin_name(enum qpel_origin origin)
{
    static const char *const names[] = { "unmeasured", "modelled", "measured" };
    return NAME(names, (int)origin);
}

const char *qpel_fault_name(enum qpel_fault fault)
{
    static const char *const names[] = {
        "none",
        "a pointer is null, or a plane has both or neither of data and buffer",
        "no such backend",
        "no such operation",
        "no such size",
        "no such position",
        "no such bit depth",
        "more blocks than memory could hold",
        "a plane's range wraps round, leaves its buffer, or the buffer is another context's",
        "dst's stride is smaller than the block's width",
        "a block's samples are not all inside dst",
        "a block's read window is not all inside src",
        "a block's read window meets samples that the call writes",
        "two blocks write the same sample",
        "a CPU access of a buffer is open",
    };
    return NAME(names, (int)fault);
}
