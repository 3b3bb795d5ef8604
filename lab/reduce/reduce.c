/* Reduction: the sum of n integers, from log n launches to the speed of memory; and how to finish.
 *
 * The ladder is the one that lectures on GPUs climb since Mark Harris, "Optimizing Parallel Reduction in CUDA" (2007),
 * with today's rungs above. */
#include "lab/ladder.h"
#include "lab/model/model.h"
#include "lab/peer.h"
#include "lab/reduce/sizes.h"
#include "lab/show.h"

#include "die.h"

#include <oplus/ops.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sums of integers modulo 2^32: the same in any order. */
typedef struct reducing {
    lab_work work;
    uint32_t *host; /* the input, on the host */
    uint32_t sum;   /* of it */
    void *copy;     /* what the host downloads the last partial sums to */
    size_t by_host; /* as many are left to the host; 1: none */
    lab_peer *cub;
} reducing;

static uint32_t ceiling(uint32_t a, uint32_t b) { return a / b + (a % b != 0); }

/* --- 1. one pass after another ------------------------------------------------------------------------------------ */

/* How many groups reduce n elements, one result each. */
typedef uint32_t (*grouping)(uint32_t n);

static uint32_t one_each(uint32_t n) { return ceiling(n, ITEMS); }
static uint32_t two_each(uint32_t n) { return ceiling(n, 2 * ITEMS); }

/* Each item adds about log2 n. */
static uint32_t log_each(uint32_t n)
{
    uint32_t log = 1;
    while (n >> log > 1) log++;
    return n <= 2 * ITEMS ? 1 : ceiling(n, log * ITEMS);
}

/* From the input to one scratch array, from there to the other, ... until one element is left: that goes to out. */
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
    if (n > 1) { /* the host does the rest */
        uint32_t *const copy = r->copy, sum = 0;
        lab_download(work->dev, copy, from, n * sizeof *copy);
        for (uint32_t i = 0; i < n; i++) sum += copy[i];
        lab_upload(work->dev, work->out, &sum, sizeof sum);
    }
}

static void in_groups(lab_work *work) { reduce_by(work, one_each, false); }
static void in_half_groups(lab_work *work) { reduce_by(work, two_each, false); }
static void in_few_groups(lab_work *work) { reduce_by(work, log_each, false); }
static void in_vectors(lab_work *work) { reduce_by(work, log_each, true); }

static void in_launches(lab_work *work)
{
    void *const kernel = lab_kernel(work->dev, work->rung->file, "pairs", NULL);
    void *from = work->in;
    uint32_t n = work->n;
    for (int pass = 0; pass == 0 || n > 1; pass++) {
        const uint32_t left = ceiling(n, 2);
        void *const to = left == 1 ? work->out : work->scratch[pass % 2];
        lab_launch(work->dev, kernel, ceiling(left, ITEMS), ITEMS, opi_memory(from), opi_memory(to), opi_value(n));
        n = left;
        from = to;
    }
}

static void by_oplus(lab_work *work)
{
    lab_must(oplus_reduce(work->dev->oplus, &oplus_sum_u32, work->in, work->n, work->out));
}

static void by_cub(lab_work *work)
{
    const reducing *const r = work->context;
    lab_peer_reduce(r->cub, work->in, work->n, work->out);
}

static const char *no_lanes(const lab_work *work)
{
    return lab_is_cuda(work->dev) || work->dev->model ? NULL
                                                      : "OpenCL 1.2 cannot exchange registers between work-items";
}

static const char *no_cub(const lab_work *work)
{
    const reducing *const r = work->context;
    return r->cub ? NULL : lab_peer_missing(work->dev);
}

/* --- 2. the ladder ------------------------------------------------------------------------------------------------ */

