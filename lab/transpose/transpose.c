/* Transpose: rows become columns.  Reading rows and writing columns is slow; what helps, step by step.
 *
 * The ladder is that of Greg Ruetsch and Paulius Micikevicius, "Optimizing Matrix Transpose in CUDA" (2009), as
 * lectures use it. */
#include "lab/ladder.h"
#include "lab/model/model.h"
#include "lab/show.h"
#include "lab/transpose/banks.h"
#include "lab/transpose/sizes.h"

#include "die.h"

#include <stdlib.h>
#include <string.h>

/* Matrices of side x side integers; work.n is side * side. */
typedef struct transposing {
    lab_work work;
    uint32_t side;
    uint32_t *host; /* the input, on the host; smaller matrices use its beginning */
    uint32_t *back; /* what comes back */
    char skipped[128];
} transposing;

static void set_side(transposing *t, uint32_t side)
{
    t->side = side;
    t->work.n = side * side;
}

/* --- 1. rungs ----------------------------------------------------------------------------------------------------- */

/* Rungs whose result is a copy have names that begin with "copy", and so have their kernels. */
static bool is_copy(const lab_rung *rung) { return strncmp(rung->name, "copy", strlen("copy")) == 0; }

static void launch(lab_work *work, uint32_t groups, unsigned items)
{
    const transposing *const t = work->context;
    void *const kernel = lab_kernel(work->dev, work->rung->file, is_copy(work->rung) ? "copy" : "transpose", NULL);
    lab_launch(work->dev, kernel, groups, items, opi_memory(work->in), opi_memory(work->out), opi_value(t->side));
}

/* The model may leave out equal groups: tiles of a row, and rows of tiles, are alike except for the last. */
static void by_tiles(lab_work *work)
{
    const transposing *const t = work->context;
    const uint32_t across = lab_ceiling(t->side, work->rung->tile);
    if (work->dev->model) lab_model_rows(work->dev->gpu, across);
    launch(work, across * across, work->rung->tile * ROWS);
    if (work->dev->model) lab_model_rows(work->dev->gpu, 0);
}

static void by_elements(lab_work *work) { launch(work, lab_ceiling(work->n, ITEMS), ITEMS); }

/* Along diagonals, partial tiles may come anywhere, so the model runs all groups. */
static void by_diagonals(lab_work *work)
{
    const transposing *const t = work->context;
    const bool all = work->dev->model && t->side % work->rung->tile != 0;
    const bool before = all && lab_model_whole(work->dev->gpu, true);
    by_tiles(work);
    if (all) lab_model_whole(work->dev->gpu, before);
}

static void by_oplus(lab_work *work)
{
    const transposing *const t = work->context;
    lab_must(oplus_transpose(work->dev->oplus, &oplus_u32, work->in, t->side, t->side, work->out));
}

/* A device may have smaller work-groups, or less memory for them. */
static const char *no_room(const lab_work *work)
{
    transposing *const t = work->context;
    const opi_gpu_facts *const facts = lab_facts(work->dev);
    const unsigned tile = work->rung->tile, items = tile ? tile * ROWS : ITEMS;
    const size_t bytes = tile * (tile + 1) * sizeof(uint32_t);
    if (items > facts->group)
        snprintf(t->skipped, sizeof t->skipped, "work-groups of %s have up to %u items, and it wants %u", facts->where,
                 facts->group, items);
    else if (bytes > facts->local)
        snprintf(t->skipped, sizeof t->skipped, "work-groups of %s share up to %zu bytes, and it wants %zu",
                 facts->where, facts->local, bytes);
    else
        return NULL;
    return t->skipped;
}

/* --- 2. the ladder ------------------------------------------------------------------------------------------------ */

/* A kernel whose work-items take an element each, or tiles of this side; compared with an earlier rung, or NULL. */
#define RUNG(number_and_name, called, side, other, by, ...)                                                            \
    {                                                                                                                  \
        .name = called, .file = "transpose/" number_and_name ".cl", .tile = side, .before = other, .run = by,          \
        .skip = no_room, __VA_ARGS__                                                                                   \
    }

