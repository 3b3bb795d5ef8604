/* Files kept between runs, found by a key of all that they were made from.
 *
 * The directory is $OPLUS_CACHE_DIR, else $XDG_CACHE_HOME/oplus, else ~/.cache/oplus; it must belong to this user and
 * be writable by no other.  OPLUS_CACHE=0: there is none.  A file is its content followed by a footer with length, key
 * and checksum; it appears under its name by rename, whole.  Any damage is a miss, any failure of the file system means
 * no cache: nothing here is an error. */
#ifndef OPI_CACHE_H
#define OPI_CACHE_H

#include "base/hash.h"

#include <stdbool.h>

enum { OPI_PATH_BYTES = 4096 };

/* Writes the path of the file with this key and suffix (".so"); true if it is there and whole. */
bool opi_cache_find(opi_hash key, const char *suffix, char path[OPI_PATH_BYTES]);
/* Puts it there; false if that was not possible. */
bool opi_cache_store(opi_hash key, const char *suffix, const void *content, size_t bytes, char path[OPI_PATH_BYTES]);

#endif
