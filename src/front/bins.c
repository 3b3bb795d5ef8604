/* oplus_count_by_index, oplus_histogram, oplus_histogram_edges, oplus_reduce_by_index. */
#include "front/bins.h"
#include "front/indices.h"
#include "task/make.h"
#include "type/scalars.h"

#include <math.h>
#include <stdlib.h>

/* --- checks ------------------------------------------------------------------------------------------------------- */

uint64_t opi_largest_count(const oplus_type *counter)
{
    const bool has_sign = opi_scalars[counter->scalar].number == OPI_SIGNED;
    return (counter->size == sizeof(uint32_t) ? UINT32_MAX : UINT64_MAX) / (has_sign ? 2 : 1);
}

/* Checks the counts of `n` elements in so many bins. */
static oplus_status check_counts(const char *call, const char *n_name, size_t n, const oplus_type *counter,
                                 const void *counts, const char *bins_name, size_t bins)
{
    if (!counter)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: counter is NULL; give &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64", call);
    OPI_TRY(opi_check_type(call, "counter", counter));
    const opi_number number = opi_scalars[counter->scalar].number;
    if ((number != OPI_SIGNED && number != OPI_UNSIGNED) || counter->size < sizeof(uint32_t))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: counter is the type \"%s\"; give &oplus_u32, &oplus_u64, &oplus_i32 or &oplus_i64", call,
                        opi_name(counter->name));
    if (n > opi_largest_count(counter))
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: counter \"%s\" cannot hold the count %zu, which is %s; give &oplus_u64", call,
                        opi_name(counter->name), n, n_name);
    OPI_TRY(opi_check_pointer(call, "counts", counts, bins));
    return opi_check_bytes(call, bins_name, bins, sizeof(uint64_t));
}

static oplus_status check_bounds(const char *call, oplus_bounds bounds, size_t count, size_t n)
{
    if (bounds != OPLUS_REFUSE && bounds != OPLUS_CLIP && bounds != OPLUS_IGNORE)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: bounds is %d; give OPLUS_REFUSE (0), OPLUS_CLIP (1) or OPLUS_IGNORE (2)", call,
                        (int)bounds);
    if (n == 0 && count > 0 && bounds != OPLUS_IGNORE)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: n is 0 and count is %zu, but no index is in range; give at least one bin", call, count);
    return OPLUS_OK;
}

/* Checks that elements are numbers, and the counts of a histogram. */
static oplus_status check_histogram(const char *call, const opi_counting *c)
{
    OPI_TRY(opi_check_device(call, c->dev));
    OPI_TRY(opi_check_type(call, "type", c->type));
    if (opi_scalars[c->type->scalar].number == OPI_NO_NUMBER)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: type \"%s\" is no number; give a scalar type, &oplus_f32, say", call,
                        opi_name(c->type->name));
    OPI_TRY(opi_check_pointer(call, "in", c->in, c->n));
    OPI_TRY(opi_check_bytes(call, "n", c->n, c->type->size));
    OPI_TRY(check_counts(call, "n", c->n, c->counter, c->counts, "bins", c->bins));
    if (c->bins == 0) return opi_fail(OPLUS_ERR_ARGUMENT, "%s: bins is 0; give at least one bin", call);
    return opi_check_overlap(call, "in", c->in, c->n * c->type->size, "counts", c->counts, c->bins * c->counter->size,
                             false);
}

/* --- by index ----------------------------------------------------------------------------------------------------- */

