#include "lab/show.h"

#include "lab/grid.h"
#include "progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

enum { WIDTH = 100 };

/* --- progress ----------------------------------------------------------------------------------------------------- */

void lab_show_step(const char *title, const char *what, int i, int of)
{
    char line[128];
    snprintf(line, sizeof line, "%s: %s (%d of %d)", title, what, i + 1, of);
    tool_progress_say(line);
}

void lab_show_section(const lab *l, const cJSON *section)
{
    tool_progress_wipe();
    if (!l->out) return;
    lab_print_section(l->out, section);
    fflush(l->out);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

/* A paragraph in lines of WIDTH. */
void lab_print_wrapped(FILE *out, const char *text)
{
    size_t column = 0;
    while (*text) {
        const size_t length = strcspn(text, " \n");
        if (column > 0 && column + 1 + length > WIDTH) column = 0, fputc('\n', out);
        if (column > 0) column++, fputc(' ', out);
        fwrite(text, 1, length, out);
        column += length;
        text += length + strspn(text + length, " \n");
    }
    fputs("\n\n", out);
}

static void print_about(FILE *out, const cJSON *object)
{
    const cJSON *p;
    cJSON_ArrayForEach (p, cJSON_GetObjectItemCaseSensitive(object, "about")) {
        if (cJSON_IsString(p)) lab_print_wrapped(out, p->valuestring);
    }
}

/* --- ladders: a table of rates, one of counters, one of the lectures ---------------------------------------------- */

/* "2.22 tiled-32" if the rung is compared with another rung than the one above. */
static void put_over_before(lab_grid *g, size_t column, const cJSON *rung)
{
    char text[64];
    lab_number_text(text, sizeof text, lab_number_of(rung, "over_before"));
    const size_t length = strlen(text);
    const char *const before = lab_text_in(rung, "before", NULL);
    if (before && length > 0) snprintf(text + length, sizeof text - length, " %s", before);
    lab_put(g, column, text);
}

static void put_rung(lab_grid *g, const cJSON *rung)
{
    const bool wrong = cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(rung, "right"));
    const char *const instead = lab_text_in(rung, "skipped", NULL) ? "skipped" : wrong ? "WRONG" : NULL;
    lab_put(g, 0, lab_text_in(rung, "name", ""));
    lab_put(g, 1, lab_text_in(rung, "title", ""));
    lab_put_number(g, 2, lab_number_of(rung, "ms"));
    if (instead)
        lab_put(g, 3, instead);
    else
        lab_put_number(g, 3, lab_number_of(rung, "gbs"));
    put_over_before(g, 4, rung);
    lab_put_number(g, 5, lab_number_of(rung, "over_first"));
    lab_put_number(g, 6, 100 * lab_number_of(rung, "of_limit"));
}

/* A grid whose first two columns are words. */
static lab_grid grid_under(const char *const *head, size_t columns)
{
    lab_grid g = lab_grid_of(columns);
    g.left[0] = g.left[1] = true;
    for (size_t c = 0; c < columns; c++) lab_put(&g, c, head[c]);
    return g;
}

static void print_rates(FILE *out, const cJSON *rungs)
{
    static const char *const head[] = {"rung", "", "ms", "GB/s", "x before", "x first", "% of copy"};
    const cJSON *rung;
    lab_grid g = grid_under(head, sizeof head / sizeof *head);
    cJSON_ArrayForEach (rung, rungs) {
        put_rung(&g, rung);
    }
    lab_print_grid(out, &g);
}

static void put_counters(lab_grid *g, const char *rung, const cJSON *counters)
{
    lab_put(g, 0, rung);
    lab_put(g, 1, lab_text_in(counters, "source", ""));
    lab_put_number(g, 2, lab_number_of(counters, "divergent"));
    lab_put_number(g, 3, lab_number_of(counters, "conflicts"));
    lab_put_number(g, 4, lab_number_of(counters, "warps"));
    lab_put_number(g, 5, lab_number_of(counters, "active_warps"));
    lab_put_number(g, 6, lab_number_of(counters, "sectors") / lab_number_of(counters, "requests"));
    lab_put_number(g, 7, lab_number_of(counters, "bytes") * 1e-6);
    lab_put_number(g, 8, 100 * lab_number_of(counters, "occupancy"));
}

