/* Occupancy against bytes under way: what keeps memory busy, and two ways to reach it. */
#include "lab/access/access.h"
#include "lab/show.h"

#include "die.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char flight_file[] = "access/plain-flight.cl", latency_file[] = "access/plain-latency.cl";
static const uint32_t per_unit[] = {1, 2, 4, 8, 16}; /* work-groups */
static const uint32_t ahead[] = {1, 2, 4, 8};        /* loads of VECTOR bytes under way in a work-item */
enum {
    CROWDS = sizeof per_unit / sizeof *per_unit,
    AHEADS = sizeof ahead / sizeof *ahead,
    VECTOR = 16,
    WORDS_OF = VECTOR / 4
};

typedef struct flights {
    lab *l;
    size_t words;    /* of the array */
    uint32_t *array; /* on the host, */
    void *in, *out;
    uint32_t *expected;
    double latency;              /* seconds of one load */
    double rate[CROWDS][AHEADS]; /* bytes a second */
    double best;
} flights;

/* --- 1. the latency of a load ------------------------------------------------------------------------------------- */

enum { STEPS = 1 << 13 };

/* The place behind `here` in a chain that visits all n places, a power of two. */
static uint32_t next_of(uint32_t here, size_t n) { return (here * 1664525u + 1013904223u) & (uint32_t)(n - 1); }

typedef struct chase {
    access_trial trial;
    uint64_t calls;
} chase;

static void run_chase(void *context)
{
    chase *const c = context;
    c->calls++;
    access_launch(&c->trial);
}

/* The chain goes on where the call before ended, so that no part of it is in a cache. */
static double time_chain(lab *l, void *next, size_t n)
{
    const uint32_t steps = STEPS;
    uint32_t here = 0, there = 0;
    void *const at = access_upload(l->dev, &here, 1);
    chase c = {.trial = {.dev = l->dev,
                         .kernel = lab_kernel(l->dev, latency_file, "chase", NULL),
                         .groups = 1,
                         .items = 1,
                         .argument = {opi_memory(next), opi_memory(at), opi_value(steps)}}};
    const double seconds = lab_seconds(l->dev, run_chase, &c);
    lab_download(l->dev, &there, at, sizeof there);
    lab_free(l->dev, at);
    for (uint64_t i = 0; i < c.calls * STEPS; i++) here = next_of(here, n);
    if (here == there) return seconds / STEPS;
    tool_warn("the latency of a load: the chain ends elsewhere");
    lab_wrong(l);
    return NAN;
}

static double latency_of(lab *l)
{
    size_t n = (size_t)1 << (l->options.quick ? 24 : access_on_cores(l) ? 25 : 27);
    while (n * sizeof(uint32_t) > lab_facts(l->dev)->largest / 4) n /= 2;
    uint32_t *const chain = tool_alloc(n * sizeof *chain);
    lab_show_step("Bytes under way", "latency", 0, 1);
    for (size_t i = 0; i < n; i++) chain[i] = next_of((uint32_t)i, n);
    void *const next = access_upload(l->dev, chain, n);
    const double seconds = time_chain(l, next, n);
    lab_free(l->dev, next);
    free(chain);
    return seconds;
}

/* --- 2. rates ----------------------------------------------------------------------------------------------------- */

static uint64_t groups_of(const flights *f, int crowd)
{
    return (uint64_t)lab_facts(f->l->dev)->units * per_unit[crowd];
}
static double bytes_under_way(const flights *f, int crowd, int loads)
{
    return (double)groups_of(f, crowd) * ITEMS * ahead[loads] * VECTOR;
}

/* The number of vectors of the array that the work-items can share evenly, whatever they load ahead; at least one
 * round. */
static size_t vectors_of(const flights *f, int crowd)
{
    const size_t round = groups_of(f, crowd) * ITEMS * ahead[AHEADS - 1];
    return f->words / WORDS_OF / round * round;
}

static void expect(const flights *f, int crowd)
{
    const size_t all = groups_of(f, crowd) * ITEMS;
    memset(f->expected, 0, all * sizeof *f->expected);
    for (size_t first = 0; first < vectors_of(f, crowd); first += all)
        for (size_t i = 0; i < all; i++) {
            const uint32_t *const v = f->array + WORDS_OF * (first + i);
            f->expected[i] += v[0] + v[1] + v[2] + v[3];
        }
}

