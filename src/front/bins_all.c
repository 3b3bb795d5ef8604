/* oplus_count_by_index_all, oplus_histogram_all, oplus_histogram_edges_all. */
#include "base/hash.h"
#include "front/bins.h"
#include "ranks/ranks.h"
#include "task/make.h"

#include <inttypes.h>
#include <stdio.h>

enum { OPTIONS = 120 /* bytes of the options in words */ };

/* Does the call once this rank's arguments are checked: status.  options: what must be the same on all ranks. */
static oplus_status run(opi_ranks *ranks, oplus_status status, const opi_counting *c, const opi_bins *bins,
                        const void *edges, const char *options)
{
    opi_task task = {.n = c->n};
    uint64_t most = 0;
    if (status == OPLUS_OK) {
        most = opi_largest_count(c->counter);
        opi_ranks_name_types(ranks, c->type, c->counter, options);
        opi_task_count(&task, bins, c->in, c->n, edges, c->counter->size, c->counts);
    }
    return opi_ranks_close(ranks, opi_ranks_count(ranks, status, &task, most));
}

oplus_status oplus_count_by_index_all(oplus_device *dev, const oplus_comm *comm, oplus_bounds bounds,
                                      const oplus_type *index, const void *indices, size_t count,
                                      const oplus_type *counter, void *counts, size_t n)
{
    OPI_OWN_MODE;
    const opi_counting c = {dev, index, indices, count, counter, counts, n};
    opi_ranks ranks;
    opi_bins bins;
    char options[OPTIONS];
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    const oplus_status status = opi_bins_by_number(__func__, &c, bounds, &bins);
    snprintf(options, sizeof options, "%zu bins, bounds %d", n, (int)bounds);
    return run(&ranks, status, &c, &bins, NULL, options);
}

oplus_status oplus_histogram_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type, const void *in,
                                 size_t n, double low, double high, const oplus_type *counter, void *counts,
                                 size_t bins)
{
    OPI_OWN_MODE;
    const opi_counting c = {dev, type, in, n, counter, counts, bins};
    opi_ranks ranks;
    opi_bins even;
    char options[OPTIONS];
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    const oplus_status status = opi_bins_even(__func__, &c, low, high, &even);
    snprintf(options, sizeof options, "%zu bins from %.17g to %.17g", bins, low, high);
    return run(&ranks, status, &c, &even, NULL, options);
}

oplus_status oplus_histogram_edges_all(oplus_device *dev, const oplus_comm *comm, const oplus_type *type,
                                       const void *in, size_t n, const void *edges, const oplus_type *counter,
                                       void *counts, size_t bins)
{
    OPI_OWN_MODE;
    const opi_counting c = {dev, type, in, n, counter, counts, bins};
    opi_ranks ranks;
    opi_bins between;
    void *copy = NULL;
    char options[OPTIONS] = "";
    OPI_TRY(opi_ranks_open(&ranks, dev, comm, __func__));
    const oplus_status checked = opi_bins_between(__func__, &c, edges, &between, &copy);
    if (checked == OPLUS_OK)
        snprintf(options, sizeof options, "%zu bins, edges whose bits have the hash %016" PRIx64, bins,
                 opi_hash_bytes(copy, (bins + 1) * type->size).low);
    const oplus_status status = run(&ranks, checked, &c, &between, copy, options);
    opi_free(copy);
    return status;
}
