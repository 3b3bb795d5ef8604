/* oplus segscan, oplus segreduce of a table: consecutive rows of equal keys are a segment. */
#include "keys.h"
#include "operator.h"
#include "rounding.h"
#include "table/by_row.h"
#include "table/rows.h"
#include "tool.h"

#include <stdlib.h>
#include <string.h>

typedef struct keyed {
    tool_table *table;
    tool_columns keys;
    size_t k; /* number of their first field in the table */
    tool_lanes lanes;
    tool_operator op;
    tool_rounding rounding;
    size_t n;         /* rows, all of which the table holds */
    uint64_t *offset; /* [segments + 1] */
    size_t segments;
    char *x, *y; /* letters of fields that are compared */
    size_t x_room, y_room;
} keyed;

/* --- keys --------------------------------------------------------------------------------------------------------- */

/* Copies the letters of a field, without quotes. */
static size_t letters(const keyed *it, size_t row, size_t key, char **to, size_t *room)
{
    size_t bytes;
    const char *const field = tool_table_field(it->table, row, it->k + key, &bytes);
    if (bytes > *room) *to = tool_realloc(*to, *room = 2 * bytes);
    return csv_unquote(tool_table_delimiter(it->table), field, bytes, *to);
}

static bool same_key(keyed *it, size_t i, size_t j)
{
    for (size_t key = 0; key < it->keys.n; key++) {
        size_t p, q;
        const char *const x = tool_table_field(it->table, i, it->k + key, &p);
        const char *const y = tool_table_field(it->table, j, it->k + key, &q);
        if (p == q && memcmp(x, y, p) == 0) continue;
        if (p == 0 || q == 0 || (*x != '"' && *y != '"')) return false;
        p = letters(it, i, key, &it->x, &it->x_room);
        q = letters(it, j, key, &it->y, &it->y_room);
        if (p != q || memcmp(it->x, it->y, p) != 0) return false;
    }
    return true;
}

static void find_segments(keyed *it)
{
    it->offset = tool_alloc((it->n + 1) * sizeof *it->offset);
    for (size_t i = 0; i < it->n; i++)
        if (i == 0 || !same_key(it, i, i - 1)) it->offset[it->segments++] = i;
    it->offset[it->segments] = it->n;
}

static uint64_t hash_of(keyed *it, size_t row)
{
    uint64_t hash = 0;
    for (size_t key = 0; key < it->keys.n; key++) {
        const size_t bytes = letters(it, row, key, &it->x, &it->x_room);
        hash = tool_keys_hash(tool_keys_hash(hash, it->x, bytes), "", 1); /* ends the field */
    }
    return hash;
}

static bool same_segment_key(void *of, size_t i, size_t j)
{
    keyed *const it = of;
    return same_key(it, it->offset[i], it->offset[j]);
}

/* Warns of keys that come again and so begin another segment, which is rarely intended. */
static void warn_of_repeats(const tool_job *job, keyed *it)
{
    char shown[64];
    uint64_t *const hash = tool_alloc((it->segments + 1) * sizeof *hash);
    size_t before = 0;
    for (size_t s = 0; s < it->segments; s++) hash[s] = hash_of(it, it->offset[s]);
    const size_t again = tool_keys_again(job, hash, it->segments, same_segment_key, it, &before);
    free(hash);
    if (again == it->segments) return;
    const size_t row = it->offset[again], bytes = letters(it, row, 0, &it->x, &it->x_room);
    tool_warn("%s is not sorted by its keys: line %llu has '%s'%s again, which ended on line %llu, and begins another "
              "segment",
              tool_table_name(it->table), (unsigned long long)tool_table_line(it->table, row),
              tool_shown(it->x, it->x + bytes, shown, sizeof shown), it->keys.n > 1 ? " and so on" : "",
              (unsigned long long)tool_table_line(it->table, it->offset[before + 1] - 1));
}

/* --- the frame ---------------------------------------------------------------------------------------------------- */

static keyed open_keyed(tool_job *job)
{
    if (job->options.keys_out)
        tool_die(TOOL_USAGE, "--keys-out is of a file of keys; of a table, keys stand beside the results");
    keyed it = {.table = tool_job_table(job, job->operand[1])};
    it.keys = tool_columns_parse(it.table, "--keys", job->options.keys);
    it.k = tool_table_want(it.table, it.keys.at, it.keys.n);
    it.lanes = tool_lanes_open(job, it.table, tool_job_number_type(job), &it.keys);
    if (tool_operator_of_integers(job->operand[0])) tool_lanes_take_integers(&it.lanes, job->operand[0]);
    it.op = tool_operator_open(job->operand[0], it.lanes.type, &job->options);
    tool_table_all(it.table);
    tool_lanes_read(&it.lanes);
    it.n = tool_table_count(it.table);
    find_segments(&it);
    warn_of_repeats(job, &it);
    return it;
}

