#include "gpu/sort/partition.h"

#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/sort/partition_cut.h"

#include <assert.h>

/* How n keys are dealt. */
typedef struct cut {
    uint32_t bits;   /* of a bucket's number if the keys are even */
    uint32_t low;    /* its bits that the second deal is by; 0: there is none */
    uint32_t wanted; /* buckets that cells share if they are not even: up to 1.4 times as many are made */
    uint32_t most;   /* buckets at most */
    uint32_t sample; /* keys of the sample */
    uint64_t list;   /* entries of each list */
} cut;

/* Digits of the first deal. */
static uint32_t firsts_of(const cut *c) { return ((c->most - 1) >> c->low) + 1; }

static cut cut_of(const opi_job *job, size_t key, uint64_t n)
{
    const uint32_t room = countable(&job->g->gpu->facts, key) - 16;
    cut c = {.bits = 1, .list = n / SORT_MOST + 2};
    while (c.bits < BUCKET_BITS && n > (uint64_t)1 << (c.bits + (c.bits < ONE_BITS ? LOG_SMALL : LOG_BUCKET)) &&
           2u << c.bits <= room)
        c.bits++;
    c.low = c.bits <= ONE_BITS ? 0 : c.bits / 2;
    c.wanted = (uint32_t)opi_smaller(2u << c.bits, c.low == 0 ? ONE_DEAL : room / 3 * 2);
    c.most = (uint32_t)opi_smaller(room, c.wanted / 2 * 3 + 16);
    if (c.most < 1u << c.bits) c.most = 1u << c.bits;
    while (c.low > 0 && firsts_of(&c) > DIGITS) c.low++;
    assert(c.low <= LOW_BITS);
    c.sample = (uint32_t)opi_smaller(opi_larger(c.wanted, 2 * SORT_W / SAMPLE_EACH) * SAMPLE_EACH, SORT_MOST);
    c.sample -= c.sample % SORT_W;
    return c;
}

static partition_size size_of(const opi_job *job, uint64_t n)
{
    if (is_one(n)) return SIZE_ONE;
    return cut_of(job, ((const opi_sorting *)job)->key, n).low == 0 ? SIZE_FEW : SIZE_MANY;
}

/* --- what it can --------------------------------------------------------------------------------------------------- */

bool opi_partition_can(const opi_job *job, uint64_t n)
{
    const opi_sorting *const s = (const opi_sorting *)job;
    const opi_gpu_facts *const facts = &job->g->gpu->facts;
    const size_t least = opi_larger(deal_bytes(8), local_bytes(8, LARGE_W));
    return !s->value && !s->limited && (s->key == 4 || s->key == 8) && n <= KEYS_MOST &&
           facts->architecture >= ARCHITECTURE && facts->resident && facts->lanes == 32 && facts->group >= COUNT_W &&
           facts->local_most >= least;
}

bool opi_partition_deals(const opi_job *job, uint64_t n)
{
    return opi_partition_can(job, n) && opi_partition_suits(job, n) && size_of(job, n) == SIZE_MANY;
}

bool opi_partition_suits(const opi_job *job, uint64_t n)
{
    const bool digits = ((const opi_sorting *)job)->key == 4 && n <= DIGITS_MOST && !is_one(n);
    return n <= FAST_MOST && !digits;
}

/* --- memory -------------------------------------------------------------------------------------------------------- */

/* As opi_lists_of of keys.cl. */
static size_t lists_bytes(uint64_t list, size_t key)
{
    const size_t segment = 16 + 2 * key, counts = 256 * 4, piece = 12, large = 4;
    return list * (2 * segment + counts + PIECES_A_SEGMENT * piece + large) + PIECES_MORE * piece;
}

static oplus_status reserve(opi_job *job, uint64_t n)
{
    opi_accelerator *const g = job->g;
    const opi_sorting *const s = (const opi_sorting *)job;
    if (s->staged) OPI_TRY(opi_gpu_reserve(g, job->call, &g->array[1], n * s->key));
    if (is_one(n)) return OPLUS_OK;
    OPI_TRY(opi_gpu_reserve(g, job->call, &g->array[0], n * s->key));
    return opi_gpu_reserve(g, job->call, &g->work, PARTITION_BYTES + lists_bytes(cut_of(job, s->key, n).list, s->key));
}

