/* The headers of oplus that a module is compiled with.  They are kept in the library, as they may not be installed. */
#ifndef OPI_EMBEDDED_H
#define OPI_EMBEDDED_H

#include <stddef.h>

extern const unsigned char opi_embedded[];
extern const size_t opi_embedded_bytes;

#endif