static void print_counters(FILE *out, const cJSON *rungs)
{
    static const char *const head[] = {"rung",         "counted by",        "divergent",  "conflicts", "warps",
                                       "active warps", "sectors a request", "memory, MB", "% occupied"};
    const cJSON *rung;
    lab_grid g = grid_under(head, sizeof head / sizeof *head);
    cJSON_ArrayForEach (rung, rungs) {
        const cJSON *const counters = cJSON_GetObjectItemCaseSensitive(rung, "counters");
        if (counters) put_counters(&g, lab_text_in(rung, "name", ""), counters);
    }
    const bool any = g.rows > 1;
    lab_print_grid(out, &g);
    if (any)
        lab_print_wrapped(
            out, "(divergent: branches at which the lanes of a warp part; conflicts: extra passes over shared memory; "
                 "sectors: 32 bytes of global memory each, that a load or store of a warp touches.)");
}

static const cJSON *lecture_of(const cJSON *rung)
{
    const cJSON *const lecture = cJSON_GetObjectItemCaseSensitive(rung, "lecture");
    return cJSON_IsObject(lecture) ? lecture : NULL;
}

enum { DEVICES = 6 };

/* Collects the devices that the rungs have figures of, in order of appearance; returns how many. */
static size_t devices_of(const cJSON *rungs, const char *name[DEVICES])
{
    const cJSON *rung, *device;
    size_t devices = 0;
    cJSON_ArrayForEach (rung, rungs) {
        cJSON_ArrayForEach (device, lecture_of(rung)) {
            size_t k = 0;
            while (k < devices && strcmp(name[k], device->string) != 0) k++;
            if (k == devices && devices < DEVICES) name[devices++] = device->string;
        }
    }
    return devices;
}

static void print_lectures(FILE *out, const cJSON *ladder)
{
    const cJSON *const rungs = cJSON_GetObjectItemCaseSensitive(ladder, "rungs"), *rung;
    const char *name[DEVICES];
    const size_t devices = devices_of(rungs, name);
    if (devices == 0) return;
    if (lab_text_in(ladder, "lecture_about", NULL)) lab_print_wrapped(out, lab_text_in(ladder, "lecture_about", ""));
    lab_grid g = lab_grid_of(2 + devices);
    g.left[0] = true;
    lab_put(&g, 0, "GB/s");
    lab_put(&g, 1, "here");
    for (size_t k = 0; k < devices; k++) lab_put(&g, 2 + k, name[k]);
    cJSON_ArrayForEach (rung, rungs) {
        const cJSON *const lecture = lecture_of(rung);
        if (!lecture) continue;
        lab_put(&g, 0, lab_text_in(rung, "name", ""));
        lab_put_number(&g, 1, lab_number_of(rung, "gbs"));
        for (size_t k = 0; k < devices; k++) lab_put_number(&g, 2 + k, lab_number_of(lecture, name[k]));
    }
    lab_print_grid(out, &g);
}

/* Prints what does not fit in a table: why a rung was left out, and notes. */
static void print_notes(FILE *out, const cJSON *rungs)
{
    const cJSON *rung;
    bool any = false;
    cJSON_ArrayForEach (rung, rungs) {
        const char *const name = lab_text_in(rung, "name", "");
        const char *const skipped = lab_text_in(rung, "skipped", NULL), *const note = lab_text_in(rung, "note", NULL);
        if (skipped) fprintf(out, "  %s: skipped: %s\n", name, skipped);
        if (note) fprintf(out, "  %s: %s\n", name, note);
        any |= skipped || note;
    }
    if (any) fputc('\n', out);
}

static void print_ladder(FILE *out, const cJSON *ladder)
{
    const cJSON *const rungs = cJSON_GetObjectItemCaseSensitive(ladder, "rungs");
    const double limit = lab_number_of(ladder, "limit");
    fprintf(out, "  %.0f elements", lab_number_of(ladder, "n"));
    fprintf(out, isfinite(limit) ? "; a copy moves %.4g GB/s\n\n" : "\n\n", limit);
    print_rates(out, rungs);
    print_notes(out, rungs);
    print_counters(out, rungs);
    print_lectures(out, ladder);
}

/* --- tables, curves, kernels -------------------------------------------------------------------------------------- */

