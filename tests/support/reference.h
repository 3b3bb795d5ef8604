/* The reference: the definition of docs/tree-v1.md, written down once more as plainly as possible, and slow. */
#ifndef TEST_REFERENCE_H
#define TEST_REFERENCE_H

#include "support/subjects.h"

/* prefix[m] = P(m) for m = 0 .. n, n+1 elements, every NaN canonical.
 *
 * init: P(0), or NULL where it is absent; prefix[0] is then the identity, or bytes of 0 where there is none.
 * heads: NULL, or the flags of the lifted operator (f,s) (+) (g,t) = (f|g, g ? t : s (+) t). */
void reference_prefixes(const subject *s, const void *init, const void *x, const uint8_t *heads, size_t n,
                        void *prefix);

/* P(n) alone, by the recursive definition of N and P, word for word; takes O(n) time and O(log n) memory.  n > 0.
 * element(context, i, out) gives x[i]. */
void reference_reduce(const subject *s, void (*element)(const void *context, uint64_t i, void *out),
                      const void *context, uint64_t n, void *out);

/* The exclusive scan that belongs to prefixes: the identity at every head and at 0, else P(i). */
void reference_exclusive(const subject *s, const void *prefix, const uint8_t *heads, size_t n, void *out);

#endif
