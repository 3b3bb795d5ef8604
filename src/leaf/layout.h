/* What a type is made of: the members of a struct, read from its text ("float a; float b;"). */
#ifndef OPI_LAYOUT_H
#define OPI_LAYOUT_H

#include <oplus/oplus.h>

#include <stdbool.h>

enum {
    OPI_MAX_MEMBERS = 64,
    OPI_LARGEST_ELEMENT = 64 << 10 /* bytes, of types made at run time: see oplus_type */
};

/* Lists the members of a type, in order, and returns their number; a scalar type has one, named "".
 *
 * -1 if the text is not understood (nested structs, pointers, bit-fields, sizes that are not numbers), if it does not
 * give the size and the alignment of the type, or if there are more members than `capacity`.  Never guesses. */
int opi_layout(const oplus_type *type, oplus_member *members, int capacity);

/* The size and the alignment of a struct with these members; false if the text is not understood, or the struct is
 * larger than OPI_LARGEST_ELEMENT. */
bool opi_layout_measure(const char *text, size_t *size, size_t *align);

/* Bytes of a scalar, and its alignment in a struct; 0 for OPLUS_RECORD. */
size_t opi_scalar_size(oplus_scalar scalar);
size_t opi_scalar_align(oplus_scalar scalar);

#endif
