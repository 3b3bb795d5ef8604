/* The patterns, timed: as drawn, and by oplus. */
#include "lab/patterns/timed.h"

#include "die.h"
#include "lab/show.h"

#include <oplus/ops.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- 1. by oplus -------------------------------------------------------------------------------------------------- */

/* cppcheck-suppress unknownMacro */
OPLUS_MAP(square, uint32_t, uint32_t, { return a * a; })
OPLUS_PREDICATE(is_odd, uint32_t, { return a & 1; })

static void map(void *context)
{
    const timing *const t = context;
    lab_must(oplus_map(t->dev->oplus, &square_fn, (const void *[]){t->in}, t->n, t->out));
}

static void reduce(void *context)
{
    const timing *const t = context;
    lab_must(oplus_reduce(t->dev->oplus, &oplus_sum_u32, t->in, t->n, t->out));
}

static void scan(void *context)
{
    const timing *const t = context;
    lab_must(oplus_scan(t->dev->oplus, &oplus_sum_u32, OPLUS_INCLUSIVE, t->in, t->n, t->out));
}

static void segscan(void *context)
{
    const timing *const t = context;
    lab_must(oplus_segscan(t->dev->oplus, &oplus_sum_u32, OPLUS_INCLUSIVE, t->in, t->heads, t->n, t->out));
}

static void filter(void *context)
{
    timing *const t = context;
    lab_must(oplus_filter(t->dev->oplus, &is_odd_fn, t->in, t->n, t->out, &t->kept));
}

/* Sorts a copy in place; the copying is timed too. */
static void sort(void *context)
{
    const timing *const t = context;
    lab_must(oplus_copy(t->dev->oplus, t->out, t->in, t->n * sizeof *t->in));
    lab_must(oplus_sort(t->dev->oplus, &oplus_u32, OPLUS_ASCENDING, t->out, t->n));
}

const timing_form timed_oplus[PATTERNS] = {map, NULL, reduce, scan, segscan, filter, sort};

/* --- 2. what is right: plain loops over the host's input; how many elements that are ------------------------------ */

static size_t expect_map(timing *t)
{
    for (uint32_t i = 0; i < t->n; i++) t->expected[i] = t->host[i] * t->host[i];
    return t->n;
}

static size_t expect_reduce(timing *t)
{
    *t->expected = 0;
    for (uint32_t i = 0; i < t->n; i++) *t->expected += t->host[i];
    return 1;
}

static size_t expect_scan(timing *t)
{
    for (uint32_t i = 0; i < t->n; i++) t->expected[i] = (i > 0 ? t->expected[i - 1] : 0) + t->host[i];
    return t->n;
}

static size_t expect_segscan(timing *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        t->expected[i] = (i > 0 && !t->host_heads[i] ? t->expected[i - 1] : 0) + t->host[i];
    return t->n;
}

static size_t expect_filter(timing *t)
{
    t->expected_kept = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->host[i] & 1) t->expected[t->expected_kept++] = t->host[i];
    return t->expected_kept;
}

/* Sorts by 8 bits in each pass: counts digits, computes where each begins, moves the elements. */
static size_t expect_sort(timing *t)
{
    uint32_t *from = t->expected, *to = t->result;
    memcpy(from, t->host, t->n * sizeof *from);
    for (int shift = 0; shift < 32; shift += 8) {
        uint32_t place[257] = {0};
        for (uint32_t i = 0; i < t->n; i++) place[(from[i] >> shift & 255) + 1]++;
        for (int digit = 0; digit < 256; digit++) place[digit + 1] += place[digit];
        for (uint32_t i = 0; i < t->n; i++) to[place[from[i] >> shift & 255]++] = from[i];
        uint32_t *const swap = from;
        from = to;
        to = swap;
    }
    return t->n; /* four swaps: the result is in `expected` */
}

/* --- 3. memory and data ------------------------------------------------------------------------------------------- */

static void *device_array(lab_device *dev, size_t bytes)
{
    return dev->gpu ? lab_alloc(dev, bytes) : tool_alloc(bytes);
}

static void device_free(lab_device *dev, void *mem)
{
    if (dev->gpu)
        lab_free(dev, mem);
    else
        free(mem);
}

static void move(lab_device *dev, void *to, const void *from, size_t bytes)
{
    if (bytes == 0) return;
    lab_must(oplus_copy(dev->oplus, to, from, bytes));
    lab_wait(dev);
}

static void fill(timing *t)
{
    for (uint32_t i = 0; i < t->n; i++)
        t->host_heads[i] = (t->host[i] >> 8) % 1000 == 0; /* segments of a thousand, on average */
    move(t->dev, t->in, t->host, t->n * sizeof *t->in);
    move(t->dev, t->heads, t->host_heads, t->n);
}

enum { ARRAYS = 5, FLAGS = 3 };

/* As many as were asked for, but no more than fit half of the device's memory. */
static uint32_t elements(const lab *l)
{
    size_t n = lab_size(l, (size_t)1 << 26, (size_t)1 << 22, (size_t)1 << 16);
    if (n < 2) n = 2;
    while (l->dev->gpu && n * (ARRAYS * sizeof(uint32_t) + FLAGS) > lab_facts(l->dev)->memory / 2) n /= 2;
    return (uint32_t)n;
}

