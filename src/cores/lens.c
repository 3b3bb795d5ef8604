#include "cores/lens.h"

#include "base/memory.h"
#include "task/late.h"

enum { PIECE_BYTES = 8 << 10 /* of made elements: they stay in a first-level cache with what they are made of */ };

void opi_lens_plan(opi_lens *lens, const opi_isa *isa, const opi_task *task, size_t size)
{
    lens->fn = task->before;
    lens->size = size;
    lens->in[0] = task->array[OPI_IN].mem;
    lens->backward = task->what == OPI_SCAN_REVERSE;
    lens->n = task->n;
    lens->isa = isa;
    for (lens->piece = 1; 2 * lens->piece * size <= PIECE_BYTES;) lens->piece *= 2;
    if (!lens->fn) return;
    lens->leaf = opi_leaf_of(lens->fn);
    lens->index = opi_task_index(task);
    opi_quiet_plan(&lens->quiet, isa, lens->fn->result);
    for (unsigned k = 0; k < lens->fn->arity; k++) lens->in[k] = opi_task_input(task, k)->mem;
}

size_t opi_lens_room(const opi_lens *lens)
{
    return opi_lens_makes(lens) ? opi_round_up(lens->piece * lens->size, OPI_CACHE_LINE) : 0;
}

void opi_lens_make(const opi_lens *lens, size_t i, size_t n, char *room)
{
    const oplus_fn *const fn = lens->fn;
    opi_operands operands;
    if (lens->backward) {
        lens->isa->reverse(lens->in[0] + (lens->n - i - n) * lens->size, n, lens->size, room);
        return;
    }
    for (unsigned k = 0; k < fn->arity; k++) operands.in[k] = lens->in[k] + i * fn->input[k]->size;
    opi_leaf_run(lens->leaf, fn, &operands, lens->index, i, n, room);
    opi_quiet_run(&lens->quiet, room, n);
}

bool opi_lens_sees(const opi_lens *lens, const void *out)
{
    const unsigned inputs = lens->fn ? lens->fn->arity : 1;
    for (unsigned k = 0; k < inputs; k++)
        if (lens->in[k] == out) return true;
    return false;
}
