/* CUDA sources to programs, without a device. */
#ifndef OPI_NVRTC_H
#define OPI_NVRTC_H

#include <oplus/oplus.h>

#include <stddef.h>

/* Compiles a source, whose kernels are extern "C" __global__, for an architecture (90: sm_90); a function without a
 * qualifier is __device__.  *binary, to be freed: a cubin; or, for an architecture that is newer than NVRTC, the text
 * (PTX, ended by a 0 that counts) for the nearest older one, which the driver translates.
 *
 * OPLUS_ERR_COMPILE: the source does not compile, and the message has `what` and the errors; or NVRTC is not installed,
 * or the architecture is older than all that NVRTC knows. */
oplus_status opi_nvrtc_compile(const char *call, const char *what, const char *source, unsigned architecture,
                               void **binary, size_t *bytes);

#endif
