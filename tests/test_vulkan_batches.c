/* qpel/vulkan.h: batches in command buffers of the program's own, and with its semaphores. */
#include <string.h>

#include "harness.h"
#include "picture_run.h"
#include "vulkan_run.h"

/* ---- recording ---- */

/* Records a batch that was collected into commands of its own. */
static struct own_commands record(const struct running *run)
{
    struct own_commands c = own_commands_begin(&own);
    struct qpel_report report;

    assert_int_equal(qpel_vulkan_record(run->batch, c.buffer, &report), QPEL_OK);
    assert_int_equal(report.backend, QPEL_BACKEND_GPU);
    assert_int_equal(report.blocks, run->c->count);
    own_commands_end(&own, &c);
    return c;
}

/* Other bytes in each block. */
static void spoil(const struct running *run, const struct qpel_picture_data *data)
{
    const struct image *image = &run->c->target;

    for (size_t i = 0; i < run->c->count; i++) {
        const struct qpel_picture_block *b = &run->c->blocks[i];
        unsigned step = b->parity == QPEL_FRAME ? 1 : 2;
        for (unsigned y = 0; y < b->height; y++) {
            size_t row = (b->y + y) * step + (b->parity == QPEL_BOTTOM_FIELD);
            assert_true(row < image->height[0]);
            memset(data->data[0] + row * (size_t)data->stride[0] + b->x, 0x99, b->width);
        }
    }
}

static void recorded_commands_are_exact(void **state)
{
    struct random r = random_stream(3);
    struct qpel_picture_data data;

    (void)state;
    need_vulkan();
    struct target t = open_plain();
    for (int n = 0; n < 60; n++) {
        struct picture_case c = case_draw(60, &r);
        struct running run = running_open(&c, t.context, CREATED, CREATED);
        running_collect(&run);
        assert_int_equal(qpel_picture_begin(run.target.picture, QPEL_READ, &data), QPEL_OK);
        assert_int_equal(qpel_picture_end(run.target.picture), QPEL_OK);
        for (int again = 0; again < 2; again++) {
            struct own_commands commands = record(&run);
            /* Any number of times. */
            for (int i = 0; i < 3; i++) {
                if (i)
                    spoil(&run, &data);
                own_commands_run(&own, &commands, NULL);
            }
            assert_int_equal(qpel_vulkan_recorded_done(run.batch), QPEL_OK);
            running_check(&run, "recorded");
            own_commands_free(&own, &commands);
        }
        /* And by the library's own hand. */
        assert_int_equal(running_submit(&run, &t), QPEL_OK);
        running_check(&run, "submitted");
        running_close(&run);
        case_free(&c);
    }
    qpel_context_destroy(&t.context);
}

/* A block that copies the whole of a 16x16 picture, a sample to the right. */
static const struct qpel_picture_block shift = {
    .width = 16,
    .height = 16,
    .references = 1,
    .mv = { { -4, 0 } },
};

static struct qpel_batch *shifting(struct qpel_context *context, struct qpel_picture *target,
                                   struct qpel_picture *reference)
{
    struct qpel_batch *batch;
    uint8_t index;

    assert_int_equal(qpel_batch_create(context, &batch), QPEL_OK);
    assert_int_equal(qpel_batch_begin(batch, target), QPEL_OK);
    assert_int_equal(qpel_batch_reference(batch, reference, QPEL_FRAME, &index), QPEL_OK);
    assert_int_equal(qpel_batch_add(batch, &shift, 1, NULL), QPEL_OK);
    return batch;
}

/* Luma columns 0, 1, 2... of every row. */
static void write_columns(struct qpel_picture *picture)
{
    struct qpel_picture_data data;

    assert_int_equal(qpel_picture_begin(picture, QPEL_WRITE, &data), QPEL_OK);
    for (int i = 0; i < 256; i++)
        data.data[0][i / 16 * data.stride[0] + i % 16] = (uint8_t)(i % 16 + 20);
    assert_int_equal(qpel_picture_end(picture), QPEL_OK);
}

/* Shifted so many times. */
static void check_columns(struct qpel_picture *picture, int shifts)
{
    struct qpel_picture_data data;

    assert_int_equal(qpel_picture_begin(picture, QPEL_READ, &data), QPEL_OK);
    for (int i = 0; i < 256; i++) {
        int x = i % 16 - shifts;
        assert_int_equal(data.data[0][i / 16 * data.stride[0] + i % 16], (x > 0 ? x : 0) + 20);
    }
    assert_int_equal(qpel_picture_end(picture), QPEL_OK);
}

enum { CHAIN = 6 };

/* Batches that read what the ones before them wrote, recorded and submitted by turns, without a
 * barrier of the program's. */
