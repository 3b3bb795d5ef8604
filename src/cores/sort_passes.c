#include "cores/sort_passes.h"

#include "base/error.h"
#include "cores/sort.h"
#include "cores/sort_counts.h"
#include "task/explain.h"

/* Elements from which a range that fits a cache is partitioned all the same; vectors sort that many in 0.4 ms (keys of
 * 32 bits, Zen 4, 2026-11-23), some ten times what it takes to wake threads for two sweeps. */
enum { PARTITION_FOR_THREADS = 1 << 15, PARTITION_FOR_VECTORS = 1 << 17 };

/* --- scratch memory ---------------------------------------------------------------------------------------------- */

/* Reserves all that a sort needs, in the cores' array buffer; the second array of records is touched only where a
 * bucket of the first partition is too large.  Returns the list of ranges, or NULL. */
static opi_sort_range *reserve(opi_cores *cores, opi_sort *sort, bool partitioned)
{
    const size_t per_element = 2 * sort->format->bytes + sort->key_size + sort->value_size + 2 * sizeof(opi_sort_range);
    if (sort->n > (size_t)PTRDIFF_MAX / 2 / per_element) return NULL;
    const size_t records =
        sort->by_vectors && !partitioned ? 0 : opi_round_up(sort->n * sort->format->bytes, OPI_CACHE_LINE);
    const size_t second = sort->n > sort->cache_records ? records : 0;
    const size_t gathered = sort->payload == OPI_SORT_INDEX ? sort->n * sort->value_size : 0;
    const size_t gathered_keys = gathered && sort->limited ? sort->n * sort->key_size : 0;
    const size_t ranges = partitioned ? opi_sort_ranges_max(sort) : 1;
    const size_t list = opi_round_up(ranges * sizeof(opi_sort_range), OPI_CACHE_LINE);
    if (!opi_buffer_reserve(&cores->array, records + second + list + gathered + gathered_keys)) return NULL;

    unsigned char *const mem = cores->array.mem;
    sort->records[0] = mem;
    sort->records[1] = mem + records;
    sort->gathered = mem + records + second + list;
    sort->gathered_keys = sort->gathered + gathered;
    return (opi_sort_range *)(mem + records + second);
}

/* --- the sweeps -------------------------------------------------------------------------------------------------- */

/* Partitions one range by a digit, or by a better one.  *made says into how many others; 0: nothing need be done with it
 * at all. */
static oplus_status partition(const char *call, opi_cores *cores, const opi_sort *sort, opi_sort_range range,
                              opi_sort_digit digit, opi_sort_range *ranges, size_t *made)
{
    opi_sort_partition plan;
    opi_sort_summary total;
    for (;;) {
        opi_sort_partition_plan(&plan, sort, range, digit);
        plan.sweep.start(&plan.sweep, 0, &total);
        OPI_TRY(opi_cores_sweep(cores, call, &plan.sweep, &total));
        if (total.sorted || opi_sort_moves(&plan, &total)) break;
        digit.shift = opi_sort_shift(&total);
    }
    const bool is_done = total.sorted && range.place == OPI_SORT_CALLER && sort->payload != OPI_SORT_PLACE;
    *made = is_done ? 0 : opi_sort_split(&plan, &total, ranges);
    return OPLUS_OK;
}

static size_t threads_for(opi_cores *cores, const opi_sort *sort)
{
    return opi_cores_threads(cores, 2 * sort->n * sort->format->bytes);
}

/* Whether all of it is too large for a core's cache, or worth several threads. */
static bool is_partitioned(opi_cores *cores, const opi_sort *sort)
{
    const size_t pays = sort->by_vectors ? PARTITION_FOR_VECTORS : PARTITION_FOR_THREADS;
    return sort->n > sort->cache_records || (sort->n >= pays && threads_for(cores, sort) > 1);
}

/* Until the buckets are sorted only scratch memory is written: a failure before leaves the caller's arrays intact. */
static oplus_status run(const char *call, opi_cores *cores, opi_sort *sort)
{
    if (sort->n < 2 && sort->payload != OPI_SORT_PLACE) return OPLUS_OK;
    if (opi_sort_is_small(sort)) {
        opi_sort_small(sort);
        return OPLUS_OK;
    }
    const bool partitioned = is_partitioned(cores, sort);
    opi_sort_range *const range = reserve(cores, sort, partitioned);
    if (!range)
        return opi_fail(OPLUS_ERR_MEMORY,
                        "%s: no scratch memory for n = %zu elements; free some, or sort in parts and merge", call,
                        sort->n);

    /* --- 1. partition what is too large, and what comes of it, until all fits a cache --- */
    size_t ranges = 1;
    range[0] = (opi_sort_range){.end = sort->n, .place = OPI_SORT_CALLER, .shift = sort->key_bits};
    for (size_t i = 0; i < ranges; i++) {
        if (!opi_sort_is_large(sort, &range[i], i == 0 && partitioned ? 0 : sort->cache_records)) continue;
        const opi_sort_digit digit = opi_sort_first_digit(sort, &range[i]);
        if (i > 0 && digit.same) continue; /* a bucket that vectors sort in one or two splits */
        size_t made;
        OPI_TRY(partition(call, cores, sort, range[i], digit, range + ranges, &made));
        if (made == 0) return OPLUS_OK;
        range[i].end = range[i].begin;
        ranges += made;
    }

    /* --- 2. sort the buckets, bring the values home --- */
    opi_sort_buckets buckets;
    opi_sort_buckets_plan(&buckets, sort, range, ranges);
    OPI_TRY(opi_cores_sweep(cores, call, &buckets.sweep, NULL));
    if (sort->payload != OPI_SORT_INDEX) return OPLUS_OK;
    opi_sort_return_plan(&buckets, sort);
    return opi_cores_sweep(cores, call, &buckets.sweep, NULL);
}

