/* Reduction: the sum of n integers, from log n launches to the speed of memory; and how to finish.
 *
 * The ladder is the one that lectures on GPUs have used since Mark Harris, "Optimizing Parallel Reduction in CUDA"
 * (2007), with today's rungs above. */
#include "lab/reduce/reduce.h"
#include "lab/reduce/sizes.h"

#include "die.h"

#include <oplus/ops.h>

#include <stdlib.h>

/* --- 1. one pass after another ------------------------------------------------------------------------------------ */

/* How many groups reduce n elements, one result each. */
typedef uint32_t (*grouping)(uint32_t n);

static uint32_t one_each(uint32_t n) { return lab_ceiling(n, ITEMS); }
static uint32_t two_each(uint32_t n) { return lab_ceiling(n, 2 * ITEMS); }

/* Each item adds about log2 n. */
static uint32_t log_each(uint32_t n)
{
    uint32_t log = 1;
    while (n >> log > 1) log++;
    return n <= 2 * ITEMS ? 1 : lab_ceiling(n, log * ITEMS);
}

static void add_by_host(lab_work *work, const void *from, uint32_t n)
{
    const reducing *const r = work->context;
    uint32_t *const copy = r->copy, sum = 0;
    lab_download(work->dev, copy, from, n * sizeof *copy);
    for (uint32_t i = 0; i < n; i++) sum += copy[i];
    lab_upload(work->dev, work->out, &sum, sizeof sum);
}

/* Reduces from the input to one scratch array, from there to the other, and so on; the last element goes to out. */
static void reduce_by(lab_work *work, grouping groups_of, bool vectors)
{
    const reducing *const r = work->context;
    void *const kernel = lab_kernel(work->dev, work->rung->file, "reduce", NULL);
    void *from = work->in;
    uint32_t n = work->n;
    for (int pass = 0;; pass++) {
        const uint32_t groups = groups_of(n);
        void *const to = groups == 1 ? work->out : work->scratch[pass % 2];
        if (vectors)
            lab_launch(work->dev, kernel, groups, ITEMS, opi_memory(from), opi_memory(to), opi_value(n),
                       opi_memory(from));
        else
            lab_launch(work->dev, kernel, groups, ITEMS, opi_memory(from), opi_memory(to), opi_value(n));
        n = groups;
        from = to;
        if (n <= r->by_host) break;
    }
    if (n > 1) add_by_host(work, from, n);
}

static void in_groups(lab_work *work) { reduce_by(work, one_each, false); }
static void in_half_groups(lab_work *work) { reduce_by(work, two_each, false); }
static void in_few_groups(lab_work *work) { reduce_by(work, log_each, false); }
static void in_vectors(lab_work *work) { reduce_by(work, log_each, true); }

void reduce_in_pairs(lab_device *dev, const void *in, uint32_t n, void *const scratch[2], void *out)
{
    void *const kernel = lab_kernel(dev, "reduce/01-launches.cl", "pairs", NULL);
    for (int pass = 0; pass == 0 || n > 1; pass++) {
        const uint32_t left = lab_ceiling(n, 2);
        void *const to = left == 1 ? out : scratch[pass % 2];
        lab_launch(dev, kernel, lab_ceiling(left, ITEMS), ITEMS, opi_memory(in), opi_memory(to), opi_value(n));
        n = left;
        in = to;
    }
}

static void in_launches(lab_work *work) { reduce_in_pairs(work->dev, work->in, work->n, work->scratch, work->out); }

static void by_oplus(lab_work *work)
{
    lab_must(oplus_reduce(work->dev->oplus, &oplus_sum_u32, work->in, work->n, work->out));
}

static void by_cub(lab_work *work) { lab_peer_reduce(work->cub, work->in, work->n, work->out); }

/* --- 2. the ladder ------------------------------------------------------------------------------------------------ */

