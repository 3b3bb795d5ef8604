/* oplus_repeat: a scan of the counts tells where in the output each element ends, or each block of elements; then the
 * elements are written.  The scan's operator keeps to 2^63 what is not allowed, so that its last sum tells of it. */
#include "cores/cores.h"
#include "cores/ends.h"
#include "front/indices.h"
#include "front/scratch.h"
#include "task/make.h"

#include <inttypes.h>

typedef struct repeating {
    oplus_device *dev;
    const char *call;
    const oplus_type *type, *index; /* of an element, and of a count */
    const void *in, *counts;
    size_t n;
    void *out;
    size_t capacity;
    size_t block; /* elements that have one end together */
} repeating;

/* --- the counts --------------------------------------------------------------------------------------------------- */

/* Reduces what a function makes of the counts. */
static oplus_status reduce_counts(const repeating *r, const oplus_fn *before, const oplus_op *op, uint64_t *result)
{
    opi_task task;
    opi_task_reduce(&task, op, r->counts, NULL, r->n, 0, result);
    opi_task_begin_with(&task, before, &r->counts);
    return opi_run(r->dev, r->call, &task, NULL);
}

static oplus_status scan_counts(const repeating *r, uint64_t *ends)
{
    opi_task task;
    const oplus_op *const sum = opi_sum_of_counts(r->index->scalar, r->n);
    if (r->block > 1) {
        opi_task_count_ends(&task, sum, r->index, r->counts, r->n, r->block, ends);
    } else {
        opi_task_scan(&task, sum, OPLUS_INCLUSIVE, r->counts, NULL, r->n, 0, ends);
        opi_task_begin_with(&task, opi_count_of(r->index->scalar), &r->counts);
    }
    return opi_run(r->dev, r->call, &task, NULL);
}

static oplus_status copy(const repeating *r, void *to, const void *from, size_t bytes)
{
    return r->dev->machine->copy(r->dev, r->call, to, from, bytes);
}

static oplus_status refuse_negative(const repeating *r, uint64_t k)
{
    int32_t narrow = 0;
    int64_t wide = 0;
    const bool is_narrow = r->index->size == sizeof narrow;
    const char *const from = (const char *)r->counts + k * r->index->size;
    OPI_TRY(copy(r, is_narrow ? (void *)&narrow : &wide, from, r->index->size));
    if (is_narrow) wide = narrow;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: counts[%" PRIu64 "] is %" PRId64 "; give counts of at least 0", r->call, k,
                    wide);
}

/* Looks at the sum of the counts. */
static oplus_status check_total(const repeating *r, uint64_t total)
{
    uint64_t first = UINT64_MAX;
    const oplus_fn *const negative = opi_negative_of(r->index->scalar);
    if (total <= INT64_MAX) return OPLUS_OK;
    if (negative) OPI_TRY(reduce_counts(r, negative, &oplus_min_u64, &first));
    if (first != UINT64_MAX) return refuse_negative(r, first);
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: the sum of the %zu count%s is 2^63 or more; give smaller counts, or fewer",
                    r->call, r->n, opi_s(r->n));
}

static oplus_status check_room(const repeating *r, size_t total)
{
    if (total <= r->capacity) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: capacity is %zu, but the counts make %zu element%s; give room for %zu",
                    r->call, r->capacity, total, opi_s(total), total);
}

/* --- what they make ----------------------------------------------------------------------------------------------- */

/* Writes the number of elements, to the host or to the device. */
static oplus_status give_total(const repeating *r, uint64_t sum, size_t *total)
{
    const size_t made = (size_t)sum;
    return copy(r, total, &made, sizeof made);
}

/* Only the number of elements, where none can be written. */
static oplus_status count_only(const repeating *r, size_t *total)
{
    uint64_t sum = 0;
    OPI_TRY(reduce_counts(r, opi_count_of(r->index->scalar), opi_sum_of_counts(r->index->scalar, r->n), &sum));
    if (r->dev->explained.text) {
        opi_say(&r->dev->explained, "  it adds up the counts, and nothing is repeated\n");
        return OPLUS_OK;
    }
    OPI_TRY(check_total(r, sum));
    OPI_TRY(give_total(r, sum, total));
    return r->out ? check_room(r, (size_t)sum) : OPLUS_OK;
}

/* ends: scratch memory for those of all blocks. */
static oplus_status repeat(const repeating *r, uint64_t *ends, size_t *total)
{
    uint64_t sum;
    opi_task task;
    OPI_TRY(scan_counts(r, ends));
    if (r->dev->explained.text) {
        opi_say(&r->dev->explained,
                "  the scan adds up the counts; its results tell where each %s ends in the output\n"
                "then: a repeat of the %zu element%s; how many it makes is known only then\n",
                r->block > 1 ? "block of elements" : "element", r->n, opi_s(r->n));
        return OPLUS_OK;
    }
    OPI_TRY(copy(r, &sum, ends + opi_blocks_of(r->n, r->block) - 1, sizeof sum));
    OPI_TRY(check_total(r, sum));
    OPI_TRY(give_total(r, sum, total));
    if (sum == 0) return OPLUS_OK;
    OPI_TRY(check_room(r, (size_t)sum));
    opi_task_repeat(&task, r->type->size, r->in, r->n, ends, (size_t)sum, r->out);
    if (r->block > 1) opi_task_repeat_blocks(&task, r->index, r->counts, r->block);
    return opi_run(r->dev, r->call, &task, NULL);
}

