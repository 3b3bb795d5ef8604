/* What transposes share: of an array of this process, and of one that is spread over ranks. */
#ifndef OPI_FRONT_TRANSPOSE_H
#define OPI_FRONT_TRANSPOSE_H

#include <oplus/oplus.h>

/* A type, and extents whose product, in bytes, fits the address space. */
oplus_status opi_check_matrix(const char *call, const oplus_type *type, size_t rows, size_t cols);

#endif