static const lab_rung rungs[] = {
    RUNG("01-naive", "naive", 0, NULL, by_elements, .lecture = {5.3}),
    RUNG("02-copy", "copy", 0, NULL, by_elements, .role = LAB_YARDSTICK, .lecture = {112.4}),
    RUNG("03-copy-strided", "copy-strided", 0, "copy", by_elements, .role = LAB_YARDSTICK, .lecture = {2.7}),
    RUNG("04-tiled-16", "tiled-16", 16, "naive", by_tiles, ),
    RUNG("05-tiled-32", "tiled-32", 32, NULL, by_tiles, .lecture = {75.1}),
    RUNG("06-tiled-48", "tiled-48", 48, NULL, by_tiles, ),
    RUNG("07-copy-tiles", "copy-tiles", 32, "tiled-32", by_tiles, .role = LAB_YARDSTICK, .lecture = {94.9}),
    RUNG("08-padded-16", "padded-16", 16, "tiled-16", by_tiles, ),
    RUNG("09-padded-32", "padded-32", 32, "tiled-32", by_tiles, .lecture = {93.4}),
    RUNG("10-padded-48", "padded-48", 48, "tiled-48", by_tiles, ),
    RUNG("11-diagonal", "diagonal", 32, "padded-32", by_diagonals, ),
    LAB_RUNG_OF_OPLUS(by_oplus, "oplus_transpose(dev, &oplus_u32, in, n, n, out).",
                      "Padded tiles for any type and any shape; on the cores of the host, tiles that fit a cache and "
                      "no shared memory."),
    {.run = NULL}};

static void spoil(lab_work *work)
{
    const transposing *const t = work->context;
    lab_spoil(work->dev, work->out, t->back, work->n * sizeof *t->back);
}

/* Checks one block of the matrix, which fits the host's caches. */
static bool block_is_right(const transposing *t, bool copied, size_t top, size_t left, size_t block)
{
    const size_t n = t->side;
    bool right = true;
    for (size_t r = top; r < top + block && r < n; r++)
        for (size_t c = left; c < left + block && c < n; c++)
            right &= t->back[r * n + c] == (copied ? t->host[r * n + c] : t->host[c * n + r]);
    return right;
}

static bool right(lab_work *work)
{
    enum { BLOCK = 32 };
    const transposing *const t = work->context;
    bool right = true;
    lab_download(work->dev, t->back, work->out, work->n * sizeof *t->back);
    for (size_t top = 0; top < t->side; top += BLOCK)
        for (size_t left = 0; left < t->side; left += BLOCK)
            right &= block_is_right(t, is_copy(work->rung), top, left, BLOCK);
    return right;
}

static const lab_ladder ladder_of_both = {.bytes = 2 * sizeof(uint32_t),
                                          .rungs = rungs,
                                          .spoil = spoil,
                                          .right = right,
                                          .model = lab_allocate_words,
                                          .model_free = lab_release_words};

static const char about_power[] = "A side that is a power of two: words of a column are a power of two apart, which is "
                                  "the worst for whatever spreads addresses by their low bits. A GTX 280 had 8 "
                                  "partitions of memory, 256 bytes of each in turn: a column of tiles lay in one of "
                                  "them, and groups that wrote there at the same time queued (partition camping). "
                                  "Caches of processors have sets that are chosen by low bits too. GB/s count the "
                                  "bytes read and those written; a copy's result is a copy, and is checked to be one. "
                                  "The limit is the fastest copy we know on this device.";

static const char about_other[] = "The same kernels, and a side a little smaller: a row ends elsewhere in the "
                                  "partitions, channels or cache sets than it began. What is faster here than above, "
                                  "for about the same work, is what the power of two costs this device; compare the "
                                  "rung diagonal, which changes the order of the tiles alone.";

static const char about_lectures[] =
    "The lectures' column is what kernels of these kinds reached on a GTX 280: 93.4 / 5.3 = 17.6 times in all. It "
    "stands here and not above, because tiles in the order of rows are slower there where partitions are camped on. "
    "Tiles of which size they had is not told: the figures stand beside 32.";

static void climb(lab *l, transposing *t, const char *about, bool lectures)
{
    char title[64];
    lab_ladder ladder = ladder_of_both;
    snprintf(title, sizeof title, "Transpose of %u x %u", t->side, t->side);
    ladder.title = title;
    ladder.about = about;
    if (lectures) ladder.lectures[0] = "GTX 280", ladder.lecture_about = about_lectures;
    lab_climb(l, &ladder, &t->work);
}

