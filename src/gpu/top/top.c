/* The k first keys in an order, on an accelerator: the ways, their memory and their launches.  What kernels tell each
 * other, candidates, and copies of the host's arrays lie in g->top, one behind the other. */
#include "gpu/top/top.h"

#include "base/error.h"
#include "base/memory.h"
#include "cores/merge.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/ways.h"
#include "task/make.h"

enum {
    MOST = 1 << 13,         /* of more, `rank` would take longer than a sort; and see OPI_MANY of top.cl */
    LEAST_SIFTED = 1 << 15, /* keys; fewer are read again and again out of a cache */
    LEAST_SHARE = 16,       /* no more than a 16th of the samples may be within the bound */
    MOST_DRAWS = 64,        /* of a sample, */
    LEAST_DRAWN = 64,       /* ... of so many keys each */
    LOADS = 8,              /* of top.cl: keys that a work-item draws */
    ROOM_A_CANDIDATE = 5,   /* room for so many times the candidates that are expected */
    MOST_GROUPS = 1 << 12,
    WORDS = 4, /* of top.cl: what launches tell each other, */
    WORDS_A_DIGIT = 4,
    RADIX = 256 /* ... and the counts of a digit, half a word each */
};
#define MOST_CANDIDATES (UINT64_C(1) << 31) /* they are counted in 32 bits */

/* --- sizes -------------------------------------------------------------------------------------------------------- */

static size_t spot_bytes(const opi_job *job) { return job->task->n - 1 > UINT32_MAX ? 8 : 4; }

/* The bytes of a place that differ. */
static uint32_t spot_digits(const opi_job *job)
{
    uint32_t digits = 1;
    for (uint64_t last = job->task->n - 1; last > UINT8_MAX; last >>= 8) digits++;
    return digits;
}

static uint32_t digits_of(const opi_job *job) { return (uint32_t)opi_top_key_bytes(job) + spot_digits(job); }

/* Of how many keys a sample is the first in the order: the more, the fewer candidates there are.  A power of two. */
static uint32_t draws_of(const opi_job *job)
{
    const uint64_t stride = job->task->n / opi_top_samples(job);
    uint32_t draws = 1;
    while (draws < MOST_DRAWS && stride / (2 * draws) >= LEAST_DRAWN) draws *= 2;
    return draws;
}

/* Keys for each that is drawn. */
static uint64_t drawn_stride(const opi_job *job) { return job->task->n / (opi_top_samples(job) * draws_of(job)); }

/* Which sample is the bound: one that hardly ever comes before the last of the first k.  Of all that are drawn, at least as
 * many are not behind it. */
static uint64_t wanted_sample(const opi_job *job)
{
    const uint64_t k = job->task->top.k, stride = drawn_stride(job);
    const uint64_t expected = k / stride + 1;
    return expected + 3 + 5 * opi_square_root(expected + 1);
}

/* If the keys are sorted, say, the candidates are whole strides of samples. */
static uint64_t room_of(const opi_job *job)
{
    const uint64_t n = job->task->n, stride = n / opi_top_samples(job);
    return opi_smaller(n, ROOM_A_CANDIDATE * wanted_sample(job) * (stride + 1));
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Where things begin in g->top, in bytes. */
typedef struct places {
    size_t told, keys, spots, picked_keys, picked_spots, sorted, bytes;
} places;

/* room: of candidates; sorted: how many places are sorted. */
static places places_of(const opi_job *job, uint64_t room, uint64_t sorted)
{
    const uint64_t k = sorted ? 0 : job->task->top.k, digits = digits_of(job);
    places p = {.bytes = ((const opi_top_job *)job)->copied};
    p.told = opi_top_place(&p.bytes, WORDS + WORDS_A_DIGIT * (digits + 1) + RADIX / 2 * digits, sizeof(uint64_t));
    p.keys = opi_top_place(&p.bytes, opi_larger(room, room ? opi_top_samples(job) : 0), opi_top_word_bytes(job));
    p.spots = opi_top_place(&p.bytes, room, spot_bytes(job));
    p.picked_keys = opi_top_place(&p.bytes, k, opi_top_word_bytes(job));
    p.picked_spots = opi_top_place(&p.bytes, k, spot_bytes(job));
    p.sorted = opi_top_place(&p.bytes, sorted, spot_bytes(job));
    return p;
}

static opi_gpu_argument there(const opi_job *job, size_t place) { return opi_memory((char *)job->g->top.mem + place); }

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    opi_top_write_source(source, job, spot_bytes(job), true);
    opi_gpu_write_kernels(source, "top_kernels");
}