oplus_status opi_partition_prepare(opi_job *job, uint64_t n)
{
    opi_program *program;
    OPI_TRY(opi_partition_program(job, size_of(job, n), &program));
    OPI_TRY(opi_partition_allow(job, size_of(job, n), program));
    if (program->residents == 0 && job->deal)
        return opi_fail(OPLUS_ERR_UNSUPPORTED,
                        "%s: %s has no room for groups that wait for others; OPLUS_WAY=one in the environment takes "
                        "another way",
                        job->call, job->g->dev.name);
    if (program->residents == 0) return opi_sort_passes_prepare(job, n);
    if (!is_one(n)) OPI_TRY(opi_fault_reserve(job->g, job->call));
    return reserve(job, n);
}

/* --- run ----------------------------------------------------------------------------------------------------------- */

/* A sort under way. */
typedef struct partition {
    opi_job *job;
    opi_program *program;
    const opi_sorting *s;
    const char *keys; /* where they are */
    char *other, *to; /* scratch memory, and where the result will be */
    uint64_t n;
    cut c;
    opi_dealt dealt; /* of keys that are dealt out: which ones are here */
} partition;

static oplus_status go(const partition *p, const char *kernel, const opi_arguments *a, opi_launch l)
{
    l.argument = a->list;
    l.arguments = a->count;
    return opi_gpu_launch_as(p->job, p->program, kernel, &l);
}

/* Launches a kernel; the order of the keys is added to its arguments. */
static oplus_status launch(const partition *p, const char *kernel, opi_arguments *a, opi_launch l)
{
    opi_add(a, opi_value(p->s->negative));
    opi_add(a, opi_value(p->s->flip));
    return go(p, kernel, a, l);
}

/* The same for a kernel that reads the caller's keys, which may be dealt out. */
static oplus_status launch_source(const partition *p, const char *kernel, opi_arguments *a, opi_launch l)
{
    opi_add(a, opi_value(p->s->negative));
    opi_add(a, opi_value(p->s->flip));
    if (p->job->deal) opi_add(a, opi_value(p->dealt));
    return go(p, kernel, a, l);
}

static oplus_status sort_one(const partition *p)
{
    const uint32_t n = (uint32_t)p->n;
    const bool large = n > SORT_MOST;
    const unsigned items = large ? LARGE_W : SORT_W;
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(p->keys));
    opi_add(&a, opi_memory(p->to));
    opi_add(&a, opi_value(n));
    return launch(p, large ? "opi_keys_one_large" : "opi_keys_one", &a,
                  (opi_launch){.groups = 1, .items = items, .local = local_bytes(p->s->key, items)});
}

static oplus_status sample(const partition *p)
{
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(p->keys));
    opi_add(&a, opi_memory(p->job->g->work.mem));
    opi_add(&a, opi_value(p->n));
    opi_add(&a, opi_value(p->c.sample));
    opi_add(&a, opi_value(p->c.bits));
    opi_add(&a, opi_value(p->c.wanted));
    return launch_source(
        p, "opi_keys_sample", &a,
        (opi_launch){.groups = SAMPLE_GROUPS, .items = SORT_W, .local = local_bytes(p->s->key, SORT_W)});
}

static oplus_status count(const partition *p)
{
    const unsigned units = p->job->g->gpu->facts.units;
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(p->keys));
    opi_add(&a, opi_memory(p->job->g->work.mem));
    opi_add(&a, opi_value(p->n));
    opi_add(&a, opi_value(p->c.list));
    opi_add(&a, opi_value(p->c.low));
    return launch_source(p, "opi_keys_count", &a,
                         (opi_launch){.groups = units, .items = COUNT_W, .local = count_bytes(p->s->key, p->c.most)});
}

static oplus_status find_places(const partition *p)
{
    const uint32_t n = (uint32_t)p->n;
    const opi_gpu_argument list[] = {opi_memory(p->job->g->work.mem), opi_value(p->c.list), opi_value(n),
                                     opi_value(p->c.low)};
    return opi_gpu_launch_of(p->job, p->program, "opi_keys_places", firsts_of(&p->c), PLACES_W, list, 4);
}

/* The only deal. */
static oplus_status deal_few(const partition *p)
{
    const uint32_t n = (uint32_t)p->n, tile = DEAL_W * FEW_V;
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(p->keys));
    opi_add(&a, opi_memory(p->other));
    opi_add(&a, opi_memory(p->job->g->work.mem));
    opi_add(&a, opi_value(n));
    return launch(p, "opi_keys_deal_few", &a,
                  (opi_launch){.groups = (n + tile - 1) / tile, .items = DEAL_W, .local = few_bytes(p->s->key)});
}

