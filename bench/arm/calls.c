/* Calls every entry of libqpel's table, then of libavcodec's, once each, and says
 * which: a line "library operation size position" for each call of measured(). Run
 * under an emulator that traces it. The bytes are compared first. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <qpel/dsp.h>

/* libavcodec's H264QpelContext: 16x16, 8x8, 4x4 and 2x2. */
struct libavcodec_table {
    qpel_mc_fn *put[4][16];
    qpel_mc_fn *avg[4][16];
};
void ff_h264qpel_init(struct libavcodec_table *table, int bit_depth);

/* model.py takes what runs while this is entered but is outside of it. */
void measured(qpel_mc_fn *function, uint8_t *dst, const uint8_t *src, ptrdiff_t stride);

#define STRIDE 64
#define ROWS   32
#define ORIGIN (8 * STRIDE + 16)

static uint8_t source[ROWS * STRIDE] __attribute__((aligned(64)));
static uint8_t ours[ROWS * STRIDE] __attribute__((aligned(64)));
static uint8_t theirs[ROWS * STRIDE] __attribute__((aligned(64)));

static void check(qpel_mc_fn *a, qpel_mc_fn *b, const char *name)
{
    memcpy(ours, source + 7, sizeof(ours) - 7);
    memcpy(theirs, ours, sizeof(theirs));
    a(ours + ORIGIN, source + ORIGIN, STRIDE);
    b(theirs + ORIGIN, source + ORIGIN, STRIDE);
    if (memcmp(ours, theirs, sizeof(ours)) != 0) {
        fprintf(stderr, "calls: %s differs\n", name);
        exit(1);
    }
}

static const int sizes[] = { 16, 8, 4 };

static void call_all(const char *library, qpel_mc_fn *const (*put)[16],
                     qpel_mc_fn *const (*avg)[16])
{
    for (int operation = 0; operation < 2; operation++)
        for (int size = 0; size < 3; size++)
            for (int p = 0; p < 16; p++) {
                printf("%s %s %d mc%d%d\n", library, operation ? "avg" : "put", sizes[size], p % 4,
                       p / 4);
                measured(operation ? avg[size][p] : put[size][p], ours + ORIGIN, source + ORIGIN,
                         STRIDE);
            }
}

int main(void)
{
    struct qpel_dsp dsp;
    struct libavcodec_table libavcodec;
    uint32_t random = 1;

    if (qpel_dsp_init(&dsp, 8, QPEL_CPU_ALL) != QPEL_OK)
        return 1;
    ff_h264qpel_init(&libavcodec, 8);
    for (size_t i = 0; i < sizeof(source); i++)
        source[i] = (uint8_t)((random = random * 1664525 + 1013904223) >> 24);

    for (int size = 0; size < 3; size++)
        for (int p = 0; p < 16; p++) {
            char name[32];

            snprintf(name, sizeof(name), "%dx%d mc%d%d", sizes[size], sizes[size], p % 4, p / 4);
            check(dsp.put[size][p], libavcodec.put[size][p], name);
            check(dsp.avg[size][p], libavcodec.avg[size][p], name);
        }

    call_all("libqpel", dsp.put, dsp.avg);
    call_all("libavcodec", libavcodec.put, libavcodec.avg);
    return 0;
}
