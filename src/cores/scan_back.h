/* Scans from the last element to the first by an operator whose operands matter: its loops take them in the order of the
 * elements, and here the later operand comes first. */
#ifndef OPI_SCAN_BACK_H
#define OPI_SCAN_BACK_H

#include "cores/lens.h"
#include "cores/loops.h"

/* Makes *exchanged the operator `op` with its operands exchanged; op must stay where it is. */
void opi_exchange(oplus_op *exchanged, const oplus_op *const *op);

/* Appends the elements [begin, end) of a lens that goes backward to a range of the exchanged operator.  plain: loops of the
 * operator as it is; scratch: opi_back_scratch bytes. */
void opi_back_append(const opi_loops *plain, const opi_lens *lens, size_t begin, size_t end, opi_range *range,
                     char *scratch);

/* Scans a piece of n = 2^k elements, which lie at x in the order of the array.  The last of them has the index range->end, a
 * multiple of n, in the opposite order, and something precedes it.  out may be x. */
void opi_back_scan(const opi_loops *plain, const char *x, size_t n, bool exclusive, char *out, opi_range *range,
                   char *scratch);
size_t opi_back_scratch(const opi_loops *plain, size_t n);

#endif
