/* libqpel, third door: a picture's whole inter prediction in one submission.
 *
 * A decoder hands over all inter blocks of a picture, luma motion only, and gets
 * a ticket. Luma (8.4.2.2.1), chroma (8.4.1.4, 8.4.2.2.2) and weights (8.4.2.3) are
 * predicted by whichever backend runs, with the same bytes.
 *
 * The life of a batch: qpel_batch_begin() names the picture that is written;
 * references and weights are entered and get an index; blocks are added;
 * qpel_submit() starts the work; when its ticket is done the batch can begin
 * again, and then allocates nothing that it has needed before; or be submitted
 * again as it is, with the same result: prediction never reads what it writes.
 *
 * Any thread, but a batch is one thread's at a time; only qpel_run_slice() may run
 * in several. All batches and pictures of a context are destroyed before it. */
#ifndef QPEL_PICTURE_H
#define QPEL_PICTURE_H

#include "context.h"
#include "dispatch.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pictures ---- */

enum qpel_chroma { QPEL_CHROMA_400, QPEL_CHROMA_420, QPEL_CHROMA_422, QPEL_CHROMA_444 };
/* chroma_format_idc, table 6-1 */

enum qpel_layout {
    QPEL_LAYOUT_PLANAR,     /* Y, Cb, Cr */
    QPEL_LAYOUT_INTERLEAVED /* Y, and CbCr sample by sample: NV12 for 4:2:0. Not for 4:4:4
                             * (UNSUPPORTED); the same as planar for 4:0:0 */
};

/* Frames; fields are rows of them. Width and height are the coded luma size, the one that vectors
 * are clamped to; of 4:2:0 and 4:2:2 half of it, rounded up, is chroma's. 1..16384 each. Where
 * the height is odd, the top field has one row more than the bottom field. */
struct qpel_picture_format {
    uint32_t width, height;
    enum qpel_chroma chroma;
    enum qpel_layout layout;
    int bit_depth; /* 8, or 0 for 8 */
};

#define QPEL_PLANE_MAX 3

struct qpel_picture_data {
    uint8_t *data[QPEL_PLANE_MAX];
    ptrdiff_t stride[QPEL_PLANE_MAX];
    /* For qpel_picture_wrap(), may be null: where the memory begins that the planes lie in, and its
     * bytes. All of it stays mapped as long as the picture's use of it lasts. */
    void *base;
    size_t size;
};

/* A dma-buf that holds a picture's planes: of interleaved chroma plane 1 is CbCr. */
struct qpel_dmabuf {
    int fd;
    size_t size;                                           /* 0: all that the descriptor has */
    size_t offset[QPEL_PLANE_MAX], stride[QPEL_PLANE_MAX]; /* bytes from the dma-buf's start */
};

struct qpel_picture;

/* A picture in memory of the library's, that CPU and GPU both reach; zero-filled. Near the CPU
 * (context.h) where that reads it, as a decoder does that adds residuals on the CPU: where the
 * GPU's driver has no memory that is cached for the CPU, as on a Raspberry Pi, it then comes from a
 * dma-heap if the process may open one, and from the driver if not. qpel_picture_memory() tells
 * which it is. Strides are chosen by the library, the same for all pictures of a format, and for Cb
 * and Cr; like the planes' addresses they are multiples of 64. Behind the last row of each plane 64
 * bytes or more may be read. QPEL_OK, INVALID, UNSUPPORTED (bit depth), NOMEM. Any thread. */
QPEL_API enum qpel_result qpel_picture_create(struct qpel_context *context,
                                              const struct qpel_picture_format *format,
                                              enum qpel_near near, struct qpel_picture **out);

/* The same for one that qpel_picture_export() is to hand on: in a dma-buf of its own, from a
 * dma-heap or from the GPU's driver. UNSUPPORTED also where neither has one; the log tells why. */
QPEL_API enum qpel_result qpel_picture_create_exportable(struct qpel_context *context,
                                                         const struct qpel_picture_format *format,
                                                         enum qpel_near near,
                                                         struct qpel_picture **out);

