/* Keys that a sort by digits could stumble over. */
#ifndef TEST_KEYS_H
#define TEST_KEYS_H

#include <oplus/oplus.h>

#include "support/rng.h"

enum { KEY_KINDS = 10 };

/* Key i of n, as its bits; `kind` is below KEY_KINDS. */
uint64_t odd_key(rng *r, const oplus_type *type, unsigned kind, size_t i, size_t n);

#endif