/* again: the second deal, by the low bits. */
static oplus_status deal(const partition *p, bool again)
{
    const size_t key = p->s->key;
    const uint32_t n = (uint32_t)p->n, second = again;
    const uint64_t tiles = (p->n + deal_tile(key) - 1) / deal_tile(key);
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(again ? p->other : p->keys));
    opi_add(&a, opi_memory(again ? p->to : p->other));
    opi_add(&a, opi_memory(p->job->g->work.mem));
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_value(p->c.low));
    opi_add(&a, opi_value(second));
    return launch(p, "opi_keys_deal", &a,
                  (opi_launch){.groups = again ? tiles + DIGITS : tiles, .items = DEAL_W, .local = deal_bytes(key)});
}

/* The first deal of keys that are dealt out. */
static oplus_status deal_source(const partition *p)
{
    const size_t key = p->s->key;
    const uint32_t n = (uint32_t)p->n;
    opi_arguments a = {.count = 0};
    opi_add(&a, opi_memory(p->keys));
    opi_add(&a, opi_memory(p->other));
    opi_add(&a, opi_memory(p->job->g->work.mem));
    opi_add(&a, opi_value(n));
    opi_add(&a, opi_value(p->c.low));
    return launch_source(p, "opi_keys_deal_source", &a,
                         (opi_launch){.groups = (p->n + deal_tile(key) - 1) / deal_tile(key),
                                      .items = DEAL_W,
                                      .local = deal_bytes(key)});
}

static oplus_status sort_buckets(const partition *p)
{
    const size_t key = p->s->key;
    opi_arguments a = {.count = 0}, large = a;
    opi_add(&a, opi_memory(p->c.low ? p->to : p->other));
    opi_add(&a, opi_memory(p->to));
    opi_add(&a, opi_memory(p->job->g->work.mem));
    large = a;
    opi_add(&large, opi_value(p->c.list));
    OPI_TRY(launch(p, "opi_keys_sort", &a,
                   (opi_launch){.groups = p->c.most, .items = SORT_W, .local = local_bytes(key, SORT_W)}));
    return launch(p, "opi_keys_sort_large", &large,
                  (opi_launch){.groups = opi_smaller(p->c.list, (uint64_t)2 * p->job->g->gpu->facts.units),
                               .items = LARGE_W,
                               .local = local_bytes(key, LARGE_W)});
}

static oplus_status rest(const partition *p)
{
    opi_arguments a = {.count = 0};
    const opi_launch l = {
        .groups = p->program->residents, .items = SORT_W, .local = rest_bytes(p->s->key), .resident = true};
    opi_add(&a, opi_memory(p->other));
    opi_add(&a, opi_memory(p->to));
    opi_add(&a, opi_memory(p->job->g->work.mem));
    opi_add(&a, opi_memory(p->job->g->pipeline.fault.mem));
    opi_add(&a, opi_value(p->c.list));
    return launch(p, "opi_keys_rest", &a, l);
}

oplus_status opi_partition_run(opi_job *job, const opi_part *part)
{
    const opi_sorting *const s = (const opi_sorting *)job;
    partition p = {.job = job,
                   .s = s,
                   .keys = part->address[OPI_KEYS],
                   .other = job->g->array[0].mem,
                   .to = s->to.keys,
                   .n = part->n};
    if (job->deal) opi_deal_items(job->deal, s->dealt, s->key, &p.dealt);
    OPI_TRY(opi_partition_program(job, size_of(job, part->n), &p.program));
    if (p.program->residents == 0) return opi_sort_passes_run(job, part); /* groups must not wait for each other here */
    if (is_one(part->n)) return sort_one(&p);
    p.c = cut_of(job, s->key, part->n);
    OPI_TRY(opi_pipeline_fault(job->g, job->call));
    OPI_TRY(sample(&p));
    OPI_TRY(count(&p));
    if (p.c.low == 0) {
        OPI_TRY(deal_few(&p));
    } else {
        OPI_TRY(find_places(&p));
        OPI_TRY(job->deal ? deal_source(&p) : deal(&p, false));
        OPI_TRY(deal(&p, true));
    }
    OPI_TRY(sort_buckets(&p));
    return rest(&p);
}
