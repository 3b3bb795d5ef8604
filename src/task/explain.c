#include "task/explain.h"

#include "base/error.h"

#include <inttypes.h>
#include <string.h>

static const char *const names[OPI_PRIMITIVES] = {
    [OPI_REDUCE] = "reduce",
    [OPI_SCAN] = "scan",
    [OPI_MAP] = "map",
    [OPI_FILTER] = "filter",
    [OPI_SEGREDUCE] = "segmented reduce",
    [OPI_SORT] = "sort",
    [OPI_TRANSPOSE] = "transpose",
    [OPI_TAKE] = "take",
    [OPI_PUT] = "put",
    [OPI_EXTREME] = "search for extremes",
    [OPI_BOUNDS] = "search",
    [OPI_MERGE] = "merge",
    [OPI_TOP] = "top",
    [OPI_NTH] = "nth",
    [OPI_SORT_BY] = "sort",
    [OPI_SEGSORT] = "segmented sort",
    [OPI_SELECT] = "select",
    [OPI_REDUCE_AXIS] = "reduce along an axis",
    [OPI_SCAN_AXIS] = "scan along an axis",
    [OPI_EXTREME_AXIS] = "search for extremes along an axis",
    [OPI_WINDOW] = "window",
    [OPI_SCAN_REVERSE] = "scan from the end",
    [OPI_COUNT] = "count by bin",
    [OPI_BY_INDEX] = "reduce by index",
    [OPI_REPEAT] = "repeat",
    [OPI_COUNT_ENDS] = "sum of counts, block by block,",
    [OPI_PACK] = "pack of members",
};

double opi_task_bytes(const opi_task *task)
{
    double bytes = 0;
    for (int k = 0; k < task->arrays; k++) {
        const opi_array *const array = &task->array[k];
        if (array->mem) bytes += (double)array->items * (double)array->size * (array->access == OPI_CHANGES ? 2 : 1);
    }
    return bytes;
}

static const char *name_of(const char *name) { return name ? name : "?"; }

/* Whether an operator or a function is the library's, and no built-in one: its name says nothing to a user.  The call that
 * uses it says what it does. */
static bool is_internal(const char *name) { return name && strncmp(name, "opi_", strlen("opi_")) == 0; }

static void say_axis(opi_saying *to, const opi_axis *axis)
{
    opi_say(to, ", %zu x %zu x %zu", axis->outer, axis->n, axis->inner);
}

/* "oplus_scan: inclusive scan of 1000 elements by oplus_sum_f32; it reads and writes 8 kB" */
static void say_task(opi_saying *to, const char *call, const opi_task *task)
{
    opi_say(to, "%s: ", call);
    if (task->what == OPI_SCAN || task->what == OPI_SCAN_AXIS || task->what == OPI_SCAN_REVERSE)
        opi_say(to, task->exclusive ? "exclusive " : "inclusive ");
    if (task->what == OPI_SCAN && task->lifted) opi_say(to, "segmented ");
    opi_say(to, "%s of %zu element%s", names[task->what], task->n, opi_s(task->n));
    if (task->what == OPI_SEGREDUCE || task->what == OPI_SEGSORT)
        opi_say(to, " in %zu segment%s", task->segments.offsets.segments, opi_s(task->segments.offsets.segments));
    if (task->what == OPI_WINDOW) opi_say(to, ", the last %zu at a time", task->window);
    if (task->what == OPI_TOP) opi_say(to, ", the first %zu in order", task->top.k);
    if (task->what == OPI_NTH) opi_say(to, ", the one at place %zu of the order", task->top.k);
    if (task->what == OPI_TRANSPOSE) opi_say(to, ", %zu rows of %zu", task->matrix.rows, task->matrix.cols);
    if (task->what == OPI_REDUCE_AXIS || task->what == OPI_SCAN_AXIS) say_axis(to, &task->axis);
    if (task->what == OPI_EXTREME_AXIS) say_axis(to, &task->extreme.axis);
    if (task->what == OPI_TAKE) opi_say(to, " from %zu", task->array[OPI_TABLE].items);
    if (task->what == OPI_PUT) opi_say(to, " into %zu", task->array[OPI_TABLE].items);
    if (task->what == OPI_REPEAT) opi_say(to, " from %zu", task->array[OPI_REPEATED].items);
    if (task->what == OPI_COUNT || task->what == OPI_BY_INDEX)
        opi_say(to, " in %" PRIu64 " bin%s", task->bins.n, opi_s(task->bins.n));
    if (opi_task_is_fused(task) && task->before && !is_internal(task->before->name))
        opi_say(to, " that %s makes", name_of(task->before->name));
    if (task->op && !is_internal(task->op->name)) opi_say(to, " by %s", name_of(task->op->name));
    if (opi_task_is_fused(task) && task->after) opi_say(to, ", then %s", name_of(task->after->name));
    if (task->fn) opi_say(to, " by %s", name_of(task->fn->name));
    opi_say(to, "; it reads and writes ");
    if (task->what == OPI_FILTER || task->what == OPI_SELECT) opi_say(to, "at most ");
    opi_say_bytes(to, opi_task_bytes(task));
    opi_say(to, "\n");
}

void opi_say_way(opi_saying *to, bool taken, const char *name, const char *words)
{
    opi_say(to, "  %c %-12s %s\n", taken ? '>' : ' ', name, words);
}

oplus_status opi_explain_task(oplus_device *dev, const char *call, const opi_task *task)
{
    opi_saying *const to = &dev->explained;
    opi_say_begin(to, to->text, to->bytes);
    say_task(to, call, task);
    return dev->machine->explain(dev, call, task, to);
}
