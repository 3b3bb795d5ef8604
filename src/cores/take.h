/* Take: a block of results, from elements anywhere. */
#ifndef OPI_TAKE_H
#define OPI_TAKE_H

#include "cores/cores.h"
#include "cores/isa.h"
#include "cores/sweep.h"
#include "task/task.h"

#include <stdatomic.h>

typedef struct opi_take_sweep {
    opi_sweep sweep;
    const opi_isa *isa;
    opi_indices indices;
    size_t size; /* of an element, bytes */
    const char *in;
    char *out;
    size_t piece;         /* elements at a time: they stay in a first-level cache */
    bool streaming;       /* results go through a cached piece and non-temporal stores */
    _Atomic size_t wrong; /* the first index that was found to be out of range; SIZE_MAX: none */
} opi_take_sweep;

void opi_take_plan(opi_take_sweep *plan, const opi_isa *isa, const opi_task *task);
oplus_status opi_take_run(opi_cores *cores, const char *call, const opi_task *task);

/* Says in an error that index k is out of range. */
oplus_status opi_indices_refuse(const char *call, const opi_indices *indices, size_t k);
/* Whether one of the n indices from `begin` on is out of range. */
bool opi_indices_any_wrong(const opi_isa *isa, const opi_indices *indices, size_t begin, size_t n);
/* The first index from `begin` on that is out of range; there must be one, else it is the last one. */
size_t opi_indices_first_wrong(const opi_indices *indices, size_t begin);

#endif
