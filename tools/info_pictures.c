/* What AUTO would do with pictures: as many blocks as those of real streams have, of their sizes
 * and positions, are entered and not submitted. */
#include <stdio.h>

#include "info.h"

enum { WIDTH = 1920, HEIGHT = 1088, MACROBLOCK = 16, MACROBLOCKS = WIDTH * HEIGHT / 256 };

/* Of five macroblocks four are one block and one is four, so that there are as many of either; a
 * third of the vectors points at whole samples, a third between them along one axis, a third along
 * both. */
static enum qpel_result add_blocks(struct qpel_batch *batch, unsigned of_two, size_t *count)
{
    enum qpel_result r = QPEL_OK;
    *count = 0;
    for (unsigned m = 0; m < MACROBLOCKS; m++) {
        unsigned side = m % 5 ? MACROBLOCK : MACROBLOCK / 2;
        for (unsigned y = 0; y < MACROBLOCK; y += side)
            for (unsigned x = 0; x < MACROBLOCK && !r; x += side) {
                unsigned n = (unsigned)(*count)++, fractions = n / 2 % 3;
                struct qpel_picture_block b = {
                    .x = (uint16_t)(m % (WIDTH / MACROBLOCK) * MACROBLOCK + x),
                    .y = (uint16_t)(m / (WIDTH / MACROBLOCK) * MACROBLOCK + y),
                    .width = (uint8_t)side,
                    .height = (uint8_t)side,
                    .references = of_two && n % of_two == 0 ? 2 : 1,
                };
                for (int list = 0; list < 2; list++) {
                    b.mv[list][0] = fractions > 0 ? 2 : 4;
                    b.mv[list][1] = fractions > 1 ? 1 : 4;
                }
                r = qpel_batch_add(batch, &b, 1, NULL);
            }
    }
    return r;
}

/* of_two: each so manieth block has two references; 0: none has. */
static enum qpel_result print_choice(struct qpel_batch *batch, struct qpel_picture *target,
                                     struct qpel_picture *reference, unsigned of_two)
{
    const struct qpel_submit_params params = { .backend = QPEL_BACKEND_AUTO };
    struct qpel_recipe_answer answer;
    uint8_t index;
    size_t count = 0;
    enum qpel_result r = qpel_batch_begin(batch, target);
    if (!r)
        r = qpel_batch_reference(batch, reference, QPEL_FRAME, &index);
    if (!r)
        r = add_blocks(batch, of_two, &count);
    if (!r)
        r = qpel_recipe_query_batch(batch, &params, &answer);
    if (!r)
        printf("  %s, %zu blocks%s: %s\n        %s\n", of_two ? "B" : "P", count,
               of_two ? ", half of them of two references" : "", qpel_backend_name(answer.backend),
               answer.reason);
    return r;
}

int info_print_pictures(struct qpel_context *context)
{
    const struct qpel_picture_format format = {
        .width = WIDTH,
        .height = HEIGHT,
        .chroma = QPEL_CHROMA_420,
        .layout = QPEL_LAYOUT_INTERLEAVED,
    };
    struct qpel_picture *target = NULL, *reference = NULL;
    struct qpel_batch *batch = NULL;
    enum qpel_result r = qpel_picture_create(context, &format, QPEL_NEAR_CPU, &target);
    if (!r)
        r = qpel_picture_create(context, &format, QPEL_NEAR_CPU, &reference);
    if (!r)
        r = qpel_batch_create(context, &batch);
    if (!r) {
        printf("AUTO, pictures of %dx%d, NV12, near the CPU:\n", WIDTH, HEIGHT);
        r = print_choice(batch, target, reference, 0);
    }
    if (!r)
        r = print_choice(batch, target, reference, 2);
    qpel_batch_destroy(&batch);
    qpel_picture_destroy(&target);
    qpel_picture_destroy(&reference);
    if (r)
        fprintf(stderr, "qpel-info: pictures: %s\n", qpel_result_name(r));
    return r != QPEL_OK;
}
