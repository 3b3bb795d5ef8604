/* Stable radix sort in device memory (sort.cl): each pass moves elements from one array to another, by one digit.  Values
 * of up to eight bytes move with their keys; for larger values an index moves, which gathers them at the end. */
#include "gpu/sort/passes.h"

#include "base/error.h"
#include "gpu/launch.h"
#include "gpu/memory.h"
#include "gpu/shared.h"

enum {
    CHUNK_ALONE = 1 << 14, /* one work-item sorts up to so many elements faster than several launches */
    PARTS_A_UNIT = 8,      /* work-groups of a launch for each multiprocessor */
    CHUNK_LEAST = 1 << 12, /* least number of elements of a part that is a chunk */
    PART_MOST = 1 << 30,   /* most elements of a part: 32 bits count them */
    PORTION = 1 << 28      /* few enough that what a launch keeps of its tiles is little: 64 MiB */
};

/* --- the program -------------------------------------------------------------------------------------------------- */

static void write_source(opi_gpu_source *source, const void *context)
{
    const opi_sorting *const s = context;
    opi_gpu_write_shape(source, s->job.shape, s->key);
    opi_gpu_define(source, "OPI_HOST_CORES", source->gpu->facts.host_cores);
    opi_gpu_define(source, "OPI_KEY_SIZE", s->key);
    opi_gpu_define(source, "OPI_VALUE_SIZE", s->payload);
    opi_gpu_define(source, "OPI_VALUE_UNIT", s->indexed ? s->payload : s->unit);
    opi_gpu_define(source, "OPI_INDEXED", s->indexed);
    opi_gpu_define(source, "OPI_FAR_UNIT", s->unit);
    opi_gpu_define(source, "OPI_ONE", s->small);
    opi_gpu_write_kernels(source, "sums");
    opi_gpu_write_kernels(source, "value");
    opi_gpu_write_kernels(source, "key");
    opi_gpu_write_kernels(source, "sort");
    opi_gpu_write_kernels(source, s->job.shape.log_w == 0 ? "sort_chunk" : "sort_group");
}

/* Bytes of local memory that the largest kernel needs, and some more. */
static size_t local_bytes(const opi_sorting *s)
{
    const opi_shape shape = s->job.shape;
    const size_t items = (size_t)1 << shape.log_w, counters = items * (OPI_SORT_WORDS + 1) * sizeof(uint32_t);
    const size_t tile = opi_tile(shape) * opi_larger(s->payload, s->key);
    return (tile + counters) / 32 * 33 + OPI_DIGITS * (sizeof(uint64_t) + sizeof(uint32_t)) + 256;
}

void opi_sort_shape(opi_sorting *s)
{
    const opi_gpu_facts *const facts = &s->job.g->gpu->facts;
    opi_shape *const shape = &s->job.shape;
    *shape = opi_shape_for(facts, opi_larger(s->payload, s->key), 0);
    while (shape->log_w > 0 && local_bytes(s) > facts->local) shape->log_w--;
}

static bool takes_chunks(const opi_sorting *s) { return s->job.shape.log_w == 0; }

/* One program for all numbers of elements would take twice as long to compile. */
static oplus_status get_program(opi_sorting *s, bool small)
{
    opi_job *const job = &s->job;
    s->small = small;
    s->swaps = s->stays = false;
    opi_key key = opi_key_begin("sort", job->shape);
    opi_key_number(&key, s->key);
    opi_key_number(&key, s->payload);
    opi_key_number(&key, s->unit);
    opi_key_number(&key, (uint64_t)s->indexed << 1 | small);
    return opi_program_get(&job->g->programs, job->call, "the sort", key.hash, write_source, s, &job->program);
}

/* --- places ------------------------------------------------------------------------------------------------------- */

static size_t keys_bytes(const opi_sorting *s, uint64_t n) { return opi_round_up(n * s->key, OPI_CACHE_LINE); }

opi_place opi_sort_scratch(const opi_sorting *s, uint64_t n, unsigned i)
{
    char *const mem = s->job.g->array[i].mem;
    return (opi_place){mem, s->payload && mem ? mem + keys_bytes(s, n) : NULL};
}

size_t opi_sort_bytes(const opi_sorting *s, uint64_t n) { return keys_bytes(s, n) + n * s->payload; }

static oplus_status reserve(const opi_sorting *s, uint64_t n)
{
    opi_accelerator *const g = s->job.g;
    const size_t bytes = opi_sort_bytes(s, n);
    for (int i = 0; i < 2; i++) OPI_TRY(opi_gpu_reserve(g, s->job.call, &g->array[i], bytes));
    return OPLUS_OK;
}

unsigned opi_sort_passes_of(const opi_sorting *s) { return (s->high - s->low + OPI_DIGIT_BITS - 1) / OPI_DIGIT_BITS; }

unsigned opi_sort_last(const opi_sorting *s)
{
    const unsigned passes = opi_sort_passes_of(s);
    if (s->stays) return 1;
    return s->swaps ? passes > 1 : (passes - 1) & 1;
}

bool opi_sort_ends_at_begin(const opi_sorting *s)
{
    const unsigned passes = opi_sort_passes_of(s);
    if (s->stays) return true;
    if (s->small)
        return !takes_chunks(s) || passes % 2 == 0; /* an odd number of passes begins with one to where it ends */
    return passes > 1;
}

uint64_t opi_sort_portion(void) { return PORTION; }

static opi_place begin_of(const opi_part *part)
{
    return (opi_place){(char *)part->address[OPI_KEYS], (char *)part->address[OPI_VALUES]};
}

