/* frame: the options of tables, and columns as arrays. */
#include "table/frame.h"

#include "number.h"
#include "progress.h"

#include <stdlib.h>
#include <string.h>

/* --- which table it is -------------------------------------------------------------------------------------------- */

bool tool_job_is_table(const tool_job *job, const char *path)
{
    const tool_options *const o = &job->options;
    if (o->header || o->delimiter || o->column || o->into || o->empty) return true;
    const tool_format format = o->format ? tool_format_parse("--format", o->format) : tool_format_of_name(path);
    return format == TOOL_CSV || format == TOOL_TSV;
}

/* The option that makes the input a table, for messages. */
static const char *reason(const tool_options *o)
{
    return o->column      ? "--column is"
           : o->header    ? "--header is"
           : o->delimiter ? "--delimiter is"
           : o->into      ? "--into is"
           : o->empty     ? "--empty is"
                          : ".csv and .tsv are";
}

static void check_format(const tool_job *job, const char *path)
{
    const tool_options *const o = &job->options;
    const tool_format format = o->format ? tool_format_parse("--format", o->format) : tool_format_of_name(path);
    if (job->comm)
        tool_die(TOOL_USAGE,
                 "%s of tables, in which the ranks of --all cannot find their parts; leave --all out, or "
                 "take the column as .npy: oplus map copy --column N FILE -o x.npy",
                 reason(o));
    if (format == TOOL_NPY || format == TOOL_RAW)
        tool_die(TOOL_USAGE, "%s of tables, which are text; %s is %s", reason(o), path ? path : "stdin",
                 tool_format_name(format));
}

char tool_delimiter_of(tool_format format, char otherwise)
{
    if (format == TOOL_CSV) return ',';
    if (format == TOOL_TSV) return '\t';
    return otherwise;
}

static char delimiter_of(const tool_options *o, const char *path)
{
    const tool_format format = o->format ? tool_format_parse("--format", o->format) : tool_format_of_name(path);
    if (o->delimiter) return tool_delimiter_parse(o->delimiter);
    return tool_delimiter_of(format, CSV_BLANKS);
}

/* Even where no field is empty. */
static void check_empty(const char *text)
{
    double value;
    if (text && number_read(OPLUS_F64, text, text + strlen(text), &value) != NUMBER_GOOD)
        tool_die(TOOL_USAGE, "--empty is '%s'; it is a number, such as 0 or nan", text);
}

tool_table *tool_job_table(const tool_job *job, const char *path)
{
    check_empty(job->options.empty);
    check_format(job, path);
    return tool_table_open(path, delimiter_of(&job->options, path), job->options.header);
}

const oplus_type *tool_job_number_type(const tool_job *job) { return job->type ? job->type : &oplus_f64; }

bool tool_job_next_rows(tool_table *table)
{
    tool_progress_show(tool_table_done(table), tool_table_total(table));
    if (tool_table_next(table)) return true;
    tool_progress_end();
    return false;
}

/* --- columns as arrays -------------------------------------------------------------------------------------------- */

tool_lanes tool_lanes_open(const tool_job *job, tool_table *table, const oplus_type *type, const tool_columns *others)
{
    const tool_options *const o = &job->options;
    tool_lanes lanes = {.table = table, .type = type, .how = {.option = "-t", .exact = !job->type, .whole = true}};
    lanes.how.exact &= type->scalar == OPLUS_F64;
    lanes.how.empty = o->empty;
    if (!tool_layout_of(type, &lanes.layout))
        tool_die(TOOL_USAGE, "-t %s: its members are not understood, so that it cannot be read from text",
                 tool_type_name(type));
    tool_columns columns = o->column ? tool_columns_parse(table, "--column", o->column)
                           : !others || (type->scalar == OPLUS_RECORD && others->n == 0)
                               ? tool_columns_every(table)
                               : tool_columns_only(table, "--column", others);
    if (columns.n % lanes.layout.scalars != 0)
        tool_die(TOOL_USAGE, "%s has %zu members, and there %s %zu column%s for them", tool_type_words(type),
                 lanes.layout.scalars, columns.n == 1 ? "is" : "are", columns.n, columns.n == 1 ? "" : "s");
    lanes.n = columns.n / lanes.layout.scalars;
    lanes.first = tool_table_want(table, columns.at, columns.n);
    lanes.in = tool_alloc((lanes.n + 1) * sizeof *lanes.in);
    memset(lanes.in, 0, (lanes.n + 1) * sizeof *lanes.in);
    tool_columns_free(&columns);
    return lanes;
}

void tool_lanes_take_integers(tool_lanes *lanes, const char *what)
{
    if (!lanes->how.exact) return;
    lanes->type = &oplus_i64;
    tool_layout_of(lanes->type, &lanes->layout);
    lanes->how.exact = false;
    lanes->how.integers_for = what;
}

bool tool_lanes_are_whole(const tool_lanes *lanes) { return lanes->how.exact && lanes->how.whole; }

static void make_room(tool_lanes *lanes, size_t n)
{
    if (n <= lanes->room) return;
    const bool padded = lanes->layout.members > 1;
    for (size_t l = 0; l < lanes->n; l++) {
        free(lanes->in[l]);
        lanes->in[l] = tool_alloc(n * lanes->layout.size);
        if (padded) memset(lanes->in[l], 0, n * lanes->layout.size);
    }
    lanes->room = n;
}

void tool_lanes_read(tool_lanes *lanes)
{
    const size_t n = tool_table_count(lanes->table), size = lanes->layout.size;
    make_room(lanes, n);
    size_t k = lanes->first;
    for (size_t l = 0; l < lanes->n; l++)
        for (int m = 0; m < lanes->layout.members; m++) {
            const oplus_member *const member = &lanes->layout.member[m];
            char *to = lanes->in[l] + member->offset;
            for (size_t i = 0; i < member->count; i++, to += tool_scalar_size(member->scalar))
                tool_table_numbers(lanes->table, &lanes->how, k++, 0, n, member->scalar, to, size);
        }
}

void tool_lanes_close(tool_lanes *lanes)
{
    for (size_t l = 0; l < lanes->n; l++) free(lanes->in[l]);
    free(lanes->in);
    *lanes = (tool_lanes){0};
}