/* A picture in the caller's memory, which outlives it and its last submission. Only the rows'
 * samples are written, never the bytes between or around them. Samples of two pictures in the same
 * memory are the caller's to keep apart: the library orders submissions by picture.
 *
 * The CPU can use it. The GPU can if the caller states base and size, both multiples of the page
 * size (4096 on most machines; some GPUs ask for more), offsets of the planes from base and strides
 * are multiples of 4, Cb's stride is Cr's, and the device offers VK_EXT_external_memory_host, which
 * V3D does not. It may read all of the memory, and writes the whole 32-bit words that have samples
 * of blocks, other bytes in them as they were: nobody else may write those meanwhile. Otherwise
 * qpel_submit() to the GPU is UNSUPPORTED and tells the reason, as does qpel_picture_memory().
 *
 * QPEL_OK; INVALID: a row shorter than its samples, a plane that starts before another one ends, or
 * does not lie in the memory; UNSUPPORTED: bit depth; NOMEM; DEVICE_LOST: by this call. Any
 * thread. */
QPEL_API enum qpel_result qpel_picture_wrap(struct qpel_context *context,
                                            const struct qpel_picture_format *format,
                                            const struct qpel_picture_data *data,
                                            struct qpel_picture **out);

/* A picture in a dma-buf of somebody else's, the display's or a camera's. The descriptor stays the
 * caller's, who may close it at once: the library has a duplicate.
 *
 * The CPU reaches it where it can be mapped. The GPU does where the device imports dma-bufs
 * (VK_EXT_external_memory_dma_buf) and this one, on the terms for offsets, strides, the end and
 * words of qpel_picture_wrap(). One of them is enough for QPEL_OK: submissions to the other are
 * UNSUPPORTED and tell the reason, as does qpel_picture_memory(); an access of the CPU is, too.
 *
 * The library does cache maintenance (DMA_BUF_IOCTL_SYNC) in qpel_picture_begin() and _end(), and
 * around submissions to the CPU. It is of the whole dma-buf: where two pictures are in one, nothing
 * else may happen to either while the CPU has one open that it writes. The library orders nobody
 * else's use of it: that has ended when a submission starts that names the picture, and starts when
 * its ticket is done. Submissions to the GPU take it from the queue family of other devices, and
 * give it back (VK_QUEUE_FAMILY_FOREIGN_EXT, or where the device lacks VK_EXT_queue_family_foreign
 * VK_QUEUE_FAMILY_EXTERNAL): another user of Vulkan does likewise. What is in the dma-buf stays as
 * it is.
 *
 * QPEL_OK; INVALID: no descriptor, a row shorter than its samples, planes that overlap or don't lie
 * in it; UNSUPPORTED: bit depth, or neither CPU nor GPU can use it; NOMEM; DEVICE_LOST: by this
 * call. The log names the culprit. Any thread. */
QPEL_API enum qpel_result qpel_picture_import(struct qpel_context *context,
                                              const struct qpel_picture_format *format,
                                              const struct qpel_dmabuf *dmabuf,
                                              struct qpel_picture **out);

/* Hands the picture on, to a display, an encoder or another process: a new descriptor, which the
 * caller closes, its size and where the planes are. The memory lives as long as any descriptor of
 * it; the contents are the picture's, ordered with others by the caller alone: they read it when
 * the ticket that writes it is done (and no access of the CPU that writes is open), and have ended
 * before it is written again; its queue family is as qpel_picture_import() has it. Of pictures made
 * by qpel_picture_create_exportable(), imported ones, and those of a dma-heap.
 *
 * QPEL_OK; INVALID; UNSUPPORTED: another picture; NOMEM: also where there are too many descriptors;
 * DEVICE_LOST. On failure out->fd is -1, and the log tells why. Any thread. */
QPEL_API enum qpel_result qpel_picture_export(struct qpel_picture *picture,
                                              struct qpel_dmabuf *out);

enum qpel_memory_kind {
    QPEL_MEMORY_CPU,      /* the CPU's own, of a context without GPU */
    QPEL_MEMORY_DRIVER,   /* the GPU driver's, mapped */
    QPEL_MEMORY_HEAP,     /* a dma-heap's */
    QPEL_MEMORY_IMPORTED, /* qpel_picture_import() */
    QPEL_MEMORY_WRAPPED,  /* qpel_picture_wrap() */
    QPEL_MEMORY_VULKAN    /* qpel_vulkan_picture_wrap() */
};
/* "CPU", "driver", "dma-heap", "imported", "wrapped", "Vulkan"; "unknown" for other numbers. */
QPEL_API const char *qpel_memory_kind_name(enum qpel_memory_kind kind);

