/* Arrays that come in: from a .npy, raw or text file or pipe, as a whole or piece by piece.
 *
 * All calls end the command if something is wrong; messages name the file. */
#ifndef TOOL_SOURCE_H
#define TOOL_SOURCE_H

#include "text.h"

typedef enum tool_format { TOOL_AUTO = 0, TOOL_NPY, TOOL_RAW, TOOL_TEXT, TOOL_CSV, TOOL_TSV } tool_format;

/* "npy", "raw", "text", "csv", "tsv"; tool_format_parse ends the command if the name is none of these. */
const char *tool_format_name(tool_format format);
tool_format tool_format_parse(const char *option, const char *text);
/* By the end of its name: .npy, .raw or .bin, .txt, .csv, .tsv; else TOOL_AUTO. */
tool_format tool_format_of_name(const char *path);

typedef struct tool_source tool_source;

/* Opens path (NULL or "-": stdin).  format TOOL_AUTO: by magic, else by name, else text.  type NULL: the type in the
 * file; for text f64, and an integer that f64 would round ends the command.  dev brings Fortran order into C order;
 * dev NULL: the same, but slower. */
tool_source *tool_source_open(const char *path, tool_format format, const oplus_type *type, oplus_device *dev);
/* The same for a file whose type is named by another option than -t, which messages need; option NULL: by none, and
 * text is i64. */
tool_source *tool_source_open_as(const char *path, tool_format format, const oplus_type *type, const char *option,
                                 oplus_device *dev);
/* Elements that other code reads, as for the columns of a table. */
typedef struct tool_outside {
    const char *name;
    tool_format format;
    size_t columns; /* elements on each line */
    uint64_t done, total;
    bool free;    /* nobody has named the type */
    bool whole;   /* nobody has named the type, and all numbers so far were written as integers */
    char between; /* what stands between elements of a row */
    void (*take_integers)(struct tool_outside *outside, const char *what); /* tool_source_take_integers */
    size_t (*fill)(struct tool_outside *outside, void *to, size_t n); /* some of the next n elements; 0 at the end */
    void (*close)(struct tool_outside *outside);
} tool_outside;
tool_source *tool_source_of(tool_outside *outside, const oplus_type *type);
void tool_source_close(tool_source *source); /* NULL allowed; the type goes too */

const char *tool_source_name(const tool_source *source); /* for messages: the path, or "stdin" */
tool_format tool_source_format(const tool_source *source);
/* Valid until the source is closed. */
const oplus_type *tool_source_type(const tool_source *source);
/* True: the number of elements is known beforehand. */
bool tool_source_count(const tool_source *source, uint64_t *count);
/* The shape of a .npy; -1 for anything else: one dimension of unknown length. */
int tool_source_shape(const tool_source *source, const uint64_t **shape);
/* For text that has been read to the end: elements on each line, 0 if lines differ. */
uint64_t tool_source_columns(const tool_source *source);
/* The number of columns whose elements come in turn, each a sequence of its own; 1 if the input is no table. */
size_t tool_source_lanes(const tool_source *source);
/* Is it text whose type no option names?  If so, the next call makes it i64, because `what` is for integers alone;
 * to be called before anything is read. */
bool tool_source_is_free(const tool_source *source);
void tool_source_take_integers(tool_source *source, const char *what);
/* Text whose type no option can name is read as f64 instead of i64.  To be called before anything is read. */
void tool_source_take_numbers(tool_source *source);
/* Is it text whose type no option names, with all numbers so far written as integers? */
bool tool_source_is_whole(const tool_source *source);
/* What stands between the numbers on a line: a blank, or the delimiter of a table. */
char tool_source_between(const tool_source *source);
/* Bytes read so far, and in all (0: unknown). */
uint64_t tool_source_done(const tool_source *source);
uint64_t tool_source_total(const tool_source *source);

/* Is it an array of several dimensions in Fortran order? */
bool tool_source_is_fortran(const tool_source *source);
/* Limits reading to the elements first to first + n - 1.  To be called before anything is read, for a file in C
 * order that is known to have at least so many elements. */
void tool_source_narrow(tool_source *source, uint64_t first, uint64_t n);
/* The number of elements of the whole file, of which the source may be a part.  To be called after tool_source_all
 * or tool_source_own. */
uint64_t tool_source_extent(const tool_source *source);

/* The next elements, valid until the next call; false at the end.  Memory is fixed, whatever the length, except if
 * Fortran order must be changed to C order. */
bool tool_source_next(tool_source *source, const void **piece, size_t *n);
/* For text: where each element of the last piece stood, valid as long as the piece.  tool_source_keep_spans must be
 * called before anything is read. */
void tool_source_keep_spans(tool_source *source);
const text_span *tool_source_spans(const tool_source *source);
/* All elements; valid until the source is closed.  To be called before tool_source_next, or instead of it. */
const void *tool_source_all(tool_source *source, size_t *n);
/* The same, as memory that may be changed; the file is not. */
void *tool_source_own(tool_source *source, size_t *n);

#endif
