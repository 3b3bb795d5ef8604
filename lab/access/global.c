/* Global memory: an offset, a stride; and the width of loads. */
#include "lab/access/access.h"
#include "lab/ladder.h"
#include "lab/model/model.h"
#include "lab/show.h"

#include "die.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 32, MODEL_N = MOST * LOADS * ITEMS, STORE_SECTORS = 4 };

/* One kernel over all offsets, or strides. */
typedef struct sweep {
    lab *l;
    const char *file, *kernel;
    const char *x;
    bool strides;
    size_t n; /* elements that are read from, without those that an offset adds */
    void *in, *out;
    const uint32_t *host;
    uint32_t *expected;
    cJSON *rates, *modelled, *counted; /* series */
} sweep;

/* --- 1. one point ------------------------------------------------------------------------------------------------- */

/* With a stride, fewer elements are read from the same array. */
static size_t items_of(const sweep *s, size_t n, uint32_t x)
{
    return (s->strides ? n / x : n) / LOADS / ITEMS * ITEMS;
}

static void expect(const sweep *s, uint32_t x)
{
    const size_t items = items_of(s, s->n, x), stride = s->strides ? x : 1, offset = s->strides ? 0 : x;
    memset(s->expected, 0, items * sizeof *s->expected);
    for (size_t load = 0; load < LOADS; load++)
        for (size_t i = 0; i < items; i++) s->expected[i] += s->host[(load * items + i) * stride + offset];
}

/* Sectors of a load: those of the one store of each warp are subtracted. */
static double sectors_of(const lab_counts *counts, double warps)
{
    if (!counts->known[LAB_SECTORS] || !counts->known[LAB_REQUESTS]) return NAN;
    return (counts->of[LAB_SECTORS] - STORE_SECTORS * warps) / (counts->of[LAB_REQUESTS] - warps);
}

static double modelled(const sweep *s, uint32_t x)
{
    lab_device *const twin = s->l->dev->twin;
    void *const in = lab_alloc(twin, (MODEL_N + MOST) * sizeof(uint32_t));
    void *const out = lab_alloc(twin, MODEL_N / LOADS * sizeof(uint32_t));
    access_trial t = {.dev = twin,
                      .kernel = lab_kernel(twin, s->file, s->kernel, NULL),
                      .groups = items_of(s, MODEL_N, x) / ITEMS,
                      .argument = {opi_memory(in), opi_memory(out), opi_value(x)}};
    lab_counts counts;
    access_launch(&t);
    lab_model_counts(twin->gpu, &counts);
    lab_free(twin, in);
    lab_free(twin, out);
    return sectors_of(&counts, access_warps(&t));
}

/* Counting takes several runs, so it is not done for every x. */
static bool is_counted(uint32_t x) { return x <= 4 || x % 4 == 0; }

static void measure(const sweep *s, uint32_t x)
{
    const size_t items = items_of(s, s->n, x);
    lab_counts counts;
    char what[64];
    access_trial t = {.dev = s->l->dev,
                      .kernel = lab_kernel(s->l->dev, s->file, s->kernel, NULL),
                      .groups = items / ITEMS,
                      .argument = {opi_memory(s->in), opi_memory(s->out), opi_value(x)}};
    expect(s, x);
    snprintf(what, sizeof what, "%s %u", s->x, (unsigned)x);
    const double seconds = access_seconds(s->l, what, &t, s->out, s->expected, items);
    lab_point(s->rates, x, (double)(items * LOADS * sizeof(uint32_t)) / seconds * 1e-9);
    lab_point(s->modelled, x, modelled(s, x));
    if (s->counted && is_counted(x) && lab_count(s->l->dev, access_launch, &t, &counts))
        lab_point(s->counted, x, sectors_of(&counts, access_warps(&t)));
}

/* --- 2. all points ------------------------------------------------------------------------------------------------ */

/* With --quick, only these. */
static bool is_wanted(const lab *l, uint32_t x) { return !l->options.quick || x == 0 || x == 1 || x == 8; }

static void run_sweep(sweep *s, const char *rates_about, const char *sectors_about)
{
    char title[96], counted_by[160];
    snprintf(title, sizeof title, "Global memory: %s", s->x);
    cJSON *const rates =
        lab_curves(s->l->experiment, title, rates_about, s->x, "elements", false, "useful bytes", "GB/s", false);
    snprintf(title, sizeof title, "Global memory: %s, sectors of a load", s->x);
    cJSON *const sectors =
        lab_curves(s->l->experiment, title, sectors_about, s->x, "elements", false, "sectors", "a request", false);
    s->rates = lab_series(rates, "measured", "line");
    s->modelled = lab_series(sectors, "model", "line");
    s->counted = s->l->dev->cupti ? lab_series(sectors, access_counted_by(s->l, counted_by), "dots") : NULL;
    for (uint32_t x = s->strides; x <= MOST; x++) {
        if (!is_wanted(s->l, x)) continue;
        lab_show_step("Global memory", s->x, (int)x, MOST + 1);
        measure(s, x);
    }
    lab_show_section(s->l, rates);
    lab_show_section(s->l, sectors);
}

