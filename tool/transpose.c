/* oplus transpose: rows become columns. */
#include "job.h"
#include "progress.h"
#include "ranks.h"
#include "tool.h"

#include <stdlib.h>

static const tool_usage usage = {
    .name = "transpose",
    .operands = "[FILE]",
    .least = 0,
    .most = 1,
    .about = "Exchanges the rows and columns of the matrix in FILE (default: stdin).  Its shape is\n"
             "that of the .npy file, or of the lines of the text; else --rows or --cols gives it.\n"
             "Input and output are held in memory.\n",
    .options = "rows cols " TOOL_TABLE_OPTIONS TOOL_INPUT_OPTIONS TOOL_OUTPUT_OPTIONS TOOL_ALL_OPTIONS,
    .examples = {"printf '1 2 3\\n4 5 6\\n' | oplus transpose", "seq 1 6 | oplus transpose --rows 2",
                 "oplus transpose matrix.npy -o transposed.npy"},
    .exit_codes = TOOL_EXIT_CODES,
};

static size_t other_extent(size_t n, size_t extent, const char *name, const char *what)
{
    if (extent ? n % extent != 0 : n != 0)
        tool_die(TOOL_FAILED, "%s has %zu elements, which do not make %zu %s", name, n, extent, what);
    return extent ? n / extent : 0;
}

/* Rows and columns: from the options, one of which is enough, or else from the input. */
static void find_shape(const tool_job *job, const tool_source *source, size_t n, uint64_t extent[2])
{
    const tool_options *const o = &job->options;
    const char *const name = tool_source_name(source);
    const uint64_t *shape, columns = tool_source_columns(source);
    const int dims = tool_source_shape(source, &shape);
    size_t rows = o->rows ? tool_options_number("rows", o->rows, 0) : 0;
    size_t cols = o->cols ? tool_options_number("cols", o->cols, 0) : 0;
    if (!o->rows && !o->cols && dims == 2)
        rows = shape[0], cols = shape[1];
    else if (!o->rows && !o->cols && dims < 0 && columns > 0)
        rows = n / columns, cols = columns;
    else if (!o->rows && !o->cols)
        tool_die(TOOL_USAGE,
                 dims < 0 ? "%s does not say how many columns there are; give --rows or --cols"
                          : "%s is no matrix, it has %d dimension%s; give --rows or --cols",
                 name, dims, dims == 1 ? "" : "s");
    else if (!o->rows)
        rows = other_extent(n, cols, name, "columns");
    else if (!o->cols)
        cols = other_extent(n, rows, name, "rows");
    if ((cols && rows > SIZE_MAX / cols) || rows * cols != n)
        tool_die(TOOL_FAILED, "%s has %zu elements, which are not %zu rows of %zu columns", name, n, rows, cols);
    extent[0] = rows;
    extent[1] = cols;
}

int tool_transpose(int argc, char **argv)
{
    tool_job job;
    size_t n;
    uint64_t extent[2];
    tool_job_open(&job, &usage, argc, argv);
    tool_source *const source = tool_job_columns(&job, job.operand[0], true);
    const oplus_type *const type = tool_source_type(source);
    const void *const in = tool_source_all(source, &n);
    find_shape(&job, source, (size_t)tool_source_extent(source), extent);

    const size_t rows = (size_t)extent[0], cols = (size_t)extent[1];
    const uint64_t shape[2] = {cols, rows};
    void *const out = tool_alloc(n * type->size + 1);
    tool_sink *const sink = tool_job_output(&job, source, type, 2, shape);
    tool_ranks_agree();
    tool_progress_work("transposing");
    tool_try(job.comm ? oplus_transpose_all(job.dev, job.comm, type, in, n, rows, cols, out, n)
                      : oplus_transpose(job.dev, type, in, rows, cols, out));
    tool_job_write(&job, sink, out, n);
    tool_job_finish(&job, sink, tool_job_report(&job, type, tool_source_extent(source)), 2, shape);

    free(out);
    tool_source_close(source);
    tool_job_close(&job);
    return TOOL_GOOD;
}
