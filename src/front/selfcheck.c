/* The part of oplus_selfcheck that need not be compiled with the user's flags. */
#include <oplus/selfcheck.h>

#include "base/error.h"

#include <inttypes.h>

oplus_status oplus_selfcheck_compare_(const char *what, const void *result, size_t bytes, uint64_t expected,
                                      const char *remedy)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ ((const unsigned char *)result)[i]) * 0x100000001b3u;
    if (hash == expected) return OPLUS_OK;
    return opi_fail(OPLUS_ERR_INTERNAL,
                    "oplus_selfcheck: %s gives other bits than tree v1 (hash %016" PRIx64 ", not %016" PRIx64 "); %s",
                    what, hash, expected, remedy);
}
