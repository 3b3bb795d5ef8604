#define _XOPEN_SOURCE 700 /* mkstemp */
#include "sink.h"

#include "die.h"
#include "npy.h"
#include "replace.h"
#include "text.h"
#include "threads.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BUFFER_BYTES = 1 << 20,
    CHUNK_BYTES = 1 << 18, /* at most, of text that a thread formats at once */
    CHUNKS = 64            /* at most, that wait to be written */
};

typedef struct tool_chunks tool_chunks;

struct tool_sink {
    char *name; /* for messages: the path, or "stdout" */
    int fd;
    bool is_stdout, complete;
    tool_replacement file; /* unless is_stdout */

    tool_format format;
    const oplus_type *type;
    int dims; /* -1: one dimension, of unknown length */
    uint64_t shape[NPY_MAX_DIMS];
    uint64_t expected, count;
    bool in_parts;
    uint64_t total; /* of all parts */

    off_t patch; /* where the header is that needs the length, or -1 */
    int spool;   /* a nameless file that the elements wait in until their number is known, or -1 */

    char between; /* of text: what stands between the elements of a row, */
    tool_layout layout;
    uint64_t columns, column;
    char *buffer;
    size_t used, room;   /* room: of an element, at most */
    tool_chunks *chunks; /* NULL until they are worth it */
};

const char *tool_sink_name(const tool_sink *sink) { return sink->name; }
const oplus_type *tool_sink_type(const tool_sink *sink) { return sink->type; }
bool tool_sink_is_stdout(const tool_sink *sink) { return sink->is_stdout; }
bool tool_sink_is_text(const tool_sink *sink) { return sink->format == TOOL_TEXT; }
uint64_t tool_sink_count(const tool_sink *sink) { return sink->in_parts ? sink->total : sink->count; }

static bool names_stdout(const char *path) { return !path || strcmp(path, "-") == 0; }

tool_format tool_sink_choose(tool_format asked, const char *path, tool_format in)
{
    const tool_format named = names_stdout(path) ? TOOL_AUTO : tool_format_of_name(path);
    if (asked != TOOL_AUTO) return asked;
    if (named != TOOL_AUTO) return named;
    if (names_stdout(path) && isatty(STDOUT_FILENO)) return TOOL_TEXT;
    return in == TOOL_AUTO ? TOOL_TEXT : in;
}

/* --- bytes -------------------------------------------------------------------------------------------------------- */

static const char *spool_directory(void)
{
    const char *const asked = getenv("TMPDIR");
    return asked && *asked ? asked : "/tmp";
}

_Noreturn static void cannot_spool(void)
{
    tool_die(
        TOOL_FAILED,
        "cannot write a temporary file in %s, where .npy for a pipe waits until its length is known: %s; set TMPDIR "
        "to a directory with room, or write to a file with -o",
        spool_directory(), strerror(errno));
}

_Noreturn static void cannot_write(const tool_sink *sink) { tool_cannot_write(sink->name); }

/* Returns false if it fails; errno says why. */
static bool write_all(int fd, const void *from, size_t n)
{
    const char *at = from;
    while (n > 0) {
        const ssize_t now = write(fd, at, n);
        if (now < 0 && errno == EINTR) continue;
        if (now < 0) return false;
        at += now;
        n -= (size_t)now;
    }
    return true;
}

static void write_fully(const tool_sink *sink, int fd, const void *from, size_t n)
{
    if (write_all(fd, from, n)) return;
    if (fd == sink->spool) cannot_spool();
    cannot_write(sink);
}

/* --- where it goes ------------------------------------------------------------------------------------------------ */

static void open_target(tool_sink *sink)
{
    if (sink->is_stdout) {
        sink->fd = dup(STDOUT_FILENO); /* closing it reports errors, and stdout stays open */
        if (sink->fd < 0) cannot_write(sink);
    } else {
        tool_replace_begin(&sink->file, sink->name);
        sink->fd = sink->file.fd;
    }
    if (sink->format != TOOL_TEXT && isatty(sink->fd))
        tool_die(TOOL_USAGE, "%s on a terminal would be unreadable; write it to a file with -o, or take --to text",
                 tool_format_name(sink->format));
}

