/* The check that an operator has an identity where one is needed: front asks, and ranks that turn out to have no
 * elements. */
#ifndef OPI_IDENTITY_H
#define OPI_IDENTITY_H

#include "base/error.h"

/* Fails if the operator has no identity.  why: what needs it, as in "a reduce of n = 0 elements". */
oplus_status opi_check_identity(const char *call, const oplus_op *op, const char *why);

#endif
