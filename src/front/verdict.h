/* The verdict for OPLUS_CHECK: what oplus_op_check says about an operator from text. */
#ifndef OPI_VERDICT_H
#define OPI_VERDICT_H

#include <oplus/oplus.h>

/* Looks for a counterexample in another process, which the operator may crash; the cache keeps the answer.  Returns
 * OPLUS_ERR_ARGUMENT with the counterexample; OPLUS_OK if there is none, if there are no samples of the type, or if
 * the search was not possible (no other process, or too slow). */
oplus_status opi_verdict(const char *call, const oplus_op *op);

#endif
