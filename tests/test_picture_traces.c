/* The picture door on real motion: whole pictures of the traces against the hashes beside them; and
 * chains of pictures, each predicted from the last. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "picture_run.h"
#include "split_luma.h"
#include "trace.h"

static struct target targets[TARGETS_MAX];
static int target_count, failed_devices;

enum { TRACES_MAX = 32, SLOTS_MAX = 32 };
static struct trace_path paths[TRACES_MAX];
static size_t path_count;

static void need_targets(void)
{
    assert_int_equal(failed_devices, 0);
    if (!target_count)
        SKIP_TEST("no device");
}

/* ---- traces ---- */

static struct qpel_picture_block block_of(const struct trace_call *call, uint8_t reference)
{
    int x = 4 * (call->src_x - call->x) + call->position % 4;
    int y = 4 * (call->src_y - call->y) + call->position / 4;

    assert_in_range(x + 32768, 0, 65535);
    assert_in_range(y + 32768, 0, 65535);
    return (struct qpel_picture_block){
        .x = call->x,
        .y = call->y,
        .width = (uint8_t)(16 >> call->size),
        .height = (uint8_t)(16 >> call->size),
        .references = 1,
        .reference = { reference },
        .mv = { { (int16_t)x, (int16_t)y } },
    };
}

/* The calls that write to one of the replay's planes as blocks: an avg is the second reference of
 * the block that it averages into. Returns their number. */
static size_t blocks_of(const struct trace *trace, const struct trace_picture *p, bool temporary,
                        struct qpel_picture_block *blocks)
{
    size_t columns = (size_t)trace->width / 4, count = 0;
    size_t *at = calloc(columns * (size_t)trace->height / 4, sizeof *at);

    assert_non_null(at);
    for (size_t i = 0; i < p->count; i++) {
        const struct trace_call *call = &p->calls[i];
        size_t *cell = &at[call->y / 4 * columns + call->x / 4];
        struct qpel_picture_block b = block_of(call, call->slot);
        if (call->temporary != temporary)
            continue;
        if (call->operation == QPEL_PUT) {
            blocks[count] = b;
            *cell = ++count;
            continue;
        }
        assert_true(*cell > 0);
        struct qpel_picture_block *first = &blocks[*cell - 1];
        assert_int_equal(first->width, b.width);
        assert_int_equal(first->references, 1);
        first->references = 2;
        first->reference[1] = b.reference[0];
        memcpy(first->mv[1], b.mv[0], sizeof b.mv[0]);
    }
    free(at);
    return count;
}

static void fill_reference(struct qpel_picture *picture, const struct trace *trace, unsigned slot)
{
    struct qpel_picture_data d;

    assert_int_equal(qpel_picture_begin(picture, QPEL_WRITE, &d), QPEL_OK);
    for (int y = 0; y < trace->height; y++)
        for (int x = 0; x < trace->width; x++)
            d.data[0][y * d.stride[0] + x] = trace_sample(slot, x, y);
    assert_int_equal(qpel_picture_end(picture), QPEL_OK);
}

static void clear(struct qpel_picture *picture, const struct trace *trace)
{
    struct qpel_picture_data d;

    assert_int_equal(qpel_picture_begin(picture, QPEL_WRITE, &d), QPEL_OK);
    for (int y = 0; y < trace->height; y++)
        memset(d.data[0] + y * d.stride[0], 0, (size_t)trace->width);
    assert_int_equal(qpel_picture_end(picture), QPEL_OK);
}

/* FNV-1a */
static uint64_t hash(struct qpel_picture *picture, const struct trace *trace)
{
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    struct qpel_picture_data d;

    assert_int_equal(qpel_picture_begin(picture, QPEL_READ, &d), QPEL_OK);
    for (int y = 0; y < trace->height; y++)
        for (int x = 0; x < trace->width; x++)
            h = (h ^ d.data[0][y * d.stride[0] + x]) * UINT64_C(0x100000001b3);
    assert_int_equal(qpel_picture_end(picture), QPEL_OK);
    return h;
}

/* What a picture of a trace needs on a target: plane 0 is the picture, plane 1 the temporary one.
 */
