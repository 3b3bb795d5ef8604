/* The arrays of a call, each in the host's memory or in the device's, with guards behind them. */
#ifndef TEST_ARRAYS_H
#define TEST_ARRAYS_H

#include "support/laws.h"

enum { MOST_ARRAYS = 10 };

/* `host` as the law sees them, `mem` as the call does. */
typedef struct arrays {
    oplus_device *dev;
    int count;
    unsigned char *host[MOST_ARRAYS], *mem[MOST_ARRAYS];
    size_t bytes[MOST_ARRAYS];
} arrays;

/* Adds an array of so many bytes, a copy of `from` (NULL: of nothing in particular), and returns its number. */
int add_array(arrays *a, rng *r, const void *from, size_t bytes);
/* What the call has written: the first bytes of array k equal `want`, and nothing else has changed.  what: the array in
 * words. */
void check_array(arrays *a, const place *where, const char *what, int k, const void *want, size_t bytes);
void drop_arrays(arrays *a);

#endif
