/* The passes of a picture.
 *
 *   1  libavcodec's own run, which parses and derives vectors; every function that would touch
 *      samples only records (hooks.c)
 *   A  all inter prediction, as one batch of the plug's
 *   B  intra prediction and residual in decoding order, on samples that no filter has touched
 *   C  the loop filter in decoding order
 *
 * Who may touch a picture when, in the plug's terms:
 *
 *   taken for a frame       open for reading and writing: I_PCM samples are copied in pass 1
 *   its batch is submitted  closed, until that batch is waited for; then open as before
 *   a batch refers to it    open for reading at most; it is in the state of reference or output */
#include "decoder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void decoder_init(struct decoder *d, const struct plug *plug, void *self)
{
    *d = (struct decoder){ .check = true,
                           .bit_depth = 8,
                           .pictures = { .plug = plug, .self = self } };
    d->job = &d->jobs[0];
    times_start(&d->times);
}

void decoder_free(struct decoder *d)
{
    for (int i = 0; i < 2; i++) {
        struct job *j = &d->jobs[i];
        recon_free(&j->recon);
        filter_free(&j->filter);
        d->pictures.plug->batch_destroy(d->pictures.self, &j->batch);
        free(j->batch.weights);
    }
    pictures_free(&d->pictures);
}

void decoder_fault(struct decoder *d, const char *why)
{
    if (d->faults++ < 8)
        fprintf(stderr, "decoder: %s\n", why);
}

static void check(struct decoder *d, enum qpel_result r, const char *what)
{
    if (!r)
        return;
    char text[100];
    snprintf(text, sizeof text, "%s: %s", what, qpel_result_name(r));
    decoder_fault(d, text);
}

static struct job *other(struct decoder *d)
{
    return &d->jobs[d->job == &d->jobs[0]];
}

void decoder_use(struct decoder *d, struct picture *picture)
{
    uint64_t bit = (uint64_t)1 << picture->number;
    if (d->job->uses & bit)
        return;
    d->job->uses |= bit;
    picture->holds++;
}

void decoder_target(struct decoder *d, const uint8_t *address)
{
    struct job *j = d->job;
    struct picture *picture = pictures_at(&d->pictures, address);
    if (picture == j->target)
        return;
    if (!picture || j->target) {
        decoder_fault(d, "pass 1 writes to two pictures, or to none");
        return;
    }
    j->target = j->batch.target = picture;
    decoder_use(d, picture);
}

/* ---- from pass 1 to the finished picture ---- */

static void submit(struct decoder *d, struct job *j)
{
    struct batch *b = &j->batch;
    inter_end_picture(d);
    d->pictures_ended++;
    d->commands += j->recon.count;
    d->command_bytes += j->recon.size;
    d->edges += j->filter.count;
    if (j->blocks > d->counts.max_blocks)
        d->counts.max_blocks = j->blocks;
    j->pending = true;
    if (!j->blocks)
        return;
    d->inter_pictures++;
    enum phase before = times_enter(&d->times, PHASE_SUBMIT);
    for (unsigned i = 0; i < b->reference_count; i++)
        if (b->references[i].picture->access & QPEL_WRITE)
            check(d, pictures_access(&d->pictures, b->references[i].picture, QPEL_READ),
                  "reference");
    check(d, pictures_access(&d->pictures, j->target, 0), "target");
    enum qpel_result r = d->pictures.plug->submit(d->pictures.self, b);
    if (r == QPEL_ERROR_UNSUPPORTED)
        d->no_backend = true;
    else
        check(d, r, "submit");
    times_enter(&d->times, before);
}

static void complete(struct decoder *d, struct job *j)
{
    if (!j->pending)
        return;
    enum phase before = times_enter(&d->times, PHASE_WAIT);
    if (j->blocks) {
        check(d, d->pictures.plug->wait(d->pictures.self, &j->batch), "wait");
        check(d, pictures_access(&d->pictures, j->target, QPEL_READ_WRITE), "target");
    }
    times_enter(&d->times, PHASE_RECON);
    recon_replay(&j->recon, &d->real.dsp, &d->real.pred);
    times_enter(&d->times, PHASE_FILTER);
    filter_replay(&j->filter, &d->real.dsp);
    times_enter(&d->times, before);

    for (unsigned i = 0; i < PICTURES_MAX; i++)
        if (j->uses >> i & 1)
            d->pictures.all[i].holds--;
    j->uses = 0;
    j->target = j->batch.target = NULL;
    j->batch.reference_count = j->batch.weight_count = 0;
    j->blocks = 0;
    j->frame_blocks = false;
    j->pending = false;
}

void decoder_end_picture(struct decoder *d, bool may_lag)
{
    complete(d, other(d)); /* a reference of this one, maybe, and its buffers are needed */
    struct job *j = d->job;
    if (!j->target)
        return;
    submit(d, j);
    /* The first field of a picture can't lag: pass 1 of the second one may write to their picture.
     */
    bool field = j->blocks && !j->frame_blocks;
    if (may_lag && !field)
        d->job = other(d);
    else
        complete(d, j);
}

void decoder_finish(struct decoder *d, const uint8_t *data)
{
    struct job *o = other(d);
    if (!o->pending || (data && pictures_at(&d->pictures, data) != o->target))
        return;
    d->early++;
    complete(d, o);
}

void decoder_new_frame(struct decoder *d)
{
    /* A second frame with no picture between: libavcodec fills a gap in frame_num by copying the
     * samples of the frame before. */
    if (d->frames_taken++)
        decoder_finish(d, NULL);
}
