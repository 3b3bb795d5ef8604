/* An operator without an identity, where one is needed: found by the front, and by ranks that turn out to have nothing. */
#ifndef OPI_IDENTITY_H
#define OPI_IDENTITY_H

#include "base/error.h"

/* Why: who needs it, as in "a reduce of n = 0 elements". */
oplus_status opi_check_identity(const char *call, const oplus_op *op, const char *why);

#endif