struct qpel_memory_info {
    enum qpel_memory_kind kind;
    bool cpu, gpu;   /* which of them reaches it */
    bool cached;     /* the CPU reads it as fast as its own; false of imported ones
                      * and of Vulkan's: nothing tells */
    bool exportable; /* qpel_picture_export() works */
    /* Why the CPU or the GPU does not reach it, or why it is no heap's where that was wanted; "" */
    char reason[QPEL_REASON_SIZE];
};

/* What a picture's memory is. QPEL_OK, INVALID. Any thread. */
QPEL_API enum qpel_result qpel_picture_memory(const struct qpel_picture *picture,
                                              struct qpel_memory_info *info);

/* Drops the caller's hold; clears the pointer. The memory (of wrap: the use of it) lives until the
 * last batch that names the picture has begun anew or is destroyed: until then it may be submitted
 * again. */
QPEL_API void qpel_picture_destroy(struct qpel_picture **picture);

QPEL_API struct qpel_picture_format qpel_picture_get_format(const struct qpel_picture *picture);

/* Opens the picture to the CPU. It waits for nothing, but where the memory is a dma-buf for those
 * devices that the kernel knows to be using it. BUSY: an unfinished submission writes it, or
 * reads it and `access` writes; wait for its ticket. While an access is open that writes, a
 * submission that names the picture is BUSY; while one that reads, a submission that writes it is.
 * Accesses nest; ends are not told apart, so among nested ones the picture counts as written to
 * until the last has ended. Addresses and strides are the same all the picture's life.
 * UNSUPPORTED: the CPU does not reach it. IO: the kernel refuses to synchronise a dma-buf. */
QPEL_API enum qpel_result qpel_picture_begin(struct qpel_picture *picture, enum qpel_access access,
                                             struct qpel_picture_data *data);
QPEL_API enum qpel_result qpel_picture_end(struct qpel_picture *picture);

/* ---- batches ---- */

/* Which rows: all of the frame, or those of one field. */
enum qpel_parity { QPEL_FRAME, QPEL_TOP_FIELD, QPEL_BOTTOM_FIELD };

/* One block. Chroma follows from it. Width and height: 16x16, 16x8, 8x16, 8x8, 8x4, 4x8, 4x4. */
struct qpel_picture_block {
    uint16_t x, y; /* its first luma sample, y in rows of `parity`: multiples of width and height,
                    * as the partitions of macroblocks are. All its samples are in the picture. */
    uint8_t width, height;
    uint8_t parity;       /* enum qpel_parity: the rows that are written */
    uint8_t references;   /* 1 or 2 */
    uint8_t reference[2]; /* indices of qpel_batch_reference(); of one alone the first counts,
                           * whichever list it is of */
    uint16_t weight;  /* 0: default weighting (8.4.2.3.1); else an index of qpel_batch_weight() */
    int16_t mv[2][2]; /* [reference][x, y], quarter luma samples; y in rows of the reference's
                       * parity. Any value: coordinates outside are clamped. */
};

/* Explicit or implicit weights of one or two references (8.4.2.3.2), for Y, Cb, Cr. */
struct qpel_weight {
    uint8_t planes;    /* bit p set: plane p is weighted; clear: default weighting */
    uint8_t log_wd[3]; /* logWD, 0..7 */
    int16_t w[2][3];   /* w0, w1: -128..128; of one reference w0 and o0 alone count. The bounds that
                        * 8.4.2.3 sets to w0 + w1 are not checked, and not needed */
    int16_t o[2][3];   /* o0, o1: -128..127, for 8-bit samples */
};

struct qpel_batch;
typedef uint64_t qpel_ticket; /* 0: nothing, always done */

QPEL_API enum qpel_result qpel_batch_create(struct qpel_context *context, struct qpel_batch **out);
/* Waits for the batch if it is in flight, at most the context's timeout for it and for each
 * submission before it. If slices are left to run, they never will be: nothing is waited for, the
 * target's blocks are undefined, and its ticket counts as done. No slice may be running. */
QPEL_API void qpel_batch_destroy(struct qpel_batch **batch);

/* Starts collecting for `target`, forgetting what was collected; on an error nothing is forgotten.
 * BUSY while in flight. INVALID: a picture of another context. NOMEM. */
