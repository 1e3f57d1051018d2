#include "picture_sharing.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness.h"

enum { PATIENCE_MS = 120000 };

/* ---- export ---- */

/* Whether a picture's samples are as expected of a case's target. */
static void expect_samples(struct qpel_picture *p, const struct picture_case *c)
{
    struct loaded l = { .image = &c->target, .memory = CREATED, .picture = p };
    uint8_t *region = loaded_region(&l);

    assert_true(case_equal(c, region, "a picture that was exported"));
    free(region);
}

/* The dma-buf in another context, by a case whose references are at home there. */
static void use_elsewhere(struct qpel_context *context, const struct picture_case *c,
                          const struct qpel_dmabuf *d, const struct target *t)
{
    struct qpel_picture *p;
    enum qpel_result r = qpel_picture_import(context, &c->target.format, d, &p);

    if (r == QPEL_ERROR_UNSUPPORTED) {
        printf("# %s: the CPU alone can't import it\n", t->name);
        return;
    }
    assert_int_equal(r, QPEL_OK);
    if (place_info(p).cpu) {
        expect_samples(p, c);
        picture_fill(p, &c->target);
    }
    bool same = place_info(p).gpu;
    struct target with = { .name = "where it was imported",
                           .backend = same ? QPEL_BACKEND_GPU : QPEL_BACKEND_CPU,
                           .context = context };
    struct running run = place_open(c, context, PLACE_CREATED, PLACE_CREATED);
    qpel_picture_destroy(&run.target.picture);
    run.target.picture = p;
    running_collect(&run);
    assert_int_equal(running_submit(&run, &with), QPEL_OK);
    if (place_info(p).cpu)
        running_check(&run, with.name);
    running_close(&run);
}

void check_export(const struct target *t, int cases, struct random *r)
{
    struct qpel_context_params params = { .backend = QPEL_BACKEND_CPU };
    struct qpel_context *cpu;

    assert_int_equal(qpel_context_create(&cpu, &params), QPEL_OK);
    int before = place_descriptors();
    for (int n = 0; n < cases; n++) {
        struct picture_case c = n % 2 ? case_draw(60, r) : place_case(place_format(r), r);
        struct running run = place_open(&c, t->context, PLACE_EXPORTABLE, PLACE_EXPORTABLE);
        struct qpel_memory_info info = place_info(run.target.picture);
        struct qpel_dmabuf d, again;
        assert_true(info.exportable && info.cpu && info.gpu);
        running_collect(&run);
        assert_int_equal(qpel_picture_export(run.target.picture, &d), QPEL_OK);
        assert_int_equal(running_submit(&run, t), QPEL_OK);
        running_check(&run, t->name);
        assert_int_equal(qpel_picture_export(run.target.picture, &again), QPEL_OK);
        assert_int_not_equal(again.fd, d.fd);
        assert_int_equal(again.size, d.size);
        /* The memory outlives its first picture. */
        running_close(&run);
        close(again.fd);
        if (n % 2 == 0) {
            use_elsewhere(cpu, &c, &d, t);
            use_elsewhere(t->context, &c, &d, t);
        }
        close(d.fd);
        case_free(&c);
    }
    assert_int_equal(place_descriptors(), before);
    qpel_context_destroy(&cpu);
}

/* ---- completion ---- */

bool fd_readable(int fd, int timeout_ms)
{
    struct pollfd p = { .fd = fd, .events = POLLIN };

    return poll(&p, 1, timeout_ms) == 1 && p.revents & POLLIN;
}

static void expect_readable(struct qpel_context *context, qpel_ticket ticket)
{
    int fd;

    assert_int_equal(qpel_ticket_fd(context, ticket, &fd), QPEL_OK);
    assert_true(fd_readable(fd, 0));
    close(fd);
}

static void submit_and_poll(struct running *run, const struct target *t, int count)
{
    struct qpel_submit_params params = { .backend = t->backend, .completion_fd = true };
    qpel_ticket ticket;
    int fds[3];

    assert_int_equal(qpel_submit(run->batch, &params, &ticket, NULL), QPEL_OK);
    for (int i = 0; i < count; i++)
        assert_int_equal(qpel_ticket_fd(t->context, ticket, &fds[i]), QPEL_OK);
    for (int i = 0; i < count; i++)
        assert_true(fd_readable(fds[i], PATIENCE_MS));
    assert_int_equal(qpel_wait(t->context, ticket, WAIT_NS), QPEL_OK);
    expect_readable(t->context, ticket);
    for (int i = 0; i < count; i++) {
        assert_true(fd_readable(fds[i], 0));
        close(fds[i]);
    }
}

void check_completion(const struct target *t, int cases, struct random *r)
{
    struct qpel_submit_params plain = { .backend = t->backend };
    qpel_ticket ticket;
    int fd = 0;

    assert_int_equal(qpel_ticket_fd(NULL, 0, &fd), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_ticket_fd(t->context, 0, NULL), QPEL_ERROR_INVALID);
    assert_int_equal(qpel_ticket_fd(t->context, UINT64_MAX, &fd), QPEL_ERROR_INVALID);
    assert_int_equal(fd, -1);
    expect_readable(t->context, 0);
    int before = 0;
    for (int n = 0; n < cases; n++) {
        struct picture_case c = case_draw(60, r);
        struct running run = running_open(&c, t->context, CREATED, CREATED);
        running_collect(&run);
        /* Asked for, not asked for, asked twice; and a submission that did not wish between. */
        submit_and_poll(&run, t, n % 4);
        running_check(&run, t->name);
        assert_int_equal(qpel_submit(run.batch, &plain, &ticket, NULL), QPEL_OK);
        assert_int_equal(qpel_ticket_fd(t->context, ticket, &fd), QPEL_ERROR_INVALID);
        assert_int_equal(qpel_wait(t->context, ticket, WAIT_NS), QPEL_OK);
        submit_and_poll(&run, t, 1);
        qpel_ticket old = ticket + 1;
        running_close(&run);
        expect_readable(t->context, old);
        case_free(&c);
        if (n == 0)
            before = place_descriptors(); /* what a driver keeps has been opened */
    }
    assert_int_equal(place_descriptors(), before);
}
