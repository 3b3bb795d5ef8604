/* Files kept between runs, found by a key of all that they were made from.
 *
 * The directory is $OPLUS_CACHE_DIR, else $XDG_CACHE_HOME/oplus, else ~/.cache/oplus; it must belong to this user and
 * be writable by no other.  With OPLUS_CACHE=0 there is no cache.  A file is its content followed by a footer with
 * length, key and checksum; it is written under another name and renamed when it is complete.  A damaged file counts
 * as missing, and a failure of the file system as a missing cache: nothing here is an error. */
#ifndef OPI_CACHE_H
#define OPI_CACHE_H

#include "base/hash.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { OPI_PATH_BYTES = 4096 };

/* Writes the path of the file with this key and suffix (".so"); true if it is there and whole. */
bool opi_cache_find(opi_hash key, const char *suffix, char path[OPI_PATH_BYTES]);
/* Returns the content of the file with this key and suffix, in memory that the caller frees; NULL if the file is
 * missing or not whole. */
void *opi_cache_load(opi_hash key, const char *suffix, size_t *bytes);
/* Whether there is a cache that can be written to. */
bool opi_cache_is_on(void);
/* Stores content under this key and suffix, and writes the path of the file; false if that was not possible. */
bool opi_cache_store(opi_hash key, const char *suffix, const void *content, size_t bytes, char path[OPI_PATH_BYTES]);

/* --- the directory as a whole --- */

/* Writes the path of the directory, "" if it has none.  Creates nothing.  Returns NULL if the cache is used, else why
 * it is not. */
const char *opi_cache_where(char path[OPI_PATH_BYTES]);

/* A file of the cache.  Its name is 32 hexadecimal digits and a suffix. */
typedef struct opi_cache_file {
    const char *name, *suffix;
    bool draft; /* true: a process is writing it, or has left it behind when it was ended */
    uint64_t bytes;
    int directory; /* descriptor of the open directory, for unlinkat and similar calls */
} opi_cache_file;

/* Calls visit for each file of the cache, and skips all other files.  Returns 0, or the errno if the directory cannot
 * be read; a directory that does not exist has no files. */
int opi_cache_visit(const char *path, void (*visit)(void *context, const opi_cache_file *file), void *context);

#endif