static void allocate(timing *t)
{
    const size_t bytes = t->n * sizeof(uint32_t);
    uint32_t **const arrays[ARRAYS] = {&t->in, &t->out, &t->scratch[0], &t->scratch[1], &t->scanned};
    uint8_t **const flags[FLAGS] = {&t->heads, &t->flags[0], &t->flags[1]};
    for (int i = 0; i < ARRAYS; i++) *arrays[i] = device_array(t->dev, bytes);
    for (int i = 0; i < FLAGS; i++) *flags[i] = device_array(t->dev, t->n);
    t->host = lab_random(t->n);
    t->host_heads = tool_alloc(t->n);
    t->expected = tool_alloc(bytes);
    t->result = tool_alloc(bytes);
}

static void release(timing *t)
{
    void *const there[] = {t->in, t->out, t->scratch[0], t->scratch[1], t->scanned, t->heads, t->flags[0], t->flags[1]};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++) device_free(t->dev, there[i]);
    free(t->host);
    free(t->host_heads);
    free(t->expected);
    free(t->result);
}

/* --- 4. the table ------------------------------------------------------------------------------------------------- */

typedef struct contest {
    lab *l;
    timing *t;
    cJSON *table;
    size_t wanted; /* elements of the result */
    double first;  /* the rate of the pattern's first form; 0: not yet */
} contest;

static bool is_right(const contest *c, timing_form run)
{
    timing *const t = c->t;
    memset(t->result, 0xdb, t->n * sizeof *t->result);
    move(t->dev, t->out, t->result, t->n * sizeof *t->out);
    t->kept = SIZE_MAX;
    t->passes = 0;
    run(t);
    lab_wait(t->dev);
    move(t->dev, t->result, t->out, c->wanted * sizeof *t->out);
    return memcmp(t->result, t->expected, c->wanted * sizeof *t->result) == 0 &&
           (t->kept == SIZE_MAX || t->kept == t->expected_kept);
}

static void add_row(contest *c, const char *pattern, const char *form, timing_form run)
{
    if (!run) return;
    const bool right = is_right(c, run);
    const unsigned passes = c->t->passes;
    const double seconds = lab_seconds(c->t->dev, run, c->t), rate = c->t->n / seconds;
    if (c->first == 0) c->first = rate;
    lab_add_row(c->table, lab_is_text(pattern), lab_is_text(form), lab_is(passes > 0 ? (double)passes : NAN),
                lab_is(seconds * 1e3), lab_is_if(right, rate * 1e-9), lab_is(rate / c->first));
    if (!right) lab_wrong(c->l);
}

static const struct {
    const char *name, *drawn;
    size_t (*expect)(timing *t);
} patterns[PATTERNS] = {[MAP] = {"map", "as drawn", expect_map},
                        [NEIGHBOURS] = {"reduce", "as drawn, neighbours", expect_reduce},
                        [HALVES] = {"reduce", "as drawn, halves", expect_reduce},
                        [SCAN] = {"scan", "as drawn, log n rounds", expect_scan},
                        [SEGSCAN] = {"segscan", "as drawn, log n rounds", expect_segscan},
                        [FILTER] = {"filter", "as drawn", expect_filter},
                        [SORT] = {"sort", "as drawn, one bit a pass", expect_sort}};

static void time_pattern(contest *c, timing_pattern p)
{
    const bool kernels = c->t->dev->gpu;
    lab_show_step("Patterns, timed", patterns[p].name, p, PATTERNS);
    if (p != HALVES) c->first = 0; /* both orders of a reduction are one pattern */
    c->wanted = patterns[p].expect(c->t);
    add_row(c, patterns[p].name, patterns[p].drawn, timed_drawn[p]);
    if (!kernels) add_row(c, patterns[p].name, "one loop", timed_loops[p]);
    add_row(c, patterns[p].name, "oplus", timed_oplus[p]);
}

static void add_about(char *about, size_t bytes, const timing *t)
{
    snprintf(about, bytes,
             "%u random integers of 4 bytes; segments of a thousand elements on average; the filter keeps the odd "
             "ones. \"As drawn\" takes the steps of the drawings above, %s\n\n"
             "A pass goes over the data once; rounds of a reduction over what is left. Rates are of input elements; x "
             "compares with the pattern's first row. Every result has been compared with a plain loop's. oplus_sort "
             "works in place: its time contains a copy of the keys. What to look for: the patterns whose rounds each "
             "go through all of memory, scan, segscan and sort, against those that do not, map and reduce.",
             t->n,
             t->dev->gpu
                 ? "a kernel launch each; the scans inside of filter and sort are oplus_scan."
                 : "a loop each, on one core, where log n rounds only are additional work: the row below is one loop.");
}

void time_patterns(lab *l)
{
    timing t = {.dev = l->dev, .n = elements(l)};
    char about[1024];
    add_about(about, sizeof about, &t);
    contest c = {.l = l, .t = &t};
    c.table =
        lab_table(l->experiment, "Patterns, timed", about, "pattern|form|passes|time:ms|rate:G elements/s|x first row");
    allocate(&t);
    fill(&t);
    for (int p = 0; p < PATTERNS; p++) time_pattern(&c, (timing_pattern)p);
    release(&t);
    lab_show_section(l, c.table);
    if (!l->dev->gpu) return;
    lab_show_section(l, lab_code(l->experiment, "The kernels",
                                 "What the rows \"as drawn\" launch, once or once a round; not made to be fast.",
                                 "patterns/01-map.cl", "patterns/02-reduce-neighbours.cl",
                                 "patterns/03-reduce-halves.cl", "patterns/04-scan-round.cl",
                                 "patterns/05-segscan-round.cl", "patterns/06-filter.cl", "patterns/07-sort.cl"));
}
