/* Arrays with guards around them, in the host's memory or in a device's: a test sees what is written outside. */
#ifndef TEST_GUARDED_H
#define TEST_GUARDED_H

#include "support/laws.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { GUARD = 192 };

/* `there` is NULL if the array is not in the device's memory. */
typedef struct array {
    unsigned char *host, *there;
    size_t bytes, before; /* before: bytes before the first element */
} array;

/* n elements of random bytes, at any element of an aligned block; at an accelerator mostly in its memory. */
static inline array array_open(rng *r, const place *at, size_t size, size_t n)
{
    const size_t shift = rng_below(r, 3) ? 0 : rng_below(r, 9);
    array a = {.before = GUARD + shift * size, .bytes = 2 * GUARD + (shift + n) * size};
    a.host = must(aligned_alloc(64, (a.bytes + 63) / 64 * 64));
    for (size_t i = 0; i < a.bytes; i++) a.host[i] = (unsigned char)rng_next(r);
    if (at->accelerator && rng_below(r, 3)) must_be_ok(oplus_alloc(at->dev, a.bytes, (void **)&a.there), "alloc");
    return a;
}

/* The first element, of the array that the host has. */
static inline unsigned char *own(const array *a) { return a->host + a->before; }

/* The first element, where the call finds it. */
static inline unsigned char *given(const place *at, const array *a)
{
    if (!a->there) return own(a);
    must_be_ok(oplus_copy(at->dev, a->there, a->host, a->bytes), "copy");
    return a->there + a->before;
}

static inline void array_close(const place *at, array *a)
{
    oplus_free(at->dev, a->there);
    free(a->host);
}

/* Whether the array is `expected`, with its guards. */
static inline void compare(const place *at, const array *a, const unsigned char *expected, const char *what)
{
    if (a->there) must_be_ok(oplus_copy(at->dev, a->host, a->there, a->bytes), "copy");
    if (memcmp(a->host, expected, a->bytes) == 0) return;
    size_t i = 0;
    while (a->host[i] == expected[i]) i++;
    fail_msg("%s %s: %s: byte %td is %02x, not %02x; OPLUS_TEST_SEED=%" PRIu64, at->where, at->isa, what,
             (ptrdiff_t)i - (ptrdiff_t)a->before, a->host[i], expected[i], test_seed());
}

#endif