struct replay {
    struct qpel_picture *planes[2], *references[SLOTS_MAX];
    struct qpel_batch *batches[2];
};

static enum qpel_result start(struct replay *r, int plane, const struct target *t,
                              const struct trace *trace, const struct trace_picture *p,
                              struct qpel_picture_block *blocks, qpel_ticket *ticket)
{
    struct qpel_submit_params params = { .backend = t->backend };
    uint8_t index;
    size_t bad;

    clear(r->planes[plane], trace);
    assert_int_equal(qpel_batch_begin(r->batches[plane], r->planes[plane]), QPEL_OK);
    for (unsigned s = 0; s < p->slots; s++)
        assert_int_equal(
            qpel_batch_reference(r->batches[plane], r->references[s], QPEL_FRAME, &index), QPEL_OK);
    size_t count = blocks_of(trace, p, plane, blocks);
    assert_int_equal(qpel_batch_add(r->batches[plane], blocks, count, &bad), QPEL_OK);
    return qpel_submit(r->batches[plane], &params, ticket, NULL);
}

/* False: the target can't. */
static bool replay(struct replay *r, const struct target *t, const struct trace *trace,
                   const struct trace_picture *p)
{
    struct qpel_picture_block *blocks = malloc((p->count + 1) * sizeof *blocks);
    qpel_ticket tickets[2] = { 0, 0 };
    bool able = true;

    assert_non_null(blocks);
    /* Both in flight. */
    for (int plane = 0; plane < 2 && able; plane++) {
        enum qpel_result result = start(r, plane, t, trace, p, blocks, &tickets[plane]);
        able = result != QPEL_ERROR_UNSUPPORTED;
        assert_true(!able || result == QPEL_OK);
    }
    free(blocks);
    for (int plane = 1; plane >= 0 && able; plane--)
        assert_int_equal(qpel_wait(t->context, tickets[plane], WAIT_NS), QPEL_OK);
    if (!able)
        return false;
    uint64_t dst = hash(r->planes[0], trace), tmp = hash(r->planes[1], trace);
    if (dst != p->golden_dst || tmp != p->golden_tmp)
        fail_msg("%s: %s picture %u: another hash than the golden one", t->name, trace->name,
                 p->index);
    return true;
}

/* How many pictures the target predicted. */
static size_t replay_trace(const struct trace *trace, const struct target *t)
{
    struct replay r = { .planes = { NULL } };
    size_t done = 0;

    for (int plane = 0; plane < 2; plane++) {
        r.planes[plane] = picture_new(t->context, (uint32_t)trace->width, (uint32_t)trace->height,
                                      QPEL_CHROMA_400);
        assert_int_equal(qpel_batch_create(t->context, &r.batches[plane]), QPEL_OK);
    }
    for (size_t i = 0; i < trace->count; i++) {
        const struct trace_picture *p = &trace->pictures[i];
        assert_true(p->golden && p->slots <= SLOTS_MAX);
        for (unsigned s = 0; s < p->slots; s++)
            if (!r.references[s]) {
                r.references[s] = picture_new(t->context, (uint32_t)trace->width,
                                              (uint32_t)trace->height, QPEL_CHROMA_400);
                fill_reference(r.references[s], trace, s);
            }
        done += replay(&r, t, trace, p);
    }
    for (int plane = 0; plane < 2; plane++) {
        qpel_batch_destroy(&r.batches[plane]);
        qpel_picture_destroy(&r.planes[plane]);
    }
    for (int s = 0; s < SLOTS_MAX; s++)
        qpel_picture_destroy(&r.references[s]);
    return done;
}

static void whole_traces(void **state)
{
    bool skipped = false;

    (void)state;
    need_targets();
    if (!path_count)
        SKIP_TEST("no traces");
    for (size_t i = 0; i < path_count; i++) {
        struct trace trace;
        char error[TRACE_ERROR_SIZE];
        if (!trace_load_both(&trace, paths[i].path, error))
            fail_msg("%s: %s", paths[i].path, error);
        for (int t = 0; t < target_count; t++) {
            size_t done = replay_trace(&trace, &targets[t]);
            printf("# %s: %s: %zu of %zu pictures exact\n", targets[t].name, trace.name, done,
                   trace.count);
            if (targets[t].backend == QPEL_BACKEND_CPU)
                assert_int_equal(done, trace.count);
            skipped |= done < trace.count;
        }
        trace_free(&trace);
    }
    if (skipped)
        SKIP_TEST("a device can't run these");
}

