#define _GNU_SOURCE /* memfd_create() */
#include "picture_place.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness.h"

enum { PAGE = 4096, PAGES_MAX = 64 };

static size_t to_pages(size_t size)
{
    return (size + PAGE - 1) / PAGE * PAGE;
}

struct qpel_dmabuf place_layout(const struct image *image)
{
    struct qpel_dmabuf d = { .fd = -1 };
    size_t at = 4;

    for (int p = 0; p < image->planes; p++) {
        d.offset[p] = at;
        d.stride[p] = (image->width[p] + 3) / 4 * 4 + (p ? 8 : 4);
        at += d.stride[p] * image->height[p] + 20;
    }
    d.size = to_pages(at);
    return d;
}

/* ---- pictures ---- */

static int shared_memory(size_t size)
{
    int fd = memfd_create("shared memory", MFD_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)size), 0);
    return fd;
}

int (*place_dmabuf)(size_t size) = shared_memory;

static struct qpel_picture *import(struct qpel_context *context, const struct image *image)
{
    struct qpel_dmabuf d = place_layout(image);
    struct qpel_picture *p;

    d.fd = place_dmabuf(d.size);
    assert_int_equal(qpel_picture_import(context, &image->format, &d, &p), QPEL_OK);
    close(d.fd);
    return p;
}

static void *pages[PAGES_MAX];

static struct qpel_picture *wrap(struct qpel_context *context, const struct image *image)
{
    struct qpel_dmabuf d = place_layout(image);
    struct qpel_picture_data data = { .size = d.size };
    struct qpel_picture *p;
    int i = 0;

    while (pages[i])
        if (++i == PAGES_MAX)
            abort();
    data.base = pages[i] = aligned_alloc(PAGE, d.size);
    assert_non_null(data.base);
    const int last = image->planes - 1;
    size_t end = d.offset[last] + (image->height[last] - 1) * d.stride[last] + image->width[last];
    const size_t up = (d.size - end) / 4 * 4;
    for (int k = 0; k < image->planes; k++) {
        data.data[k] = (uint8_t *)data.base + d.offset[k] + up;
        data.stride[k] = (ptrdiff_t)d.stride[k];
    }
    assert_int_equal(qpel_picture_wrap(context, &image->format, &data, &p), QPEL_OK);
    return p;
}

void place_free_pages(void)
{
    for (int i = 0; i < PAGES_MAX; i++) {
        free(pages[i]);
        pages[i] = NULL;
    }
}

struct qpel_picture *place_picture(struct qpel_context *context, const struct image *image,
                                   enum place place)
{
    const struct qpel_picture_format *f = &image->format;
    struct qpel_picture *p = NULL;

    switch (place) {
    case PLACE_CREATED:
        assert_int_equal(qpel_picture_create(context, f, QPEL_NEAR_CPU, &p), QPEL_OK);
        break;
    case PLACE_EXPORTABLE:
        assert_int_equal(qpel_picture_create_exportable(context, f, QPEL_NEAR_GPU, &p), QPEL_OK);
        break;
    case PLACE_IMPORTED:
        p = import(context, image);
        break;
    default:
        p = wrap(context, image);
    }
    picture_fill(p, image);
    return p;
}

struct running place_open(const struct picture_case *c, struct qpel_context *context,
                          enum place target, enum place references)
{
    struct running r = { .c = c };

    /* What picture_run.h reads and writes through qpel_picture_begin() it calls CREATED. */
    r.target = (struct loaded){ .image = &c->target,
                                .memory = CREATED,
                                .picture = place_picture(context, &c->target, target) };
    for (int i = 0; i < c->image_count; i++)
        r.images[i] =
            (struct loaded){ .image = &c->images[i],
                             .memory = CREATED,
                             .picture = place_picture(context, &c->images[i], references) };
    assert_int_equal(qpel_batch_create(context, &r.batch), QPEL_OK);
    return r;
}

/* ---- cases ---- */

struct qpel_picture_format place_format(struct random *r)
{
    struct qpel_picture_format f = {
        .width = (uint32_t)random_between(r, 32, 90),
        .height = (uint32_t)random_between(r, 32, 90),
        .chroma = (enum qpel_chroma)random_below(r, 4),
    };

    if (f.chroma != QPEL_CHROMA_444 && random_below(r, 2))
        f.layout = QPEL_LAYOUT_INTERLEAVED;
    return f;
}

/* A vector's part for a block of 8 at `at`, whose window, 2 before and 3 behind, stays inside. */
static int16_t inside(int at, int side, struct random *r)
{
    return (int16_t)random_between(r, (2 - at) * 4, (side - 12 - at) * 4 + 3);
}

struct picture_case place_case(struct qpel_picture_format f, struct random *r)
{
    struct picture_case c = case_make(f, 2, r);

    image_fill(&c.target, r);
    for (int i = 0; i < 2; i++) {
        image_fill(&c.images[i], r);
        c.references[c.reference_count++] = (struct case_reference){ i, QPEL_FRAME };
    }
    for (int y = 0; y + 8 <= (int)f.height; y += 8)
        for (int x = 0; x + 8 <= (int)f.width; x += 8) {
            struct qpel_picture_block *b = &c.blocks[c.count++];
            *b = (struct qpel_picture_block){
                .x = (uint16_t)x,
                .y = (uint16_t)y,
                .width = 8,
                .height = 8,
                .references = (uint8_t)(1 + random_below(r, 2)),
                .reference = { (uint8_t)random_below(r, 2), (uint8_t)random_below(r, 2) },
            };
            for (int l = 0; l < 2; l++) {
                b->mv[l][0] = inside(x, (int)f.width, r);
                b->mv[l][1] = inside(y, (int)f.height, r);
            }
        }
    case_expect(&c);
    return c;
}

/* ---- questions ---- */

struct qpel_memory_info place_info(const struct qpel_picture *picture)
{
    struct qpel_memory_info info;

    assert_int_equal(qpel_picture_memory(picture, &info), QPEL_OK);
    return info;
}

int place_descriptors(void)
{
    DIR *d = opendir("/proc/self/fd");
    int count = 0;

    assert_non_null(d);
    while (readdir(d))
        count++;
    closedir(d);
    return count;
}
