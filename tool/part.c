/* part: who reads what, who writes where, and when a file that all ranks have written gets its name. */
#define _POSIX_C_SOURCE 200809L
#include "part.h"

#include "die.h"
#include "ranks.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

/* --- what can be shared ------------------------------------------------------------------------------------------- */

/* Is there a file at path in which reading cannot begin at a given place? */
static bool is_stream(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

void tool_part_check_input(const char *name, const char *path)
{
    if (!path || strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0)
        tool_die(TOOL_USAGE, "%s is stdin, which the ranks of --all cannot share; name a .npy or raw file", name);
    if (is_stream(path))
        tool_die(TOOL_USAGE, "%s is no regular file, so that the ranks of --all cannot read its parts", path);
}

void tool_part_check_output(const char *name, const char *path, tool_format format)
{
    if (!path || strcmp(path, "-") == 0)
        tool_die(TOOL_USAGE, "the ranks of --all write parts of one file; say which by %s FILE.npy", name);
    if (is_stream(path))
        tool_die(TOOL_USAGE, "%s is no regular file, so that the ranks of --all cannot write its parts", path);
    if (format == TOOL_TEXT)
        tool_die(TOOL_USAGE,
                 "%s would be text, in which the ranks of --all cannot tell where their parts are; write .npy or raw",
                 path);
}

/* --- input -------------------------------------------------------------------------------------------------------- */

static uint64_t first_of(const oplus_comm *comm, uint64_t total, int rank)
{
    const uint64_t p = (uint64_t)comm->size, q = (uint64_t)rank;
    return total / p * q + (q < total % p ? q : total % p);
}

/* Every rank has opened a file of that name; are they the same? */
static void check_total(const oplus_comm *comm, const tool_source *source, uint64_t total)
{
    uint64_t *const totals = tool_alloc((size_t)comm->size * sizeof *totals);
    tool_ranks_gather(&total, sizeof total, totals);
    if (total != totals[0])
        tool_die(TOOL_FAILED, "%s has %llu elements here and %llu on rank 0; all ranks read one file",
                 tool_source_name(source), (unsigned long long)total, (unsigned long long)totals[0]);
    free(totals);
}

void tool_part_narrow(const oplus_comm *comm, tool_source *source)
{
    uint64_t total = 0; /* unknown for an empty raw file */
    const char *const name = tool_source_name(source);
    if (tool_source_format(source) == TOOL_TEXT)
        tool_die(TOOL_USAGE,
                 "%s is text, in which the ranks of --all cannot find their parts; oplus map copy %s -o FILE.npy "
                 "makes a file that they can share",
                 name, name);
    if (tool_source_is_fortran(source))
        tool_die(TOOL_USAGE,
                 "%s is in Fortran order, where parts are no sequence; save it in C order, by numpy.ascontiguousarray, "
                 "or leave --all out",
                 name);
    tool_source_count(source, &total);
    check_total(comm, source, total);
    const uint64_t first = first_of(comm, total, comm->rank), end = first_of(comm, total, comm->rank + 1);
    tool_source_narrow(source, first, end - first);
}

/* --- output ------------------------------------------------------------------------------------------------------- */

/* Rank 0 makes the file, under a name that it tells the others. */
tool_sink *tool_part_sink(const oplus_comm *comm, const char *path, tool_format format, const oplus_type *type,
                          int dims, const uint64_t *shape)
{
    char temporary[PATH_BYTES] = "";
    tool_sink *const sink = comm->rank == 0 ? tool_sink_open(path, format, type, dims, shape) : NULL;
    const char *const made = sink ? tool_sink_temporary(sink) : temporary;
    if (!made) tool_die(TOOL_USAGE, "%s is not a name that a file can take, as the ranks of --all need it", path);
    if (strlen(made) >= sizeof temporary) tool_die(TOOL_FAILED, "cannot write %s: too long a path", path);
    if (sink) memcpy(temporary, made, strlen(made) + 1);
    tool_ranks_hear(temporary, sizeof temporary);
    return sink ? sink : tool_sink_join(path, temporary, format, type, dims, shape);
}

void tool_part_write(const oplus_comm *comm, tool_sink *sink, const void *in, size_t n)
{
    const uint64_t mine = n;
    uint64_t *const counts = tool_alloc((size_t)comm->size * sizeof *counts), first = 0, total = 0;
    tool_ranks_gather(&mine, sizeof mine, counts);
    for (int q = 0; q < comm->size; q++) {
        if (q < comm->rank) first += counts[q];
        total += counts[q];
    }
    free(counts);
    tool_sink_at(sink, first, total);
    tool_sink_write(sink, in, n);
}

/* The others close first: only then do some file systems report that they are full, and show the data to other
 * nodes. */
void tool_part_close(const oplus_comm *comm, tool_sink *sink, tool_sink *other)
{
    for (int turn = 0; turn < 2; turn++) {
        if ((turn == 1) == (comm->rank == 0)) {
            tool_sink_complete(sink);
            if (other) tool_sink_close(other);
            tool_sink_close(sink);
        }
        tool_ranks_agree();
    }
}
