/* Segments by keys, one for each element: consecutive equal ones are a segment. */
#ifndef TOOL_KEYS_H
#define TOOL_KEYS_H

#include "job.h"

typedef struct tool_keys {
    tool_source *source;
    const char *key; /* of each element */
    size_t size;
} tool_keys;

/* --keys FILE, with a key for each of the n elements of the array called `name`; ends the command where there are
 * others. */
tool_keys tool_keys_open(const tool_job *job, const char *name, size_t n);
void tool_keys_close(tool_keys *keys);
/* Segments begin at the elements first[0] to first[segments - 1]: a warning where a key comes again later. */
void tool_keys_check(const tool_job *job, const tool_keys *keys, const uint64_t *first, size_t segments);
/* --keys-out: the keys of the segments, into job->also; nothing where it is not asked for. */
void tool_keys_write(tool_job *job, const tool_keys *keys, const uint64_t *first, size_t segments);
/* Does a segment begin at i?  Keys are equal if their bits are: -0 is not +0, and a NaN is one like it. */
bool tool_keys_head(const tool_keys *keys, size_t i);

/* Without a table: options that only rows have are refused. */
void tool_keys_only(const tool_options *options);
/* Of n segments with keys of these hashes, the first that has the key of one before it; n: there is none.  same: are
 * two segments' keys equal?  hash is used up. */
size_t tool_keys_again(const tool_job *job, uint64_t *hash, size_t n, bool (*same)(void *of, size_t i, size_t j),
                       void *of, size_t *before);
/* Of bytes that follow others; hash 0: of the first. */
uint64_t tool_keys_hash(uint64_t hash, const char *at, size_t bytes);

#endif
