/* The patterns on one core: as drawn, a loop a step; and as one would write them there. */
#include "lab/patterns/timed.h"

/* --- 1. as drawn -------------------------------------------------------------------------------------------------- */

static void map(void *context)
{
    timing *const t = context;
    t->passes++;
    for (uint32_t i = 0; i < t->n; i++) t->out[i] = t->in[i] * t->in[i];
}

static void neighbours(void *context)
{
    timing *const t = context;
    const uint32_t *from = t->in;
    for (uint32_t n = t->n; n > 1; n = n / 2 + n % 2) {
        uint32_t *const to = n == 2 ? t->out : t->scratch[t->passes % 2];
        for (uint32_t i = 0; i < n / 2; i++) to[i] = from[2 * i] + from[2 * i + 1];
        if (n % 2) to[n / 2] = from[n - 1];
        t->passes++;
        from = to;
    }
}

static void halves(void *context)
{
    timing *const t = context;
    const uint32_t *from = t->in;
    for (uint32_t n = t->n, half; n > 1; n = half) {
        half = n / 2 + n % 2;
        uint32_t *const to = n == 2 ? t->out : t->scratch[t->passes % 2];
        for (uint32_t i = 0; i < n - half; i++) to[i] = from[i] + from[i + half];
        if (n % 2) to[half - 1] = from[half - 1];
        t->passes++;
        from = to;
    }
}

static void scan(void *context)
{
    timing *const t = context;
    const uint32_t *from = t->in;
    for (uint32_t stride = 1; stride < t->n; stride *= 2) {
        uint32_t *const to = stride >= t->n - stride ? t->out : t->scratch[t->passes % 2];
        for (uint32_t i = 0; i < stride; i++) to[i] = from[i];
        for (uint32_t i = stride; i < t->n; i++) to[i] = from[i - stride] + from[i];
        t->passes++;
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
        for (uint32_t i = 0; i < t->n; i++) {
            to[i] = i >= stride && !heads[i] ? from[i - stride] + from[i] : from[i];
            to_heads[i] = i >= stride ? heads[i - stride] | heads[i] : heads[i];
        }
        t->passes++;
        from = to;
        heads = to_heads;
    }
}

static void scan_exclusive(timing *t, const uint32_t *in, uint32_t *out)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < t->n; i++) {
        out[i] = sum;
        sum += in[i];
    }
    t->passes++;
}

static void filter(void *context)
{
    timing *const t = context;
    uint32_t *const keep = t->scratch[0], *const address = t->scanned;
    for (uint32_t i = 0; i < t->n; i++) keep[i] = t->in[i] & 1;
    scan_exclusive(t, keep, address);
    for (uint32_t i = 0; i < t->n; i++)
        if (keep[i]) t->out[address[i]] = t->in[i];
    t->passes += 2;
    t->kept = (size_t)address[t->n - 1] + keep[t->n - 1];
}

/* An even number of passes, so that the last one ends in out. */
static void sort(void *context)
{
    timing *const t = context;
    uint32_t *const zero = t->scratch[0], *const before = t->scanned;
    const uint32_t *from = t->in;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t *const to = bit % 2 ? t->out : t->scratch[1];
        for (uint32_t i = 0; i < t->n; i++) zero[i] = ~from[i] >> bit & 1;
        scan_exclusive(t, zero, before);
        const uint32_t zeros = before[t->n - 1] + zero[t->n - 1];
        for (uint32_t i = 0; i < t->n; i++) to[zero[i] ? before[i] : zeros + i - before[i]] = from[i];
        t->passes += 2;
        from = to;
    }
}

const timing_form timed_rounds[PATTERNS] = {map, neighbours, halves, scan, segscan, filter, sort};

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