void access_global(lab *l)
{
    size_t n = lab_size(l, (size_t)1 << 26, (size_t)1 << 24, (size_t)1 << 19);
    if (n < MODEL_N) n = MODEL_N;
    uint32_t *const host = lab_random(n + MOST);
    sweep s = {.l = l, .n = n, .host = host, .expected = tool_alloc(n / LOADS * sizeof(uint32_t))};
    s.in = access_upload(l->dev, host, n + MOST);
    s.out = lab_alloc(l->dev, n / LOADS * sizeof(uint32_t));

    s.file = "access/01-offset.cl", s.kernel = "offsets", s.x = "offset";
    run_sweep(&s,
              "Each work-item adds 8 elements of 4 bytes; all lanes of a warp begin so many elements late. Compare the "
              "rates at multiples of 8, where a warp begins at a sector again, with those in between (on the page, "
              "look for teeth). The first GPUs that computed had no caches, and lost half of their rate or more at any "
              "offset that was not a multiple of 16; a cache gives a warp what its neighbour's sectors brought along, "
              "and the difference becomes small.",
              "A warp reads 32 words, 128 bytes: 4 sectors if it begins at one, else 5.");

    s.file = "access/02-stride.cl", s.kernel = "strides", s.x = "stride";
    s.strides = true;
    run_sweep(&s,
              "The same array whatever the stride, of which each stride-th element is read; GB/s count the bytes that "
              "are used. Look whether the rate falls as 1 / stride as long as every sector is still touched (to 8, or "
              "to 16 where a cache line of 64 bytes is what memory moves), and what happens beyond, where sectors are "
              "left out.",
              "A warp touches 4 * stride sectors, until each lane has one for itself: 32, from stride 8 on.");

    lab_show_section(l, lab_code(l->experiment, "Offset and stride: the kernels", NULL, "access/01-offset.cl",
                                 "access/02-stride.cl"));
    lab_free(l->dev, s.in);
    lab_free(l->dev, s.out);
    free(s.expected);
    free(host);
}

/* --- 3. the width of loads ---------------------------------------------------------------------------------------- */

typedef struct widths {
    uint32_t *host, *back; /* what is copied, and the copy */
} widths;

static void copy_in(lab_work *work, uint32_t words)
{
    const uint32_t n = work->n / words;
    lab_launch(work->dev, lab_kernel(work->dev, work->rung->file, "copy", NULL), lab_ceiling(n, ITEMS), ITEMS,
               opi_memory(work->in), opi_memory(work->out), opi_value(n));
}

static void copy_words(lab_work *work) { copy_in(work, 1); }
static void copy_pairs(lab_work *work) { copy_in(work, 2); }
static void copy_quads(lab_work *work) { copy_in(work, 4); }

static void spoil(lab_work *work)
{
    const widths *const w = work->context;
    lab_spoil(work->dev, work->out, w->back, work->n * sizeof *w->back);
}

static bool right(lab_work *work)
{
    const widths *const w = work->context;
    lab_download(work->dev, w->back, work->out, work->n * sizeof *w->back);
    return memcmp(w->back, w->host, work->n * sizeof *w->back) == 0;
}

static const lab_rung rungs[] = {{.name = "words", .file = "access/05-words.cl", .run = copy_words},
                                 {.name = "pairs", .file = "access/06-pairs.cl", .run = copy_pairs},
                                 {.name = "quads", .file = "access/07-quads.cl", .run = copy_quads},
                                 {.run = NULL}};

static const lab_ladder ladder = {.title = "Loads of 4, 8 and 16 bytes",
                                  .about = "A copy of the same array, by work-items that each copy 4, 8 or 16 bytes of "
                                           "it. GB/s count every byte twice, as it is read and as it is written. Look "
                                           "at the sectors of a request: two and four times as many, in half and in a "
                                           "quarter of the requests.",
                                  .bytes = 2 * sizeof(uint32_t),
                                  .rungs = rungs,
                                  .spoil = spoil,
                                  .right = right,
                                  .model = lab_allocate_words,
                                  .model_free = lab_release_words};

void access_widths(lab *l)
{
    const size_t n = (lab_size(l, (size_t)1 << 26, (size_t)1 << 23, (size_t)1 << 19) + 3) / 4 * 4;
    widths w = {lab_random(n), tool_alloc(n * sizeof(uint32_t))};
    lab_work work = {.dev = l->dev, .n = (uint32_t)n, .context = &w};
    lab_allocate_words(&work);
    lab_upload(l->dev, work.in, w.host, n * sizeof(uint32_t));
    lab_climb(l, &ladder, &work);
    lab_release_words(&work);
    free(w.host);
    free(w.back);
}