/* --- 3. sides around a power of two ------------------------------------------------------------------------------- */

/* Adds the point of this side to the curve; a wrong result is reported and left out. */
static void measure_side(lab *l, lab_work *work, cJSON *series)
{
    const transposing *const t = work->context;
    spoil(work);
    lab_run_rung(work);
    lab_wait(work->dev);
    if (!right(work)) {
        tool_warn("%s gave a wrong result for a side of %u", work->rung->name, t->side);
        lab_wrong(l);
        return;
    }
    lab_point(series, t->side, 2e-9 * sizeof(uint32_t) * work->n / lab_seconds(work->dev, lab_run_rung, work));
}

static void measure_sides(lab *l, transposing *t, uint32_t middle)
{
    static const char title[] = "Sides around a power of two";
    static const char *const names[] = {"naive", "tiled-32", "padded-32", "diagonal"};
    enum { NAMES = sizeof names / sizeof *names, AROUND = 32 };
    const uint32_t step = lab_facts(l->dev)->host_cores ? 16 : 8;
    cJSON *const curves =
        lab_curves(l->experiment, title,
                   "Some rungs again, over sides on both sides of the power of two. All are multiples of 8 words, so "
                   "that every row begins at a sector. A rate that is lower at the power of two than on both sides of "
                   "it (on the page: a notch) shows that this side is special to the device; if it is not, addresses "
                   "are spread well enough.",
                   "side", "elements", false, "bandwidth", "GB/s", false);
    for (int i = 0; i < NAMES; i++) {
        cJSON *const series = lab_series(curves, names[i], "line");
        t->work.rung = lab_rung_called(rungs, names[i]);
        lab_show_step(title, names[i], i, NAMES);
        if (t->work.rung->skip(&t->work)) continue;
        for (uint32_t side = middle - AROUND; side <= middle + AROUND; side += step) {
            set_side(t, side);
            measure_side(l, &t->work, series);
        }
    }
    lab_show_section(l, curves);
}

/* --- 4. all of it ------------------------------------------------------------------------------------------------- */

static uint32_t root(size_t n)
{
    uint32_t side = 1;
    while ((size_t)(side + 1) * (side + 1) <= n) side++;
    return side;
}

static void begin(transposing *t, lab *l, uint32_t largest)
{
    t->work = (lab_work){.dev = l->dev, .context = t};
    set_side(t, largest);
    t->host = lab_random(t->work.n);
    t->back = tool_alloc(t->work.n * sizeof *t->back);
    lab_allocate_words(&t->work);
    lab_upload(l->dev, t->work.in, t->host, t->work.n * sizeof *t->host);
}

static void run(lab *l)
{
    enum { SIDE = 4096, QUICK = 512, MORE = 32 };
    transposing t = {.side = 0};
    const bool asked = l->options.n > 0, around = !asked && !l->options.quick && !l->dev->model;
    const size_t cores = l->dev->model ? QUICK * QUICK : SIDE * SIDE;
    const uint32_t side = root(lab_size(l, SIDE * SIDE, cores, QUICK * QUICK));
    begin(&t, l, around ? side + MORE : side);
    set_side(&t, side);
    climb(l, &t, asked ? NULL : about_power, false);
    if (!asked) {
        set_side(&t, side - side * 3 / 128); /* 4096: 4000 */
        climb(l, &t, about_other, true);
    }
    if (around) measure_sides(l, &t, side);
    lab_transpose_banks(l);
    lab_release_words(&t.work);
    free(t.back);
    free(t.host);
}

const lab_experiment lab_transpose = {
    .name = "transpose",
    .title = "Transpose",
    .summary = "rows into columns: why it is slower than a copy, and what helps",
    .about = "A transpose computes nothing: it moves every element once, as a copy does, and ought to be as fast. But "
             "either its reads or its writes go down columns, and memory wants to be gone through along rows: a warp "
             "that touches 32 rows moves 32 sectors for 32 words. Tiles in shared memory turn that around; then the "
             "banks of shared memory have their own columns.",
    .on_model = true,
    .counts = true,
    .run = run,
};