static int close_keyed(tool_job *job, keyed *it)
{
    tool_rounding_tell_whole(&it->rounding, tool_lanes_are_whole(&it->lanes), tool_table_name(it->table),
                             job->operand[0]);
    free(it->offset);
    free(it->x);
    free(it->y);
    tool_operator_close(&it->op);
    tool_lanes_close(&it->lanes);
    tool_columns_free(&it->keys);
    tool_table_close(it->table);
    tool_job_close(job);
    return TOOL_GOOD;
}

/* --- the commands ------------------------------------------------------------------------------------------------- */

int tool_table_segscan(tool_job *job)
{
    keyed it = open_keyed(job);
    const oplus_kind kind = job->options.exclusive ? OPLUS_EXCLUSIVE : OPLUS_INCLUSIVE;
    uint8_t *const heads = tool_alloc(it.n + 1);
    memset(heads, 0, it.n + 1);
    for (size_t s = 0; s < it.segments; s++) heads[it.offset[s]] = 1;
    for (size_t l = 0; l < it.lanes.n; l++) {
        char *const x = it.lanes.in[l];
        tool_try(oplus_segscan(job->dev, it.op.op, kind, x, heads, it.n, x));
        tool_rounding_see_whole(&it.rounding, tool_lanes_are_whole(&it.lanes), it.lanes.type, x, it.n);
    }

    tool_rows rows = tool_rows_open(job, it.table, it.lanes.type, it.lanes.n);
    tool_rows_results(&rows, job->options.into, it.lanes.n);
    tool_rows_emit(&rows, it.lanes.in, it.n);
    tool_rows_end(&rows);
    cJSON *const report = tool_job_report(job, it.lanes.type, it.n);
    tool_json_add_count(report, "segments", it.segments);
    tool_job_finish(job, rows.sink, report, -1, NULL);
    free(heads);
    tool_rows_close(&rows);
    return close_keyed(job, &it);
}

/* Names of the results: those of --into, or of the columns that the results are computed from. */
static char **names_of(const tool_job *job, const keyed *it, size_t results)
{
    size_t n;
    const bool header = tool_table_has_header(it->table);
    if (job->options.into && !header)
        tool_die(TOOL_USAGE, "--into names the columns of results, and without --header there are no names");
    if (job->options.into) {
        char **const names = tool_names_parse("--into", job->options.into, &n);
        if (n != results)
            tool_die(TOOL_USAGE, "--into %s names %zu column%s, and the results are %zu", job->options.into, n,
                     n == 1 ? "" : "s", results);
        return names;
    }
    char **const names = tool_alloc(results * sizeof *names);
    for (size_t r = 0; r < results; r++) {
        const size_t column = tool_table_wanted(it->table, it->lanes.first + r);
        names[r] = tool_copy(header ? tool_table_column_name(it->table, column) : "");
    }
    return names;
}

static void put_segments(tool_rows *rows, const tool_job *job, const keyed *it, char *const *out)
{
    size_t results;
    tool_cells *const cells = tool_cells_of(it->lanes.type, out, it->lanes.n, &results);
    char **const names = names_of(job, it, results);
    tool_rows_keyed(rows, it->k, it->keys.n, names, results);
    for (size_t s = 0; s < it->segments && !rows->binary; s++)
        tool_rows_put_keyed(rows, it->offset[s], it->k, it->keys.n, cells, results, s);
    if (rows->binary) tool_sink_write(rows->sink, out[0], it->segments);
    for (size_t r = 0; r < results; r++) free(names[r]);
    free(names);
    free(cells);
}

int tool_table_segreduce(tool_job *job)
{
    keyed it = open_keyed(job);
    char **const out = tool_alloc((it.lanes.n + 1) * sizeof *out);
    for (size_t l = 0; l < it.lanes.n; l++) {
        out[l] = tool_alloc(it.segments * it.lanes.type->size + 1);
        tool_try(oplus_segreduce(job->dev, it.op.op, it.lanes.in[l], it.n, &oplus_u64, it.offset, it.segments, out[l]));
        tool_rounding_see_whole(&it.rounding, tool_lanes_are_whole(&it.lanes), it.lanes.type, out[l], it.segments);
    }
    tool_rows rows = tool_rows_open(job, it.table, it.lanes.type, it.lanes.n);
    put_segments(&rows, job, &it, out);
    tool_rows_end(&rows);
    cJSON *const report = tool_job_report(job, it.lanes.type, it.n);
    tool_json_add_count(report, "segments", it.segments);
    tool_job_finish(job, rows.sink, report, -1, NULL);
    for (size_t l = 0; l < it.lanes.n; l++) free(out[l]);
    free(out);
    tool_rows_close(&rows);
    return close_keyed(job, &it);
}
