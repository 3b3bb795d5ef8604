/* An element by its members: are two the same, are they the same up to rounding, what are they in words.
 * Where the layout of a struct is not understood, its bytes stand for it. */
#ifndef OPI_ELEMENT_H
#define OPI_ELEMENT_H

#include "type/layout.h"

#include <stdbool.h>

typedef struct opi_element {
    size_t size;
    bool record; /* a struct */
    int members; /* -1: bytes */
    oplus_member *member;
} opi_element;

/* False without memory; else to be released. */
bool opi_element_plan(opi_element *plan, const oplus_type *type);
void opi_element_release(opi_element *plan);

/* Every member has the same bits; a NaN equals a NaN. */
bool opi_element_same(const opi_element *plan, const void *x, const void *y);

/* Integers are the same; floats differ by no more than 32 units in the last place of the largest |member| among x, y
 * and the elements of `scale` (NULL-terminated), plus 8 times the member of `reach` (NULL: none). */
bool opi_element_near(const opi_element *plan, const void *x, const void *y, const void *const *scale,
                      const void *reach);

/* Some float is infinite. */
bool opi_element_infinite(const opi_element *plan, const void *x);

/* to = x with every float moved by a few units in the last place, up or down as the bits of *random say. */
void opi_element_nudge(const opi_element *plan, void *to, const void *x, uint64_t *random);
/* Every float of reach becomes the largest of itself and |x - y|, where that is a number. */
void opi_element_widen(const opi_element *plan, void *reach, const void *x, const void *y);

/* "1.5", "{a = 1, b = [2, 3]}": floats with enough digits to read them back; "..." where it had to be cut. */
void opi_element_print(const opi_element *plan, const void *x, char *text, size_t bytes);

#endif
