#include "cores/loops.h"

#include "task/late.h"

#include <string.h>

enum {
    FAR_BYTES = 1 << 20, /* larger data are not in a core's own cache */
    RUN_BYTES = 1 << 15, /* of a run, whose results are then looked over for NaNs: in a first-level cache */
    FEW_LEVEL = 6        /* of blocks up to which a run is faster than any block */
};

/* An operator known by a call alone has runs without heads. */
static bool has_run(const opi_loops *loops, bool heads)
{
    if (!opi_loops_typed(loops)) return !heads;
    if (loops->with) return heads ? loops->with->segrun != NULL : loops->with->run != NULL;
    return heads ? loops->tree.segrun != NULL : loops->tree.run != NULL;
}

/* Blocks are faster than runs where vectors compute them: for narrow elements, and for built-in sums of floats. */
static void plan_runs(opi_loops *loops)
{
    loops->short_runs = loops->size < 8 || (loops->builtin && loops->builtin->node_far);
    loops->run_level = loops->short_runs ? FEW_LEVEL : OPLUS_RUN_LEVEL;
    while (loops->run_level > FEW_LEVEL && loops->size << loops->run_level > RUN_BYTES) loops->run_level--;
}

void opi_loops_plan(opi_loops *loops, const oplus_op *op, const opi_isa *isa, size_t bytes)
{
    const oplus_op *const code = opi_code_of_op(op);
    loops->op = op;
    loops->code = code;
    loops->size = op->type->size;
    loops->level = OPLUS_LEAF_LEVEL(op->type->size);
    loops->node_level = loops->level;
    loops->isa = isa;
    loops->far = bytes >= FAR_BYTES;
    loops->builtin = loops->exact = NULL;
    loops->with = NULL;
    opi_quiet_plan(&loops->quiet, isa, op->type);
    if (op->builtin) {
        const opi_builtin *builtin = &isa->builtin[op->builtin - 1];
        loops->builtin = builtin;
        loops->tree = builtin->tree;
        if (builtin->reduce) loops->exact = builtin;
        if (builtin->node_level) loops->node_level = builtin->node_level;
        if (builtin->node_far && loops->far) loops->tree.node = builtin->node_far;
    } else if (code->leaves) {
        loops->tree = *code->leaves;
    } else {
        memset(&loops->tree, 0, sizeof loops->tree);
        loops->with = code->leaves_with;
    }
    plan_runs(loops);
}

size_t opi_loops_run_fit(const opi_loops *loops, bool heads, uint64_t at, size_t n)
{
    const unsigned aligned = at ? (unsigned)__builtin_ctzll(at) : loops->run_level;
    const unsigned level = aligned < loops->run_level ? aligned : loops->run_level;
    const size_t most = (size_t)1 << level;
    if (!has_run(loops, heads) || (loops->short_runs && at && level == FEW_LEVEL && n >= most)) return 0;
    return n < most ? n : most;
}

/* --- the same loops around a call, for an operator known by `combine` or `combine_with` alone --------------------- */

enum { RUN_ELEMENTS = 2 * OPLUS_RUN_NODES_ + 14 }; /* of scratch */

static void copy_bytes(void *out, const void *a, size_t size) { memcpy(out, a, size); }

static void pick_bytes(void *out, int first, const void *a, const void *b, size_t size)
{
    memcpy(out, first ? a : b, size);
}

static oplus_element element_of(const opi_loops *loops)
{
    const oplus_element element = {loops->size, loops->code->combine, NULL, copy_bytes, pick_bytes, NULL, NULL, NULL};
    return element;
}

static oplus_element element_with(const opi_loops *loops)
{
    const oplus_op *const op = loops->op;
    const oplus_element element = {loops->size, NULL,     NULL, copy_bytes, pick_bytes, loops->code->combine_with,
                                   NULL,        op->param};
    return element;
}

size_t opi_loops_scratch(const opi_loops *loops)
{
    const size_t block = (size_t)1 << loops->level;
    const size_t nodes = block, ladder = 2 * block + 2;
    if (opi_loops_typed(loops)) return 0;
    const size_t blocks = (nodes + ladder + 1) * loops->size + block, run = RUN_ELEMENTS * loops->size;
    return opi_round_up(blocks > run ? blocks : run, OPI_CACHE_LINE);
}

/* Scratch of a call by pointer: nodes, then the ladder, then flags. */
static char *ladder_in(const opi_loops *loops, char *scratch) { return scratch + (loops->size << loops->level); }

static uint8_t *flags_in(const opi_loops *loops, char *scratch)
{
    return (uint8_t *)ladder_in(loops, scratch) + (((size_t)2 << loops->level) + 2) * loops->size;
}

/* Each loop stands here twice, once for each kind of call, so that it does not test for each element which it is. */
static void call_node(const opi_loops *loops, const void *in, unsigned level, void *node, char *scratch)
{
    char *const t = ladder_in(loops, scratch);
    if (loops->code->combine)
        oplus_node_(element_of(loops), in, level, scratch, t, node);
    else
        oplus_node_(element_with(loops), in, level, scratch, t, node);
}

