/* The version of this library, in words. */
#ifndef OPI_VERSION_H
#define OPI_VERSION_H

#include <oplus/oplus.h>

#define OPI_WORDS_OF_(x) #x
#define OPI_WORDS_OF(x)  OPI_WORDS_OF_(x)
#define OPI_VERSION                                                                                                    \
    OPI_WORDS_OF(OPLUS_VERSION_MAJOR) "." OPI_WORDS_OF(OPLUS_VERSION_MINOR) "." OPI_WORDS_OF(OPLUS_VERSION_PATCH)

#endif
