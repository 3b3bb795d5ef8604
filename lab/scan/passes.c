/* Passes over an array that is larger than a work-group, and what ladders of them have in common. */
#include "lab/scan/scan.h"

#include "die.h"

#include <stdlib.h>
#include <string.h>

/* --- 1. memory ---------------------------------------------------------------------------------------------------- */

void scan_allocate(lab_work *work)
{
    scan_data *const d = scan_data_of(work);
    uint32_t n = work->n;
    work->in = lab_alloc(work->dev, n * d->element);
    work->out = lab_alloc(work->dev, n * d->element);
    d->heads = d->segmented ? lab_alloc(work->dev, n) : NULL;
    for (int level = 0; level < SCAN_LEVELS; level++) {
        n = scan_ceiling(n, ITEMS);
        d->sums[level] = lab_alloc(work->dev, n * d->element);
        d->flags[level] = d->segmented ? lab_alloc(work->dev, n) : NULL;
    }
}

void scan_release(lab_work *work)
{
    const scan_data *const d = scan_data_of(work);
    lab_free(work->dev, work->in);
    lab_free(work->dev, work->out);
    lab_free(work->dev, d->heads);
    for (int level = 0; level < SCAN_LEVELS; level++) {
        lab_free(work->dev, d->sums[level]);
        lab_free(work->dev, d->flags[level]);
    }
}

void scan_model(lab_work *work)
{
    scan_data *const there = tool_alloc(sizeof *there);
    *there = *scan_data_of(work);
    work->context = there;
    scan_allocate(work);
}

void scan_model_free(lab_work *work)
{
    scan_release(work);
    free(work->context);
}

/* --- 2. is it right? ---------------------------------------------------------------------------------------------- */

/* The sums too: those that the rung before left would do for this one. */
void scan_spoil(lab_work *work)
{
    scan_data *const d = scan_data_of(work);
    uint32_t n = work->n;
    d->on_host = false;
    memset(d->copy, 0xdd, n * d->element);
    lab_upload(work->dev, work->out, d->copy, n * d->element);
    for (int level = 0; level < SCAN_LEVELS; level++) {
        n = scan_ceiling(n, ITEMS);
        lab_upload(work->dev, d->sums[level], d->copy, n * d->element);
        if (d->segmented) lab_upload(work->dev, d->flags[level], d->copy, n);
    }
}

bool scan_right(lab_work *work)
{
    const scan_data *const d = scan_data_of(work);
    const size_t bytes = work->n * d->element;
    if (!d->on_host) lab_download(work->dev, d->copy, work->out, bytes);
    return memcmp(d->copy, d->expected, bytes) == 0;
}

const char *scan_no_lanes(const lab_work *work)
{
    return lab_is_cuda(work->dev) ? NULL : "OpenCL 1.2 cannot exchange registers between work-items";
}

const char *scan_no_cub(const lab_work *work) { return scan_data_of(work)->cub ? NULL : lab_peer_missing(work->dev); }

void scan_random(uint32_t *to, uint32_t n)
{
    uint32_t x = 2463534242u;
    for (uint32_t i = 0; i < n; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5; /* Marsaglia's xorshift */
        to[i] = x;
    }
}

/* --- 3. blocks, then what precedes them --------------------------------------------------------------------------- */

static void launch_add(lab_work *work, const char *add, void *out, void *sums, uint32_t n, uint32_t block)
{
    void *const kernel = lab_kernel(work->dev, add, "add", NULL);
    lab_launch(work->dev, kernel, scan_ceiling(n, block) - 1, ITEMS, opi_memory(out), opi_memory(sums), opi_value(n),
               opi_value(block));
}

static void scan_on_host(void *sums, size_t n, size_t element)
{
    uint32_t *const whole = sums;
    double *const real = sums;
    if (element == sizeof *whole)
        for (size_t i = 1; i < n; i++) whole[i] += whole[i - 1];
    else
        for (size_t i = 1; i < n; i++) real[i] += real[i - 1];
}

void scan_with_host(lab_work *work, const char *add, uint32_t block)
{
    const scan_data *const d = scan_data_of(work);
    void *const kernel = lab_kernel(work->dev, work->rung->file, "scan", NULL), *const sums = d->sums[0];
    const uint32_t n = work->n, blocks = scan_ceiling(n, block);
    lab_launch(work->dev, kernel, blocks, ITEMS, opi_memory(work->in), opi_memory(work->out), opi_memory(sums),
               opi_value(n));
    if (blocks == 1) return;
    lab_download(work->dev, d->copy, sums, blocks * d->element);
    scan_on_host(d->copy, blocks, d->element);
    lab_upload(work->dev, sums, d->copy, blocks * d->element);
    launch_add(work, add, work->out, sums, n, block);
}

/* In place where in is out: a work-group reads its block before it writes it. */
static void scan_level(lab_work *work, const char *add, void *in, void *out, uint32_t n, uint32_t block, int level)
{
    void *const kernel = lab_kernel(work->dev, work->rung->file, "scan", NULL), *const sums =
                                                                                    scan_data_of(work)->sums[level];
    const uint32_t blocks = scan_ceiling(n, block);
    lab_launch(work->dev, kernel, blocks, ITEMS, opi_memory(in), opi_memory(out), opi_memory(sums), opi_value(n));
    if (blocks == 1) return;
    scan_level(work, add, sums, sums, blocks, block, level + 1);
    launch_add(work, add, out, sums, n, block);
}

void scan_with_add(lab_work *work, const char *add, uint32_t block)
{
    scan_level(work, add, work->in, work->out, work->n, block, 0);
}

/* --- 4. what precedes blocks, then these ---------------------------------------------------------------------------
 */

static void reduce_level(lab_work *work, void *in, void *out, uint32_t n, int level)
{
    void *const reduce = lab_kernel(work->dev, work->rung->file, "reduce", NULL);
    void *const scan = lab_kernel(work->dev, work->rung->file, "scan", NULL), *const sums =
                                                                                  scan_data_of(work)->sums[level];
    const uint32_t tiles = scan_ceiling(n, TILE);
    if (tiles > 1) {
        lab_launch(work->dev, reduce, tiles, ITEMS, opi_memory(in), opi_memory(sums), opi_value(n));
        reduce_level(work, sums, sums, tiles, level + 1);
    }
    lab_launch(work->dev, scan, tiles, ITEMS, opi_memory(in), opi_memory(out), opi_memory(sums), opi_value(n));
}

void scan_after_reduce(lab_work *work) { reduce_level(work, work->in, work->out, work->n, 0); }
