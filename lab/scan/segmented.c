/* The segmented scan: sums that start anew at every head; by the lifted operator, and sequentially as a check. */
#include "lab/scan/lifted.h"
#include "lab/scan/scan.h"

#include "die.h"

#include <oplus/ops.h>

#include <stdlib.h>

/* --- 1. the rungs ------------------------------------------------------------------------------------------------- */

/* The lifted operator from left to right. */
static void sequentially(lab_work *work)
{
    scan_data *const d = scan_data_of(work);
    const uint32_t *const in = d->input;
    uint32_t *const out = d->copy;
    lifted sum = {d->input_heads[0] != 0, in[0]};
    out[0] = sum.value;
    for (uint32_t i = 1; i < work->n; i++) {
        sum = lifted_join(sum, (lifted){d->input_heads[i] != 0, in[i]});
        out[i] = sum.value;
    }
    d->on_host = true;
}

/* Computes the pairs of blocks, scans these by the same kernels, then scans the blocks. */
static void in_blocks(lab_work *work, uint32_t block)
{
    void *const reduce = lab_kernel(work->dev, work->rung->file, "reduce", NULL);
    void *const scan = lab_kernel(work->dev, work->rung->file, "scan", NULL);
    scan_level level[SCAN_LEVELS];
    const int levels = scan_levels_of(work, block, level);
    for (const scan_level *at = level; at < level + levels - 1; at++)
        lab_launch(work->dev, reduce, at->blocks, ITEMS, opi_memory(at->in), opi_memory(at->heads),
                   opi_memory(at->sums), opi_memory(at->flags), opi_value(at->n));
    for (const scan_level *at = level + levels; at-- > level;)
        lab_launch(work->dev, scan, at->blocks, ITEMS, opi_memory(at->in), opi_memory(at->heads), opi_memory(at->sums),
                   opi_memory(at->out), opi_value(at->n));
}

static void in_items(lab_work *work) { in_blocks(work, ITEMS); }
static void in_tiles(lab_work *work) { in_blocks(work, TILE); }

static void by_oplus(lab_work *work)
{
    lab_must(oplus_segscan(work->dev->oplus, &oplus_sum_u32, OPLUS_INCLUSIVE, work->in, scan_data_of(work)->heads,
                           work->n, work->out));
}

/* --- 2. the ladder ------------------------------------------------------------------------------------------------ */

static const lab_rung rungs[] = {
    {.name = "sequential",
     .title = "the lifted operator, one element after another",
     .what = "sum = (head[0], in[0]); then for each i: sum = sum (+) (head[i], in[i]), out[i] = the second of sum. One "
             "core of the host, its own memory, no kernel.",
     .why = "The definition as a program, and the check: no kernel below does anything but join the same pairs in "
            "another grouping. What it gives is compared with sums that are simply set to zero at every head.",
     .run = sequentially,
     .uncounted = true},
    {.name = "hillis-steele", .file = "scan/segmented-hillis-steele.cl", .run = in_items},
    {.name = "serial", .file = "scan/segmented-serial.cl", .run = in_tiles},
    LAB_RUNG_OF_OPLUS(by_oplus, "oplus_segscan(dev, &oplus_sum_u32, OPLUS_INCLUSIVE, in, heads, n, out).",
                      "It lifts any operator, also one that has no identity."),
    {.run = NULL}};

static const lab_ladder ladder = {
    .title = "Segmented scan, by the lifted operator",
    .about = "Sums start anew at every element that has a head. On pairs (head seen, sum since) this is a plain "
             "scan: (f, s) (+) (g, t) = (f or g, t if g, else s + t) is associative if + is.\n\n"
             "Segments here: a quarter of the array in some of 8 elements on average, one quarter without any head, so "
             "that its sums cross many work-groups, and the rest in some of 1024. GB/s count 9 bytes an element: value "
             "and head read once, sum written once.",
    .bytes = 2 * sizeof(uint32_t) + 1,
    .rungs = rungs,
    .spoil = scan_spoil,
    .right = scan_right,
    .model = scan_model,
    .model_free = scan_model_free};

/* --- 3. the problem ----------------------------------------------------------------------------------------------- */

/* Heads by random numbers; it makes no difference whether the first element is one. */
static void deal_heads(uint8_t *heads, const uint32_t *random, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t quarter = (uint32_t)((uint64_t)i * 4 / n), mean = quarter == 0 ? 8 : 1024;
        heads[i] = quarter != 1 && (random[i] >> 8) % mean == 0;
    }
}

/* The expected result, computed without the operator. */
static void expect(uint32_t *to, const uint32_t *in, const uint8_t *heads, uint32_t n)
{
    uint32_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (heads[i]) sum = 0;
        to[i] = sum += in[i];
    }
}

void scan_segments(lab *l)
{
    const size_t n = lab_size(l, (size_t)1 << 26, (size_t)1 << 22, (size_t)1 << 18), bytes = n * sizeof(uint32_t);
    uint32_t *const host = lab_random(n), *const expected = tool_alloc(bytes);
    uint8_t *const heads = tool_alloc(n);
    scan_data d = {.element = sizeof(uint32_t),
                   .segmented = true,
                   .copy = tool_alloc(bytes),
                   .input = host,
                   .input_heads = heads,
                   .expected = expected};
    lab_work work = {.dev = l->dev, .n = (uint32_t)n, .context = &d};
    deal_heads(heads, host, work.n);
    expect(expected, host, heads, work.n);
    scan_allocate(&work);
    lab_upload(l->dev, work.in, host, bytes);
    lab_upload(l->dev, d.heads, heads, n);
    lab_climb(l, &ladder, &work);
    scan_release(&work);
    free(d.copy);
    free(heads);
    free(expected);
    free(host);
}
