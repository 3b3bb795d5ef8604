/* OPLUS_CHECK: what oplus_op_check says of an operator from text, found out once. */
#ifndef OPI_VERDICT_H
#define OPI_VERDICT_H

#include <oplus/oplus.h>

/* OPLUS_OK where no counterexample was found, where there are no samples of the type, or where none could be looked for
 * (no other process, too slow); OPLUS_ERR_ARGUMENT with the counterexample.  It is looked for by another process, which
 * may end as it likes; the answer is kept in the cache. */
oplus_status opi_verdict(const char *call, const oplus_op *op);

#endif
