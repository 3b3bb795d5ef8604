/* The bits of an element that count when two elements are compared: all but its padding. */
#ifndef OPI_BITS_H
#define OPI_BITS_H

#include <oplus/oplus.h>

#include <stdbool.h>

enum { OPI_MAX_SPANS = 16 };

typedef struct opi_span {
    size_t at, bytes; /* from byte `at` of the element on */
} opi_span;

/* Bytes of an element without its padding, in order. */
typedef struct opi_spans {
    int count;
    opi_span span[OPI_MAX_SPANS];
} opi_spans;

/* Finds the bytes of a type that are not padding; a struct without a text counts as bytes.  Returns false if they are in
 * more than OPI_MAX_SPANS pieces. */
bool opi_spans_of(const oplus_type *type, opi_spans *spans);
/* Whether the type has no padding. */
bool opi_spans_are_all(const oplus_type *type, const opi_spans *spans);

#endif
