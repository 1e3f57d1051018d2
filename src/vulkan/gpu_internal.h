/* struct gpu: everything of an opened device. */
#ifndef QPEL_VK_GPU_INTERNAL_H
#define QPEL_VK_GPU_INTERNAL_H

#include <pthread.h>
#include <sys/types.h>

#include "gpu.h"
#include "list.h"
#include "pipeline.h"
#include "queue.h"
#include "staging.h"

struct gpu {
    const struct log *log;
    unsigned timeout_ms;
    pid_t process; /* that opened it: a forked child shares neither driver threads nor handles */
    struct qvk_instance instance;
    struct qvk_list list;
    int taken; /* of the list, or -1 */
    struct qvk_health health;
    struct qvk_device device;
    struct qvk_pipelines pipelines;

    pthread_mutex_t lock; /* for all below, and the pipelines */
    struct qvk_queue queue;
    struct qvk_staging staging;
    struct gpu_buffer *orphans; /* destroyed while unfinished work may use them */
};

/* DEVICE_LOST where the device can't be used any more, or not by this process. */
enum qpel_result qvk_usable(struct gpu *gpu, char reason[QPEL_REASON_SIZE]);

#endif