/* --- .npy --------------------------------------------------------------------------------------------------------- */

static unsigned char *header_of(const tool_sink *sink, size_t *bytes)
{
    char error[TOOL_ERROR_BYTES];
    const int dims = sink->dims < 0 ? 1 : sink->dims;
    unsigned char *const header =
        npy_write(sink->type, dims, sink->dims < 0 ? &sink->count : sink->shape, bytes, error);
    if (!header) tool_die(TOOL_FAILED, "cannot write %s: %s", sink->name, error);
    return header;
}

static void write_header(tool_sink *sink)
{
    size_t bytes;
    unsigned char *const header = header_of(sink, &bytes);
    write_fully(sink, sink->fd, header, bytes);
    free(header);
}

/* A nameless file for elements that go to a pipe while their number, which must be written first, is unknown. */
static int open_spool(void)
{
    const char *const directory = spool_directory();
    const size_t bytes = strlen(directory) + sizeof "/oplus.XXXXXX";
    char *const path = tool_alloc(bytes);
    snprintf(path, bytes, "%s/oplus.XXXXXX", directory);
    const int fd = mkstemp(path);
    if (fd < 0) cannot_spool();
    unlink(path);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    free(path);
    return fd;
}

static void begin_npy(tool_sink *sink)
{
    if (sink->dims >= 0) {
        write_header(sink);
        return;
    }
    const off_t here = lseek(sink->fd, 0, SEEK_CUR);
    const int flags = fcntl(sink->fd, F_GETFL);
    if (here >= 0 && flags >= 0 && !(flags & O_APPEND)) {
        sink->patch = here;
        write_header(sink);
    } else {
        sink->spool = open_spool();
    }
}

static void copy_spool(tool_sink *sink)
{
    char *const buffer = tool_alloc(BUFFER_BYTES);
    if (lseek(sink->spool, 0, SEEK_SET) != 0) cannot_spool();
    for (ssize_t got; (got = read(sink->spool, buffer, BUFFER_BYTES)) != 0;) {
        if (got < 0) cannot_spool();
        write_fully(sink, sink->fd, buffer, (size_t)got);
    }
    free(buffer);
    close(sink->spool);
}

static void end_npy(tool_sink *sink)
{
    if (sink->patch >= 0) {
        const off_t end = lseek(sink->fd, 0, SEEK_CUR);
        if (end < 0 || lseek(sink->fd, sink->patch, SEEK_SET) < 0) cannot_write(sink);
        write_header(sink);
        if (lseek(sink->fd, end, SEEK_SET) < 0) cannot_write(sink);
    }
    if (sink->spool >= 0) {
        write_header(sink);
        copy_spool(sink);
    }
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void begin_text(tool_sink *sink)
{
    if (!tool_layout_of(sink->type, &sink->layout))
        tool_die(TOOL_FAILED, "cannot write %s as text: the members of '%s' are not understood", sink->name,
                 tool_type_name(sink->type));
    const bool rows = sink->dims >= 2 && sink->type->scalar != OPLUS_RECORD;
    sink->columns = rows ? sink->shape[sink->dims - 1] : 1;
    sink->room = sink->layout.scalars * NUMBER_MAX + 1;
    sink->buffer = tool_alloc(BUFFER_BYTES + sink->room);
}

static void flush_text(tool_sink *sink)
{
    write_fully(sink, sink->fd, sink->buffer, sink->used);
    sink->used = 0;
}

static void replace_blanks(char *at, const char *end, char between)
{
    for (; at < end; at++)
        if (*at == ' ') *at = between;
}

/* Formats n elements, the first of which is in that column; returns the end. */
static char *format(const tool_sink *sink, const unsigned char *in, size_t n, uint64_t column, char *to)
{
    for (size_t i = 0; i < n; i++) {
        char *const element = to;
        to = text_write(&sink->layout, in + i * sink->type->size, to);
        if (sink->between != ' ' && sink->layout.scalars > 1) replace_blanks(element, to, sink->between);
        const bool line_ends = ++column == sink->columns;
        *to++ = sink->between;
        if (line_ends) to[-1] = '\n', column = 0;
    }
    return to;
}

/* Formats a few elements into the buffer, where they wait for others. */
static void write_few(tool_sink *sink, const unsigned char *in, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char *const to = sink->buffer + sink->used;
        sink->used += (size_t)(format(sink, in + i * sink->type->size, 1, (sink->column + i) % sink->columns, to) - to);
        if (sink->used >= BUFFER_BYTES) flush_text(sink);
    }
    sink->column = (sink->column + n) % sink->columns;
}