static void put_cell(lab_grid *g, size_t column, const cJSON *cell)
{
    if (cJSON_IsString(cell)) {
        lab_put(g, column, cell->valuestring);
        g->left[column] = true;
    } else if (cJSON_IsBool(cell))
        lab_put(g, column, cJSON_IsTrue(cell) ? "yes" : "no");
    else
        lab_put_number(g, column, cJSON_IsNumber(cell) ? cell->valuedouble : NAN);
}

static void put_head(lab_grid *g, size_t column, const char *name, const char *unit)
{
    char text[128];
    snprintf(text, sizeof text, *unit ? "%s, %s" : "%s", name, unit);
    lab_put(g, column, text);
}

static void print_table(FILE *out, const cJSON *table)
{
    const cJSON *const columns = cJSON_GetObjectItemCaseSensitive(table, "columns");
    const cJSON *row, *cell, *column;
    if (cJSON_GetArraySize(columns) == 0) return;
    lab_grid g = lab_grid_of((size_t)cJSON_GetArraySize(columns));
    size_t c = 0;
    cJSON_ArrayForEach (column, columns) {
        put_head(&g, c++, lab_text_in(column, "name", ""), lab_text_in(column, "unit", ""));
    }
    cJSON_ArrayForEach (row, cJSON_GetObjectItemCaseSensitive(table, "rows")) {
        c = 0;
        cJSON_ArrayForEach (cell, row) {
            if (c < g.columns) put_cell(&g, c++, cell);
        }
    }
    lab_print_grid(out, &g);
}

/* Prints curves as a table: one column for each series. */
static void print_curves(FILE *out, const cJSON *curves)
{
    const cJSON *const series = cJSON_GetObjectItemCaseSensitive(curves, "series");
    const cJSON *const x_axis = cJSON_GetObjectItemCaseSensitive(curves, "x");
    const cJSON *const y_axis = cJSON_GetObjectItemCaseSensitive(curves, "y");
    const cJSON *s;
    double *x;
    const size_t count = lab_every_x(series, &x);
    lab_grid g = lab_grid_of(1 + (size_t)cJSON_GetArraySize(series));
    size_t c = 1;
    put_head(&g, 0, lab_text_in(x_axis, "name", ""), lab_text_in(x_axis, "unit", ""));
    cJSON_ArrayForEach (s, series) {
        lab_put(&g, c++, lab_text_in(s, "name", ""));
    }
    for (size_t i = 0; i < count; i++) {
        c = 1;
        lab_put_number(&g, 0, x[i]);
        cJSON_ArrayForEach (s, series) {
            lab_put_number(&g, c++, lab_y_at(s, x[i]));
        }
    }
    const char *const unit = lab_text_in(y_axis, "unit", "");
    fprintf(out, *unit ? "  %s, %s:\n\n" : "  %s:\n\n", lab_text_in(y_axis, "name", ""), unit);
    lab_print_grid(out, &g);
    free(x);
}

static void print_kernels(FILE *out, const cJSON *code)
{
    const cJSON *k;
    cJSON_ArrayForEach (k, cJSON_GetObjectItemCaseSensitive(code, "kernels")) {
        fprintf(out, "  %s: %s\n", lab_text_in(k, "file", ""), lab_text_in(k, "title", ""));
    }
    fputc('\n', out);
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

void lab_print_section(FILE *out, const cJSON *section)
{
    static const struct {
        const char *kind;
        void (*print)(FILE *out, const cJSON *section);
    } kinds[] = {{"ladder", print_ladder}, {"table", print_table}, {"curves", print_curves}, {"code", print_kernels}};
    const char *const kind = lab_text_in(section, "kind", "");
    fprintf(out, "--- %s\n\n", lab_text_in(section, "title", ""));
    print_about(out, section);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i].kind, kind) == 0) kinds[i].print(out, section);
    if (strcmp(kind, "steps") == 0) fprintf(out, "%s\n\n", lab_text_in(section, "text", ""));
}

void lab_show_experiment(FILE *out, const cJSON *experiment)
{
    const cJSON *section;
    fprintf(out, "=== %s\n\n", lab_text_in(experiment, "title", ""));
    print_about(out, experiment);
    cJSON_ArrayForEach (section, cJSON_GetObjectItemCaseSensitive(experiment, "sections")) {
        lab_print_section(out, section);
    }
}
