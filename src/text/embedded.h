/* The headers that a module is compiled with, as they were when the library was built: the system may have none. */
#ifndef OPI_EMBEDDED_H
#define OPI_EMBEDDED_H

#include <stddef.h>

extern const unsigned char opi_embedded[];
extern const size_t opi_embedded_bytes;

#endif
