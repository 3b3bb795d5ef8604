/* Sources of kernels to binaries: from the cache on disk, or by the driver's compiler, several at the same time. */
#ifndef OPI_GPU_TRANSLATE_H
#define OPI_GPU_TRANSLATE_H

#include "base/error.h"
#include "base/hash.h"
#include "driver/driver.h"

/* A source that is to be translated.  Begins as {.source = ...}; the owner frees `binary`. */
typedef struct opi_translation {
    const char *source;
    opi_hash key; /* in the cache */
    bool kept;    /* the binary comes from the cache */
    void *binary; /* what opi_driver::load takes; NULL: it failed */
    size_t bytes;
    oplus_status status;
    char words[OPI_FAILURE_BYTES]; /* if it failed: the message */
} opi_translation;

/* The key of a source's binary in the cache: it depends on all that turns the source into results. */
opi_hash opi_translation_key(const opi_gpu *gpu, const char *source);

/* Translates all sources, as many at the same time as there are processors.  All are tried, whatever fails.  Returns the
 * first failure, in the order of the list, and repeats its message in the calling thread.  The driver has
 * opi_driver::translate.  what: as opi_driver's compile. */
oplus_status opi_translate(const opi_gpu *gpu, const char *call, const char *what, opi_translation *list, size_t count);
/* Translates a source whose binary was taken from the cache, and is no good. */
oplus_status opi_translate_anew(const opi_gpu *gpu, const char *call, const char *what, opi_translation *one);

#endif
