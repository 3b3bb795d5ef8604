/* The structs that a program fills in begin with `abi`: were they made with the headers of this library? */
#ifndef OPI_ABI_H
#define OPI_ABI_H

#include "base/error.h"

#include <oplus/oplus.h>

/* Says what is wrong; returns OPLUS_ERR_ARGUMENT.  argument: "op"; how: how one is made, "made by OPLUS_OP". */
oplus_status opi_fail_abi(const char *call, const char *argument, unsigned abi, const char *how);

/* One comparison, inlined: every call makes several. */
static inline oplus_status opi_check_abi(const char *call, const char *argument, unsigned abi, const char *how)
{
    return abi == OPLUS_ABI ? OPLUS_OK : opi_fail_abi(call, argument, abi, how);
}

#endif
