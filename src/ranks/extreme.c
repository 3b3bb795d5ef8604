/* Extremes over ranks: each rank looks through its elements, and all compare what they have found. */
#include "base/error.h"
#include "ranks/ranks.h"
#include "task/extreme.h"

/* Looks through this rank's elements; places count from its first one on. */
static oplus_status look(opi_ranks *ranks, const opi_task *task, opi_extreme *found)
{
    opi_task own = *task;
    OPI_TRY(opi_ranks_room(ranks, sizeof *found));
    if (task->n == 0) return OPLUS_OK;
    own.result = found;
    own.result_bytes = sizeof *found;
    own.extreme.gives = OPI_GIVES_RECORD;
    return opi_run(ranks->dev, ranks->call, &own, NULL);
}

/* Every rank has the places of the elements of the ranks before it by the notes. */
static opi_extreme compare(const opi_ranks *ranks, unsigned sides)
{
    opi_extreme all = opi_extreme_of_nothing();
    uint64_t first = 0;
    for (int q = 0; q < ranks->comm->size; first += ranks->note[q].n, q++) {
        opi_extreme one = *(const opi_extreme *)opi_ranks_record(ranks, q, sizeof one);
        if (ranks->note[q].n == 0) continue;
        for (int s = 0; s < 2; s++)
            if (sides >> s & 1) one.side[s].at += first;
        opi_extreme_join(&all, &one);
    }
    return all;
}

oplus_status opi_ranks_extreme(opi_ranks *ranks, oplus_status status, const opi_task *task)
{
    opi_extreme found = opi_extreme_of_nothing();
    if (opi_ranks_explained(ranks)) return opi_ranks_explain(ranks, status, task);
    if (status == OPLUS_OK) status = look(ranks, task, &found);
    OPI_TRY(opi_ranks_index(ranks, status, task->n, 0, 0));
    if (ranks->total == 0)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: n is 0 on every rank, and so there are no extremes; give at least one element",
                        ranks->call);
    OPI_TRY(opi_ranks_gather(ranks, OPLUS_OK, &found, sizeof found));
    found = compare(ranks, task->extreme.sides);
    opi_extreme_give(task, &found);
    return OPLUS_OK;
}