static void recordings_follow_one_another(void **state)
{
    struct qpel_picture *pictures[CHAIN + 1];
    struct qpel_batch *batches[CHAIN];
    qpel_ticket ticket;

    (void)state;
    need_vulkan();
    struct target t = open_plain();
    for (int i = 0; i <= CHAIN; i++)
        pictures[i] = picture_new(t.context, 16, 16, QPEL_CHROMA_420);
    write_columns(pictures[0]);
    for (int i = 0; i < CHAIN; i++)
        batches[i] = shifting(t.context, pictures[i + 1], pictures[i]);
    struct own_commands c = own_commands_begin(&own);
    for (int i = 0; i < CHAIN - 1; i++)
        assert_int_equal(qpel_vulkan_record(batches[i], c.buffer, NULL), QPEL_OK);
    own_commands_end(&own, &c);
    own_commands_run(&own, &c, NULL);
    struct qpel_submit_params gpu = { .backend = QPEL_BACKEND_GPU };
    assert_int_equal(qpel_submit(batches[CHAIN - 1], &gpu, &ticket, NULL), QPEL_OK);
    assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);
    check_columns(pictures[CHAIN], CHAIN);
    for (int i = 0; i < CHAIN; i++) {
        qpel_batch_destroy(&batches[i]); /* also those that are still recorded */
        check_columns(pictures[i], i);
    }
    for (int i = 0; i <= CHAIN; i++)
        qpel_picture_destroy(&pictures[i]);
    own_commands_free(&own, &c);
    qpel_context_destroy(&t.context);
}

/* From the recording until it is done the pictures are in use. */
static void a_recorded_batch_is_busy(void **state)
{
    struct qpel_submit_params cpu = { .backend = QPEL_BACKEND_CPU };
    struct qpel_submit_params gpu = { .backend = QPEL_BACKEND_GPU };
    struct qpel_picture_data data;
    struct qpel_picture *p[4];
    struct qpel_report report;
    qpel_ticket first, ticket;
    bool done = true;

    (void)state;
    need_vulkan();
    struct target t = open_plain();
    for (int i = 0; i < 4; i++)
        p[i] = picture_new(t.context, 16, 16, QPEL_CHROMA_420);
    write_columns(p[0]);
    struct qpel_batch *batch = shifting(t.context, p[1], p[0]);
    struct qpel_batch *reader = shifting(t.context, p[2], p[1]);
    struct qpel_batch *writer = shifting(t.context, p[0], p[3]);
    struct qpel_batch *other = shifting(t.context, p[3], p[0]);

    assert_int_equal(qpel_submit(batch, &gpu, &first, NULL), QPEL_OK);
    assert_int_equal(qpel_wait(t.context, first, WAIT_NS), QPEL_OK);
    assert_int_equal(qpel_vulkan_recorded_done(batch), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_vulkan_recorded_done(NULL), QPEL_ERROR_INVALID);

    /* An access that is open, slices that are not run. */
    struct own_commands c = own_commands_begin(&own);
    assert_int_equal(qpel_picture_begin(p[0], QPEL_WRITE, &data), QPEL_OK);
    assert_int_equal(qpel_vulkan_record(batch, c.buffer, NULL), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_picture_end(p[0]), QPEL_OK);
    cpu.slices = 1;
    assert_int_equal(qpel_submit(writer, &cpu, &ticket, NULL), QPEL_OK);
    cpu.slices = 0;
    assert_int_equal(qpel_vulkan_record(batch, c.buffer, NULL), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_run_slice(writer, 0), QPEL_OK);
    write_columns(p[0]);

    assert_int_equal(qpel_vulkan_record(batch, c.buffer, &report), QPEL_OK);
    own_commands_end(&own, &c);
    assert_int_equal(qpel_vulkan_record(batch, c.buffer, NULL), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_batch_begin(batch, p[1]), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_submit(batch, &gpu, &ticket, NULL), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_submit(batch, &cpu, &ticket, NULL), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_picture_begin(p[1], QPEL_READ, &data), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_picture_begin(p[0], QPEL_WRITE, &data), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_picture_begin(p[0], QPEL_READ, &data), QPEL_OK);
    assert_int_equal(qpel_picture_end(p[0]), QPEL_OK);
    assert_int_equal(qpel_submit(reader, &cpu, &ticket, NULL), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_submit(writer, &cpu, &ticket, NULL), QPEL_ERROR_BUSY);
    assert_int_equal(qpel_submit(other, &cpu, &ticket, NULL), QPEL_OK);
    /* An older ticket of the batch stays done. */
    assert_int_equal(qpel_poll(t.context, first, &done), QPEL_OK);
    assert_true(done);
    own_commands_run(&own, &c, NULL);
    /* To the GPU, which comes after on the queue. */
    assert_int_equal(qpel_submit(reader, &gpu, &ticket, NULL), QPEL_OK);
    assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);
    check_columns(p[2], 2);
    assert_int_equal(qpel_vulkan_recorded_done(batch), QPEL_OK);
    assert_int_equal(qpel_vulkan_recorded_done(batch), QPEL_ERROR_INVALID);
    check_columns(p[1], 1);
    assert_int_equal(qpel_submit(batch, &cpu, &ticket, NULL), QPEL_OK);

    qpel_batch_destroy(&batch);
    qpel_batch_destroy(&reader);
    qpel_batch_destroy(&writer);
    qpel_batch_destroy(&other);
    for (int i = 0; i < 4; i++)
        qpel_picture_destroy(&p[i]);
    own_commands_free(&own, &c);
    qpel_context_destroy(&t.context);
}

