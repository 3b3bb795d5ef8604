/* The key at a place of the order, on an accelerator: the ways, their memory and their launches.  What kernels tell each
 * other, the keys between the bounds, and copies of the host's arrays lie in g->top, one behind the other. */
#include "base/error.h"
#include "base/memory.h"
#include "cores/merge.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/top/top.h"
#include "gpu/ways.h"

enum {
    LEAST_SIFTED = 1 << 15, /* keys; fewer are read again and again out of a cache */
    DEVIATIONS =
        4, /* so many standard deviations a bound is away from where the key is to be expected in the sample, */
    LEAST_AWAY = 4, /* ... and so many samples more */
    ROOM = 2,       /* room for so many times the keys that are expected between the bounds */
    MOST_GROUPS = 1 << 12,
    WORDS = 6, /* of nth.cl: what launches tell each other, */
    WORDS_A_DIGIT = 2 + 256
};
#define MOST_BETWEEN (UINT64_C(1) << 31) /* they are counted in 32 bits, */
#define MOST_A_GROUP (UINT64_C(1) << 31) /* ... and so are those that a work-group sees */

/* --- sizes -------------------------------------------------------------------------------------------------------- */

/* The bounds, as numbers of samples in the order; there is none where the number is not less than that of samples. */
typedef struct numbers {
    uint64_t low, high, between; /* between: samples */
} numbers;

static numbers numbers_of(const opi_job *job)
{
    const uint64_t samples = opi_top_samples(job), stride = job->task->n / samples;
    const uint64_t expected = opi_smaller(job->task->top.k / stride, samples - 1);
    const uint64_t away =
        DEVIATIONS * (opi_square_root(expected * (samples - expected) / samples + 1) + 1) + LEAST_AWAY;
    const uint64_t low = expected < away ? samples : expected - away, high = expected + away;
    return (numbers){low, high, opi_smaller(high, samples) - (low < samples ? low : 0) + 1};
}

static uint64_t room_of(const opi_job *job)
{
    const uint64_t n = job->task->n;
    return opi_smaller(n, ROOM * numbers_of(job).between * (n / opi_top_samples(job) + 1));
}

/* --- memory ------------------------------------------------------------------------------------------------------- */

/* Where things begin in g->top, in bytes. */
typedef struct places {
    size_t told, keys, bytes;
} places;

static places places_of(const opi_job *job, uint64_t room)
{
    places p = {.bytes = ((const opi_top_job *)job)->copied};
    p.told = opi_top_place(&p.bytes, WORDS + 2 + WORDS_A_DIGIT * opi_top_key_bytes(job), sizeof(uint64_t));
    p.keys = opi_top_place(&p.bytes, room, opi_top_word_bytes(job));
    return p;
}

static opi_gpu_argument there(const opi_job *job, size_t place) { return opi_memory((char *)job->g->top.mem + place); }

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_job *const job = context;
    opi_top_write_source(source, job, sizeof(uint32_t) /* of top.cl alone */, false);
    opi_gpu_write_kernels(source, "nth");
    opi_gpu_write_kernels(source, "nth_kernels");
}

static oplus_status get_program(opi_job *job)
{
    job->shape = opi_shape_for(&job->g->gpu->facts, opi_top_key_bytes(job), opi_top_word_bytes(job));
    opi_key key = opi_key_begin("nth", job->shape);
    opi_key_number(&key, opi_top_key_bytes(job) << 1 | (job->deal != NULL));
    return opi_program_get(&job->g->programs, job->call, "the nth", key.hash, write_source, job, &job->program);
}

/* Gets the program, makes the kernels of a way ready, and reserves its memory. */
static oplus_status prepare(opi_job *job, size_t count, uint64_t room)
{
    static const char *const kernels[] = {"opi_nth_begin", "opi_nth_count", "opi_nth_give", "opi_nth_sample",
                                          "opi_nth_sift"};
    OPI_TRY(get_program(job));
    OPI_TRY(opi_kernels_make(&job->g->programs, job->call, job->program, kernels, count));
    return opi_gpu_reserve(job->g, job->call, &job->g->top, places_of(job, room).bytes);
}
enum { OF_DIGITS = 3, OF_SIFT = 5 };

/* --- launches ----------------------------------------------------------------------------------------------------- */

