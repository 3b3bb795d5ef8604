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
#include <stddef.h>
#include <stdint.h>

enum { OPI_PATH_BYTES = 4096 };

/* Writes the path of the file with this key and suffix (".so"); true if it is there and whole. */
bool opi_cache_find(opi_hash key, const char *suffix, char path[OPI_PATH_BYTES]);
/* The content of that file in memory to be freed; NULL if it is not there or not whole. */
void *opi_cache_load(opi_hash key, const char *suffix, size_t *bytes);
/* Whether there is a cache that can be written to. */
bool opi_cache_is_on(void);
/* Puts it there; false if that was not possible. */
bool opi_cache_store(opi_hash key, const char *suffix, const void *content, size_t bytes, char path[OPI_PATH_BYTES]);

/* --- the directory as a whole --- */

/* Writes where the directory is, "" where it has no name, and makes nothing; NULL, or why it is not used. */
const char *opi_cache_where(char path[OPI_PATH_BYTES]);

/* A file in it that was put there: by its name, 32 hexadecimal digits and a suffix. */
typedef struct opi_cache_file {
    const char *name, *suffix;
    bool draft; /* on its way, or left behind by a process that was ended */
    uint64_t bytes;
    int directory; /* open, for unlinkat and the like */
} opi_cache_file;

/* Visits each of them; what lies there otherwise is passed over.  0, or the errno of a directory that cannot be read;
 * one that does not exist has no files. */
int opi_cache_visit(const char *path, void (*visit)(void *context, const opi_cache_file *file), void *context);

#endif