static oplus_status get_program(opi_job *job)
{
    job->shape = opi_shape_for(&job->g->gpu->facts, opi_top_key_bytes(job), opi_top_word_bytes(job) + spot_bytes(job));
    opi_key key = opi_key_begin("top", job->shape);
    opi_key_number(&key, opi_top_key_bytes(job));
    opi_key_number(&key, spot_bytes(job) << 1 | (job->deal != NULL));
    return opi_program_get(&job->g->programs, job->call, "the top", key.hash, write_source, job, &job->program);
}

/* Gets the program, makes the kernels of a way ready, and reserves its memory. */
static oplus_status prepare(opi_job *job, const char *const *kernels, size_t count, size_t bytes)
{
    OPI_TRY(get_program(job));
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, job->program, kernels, count));
    return opi_gpu_reserve(job->g, job->call, &job->g->top, bytes);
}

/* --- launches ----------------------------------------------------------------------------------------------------- */

static uint64_t groups_for(const opi_job *job, uint64_t n)
{
    const uint64_t rounds = (n - 1) / opi_tile(job->shape) + 1,
                   most = (uint64_t)OPI_TOP_RESIDENTS * job->g->gpu->facts.units;
    return opi_smaller(rounds, opi_smaller(most, MOST_GROUPS));
}

/* What most kernels are told.  Arguments refer to these values, which must live until the launch. */
typedef struct call {
    opi_job *job;
    const opi_part *part;
    places at;
    opi_key_order order;
    uint64_t n, k, room;
    uint32_t spots, digits, index;
} call;

static call call_of(opi_job *job, const opi_part *part, uint64_t room, uint64_t sorted)
{
    return (call){.job = job,
                  .part = part,
                  .at = places_of(job, room, sorted),
                  .order = opi_key_order_of(job->task->top.key, job->task->top.order),
                  .n = part->n,
                  .k = job->task->top.k,
                  .room = room,
                  .spots = spot_digits(job),
                  .digits = digits_of(job),
                  .index = (uint32_t)job->task->array[OPI_TOP_INDICES].size};
}

static void add_keys(opi_arguments *a, const call *c, const uint64_t *second)
{
    opi_add(a, opi_memory(c->part->address[OPI_IN]));
    opi_add(a, opi_value(*second));
    opi_add(a, opi_value(c->order.float_mask));
    opi_add(a, opi_value(c->order.flip));
}

static void add_source(opi_arguments *a, const call *c)
{
    add_keys(a, c, &c->n);
    opi_add(a, there(c->job, c->at.keys));
    opi_add(a, there(c->job, c->at.spots));
    opi_add(a, opi_value(c->room));
    opi_add(a, opi_value(c->k));
    opi_add(a, opi_value(c->spots));
}

static oplus_status launch(const call *c, const char *kernel, uint64_t groups, opi_arguments *a)
{
    opi_add(a, opi_value(c->digits));
    opi_add(a, there(c->job, c->at.told));
    return opi_gpu_launch_early(c->job, kernel, groups, a->list, a->count);
}

static oplus_status begin(const call *c)
{
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_value(c->k));
    return launch(c, "opi_top_begin", 1, &a);
}

/* Samples lie where the candidates will. */
static oplus_status draw(const call *c)
{
    const unsigned log_w = c->job->shape.log_w;
    const uint64_t stride = drawn_stride(c->job);
    /* The work-items of a sample are of one work-group. */
    const uint32_t draws = draws_of(c->job), wanted = draws / LOADS;
    const uint32_t mates = wanted > 1 && wanted >> log_w == 0 ? wanted : 1, each = draws / mates;
    opi_arguments a = {.count = 0};
    add_keys(&a, c, &stride);
    opi_add(&a, opi_value(each));
    opi_add(&a, opi_value(mates));
    opi_add(&a, there(c->job, c->at.keys));
    return opi_gpu_launch_early(c->job, "opi_top_draw", ((opi_top_samples(c->job) * mates - 1) >> log_w) + 1, a.list,
                                a.count);
}

static oplus_status sample(const call *c)
{
    const uint64_t stride = c->n / opi_top_samples(c->job), wanted = wanted_sample(c->job);
    opi_arguments a = {.count = 0};
    OPI_TRY(draw(c));
    opi_add(&a, there(c->job, c->at.keys));
    opi_add(&a, opi_value(stride));
    opi_add(&a, opi_value(wanted));
    return launch(c, "opi_top_sample", 1, &a);
}

static oplus_status sift(const call *c)
{
    opi_arguments a = {.count = 0};
    add_keys(&a, c, &c->n);
    opi_add(&a, there(c->job, c->at.keys));
    opi_add(&a, there(c->job, c->at.spots));
    opi_add(&a, opi_value(c->room));
    return launch(c, "opi_top_sift", groups_for(c->job, c->n), &a);
}

