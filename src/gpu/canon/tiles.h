/* Tiles of the canonical tree on an accelerator: what a reduce, a scan and a filter have in common.
 *
 * Each has kernels of these names, whose arguments begin with the task's arrays (opi_aggregate: those that it reads):
 * opi_aggregate, opi_apply, opi_one; and opi_result, opi_spine, opi_gather, opi_spread of canon/spine.cl. */
#ifndef OPI_GPU_TILES_H
#define OPI_GPU_TILES_H

#include "gpu/job.h"

/* How n items, from item `at` on, are cut: the rest of a tile, whole tiles, the beginning of a tile. */
typedef struct opi_tile_cut {
    uint64_t head, tiles, tail;
} opi_tile_cut;

static inline opi_tile_cut opi_tiles_cut(uint64_t at, uint64_t n, uint64_t tile)
{
    const uint64_t into = at % tile;
    opi_tile_cut c = {.head = into == 0 ? 0 : into + n < tile ? n : tile - into};
    c.tiles = (n - c.head) / tile;
    c.tail = n - c.head - c.tiles * tile;
    return c;
}

/* --- ways (gpu/ways.h) ---------------------------------------------------------------------------------------------- */

bool opi_tiles_are_few(const opi_job *job, uint64_t n);
bool opi_tiles_are_any(const opi_job *job, uint64_t n);
oplus_status opi_one_group(opi_job *job, const opi_part *part);
oplus_status opi_tiles_prepare(opi_job *job, uint64_t n);
oplus_status opi_tiles_run(opi_job *job, const opi_part *part);

/* --- nodes that somebody else has found: a reduce of what is dealt out ----------------------------------------------- */

/* Reserves g->nodes for m nodes. */
oplus_status opi_tiles_reserve_nodes(const opi_job *job, uint64_t m);
/* Joins m nodes of 2^base elements each, which stand in g->nodes from nodes[1] on, and appends them to the range; it begins
 * there if the job is fresh.  keep: more elements follow. */
oplus_status opi_tiles_join(opi_job *job, uint64_t m, unsigned base, bool keep);

/* --- results -------------------------------------------------------------------------------------------------------- */

/* What is made of the range, to device memory. */
oplus_status opi_tiles_result(const opi_job *job, void *to);
/* Sets job->result, if the task has a result: launches that change the range write it, too. */
oplus_status opi_tiles_aim(opi_job *job);
/* Brings the result to where the task wants it.  waits: an array was the host's, and the call is to be done when it
 * returns. */
oplus_status opi_tiles_take_result(const opi_job *job, bool waits);
/* Of no items: the host makes the result. */
oplus_status opi_tiles_nothing(const opi_job *job);

#endif
