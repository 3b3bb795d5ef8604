#include "gpu/sort/digits.h"

#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/segreduce/offsets.h"
#include "gpu/shared.h"
#include "gpu/sort/passes.h"

/* How the kernels are cut: measured on an H200. */
enum {
    ARCHITECTURE = 80, /* the first that adds up a warp in one instruction */
    DIGITS_W = 512,
    DIGITS_GROUPS = 2, /* of a multiprocessor */
    CROWD = 8,         /* keys of a warp with one digit, above which votes are faster than additions */
    FEW_V = 8,         /* keys of a work-item if there are few tiles */
    SMALL_V = 2,       /* where one group sorts, and has so few */
    FEW_TILES = 4,     /* so many large ones for each multiprocessor */
    WORK_BYTES = 24 << 10,
    PORTIONS = 4 /* from so many on a pass is several launches: a tile tells 30 bits */
};

#define PATIENCE UINT64_C(20000000000) /* cycles that a group waits before it gives up: some ten seconds */

/* --- sizes --------------------------------------------------------------------------------------------------------- */

/* Keys of a work-item. */
static unsigned each_of(const opi_sorting *s)
{
    if (s->payload == 0) return s->key <= 4 ? 24 : 16;
    return s->key <= 4 && s->payload <= 4 ? 16 : 8;
}

/* Whether one group sorts all. */
static bool is_one(uint64_t n) { return n <= DIGITS_W * FEW_V; }

/* Keys of a work-item of that group. */
static unsigned each_of_one(uint64_t n) { return n <= DIGITS_W * SMALL_V ? SMALL_V : FEW_V; }

/* Whether there are few tiles. */
static bool is_few(const opi_sorting *s, uint64_t n)
{
    return n < (uint64_t)FEW_TILES * s->job.g->gpu->facts.units * DIGITS_W * each_of(s);
}

static bool is_wide(uint64_t n) { return n >= PORTIONS * opi_sort_portion(); }

/* How the tiles of a pass are dealt to its launches: each but the last one has `tiles`. */
typedef struct cut {
    uint32_t all, tiles, portions;
} cut;

static cut cut_of(const opi_sorting *s, uint64_t n)
{
    const uint64_t tile = DIGITS_W * (uint64_t)(is_few(s, n) ? FEW_V : each_of(s)), all = (n + tile - 1) / tile;
    const uint64_t most = is_wide(n) ? opi_larger(opi_sort_portion() / tile, 1) : all;
    const uint64_t tiles = (all + (all + most - 1) / most - 1) / ((all + most - 1) / most); /* as even as can be */
    return (cut){(uint32_t)all, (uint32_t)tiles, (uint32_t)((all + tiles - 1) / tiles)};
}

/* Shared memory of a group: as opi_digits_tile of digits_tile.cl, or more. */
static size_t local_bytes(const opi_sorting *s, unsigned each, bool wide)
{
    const size_t tile = (size_t)DIGITS_W * each, words = DIGITS_W / 32 + (wide ? 2 : 1); /* for each digit */
    return tile * (s->key + s->payload + (s->payload ? 2 : 0)) + words * OPI_DIGITS * 4 + 256;
}

/* --- the program --------------------------------------------------------------------------------------------------- */

/* The bits of each digit: all, unless a sort by some bits has fewer.  Else the last digit of such a sort has some bits of the
 * one before, by which keys are in order already. */
static unsigned mask_of(const opi_sorting *s) { return (1u << opi_smaller(OPI_DIGIT_BITS, s->high - s->low)) - 1; }

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_sorting *const s = context;
    opi_gpu_write_shape(source, s->job.shape, s->key);
    opi_gpu_define(source, "OPI_KEY_SIZE", s->key);
    opi_gpu_define(source, "OPI_VALUE_SIZE", s->payload);
    opi_gpu_define(source, "OPI_VALUE_UNIT", s->indexed ? s->payload : s->unit);
    opi_gpu_define(source, "OPI_INDEXED", s->indexed);
    opi_gpu_define(source, "OPI_FAR_UNIT", s->unit);
    opi_gpu_define(source, "OPI_LIMITED", s->limited);
    opi_gpu_define(source, "OPI_WIDE", s->wide);
    opi_gpu_define(source, "OPI_DIGIT_MASK", mask_of(s));
    opi_gpu_define(source, "OPI_DIGITS_W", DIGITS_W);
    opi_gpu_define(source, "OPI_DIGITS_GROUPS", DIGITS_GROUPS);
    opi_gpu_define(source, "OPI_DIGITS_V", each_of(s));
    opi_gpu_define(source, "OPI_DIGITS_FEW_V", FEW_V);
    opi_gpu_define(source, "OPI_DIGITS_SMALL_V", SMALL_V);
    opi_gpu_define(source, "OPI_DIGITS_LOCAL", local_bytes(s, each_of(s), s->wide));
    opi_gpu_define(source, "OPI_DIGITS_FEW_LOCAL", local_bytes(s, FEW_V, s->wide));
    opi_gpu_define(source, "OPI_DIGITS_BYTES", WORK_BYTES);
    opi_gpu_define(source, "OPI_CROWD", CROWD);
    opi_gpu_define(source, "OPI_PATIENCE", PATIENCE);
    opi_gpu_write_kernels(source, "sums");
    opi_gpu_write_kernels(source, "value");
    opi_gpu_write_kernels(source, "key");
    opi_gpu_write_kernels(source, "sort");
    opi_gpu_write_kernels(source, "key_order");
    opi_gpu_write_kernels(source, "warps");
    opi_gpu_write_kernels(source, "numbers");
    opi_gpu_write_kernels(source, "digits");
    opi_gpu_write_kernels(source, "digits_tile");
    opi_gpu_write_kernels(source, "digits_pass");
    opi_gpu_write_kernels(source, "digits_one");
}

