/* Put.  Large elements: each worker writes a part of the output, for all indices in their order.  Small ones: one worker
 * does all, or, if no cache holds the output, they go by buckets (cores/put_buckets.h). */
#ifndef OPI_PUT_H
#define OPI_PUT_H

#include "cores/cores.h"
#include "cores/isa.h"
#include "cores/sweep.h"
#include "task/task.h"

typedef struct opi_put_sweep {
    opi_sweep sweep; /* over the elements of the output */
    const opi_isa *isa;
    opi_indices indices;
    size_t size; /* of an element, bytes */
    const char *in;
    char *out;
    size_t wrong; /* the first index that is out of range, which the worker of the first part finds; SIZE_MAX: none */
} opi_put_sweep;

enum { OPI_PUT_SMALL = 16 /* bytes of a small element, at most */ };

/* workers: how many threads there are. */
void opi_put_plan(opi_put_sweep *plan, const opi_isa *isa, size_t workers, const opi_task *task);
oplus_status opi_put_run(opi_cores *cores, const char *call, const opi_task *task);
void opi_put_explain(opi_cores *cores, const opi_task *task, opi_saying *to);
size_t opi_put_bytes(const opi_task *task); /* that are moved */

#endif