QPEL_API enum qpel_result qpel_batch_begin(struct qpel_batch *batch, struct qpel_picture *target);

/* Enters a reference: indices count from 0 after each qpel_batch_begin(), at most
 * QPEL_REFERENCE_MAX of them. Its size and format must be the target's but for width and height,
 * which vectors are clamped to. A field of the target itself may be a reference of the other
 * field's blocks: in one batch no row of the target is both written and read. INVALID also: the
 * target as a frame, a field without a row (of chroma, too: 4:2:0 of two rows has no bottom field).
 * The same picture may be entered any number of times. */
#define QPEL_REFERENCE_MAX 128
QPEL_API enum qpel_result qpel_batch_reference(struct qpel_batch *batch,
                                               struct qpel_picture *picture,
                                               enum qpel_parity parity, uint8_t *index);

/* Enters weights, which are copied: indices count from 1 after each qpel_batch_begin(), at most
 * 65535. INVALID: a value out of its range in a plane whose bit is set, or other bits. */
QPEL_API enum qpel_result qpel_batch_weight(struct qpel_batch *batch,
                                            const struct qpel_weight *weight, uint16_t *index);

/* Adds blocks, in any order. They are checked here, all or none is added: INVALID names the first
 * bad one in *bad (may be null) as an index of this array. A block is bad that breaks its members'
 * contract, names what was not entered, writes a sample that an earlier one writes, or makes rows
 * of the target both written and read. */
QPEL_API enum qpel_result qpel_batch_add(struct qpel_batch *batch,
                                         const struct qpel_picture_block *blocks, size_t count,
                                         size_t *bad);

/* The same without a copy: room for `count` blocks in the library's memory, to be filled and then
 * added, all of them or the first so many; then there may be room for more. References and weights
 * may be entered in between, before the commit of the blocks that name them. The room ends with its
 * commit, and what is not committed is lost, with qpel_batch_room(), _add() and _begin() too. */
QPEL_API enum qpel_result qpel_batch_room(struct qpel_batch *batch, size_t count,
                                          struct qpel_picture_block **blocks);
QPEL_API enum qpel_result qpel_batch_commit(struct qpel_batch *batch, size_t count, size_t *bad);

/* AUTO is the context's backend, and where that is AUTO too the recipe chooses for this very batch
 * (recipe.h); or the GPU, where the CPU does not reach a picture. */
struct qpel_submit_params {
    enum qpel_backend backend;
    /* CPU: 0: all blocks run in qpel_submit(); n: the caller runs qpel_run_slice() n times. The GPU
     * has no slices: with AUTO, look at report.backend; GPU means that there is none to run. */
    unsigned slices;
    bool timed; /* ask the GPU's own clock, as dispatch.h has it: qpel_ticket_gpu_seconds() */
    bool completion_fd; /* qpel_ticket_fd() will be asked. UNSUPPORTED on a GPU without
                         * VK_KHR_external_semaphore_fd and SYNC_FD */
};

/* Starts the prediction and returns. Submissions that share pictures are ordered as they were
 * submitted: the GPU's among themselves without a wait, while one for the CPU waits for what the
 * GPU does with its pictures, at most the context's timeout. Every byte that is not of an inter
 * block survives. *ticket is set on QPEL_OK. report may be null; its gpu_seconds are not known yet.
 * On any error nothing has started, and the batch is as before. So where AUTO takes the GPU and
 * that can't start (UNSUPPORTED, NOMEM or DEVICE_LOST of its own), the CPU does it; the report
 * tells.
 *
 * Before a context's GPU first predicts a kind of picture (a format; the call that made it; one
 * reference a block, two, or weights), it predicts a small one, which is compared with the CPU's.
 * One that fails is not used any more. That call also has the driver compile the kind's shaders: it
 * takes tenths of a second, unless qpel_picture_prepare() has seen to that.
 *
 * QPEL_OK; INVALID: null, or nothing was begun; UNSUPPORTED: no GPU, one that does not reach a
 * picture or has no descriptor to tell its end, or a picture that the CPU does not reach (the
 * report tells); NOMEM; IO: the kernel refuses to synchronise a dma-buf; BUSY: the batch is in
 * flight, a picture is open to the CPU (qpel_picture_begin()), or slices that the caller has still
 * to run write a picture that this batch names, or read its target; TIMEOUT: the CPU's wait;
 * DEVICE_LOST: the GPU's. */