static oplus_status get_program(opi_sorting *s, bool wide)
{
    opi_job *const job = &s->job;
    s->wide = wide;
    opi_key key = opi_key_begin("digits", job->shape);
    opi_key_number(&key, s->key);
    opi_key_number(&key, s->payload);
    opi_key_number(&key, s->unit);
    opi_key_number(&key, (uint64_t)mask_of(s) << 3 | (uint64_t)s->wide << 2 | (uint64_t)s->limited << 1 | s->indexed);
    return opi_program_get(&job->g->programs, job->call, "the sort", key.hash, write_source, s, &job->program);
}

/* The kernel that moves n elements by one digit. */
static const char *pass_of(const opi_sorting *s, uint64_t n)
{
    return is_few(s, n) ? "opi_digits_pass_few" : "opi_digits_pass";
}

static size_t pass_bytes(const opi_sorting *s, uint64_t n)
{
    return local_bytes(s, is_few(s, n) ? FEW_V : each_of(s), is_wide(n));
}

/* --- the way ------------------------------------------------------------------------------------------------------- */

bool opi_digits_can(const opi_job *job, uint64_t n)
{
    const opi_sorting *const s = (const opi_sorting *)job;
    const opi_gpu_facts *const facts = &job->g->gpu->facts;
    const uint64_t most = UINT32_MAX * (uint64_t)opi_units(job->g); /* a group's counts have 32 bits */
    return facts->architecture >= ARCHITECTURE && facts->lanes == 32 && facts->group >= DIGITS_W && n <= most &&
           job->shape.log_w > 0 && facts->local_most >= local_bytes(s, each_of(s), true);
}

static const char *kernel_of_one(uint64_t n)
{
    return each_of_one(n) == SMALL_V ? "opi_digits_one_small" : "opi_digits_one";
}

static oplus_status prepare_one(opi_sorting *s, uint64_t n)
{
    const opi_job *const job = &s->job;
    opi_accelerator *const g = job->g;
    const char *const kernels[] = {kernel_of_one(n), "opi_gather"};
    OPI_TRY(opi_kernels_make(&g->programs, job->call, job->program, kernels, s->indexed ? 2 : 1));
    OPI_TRY(opi_kernel_allow(&g->programs, job->call, job->program, kernels[0], local_bytes(s, each_of_one(n), false)));
    for (int i = 0; i < 2 && !s->direct; i++)
        OPI_TRY(opi_gpu_reserve(g, job->call, &g->array[i], opi_sort_bytes(s, n)));
    return OPLUS_OK;
}

oplus_status opi_digits_prepare(opi_job *job, uint64_t n)
{
    opi_sorting *const s = (opi_sorting *)job;
    opi_accelerator *const g = job->g;
    const size_t bytes = opi_sort_bytes(s, n);
    const char *const kernels[] = {pass_of(s, n), "opi_digits_begin", "opi_digits_count", "opi_digits_end",
                                   "opi_gather"};
    OPI_TRY(get_program(s, is_wide(n)));
    s->swaps = true;
    s->stays = false;
    s->small = is_one(n);
    if (s->small) return prepare_one(s, n);
    OPI_TRY(opi_kernels_make(&g->programs, job->call, job->program, kernels, s->indexed ? 5 : 4));
    OPI_TRY(opi_kernel_allow(&g->programs, job->call, job->program, pass_of(s, n), pass_bytes(s, n)));
    OPI_TRY(opi_fault_reserve(g, job->call));
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->array[0], bytes));
    if (!s->direct) OPI_TRY(opi_gpu_reserve(g, job->call, &g->array[1], bytes));
    return opi_gpu_reserve(g, job->call, &g->work,
                           WORK_BYTES + 2 * (uint64_t)cut_of(s, n).tiles * OPI_DIGITS * sizeof(uint32_t));
}

/* A sort under way. */
typedef struct moving {
    const opi_sorting *s;
    opi_place from, other;
    uint64_t n;
    uint32_t narrow; /* n, where 32 bits are enough for the program */
    uint32_t low, high;
    cut cut;
} moving;

