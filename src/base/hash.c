#include "base/hash.h"

#include <string.h>

#define XXH_INLINE_ALL /* the header alone: nothing to link */
#include <xxhash.h>

static opi_hash from(XXH128_hash_t h) { return (opi_hash){h.low64, h.high64}; }

opi_hash opi_hash_bytes(const void *bytes, size_t size) { return from(XXH3_128bits(bytes, size)); }

opi_hash opi_hash_strings(const char *const *strings)
{
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    for (; *strings; strings++) XXH3_128bits_update(&state, *strings, strlen(*strings) + 1);
    return from(XXH3_128bits_digest(&state));
}
