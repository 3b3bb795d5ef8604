#include "support/arrays.h"

#include <stdlib.h>
#include <string.h>

enum { GUARD = 64 };

int add_array(arrays *a, rng *r, const void *from, size_t bytes)
{
    const int k = a->count++;
    assert_true(k < MOST_ARRAYS);
    a->bytes[k] = bytes;
    a->host[k] = must(malloc(bytes + GUARD));
    memset(a->host[k], 0xa5, bytes + GUARD);
    if (from && bytes > 0) memcpy(a->host[k], from, bytes);
    a->mem[k] = a->host[k];
    if (rng_below(r, 2)) return k;
    void *there;
    assert_int_equal(oplus_alloc(a->dev, bytes + GUARD, &there), OPLUS_OK);
    assert_int_equal(oplus_copy(a->dev, there, a->host[k], bytes + GUARD), OPLUS_OK);
    a->mem[k] = there;
    return k;
}

void check_array(arrays *a, const place *where, const char *what, int k, const void *want, size_t bytes)
{
    if (a->mem[k] != a->host[k])
        assert_int_equal(oplus_copy(a->dev, a->host[k], a->mem[k], a->bytes[k] + GUARD), OPLUS_OK);
    bool good = bytes == 0 || memcmp(a->host[k], want, bytes) == 0;
    for (size_t i = bytes; i < a->bytes[k] + GUARD; i++) good = good && a->host[k][i] == 0xa5;
    if (!good)
        fail_msg("%s %s: %s is wrong (%zu bytes of %zu)\n    OPLUS_TEST_SEED=%llu", where->where, where->isa, what,
                 bytes, a->bytes[k], (unsigned long long)test_seed());
}

void drop_arrays(arrays *a)
{
    for (int k = 0; k < a->count; k++) {
        if (a->mem[k] != a->host[k]) oplus_free(a->dev, a->mem[k]);
        free(a->host[k]);
    }
    a->count = 0;
}
