/* What random cases consist of: types of all sizes, operators and functions on them, and their meaning. */
#ifndef RANDOM_KINDS_H
#define RANDOM_KINDS_H

#include <oplus/oplus.h>

#include <stdbool.h>

#include "support/rng.h"

/* Scalars in a row inside an element; what is between the parts is padding. */
typedef struct part {
    size_t offset, count;
    oplus_scalar scalar;
} part;

enum { MAX_PARTS = 8 };

typedef struct kind {
    const oplus_type *type;
    part part[MAX_PARTS]; /* ended by count 0 */
} kind;

typedef struct operation {
    const oplus_op *op;
    void (*combine)(void *out, const void *a, const void *b);
    const kind *of;
    bool device; /* tried on accelerators too, where each must be compiled */
} operation;

typedef struct function {
    oplus_fn *fn; /* its parameter is bound */
    void (*one)(void *out, const void *const *in);
    const kind *result, *input[3];
    bool device;
} function;

extern const kind kinds[];
extern const size_t kind_count, scalar_kinds; /* scalars come first */
extern const operation operations[];
extern const size_t operation_count;
extern const function functions[], predicates[];
extern const size_t function_count, predicate_count;

/* What a function can be fused with; the first is NULL if there is none. */
const operation *operation_after(const function *f, int which, bool device);
const function *predicate_after(const function *f);
const function *function_after(const kind *k);

enum { STYLES = 3 }; /* small numbers; any numbers; odd ones: all sorts of NaNs, infinities, denormals, rare bits */
void fill(const kind *k, rng *r, int style, void *to, size_t n);
/* Makes NaNs of n results canonical. */
void canonical(const kind *k, void *x, size_t n);
/* Makes padding of n elements 0. */
void blank(const kind *k, void *x, size_t n);

#endif
