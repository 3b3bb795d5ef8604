/* What transposes share: of an array of this process, and of one that is spread over ranks. */
#ifndef OPI_FRONT_TRANSPOSE_H
#define OPI_FRONT_TRANSPOSE_H

#include "cores/device.h"

/* A type, and extents whose product, in bytes, fits the address space. */
oplus_status opi_check_matrix(const char *call, const oplus_type *type, size_t rows, size_t cols);
/* Transposes elements of `size` bytes on a device, the arguments checked; in and out are apart, or as in
 * oplus_transpose. */
oplus_status opi_transpose(const char *call, oplus_device *dev, size_t size, const void *in, size_t rows, size_t cols,
                           void *out);

#endif
