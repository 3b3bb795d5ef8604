/* keys: neighbours are compared. */
#include "keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

tool_keys tool_keys_open(const tool_job *job, const tool_source *array)
{
    const char *const path = job->options.keys;
    size_t own;
    if (strcmp(path, "-") != 0 && access(path, R_OK) != 0 && errno == ENOENT)
        tool_die(TOOL_USAGE,
                 "--keys %s: there is no such file; to name a column of a table, say with --column which one has the "
                 "numbers",
                 path);
    tool_keys keys = {.source = tool_job_input_as(job, "--keys", path, NULL, NULL)};
    tool_source_take_numbers(keys.source);
    keys.key = tool_source_all(keys.source, &own);
    keys.size = tool_source_type(keys.source)->size;
    const unsigned long long there = tool_source_extent(keys.source), wanted = tool_source_extent(array);
    if (there != wanted)
        tool_die(TOOL_FAILED, "%s has %llu keys and %s %llu elements; there is one for each", path, there,
                 tool_source_name(array), wanted);
    return keys;
}

/* --- a key that comes again --------------------------------------------------------------------------------------- */

/* FNV-1a */
uint64_t tool_keys_hash(uint64_t hash, const char *at, size_t bytes)
{
    if (hash == 0) hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++) hash = (hash ^ (unsigned char)at[i]) * 0x100000001b3u;
    return hash;
}

size_t tool_keys_again(const tool_job *job, uint64_t *hash, size_t n, bool (*same)(void *of, size_t i, size_t j),
                       void *of, size_t *before)
{
    uint64_t *const segment = tool_alloc((n + 1) * sizeof *segment);
    size_t again = n;
    for (size_t s = 0; s < n; s++) segment[s] = s;
    tool_try(oplus_sort_pairs(job->dev, &oplus_u64, OPLUS_ASCENDING, hash, &oplus_u64, segment, n));
    for (size_t s = 1; s < n; s++) {
        const size_t here = (size_t)segment[s], there = (size_t)segment[s - 1]; /* stable sort: there < here */
        if (hash[s] != hash[s - 1] || here >= again || !same(of, there, here)) continue;
        again = here;
        *before = there;
    }
    free(segment);
    return again;
}

typedef struct firsts {
    const tool_keys *keys;
    const uint64_t *first;
} firsts;

static bool same_bits(void *of, size_t i, size_t j)
{
    const firsts *const it = of;
    const size_t size = it->keys->size;
    return memcmp(it->keys->key + it->first[i] * size, it->keys->key + it->first[j] * size, size) == 0;
}

void tool_keys_check(const tool_job *job, const tool_keys *keys, const uint64_t *first, size_t segments)
{
    firsts of = {keys, first};
    uint64_t *const hash = tool_alloc((segments + 1) * sizeof *hash);
    size_t before = 0;
    for (size_t s = 0; s < segments; s++) hash[s] = tool_keys_hash(0, keys->key + first[s] * keys->size, keys->size);
    const size_t again = tool_keys_again(job, hash, segments, same_bits, &of, &before);
    free(hash);
    if (again == segments) return;
    tool_warn("%s is not sorted: the key of element %llu was that of element %llu before, and begins another segment",
              tool_source_name(keys->source), (unsigned long long)first[again], (unsigned long long)first[before]);
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */

void tool_keys_write(tool_job *job, const tool_keys *keys, const uint64_t *first, size_t segments)
{
    const char *const path = job->options.keys_out;
    if (!path) return;
    const tool_format to = tool_sink_choose(TOOL_AUTO, path, tool_source_format(keys->source));
    job->also = tool_job_output_as(job, "--keys-out", path, to, tool_source_type(keys->source), -1, NULL);
    for (size_t s = 0; s < segments; s++) tool_sink_write(job->also, keys->key + first[s] * keys->size, 1);
    tool_sink_complete(job->also);
}

void tool_keys_only(const tool_options *options)
{
    if (options->into)
        tool_die(TOOL_USAGE, "--into is of tables whose segments are said by --keys, which names columns");
    if (options->keys_out && !options->keys) tool_die(TOOL_USAGE, "--keys-out is given, but no --keys");
}

void tool_keys_close(tool_keys *keys) { tool_source_close(keys->source); }

bool tool_keys_head(const tool_keys *keys, size_t i)
{
    const char *const key = keys->key + i * keys->size;
    return i == 0 || memcmp(key - keys->size, key, keys->size) != 0;
}
