/* A check that the transposes of one array and over ranks share. */
#ifndef OPI_FRONT_TRANSPOSE_H
#define OPI_FRONT_TRANSPOSE_H

#include <oplus/oplus.h>

/* Checks the type, and that the matrix fits the address space. */
oplus_status opi_check_matrix(const char *call, const oplus_type *type, size_t rows, size_t cols);

#endif