/* n, as the program has it. */
static opi_gpu_argument number_of(const moving *m) { return m->s->wide ? opi_value(m->n) : opi_value(m->narrow); }

/* Launches a kernel, which waits for the launches before it. */
static oplus_status launch(const moving *m, const char *kernel, uint64_t groups, size_t local, const opi_arguments *a)
{
    const opi_launch l = {
        .groups = groups, .items = DIGITS_W, .local = local, .early = true, .argument = a->list, .arguments = a->count};
    return opi_gpu_launch_as(&m->s->job, m->s->job.program, kernel, &l);
}

static oplus_status begin(const moving *m)
{
    const opi_job *const job = &m->s->job;
    const uint64_t groups = opi_smaller((uint64_t)2 * opi_units(job->g), m->cut.all);
    const opi_arguments clear = {.list = {opi_memory(job->g->work.mem), opi_value(m->cut.tiles)}, .count = 2};
    const opi_arguments count = {.list = {opi_memory(m->from.keys), opi_memory(job->g->work.mem), number_of(m),
                                          opi_value(m->s->negative), opi_value(m->s->flip), opi_value(m->low),
                                          opi_value(m->high)},
                                 .count = 7};
    OPI_TRY(launch(m, "opi_digits_begin", groups, 0, &clear));
    return launch(m, "opi_digits_count", groups, 0, &count);
}

static void add_place(opi_arguments *a, opi_place place)
{
    opi_add(a, opi_memory(place.keys));
    opi_add(a, opi_memory(place.values));
}

static oplus_status pass(const moving *m, uint32_t number, uint32_t portion)
{
    const opi_sorting *const s = m->s;
    const uint32_t groups = (uint32_t)opi_smaller(m->cut.all - portion * m->cut.tiles, m->cut.tiles);
    opi_arguments a = {.count = 0};
    add_place(&a, m->from);
    add_place(&a, m->other);
    add_place(&a, s->to);
    opi_add(&a, opi_memory(s->job.g->work.mem));
    opi_add(&a, opi_memory(s->job.g->pipeline.fault.mem));
    opi_add(&a, number_of(m));
    opi_add(&a, opi_value(m->cut.tiles));
    if (s->wide) {
        opi_add(&a, opi_value(portion));
        opi_add(&a, opi_value(m->cut.portions));
    }
    opi_add(&a, opi_value(number));
    opi_add(&a, opi_value(s->negative));
    opi_add(&a, opi_value(s->flip));
    return launch(m, pass_of(s, m->n), groups, pass_bytes(s, m->n), &a);
}

static oplus_status end(const moving *m)
{
    const opi_sorting *const s = m->s;
    opi_arguments a = {.count = 0};
    if (m->other.keys == s->to.keys) return OPLUS_OK;
    add_place(&a, m->other);
    add_place(&a, s->to);
    opi_add(&a, opi_memory(s->job.g->work.mem));
    opi_add(&a, number_of(m));
    return launch(m, "opi_digits_end", (uint64_t)4 * s->job.g->gpu->facts.units, 0, &a);
}

static oplus_status sort_one(const opi_sorting *s, const opi_part *part)
{
    const uint32_t n = (uint32_t)part->n, low = s->low, high = s->high;
    opi_arguments a = {.count = 0};
    add_place(&a, (opi_place){(char *)part->address[OPI_KEYS], (char *)part->address[OPI_VALUES]});
    add_place(&a, s->to);
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_value(s->negative));
    opi_add(&a, opi_value(s->flip));
    opi_add(&a, opi_value(low));
    opi_add(&a, opi_value(high));
    const opi_launch l = {.groups = 1,
                          .items = DIGITS_W,
                          .local = local_bytes(s, each_of_one(n), false),
                          .early = true,
                          .argument = a.list,
                          .arguments = a.count};
    return opi_gpu_launch_as(&s->job, s->job.program, kernel_of_one(n), &l);
}

oplus_status opi_digits_run(opi_job *job, const opi_part *part)
{
    const opi_sorting *const s = (const opi_sorting *)job;
    if (is_one(part->n)) return sort_one(s, part);
    const moving m = {.s = s,
                      .from = {(char *)part->address[OPI_KEYS], (char *)part->address[OPI_VALUES]},
                      .other = opi_sort_scratch(s, part->n, 0),
                      .n = part->n,
                      .narrow = (uint32_t)part->n,
                      .cut = cut_of(s, part->n),
                      .low = s->low,
                      .high = s->high};
    OPI_TRY(opi_pipeline_fault(job->g, job->call));
    OPI_TRY(begin(&m));
    for (uint32_t i = 0; i < opi_sort_passes_of(s); i++)
        for (uint32_t k = 0; k < m.cut.portions; k++) OPI_TRY(pass(&m, i, k));
    return end(&m);
}