static opi_sort plan_of(opi_cores *cores, const opi_task *task)
{
    opi_sort sort = opi_sort_plan(cores->isa, task->sort.key, task->sort.order, (void *)task->array[OPI_KEYS].mem,
                                  task->sort.value, (void *)task->array[OPI_VALUES].mem, task->n);
    if (task->sort.places) opi_sort_make_places(&sort, cores->isa);
    opi_sort_limit(&sort, cores->isa, task->sort.low, task->sort.high);
    if (sort.by_vectors && opi_way_is_wanted(&cores->wanted, "digits")) opi_sort_prefer_digits(&sort);
    if (cores->workers > 1) opi_sort_share(&sort, threads_for(cores, &sort), PARTITION_FOR_VECTORS);
    return sort;
}

/* Whether keys are counted: they are, unless digits are wanted. */
static bool takes_counts(const opi_cores *cores, const opi_sort *sort)
{
    return opi_sort_counts_can(sort) && !opi_way_is_wanted(&cores->wanted, "digits");
}

oplus_status opi_sort_run(opi_cores *cores, const char *call, const opi_task *task)
{
    opi_sort sort = plan_of(cores, task);
    return takes_counts(cores, &sort) ? opi_sort_counts_run(cores, call, &sort) : run(call, cores, &sort);
}

/* --- in words ----------------------------------------------------------------------------------------------------- */

/* Explains how a range that fits a cache is sorted. */
static void explain_bucket(const opi_cores *cores, const opi_sort *sort, opi_saying *to)
{
    const bool digits_wanted = opi_way_is_wanted(&cores->wanted, "digits");
    if (sort->by_vectors || (digits_wanted && !sort->values && !sort->limited))
        opi_say_way(to, sort->by_vectors, "vectors", "quicksort down to sorting networks: keys of 32 or 64 bits alone");
    opi_say_way(to, !sort->by_vectors, "digits", "least significant digit first, stably");
}

/* Explains how keys of 1 byte are sorted. */
static void explain_counts(opi_cores *cores, const opi_sort *sort, opi_saying *to)
{
    const bool taken = takes_counts(cores, sort);
    if (taken)
        opi_say(to, "way: sort by counts, on %s\n",
                opi_cores_threads(cores, sort->n) > 1 ? "all threads" : "one thread");
    opi_say_way(to, taken, "counts", "keys of 1 byte alone are counted, and so many of each are written");
    if (taken) opi_say_way(to, false, "digits", "least significant digit first, stably");
}

void opi_sort_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    const opi_sort sort = plan_of(cores, task);
    if (opi_sort_counts_can(&sort)) explain_counts(cores, &sort, to);
    if (takes_counts(cores, &sort)) return;
    const bool small = opi_sort_is_small(&sort), parted = !small && is_partitioned(cores, &sort);
    opi_say(to, "way: sort by %s, on %s\n", sort.by_vectors ? "vectors" : "digits",
            parted && threads_for(cores, &sort) > 1 ? "all threads" : "one thread");
    opi_say_way(to, small, "stack", "few elements at once, without scratch memory");
    opi_say_way(to, !small && !parted, "cache", "what fits a core's cache");
    opi_say_way(to, parted, "partition", "by the highest digit that varies, until the parts fit a cache");
    explain_bucket(cores, &sort, to);
    if (sort.limited)
        opi_say(to, "bits %u to %u of each key are compared, and keys with the same ones keep their order\n", sort.low,
                sort.low + sort.key_bits - 1);
    if (sort.payload == OPI_SORT_INDEX)
        opi_say(to, sort.limited ? "an index travels with these bits, and keys and values move once\n"
                                 : "values are large: an index travels with each key, and they move once\n");
    if (!small) {
        opi_say(to, "scratch: ");
        opi_say_bytes(to, (double)sort.n * (double)sort.format->bytes * (sort.n > sort.cache_records ? 2 : 1));
        opi_say(to, "\n");
    }
}