static void call_scan(const opi_loops *loops, const void *in, unsigned level, bool exclusive, const void *before,
                      void *out, void *node, char *scratch)
{
    char *const ladder = ladder_in(loops, scratch);
    if (loops->code->combine)
        oplus_scan_(element_of(loops), in, level, exclusive, before, out, scratch, ladder, node);
    else
        oplus_scan_(element_with(loops), in, level, exclusive, before, out, scratch, ladder, node);
}

static void call_run(const opi_loops *loops, const void *in, size_t n, bool exclusive, const void *before, void *out,
                     void *nodes, char *scratch)
{
    const void *const identity = loops->op->identity;
    char *const prefix = scratch + OPLUS_RUN_NODES_ * loops->size, *const t = prefix + OPLUS_RUN_NODES_ * loops->size;
    if (loops->code->combine)
        oplus_run_(element_of(loops), in, n, exclusive, before, identity, out, scratch, prefix, t, nodes);
    else
        oplus_run_(element_with(loops), in, n, exclusive, before, identity, out, scratch, prefix, t, nodes);
}

static void call_segscan(const opi_loops *loops, const void *in, const uint8_t *heads, unsigned level, bool exclusive,
                         const void *before, const void *identity, void *out, void *node, uint8_t *head, char *scratch)
{
    char *const ladder = ladder_in(loops, scratch);
    uint8_t *const flags = flags_in(loops, scratch);
    if (loops->code->combine)
        oplus_segscan_(element_of(loops), in, heads, level, exclusive, before, identity, out, scratch, flags, ladder,
                       node, head);
    else
        oplus_segscan_(element_with(loops), in, heads, level, exclusive, before, identity, out, scratch, flags, ladder,
                       node, head);
}

static void call_zip(const opi_loops *loops, const void *a, const void *b, size_t n, void *out)
{
    if (loops->code->combine)
        oplus_zip_(element_of(loops), a, b, out, n);
    else
        oplus_zip_(element_with(loops), a, b, out, n);
}

/* --- the loops of whatever operator ------------------------------------------------------------------------------- */

void opi_loops_node(const opi_loops *loops, const void *in, unsigned level, void *node, void *scratch)
{
    if (loops->tree.node)
        loops->tree.node(in, level, node);
    else if (loops->with)
        loops->with->node(in, level, node, loops->op->param);
    else
        call_node(loops, in, level, node, scratch);
}

size_t opi_loops_segments(const opi_loops *loops, const void *in, const uint64_t *offsets, size_t segments, void *out)
{
    const oplus_op *const op = loops->op;
    if (loops->tree.segments) return loops->tree.segments(in, offsets, segments, op->identity, out);
    if (loops->with && loops->with->segments)
        return loops->with->segments(in, offsets, segments, op->identity, out, op->param);
    return 0;
}

void opi_loops_scan(const opi_loops *loops, const void *in, unsigned level, bool exclusive, const void *before,
                    void *out, void *node, void *scratch)
{
    if (loops->tree.scan)
        loops->tree.scan(in, level, exclusive, before, out, node);
    else if (loops->with)
        loops->with->scan(in, level, exclusive, before, out, node, loops->op->param);
    else
        call_scan(loops, in, level, exclusive, before, out, node, scratch);
}

void opi_loops_run(const opi_loops *loops, const void *in, size_t n, bool exclusive, const void *before, void *out,
                   void *nodes, void *scratch)
{
    const oplus_op *const op = loops->op;
    if (loops->tree.run)
        loops->tree.run(in, n, exclusive, before, op->identity, out, nodes);
    else if (loops->with)
        loops->with->run(in, n, exclusive, before, op->identity, out, nodes, op->param);
    else
        call_run(loops, in, n, exclusive, before, out, nodes, scratch);
}

void opi_loops_segrun(const opi_loops *loops, const void *in, const uint8_t *heads, size_t n, bool exclusive,
                      const void *before, void *out, void *nodes, uint8_t *node_heads)
{
    const oplus_op *const op = loops->op;
    if (loops->tree.segrun)
        loops->tree.segrun(in, heads, n, exclusive, before, op->identity, out, nodes, node_heads);
    else
        loops->with->segrun(in, heads, n, exclusive, before, op->identity, out, nodes, node_heads, op->param);
}

void opi_loops_segscan(const opi_loops *loops, const void *in, const uint8_t *heads, unsigned level, bool exclusive,
                       const void *before, void *out, void *node, uint8_t *head, void *scratch)
{
    const void *identity = exclusive ? loops->op->identity : before; /* an inclusive scan needs none */
    if (loops->tree.segscan)
        loops->tree.segscan(in, heads, level, exclusive, before, identity, out, node, head);
    else if (loops->with)
        loops->with->segscan(in, heads, level, exclusive, before, identity, out, node, head, loops->op->param);
    else
        call_segscan(loops, in, heads, level, exclusive, before, identity, out, node, head, scratch);
}

void opi_loops_zip(const opi_loops *loops, const void *a, const void *b, size_t n, void *out)
{
    if (loops->tree.zip)
        loops->tree.zip(a, b, n, out);
    else if (loops->with)
        loops->with->zip(a, b, n, out, loops->op->param);
    else
        call_zip(loops, a, b, n, out);
}
