/* Elements by their members: whether two are the same, or the same up to rounding, and an element in words.
 * If the layout of a struct is not understood, it is taken as bytes. */
#ifndef OPI_ELEMENT_H
#define OPI_ELEMENT_H

#include "type/layout.h"

#include <stdbool.h>

typedef struct opi_element {
    size_t size;
    bool record; /* true: the type is a struct */
    int members; /* number of members; -1: the element is taken as bytes */
    oplus_member *member;
} opi_element;

/* Reads the layout of a type; false if there is no memory.  Release the plan with opi_element_release. */
bool opi_element_plan(opi_element *plan, const oplus_type *type);
void opi_element_release(opi_element *plan);

/* Whether every member of x and y has the same bits; every two NaNs count as the same. */
bool opi_element_same(const opi_element *plan, const void *x, const void *y);

/* Whether x and y are the same up to rounding.  Integers must be the same.  Floats may differ by 32 units in the last
 * place of the largest |member| among x, y and the elements of `scale` (a list that ends with NULL), plus 8 times the
 * member of `reach` (NULL: none). */
bool opi_element_near(const opi_element *plan, const void *x, const void *y, const void *const *scale,
                      const void *reach);

/* Whether a float in x is infinite. */
bool opi_element_infinite(const opi_element *plan, const void *x);

/* Sets *to to x, with every float moved up or down by a few units in the last place, as the bits of *random say. */
void opi_element_nudge(const opi_element *plan, void *to, const void *x, uint64_t *random);
/* Sets every float of *reach to the larger of itself and |x - y|, if that is a number. */
void opi_element_widen(const opi_element *plan, void *reach, const void *x, const void *y);

/* Writes an element in words, "1.5" or "{a = 1, b = [2, 3]}", with enough digits to read floats back; it ends with
 * "..." if it was cut to `bytes` bytes. */
void opi_element_print(const opi_element *plan, const void *x, char *text, size_t bytes);

#endif