static const lab_rung rungs[] = {
    {.name = "launches", .file = "reduce/01-launches.cl", .run = in_launches},
    {.name = "modulo", .file = "reduce/02-modulo.cl", .run = in_groups, .lecture = {2.16, 4.26, 3.77}},
    {.name = "strided", .file = "reduce/03-strided.cl", .run = in_groups, .lecture = {4.28, 7.81, 8.33}},
    {.name = "sequential", .file = "reduce/04-sequential.cl", .run = in_groups, .lecture = {9.73, 11.71, 16.34}},
    {.name = "first-add", .file = "reduce/05-first-add.cl", .run = in_half_groups, .lecture = {17.6, 23.43, 27.16}},
    {.name = "last-warp", .file = "reduce/06-last-warp.cl", .run = in_half_groups, .lecture = {36.7, 46.8, 37.68}},
    {.name = "unrolled", .file = "reduce/07-unrolled.cl", .run = in_half_groups, .lecture = {57.2, 0, 50.64}},
    {.name = "many", .file = "reduce/08-many.cl", .run = in_few_groups, .lecture = {0, 0, 77.21}},
    {.name = "shuffles", .file = "reduce/09-shuffles.cl", .run = in_few_groups, .skip = no_lanes},
    {.name = "vectors", .file = "reduce/10-vectors.cl", .run = in_vectors, .skip = no_lanes},
    {.name = "oplus",
     .title = "oplus itself",
     .what = "oplus_reduce(dev, &oplus_sum_u32, in, n, out).",
     .why = "All of the above for any operator and type, and any associative one: elements keep their order.",
     .run = by_oplus},
    {.name = "CUB",
     .title = "CUB",
     .what = "cub::DeviceReduce::Sum of the CUDA toolkit.",
     .why = "The best known.",
     .run = by_cub,
     .skip = no_cub},
    {.run = NULL}};

static void spoil(lab_work *work) { lab_upload(work->dev, work->out, &(uint32_t){0xdeadbeef}, sizeof(uint32_t)); }

static bool right(lab_work *work)
{
    const reducing *const r = work->context;
    uint32_t sum;
    lab_download(work->dev, &sum, work->out, sizeof sum);
    return sum == r->sum;
}

/* Arrays on work->dev; scratch is as large as the first launch of the first rung needs. */
static void allocate(lab_work *work)
{
    const size_t bytes = work->n * sizeof(uint32_t);
    work->in = lab_alloc(work->dev, bytes);
    work->out = lab_alloc(work->dev, sizeof(uint32_t));
    for (int i = 0; i < 2; i++) work->scratch[i] = lab_alloc(work->dev, bytes / 2 + sizeof(uint32_t));
}

static void release(lab_work *work)
{
    lab_free(work->dev, work->in);
    lab_free(work->dev, work->out);
    for (int i = 0; i < 2; i++) lab_free(work->dev, work->scratch[i]);
}

static const lab_ladder ladder = {
    .title = "Reduction, rung by rung",
    .about = "The sum of n random integers of 4 bytes, modulo 2^32, so that every rung must give the same. Work-groups "
             "of 128 leave "
             "one partial sum each; the same kernel adds these, until one is left. GB/s are bytes of the input over "
             "all launches; the "
             "limit is a copy, which moves every byte twice: what only reads may come above it.",
    .bytes = sizeof(uint32_t),
    .lectures = {"GTX 8800", "GTX 460", "GTX 280"},
    .lecture_about = "The lectures' columns are what their kernels 1 to 7, from modulo on, reached in their time, by "
                     "number: not every "
                     "lecture took the same steps.",
    .rungs = rungs,
    .spoil = spoil,
    .right = right,
    .model = allocate,
    .model_free = release};

/* --- 3. the lectures' counters ------------------------------------------------------------------------------------ */

/* What a profiler showed on the 7 multiprocessors of a GTX 460, of one of them, for 2^22 elements. */
static const struct {
    const char *rung;
    double divergent, conflicts, active, warps;
} shown[] = {{"modulo", 112344, 0, 90435920, 18728},   {"strided", 4689, 211095, 48277598, 18764},
             {"sequential", 4687, 0, 37313361, 18736}, {"first-add", 2343, 0, 19501609, 9376},
             {"last-warp", 294, 0, 5948100, 1180},     {"unrolled", 0, 0, 0, 0}};
enum { SHOWN = sizeof shown / sizeof *shown, LECTURE_N = 1 << 22 };

static const lab_rung *rung_called(const char *name)
{
    const lab_rung *r = rungs;
    while (strcmp(r->name, name) != 0) r++;
    return r;
}

static void run_rung(void *context)
{
    lab_work *const work = context;
    work->rung->run(work);
}

static void by_model(const lab_work *work, lab_counts *counts)
{
    lab_work there = *work;
    there.dev = work->dev->twin;
    allocate(&there);
    run_rung(&there);
    release(&there);
    lab_model_counts(there.dev->gpu, counts);
}

