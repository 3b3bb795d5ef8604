#include "lab/record.h"

#include "die.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const lab_counter_names[LAB_COUNTERS] = {"divergent", "conflicts", "active_warps", "warps",
                                                     "requests",  "sectors",   "bytes",        "occupancy"};

/* --- members ------------------------------------------------------------------------------------------------------ */

/* Adds an item made by cJSON to an object, under a copy of the name. */
static cJSON *add(cJSON *object, const char *name, cJSON *item)
{
    tool_json_made(item);
    if (!cJSON_AddItemToObject(object, name, item)) tool_json_made(NULL);
    return item;
}

static cJSON *append(cJSON *array, cJSON *item)
{
    tool_json_made(item);
    if (!cJSON_AddItemToArray(array, item)) tool_json_made(NULL);
    return item;
}

void lab_add_text(cJSON *object, const char *name, const char *text)
{
    if (text && *text) add(object, name, cJSON_CreateString(text));
}

void lab_add_number(cJSON *object, const char *name, double value)
{
    if (isfinite(value)) add(object, name, cJSON_CreateNumber(value));
}

void lab_add_flag(cJSON *object, const char *name, bool value) { add(object, name, cJSON_CreateBool(value)); }
cJSON *lab_add_object(cJSON *object, const char *name) { return add(object, name, cJSON_CreateObject()); }
cJSON *lab_add_array(cJSON *object, const char *name) { return add(object, name, cJSON_CreateArray()); }
cJSON *lab_append_object(cJSON *array) { return append(array, cJSON_CreateObject()); }
cJSON *lab_append_array(cJSON *array) { return append(array, cJSON_CreateArray()); }

double lab_number(const cJSON *item)
{
    return item && cJSON_IsNumber(item) && isfinite(item->valuedouble) ? item->valuedouble : NAN;
}

double lab_number_of(const cJSON *object, const char *name)
{
    return lab_number(cJSON_GetObjectItemCaseSensitive(object, name));
}

const char *lab_text_in(const cJSON *object, const char *name, const char *otherwise)
{
    const cJSON *const item = cJSON_GetObjectItemCaseSensitive(object, name);
    return cJSON_IsString(item) ? item->valuestring : otherwise;
}

/* --- points of curves --------------------------------------------------------------------------------------------- */

static const cJSON *points_of(const cJSON *series)
{
    const cJSON *const points = cJSON_GetObjectItemCaseSensitive(series, "points");
    return cJSON_IsArray(points) ? points : NULL;
}

