/* The patterns as drawn, pass by pass; and as one would write them for one core. */
#include "lab/patterns/sizes.h"
#include "lab/patterns/timed.h"

#include <oplus/ops.h>

/* --- 1. as drawn -------------------------------------------------------------------------------------------------- */

/* The next pass: a kernel of lab/patterns with so many work-items; false: the device has no kernels, and loops on
 * one core must do the same. */
#define LAUNCH(t, file, name, count, ...)                                                                              \
    ((t)->passes++, (t)->dev->gpu && (lab_launch((t)->dev, lab_kernel((t)->dev, "patterns/" file ".cl", name, NULL),   \
                                                 lab_ceiling(count, ITEMS), ITEMS, __VA_ARGS__),                       \
                                      true))

/* A copy of a variable that loops use too: loops are slow if the address of their variable is passed elsewhere. */
#define COPY(value) opi_value((uint32_t){value})

static void scan_exclusive(timing *t, const uint32_t *in, uint32_t *out)
{
    uint32_t sum = 0;
    t->passes++;
    if (t->dev->gpu) lab_must(oplus_scan(t->dev->oplus, &oplus_sum_u32, OPLUS_EXCLUSIVE, in, t->n, out));
    for (uint32_t i = 0; !t->dev->gpu && i < t->n; i++) {
        out[i] = sum;
        sum += in[i];
    }
}

static uint32_t last_of(const timing *t, const uint32_t *array)
{
    uint32_t last = 0;
    if (!t->dev->gpu) return array[t->n - 1];
    lab_download(t->dev, &last, array + t->n - 1, sizeof last);
    return last;
}

static void map(void *context)
{
    timing *const t = context;
    if (LAUNCH(t, "01-map", "square", t->n, opi_memory(t->in), opi_memory(t->out), opi_value(t->n))) return;
    for (uint32_t i = 0; i < t->n; i++) t->out[i] = t->in[i] * t->in[i];
}

/* Rounds that each leave half of the elements. */
static void neighbours(void *context)
{
    timing *const t = context;
    const uint32_t *from = t->in;
    for (uint32_t n = t->n, left; n > 1; n = left) {
        left = lab_ceiling(n, 2);
        uint32_t *const to = left == 1 ? t->out : t->scratch[t->passes % 2];
        if (!LAUNCH(t, "02-reduce-neighbours", "neighbours", left, opi_memory(from), opi_memory(to), COPY(n))) {
            for (uint32_t i = 0; i < n / 2; i++) to[i] = from[2 * i] + from[2 * i + 1];
            if (n % 2) to[n / 2] = from[n - 1];
        }
        from = to;
    }
}

static void halves(void *context)
{
    timing *const t = context;
    const uint32_t *from = t->in;
    for (uint32_t n = t->n, left; n > 1; n = left) {
        left = lab_ceiling(n, 2);
        uint32_t *const to = left == 1 ? t->out : t->scratch[t->passes % 2];
        if (!LAUNCH(t, "03-reduce-halves", "halves", left, opi_memory(from), opi_memory(to), COPY(n))) {
            for (uint32_t i = 0; i < n - left; i++) to[i] = from[i] + from[i + left];
            if (n % 2) to[left - 1] = from[left - 1];
        }
        from = to;
    }
}

static void scan(void *context)
{
    timing *const t = context;
    const uint32_t *from = t->in;
    for (uint32_t stride = 1; stride < t->n; stride *= 2) {
        uint32_t *const to = stride >= t->n - stride ? t->out : t->scratch[t->passes % 2];
        if (!LAUNCH(t, "04-scan-round", "scan", t->n, opi_memory(from), opi_memory(to), opi_value(t->n),
                    COPY(stride))) {
            for (uint32_t i = 0; i < stride; i++) to[i] = from[i];
            for (uint32_t i = stride; i < t->n; i++) to[i] = from[i - stride] + from[i];
        }
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
        if (!LAUNCH(t, "05-segscan-round", "segscan", t->n, opi_memory(heads), opi_memory(from), opi_memory(to_heads),
                    opi_memory(to), opi_value(t->n), COPY(stride)))
            for (uint32_t i = 0; i < t->n; i++) {
                to[i] = i >= stride && !heads[i] ? from[i - stride] + from[i] : from[i];
                to_heads[i] = i >= stride ? heads[i - stride] | heads[i] : heads[i];
            }
        from = to;
        heads = to_heads;
    }
}

static void filter(void *context)
{
    timing *const t = context;
    uint32_t *const keep = t->scratch[0], *const address = t->scanned;
    if (!LAUNCH(t, "06-filter", "keep", t->n, opi_memory(t->in), opi_memory(keep), opi_value(t->n)))
        for (uint32_t i = 0; i < t->n; i++) keep[i] = t->in[i] & 1;
    scan_exclusive(t, keep, address);
    if (!LAUNCH(t, "06-filter", "scatter", t->n, opi_memory(t->in), opi_memory(keep), opi_memory(address),
                opi_memory(t->out), opi_value(t->n)))
        for (uint32_t i = 0; i < t->n; i++)
            if (keep[i]) t->out[address[i]] = t->in[i];
    t->kept = (size_t)last_of(t, address) + last_of(t, keep);
}

/* An even number of passes, so that the last one ends in out. */
static void sort(void *context)
{
    timing *const t = context;
    uint32_t *const zero = t->scratch[0], *const before = t->scanned;
    const uint32_t *from = t->in;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t *const to = bit % 2 ? t->out : t->scratch[1];
        if (!LAUNCH(t, "07-sort", "zeros", t->n, opi_memory(from), opi_memory(zero), opi_value(t->n), COPY(bit)))
            for (uint32_t i = 0; i < t->n; i++) zero[i] = ~from[i] >> bit & 1;
        scan_exclusive(t, zero, before);
        if (!LAUNCH(t, "07-sort", "scatter", t->n, opi_memory(from), opi_memory(zero), opi_memory(before),
                    opi_memory(to), opi_value(t->n))) {
            const uint32_t zeros = before[t->n - 1] + zero[t->n - 1];
            for (uint32_t i = 0; i < t->n; i++) to[zero[i] ? before[i] : zeros + i - before[i]] = from[i];
        }
        from = to;
    }
}

const timing_form timed_drawn[PATTERNS] = {map, neighbours, halves, scan, segscan, filter, sort};

/* --- 2. one loop each --------------------------------------------------------------------------------------------- */

static void reduce_once(void *context)
{
    timing *const t = context;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->n; i++) sum += t->in[i];
    *t->out = sum;
    t->passes++;
}

static void scan_once(void *context)
{
    timing *const t = context;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->n; i++) t->out[i] = sum += t->in[i];
    t->passes++;
}

static void segscan_once(void *context)
{
    timing *const t = context;
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->n; i++) t->out[i] = sum = t->heads[i] ? t->in[i] : sum + t->in[i];
    t->passes++;
}

static void filter_once(void *context)
{
    timing *const t = context;
    size_t kept = 0;
    for (uint32_t i = 0; i < t->n; i++)
        if (t->in[i] & 1) t->out[kept++] = t->in[i];
    t->kept = kept;
    t->passes++;
}

const timing_form timed_loops[PATTERNS] = {
    [HALVES] = reduce_once, [SCAN] = scan_once, [SEGSCAN] = segscan_once, [FILTER] = filter_once};
