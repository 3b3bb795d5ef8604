/* The members of a struct, read from its text. */
#ifndef OPI_LAYOUT_TEXT_H
#define OPI_LAYOUT_TEXT_H

#include "type/layout.h"

/* A text that is being read. */
typedef struct opi_layout_reader {
    const char *at;
    const char *declaration; /* that is being read, or was not understood */
    size_t limit;            /* bytes of an array */
    int depth;               /* of structs inside of structs */
    bool flat;               /* none are allowed */
    opi_visit visit;         /* NULL: it is only measured */
    void *context;
} opi_layout_reader;

/* Reads all of it, and measures the struct; false, after some visits perhaps, if the text is not understood. */
bool opi_layout_read(opi_layout_reader *r, size_t *size, size_t *align);

#endif