static access_trial trial_of(const flights *f, int crowd, int loads, const uint32_t *n)
{
    char macros[32];
    snprintf(macros, sizeof macros, "#define AHEAD %u", (unsigned)ahead[loads]);
    return (access_trial){.dev = f->l->dev,
                          .kernel = lab_kernel(f->l->dev, flight_file, "flight", macros),
                          .groups = groups_of(f, crowd),
                          .argument = {opi_memory(f->in), opi_memory(f->out), opi_value(*n)}};
}

static void measure(flights *f, int crowd, int loads)
{
    char what[64];
    const uint32_t n = (uint32_t)vectors_of(f, crowd);
    access_trial t = trial_of(f, crowd, loads, &n);
    snprintf(what, sizeof what, "%u groups a unit, %u loads ahead", (unsigned)per_unit[crowd], (unsigned)ahead[loads]);
    lab_show_step("Bytes under way", what, crowd * AHEADS + loads, CROWDS * AHEADS);
    const double rate =
        (double)n * VECTOR / access_seconds(f->l, what, &t, f->out, f->expected, groups_of(f, crowd) * ITEMS);
    f->rate[crowd][loads] = rate;
    if (rate > f->best) f->best = rate;
}

/* As the hardware counts it: in percent of the warps that can be resident. */
static double occupancy_of(const flights *f, int crowd, int loads)
{
    const uint32_t n = (uint32_t)vectors_of(f, crowd);
    access_trial t = trial_of(f, crowd, loads, &n);
    lab_counts counts;
    return lab_count(f->l->dev, access_launch, &t, &counts) && counts.known[LAB_OCCUPANCY]
               ? 100 * counts.of[LAB_OCCUPANCY]
               : NAN;
}

static bool is_wanted(const lab *l, int crowd, int loads)
{
    return !l->options.quick || ((crowd == 0 || crowd == CROWDS - 1) && (loads == 0 || loads == AHEADS - 1));
}

/* --- 3. sections -------------------------------------------------------------------------------------------------- */

static void add_crowd(flights *f, cJSON *table, int crowd)
{
    lab_cell rate[AHEADS] = {{NULL, 0}};
    expect(f, crowd);
    const double occupancy = f->l->dev->cupti ? occupancy_of(f, crowd, 0) : NAN;
    for (int loads = 0; loads < AHEADS; loads++) {
        const bool wanted = is_wanted(f->l, crowd, loads);
        if (wanted) measure(f, crowd, loads);
        rate[loads] = wanted ? lab_is_measured(f->rate[crowd][loads] * 1e-9) : lab_is_text(NULL);
    }
    lab_add_row(table, lab_is(per_unit[crowd]), lab_is(per_unit[crowd] * ITEMS), lab_is(occupancy), rate[0], rate[1],
                rate[2], rate[3]);
}

static void add_rates(flights *f)
{
    cJSON *const table = lab_table(f->l->experiment, "Occupancy, and loads under way",
                                   "Few work-groups or many share the array and add it up; each work-item asks for 1 "
                                   "to 8 vectors of 16 bytes before it uses the first. Compare cells on a diagonal: "
                                   "half the work-items with twice the loads have the same bytes under way. Full "
                                   "occupancy is one way to keep memory busy, and not the only one. (As many groups as "
                                   "are given are resident if registers and limits allow; more loads take more "
                                   "registers.)",
                                   "groups a unit|work-items a unit|counted occupancy, 1 load:%|1 load:GB/s|2 "
                                   "loads:GB/s|4 loads:GB/s|8 loads:GB/s");
    for (int crowd = 0; crowd < CROWDS; crowd++)
        if (is_wanted(f->l, crowd, 0)) add_crowd(f, table, crowd);
    lab_show_section(f->l, table);
}

