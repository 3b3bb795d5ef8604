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
        n = lab_ceiling(n, ITEMS);
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

/* Overwrites the sums too, because those of the rung before would be right for this one. */
void scan_spoil(lab_work *work)
{
    scan_data *const d = scan_data_of(work);
    uint32_t n = work->n;
    d->on_host = false;
    lab_spoil(work->dev, work->out, d->copy, n * d->element);
    for (int level = 0; level < SCAN_LEVELS; level++) {
        n = lab_ceiling(n, ITEMS);
        lab_spoil(work->dev, d->sums[level], d->copy, n * d->element);
        if (d->segmented) lab_spoil(work->dev, d->flags[level], d->copy, n);
    }
}

bool scan_right(lab_work *work)
{
    const scan_data *const d = scan_data_of(work);
    const size_t bytes = work->n * d->element;
    if (!d->on_host) lab_download(work->dev, d->copy, work->out, bytes);
    return memcmp(d->copy, d->expected, bytes) == 0;
}

/* --- 3. blocks of blocks ------------------------------------------------------------------------------------------ */

int scan_levels_of(const lab_work *work, uint32_t block, scan_level level[SCAN_LEVELS])
{
    const scan_data *const d = scan_data_of(work);
    int levels = 0;
    level[0] = (scan_level){.in = work->in, .heads = d->heads, .out = work->out, .n = work->n};
    for (;;) {
        scan_level *const own = &level[levels];
        own->sums = d->sums[levels];
        own->flags = d->flags[levels];
        own->blocks = lab_ceiling(own->n, block);
        levels++;
        if (own->blocks == 1 || levels == SCAN_LEVELS) return levels;
        level[levels] = (scan_level){.in = own->sums, .heads = own->flags, .out = own->sums, .n = own->blocks};
    }
}

/* --- 4. blocks, then what precedes them --------------------------------------------------------------------------- */

static void launch_add(lab_work *work, const char *add, void *out, void *sums, uint32_t n, uint32_t block)
{
    void *const kernel = lab_kernel(work->dev, add, "add", NULL);
    lab_launch(work->dev, kernel, lab_ceiling(n, block) - 1, ITEMS, opi_memory(out), opi_memory(sums), opi_value(n),
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
    const uint32_t n = work->n, blocks = lab_ceiling(n, block);
    lab_launch(work->dev, kernel, blocks, ITEMS, opi_memory(work->in), opi_memory(work->out), opi_memory(sums),
               opi_value(n));
    if (blocks == 1) return;
    lab_download(work->dev, d->copy, sums, blocks * d->element);
    scan_on_host(d->copy, blocks, d->element);
    lab_upload(work->dev, sums, d->copy, blocks * d->element);
    launch_add(work, add, work->out, sums, n, block);
}

/* in may be out: a work-group reads its block before it writes it. */
static void launch_scan(lab_work *work, const scan_level *level)
{
    void *const kernel = lab_kernel(work->dev, work->rung->file, "scan", NULL);
    lab_launch(work->dev, kernel, level->blocks, ITEMS, opi_memory(level->in), opi_memory(level->out),
               opi_memory(level->sums), opi_value(level->n));
}

void scan_with_add(lab_work *work, const char *add, uint32_t block)
{
    scan_level level[SCAN_LEVELS];
    const int levels = scan_levels_of(work, block, level);
    for (int i = 0; i < levels; i++) launch_scan(work, &level[i]);
    for (int i = levels - 1; i-- > 0;) launch_add(work, add, level[i].out, level[i].sums, level[i].n, block);
}

/* --- 5. what precedes blocks, then these -------------------------------------------------------------------------- */

void scan_after_reduce(lab_work *work)
{
    void *const reduce = lab_kernel(work->dev, work->rung->file, "reduce", NULL);
    scan_level level[SCAN_LEVELS];
    const int levels = scan_levels_of(work, TILE, level);
    for (int i = 0; i < levels - 1; i++)
        lab_launch(work->dev, reduce, level[i].blocks, ITEMS, opi_memory(level[i].in), opi_memory(level[i].sums),
                   opi_value(level[i].n));
    for (int i = levels; i-- > 0;) launch_scan(work, &level[i]);
}