static void add_row(cJSON *table, const char *rung, const char *source, const lab_counts *counts)
{
    static const lab_counter columns[] = {LAB_DIVERGENT, LAB_CONFLICTS, LAB_ACTIVE_WARPS, LAB_WARPS};
    cJSON *const row = lab_row(table);
    lab_cell_text(row, rung);
    lab_cell_text(row, source);
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++)
        lab_cell_number(row, counts->known[columns[c]] ? counts->of[columns[c]] : NAN);
}

static void add_shown(cJSON *table, int i)
{
    cJSON *const row = lab_row(table);
    char name[32];
    snprintf(name, sizeof name, "kernel %d", i + 1);
    lab_cell_text(row, name);
    lab_cell_text(row, "lecture");
    const double value[] = {shown[i].divergent, shown[i].conflicts, shown[i].active, shown[i].warps};
    for (int c = 0; c < 4; c++)
        if (shown[i].warps > 0)
            lab_cell_number(row, value[c]);
        else
            lab_cell_text(row, "???");
}

/* The lectures' table, with the rows of this device below each. */
static void count_as_lectures(lab *l, reducing *r)
{
    cJSON *const table =
        lab_table(l->experiment, "The lectures' counters, and today's",
                  "A profiler showed these figures for kernels 1 to 5, and left the sixth to the audience: ???. They "
                  "are of 2^22 elements (so are ours, unless --n is less) in "
                  "work-groups of 128 and of one of the seven multiprocessors of a GTX 460; the model's and this "
                  "device's are of the whole "
                  "device, so that a seventh of them compares. Seven times 211,095 conflicts are 11.25 a warp, which "
                  "is what the model finds in "
                  "the text of the kernel. Divergent branches: the model counts every branch of the text at which "
                  "lanes part; compilers turn "
                  "short ones into predicated instructions, so that hardware counts fewer. The lectures' kernel 5 "
                  "launched an eighth of the "
                  "warps of kernel 4: it must have given each item more elements than ours does.",
                  "kernel|source|divergent branches|bank conflicts|active warps:warps x cycles|warps launched");
    lab_work *const work = &r->work;
    const uint32_t n = work->n;
    lab_counts counts;
    work->n = n < LECTURE_N ? n : LECTURE_N;
    for (int i = 0; i < SHOWN; i++) {
        lab_show_step(l, "The lectures' counters", shown[i].rung, i, SHOWN);
        work->rung = rung_called(shown[i].rung);
        add_shown(table, i);
        by_model(work, &counts);
        add_row(table, shown[i].rung, "model", &counts);
        if (lab_count(work->dev, run_rung, work, &counts))
            add_row(table, shown[i].rung, lab_facts(work->dev)->name, &counts);
    }
    work->n = n;
    lab_show_section(l, table);
}

/* --- 4. how to finish --------------------------------------------------------------------------------------------- */

/* The last partial sums: by further launches, or by the host once there are few enough. */
static void finish(lab *l, reducing *r)
{
    static const size_t left[] = {1, 1 << 8, 1 << 12, 1 << 16, 1 << 20};
    cJSON *const table = lab_table(l->experiment, "How to finish",
                                   "The work-groups leave one partial sum each. Either the kernel is launched on these "
                                   "again, until one is left; or, once "
                                   "there are at most so many, the host fetches and adds them. A fetch waits for the "
                                   "device, which a launch does not.",
                                   "left to the host, at most|launches|time:us");
    lab_work *const work = &r->work;
    work->rung = rung_called("unrolled");
    for (size_t i = 0; i < sizeof left / sizeof *left && left[i] < work->n; i++) {
        cJSON *const row = lab_row(table);
        r->by_host = left[i];
        const uint64_t before = work->dev->launches;
        spoil(work);
        run_rung(work);
        if (left[i] == 1)
            lab_cell_text(row, "none: launches to the end");
        else
            lab_cell_number(row, (double)left[i]);
        lab_cell_number(row, (double)(work->dev->launches - before));
        lab_cell_number(row, right(work) ? lab_seconds(work->dev, run_rung, work) * 1e6 : NAN);
    }
    r->by_host = 1;
    lab_show_section(l, table);
}

/* --- 5. the historic form ----------------------------------------------------------------------------------------- */

