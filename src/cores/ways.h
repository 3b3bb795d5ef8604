/* The schedules of the cores: how blocks are dealt out and how carries meet.  They know nothing of primitives. */
#ifndef OPI_CORES_WAYS_H
#define OPI_CORES_WAYS_H

#include "cores/cores.h"

/* A sweep of n > 0 items under way.  carry: on entry what precedes item 0, on return what precedes item n; NULL if the
 * sweep has none. */
typedef struct opi_sweeping {
    opi_cores *cores;
    const char *call;
    const opi_sweep *sweep;
    void *carry;
    size_t workers; /* that the sweep may have: at least one, and no more than there are blocks */
} opi_sweeping;

typedef struct opi_cores_way {
    const char *name;
    bool (*suits)(const opi_sweep *sweep, size_t workers);
    oplus_status (*run)(const opi_sweeping *s);
    const char *words; /* what it does, and when: for an explanation */
} opi_cores_way;

/* The way that is taken: the first that suits, of those in OPLUS_WAY if there are any. */
const opi_cores_way *opi_cores_way_of(const opi_cores *cores, const opi_sweep *sweep, size_t workers);
/* The ways, the one that is taken, and why not another. */
void opi_cores_explain_sweep(opi_cores *cores, const opi_sweep *sweep, opi_saying *to);
/* How many workers a sweep may have. */
size_t opi_cores_workers(opi_cores *cores, const opi_sweep *sweep);

/* Chooses a way, and runs the sweep by it; s->workers need not be set. */
oplus_status opi_sweep_by_way(opi_sweeping *s);

/* --- the schedules ------------------------------------------------------------------------------------------------ */

oplus_status opi_sweep_serial(const opi_sweeping *s);      /* blocks in order, by the caller */
oplus_status opi_sweep_independent(const opi_sweeping *s); /* nothing is carried */
oplus_status opi_sweep_parts(const opi_sweeping *s);       /* contiguous parts are summed up, and joined */
oplus_status opi_sweep_whole(const opi_sweeping *s);       /* all blocks are aggregated before any is applied */
oplus_status opi_sweep_in_order(const opi_sweeping *s);    /* a block is applied while it is in its cache */
oplus_status opi_sweep_two_pass(const opi_sweeping *s);    /* parts are summed up, then applied: read twice */

/* opi_cores_sweep, inlined where a small call is soon done. */
static inline oplus_status opi_sweep_now(opi_cores *cores, const char *call, const opi_sweep *sweep, void *carry)
{
    if (sweep->n == 0) return OPLUS_OK;
    opi_sweeping s = {cores, call, sweep, carry, 1};
    return cores->workers == 1 && cores->wanted.count == 0 ? opi_sweep_serial(&s) : opi_sweep_by_way(&s);
}

/* The two passes by themselves.  Between them the parts' summaries stay in the workspace: see cores->ticket. */
oplus_status opi_two_pass_summarise(const opi_sweeping *s);
oplus_status opi_two_pass_apply(const opi_sweeping *s);

/* --- what they share ---------------------------------------------------------------------------------------------- */

/* Contiguous parts, of whole blocks. */
typedef struct opi_parts {
    const opi_sweep *sweep;
    size_t blocks, count;    /* of the sweep; parts */
    char *carries, *scratch; /* of each part; of each worker */
    size_t carry_stride, scratch_stride;
} opi_parts;

/* Divides a sweep into at most so many parts; sets the strides, but no memory yet. */
opi_parts opi_parts_of(const opi_sweep *sweep, size_t most);
/* The item at which part p begins; its end is where the next one does. */
size_t opi_part_begin(const opi_parts *parts, size_t p);
static inline void *opi_part_carry(const opi_parts *parts, size_t p)
{
    return parts->carries + p * parts->carry_stride;
}
static inline void *opi_part_scratch(const opi_parts *parts, size_t worker)
{
    return parts->scratch + worker * parts->scratch_stride;
}
/* Aggregates them all, each from an empty carry. */
void opi_parts_aggregate(const opi_sweeping *s, opi_parts *parts);

/* Starts threads, if there are to be several, and reserves so much of cores->workspace; tickets become invalid. */
oplus_status opi_workspace_grow(const opi_sweeping *s, size_t bytes);
static inline oplus_status opi_workspace_reserve(const opi_sweeping *s, size_t bytes)
{
    opi_buffer *const workspace = &s->cores->workspace;
    s->cores->ticket++;
    if (s->workers == 1 && workspace->mem && bytes <= workspace->bytes) return OPLUS_OK;
    return opi_workspace_grow(s, bytes);
}

#endif