/* --- one work-group ----------------------------------------------------------------------------------------------- */

bool opi_sort_fits_one(const opi_job *job, uint64_t n)
{
    const opi_sorting *const s = (const opi_sorting *)job;
    return n <= (takes_chunks(s) ? CHUNK_ALONE : opi_tile(job->shape));
}

oplus_status opi_sort_one_prepare(opi_job *job, uint64_t n)
{
    opi_sorting *const s = (opi_sorting *)job;
    OPI_TRY(get_program(s, true));
    return reserve(s, n);
}

oplus_status opi_sort_one_run(opi_job *job, const opi_part *part)
{
    const opi_sorting *const s = (const opi_sorting *)job;
    const opi_place from = begin_of(part), other = opi_sort_scratch(s, part->n, !opi_sort_last(s));
    const uint32_t low = s->low, high = s->high;
    const opi_gpu_argument list[] = {opi_memory(from.keys),    opi_memory(from.values), opi_memory(s->to.keys),
                                     opi_memory(s->to.values), opi_memory(other.keys),  opi_memory(other.values),
                                     opi_value(part->n),       opi_value(s->negative),  opi_value(s->flip),
                                     opi_value(low),           opi_value(high)};
    return opi_gpu_launch(job, "opi_sort_one", 1, list, 11);
}

/* --- passes ------------------------------------------------------------------------------------------------------- */

/* How n elements are divided among work-groups: contiguous parts; all but the last consist of whole tiles. */
static uint64_t part_of(const opi_sorting *s, uint64_t n)
{
    const unsigned units = s->job.g->gpu->facts.units ? s->job.g->gpu->facts.units : 1;
    const uint64_t most = (uint64_t)PARTS_A_UNIT * units;
    const uint64_t grain = takes_chunks(s) ? CHUNK_LEAST : opi_tile(s->job.shape);
    return opi_smaller(opi_round_up((n + most - 1) / most, grain), PART_MOST);
}

static uint64_t parts_of(const opi_sorting *s, uint64_t n) { return (n + part_of(s, n) - 1) / part_of(s, n); }

/* Moves the elements from one place to another by the digit at `shift`, in three launches. */
static oplus_status launch_pass(const opi_sorting *s, opi_place from, uint64_t n, opi_place to, uint32_t shift)
{
    const uint64_t part = part_of(s, n), parts = parts_of(s, n);
    const uint32_t bits = (uint32_t)opi_smaller(OPI_DIGIT_BITS, s->high - shift), mask = (1u << bits) - 1;
    char *const counts = s->job.g->work.mem, *const totals = counts + OPI_DIGITS * parts * sizeof(uint64_t);

    const opi_gpu_argument histogram[] = {opi_memory(from.keys), opi_value(n),           opi_value(part),
                                          opi_memory(counts),    opi_value(s->negative), opi_value(s->flip),
                                          opi_value(shift),      opi_value(mask)};
    OPI_TRY(opi_gpu_launch(&s->job, "opi_histogram", parts, histogram, 8));

    const opi_gpu_argument rows[] = {opi_memory(counts), opi_value(parts), opi_memory(totals)};
    OPI_TRY(opi_gpu_launch(&s->job, "opi_rows", OPI_DIGITS, rows, 3));

    const opi_gpu_argument scatter[] = {
        opi_memory(from.keys), opi_memory(from.values), opi_memory(to.keys), opi_memory(to.values),  opi_value(n),
        opi_value(part),       opi_memory(counts),      opi_memory(totals),  opi_value(s->negative), opi_value(s->flip),
        opi_value(shift),      opi_value(mask),         opi_value(bits)};
    return opi_gpu_launch(&s->job, "opi_scatter", parts, scatter, 13);
}

oplus_status opi_sort_passes_prepare(opi_job *job, uint64_t n)
{
    opi_sorting *const s = (opi_sorting *)job;
    opi_accelerator *const g = job->g;
    static const char *const kernels[] = {"opi_histogram", "opi_rows", "opi_scatter", "opi_gather"};
    OPI_TRY(get_program(s, false));
    OPI_TRY(opi_kernels_make(&g->programs, job->call, job->program, kernels, s->indexed ? 4 : 3));
    OPI_TRY(reserve(s, n));
    return opi_gpu_reserve(g, job->call, &g->work, OPI_DIGITS * (parts_of(s, n) + 1) * sizeof(uint64_t));
}

oplus_status opi_sort_passes_run(opi_job *job, const opi_part *part)
{
    const opi_sorting *const s = (const opi_sorting *)job;
    const unsigned passes = opi_sort_passes_of(s);
    opi_place from = begin_of(part);
    for (unsigned p = 0; p < passes; p++) {
        const opi_place next = p == passes - 1 ? s->to : opi_sort_scratch(s, part->n, p & 1);
        OPI_TRY(launch_pass(s, from, part->n, next, s->low + OPI_DIGIT_BITS * p));
        from = next;
    }
    return OPLUS_OK;
}

/* --- values that stayed ------------------------------------------------------------------------------------------- */

oplus_status opi_sort_gather(const opi_sorting *s, const char *from, const char *index, uint64_t n, char *to)
{
    const uint64_t units = s->value / s->unit, all = n * units;
    const uint64_t part = takes_chunks(s) ? CHUNK_LEAST : opi_tile(s->job.shape);
    const opi_gpu_argument list[] = {opi_memory(from), opi_memory(index), opi_memory(to),
                                     opi_value(units), opi_value(all),    opi_value(part)};
    return opi_gpu_launch(&s->job, "opi_gather", (all + part - 1) / part, list, 6);
}
