/* Map: a block of results, each from the elements at its own index. */
#ifndef OPI_MAP_H
#define OPI_MAP_H

#include "cores/isa.h"
#include "cores/quiet.h"
#include "cores/sweep.h"
#include "task/task.h"

typedef struct opi_map_sweep {
    opi_sweep sweep;
    const oplus_fn *fn;
    void (*leaf)(const void *const *in, const void *param, size_t n, void *out);
    uint64_t index; /* the index i of element 0 */
    const opi_isa *isa;
    opi_quiet quiet;
    const char *in[OPLUS_MAX_ARITY];
    char *out;
    size_t piece;   /* elements that are made at a time */
    bool streaming; /* results go through a cached piece and non-temporal stores */
} opi_map_sweep;

void opi_map_plan(opi_map_sweep *plan, const opi_isa *isa, const opi_task *task);

#endif
