/* The reference: docs/tree-v1.md, word by word, plain and slow. */
#ifndef RANDOM_TREE_H
#define RANDOM_TREE_H

#include <stddef.h>
#include <stdint.h>

typedef void (*combine_fn)(void *out, const void *a, const void *b);

/* prefix[m] = P(m), 1 <= m <= n, of elements of `size` bytes; heads: of the lifted operator, NULL without; init: P(0),
 * or NULL, absent.  prefix has n + 1 places, the first of which is not written. */
void tree_prefixes(combine_fn combine, size_t size, const void *x, const uint8_t *heads, const void *init, size_t n,
                   void *prefix);

#endif