/* ---- chains ---- */

enum { CHAIN_LENGTH = 100, CHAIN_SIDE = 64, CHAIN_RING = 5 };

/* Each picture is made from the one before and, in half of its blocks, from the one before that. */
static void draw_link(struct picture_case *c, struct random *r)
{
    c->count = 0;
    for (int y = 0; y < CHAIN_SIDE; y += 8)
        for (int x = 0; x < CHAIN_SIDE; x += 8)
            c->blocks[c->count++] = (struct qpel_picture_block){
                .x = (uint16_t)x,
                .y = (uint16_t)y,
                .width = 8,
                .height = 8,
                .references = (uint8_t)random_between(r, 1, 2),
                .reference = { 0, 1 },
                .mv = { { (int16_t)random_between(r, -60, 60),
                          (int16_t)random_between(r, -60, 60) },
                        { (int16_t)random_between(r, -60, 60),
                          (int16_t)random_between(r, -60, 60) } },
            };
}

/* A ring of pictures, one more than batches are in flight and that both references live on. */
struct chain {
    struct loaded pictures[CHAIN_RING + 2];
    struct qpel_batch *batches[CHAIN_RING];
    qpel_ticket tickets[CHAIN_RING];
};

static bool submit_link(struct chain *chain, int n, const struct picture_case *c,
                        const struct target *t)
{
    struct qpel_submit_params params = { .backend = t->backend };
    enum { PICTURES = CHAIN_RING + 2 };
    struct qpel_batch *batch = chain->batches[n % CHAIN_RING];
    uint8_t index;
    size_t bad;

    /* CHAIN_RING - 1 others may be in flight. */
    assert_int_equal(qpel_wait(t->context, chain->tickets[n % CHAIN_RING], WAIT_NS), QPEL_OK);
    assert_int_equal(qpel_batch_begin(batch, chain->pictures[n % PICTURES].picture), QPEL_OK);
    for (int back = 1; back <= 2; back++)
        assert_int_equal(
            qpel_batch_reference(batch, chain->pictures[(n + PICTURES - back) % PICTURES].picture,
                                 QPEL_FRAME, &index),
            QPEL_OK);
    assert_int_equal(qpel_batch_add(batch, c->blocks, c->count, &bad), QPEL_OK);
    enum qpel_result r = qpel_submit(batch, &params, &chain->tickets[n % CHAIN_RING], NULL);
    if (r != QPEL_ERROR_UNSUPPORTED)
        assert_int_equal(r, QPEL_OK);
    return r == QPEL_OK;
}

/* Nobody waits for a picture before the next one that reads it is submitted. */
static bool run_chain(const struct target *t, struct qpel_picture_format f, uint64_t stream)
{
    struct random r = random_stream(stream);
    struct picture_case c = case_make(f, 2, NULL);
    struct chain chain = { .batches = { NULL } };
    bool able = true;

    image_fill(&c.images[0], &r);
    image_fill(&c.images[1], &r);
    c.references[c.reference_count++] = (struct case_reference){ 0, QPEL_FRAME };
    c.references[c.reference_count++] = (struct case_reference){ 1, QPEL_FRAME };
    /* Link 2 is made from pictures 1 and 0. */
    chain.pictures[1] = load(t->context, &c.images[0], CREATED);
    chain.pictures[0] = load(t->context, &c.images[1], CREATED);
    for (int i = 2; i < CHAIN_RING + 2; i++)
        chain.pictures[i] = load(t->context, &c.target, CREATED);
    for (int i = 0; i < CHAIN_RING; i++)
        assert_int_equal(qpel_batch_create(t->context, &chain.batches[i]), QPEL_OK);
    int n;
    for (n = 2; n < CHAIN_LENGTH + 2 && able; n++) {
        draw_link(&c, &r);
        able = submit_link(&chain, n, &c, t);
        case_expect(&c);
        memcpy(c.images[1].bytes, c.images[0].bytes, c.images[0].size);
        memcpy(c.images[0].bytes, c.expected, c.images[0].size);
    }
    for (int i = 0; i < CHAIN_RING && able; i++)
        assert_int_equal(qpel_wait(t->context, chain.tickets[i], WAIT_NS), QPEL_OK);
    if (able) {
        struct loaded last = chain.pictures[(n - 1) % (CHAIN_RING + 2)];
        last.image = &c.target;
        uint8_t *actual = loaded_region(&last);
        bool equal = case_equal(&c, actual, t->name);
        free(actual);
        assert_true(equal);
    }
    for (int i = 0; i < CHAIN_RING; i++)
        qpel_batch_destroy(&chain.batches[i]);
    for (int i = 0; i < CHAIN_RING + 2; i++)
        unload(&chain.pictures[i]);
    case_free(&c);
    return able;
}