static uint64_t groups_for(const opi_job *job, uint64_t n)
{
    const uint64_t rounds = (n - 1) / opi_tile(job->shape) + 1,
                   most = opi_smaller((uint64_t)OPI_TOP_RESIDENTS * job->g->gpu->facts.units, MOST_GROUPS);
    return opi_smaller(rounds, opi_larger(most, n / MOST_A_GROUP + 1));
}

/* What most kernels are told.  Arguments refer to these values, which must live until the launch. */
typedef struct call {
    opi_job *job;
    const opi_part *part;
    places at;
    opi_key_order order;
    uint64_t n, k, room;
} call;

static call call_of(opi_job *job, const opi_part *part, uint64_t room)
{
    return (call){.job = job,
                  .part = part,
                  .at = places_of(job, room),
                  .order = opi_key_order_of(job->task->top.key, job->task->top.order),
                  .n = part->n,
                  .k = job->task->top.k,
                  .room = room};
}

static void add_order(opi_arguments *a, const call *c)
{
    opi_add(a, opi_value(c->order.float_mask));
    opi_add(a, opi_value(c->order.flip));
}

static void add_keys(opi_arguments *a, const call *c, const uint64_t *second)
{
    opi_add(a, opi_memory(c->part->address[OPI_IN]));
    opi_add(a, opi_value(*second));
    add_order(a, c);
}

static oplus_status launch(const call *c, const char *kernel, uint64_t groups, opi_arguments *a)
{
    opi_add(a, there(c->job, c->at.told));
    return opi_gpu_launch_early(c->job, kernel, groups, a->list, a->count);
}

static oplus_status begin(const call *c)
{
    opi_arguments a = {.count = 0};
    return launch(c, "opi_nth_begin", 1, &a);
}

static oplus_status sample(const call *c)
{
    const uint64_t stride = c->n / opi_top_samples(c->job);
    const numbers of = numbers_of(c->job);
    opi_arguments a = {.count = 0};
    add_keys(&a, c, &stride);
    opi_add(&a, opi_value(of.low));
    opi_add(&a, opi_value(of.high));
    return launch(c, "opi_nth_sample", 1, &a);
}

static oplus_status sift(const call *c)
{
    opi_arguments a = {.count = 0};
    add_keys(&a, c, &c->n);
    opi_add(&a, there(c->job, c->at.keys));
    opi_add(&a, opi_value(c->room));
    return launch(c, "opi_nth_sift", groups_for(c->job, c->n), &a);
}

static oplus_status find(const call *c)
{
    opi_arguments a = {.count = 0};
    for (uint32_t digit = 0; digit < opi_top_key_bytes(c->job); digit++) {
        opi_arguments count = {.count = 0};
        add_keys(&count, c, &c->n);
        opi_add(&count, there(c->job, c->at.keys));
        opi_add(&count, opi_value(c->room));
        opi_add(&count, opi_value(c->k));
        opi_add(&count, opi_value(digit));
        OPI_TRY(launch(c, "opi_nth_count", groups_for(c->job, c->n), &count));
    }
    add_order(&a, c);
    opi_add(&a, opi_value(c->room));
    opi_add(&a, opi_value(c->k));
    opi_add(&a, opi_memory(c->part->address[OPI_NTH_OUT]));
    return launch(c, "opi_nth_give", 1, &a);
}

/* --- the ways ----------------------------------------------------------------------------------------------------- */

oplus_status opi_nth_digits_prepare(opi_job *job, uint64_t n)
{
    (void)n;
    return prepare(job, OF_DIGITS, 0);
}

oplus_status opi_nth_digits_run(opi_job *job, const opi_part *part)
{
    const call c = call_of(job, part, 0);
    OPI_TRY(begin(&c));
    return find(&c);
}

bool opi_nth_sift_can(const opi_job *job, uint64_t n)
{
    return n >= LEAST_SIFTED && opi_top_key_bytes(job) > 1 && room_of(job) <= MOST_BETWEEN;
}

oplus_status opi_nth_sift_prepare(opi_job *job, uint64_t n)
{
    (void)n;
    return prepare(job, OF_SIFT, room_of(job));
}

oplus_status opi_nth_sift_run(opi_job *job, const opi_part *part)
{
    const call c = call_of(job, part, room_of(job));
    OPI_TRY(begin(&c));
    OPI_TRY(sample(&c));
    OPI_TRY(sift(&c));
    return find(&c);
}

/* --- an nth that is dealt out ------------------------------------------------------------------------------------- */

