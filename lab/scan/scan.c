/* Scan: all sums from the first element to the i-th, from a block in shared memory to the whole array. */
#include "lab/scan/sizes.h"
#include "lab/scan/scan.h"
#include "lab/show.h"

#include "die.h"

#include <oplus/ops.h>

#include <stdlib.h>

static const char add[] = "scan/add.cl";

/* --- 1. the rungs ------------------------------------------------------------------------------------------------- */

static void with_host(lab_work *work) { scan_with_host(work, add, ITEMS); }
static void in_items(lab_work *work) { scan_with_add(work, add, ITEMS); }
static void in_pairs(lab_work *work) { scan_with_add(work, add, 2 * ITEMS); }
static void in_tiles(lab_work *work) { scan_with_add(work, add, TILE); }

static void by_oplus(lab_work *work)
{
    lab_must(oplus_scan(work->dev->oplus, &oplus_sum_u32, OPLUS_INCLUSIVE, work->in, work->n, work->out));
}

static void by_cub(lab_work *work) { lab_peer_scan(work->cub, work->in, work->n, work->out); }

static const lab_rung rungs[] = {
    {.name = "hillis-steele", .file = "scan/01-hillis-steele.cl", .run = with_host},
    {.name = "recursive",
     .file = "scan/01-hillis-steele.cl",
     .title = "sums scanned by the same kernel",
     .what = "Only what the host does: the block sums are an array to be scanned, so that the same two kernels are "
             "launched on them, and on the sums of their blocks, until one block is left.",
     .why = "Nothing leaves the device, and nobody waits for a copy. Each level is 1/256 of the one below: all of them "
            "together are hardly any work. Still slow: each level costs two launches; and the blocks are scanned as "
            "before.",
     .run = in_items},
    {.name = "work-efficient", .file = "scan/02-work-efficient.cl", .run = in_pairs},
    {.name = "padded", .file = "scan/03-padded.cl", .run = in_pairs},
    {.name = "warps", .file = "scan/04-warps.cl", .run = in_items},
    {.name = "serial", .file = "scan/05-serial.cl", .run = in_tiles},
    {.name = "staged", .file = "scan/06-staged.cl", .run = in_tiles},
    {.name = "reduce-first", .file = "scan/07-reduce-first.cl", .run = scan_after_reduce},
    {.name = "shuffles", .file = "scan/08-shuffles.cl", .run = scan_after_reduce, .skip = lab_no_shuffles},
    LAB_RUNG_OF_OPLUS(
        by_oplus, "oplus_scan(dev, &oplus_sum_u32, OPLUS_INCLUSIVE, in, n, out).",
        "For any type and any operator that is associative: elements keep their order, and the tree is "
        "the same on every device, so that sums which round have the same bits everywhere. On CUDA "
        "many elements are read only once, as the next ladder shows; elsewhere, oplus reduces first, too."),
    LAB_RUNG_OF_CUB(by_cub, "DeviceScan::InclusiveSum",
                    "Twice through memory, one launch: a work-group looks back at the sums of those before it, and "
                    "waits where they are not finished. That those will finish rests on how CUDA schedules "
                    "work-groups; OpenCL promises nothing of the kind."),
    {.run = NULL}};

static const char about[] =
    "The inclusive scan of n random integers of 4 bytes, modulo 2^32, so that every rung must give the same; each "
    "result is compared with a sequential one, element by element. Work-groups of 256 scan blocks; then each block "
    "needs the sum of all before it.\n\n"
    "GB/s count 8 bytes an element: it must be read and written once. A block scan that is followed by an addition "
    "moves 16, so that half of the copy's rate is its limit; a reduction that comes first moves 12, and its limit is "
    "two thirds.";

static const lab_ladder ladder = {.title = "Scan, rung by rung",
                                  .about = about,
                                  .bytes = 2 * sizeof(uint32_t),
                                  .rungs = rungs,
                                  .spoil = scan_spoil,
                                  .right = scan_right,
                                  .model = scan_model,
                                  .model_free = scan_model_free};

/* --- 2. all of it ------------------------------------------------------------------------------------------------- */

static void climb(lab *l)
{
    const size_t n = lab_size(l, (size_t)1 << 27, (size_t)1 << 22, (size_t)1 << 18);
    scan_data d = {.element = sizeof(uint32_t), .copy = tool_alloc(n * sizeof(uint32_t))};
    lab_work work = {.dev = l->dev, .n = (uint32_t)n, .context = &d};
    uint32_t *const host = lab_random(n);
    scan_allocate(&work);
    lab_upload(l->dev, work.in, host, n * sizeof *host);
    for (size_t i = 1; i < n; i++) host[i] += host[i - 1];
    d.expected = host;
    work.cub = lab_peer_open(l->dev);
    lab_climb(l, &ladder, &work);
    scan_once(l, &work);
    lab_peer_close(work.cub);
    scan_release(&work);
    free(host);
    free(d.copy);
}

static void run(lab *l)
{
    scan_draw(l);
    climb(l);
    lab_show_section(l,
                     lab_code(l->experiment, "The second kernel",
                              "What the rungs up to staged launch after the scan of the blocks, at every level.", add));
    scan_doubles(l);
    scan_segments(l);
}

const lab_experiment lab_scan = {
    .name = "scan",
    .title = "Scan",
    .summary = "all partial sums: in a warp, in a work-group, over the whole array",
    .about = "A scan (prefix sum) gives for every element the sum up to it. One after another that is n - 1 "
             "additions, and each seems to wait for the one before; in parallel it takes log n rounds, and the "
             "question is what is paid for them: in additions, in waiting, and in bytes, for an element is needed "
             "again once the sum before its block is known.\n\n"
             "It works for any associative operator. The last section scans many arrays that lie one behind another, "
             "at once, by no more than another operator.",
    .on_model = true,
    .items = ITEMS,
    .counts = true,
    .run = run};