static void chains(void **state)
{
    static const struct qpel_picture_format formats[] = {
        { CHAIN_SIDE, CHAIN_SIDE, QPEL_CHROMA_420, QPEL_LAYOUT_INTERLEAVED, 8 },
        { CHAIN_SIDE, CHAIN_SIDE, QPEL_CHROMA_444, QPEL_LAYOUT_PLANAR, 8 },
    };
    bool skipped = false;

    (void)state;
    need_targets();
    for (int t = 0; t < target_count; t++)
        for (unsigned f = 0; f < sizeof formats / sizeof *formats; f++)
            skipped |= !run_chain(&targets[t], formats[f], 30 + f);
    if (skipped)
        SKIP_TEST("a device can't run these");
}

/* The fields of a picture, one after the other: the second is made from the first, and the next
 * picture's first from both. Two batches into one picture. */
static void fields_of_one_picture(void **state)
{
    enum { FIELDS = 20, WIDTH = 48, HEIGHT = 64 };
    struct qpel_picture_format f = picture_format(WIDTH, HEIGHT, QPEL_CHROMA_420);
    bool skipped = false;

    (void)state;
    need_targets();
    for (int t = 0; t < target_count; t++) {
        struct random r = random_stream(33);
        struct picture_case c = case_make(f, 0, NULL);
        image_fill(&c.target, &r);
        struct running run = running_open(&c, targets[t].context, CREATED, CREATED);
        for (int n = 0; n < FIELDS && !skipped; n++) {
            c.count = 0;
            c.reference_count = 1;
            c.references[0].image = TARGET_ITSELF;
            c.references[0].parity = n % 2 ? QPEL_TOP_FIELD : QPEL_BOTTOM_FIELD;
            for (int y = 0; y < HEIGHT / 2; y += 16)
                for (int x = 0; x < WIDTH; x += 16)
                    c.blocks[c.count++] = (struct qpel_picture_block){
                        .x = (uint16_t)x,
                        .y = (uint16_t)y,
                        .width = 16,
                        .height = 16,
                        .parity = n % 2 ? QPEL_BOTTOM_FIELD : QPEL_TOP_FIELD,
                        .references = 1,
                        .mv = { { (int16_t)random_between(&r, -60, 60),
                                  (int16_t)random_between(&r, -60, 60) } },
                    };
            case_expect(&c);
            running_collect(&run);
            skipped = running_submit(&run, &targets[t]) != QPEL_OK;
            if (!skipped)
                running_check(&run, targets[t].name);
            memcpy(c.target.bytes, c.expected, c.target.size);
        }
        running_close(&run);
        case_free(&c);
    }
    if (skipped)
        SKIP_TEST("a device can't run these");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whole_traces),
        cmocka_unit_test(chains),
        cmocka_unit_test(fields_of_one_picture),
    };
    path_count = trace_find(argc > 1 ? argv[1] : "tests/data", NULL, paths, TRACES_MAX);
    target_count = targets_open(targets, &failed_devices);
    split_luma(targets, target_count);
    int status = RUN_GROUP("picture traces", tests);
    targets_close(targets, target_count);
    return status;
}
