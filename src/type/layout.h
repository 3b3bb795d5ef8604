/* What a type is made of: its scalars and where they are, read from the text of a struct ("float a; float b;") or from
 * what the compiler made of it (oplus_type::sample). */
#ifndef OPI_LAYOUT_H
#define OPI_LAYOUT_H

#include <oplus/oplus.h>

#include "type/scalars.h"

#include <stdbool.h>

enum {
    OPI_MAX_MEMBERS = 64,          /* of types made at run time */
    OPI_LARGEST_ELEMENT = 64 << 10 /* bytes, of types made at run time, and of what is passed by value */
};

typedef void (*opi_visit)(void *context, const oplus_member *member);

/* Tells of the members of a type, in order, as its text has them; a scalar type has one, named "".  Those of a struct
 * inside of the struct have names such as "p.x" and "p[1].x".
 *
 * False, and nothing told, if the text is not understood (names of types and numbers that it does not define, pointers,
 * unions, bit-fields), or if it does not give the size and the alignment of the type.  Never guesses. */
bool opi_layout_walk(const oplus_type *type, opi_visit visit, void *context);

/* Tells where the scalars of a type are: of the compiler's sample where there is one, nameless then, and integers of
 * unknown sign; else as opi_layout_walk. */
bool opi_layout_scalars(const oplus_type *type, opi_visit visit, void *context);

/* Whether opi_layout_scalars knows them, or is not to know: a struct without a text, or with a union, is bytes.
 * If not, *declaration is what was not understood, up to its ';'; NULL where all was, but gives another size. */
bool opi_layout_is_known(const oplus_type *type, const char **declaration);

/* opi_layout_walk into a list, whose length it returns; -1 for false, or if there are more than `capacity`. */
int opi_layout(const oplus_type *type, oplus_member *members, int capacity);

/* The same of a text alone, which has no structs inside and is no larger than OPI_LARGEST_ELEMENT. */
int opi_layout_flat(const char *text, oplus_member *members, int capacity, size_t *size, size_t *align);

#endif