/* Little's law: bytes under way over latency, until bandwidth is the limit. */
static void add_law(const flights *f, cJSON *curves)
{
    const double least = bytes_under_way(f, 0, 0), most = bytes_under_way(f, CROWDS - 1, AHEADS - 1),
                 knee = f->latency * f->best;
    cJSON *const law = lab_series(curves, "Little's law", "dashed");
    if (!(knee > 0)) return;
    if (least < knee) lab_point(law, least, least / f->latency * 1e-9);
    if (knee > least && knee < most) lab_point(law, knee, f->best * 1e-9);
    lab_point(law, most, fmin(most / f->latency, f->best) * 1e-9);
}

static void add_curves(const flights *f)
{
    cJSON *const curves = lab_curves(
        f->l->experiment, "Bandwidth against bytes under way",
        "The same rates over groups x work-items x loads x 16 bytes. Look whether as many bytes under way give the "
        "same rate by however many loads (on the page: whether the lines fall on one): then only the product counts. "
        "\"Little's law\" (on the page, dashed) is bytes under way over the latency of one load, up to the best rate: "
        "what is slower than that waits for more than memory, what is faster was nearer than memory, in a cache or "
        "fetched ahead. On a processor's cores work-items are not resident together, so that the bytes are only what "
        "was offered.",
        "under way", "bytes", true, "bandwidth", "GB/s", true);
    for (int loads = 0; loads < AHEADS; loads++) {
        char name[32];
        snprintf(name, sizeof name, "%u load%s", (unsigned)ahead[loads], loads ? "s" : "");
        cJSON *const series = lab_series(curves, name, "line");
        for (int crowd = 0; crowd < CROWDS; crowd++)
            if (is_wanted(f->l, crowd, loads))
                lab_point(series, bytes_under_way(f, crowd, loads), f->rate[crowd][loads] * 1e-9);
    }
    add_law(f, curves);
    lab_show_section(f->l, curves);
}

static void add_needs(const flights *f)
{
    static const struct {
        const char *title;
        int bytes; /* under way in a work-item */
    } ways[] = {{"one load of 4 bytes", 4},
                {"one load of 16 bytes", 16},
                {"4 loads of 16 bytes", 64},
                {"8 loads of 16 bytes", 128}};
    char about[512];
    const double needed = f->latency * f->best, units = lab_facts(f->l->dev)->units;
    snprintf(about, sizeof about,
             "A load that no cache answers takes %.0f ns here, followed one after another; the best rate above is %.4g "
             "GB/s. To reach it, their product, %.0f bytes, has to be under way at any time: %.0f bytes for each of "
             "%.0f units. So many work-items of a unit must wait for memory together:",
             f->latency * 1e9, f->best * 1e-9, needed, needed / units, units);
    cJSON *const table = lab_table(f->l->experiment, "What Little's law asks of this device", about,
                                   "each work-item has under way|work-items a unit");
    for (size_t i = 0; i < sizeof ways / sizeof *ways && needed > 0; i++) {
        lab_add_row(table, lab_is_text(ways[i].title), lab_is(ceil(needed / units / ways[i].bytes)));
    }
    lab_show_section(f->l, table);
}

void access_flight(lab *l)
{
    flights f = {.l = l, .words = lab_size(l, (size_t)1 << 26, (size_t)1 << 23, (size_t)1 << 20)};
    const size_t round = groups_of(&f, CROWDS - 1) * ITEMS * ahead[AHEADS - 1] * WORDS_OF;
    if (f.words < 2 * round) f.words = 2 * round; /* with fewer, some work-items load nothing */
    f.array = lab_random(f.words);
    f.in = access_upload(l->dev, f.array, f.words);
    f.out = lab_alloc(l->dev, groups_of(&f, CROWDS - 1) * ITEMS * sizeof(uint32_t));
    f.expected = tool_alloc(groups_of(&f, CROWDS - 1) * ITEMS * sizeof(uint32_t));
    add_rates(&f);
    f.latency = latency_of(l);
    add_curves(&f);
    add_needs(&f);
    lab_show_section(l, lab_code(l->experiment, "Bytes under way: the kernels", NULL, flight_file, latency_file));
    lab_free(l->dev, f.in);
    lab_free(l->dev, f.out);
    free(f.array);
    free(f.expected);
}
