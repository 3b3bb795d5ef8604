/* The layout of a type: its scalars and their offsets, read from the text of a struct ("float a; float b;") or from
 * the compiler's sample of it (oplus_type::sample). */
#ifndef OPI_LAYOUT_H
#define OPI_LAYOUT_H

#include <oplus/oplus.h>

#include "type/scalars.h"

#include <stdbool.h>

enum {
    OPI_MAX_MEMBERS = 64,          /* the most members of a type made at run time */
    OPI_LARGEST_ELEMENT = 64 << 10 /* the most bytes of a type made at run time, and of an element passed by value */
};

typedef void (*opi_visit)(void *context, const oplus_member *member);

/* Calls visit for each member of a type, in order, as its text has them; a scalar type has one member, named "".
 * Members of a struct inside of the struct have names such as "p.x" and "p[1].x".
 *
 * Returns false, without a visit, if the text is not understood (names of types and numbers that it does not define,
 * pointers, unions, bit-fields), or if it does not give the size and the alignment of the type.  It never guesses. */
bool opi_layout_walk(const oplus_type *type, opi_visit visit, void *context);

/* Calls visit for each scalar of a type.  If there is a compiler's sample, the scalars are those that it shows,
 * without names, and with integers of unknown sign; else it does as opi_layout_walk. */
bool opi_layout_scalars(const oplus_type *type, opi_visit visit, void *context);

/* Whether opi_layout_scalars knows the scalars of a type, or need not know them: a struct without a text, or with a
 * union, is taken as bytes.  If it does not know them, *declaration is set to the declaration that was not understood,
 * which ends with a ';'; or to NULL if all were understood but give another size. */
bool opi_layout_is_known(const oplus_type *type, const char **declaration);

/* Writes the members that opi_layout_walk visits to a list, and returns their number; -1 if opi_layout_walk returns
 * false, or if there are more than `capacity`. */
int opi_layout(const oplus_type *type, oplus_member *members, int capacity);

/* As opi_layout, for a text without a type; the text must have no structs inside and give at most OPI_LARGEST_ELEMENT
 * bytes. */
int opi_layout_flat(const char *text, oplus_member *members, int capacity, size_t *size, size_t *align);

#endif
