/* Predicts every 8x8 block of a picture at mc22 with libqpel's dispatch door.
 *   cc predict.c $(pkg-config --cflags --libs qpel) -o predict */
#include <qpel/qpel.h>
#include <stdio.h>
#include <stdlib.h>

enum { WIDTH = 1920, HEIGHT = 1088, PAD = 16, STRIDE = WIDTH + 2 * PAD, ROWS = HEIGHT + 2 * PAD };

static void check(enum qpel_result r, const char *what)
{
    if (r == QPEL_OK)
        return;
    fprintf(stderr, "%s: %s\n", what, qpel_result_name(r));
    exit(1);
}

int main(void)
{
    struct qpel_context *context;
    check(qpel_context_create(&context, NULL), "qpel_context_create");

    /* Two padded pictures in memory that CPU and GPU both reach. */
    struct qpel_buffer *reference, *picture;
    check(qpel_buffer_create(context, STRIDE * ROWS, QPEL_NEAR_CPU, &reference),
          "qpel_buffer_create");
    check(qpel_buffer_create(context, STRIDE * ROWS, QPEL_NEAR_CPU, &picture),
          "qpel_buffer_create");
    void *data;
    check(qpel_buffer_begin(reference, QPEL_WRITE, &data), "qpel_buffer_begin");
    for (int i = 0; i < STRIDE * ROWS; i++)
        ((uint8_t *)data)[i] = (uint8_t)(i % STRIDE * 7 + i / STRIDE * 13);
    check(qpel_buffer_end(reference), "qpel_buffer_end");

    static struct qpel_block blocks[WIDTH / 8 * HEIGHT / 8];
    size_t count = 0;
    for (uint32_t y = 0; y < HEIGHT; y += 8)
        for (uint32_t x = 0; x < WIDTH; x += 8, count++)
            blocks[count].dst = blocks[count].src = (y + PAD) * STRIDE + x + PAD;

    struct qpel_report report;
    check(qpel_dispatch(context,
                        &(struct qpel_dispatch_params){
                            .operation = QPEL_PUT,
                            .size = QPEL_SIZE_8,
                            .position = 2 + 4 * 2, /* mc22 */
                            .dst = { .buffer = picture, .size = STRIDE * ROWS, .stride = STRIDE },
                            .src = { .buffer = reference, .size = STRIDE * ROWS, .stride = STRIDE },
                            .blocks = blocks,
                            .count = count,
                        },
                        &report),
          "qpel_dispatch");
    check(qpel_buffer_begin(picture, QPEL_READ, &data), "qpel_buffer_begin");
    printf("%zu blocks on %s (%s): %s\nfirst sample: %d\n", report.blocks,
           qpel_backend_name(report.backend), report.device, report.reason,
           ((uint8_t *)data)[PAD * STRIDE + PAD]);
    check(qpel_buffer_end(picture), "qpel_buffer_end");
    qpel_buffer_destroy(&picture);
    qpel_buffer_destroy(&reference);
    qpel_context_destroy(&context);
}
