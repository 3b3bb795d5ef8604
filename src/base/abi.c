#include "base/abi.h"
#include "base/version.h"

oplus_status opi_fail_abi(const char *call, const char *argument, unsigned abi, const char *how)
{
    if (abi == 0)
        return opi_fail(OPLUS_ERR_ARGUMENT,
                        "%s: %s->abi is 0; give one that is %s, or, if you fill it in yourself, begin with .abi = "
                        "OPLUS_ABI (%u)",
                        call, argument, how, OPLUS_ABI);
    return opi_fail(OPLUS_ERR_ARGUMENT,
                    "%s: %s->abi is %u, and this library's is %u; compile the program with the headers of oplus %s "
                    "(or it was never filled in)",
                    call, argument, abi, OPLUS_ABI, OPI_VERSION);
}