static oplus_status pick(const call *c)
{
    const uint64_t groups = groups_for(c->job, c->n);
    opi_arguments a = {.count = 0};
    for (uint32_t digit = 0; digit < c->digits; digit++) {
        opi_arguments count = {.count = 0};
        add_source(&count, c);
        opi_add(&count, opi_value(digit));
        OPI_TRY(launch(c, "opi_top_count", groups, &count));
    }
    add_source(&a, c);
    opi_add(&a, there(c->job, c->at.picked_keys));
    opi_add(&a, there(c->job, c->at.picked_spots));
    return launch(c, "opi_top_pick", groups, &a);
}

/* Launches the kernel that writes the results; `groups` work-groups. */
static oplus_status write_results(const call *c, const char *kernel, uint64_t groups, opi_arguments *a)
{
    opi_add(a, opi_value(c->k));
    opi_add(a, opi_memory(c->part->address[OPI_IN]));
    opi_add(a, opi_memory(c->part->address[OPI_TOP_OUT]));
    opi_add(a, opi_memory(c->part->address[OPI_TOP_INDICES]));
    opi_add(a, opi_value(c->index));
    return opi_gpu_launch_early(c->job, kernel, groups, a->list, a->count);
}

static oplus_status rank(const call *c)
{
    opi_arguments a = {.count = 0};
    opi_add(&a, there(c->job, c->at.picked_keys));
    opi_add(&a, there(c->job, c->at.picked_spots));
    return write_results(c, "opi_top_rank", ((c->k - 1) >> c->job->shape.log_w) + 1, &a);
}

/* --- the ways ----------------------------------------------------------------------------------------------------- */

static const char *const kernels[] = {"opi_top_begin", "opi_top_count",  "opi_top_pick", "opi_top_rank",
                                      "opi_top_draw",  "opi_top_sample", "opi_top_sift"};
enum { OF_DIGITS = 4, OF_SAMPLES = 6, OF_SIFT = 7 };

bool opi_top_digits_can(const opi_job *job, uint64_t n)
{
    (void)n;
    return job->task->top.k <= MOST;
}

oplus_status opi_top_digits_prepare(opi_job *job, uint64_t n)
{
    (void)n;
    return prepare(job, kernels, OF_DIGITS, places_of(job, 0, 0).bytes);
}

oplus_status opi_top_digits_run(opi_job *job, const opi_part *part)
{
    const call c = call_of(job, part, 0, 0);
    OPI_TRY(begin(&c));
    OPI_TRY(pick(&c));
    return rank(&c);
}

bool opi_top_sift_can(const opi_job *job, uint64_t n)
{
    return job->task->top.k <= MOST && n >= LEAST_SIFTED && wanted_sample(job) <= opi_top_samples(job) / LEAST_SHARE &&
           room_of(job) <= MOST_CANDIDATES;
}

oplus_status opi_top_sift_prepare(opi_job *job, uint64_t n)
{
    (void)n;
    return prepare(job, kernels, OF_SIFT, places_of(job, room_of(job), 0).bytes);
}

oplus_status opi_top_sift_run(opi_job *job, const opi_part *part)
{
    const call c = call_of(job, part, room_of(job), 0);
    OPI_TRY(begin(&c));
    OPI_TRY(sample(&c));
    OPI_TRY(sift(&c));
    OPI_TRY(pick(&c));
    return rank(&c);
}

oplus_status opi_top_argsort_prepare(opi_job *job, uint64_t n)
{
    static const char *const give[] = {"opi_top_give"};
    return prepare(job, give, 1, places_of(job, 0, n).bytes);
}

oplus_status opi_top_argsort_run(opi_job *job, const opi_part *part)
{
    opi_task sort;
    opi_job sorting = {.g = job->g, .call = job->call, .task = &sort};
    opi_arguments a = {.count = 0};
    const call c = call_of(job, part, 0, part->n);
    opi_task_argsort(&sort, job->task->top.key, job->task->top.order, part->address[OPI_IN], part->n,
                     spot_bytes(job) == 8 ? &oplus_u64 : &oplus_u32, (char *)job->g->top.mem + c.at.sorted);
    OPI_TRY(opi_gpu_sort(&sorting));
    opi_add(&a, there(job, c.at.sorted));
    return write_results(&c, "opi_top_give", (c.k - 1) / opi_tile(job->shape) + 1, &a);
}

/* --- a top that is dealt out ------------------------------------------------------------------------------------- */

