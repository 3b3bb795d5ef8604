#include "leaf/map.h"

#include <string.h>

enum {
    PIECE_BYTES = 16 << 10, /* of results: a piece stays in a first-level cache until it is looked over and stored */
    BLOCK_BYTES = 256 << 10
};

static void apply(const opi_sweep *sweep, size_t begin, size_t end, void *carry, const void *total, bool aggregated,
                  void *scratch)
{
    const opi_map_sweep *plan = (const opi_map_sweep *)sweep;
    const oplus_fn *fn = plan->fn;
    const size_t size = fn->result->size, piece = opi_elements_in(PIECE_BYTES, size);
    (void)carry;
    (void)total;
    (void)aggregated;
    for (size_t i = begin; i < end; i += piece) {
        const size_t n = end - i < piece ? end - i : piece;
        const void *in[OPLUS_MAX_ARITY];
        for (unsigned k = 0; k < fn->arity; k++) in[k] = plan->in[k] + i * fn->input[k]->size;
        char *const out = plan->out + i * size, *const to = plan->streaming ? scratch : out;
        fn->leaf(in, fn->param, n, to);
        opi_quiet_run(&plan->quiet, to, n);
        const void *const next = end - i < 2 * piece ? NULL : plan->in[0] + (i + n) * fn->input[0]->size;
        if (plan->streaming) plan->isa->stream(out, to, n * size, next);
    }
    if (plan->streaming) plan->isa->fence();
}

void opi_map_plan(opi_map_sweep *plan, const oplus_fn *fn, const opi_isa *isa, const void *const *in, size_t n,
                  void *out)
{
    opi_sweep_clear(&plan->sweep);
    plan->fn = fn;
    plan->isa = isa;
    opi_quiet_plan(&plan->quiet, isa, fn->result);
    plan->out = out;
    size_t bytes = fn->result->size;
    plan->streaming = n * fn->result->size >= OPI_STREAMING_BYTES;
    for (unsigned k = 0; k < fn->arity; k++) {
        plan->in[k] = in[k];
        bytes += fn->input[k]->size;
        if (in[k] == out) plan->streaming = false; /* its lines are in the cache when they are written */
    }
    const size_t size = fn->result->size, piece = opi_elements_in(PIECE_BYTES, size);
    plan->sweep.n = n;
    plan->sweep.block = piece * opi_elements_in(BLOCK_BYTES, piece * size);
    plan->sweep.bytes = n * bytes;
    plan->sweep.scratch_bytes = plan->streaming ? piece * size : 0;
    plan->sweep.apply = apply;
    plan->sweep.form.kernels = "map";
    plan->sweep.form.fn = fn;
    plan->sweep.form.arrays = (int)fn->arity + 1;
    for (unsigned k = 0; k < fn->arity; k++)
        plan->sweep.form.array[k] = (opi_array){in[k], fn->input[k]->size, OPI_READS};
    plan->sweep.form.array[fn->arity] = (opi_array){out, size, OPI_WRITES};
}