const lab_rung reduce_rungs[] = {
    {.name = "launches", .file = "reduce/01-launches.cl", .run = in_launches},
    {.name = "modulo", .file = "reduce/02-modulo.cl", .run = in_groups, .lecture = {2.16, 4.26, 3.77}},
    {.name = "strided", .file = "reduce/03-strided.cl", .run = in_groups, .lecture = {4.28, 7.81, 8.33}},
    {.name = "sequential", .file = "reduce/04-sequential.cl", .run = in_groups, .lecture = {9.73, 11.71, 16.34}},
    {.name = "first-add", .file = "reduce/05-first-add.cl", .run = in_half_groups, .lecture = {17.6, 23.43, 27.16}},
    {.name = "last-warp", .file = "reduce/06-last-warp.cl", .run = in_half_groups, .lecture = {36.7, 46.8, 37.68}},
    {.name = "unrolled", .file = "reduce/07-unrolled.cl", .run = in_half_groups, .lecture = {57.2, 0, 50.64}},
    {.name = "many", .file = "reduce/08-many.cl", .run = in_few_groups, .lecture = {0, 0, 77.21}},
    {.name = "shuffles", .file = "reduce/09-shuffles.cl", .run = in_few_groups, .skip = lab_no_shuffles},
    {.name = "vectors", .file = "reduce/10-vectors.cl", .run = in_vectors, .skip = lab_no_shuffles},
    LAB_RUNG_OF_OPLUS(
        by_oplus, "oplus_reduce(dev, &oplus_sum_u32, in, n, out).",
        "All of the above for any type and any associative operator; elements keep their order. On CUDA it is "
        "one launch: the work-group that finds that it is the last one joins the sums of all."),
    LAB_RUNG_OF_CUB(by_cub, "DeviceReduce::Sum", "NVIDIA's own, tuned for each device."),
    {.run = NULL}};

void reduce_spoil(lab_work *work) { lab_upload(work->dev, work->out, &(uint32_t){0xdeadbeef}, sizeof(uint32_t)); }

bool reduce_right(lab_work *work)
{
    const reducing *const r = work->context;
    uint32_t sum;
    lab_download(work->dev, &sum, work->out, sizeof sum);
    return sum == r->sum;
}

void reduce_allocate(lab_work *work)
{
    const size_t bytes = work->n * sizeof(uint32_t);
    work->in = lab_alloc(work->dev, bytes);
    work->out = lab_alloc(work->dev, sizeof(uint32_t));
    for (int i = 0; i < 2; i++) work->scratch[i] = lab_alloc(work->dev, bytes / 2 + sizeof(uint32_t));
}

void reduce_release(lab_work *work)
{
    lab_free(work->dev, work->in);
    lab_free(work->dev, work->out);
    for (int i = 0; i < 2; i++) lab_free(work->dev, work->scratch[i]);
}

static const lab_ladder ladder = {
    .title = "Reduction, rung by rung",
    .about = "The sum of n random integers of 4 bytes, modulo 2^32, so that every rung must give the same. Work-groups "
             "of 128 leave one partial sum each; the same kernel adds these, until one is left. GB/s are bytes of the "
             "input over all launches; the limit is a copy, which moves every byte twice: what only reads may come "
             "above it.",
    .bytes = sizeof(uint32_t),
    .lectures = {"8800 GTX", "GTX 460", "GTX 280"},
    .lecture_about = "The lectures' columns are what their kernels 1 to 7, from modulo on, reached in their time, by "
                     "number: not every lecture took the same steps.",
    .rungs = reduce_rungs,
    .spoil = reduce_spoil,
    .right = reduce_right,
    .model = reduce_allocate,
    .model_free = reduce_release};

/* --- 3. all of it ------------------------------------------------------------------------------------------------- */

static void run(lab *l)
{
    reducing r = {.by_host = 1};
    r.work = (lab_work){
        .dev = l->dev, .n = (uint32_t)lab_size(l, (size_t)1 << 28, (size_t)1 << 22, (size_t)1 << 22), .context = &r};
    const uint32_t n = r.work.n;
    r.host = lab_random(n > REDUCE_LEAST ? n : REDUCE_LEAST);
    r.copy = tool_alloc((n < REDUCE_BY_HOST ? n : REDUCE_BY_HOST) * sizeof *r.copy);
    for (uint32_t i = 0; i < n; i++) r.sum += r.host[i];
    reduce_allocate(&r.work);
    lab_upload(l->dev, r.work.in, r.host, n * sizeof *r.host);
    r.work.cub = lab_peer_open(l->dev);
    lab_climb(l, &ladder, &r.work);
    reduce_as_lectures(l, &r);
    reduce_finish(l, &r);
    reduce_historic(l, &r);
    lab_peer_close(r.work.cub);
    reduce_release(&r.work);
    free(r.copy);
    free(r.host);
}

const lab_experiment lab_reduce = {.name = "reduce",
                                   .title = "Reduction",
                                   .summary = "the sum of an array: from log n launches to the speed of memory",
                                   .about = "A reduction combines all elements into one: n - 1 additions that form a "
                                            "tree. It reads every element once and computes next to nothing, so that "
                                            "memory sets the limit; what keeps a kernel from it are warps that idle, "
                                            "branches that part, banks that conflict, barriers, and too few bytes "
                                            "under way.",
                                   .on_model = true,
                                   .items = ITEMS,
                                   .counts = true,
                                   .run = run};