/* ---- semaphores ---- */

/* Waits for a timeline's value, and signals another and a binary one. */
static void semaphores_order_submissions(void **state)
{
    PFN_vkSignalSemaphore signal_semaphore;
    PFN_vkGetSemaphoreCounterValue counter_value;
    uint64_t value = 0;
    qpel_ticket ticket;
    bool done = true;

    (void)state;
    need_vulkan();
    signal_semaphore = (PFN_vkSignalSemaphore)own.get_proc(own.instance, "vkSignalSemaphore");
    counter_value =
        (PFN_vkGetSemaphoreCounterValue)own.get_proc(own.instance, "vkGetSemaphoreCounterValue");
    struct qpel_vulkan_params on = spied(&own);
    struct target t = open_target(&on);
    struct qpel_picture *p[] = { picture_new(t.context, 16, 16, QPEL_CHROMA_420),
                                 picture_new(t.context, 16, 16, QPEL_CHROMA_420) };
    write_columns(p[0]);
    struct qpel_batch *batch = shifting(t.context, p[1], p[0]);
    VkSemaphore timeline = own_semaphore(&own, true), binary = own_semaphore(&own, false);
    struct qpel_vulkan_semaphore wait[] = { { timeline, 1 } };
    struct qpel_vulkan_semaphore signal[] = { { binary, 0 }, { timeline, 2 } };
    struct qpel_vulkan_semaphores s = { wait, 1, signal, 2 };
    assert_int_equal(qpel_vulkan_submit(batch, NULL, &s, &ticket, NULL), QPEL_OK);
    assert_int_equal(qpel_poll(t.context, ticket, &done), QPEL_OK);
    assert_false(done);
    assert_int_equal(qpel_wait(t.context, ticket, 1000000), QPEL_ERROR_TIMEOUT);
    assert_int_equal(counter_value(own.device, timeline, &value), VK_SUCCESS);
    assert_int_equal(value, 0);
    VkSemaphoreSignalInfo info = {
        .sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO,
        .semaphore = timeline,
        .value = 1,
    };
    assert_int_equal(signal_semaphore(own.device, &info), VK_SUCCESS);
    /* The program's commands wait for the binary one. */
    VkPipelineStageFlags stage = VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkSubmitInfo after = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .waitSemaphoreCount = 1,
        .pWaitSemaphores = &binary,
        .pWaitDstStageMask = &stage,
    };
    struct own_commands c = own_commands_begin(&own);
    own_commands_end(&own, &c);
    own_commands_run(&own, &c, &after);
    assert_int_equal(counter_value(own.device, timeline, &value), VK_SUCCESS);
    assert_int_equal(value, 2);
    assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);
    check_columns(p[1], 1);
    /* And with none; timed, as the GPU was asked for. */
    const struct qpel_submit_params params = { .backend = QPEL_BACKEND_GPU, .timed = true };
    double seconds;
    struct qpel_device device;
    assert_int_equal(qpel_context_gpu(t.context, &device, NULL), QPEL_OK);
    assert_int_equal(qpel_vulkan_submit(batch, &params, NULL, &ticket, NULL), QPEL_OK);
    assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);
    assert_int_equal(qpel_ticket_gpu_seconds(t.context, ticket, &seconds), QPEL_OK);
    assert_int_equal(seconds > 0, device.timestamps);
    assert_int_equal(spy.locks, spy.submits);

    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&p[0]);
    qpel_picture_destroy(&p[1]);
    qpel_context_destroy(&t.context);
    own_commands_free(&own, &c);
    own.DestroySemaphore(own.device, timeline, NULL);
    own.DestroySemaphore(own.device, binary, NULL);
}

/* ---- misuse of batches ---- */

static void expect_invalid(struct qpel_batch *batch, const struct qpel_vulkan_semaphores *s)
{
    struct qpel_report report;
    qpel_ticket ticket = 99;

    assert_int_equal(qpel_vulkan_submit(batch, NULL, s, &ticket, &report), QPEL_ERROR_INVALID);
    assert_int_equal(ticket, 99);
    assert_true(report.fault == QPEL_FAULT_NULL || *report.reason);
    assert_int_equal(report.backend, QPEL_BACKEND_AUTO);
}

