/* Scan and filter on threads: what precedes a block is made of what the blocks before it have published. */
#ifndef OPI_IN_ORDER_H
#define OPI_IN_ORDER_H

#include "cores/sweep.h"
#include "cores/crew.h"

/* Memory for opi_in_order_run, besides the workers' scratch. */
size_t opi_in_order_bytes(const opi_sweep *sweep, size_t workers);
/* The carry, what precedes item 0, becomes what precedes item n.  scratch: of each worker, opi_round_up(scratch_bytes,
 * 2 * OPI_CACHE_LINE) bytes; memory: opi_in_order_bytes. */
void opi_in_order_run(opi_crew **crew, int workers, const opi_sweep *sweep, void *carry, char *scratch, char *memory);

#endif