QPEL_API enum qpel_result qpel_submit(struct qpel_batch *batch,
                                      const struct qpel_submit_params *params, qpel_ticket *ticket,
                                      struct qpel_report *report);

/* Kinds of pictures by what their blocks have. A stream with B pictures has P pictures, too. */
enum {
    QPEL_PREPARE_P = 1,       /* one reference each, no weights */
    QPEL_PREPARE_B = 2,       /* some two references, none weights */
    QPEL_PREPARE_WEIGHTED = 4 /* some weights */
};

/* Makes the GPU ready for pictures, so that their first submission is as fast as any: does what
 * qpel_submit() to the GPU would do first, which is to open it, have shaders compiled and compare a
 * small picture of each kind with the CPU's. It takes tenths of a second a kind, and nothing for
 * kinds that are ready; it waits for all that was submitted before.
 *
 *   like    a picture like those to come: of their chroma format and layout, of any size, from the
 *           same call (create, near whom; import; wrap), as shaders differ for these
 *   kinds   QPEL_PREPARE_P and so on, one or more
 *   reason  may be null; filled on failure
 *
 * Two things remain to be compiled when they first occur: what pictures narrower than 8 samples
 * want, and one whose vectors leave their references in more than about a quarter of its area.
 *
 * QPEL_OK, also of a context made with QPEL_BACKEND_CPU, where nothing is done; INVALID: null, no
 * kind, or one that is none of those; UNSUPPORTED: no GPU, or it does not reach such a picture;
 * NOMEM: call again, or let qpel_submit() do it; DEVICE_LOST: the GPU failed, or is wrong: it is
 * not used any more, AUTO and CPU still work. Any thread. */
QPEL_API enum qpel_result qpel_picture_prepare(const struct qpel_picture *like, unsigned kinds,
                                               char reason[QPEL_REASON_SIZE]);

/* Runs slice 0..slices-1 of a batch that was submitted so; each once, from any thread and in any
 * order. INVALID: no such slice, or it has been run. */
QPEL_API enum qpel_result qpel_run_slice(struct qpel_batch *batch, unsigned slice);

/* Waits until the target is whole and visible to the CPU. TIMEOUT: not yet, and all that is BUSY
 * remains so; call again. DEVICE_LOST: it will never be, and the blocks' samples in it are
 * undefined; but the submission is over: its batch may begin anew or be submitted to the CPU, its
 * pictures be opened and destroyed. INVALID: a ticket that this context has not given. Ticket 0 is
 * always done, and so is one whose batch has begun anew or is destroyed. */
QPEL_API enum qpel_result qpel_wait(struct qpel_context *context, qpel_ticket ticket,
                                    uint64_t timeout_ns);
QPEL_API enum qpel_result qpel_poll(struct qpel_context *context, qpel_ticket ticket, bool *done);

/* For a caller with a poll() loop: a new descriptor, which the caller closes, that becomes readable
 * (POLLIN) when the submission is over, and stays so. Only poll it: what could be read from it is
 * not said. Then qpel_wait() tells how it went, and makes the picture's memory the CPU's: it
 * returns at once or nearly so. The submission must have asked for it (completion_fd); for a ticket
 * that is long done, and ticket 0, it is readable at once. That of a GPU that hangs may never be:
 * poll with a timeout, as with qpel_wait().
 *
 * QPEL_OK; INVALID: a ticket that this context has not given, or that was not asked to have one;
 * NOMEM: also where there are too many descriptors. On failure *fd is -1. Any thread. */
QPEL_API enum qpel_result qpel_ticket_fd(struct qpel_context *context, qpel_ticket ticket, int *fd);

/* What a submission that was `timed` took by the GPU's own clock. *seconds is negative where that
 * was not asked for, there is no such clock, or the CPU ran; and once its batch was submitted
 * again, has begun anew or is destroyed. QPEL_OK; BUSY: it is not done yet; DEVICE_LOST: as
 * qpel_wait(); INVALID: null, or a ticket that this context has not given. */
QPEL_API enum qpel_result qpel_ticket_gpu_seconds(struct qpel_context *context, qpel_ticket ticket,
                                                  double *seconds);

#ifdef __cplusplus
}
#endif

#endif