static void bad_calls_are_refused(void **state)
{
    struct qpel_vulkan_semaphore many[QPEL_VULKAN_SEMAPHORE_MAX + 1];
    struct own_vulkan old;
    struct qpel_context *own_device;
    struct qpel_batch *empty;
    qpel_ticket ticket;

    (void)state;
    need_vulkan();
    /* A device without timelines. */
    assert_true(own_vulkan_open(&old, NULL, VK_API_VERSION_1_1, false));
    struct qpel_vulkan_params on = spied(&old);
    struct target t = open_target(&on);
    struct qpel_picture *p[] = { picture_new(t.context, 16, 16, QPEL_CHROMA_420),
                                 picture_new(t.context, 16, 16, QPEL_CHROMA_420) };
    write_columns(p[0]);
    struct qpel_batch *batch = shifting(t.context, p[1], p[0]);
    VkSemaphore semaphore = own_semaphore(&old, false);
    for (int i = 0; i <= QPEL_VULKAN_SEMAPHORE_MAX; i++)
        many[i] = (struct qpel_vulkan_semaphore){ semaphore, 0 };
    unsigned submits = spy.submits;
    struct qpel_vulkan_semaphore value = { semaphore, 1 }, null = { VK_NULL_HANDLE, 0 };
    expect_invalid(batch, &(struct qpel_vulkan_semaphores){ .wait = &value, .wait_count = 1 });
    expect_invalid(batch, &(struct qpel_vulkan_semaphores){ .signal = &value, .signal_count = 1 });
    expect_invalid(batch, &(struct qpel_vulkan_semaphores){ .wait = &null, .wait_count = 1 });
    expect_invalid(batch, &(struct qpel_vulkan_semaphores){ .signal = NULL, .signal_count = 1 });
    expect_invalid(batch, &(struct qpel_vulkan_semaphores){
                              .wait = many, .wait_count = QPEL_VULKAN_SEMAPHORE_MAX + 1 });
    expect_invalid(NULL, NULL);
    assert_int_equal(qpel_vulkan_submit(batch, NULL, NULL, NULL, NULL), QPEL_ERROR_INVALID);
    for (int backend = -1; backend <= QPEL_BACKEND_GPU + 1; backend++) {
        struct qpel_submit_params params = { .backend = (enum qpel_backend)backend };
        struct qpel_report report;
        if (backend == QPEL_BACKEND_AUTO || backend == QPEL_BACKEND_GPU)
            continue;
        assert_int_equal(qpel_vulkan_submit(batch, &params, NULL, &ticket, &report),
                         QPEL_ERROR_INVALID);
        assert_int_equal(report.fault, QPEL_FAULT_BACKEND);
    }
    assert_int_equal(qpel_vulkan_record(batch, NULL, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_vulkan_record(NULL, (VkCommandBuffer)&old, NULL), QPEL_ERROR_INVALID);
    /* Nothing was begun. */
    assert_int_equal(qpel_batch_create(t.context, &empty), QPEL_OK);
    expect_invalid(empty, NULL);
    assert_int_equal(qpel_vulkan_record(empty, (VkCommandBuffer)&old, NULL), QPEL_ERROR_INVALID);
    qpel_batch_destroy(&empty);
    /* A context that found its device itself. */
    assert_int_equal(qpel_context_create(&own_device, &patient), QPEL_OK);
    assert_int_equal(qpel_batch_create(own_device, &empty), QPEL_OK);
    expect_invalid(empty, NULL);
    assert_int_equal(qpel_vulkan_record(empty, (VkCommandBuffer)&old, NULL), QPEL_ERROR_INVALID);
    qpel_batch_destroy(&empty);
    qpel_context_destroy(&own_device);
    /* None of that did anything, and the batch is as good as before. */
    assert_int_equal(spy.submits, submits);
    assert_int_equal(qpel_vulkan_submit(batch, NULL, NULL, &ticket, NULL), QPEL_OK);
    assert_int_equal(qpel_wait(t.context, ticket, WAIT_NS), QPEL_OK);
    check_columns(p[1], 1);

    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&p[0]);
    qpel_picture_destroy(&p[1]);
    qpel_context_destroy(&t.context);
    old.DestroySemaphore(old.device, semaphore, NULL);
    own_vulkan_close(&old);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recorded_commands_are_exact),
        cmocka_unit_test(recordings_follow_one_another),
        cmocka_unit_test(a_recorded_batch_is_busy),
        cmocka_unit_test(semaphores_order_submissions),
        cmocka_unit_test(bad_calls_are_refused),
    };
    return RUN_VULKAN_GROUP("vulkan_batches", tests);
}
