#include "cores/few.h"

#include "cores/reduce.h"
#include "cores/scan.h"
#include "task/late.h"

#include <string.h>

enum {
    FEW_BYTES = 4 << 10,    /* of an input; a sweep takes a few dozen nanoseconds more, which then no longer count */
    RUN = 64,               /* elements of a scan that are one run, whatever their type */
    SCRATCH_BYTES = 2 << 10 /* of the stack */
};

/* For functions with much room on the stack: a call that does not need one should not reserve its room. */
#define OPI_APART __attribute__((noinline))

static bool map(const opi_cores *cores, const opi_task *task)
{
    opi_quiet quiet;
    opi_operands operands;
    const oplus_fn *const fn = task->fn;
    void *const out = (void *)task->array[fn->arity].mem;
    if (task->n * fn->result->size > FEW_BYTES) return false;
    for (unsigned k = 0; k < fn->arity; k++) operands.in[k] = task->array[k].mem;
    opi_leaf_run(opi_leaf_of(fn), fn, &operands, opi_task_index(task), 0, task->n, out);
    opi_quiet_plan(&quiet, cores->isa, fn->result);
    opi_quiet_run(&quiet, out, task->n);
    return true;
}

OPI_APART static bool filter(const opi_cores *cores, const opi_task *task)
{
    const oplus_fn *const keep = task->fn;
    const size_t n = task->n, size = task->array[OPI_IN].size;
    opi_operands operands = {.in = {task->array[OPI_IN].mem}};
    uint8_t flags[FEW_BYTES];
    /* out may have room for the kept ones alone */
    _Alignas(OPI_CACHE_LINE) char elements[FEW_BYTES + OPI_COMPACT_OVERRUN];
    opi_leaf_run(opi_leaf_of(keep), keep, &operands, opi_task_index(task), 0, n, flags);
    const size_t kept = cores->isa->compact(operands.in[0], flags, n, size, elements);
    if (kept > 0) memcpy((void *)opi_task_written(task)->mem, elements, kept * size); /* else out may be invalid */
    memcpy(task->result, &kept, sizeof kept);
    return true;
}

OPI_APART static bool reduce(const opi_cores *cores, const opi_task *task)
{
    opi_loops loops;
    _Alignas(OPI_CACHE_LINE) char scratch[SCRATCH_BYTES];
    opi_loops_plan(&loops, task->op, cores->isa, task->n * task->result_bytes);
    const size_t value = opi_round_up(loops.size, OPI_CACHE_LINE); /* the result may be one of the inputs */
    if (value + opi_reduce_scratch(&loops) > SCRATCH_BYTES || task->n > opi_reduce_slice_limit(&loops)) return false;
    opi_reduce_slice(&loops, task->array[OPI_IN].mem, task->n, scratch, scratch + value);
    memcpy(task->result, scratch, loops.size);
    opi_quiet_run(&loops.quiet, task->result, 1);
    return true;
}

/* Scans from the identity. */
static void scan_exact(const opi_loops *loops, const char *in, size_t n, bool exclusive, char *out, char *scratch)
{
    char *const first = scratch + opi_round_up(loops->size, OPI_CACHE_LINE);
    memcpy(scratch, loops->op->identity, loops->size);
    memcpy(first, in, loops->size); /* out may be in */
    loops->exact->scan(in, n, exclusive, scratch, out);
    opi_scan_put_first(loops, first, NULL, n, exclusive, out);
}

OPI_APART static bool scan(const opi_cores *cores, const opi_task *task)
{
    opi_loops loops;
    const void *const in = task->array[OPI_IN].mem;
    char *const out = (char *)opi_task_written(task)->mem;
    const size_t n = task->n;
    _Alignas(OPI_CACHE_LINE) char scratch[SCRATCH_BYTES];
    opi_loops_plan(&loops, task->op, cores->isa, n * task->array[OPI_IN].size);
    const size_t nodes = opi_round_up((OPLUS_RUN_LEVEL + 1) * loops.size, OPI_CACHE_LINE);
    if (loops.exact) {
        scan_exact(&loops, in, n, task->exclusive, out, scratch);
    } else {
        if (nodes + opi_loops_scratch(&loops) > SCRATCH_BYTES || opi_loops_run_fit(&loops, false, 0, n) < n)
            return false;
        opi_loops_run(&loops, in, n, task->exclusive, NULL, out, scratch, scratch + nodes);
    }
    opi_quiet_run(&loops.quiet, out, n);
    return true;
}

static bool is_exact(const opi_cores *cores, const oplus_op *op)
{
    return op->builtin && cores->isa->builtin[op->builtin - 1].reduce;
}

bool opi_few_run(const opi_cores *cores, const opi_task *task)
{
    if (opi_task_is_fused(task) || task->n == 0 || task->n * task->array[OPI_IN].size > FEW_BYTES ||
        cores->wanted.count > 0)
        return false;
    switch (task->what) {
    case OPI_MAP:
        return map(cores, task);
    case OPI_FILTER:
        return filter(cores, task);
    case OPI_REDUCE:
        return !task->lifted && task->first == 0 && task->result && reduce(cores, task);
    case OPI_SCAN:
        return !task->lifted && task->first == 0 && (task->n <= RUN || is_exact(cores, task->op)) && scan(cores, task);
    default:
        return false;
    }
}