double lab_coordinate(const cJSON *point, int i)
{
    return cJSON_IsArray(point) ? lab_number(cJSON_GetArrayItem(point, i)) : NAN;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

size_t lab_every_x(const cJSON *series, double **out)
{
    const cJSON *one, *point;
    size_t room = 1, n = 0, once = 0;
    cJSON_ArrayForEach (one, series) {
        room += (size_t)cJSON_GetArraySize(points_of(one));
    }
    double *const x = *out = tool_alloc(room * sizeof *x);
    cJSON_ArrayForEach (one, series) {
        cJSON_ArrayForEach (point, points_of(one)) {
            if (isfinite(lab_coordinate(point, 0))) x[n++] = lab_coordinate(point, 0);
        }
    }
    qsort(x, n, sizeof *x, by_value);
    for (size_t i = 0; i < n; i++)
        if (once == 0 || x[i] != x[once - 1]) x[once++] = x[i];
    return once;
}

double lab_y_at(const cJSON *series, double x)
{
    const cJSON *point;
    cJSON_ArrayForEach (point, points_of(series)) {
        if (lab_coordinate(point, 0) == x) return lab_coordinate(point, 1);
    }
    return NAN;
}

/* --- sections ----------------------------------------------------------------------------------------------------- */

static void append_text(cJSON *array, const char *text, size_t length)
{
    char *const copy = tool_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = '\0';
    append(array, cJSON_CreateString(copy));
    free(copy);
}

void lab_add_paragraphs(cJSON *object, const char *name, const char *text)
{
    cJSON *const array = lab_add_array(object, name);
    while (text && *text) {
        const char *const gap = strstr(text, "\n\n");
        const size_t length = gap ? (size_t)(gap - text) : strlen(text);
        append_text(array, text, length);
        text += length + strspn(text + length, "\n");
    }
}

cJSON *lab_section(cJSON *experiment, const char *kind, const char *title, const char *about)
{
    cJSON *const section = lab_append_object(cJSON_GetObjectItemCaseSensitive(experiment, "sections"));
    lab_add_text(section, "kind", kind);
    lab_add_text(section, "title", title);
    lab_add_paragraphs(section, "about", about);
    return section;
}

static void add_axis(cJSON *section, const char *which, const char *name, const char *unit, bool log)
{
    cJSON *const axis = lab_add_object(section, which);
    lab_add_text(axis, "name", name);
    lab_add_text(axis, "unit", unit);
    lab_add_flag(axis, "log", log);
}

cJSON *lab_curves(cJSON *experiment, const char *title, const char *about, const char *x, const char *x_unit,
                  bool x_log, const char *y, const char *y_unit, bool y_log)
{
    cJSON *const section = lab_section(experiment, "curves", title, about);
    add_axis(section, "x", x, x_unit, x_log);
    add_axis(section, "y", y, y_unit, y_log);
    lab_add_array(section, "series");
    return section;
}

cJSON *lab_series(cJSON *curves, const char *name, const char *style)
{
    cJSON *const series = lab_append_object(cJSON_GetObjectItemCaseSensitive(curves, "series"));
    lab_add_text(series, "name", name);
    lab_add_text(series, "style", style);
    lab_add_array(series, "points");
    return series;
}

void lab_point(cJSON *series, double x, double y)
{
    if (!isfinite(x) || !isfinite(y)) return;
    append(cJSON_GetObjectItemCaseSensitive(series, "points"), cJSON_CreateDoubleArray((const double[]){x, y}, 2));
}

static void add_column(cJSON *columns, const char *text, size_t length)
{
    const char *const colon = memchr(text, ':', length);
    const size_t name = colon ? (size_t)(colon - text) : length;
    char *const copy = tool_alloc(length + 1);
    memcpy(copy, text, length);
    copy[length] = copy[name] = '\0';
    cJSON *const column = lab_append_object(columns);
    lab_add_text(column, "name", copy);
    if (colon) lab_add_text(column, "unit", copy + name + 1);
    free(copy);
}

cJSON *lab_table(cJSON *experiment, const char *title, const char *about, const char *columns)
{
    cJSON *const section = lab_section(experiment, "table", title, about);
    cJSON *const array = lab_add_array(section, "columns");
    for (const char *at = columns; *at;) {
        const size_t length = strcspn(at, "|");
        add_column(array, at, length);
        at += length + (at[length] == '|');
    }
    lab_add_array(section, "rows");
    return section;
}

cJSON *lab_row(cJSON *table) { return lab_append_array(cJSON_GetObjectItemCaseSensitive(table, "rows")); }

void lab_cell_text(cJSON *row, const char *text)
{
    append(row, text && *text ? cJSON_CreateString(text) : cJSON_CreateNull());
}

void lab_cell_number(cJSON *row, double value)
{
    append(row, isfinite(value) ? cJSON_CreateNumber(value) : cJSON_CreateNull());
}

void lab_add_cells(cJSON *row, const lab_cell *cells, size_t count)
{
    for (size_t c = 0; c < count; c++)
        if (cells[c].text)
            lab_cell_text(row, cells[c].text);
        else
            lab_cell_number(row, cells[c].number);
}

cJSON *lab_steps(cJSON *experiment, const char *title, const char *about, const char *text)
{
    cJSON *const section = lab_section(experiment, "steps", title, about);
    lab_add_text(section, "text", text);
    return section;
}

static void add_kernel(cJSON *kernels, const char *file)
{
    lab_caption caption = lab_caption_of(file);
    cJSON *const kernel = lab_append_object(kernels);
    lab_add_file(kernel, file);
    lab_add_text(kernel, "title", caption.title);
    lab_add_text(kernel, "what", caption.what);
    lab_add_text(kernel, "why", caption.why);
    lab_add_text(kernel, "text", caption.code);
    lab_caption_free(&caption);
}

cJSON *lab_code_of(cJSON *experiment, const char *title, const char *about, const char *const *files)
{
    cJSON *const section = lab_section(experiment, "code", title, about), *const kernels =
                                                                              lab_add_array(section, "kernels");
    for (; *files; files++) add_kernel(kernels, *files);
    return section;
}

void lab_add_file(cJSON *object, const char *file)
{
    const size_t bytes = strlen("lab/") + strlen(file) + 1;
    char *const path = tool_alloc(bytes);
    snprintf(path, bytes, "lab/%s", file);
    lab_add_text(object, "file", path);
    free(path);
}

void lab_add_counts(cJSON *rung, const lab_counts *counts, bool by_hardware)
{
    cJSON *const object = lab_add_object(rung, "counters");
    lab_add_text(object, "source", by_hardware ? "hardware" : "model");
    for (int c = 0; c < LAB_COUNTERS; c++)
        if (counts->known[c]) lab_add_number(object, lab_counter_names[c], counts->of[c]);
}