oplus_status opi_bins_by_number(const char *call, const opi_counting *c, oplus_bounds bounds, opi_bins *bins)
{
    *bins = (opi_bins){.binning = OPI_BY_NUMBER, .type = c->type, .n = c->bins, .bounds = bounds};
    OPI_TRY(opi_check_device(call, c->dev));
    OPI_TRY(opi_check_type(call, "index", c->type));
    const opi_number number = opi_scalars[c->type->scalar].number;
    if (number != OPI_SIGNED && number != OPI_UNSIGNED)
        return opi_fail(OPLUS_ERR_ARGUMENT, "%s: index is the type \"%s\"; give an integer, &oplus_u32, say", call,
                        opi_name(c->type->name));
    OPI_TRY(opi_check_pointer(call, "indices", c->in, c->n));
    OPI_TRY(opi_check_bytes(call, "count", c->n, c->type->size));
    OPI_TRY(check_counts(call, "count", c->n, c->counter, c->counts, "n", c->bins));
    OPI_TRY(check_bounds(call, bounds, c->n, c->bins));
    return opi_check_overlap(call, "indices", c->in, c->n * c->type->size, "counts", c->counts,
                             c->bins * c->counter->size, false);
}

oplus_status oplus_count_by_index(oplus_device *dev, oplus_bounds bounds, const oplus_type *index, const void *indices,
                                  size_t count, const oplus_type *counter, void *counts, size_t n)
{
    OPI_OWN_MODE;
    opi_bins bins;
    opi_task task;
    OPI_TRY(
        opi_bins_by_number(__func__, &(opi_counting){dev, index, indices, count, counter, counts, n}, bounds, &bins));
    if (n == 0) return OPLUS_OK;
    opi_task_count(&task, &bins, indices, count, NULL, counter->size, counts);
    return opi_run(dev, __func__, &task, NULL);
}

oplus_status oplus_reduce_by_index(oplus_device *dev, const oplus_op *op, oplus_bounds bounds, const void *in,
                                   const oplus_type *index, const void *indices, size_t count, void *out, size_t n)
{
    OPI_OWN_MODE;
    enum { SCRATCH = 32 /* bytes of scratch memory for a bin, at most */ };
    const opi_bins bins = {.binning = OPI_BY_NUMBER, .type = index, .n = n, .bounds = bounds};
    opi_task task;
    OPI_TRY(opi_check_device(__func__, dev));
    OPI_TRY(opi_check_op(__func__, op));
    if (!op->identity)
        return opi_fail(
            OPLUS_ERR_ARGUMENT,
            "%s: operator \"%s\" has no identity to give for a bin without elements; define it with OPLUS_OP", __func__,
            opi_name(op->name));
    const size_t size = op->type->size;
    OPI_TRY(opi_check_pointer(__func__, "in", in, count));
    OPI_TRY(opi_check_bytes(__func__, "count", count, size));
    OPI_TRY(opi_check_index_type(__func__, index));
    OPI_TRY(opi_check_pointer(__func__, "indices", indices, count));
    OPI_TRY(opi_check_bytes(__func__, "count", count, index->size));
    OPI_TRY(check_bounds(__func__, bounds, count, n));
    OPI_TRY(opi_check_pointer(__func__, "out", out, n));
    OPI_TRY(opi_check_bytes(__func__, "n", n, opi_larger(size, SCRATCH)));
    OPI_TRY(opi_check_overlap(__func__, "in", in, count * size, "out", out, n * size, false));
    OPI_TRY(opi_check_overlap(__func__, "indices", indices, count * index->size, "out", out, n * size, false));
    if (n == 0) return OPLUS_OK;
    opi_task_by_index(&task, op, &bins, in, indices, count, out);
    return opi_run(dev, __func__, &task, NULL);
}

/* --- histograms --------------------------------------------------------------------------------------------------- */

oplus_status opi_bins_even(const char *call, const opi_counting *c, double low, double high, opi_bins *bins)
{
    const double width = high - low, scale = (double)c->bins / width;
    *bins = (opi_bins){OPI_BY_EVEN, c->type, c->bins, OPLUS_IGNORE, low, high, scale};
    OPI_TRY(check_histogram(call, c));
    if (low < high && isfinite(width) && isfinite(scale)) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: low is %.17g and high is %.17g; give finite numbers, low < high, with room for %zu bins", call,
                    low, high, c->bins);
}

