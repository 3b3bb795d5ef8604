/* Segments by keys, one for each element: consecutive elements with equal keys are a segment. */
#ifndef TOOL_KEYS_H
#define TOOL_KEYS_H

#include "job.h"

typedef struct tool_keys {
    tool_source *source;
    const char *key; /* of each element */
    size_t size;
} tool_keys;

/* --keys FILE, with a key for each element of the array, which has been read; ends the command if the number of keys is
 * another. */
tool_keys tool_keys_open(const tool_job *job, const tool_source *array);
void tool_keys_close(tool_keys *keys);
/* Warns if a key comes again in a later segment; segments begin at the elements first[0] to first[segments - 1]. */
void tool_keys_check(const tool_job *job, const tool_keys *keys, const uint64_t *first, size_t segments);
/* --keys-out: writes the keys of the segments to job->also; does nothing without that option. */
void tool_keys_write(tool_job *job, const tool_keys *keys, const uint64_t *first, size_t segments);
/* Does a segment begin at i?  Keys are equal if their bits are equal: -0 differs from +0, and a NaN equals a NaN
 * with the same bits. */
bool tool_keys_head(const tool_keys *keys, size_t i);

/* For inputs that are no table: refuses options that apply to rows of tables only. */
void tool_keys_only(const tool_options *options);
/* hash[i]: of the key of segment i.  Returns the first of n segments whose key an earlier segment has; n: there is
 * none.  same: are two segments' keys equal?  The array is overwritten. */
size_t tool_keys_again(const tool_job *job, uint64_t *hash, size_t n, bool (*same)(void *of, size_t i, size_t j),
                       void *of, size_t *before);
/* The hash of bytes that follow others, whose hash is given; hash 0: these bytes are the first. */
uint64_t tool_keys_hash(uint64_t hash, const char *at, size_t bytes);

#endif
