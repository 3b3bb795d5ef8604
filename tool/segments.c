/* Where segments are, as --lengths and --offsets say. */
#include "segments.h"

#include <stdlib.h>

typedef tool_segments segments;

static segments from_lengths(const int64_t *lengths, size_t count, size_t n, const char *file)
{
    segments s = {tool_alloc((count + 1) * sizeof *s.offsets), count};
    s.offsets[0] = 0;
    for (size_t i = 0; i < count; i++) {
        if (lengths[i] < 0 || (uint64_t)lengths[i] > n - s.offsets[i])
            tool_die(TOOL_FAILED, "%s: segment %zu begins at %llu and has the length %lld; there are %zu elements",
                     file, i, (unsigned long long)s.offsets[i], (long long)lengths[i], n);
        s.offsets[i + 1] = s.offsets[i] + (uint64_t)lengths[i];
    }
    if (s.offsets[count] != n)
        tool_die(TOOL_FAILED, "%s: the lengths add up to %llu; there are %zu elements", file,
                 (unsigned long long)s.offsets[count], n);
    return s;
}

static segments from_offsets(const int64_t *offsets, size_t count, size_t n, const char *file)
{
    if (count == 0) tool_die(TOOL_FAILED, "%s is empty; of s segments there are s + 1 offsets", file);
    segments s = {tool_alloc(count * sizeof *s.offsets), count - 1};
    for (size_t i = 0; i < count; i++) {
        if (offsets[i] < 0 || (uint64_t)offsets[i] > n || (i > 0 && offsets[i] < offsets[i - 1]))
            tool_die(TOOL_FAILED,
                     "%s: offset %zu is %lld; offsets never decrease, and are at most %zu, the number of "
                     "elements",
                     file, i, (long long)offsets[i], n);
        s.offsets[i] = (uint64_t)offsets[i];
    }
    if (s.offsets[0] != 0 || s.offsets[count - 1] != n)
        tool_die(
            TOOL_FAILED,
            "%s: the offsets go from %lld to %lld and leave elements out; begin with 0 and end with %zu, the number "
            "of elements",
            file, (long long)offsets[0], (long long)offsets[count - 1], n);
    return s;
}

tool_segments tool_segments_read(const tool_job *job, const char *option, const char *file, size_t n,
                                 tool_segments_maker *make)
{
    size_t count;
    tool_source *const source = tool_job_input_as(job, option, file, NULL, NULL);
    int64_t *const values = tool_job_integers(source, &count);
    tool_source_close(source);
    const segments s = make(values, count, n, file);
    free(values);
    return s;
}

tool_segments tool_segments_of(const tool_job *job, size_t n)
{
    const tool_options *const o = &job->options;
    return o->lengths ? tool_segments_read(job, "--lengths", o->lengths, n, from_lengths)
                      : tool_segments_read(job, "--offsets", o->offsets, n, from_offsets);
}
