/* Pack: a block of numbers that are in the order of some members of each element. */
#ifndef OPI_PACK_H
#define OPI_PACK_H

#include "cores/sweep.h"
#include "task/task.h"

typedef struct opi_pack_sweep {
    opi_sweep sweep; /* first: a leaf finds its plan through it */
    const opi_packed *member;
    size_t count;
    size_t size, key_size; /* bytes of an element, and of a number */
    const char *in;
    char *out;
} opi_pack_sweep;

void opi_pack_plan(opi_pack_sweep *plan, const opi_task *task);

#endif
