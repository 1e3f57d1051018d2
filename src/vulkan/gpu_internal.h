/* struct gpu: everything of an opened device. */
#ifndef QPEL_VK_GPU_INTERNAL_H
#define QPEL_VK_GPU_INTERNAL_H

#include <pthread.h>
#include <sys/types.h>

#include "gpu.h"
#include "list.h"
#include "picture_batch.h"
#include "picture_pipeline.h"
#include "pipeline.h"
#include "queue.h"
#include "staging.h"

/* Work groups of one vkCmdDispatch, at most.
 *
 * V3D runs each as a job and resets the GPU when a job takes 500 ms. A lane makes 4x8 samples, so
 * this many groups of 64 make four 1080p pictures; the costliest kernel (about 40 instructions a
 * sample on V3D 4.2) is modelled at 6 ms a picture there. That leaves a factor of 20 for what the
 * model omits, and for a GPU that others use too. */
#define GROUPS_PER_JOB 2048u

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

    pthread_mutex_t pictures_lock; /* for the next two */
    struct qvk_picture_pipelines picture_pipelines;
    struct gpu_batch *batches; /* all of them, also those left behind with work in flight */

    pthread_mutex_t lock; /* for all below, and the pipelines; held while a dispatch runs */
    struct qvk_queue queue;
    struct qvk_staging staging;
    struct gpu_buffer *orphans; /* destroyed while unfinished work may use them */
};

/* DEVICE_LOST where the device can't be used any more, or not by this process. */
enum qpel_result qvk_usable(struct gpu *gpu, char reason[QPEL_REASON_SIZE]);

/* Whether the device has nothing more to do; waits at most so long for it. */
bool qvk_idle(struct gpu *gpu, unsigned timeout_ms);

#endif
