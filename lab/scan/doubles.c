/* The scan in double precision: of integers small enough that all sums are exact and every order of addition gives
 * the same bits. */
#include "lab/scan/scan.h"

#include "die.h"

#include <oplus/ops.h>

#include <stdlib.h>

static void with_host(lab_work *work) { scan_with_host(work, work->rung->file, ITEMS); }

static void by_oplus(lab_work *work)
{
    lab_must(oplus_scan(work->dev->oplus, &oplus_sum_f64, OPLUS_INCLUSIVE, work->in, work->n, work->out));
}

static const char *no_doubles(const lab_work *work)
{
    return lab_facts(work->dev)->f64 ? NULL : "the device has no double precision";
}

static const lab_rung rungs[] = {
    {.name = "hillis-steele", .file = "scan/double-hillis-steele.cl", .run = with_host, .skip = no_doubles},
    {.name = "reduce-first", .file = "scan/double-reduce-first.cl", .run = scan_after_reduce, .skip = no_doubles},
    LAB_RUNG_OF_OPLUS(by_oplus, "oplus_scan(dev, &oplus_sum_f64, OPLUS_INCLUSIVE, in, n, out).",
                      "Also right where sums round: out[i] has the bits of oplus_reduce of the first i + 1 elements, "
                      "on every device.",
                      .skip = no_doubles),
    {.run = NULL}};

static const char about[] = "Random integers below 1024 as doubles: all sums stay below 2^53 and are exact, so that "
                            "the results can be compared bit for bit. GB/s count 16 bytes an element, read and written "
                            "once. Compare the rates with those above: where bytes are the limit they are the same, "
                            "and an element takes twice as long; where additions or shared memory are, they differ.";

static const lab_ladder ladder = {.title = "In double precision",
                                  .about = about,
                                  .bytes = 2 * sizeof(double),
                                  .rungs = rungs,
                                  .spoil = scan_spoil,
                                  .right = scan_right,
                                  .model = scan_model,
                                  .model_free = scan_model_free};

static void fill(double *to, uint32_t n)
{
    uint32_t *const random = lab_random(n);
    for (uint32_t i = 0; i < n; i++) to[i] = random[i] >> 22;
    free(random);
}

void scan_doubles(lab *l)
{
    const size_t n = lab_size(l, (size_t)1 << 26, (size_t)1 << 22, (size_t)1 << 18);
    scan_data d = {.element = sizeof(double), .copy = tool_alloc(n * sizeof(double))};
    lab_work work = {.dev = l->dev, .n = (uint32_t)n, .context = &d};
    double *const host = tool_alloc(n * sizeof *host);
    fill(host, work.n);
    scan_allocate(&work);
    lab_upload(l->dev, work.in, host, n * sizeof *host);
    for (size_t i = 1; i < n; i++) host[i] += host[i - 1];
    d.expected = host;
    lab_climb(l, &ladder, &work);
    scan_release(&work);
    free(host);
    free(d.copy);
}