/* --- blocks ------------------------------------------------------------------------------------------------------- */

/* Whether n > 0 items lie in memory of the call's device. */
static oplus_status is_there(const repeating *r, const char *argument, const void *p, size_t size, bool *there)
{
    oplus_device *home = NULL;
    OPI_TRY(r->dev->machine->look(r->dev, r->call, argument, p, r->n * size, &home));
    *there = home == r->dev;
    return OPLUS_OK;
}

/* A machine whose memory has all that is read needs few ends: they are written and read again. */
static oplus_status choose_block(repeating *r)
{
    const opi_machine *const machine = r->dev->machine;
    bool has_counts, has_elements;
    r->block = 1;
    if (!machine->count_block || !machine->look) return OPLUS_OK;
    OPI_TRY(is_there(r, "counts", r->counts, r->index->size, &has_counts));
    OPI_TRY(is_there(r, "in", r->in, r->type->size, &has_elements));
    if (has_counts && has_elements) r->block = machine->count_block(r->dev);
    return OPLUS_OK;
}

/* --- scratch memory ----------------------------------------------------------------------------------------------- */

/* Finds in whose memory the ends belong: of a machine that lends memory its own, else where the counts lie. */
static oplus_status find_home(const repeating *r, oplus_device **home)
{
    const opi_machine *const machine = r->dev->machine;
    *home = NULL;
    if (machine->lend)
        *home = r->dev;
    else if (machine->look)
        OPI_TRY(machine->look(r->dev, r->call, "counts", r->counts, r->n * r->index->size, home));
    if (!*home) *home = &r->dev->cores->dev;
    return OPLUS_OK;
}

static size_t ends_bytes(const repeating *r) { return opi_blocks_of(r->n, r->block) * sizeof(uint64_t); }

/* Where a device has too little memory, the host may have enough: its cores then do what the device cannot.  Each element then
 * has its own end, as those of blocks are only made in the device's memory. */
static oplus_status borrow(repeating *r, oplus_device **home, uint64_t **ends)
{
    void *mem = NULL;
    OPI_TRY(find_home(r, home));
    oplus_status status = opi_borrow(*home, r->call, ends_bytes(r), &mem);
    if (status == OPLUS_ERR_MEMORY && !(*home)->machine->is_host) {
        r->block = 1;
        *home = &r->dev->cores->dev;
        status = opi_borrow(*home, r->call, ends_bytes(r), &mem);
    }
    *ends = mem;
    return status;
}

/* --- the call ----------------------------------------------------------------------------------------------------- */

static oplus_status check(const repeating *r, const size_t *total)
{
    const char *const call = r->call;
    OPI_TRY(opi_check_device(call, r->dev));
    OPI_TRY(opi_check_type(call, "type", r->type));
    OPI_TRY(opi_check_index_type(call, r->index));
    if (r->capacity > 0) OPI_TRY(opi_check_pointer(call, "in", r->in, r->n));
    OPI_TRY(opi_check_bytes(call, "n", r->n, r->type->size));
    OPI_TRY(opi_check_bytes(call, "n", r->n, sizeof(uint64_t)));
    OPI_TRY(opi_check_pointer(call, "counts", r->counts, r->n));
    OPI_TRY(opi_check_pointer(call, "out", r->out, r->capacity));
    OPI_TRY(opi_check_bytes(call, "capacity", r->capacity, r->type->size));
    const size_t bytes = r->capacity * r->type->size;
    OPI_TRY(opi_check_overlap(call, "in", r->in, r->n * r->type->size, "out", r->out, bytes, false));
    OPI_TRY(opi_check_overlap(call, "counts", r->counts, r->n * r->index->size, "out", r->out, bytes, false));
    if (!total)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: total is NULL; give a size_t for the number of elements that are made",
                        call);
    const size_t in_bytes = r->in ? r->n * r->type->size : 0;
    OPI_TRY(opi_check_overlap(call, "in", r->in, in_bytes, "total", total, sizeof *total, false));
    OPI_TRY(opi_check_overlap(call, "counts", r->counts, r->n * r->index->size, "total", total, sizeof *total, false));
    return opi_check_overlap(call, "out", r->out, bytes, "total", total, sizeof *total, false);
}

oplus_status oplus_repeat(oplus_device *dev, const oplus_type *type, const void *in, size_t n, const oplus_type *index,
                          const void *counts, void *out, size_t capacity, size_t *total)
{
    OPI_OWN_MODE;
    oplus_device *home;
    uint64_t *ends;
    repeating r = {dev, __func__, type, index, in, counts, n, out, capacity, 1};
    OPI_TRY(check(&r, total));
    if (n == 0) return give_total(&r, 0, total);
    if (capacity == 0) return count_only(&r, total);
    OPI_TRY(choose_block(&r));
    OPI_TRY(borrow(&r, &home, &ends));
    const oplus_status status = repeat(&r, ends, total);
    opi_give_back(home, ends);
    return status;
}
