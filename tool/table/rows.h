/* Tables that go out: rows as they were read, with new columns, or results alone.
 *
 * The kept fields have the letters and quotes that they had; fields are quoted anew only if another delimiter is
 * asked for.  Every row keeps its line end.  Outputs in .npy and raw have results alone. */
#ifndef TOOL_TABLE_ROWS_H
#define TOOL_TABLE_ROWS_H

#include "table/frame.h"

/* Results of consecutive rows, one each. */
typedef struct tool_cells {
    const char *at;
    size_t stride;
    oplus_scalar scalar;
} tool_cells;

typedef struct tool_rows {
    tool_sink *sink;
    bool binary; /* .npy or raw: tool_sink_write of the sink */
    const tool_table *table;
    const oplus_type *type;
    char from, to, between; /* delimiters: of the table, of the rows; what is written between fields */
    bool convert;           /* from `from` to `to` */
    bool whole;             /* rows of the table, and not results alone */
    tool_targets targets;   /* where results go in the rows, if any do */
    bool replaces;          /* existing columns */
    size_t *place;          /* [columns]: the result that replaces it, or SIZE_MAX */
    size_t lanes;
    char *buffer, *scratch;
    size_t used, room, scratch_room;
    uint64_t pending; /* rows in the buffer */
} tool_rows;

/* type: of the results, which are `lanes` arrays; .npy and raw take one.  One of the next three calls chooses what
 * is written, and writes the header if the table has one. */
tool_rows tool_rows_open(const tool_job *job, const tool_table *table, const oplus_type *type, size_t lanes);
/* Rows of the table; tool_rows_put writes each one. */
void tool_rows_whole(tool_rows *rows);
/* Results of all rows, by tool_rows_emit: in the row, in the columns that `into` names; into NULL: results alone. */
void tool_rows_results(tool_rows *rows, const char *into, size_t lanes);
/* `keys` fields from k on, and behind them results with these names; tool_rows_put_keyed writes each row. */
void tool_rows_keyed(tool_rows *rows, size_t k, size_t keys, char *const *names, size_t results);
/* Writes what is still to be written; tool_job_finish closes the sink. */
void tool_rows_end(tool_rows *rows);
void tool_rows_close(tool_rows *rows);

/* Writes row i, with element e of the results if they go into the row. */
void tool_rows_put(tool_rows *rows, size_t i, const tool_cells *cells, size_t e);
/* Writes fields k to k + keys - 1 of row i, if there are any, and element e of all results. */
void tool_rows_put_keyed(tool_rows *rows, size_t i, size_t k, size_t keys, const tool_cells *cells, size_t results,
                         size_t e);
/* Writes the results of all n rows that the table has taken last: one array for each lane. */
void tool_rows_emit(tool_rows *rows, char *const *arrays, size_t n);

/* The scalars of `lanes` arrays of elements as results; the caller frees them. */
tool_cells *tool_cells_of(const oplus_type *type, char *const *arrays, size_t lanes, size_t *n);

#endif
