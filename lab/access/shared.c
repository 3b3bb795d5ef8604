/* Shared memory: lanes that access the same bank, and lanes that access the same word. */
#include "lab/access/access.h"
#include "lab/model/model.h"
#include "lab/show.h"

#include "die.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MODEL_ROUNDS = 1 };

/* One kernel over all strides, or over all numbers of lanes at a word. */
typedef struct sweep {
    lab *l;
    const char *file, *kernel, *x;
    bool divided; /* a work-item's number is divided by x, not multiplied */
    uint32_t rounds;
    uint64_t groups;
    void *in, *out;
    const uint32_t *host;
    uint32_t *expected;
    cJSON *measured, *modelled, *counted;
    double first; /* seconds of x = 1 */
} sweep;

/* --- 1. one point ------------------------------------------------------------------------------------------------- */

/* The sum that item i of every group computes. */
static uint32_t sum_of(const sweep *s, uint32_t i, uint32_t x)
{
    uint32_t sum = 0;
    for (uint32_t round = 0; round < s->rounds; round++)
        for (uint32_t read = 0; read < READS; read++)
            sum += s->host[((s->divided ? i / x : i * x) + round) % SPAN + read * BANKS];
    return sum;
}

static void expect(const sweep *s, uint32_t x)
{
    for (uint32_t i = 0; i < ITEMS; i++) s->expected[i] = sum_of(s, i, x);
    for (size_t k = ITEMS; k < s->groups * ITEMS; k++) s->expected[k] = s->expected[k % ITEMS] + (uint32_t)(k / ITEMS);
}

/* Passes of an access: 1 plus the number of conflicts. */
static double passes_of(const lab_counts *counts, double warps, uint32_t rounds)
{
    return counts->known[LAB_CONFLICTS] ? 1 + counts->of[LAB_CONFLICTS] / (warps * rounds * READS) : NAN;
}

static double modelled(const sweep *s, uint32_t x)
{
    lab_device *const twin = s->l->dev->twin;
    const uint32_t rounds = MODEL_ROUNDS;
    void *const in = lab_alloc(twin, WORDS * sizeof(uint32_t)), *const out = lab_alloc(twin, ITEMS * sizeof(uint32_t));
    access_trial t = {.dev = twin,
                      .kernel = lab_kernel(twin, s->file, s->kernel, NULL),
                      .groups = 1,
                      .argument = {opi_memory(in), opi_memory(out), opi_value(x), opi_value(rounds)}};
    lab_counts counts;
    access_launch(&t);
    lab_model_counts(twin->gpu, &counts);
    lab_free(twin, in);
    lab_free(twin, out);
    return passes_of(&counts, access_warps(&t), rounds);
}

static bool is_counted(uint32_t x) { return x <= 4 || x % 4 == 0 || x == 31 || x == 33; }

static void measure(sweep *s, uint32_t x)
{
    lab_counts counts;
    char what[64];
    access_trial t = {.dev = s->l->dev,
                      .kernel = lab_kernel(s->l->dev, s->file, s->kernel, NULL),
                      .groups = s->groups,
                      .argument = {opi_memory(s->in), opi_memory(s->out), opi_value(x), opi_value(s->rounds)}};
    expect(s, x);
    snprintf(what, sizeof what, "shared memory, %s %u", s->x, (unsigned)x);
    const double seconds = access_seconds(s->l, what, &t, s->out, s->expected, s->groups * ITEMS);
    if (x == 1) s->first = seconds;
    lab_point(s->measured, x, seconds / s->first);
    lab_point(s->modelled, x, modelled(s, x));
    if (s->counted && is_counted(x) && lab_count(s->l->dev, access_launch, &t, &counts))
        lab_point(s->counted, x, passes_of(&counts, access_warps(&t), s->rounds));
}

/* --- 2. all points ------------------------------------------------------------------------------------------------ */

static bool is_wanted(const lab *l, bool divided, uint32_t x)
{
    const bool power = (x & (x - 1)) == 0;
    if (divided) return power && (!l->options.quick || x == 1 || x == 32);
    return !l->options.quick || x == 1 || x >= 32;
}

static void run_sweep(sweep *s, const char *title, const char *about, uint32_t most)
{
    char counted_by[160];
    cJSON *const curves =
        lab_curves(s->l->experiment, title, about, s->x, "", s->divided, "passes; time (c = 1 is 1)", "", !s->divided);
    s->measured = lab_series(curves, "time", "line");
    s->modelled = lab_series(curves, "passes by the model", "dashed");
    s->counted = s->l->dev->cupti ? lab_series(curves, access_counted_by(s->l, counted_by), "dots") : NULL;
    for (uint32_t x = 1; x <= most; x++) {
        if (!is_wanted(s->l, s->divided, x)) continue;
        lab_show_step("Shared memory", s->x, (int)x - 1, (int)most);
        measure(s, x);
    }
    lab_show_section(s->l, curves);
}

void access_shared(lab *l)
{
    uint32_t *const host = lab_random(WORDS);
    sweep s = {.l = l, .rounds = l->options.quick ? 16 : 64, .host = host};
    s.groups = (uint64_t)lab_facts(l->dev)->units * (access_on_cores(l) ? 8 : 64);
    s.in = access_upload(l->dev, host, WORDS);
    s.out = lab_alloc(l->dev, s.groups * ITEMS * sizeof(uint32_t));
    s.expected = tool_alloc(s.groups * ITEMS * sizeof(uint32_t));

    s.file = "access/03-banks.cl", s.kernel = "banks", s.x = "stride c";
    run_sweep(&s, "Shared memory: strides",
              "Each work-item reads some hundred words of shared memory; neighbours are c words apart. Look at odd c, "
              "which should all cost the same, at powers of two, and at 32 and 33 beside each other. \"Passes by the "
              "model\" (on the page, the dashed line) is how often the banks have to be asked for the 32 words of a "
              "warp: the greatest common divisor of c and 32.",
              33);
    s.file = "access/04-broadcast.cl", s.kernel = "broadcast", s.x = "lanes c at one word";
    s.divided = true;
    run_sweep(&s, "Shared memory: broadcasts",
              "Work-item x reads word x / c. Lanes that want the same word get it together, so that one pass serves "
              "the warp whatever c is. Look whether the time stays at 1 (on the page: a flat line).",
              32);

    lab_show_section(
        l, lab_code(l->experiment, "Shared memory: the kernels", NULL, "access/03-banks.cl", "access/04-broadcast.cl"));
    lab_free(l->dev, s.in);
    lab_free(l->dev, s.out);
    free(s.expected);
    free(host);
}