static void run_historic(lab_work *work, const char *file, const reducing *r, cJSON *table, const char *name)
{
    enum { TRIES = 100, N = 2 * ITEMS };
    cJSON *const row = lab_row(table);
    const uint32_t n = N;
    void *const in = lab_alloc(work->dev, N * sizeof(uint32_t)), *const out = lab_alloc(work->dev, sizeof(uint32_t));
    void *const kernel = lab_kernel(work->dev, file, "reduce", NULL);
    uint32_t expected = 0, sum = 0;
    int wrong = 0;
    for (uint32_t i = 0; i < N; i++) expected += r->host[i];
    lab_upload(work->dev, in, r->host, N * sizeof(uint32_t));
    for (int i = 0; i < TRIES; i++) {
        lab_launch(work->dev, kernel, 1, ITEMS, opi_memory(in), opi_memory(out), opi_value(n));
        lab_download(work->dev, &sum, out, sizeof sum);
        wrong += sum != expected;
    }
    lab_free(work->dev, in);
    lab_free(work->dev, out);
    lab_cell_text(row, name);
    lab_cell_text(row, file);
    lab_cell_number(row, wrong);
    lab_cell_number(row, TRIES);
}

/* OpenCL's cores run work-items one after another and need no warp to be wrong; the rung above is right everywhere. */
static void show_historic(lab *l, reducing *r)
{
    cJSON *const table = lab_table(l->experiment, "Why the warp is synchronised",
                                   "The form that was taught before 2017 has nothing between the rounds of the last "
                                   "warp. Since Volta every lane has a "
                                   "program counter of its own, and no order between lanes is promised without a "
                                   "synchronisation. The model takes an "
                                   "order that is allowed: one lane after another. A device that gives the right sum "
                                   "here has been lucky, or its compiler "
                                   "was kind; a next one may not be.",
                                   "where|kernel|wrong|of");
    lab_work work = r->work;
    for (int there = 0; there < 2; there++) {
        const char *const where = there ? "model" : lab_facts(r->work.dev)->where;
        work.dev = there ? r->work.dev->twin : r->work.dev;
        run_historic(&work, "reduce/historic.cl", r, table, where);
        run_historic(&work, "reduce/06-last-warp.cl", r, table, where);
    }
    lab_counts unwanted;
    lab_model_counts(work.dev->gpu, &unwanted);
    lab_show_section(l, table);
    lab_code_kernel(lab_code(l->experiment, "The historic form", NULL), "reduce/historic.cl");
}

/* --- 6. all of it ------------------------------------------------------------------------------------------------- */

static void fill(reducing *r)
{
    uint32_t x = 2463534242u;
    for (uint32_t i = 0; i < r->work.n; i++) {
        x ^= x << 13, x ^= x >> 17, x ^= x << 5; /* Marsaglia's xorshift */
        r->host[i] = x;
        r->sum += x;
    }
}

static void run(lab *l)
{
    reducing r = {.by_host = 1};
    r.work = (lab_work){
        .dev = l->dev, .n = (uint32_t)lab_size(l, (size_t)1 << 28, (size_t)1 << 22, (size_t)1 << 22), .context = &r};
    const size_t bytes = r.work.n * sizeof(uint32_t);
    r.host = tool_alloc(bytes > 2 * ITEMS * sizeof(uint32_t) ? bytes : 2 * ITEMS * sizeof(uint32_t));
    r.copy = tool_alloc(bytes);
    fill(&r);
    allocate(&r.work);
    lab_upload(l->dev, r.work.in, r.host, bytes);
    r.cub = lab_peer_open(l->dev);
    lab_climb(l, &ladder, &r.work);
    count_as_lectures(l, &r);
    finish(l, &r);
    show_historic(l, &r);
    lab_peer_close(r.cub);
    release(&r.work);
    free(r.copy);
    free(r.host);
}

const lab_experiment lab_reduce = {.name = "reduce",
                                   .title = "Reduction",
                                   .summary = "the sum of an array: from log n launches to the speed of memory",
                                   .about = "A reduction combines all elements into one: n - 1 additions that form a "
                                            "tree. It reads every element once and computes next to "
                                            "nothing, so that memory sets the limit; what keeps a kernel from it are "
                                            "warps that idle, branches that part, banks that "
                                            "conflict, barriers, and too few bytes under way.",
                                   .on_model = true,
                                   .run = run};
