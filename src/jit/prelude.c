/* What every module made from a text begins with, after op.h (which CMake puts before it; see cmake/embed.cmake).
 * A module refers to nothing of the library: the descriptors of types that the macros mention are its own. */
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define TYPE(suffix, T, scalar) const oplus_type oplus_##suffix = {#T, NULL, sizeof(T), _Alignof(T), scalar};
OPLUS_FOR_SCALARS(TYPE)
#undef TYPE

#define OPLUS_EXPORT_ __attribute__((visibility("default")))
