/* The scan in one launch, which takes work-groups that wait for others: so on CUDA alone, where the tile that is waited
 * for belongs to a work-group that runs. */
#include "lab/scan/scan.h"

#include "die.h"

#include <oplus/ops.h>

#include <stdlib.h>
#include <string.h>

typedef struct once {
    scan_data data; /* first: the context of a ladder of scans */
    void *states;   /* a word of 8 bytes for each tile: a sum, and the number of the launch that has written it */
    void *counter;  /* of tiles that have been taken; it is never set back, */
    uint32_t taken; /* nor are these: what the counter is, */
    uint32_t launches;
} once;

static const char *cuda_alone(const lab_work *work)
{
    return lab_is_cuda(work->dev) ? NULL : "its work-groups wait for each other, which OpenCL does not allow";
}

/* The rungs share a kernel's name and arguments. */
static void launch(lab_work *work, uint64_t groups, bool resident)
{
    once *const o = work->context;
    const uint32_t number = ++o->launches, first = o->taken;
    const opi_gpu_argument argument[] = {opi_memory(work->in),   opi_memory(work->out), opi_memory(o->states),
                                         opi_memory(o->counter), opi_value(work->n),    opi_value(number),
                                         opi_value(first)};
    opi_launch all = {.kernel = lab_kernel(work->dev, work->rung->file, "scan", NULL),
                      .groups = groups,
                      .items = ITEMS,
                      .resident = resident,
                      .argument = argument,
                      .arguments = sizeof argument / sizeof *argument};
    const opi_driver *const driver = work->dev->gpu->driver;
    if (resident) lab_must(driver->residents(work->dev->gpu, "oplus lab", &all, &all.groups));
    lab_must(driver->launch(work->dev->gpu, "oplus lab", &all));
    work->dev->launches++;
}

/* Every work-group takes one tile. */
static void by_turns(lab_work *work)
{
    once *const o = work->context;
    const uint32_t tiles = lab_ceiling(work->n, TILE);
    launch(work, tiles, false);
    o->taken += tiles;
}

static void by_residents(lab_work *work) { launch(work, 0, true); }

static void by_oplus(lab_work *work)
{
    lab_must(oplus_scan(work->dev->oplus, &oplus_sum_u32, OPLUS_INCLUSIVE, work->in, work->n, work->out));
}

static const lab_rung rungs[] = {
    {.name = "reduce-first",
     .file = "scan/08-shuffles.cl",
     .run = scan_after_reduce,
     .skip = lab_no_shuffles,
     .title = "three launches",
     .what =
         "The last kernel of the ladder above: the sums of the tiles, the scan of these sums, the scan of the tiles.",
     .why = "Elements are read twice. A launch begins when the one before has ended, so that nobody waits for anybody "
            "inside of a launch. (The sums are scanned in the same manner: of many elements that takes launches of its "
            "own.)"},
    {.name = "chained", .file = "scan/once-chained.cl", .run = by_turns, .skip = cuda_alone, .uncounted = true},
    {.name = "look-back", .file = "scan/once-look-back.cl", .run = by_turns, .skip = cuda_alone, .uncounted = true},
    {.name = "published", .file = "scan/once-published.cl", .run = by_residents, .skip = cuda_alone, .uncounted = true},
    LAB_RUNG_OF_OPLUS(
        by_oplus, "oplus_scan(dev, &oplus_sum_u32, OPLUS_INCLUSIVE, in, n, out).",
        "On CUDA from compute capability 9.0 on, the way pipeline (docs/gpu.md); elsewhere, three launches."),
    {.run = NULL}};

static const lab_ladder ladder = {
    .title = "From three launches to one",
    .about =
        "The same scan. Three launches move 12 bytes an element, one launch need move only 8, which are counted "
        "here for all; a copy is the limit. What has to be found is who waits for whom: a work-group can know what "
        "precedes its tile only from others that run at the same time. CUDA lets work-groups that run go on; OpenCL "
        "promises nothing, so that these kernels are for CUDA alone. Every wait has an end: a kernel that waits in "
        "vain gives a wrong result, and not none.",
    .bytes = 2 * sizeof(uint32_t),
    .rungs = rungs,
    .spoil = scan_spoil,
    .right = scan_right,
    .model = scan_model,
    .model_free = scan_model_free};

void scan_once(lab *l, lab_work *work)
{
    once o = {.data = *scan_data_of(work)};
    scan_data *const before = work->context;
    const size_t bytes = (size_t)lab_ceiling(work->n, TILE) * sizeof(uint64_t);
    void *const zeros = tool_alloc(bytes);
    memset(zeros, 0, bytes);
    o.states = lab_alloc(work->dev, bytes);
    o.counter = lab_alloc(work->dev, sizeof(uint32_t));
    lab_upload(work->dev, o.states, zeros, bytes);
    lab_upload(work->dev, o.counter, zeros, sizeof(uint32_t));
    work->context = &o;
    lab_climb(l, &ladder, work);
    work->context = before;
    lab_free(work->dev, o.counter);
    lab_free(work->dev, o.states);
    free(zeros);
}
