/* The functions of no input that an iota maps: start + i * step, of each scalar type. */
#ifndef OPI_IOTA_H
#define OPI_IOTA_H

#include <oplus/op.h>

/* The function whose result is that scalar type.  Its parameter is two values of it, start and step. */
const oplus_fn *opi_iota_of(oplus_scalar scalar);

#endif