/* Chunks that are formatted side by side, each in a buffer of its own, and written in their order: the thread that
 * has finished the chunk that is due writes it, and the finished chunks behind it. */
struct tool_chunks {
    pthread_mutex_t lock;
    char *buffer[CHUNKS];
    size_t bytes[CHUNKS]; /* 0: not formatted yet */
    size_t due;           /* to be written next */
    bool writing;         /* a thread is writing */
    int error;
    const tool_sink *sink; /* the elements: */
    const unsigned char *in;
    size_t n, chunk; /* all elements, and those of a chunk */
};

static void open_chunks(tool_sink *sink)
{
    if (sink->chunks) return;
    sink->chunks = tool_alloc(sizeof *sink->chunks);
    memset(sink->chunks, 0, sizeof *sink->chunks);
    pthread_mutex_init(&sink->chunks->lock, NULL);
    for (size_t i = 0; i < CHUNKS; i++) sink->chunks->buffer[i] = tool_alloc(CHUNK_BYTES);
}

static void close_chunks(tool_sink *sink)
{
    for (size_t i = 0; sink->chunks && i < CHUNKS; i++) free(sink->chunks->buffer[i]);
    if (sink->chunks) pthread_mutex_destroy(&sink->chunks->lock);
    free(sink->chunks);
}

/* Called with the lock held; gives it up while writing. */
static void write_due(tool_chunks *c)
{
    if (c->writing) return;
    c->writing = true;
    for (; c->due < CHUNKS && c->bytes[c->due] > 0; c->due++) {
        const size_t i = c->due;
        pthread_mutex_unlock(&c->lock);
        if (!c->error && !write_all(c->sink->fd, c->buffer[i], c->bytes[i])) c->error = errno;
        pthread_mutex_lock(&c->lock);
    }
    c->writing = false;
}

static void format_chunk(void *of, size_t i)
{
    tool_chunks *const c = of;
    const size_t first = i * c->chunk, m = c->n - first < c->chunk ? c->n - first : c->chunk;
    const uint64_t column = (c->sink->column + first) % c->sink->columns;
    const char *const end = format(c->sink, c->in + first * c->sink->type->size, m, column, c->buffer[i]);
    pthread_mutex_lock(&c->lock);
    c->bytes[i] = (size_t)(end - c->buffer[i]);
    write_due(c);
    pthread_mutex_unlock(&c->lock);
}

/* At most CHUNKS chunks. */
static void write_chunks(tool_sink *sink, const unsigned char *in, size_t n, size_t chunk)
{
    tool_chunks *const c = sink->chunks;
    memset(c->bytes, 0, sizeof c->bytes);
    c->due = 0;
    c->sink = sink;
    c->in = in;
    c->n = n;
    c->chunk = chunk;
    tool_threads_run(format_chunk, c, (n + chunk - 1) / chunk);
    errno = c->error;
    if (c->error) cannot_write(sink);
    sink->column = (sink->column + n) % sink->columns;
}

static void write_text(tool_sink *sink, const unsigned char *in, size_t n)
{
    const size_t chunk = CHUNK_BYTES / sink->room;
    if (n == 0) return; /* there may be no column */
    if (tool_threads() < 2 || n <= 2 * chunk || chunk == 0) {
        write_few(sink, in, n);
        return;
    }
    open_chunks(sink);
    flush_text(sink);
    for (size_t m; n > 0; n -= m, in += m * sink->type->size) {
        m = n < CHUNKS * chunk ? n : CHUNKS * chunk;
        write_chunks(sink, in, m, chunk);
    }
}

