/* The check that a struct of the program was compiled with the headers of this library: each such struct begins with
 * `abi`. */
#ifndef OPI_ABI_H
#define OPI_ABI_H

#include "base/error.h"

#include <oplus/oplus.h>

/* Fails with OPLUS_ERR_ARGUMENT for a struct with a wrong `abi`.  argument: its name, "op"; how: how to make one,
 * "made by OPLUS_OP". */
oplus_status opi_fail_abi(const char *call, const char *argument, unsigned abi, const char *how);

/* Checks `abi`; inlined, as every call makes several such checks. */
static inline oplus_status opi_check_abi(const char *call, const char *argument, unsigned abi, const char *how)
{
    return abi == OPLUS_ABI ? OPLUS_OK : opi_fail_abi(call, argument, abi, how);
}

#endif
