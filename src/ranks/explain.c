/* A call over ranks in words: what this rank would do, and what would be exchanged.  Nothing is exchanged, so that each
 * rank says it alone. */
#include "ranks/reach.h"

#include "task/explain.h"

/* How elements of a primitive travel, in words. */
static void say_elements(opi_saying *to, const oplus_device *dev, const opi_task *task, int ranks)
{
    const double bytes = opi_task_bytes(task) / 2 * (ranks - 1) / ranks;
    switch (task->what) {
    case OPI_FILTER:
        opi_say(to, "  elements: only where the layout is even, those that change their rank\n");
        break;
    case OPI_SORT:
        opi_say(to, "  where the ranks' parts begin: two for each digit that tells keys apart, %d counts at most\n",
                256);
        opi_say(to, "  elements: one of keys%s, about ", task->sort.value ? ", one of values" : "");
        opi_say_bytes(to, bytes);
        opi_say(to, " from each rank, if keys are dealt out at random\n");
        if (opi_reach_may(dev) && ranks <= OPI_MOST_REACHED)
            opi_say(to, "  none of these, but three of messages, where all arrays lie in memory that all ranks' "
                        "GPUs read\n");
        break;
    case OPI_TRANSPOSE:
        opi_say(to, "  elements: one, about ");
        opi_say_bytes(to, bytes / ranks);
        opi_say(to, " from each rank\n");
        break;
    case OPI_EXTREME:
        opi_say(to, "  what each rank has found: one of 32 bytes from each rank\n");
        break;
    case OPI_TOP:
        opi_say(to, "  the top of each rank: one of ");
        opi_say_bytes(to, (double)task->top.k * (double)(task->top.key->size + sizeof(uint64_t)));
        opi_say(to, " from each rank\n");
        break;
    case OPI_COUNT: {
        const uint64_t p = (uint64_t)ranks, block = task->bins.n / p + (task->bins.n % p != 0);
        opi_say(to, "  counts: one of ");
        opi_say_bytes(to, (double)(block * sizeof(uint64_t)));
        opi_say(to, " from each rank to each other one, which adds up a part of the bins, and one of these sums\n");
        break;
    }
    case OPI_SELECT:
        opi_say(to, "  runs: one of ");
        opi_say_bytes(to, 24 + 2 * (double)task->select.type->size);
        opi_say(to, " from each rank, its first key and its last, and one that says that all is well\n");
        break;
    default:
        opi_say(to, "  summaries: none where they fit the notes, else one of at most ");
        opi_say_bytes(to,
                      (double)opi_range_record_bytes(task->op, task->op->flags & OPLUS_EXACT ? 1 : OPI_RANGE_NODES));
        opi_say(to, " from each rank\n");
    }
}

oplus_status opi_ranks_explain(opi_ranks *ranks, oplus_status status, const opi_task *task)
{
    oplus_device *const dev = ranks->dev;
    if (status != OPLUS_OK) return status;
    const oplus_status explained = opi_explain_task(dev, ranks->call, task);
    opi_say(&dev->explained, "over %d ranks, each so with its own elements; exchanges between them:\n  notes: one of ",
            ranks->comm->size);
    opi_say_bytes(&dev->explained, sizeof(opi_note));
    opi_say(&dev->explained, " from each rank, whether all is well and how many elements there are\n");
    say_elements(&dev->explained, dev, task, ranks->comm->size);
    return explained;
}