oplus_status oplus_histogram(oplus_device *dev, const oplus_type *type, const void *in, size_t n, double low,
                             double high, const oplus_type *counter, void *counts, size_t bins)
{
    OPI_OWN_MODE;
    opi_bins even;
    opi_task task;
    OPI_TRY(opi_bins_even(__func__, &(opi_counting){dev, type, in, n, counter, counts, bins}, low, high, &even));
    opi_task_count(&task, &even, in, n, NULL, counter->size, counts);
    return opi_run(dev, __func__, &task, NULL);
}

/* The first edge that is less than the one before it, or is NaN; bins + 1 if there is none. */
#define FIRST_WRONG(T)                                                                                                 \
    do {                                                                                                               \
        const T *const edge = (const T *)edges;                                                                        \
        if (edge[0] != edge[0]) return 0;                                                                              \
        for (size_t b = 1; b <= bins; b++)                                                                             \
            if (!(edge[b - 1] <= edge[b])) return b;                                                                   \
    } while (0)

static size_t first_wrong(const oplus_type *type, const void *edges, size_t bins)
{
    switch (type->scalar) {
    case OPLUS_I8:
        FIRST_WRONG(int8_t);
        break;
    case OPLUS_I16:
        FIRST_WRONG(int16_t);
        break;
    case OPLUS_I32:
        FIRST_WRONG(int32_t);
        break;
    case OPLUS_I64:
        FIRST_WRONG(int64_t);
        break;
    case OPLUS_U8:
        FIRST_WRONG(uint8_t);
        break;
    case OPLUS_U16:
        FIRST_WRONG(uint16_t);
        break;
    case OPLUS_U32:
        FIRST_WRONG(uint32_t);
        break;
    case OPLUS_U64:
        FIRST_WRONG(uint64_t);
        break;
    case OPLUS_F32:
        FIRST_WRONG(float);
        break;
    default:
        FIRST_WRONG(double);
    }
    return bins + 1;
}

oplus_status opi_bins_between(const char *call, const opi_counting *c, const void *edges, opi_bins *bins, void **copy)
{
    *copy = NULL;
    *bins = (opi_bins){.binning = OPI_BY_EDGES, .type = c->type, .n = c->bins, .bounds = OPLUS_IGNORE};
    OPI_TRY(check_histogram(call, c));
    OPI_TRY(opi_check_pointer(call, "edges", edges, c->bins + 1));
    OPI_TRY(opi_check_bytes(call, "bins", c->bins + 1, c->type->size));
    const size_t bytes = (c->bins + 1) * c->type->size;
    OPI_TRY(opi_check_overlap(call, "edges", edges, bytes, "counts", c->counts, c->bins * c->counter->size, false));
    *copy = opi_alloc(bytes);
    if (!*copy)
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no memory for a copy of %zu edges; free some, or give fewer bins", call,
                        c->bins + 1);
    OPI_TRY(c->dev->machine->copy(c->dev, call, *copy, edges, bytes));
    const size_t wrong = first_wrong(c->type, *copy, c->bins);
    if (wrong > c->bins) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_ARGUMENT, "%s: edges[%zu] is %s; give edges in ascending order", call, wrong,
                    wrong == 0 ? "NaN" : "NaN or less than the edge before it");
}

oplus_status oplus_histogram_edges(oplus_device *dev, const oplus_type *type, const void *in, size_t n,
                                   const void *edges, const oplus_type *counter, void *counts, size_t bins)
{
    OPI_OWN_MODE;
    const opi_counting c = {dev, type, in, n, counter, counts, bins};
    opi_bins between;
    opi_task task;
    void *copy;
    oplus_status status = opi_bins_between(__func__, &c, edges, &between, &copy);
    if (status == OPLUS_OK) {
        opi_task_count(&task, &between, in, n, copy, counter->size, counts);
        status = opi_run(dev, __func__, &task, NULL);
    }
    opi_free(copy);
    return status;
}
