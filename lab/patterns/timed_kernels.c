/* The patterns as drawn, a launch a step. */
#include "lab/patterns/sizes.h"
#include "lab/patterns/timed.h"

#include <oplus/ops.h>

/* The next pass: the kernel `name` on as many work-items as there are elements. */
#define PASS(t, file, name, elements, ...)                                                                             \
    ((t)->passes++,                                                                                                    \
     lab_launch((t)->dev, lab_kernel((t)->dev, file, name, NULL), lab_ceiling(elements, ITEMS), ITEMS, __VA_ARGS__))

static void scan_exclusive(timing *t, const uint32_t *in, uint32_t *out)
{
    t->passes++;
    lab_must(oplus_scan(t->dev->oplus, &oplus_sum_u32, OPLUS_EXCLUSIVE, in, t->n, out));
}

static void map(void *context)
{
    timing *const t = context;
    PASS(t, "patterns/01-map.cl", "square", t->n, opi_memory(t->in), opi_memory(t->out), opi_value(t->n));
}

/* Rounds that each leave half of the elements. */
static void reduce_by(timing *t, const char *file, const char *name)
{
    const uint32_t *from = t->in;
    for (uint32_t n = t->n, left; n > 1; n = left) {
        left = lab_ceiling(n, 2);
        uint32_t *const to = left == 1 ? t->out : t->scratch[t->passes % 2];
        PASS(t, file, name, left, opi_memory(from), opi_memory(to), opi_value(n));
        from = to;
    }
}

static void neighbours(void *context) { reduce_by(context, "patterns/02-reduce-neighbours.cl", "neighbours"); }
static void halves(void *context) { reduce_by(context, "patterns/03-reduce-halves.cl", "halves"); }

static void scan(void *context)
{
    timing *const t = context;
    const uint32_t *from = t->in;
    for (uint32_t stride = 1; stride < t->n; stride *= 2) {
        uint32_t *const to = stride >= t->n - stride ? t->out : t->scratch[t->passes % 2];
        PASS(t, "patterns/04-scan-round.cl", "scan", t->n, opi_memory(from), opi_memory(to), opi_value(t->n),
             opi_value(stride));
        from = to;
    }
}

static void segscan(void *context)
{
    timing *const t = context;
    const uint32_t *from = t->in;
    const uint8_t *heads = t->heads;
    for (uint32_t stride = 1; stride < t->n; stride *= 2) {
        uint8_t *const to_heads = t->flags[t->passes % 2];
        uint32_t *const to = stride >= t->n - stride ? t->out : t->scratch[t->passes % 2];
        PASS(t, "patterns/05-segscan-round.cl", "segscan", t->n, opi_memory(heads), opi_memory(from),
             opi_memory(to_heads), opi_memory(to), opi_value(t->n), opi_value(stride));
        from = to;
        heads = to_heads;
    }
}

static void filter(void *context)
{
    timing *const t = context;
    uint32_t *const keep = t->scratch[0], *const address = t->scanned, before, last;
    PASS(t, "patterns/06-filter.cl", "keep", t->n, opi_memory(t->in), opi_memory(keep), opi_value(t->n));
    scan_exclusive(t, keep, address);
    PASS(t, "patterns/06-filter.cl", "scatter", t->n, opi_memory(t->in), opi_memory(keep), opi_memory(address),
         opi_memory(t->out), opi_value(t->n));
    lab_download(t->dev, &before, address + t->n - 1, sizeof before);
    lab_download(t->dev, &last, keep + t->n - 1, sizeof last);
    t->kept = (size_t)before + last;
}

/* An even number of passes, so that the last one ends in out. */
static void sort(void *context)
{
    timing *const t = context;
    uint32_t *const zero = t->scratch[0];
    const uint32_t *from = t->in;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t *const to = bit % 2 ? t->out : t->scratch[1];
        PASS(t, "patterns/07-sort.cl", "zeros", t->n, opi_memory(from), opi_memory(zero), opi_value(t->n),
             opi_value(bit));
        scan_exclusive(t, zero, t->scanned);
        PASS(t, "patterns/07-sort.cl", "scatter", t->n, opi_memory(from), opi_memory(zero), opi_memory(t->scanned),
             opi_memory(to), opi_value(t->n));
        from = to;
    }
}

const timing_form timed_kernels[PATTERNS] = {map, neighbours, halves, scan, segscan, filter, sort};