/* Rounds, which are dealt out, are no larger than a page. */
bool opi_top_deals(opi_job *job)
{
    const opi_shape shape =
        opi_shape_for(&job->g->gpu->facts, opi_top_key_bytes(job), opi_top_word_bytes(job) + spot_bytes(job));
    return opi_top_sift_can(job, job->task->n) && opi_tile(shape) * opi_top_key_bytes(job) <= job->deal->page;
}

oplus_status opi_top_prepare_dealt(opi_job *job)
{
    static const char *const own[] = {"opi_top_sift", "opi_top_append", "opi_top_add"};
    const bool is_home = job->deal->own == 0;
    opi_programs *const programs = &job->g->programs;
    opi_top_dealt d;
    OPI_TRY(opi_top_begin_dealt(job, get_program, &d));
    OPI_TRY(opi_kernels_make(programs, job->call, d.of.job.program, own, is_home ? 3 : 1));
    OPI_TRY(opi_kernels_make(programs, job->call, d.alone.job.program, kernels, is_home ? OF_SAMPLES : 1));
    return opi_deal_reserve(job->deal, job->call, &job->g->top, places_of(&d.of.job, room_of(job), 0).bytes);
}

oplus_status opi_top_sample_dealt(opi_job *job)
{
    opi_top_dealt d;
    OPI_TRY(opi_top_begin_dealt(job, get_program, &d));
    const call c = call_of(&d.alone.job, &d.part, room_of(job), 0);
    OPI_TRY(begin(&c));
    return job->deal->own == 0 ? sample(&c) : OPLUS_OK;
}

oplus_status opi_top_sift_dealt(opi_job *job)
{
    opi_top_dealt d;
    opi_dealt dealt = {.epoch = 0};
    opi_arguments a = {.count = 0};
    OPI_TRY(opi_top_begin_dealt(job, get_program, &d));
    const call c = call_of(&d.of.job, &d.part, room_of(job), 0);
    const uint64_t round = opi_tile(d.of.job.shape), rounds = (c.n - 1) / round + 1;
    const uint64_t own = opi_deal_items(job->deal, rounds, round * opi_top_key_bytes(job), &dealt);
    if (own == 0) return OPLUS_OK;
    add_keys(&a, &c, &c.n);
    opi_add(&a, there(job, c.at.keys));
    opi_add(&a, there(job, c.at.spots));
    opi_add(&a, opi_value(c.room));
    opi_add(&a, opi_value(c.digits));
    opi_add(&a, there(job, c.at.told));
    opi_add(&a, opi_memory((char *)job->deal->all[0]->top.mem + c.at.told));
    opi_add(&a, opi_value(own));
    opi_add(&a, opi_value(dealt));
    return opi_gpu_launch(&d.of.job, "opi_top_sift", groups_for(&d.of.job, own * round), a.list, a.count);
}

/* Appends what accelerator w has found to what this one has. */
static oplus_status append(const call *c, const opi_accelerator *from)
{
    char *const other = from->top.mem;
    opi_arguments a = {.count = 0}, sum = {.count = 0};
    opi_add(&a, opi_memory(other + c->at.keys));
    opi_add(&a, opi_memory(other + c->at.spots));
    opi_add(&a, opi_memory(other + c->at.told));
    opi_add(&a, there(c->job, c->at.keys));
    opi_add(&a, there(c->job, c->at.spots));
    opi_add(&a, opi_value(c->room));
    opi_add(&a, there(c->job, c->at.told));
    OPI_TRY(opi_gpu_launch(c->job, "opi_top_append", groups_for(c->job, c->room), a.list, a.count));
    opi_add(&sum, opi_memory(other + c->at.told));
    opi_add(&sum, opi_value(c->room));
    opi_add(&sum, there(c->job, c->at.told));
    return opi_gpu_launch(c->job, "opi_top_add", 1, sum.list, sum.count);
}

oplus_status opi_top_join_dealt(opi_job *job)
{
    opi_top_dealt d;
    if (job->deal->own != 0) return OPLUS_OK;
    OPI_TRY(opi_top_begin_dealt(job, get_program, &d));
    const call c = call_of(&d.of.job, &d.part, room_of(job), 0),
               alone = call_of(&d.alone.job, &d.part, room_of(job), 0);
    for (unsigned w = 1; w < job->deal->workers; w++) OPI_TRY(append(&c, job->deal->all[w]));
    OPI_TRY(pick(&alone));
    OPI_TRY(rank(&alone));
    if (d.sides.is_device) return OPLUS_OK;
    return opi_gpu_settle(job->g, job->call, opi_top_take_results(job, &d.sides, &d.part));
}