/* Rounds, which are dealt out, are no larger than a page. */
bool opi_nth_deals(opi_job *job)
{
    const opi_shape shape = opi_shape_for(&job->g->gpu->facts, opi_top_key_bytes(job), opi_top_word_bytes(job));
    return opi_nth_sift_can(job, job->task->n) && opi_tile(shape) * opi_top_key_bytes(job) <= job->deal->page;
}

oplus_status opi_nth_prepare_dealt(opi_job *job)
{
    static const char *const kernels[] = {"opi_nth_sift", "opi_nth_append", "opi_nth_add"};
    static const char *const home[] = {"opi_nth_begin", "opi_nth_sample", "opi_nth_count", "opi_nth_give"};
    const bool is_home = job->deal->own == 0;
    opi_programs *const programs = &job->g->programs;
    opi_top_dealt d;
    OPI_TRY(opi_top_begin_dealt(job, get_program, &d));
    OPI_TRY(opi_kernels_make(programs, job->call, d.of.job.program, kernels, is_home ? 3 : 1));
    OPI_TRY(opi_kernels_make(programs, job->call, d.alone.job.program, home, is_home ? 4 : 1));
    return opi_deal_reserve(job->deal, job->call, &job->g->top, places_of(&d.of.job, room_of(job)).bytes);
}

oplus_status opi_nth_sample_dealt(opi_job *job)
{
    opi_top_dealt d;
    OPI_TRY(opi_top_begin_dealt(job, get_program, &d));
    const call c = call_of(&d.alone.job, &d.part, room_of(job));
    OPI_TRY(begin(&c));
    return job->deal->own == 0 ? sample(&c) : OPLUS_OK;
}

oplus_status opi_nth_sift_dealt(opi_job *job)
{
    opi_top_dealt d;
    opi_dealt dealt = {.epoch = 0};
    opi_arguments a = {.count = 0};
    OPI_TRY(opi_top_begin_dealt(job, get_program, &d));
    const call c = call_of(&d.of.job, &d.part, room_of(job));
    const uint64_t round = opi_tile(d.of.job.shape), rounds = (c.n - 1) / round + 1;
    const uint64_t own = opi_deal_items(job->deal, rounds, round * opi_top_key_bytes(job), &dealt);
    if (own == 0) return OPLUS_OK;
    add_keys(&a, &c, &c.n);
    opi_add(&a, there(job, c.at.keys));
    opi_add(&a, opi_value(c.room));
    opi_add(&a, there(job, c.at.told));
    opi_add(&a, opi_memory((char *)job->deal->all[0]->top.mem + c.at.told));
    opi_add(&a, opi_value(own));
    opi_add(&a, opi_value(dealt));
    return opi_gpu_launch(&d.of.job, "opi_nth_sift", groups_for(&d.of.job, own * round), a.list, a.count);
}

/* Appends what accelerator w has found to what this one has. */
static oplus_status append(const call *c, const opi_accelerator *from)
{
    char *const other = from->top.mem;
    opi_arguments a = {.count = 0}, sum = {.count = 0};
    opi_add(&a, opi_memory(other + c->at.keys));
    opi_add(&a, opi_memory(other + c->at.told));
    opi_add(&a, there(c->job, c->at.keys));
    opi_add(&a, opi_value(c->room));
    opi_add(&a, there(c->job, c->at.told));
    OPI_TRY(opi_gpu_launch(c->job, "opi_nth_append", groups_for(c->job, c->room), a.list, a.count));
    opi_add(&sum, opi_memory(other + c->at.told));
    opi_add(&sum, opi_value(c->room));
    opi_add(&sum, there(c->job, c->at.told));
    return opi_gpu_launch(c->job, "opi_nth_add", 1, sum.list, sum.count);
}

oplus_status opi_nth_join_dealt(opi_job *job)
{
    opi_top_dealt d;
    if (job->deal->own != 0) return OPLUS_OK;
    OPI_TRY(opi_top_begin_dealt(job, get_program, &d));
    const call c = call_of(&d.of.job, &d.part, room_of(job)), alone = call_of(&d.alone.job, &d.part, room_of(job));
    for (unsigned w = 1; w < job->deal->workers; w++) OPI_TRY(append(&c, job->deal->all[w]));
    OPI_TRY(find(&alone));
    if (d.sides.is_device) return OPLUS_OK;
    return opi_gpu_settle(job->g, job->call, opi_top_take_results(job, &d.sides, &d.part));
}
