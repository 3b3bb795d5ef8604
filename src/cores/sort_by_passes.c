#include "cores/sort_by_passes.h"

#include "base/error.h"
#include "cores/sort_by.h"
#include "cores/ways.h"
#include "task/explain.h"

/* Reserves what a sort needs, in the cores' array buffer: a second place, for an argsort two of elements, and cuts. */
static oplus_status reserve(opi_cores *cores, const char *call, const opi_task *task, opi_sort_by *s)
{
    const size_t most = (size_t)PTRDIFF_MAX / 4;
    if (s->n > most / s->size || (s->index > 0 && s->n > most / s->index))
        return opi_fail(OPLUS_ERR_MEMORY, "%s: no scratch memory for n = %zu elements of %zu bytes", call, s->n,
                        s->size);
    const size_t elements = opi_round_up(s->n * s->size, OPI_CACHE_LINE);
    const size_t indices = opi_round_up(s->n * s->index, OPI_CACHE_LINE), own = s->index > 0 ? elements : 0;
    const size_t cuts = (s->n / s->block + 1) * sizeof(size_t), bytes = own + elements + indices + cuts;
    if (!opi_buffer_reserve(&cores->array, bytes))
        return opi_fail(OPLUS_ERR_MEMORY,
                        "%s: no memory for %zu bytes of scratch; free some, or sort in parts and merge", call, bytes);
    unsigned char *const mem = cores->array.mem;
    s->cuts = (size_t *)(void *)(mem + own + elements + indices);
    s->place[0] = (opi_sort_by_place){s->index > 0 ? mem : (unsigned char *)task->array[OPI_KEYS].mem,
                                      (unsigned char *)task->array[OPI_VALUES].mem};
    s->place[1] = (opi_sort_by_place){mem + own, mem + own + elements};
    return OPLUS_OK;
}

static oplus_status run_pass(opi_cores *cores, const char *call, opi_sort_by *s)
{
    opi_sort_by_cuts(s);
    OPI_TRY(opi_cores_sweep(cores, call, &s->sweep, NULL));
    opi_sort_by_mend(s);
    opi_sort_by_merges(s);
    return opi_cores_sweep(cores, call, &s->sweep, NULL);
}

oplus_status opi_sort_by_run(opi_cores *cores, const char *call, const opi_task *task)
{
    opi_sort_by s;
    opi_sort_by_plan(&s, task);
    OPI_TRY(reserve(cores, call, task, &s));
    s.from = opi_sort_by_passes(&s) & 1;
    opi_sort_by_blocks(&s);
    OPI_TRY(opi_cores_sweep(cores, call, &s.sweep, NULL));
    for (s.run = s.block; s.run < s.n; s.run *= 2, s.from ^= 1) OPI_TRY(run_pass(cores, call, &s));
    return OPLUS_OK;
}

void opi_sort_by_explain(opi_cores *cores, const opi_task *task, opi_saying *to)
{
    opi_sort_by s;
    opi_sort_by_plan(&s, task);
    opi_say(to, "merge sort: blocks of %zu elements are sorted in a core's cache, then %u passes merge them in pairs\n",
            s.block, opi_sort_by_passes(&s));
    opi_sort_by_blocks(&s);
    opi_cores_explain_sweep(cores, &s.sweep, to);
}