/* --- the calls ---------------------------------------------------------------------------------------------------- */

static void keep_shape(tool_sink *sink, int dims, const uint64_t *shape)
{
    if (dims > NPY_MAX_DIMS)
        tool_die(TOOL_FAILED, "cannot write %s: more than %d dimensions", sink->name, NPY_MAX_DIMS);
    sink->dims = dims;
    sink->expected = 1;
    for (int i = 0; i < dims; i++) {
        sink->shape[i] = shape[i];
        sink->expected *= shape[i];
    }
}

static tool_sink *begin(const char *name, tool_format format, const oplus_type *type, int dims, const uint64_t *shape)
{
    tool_sink *const sink = tool_alloc(sizeof *sink);
    memset(sink, 0, sizeof *sink);
    sink->name = tool_copy(name);
    sink->format = format == TOOL_CSV || format == TOOL_TSV ? TOOL_TEXT : format;
    sink->between = (char)(format == TOOL_CSV ? ',' : format == TOOL_TSV ? '\t' : ' ');
    sink->type = type;
    sink->patch = -1;
    sink->spool = -1;
    keep_shape(sink, dims, shape);
    return sink;
}

tool_sink *tool_sink_open(const char *path, tool_format format, const oplus_type *type, int dims, const uint64_t *shape)
{
    const bool is_stdout = names_stdout(path);
    tool_sink *const sink = begin(is_stdout ? "stdout" : path, format, type, dims, shape);
    sink->is_stdout = is_stdout;
    open_target(sink);
    if (sink->format == TOOL_NPY) begin_npy(sink);
    if (sink->format == TOOL_TEXT) begin_text(sink);
    return sink;
}

const char *tool_sink_temporary(const tool_sink *sink) { return sink->file.temporary; }

tool_sink *tool_sink_join(const char *path, const char *temporary, tool_format format, const oplus_type *type, int dims,
                          const uint64_t *shape)
{
    tool_sink *const sink = begin(path, format, type, dims, shape);
    tool_replace_join(&sink->file, sink->name, temporary);
    sink->fd = sink->file.fd;
    return sink;
}

void tool_sink_separate(tool_sink *sink, char between)
{
    if (sink->between == ' ') sink->between = between;
}

void tool_sink_at(tool_sink *sink, uint64_t first, uint64_t total)
{
    size_t before = 0;
    if (sink->format == TOOL_NPY) free(header_of(sink, &before)); /* its length does not depend on the count */
    if (lseek(sink->fd, (off_t)(before + first * sink->type->size), SEEK_SET) < 0) cannot_write(sink);
    sink->in_parts = true;
    sink->total = total;
}

void tool_sink_write(tool_sink *sink, const void *in, size_t n)
{
    if (sink->format == TOOL_TEXT)
        write_text(sink, in, n);
    else
        write_fully(sink, sink->spool >= 0 ? sink->spool : sink->fd, in, n * sink->type->size);
    sink->count += n;
}

void tool_sink_bytes(tool_sink *sink, const char *bytes, size_t n, uint64_t elements)
{
    flush_text(sink);
    write_fully(sink, sink->fd, bytes, n);
    sink->count += elements;
}

void tool_sink_complete(tool_sink *sink)
{
    if (sink->complete) return;
    sink->complete = true;
    sink->count = tool_sink_count(sink);
    if (sink->dims >= 0 && sink->count != sink->expected)
        tool_die(TOOL_FAILED, "a defect of oplus: %llu elements for %s instead of %llu",
                 (unsigned long long)sink->count, sink->name, (unsigned long long)sink->expected);
    if (sink->format == TOOL_NPY) end_npy(sink);
    if (sink->format == TOOL_TEXT) flush_text(sink);
}

void tool_sink_close(tool_sink *sink)
{
    tool_sink_complete(sink);
    if (!sink->is_stdout)
        tool_replace_end(&sink->file);
    else if (close(sink->fd) != 0)
        cannot_write(sink);
    close_chunks(sink);
    free(sink->buffer);
    free(sink->name);
    free(sink);
}
