/* The document of what was found out: cJSON, so that it is printed as it is, and read again.
 *
 * document {oplus, date, command, caution, device, experiments []} device {where, name, driver, units, memory,
 * copy_gbs, counters} experiment {name, title, about [paragraphs], sections []} section {kind, title, about [], ...},
 * by its kind:
 *
 * ladder {n, unit, limit_name, limit, lecture_about, rungs []} rung {name, role, title, what, why, file, kernel, ms,
 * gbs, before, over_before, over_first, of_limit, launches, right, skipped, note, counters {source, ...}, lecture
 * {device: GB/s}} curves {x {name, unit, log}, y {name, unit, log}, series [{name, style, points [[x, y]]}]} table
 * {columns [{name, unit}], rows [[cell]]} steps {text, pictures [{title, columns, rows [{label, cells [text], marks
 * [column], links [[from, to, taken]]}]}]} code {kernels [{file, title, what, why, text}]}
 *
 * A link of a picture leads from a cell of the row above to a cell of its row; taken: an operand, else the same value.
 *
 * Unknown members are absent.  Calls end the command if memory runs out. */
#ifndef LAB_RECORD_H
#define LAB_RECORD_H

#include "lab/counters.h"
#include "lab/texts.h"

#include <cjson/cJSON.h>
#include <math.h>

/* Adds an array of paragraphs; in the text, empty lines separate them; NULL: none. */
void lab_add_paragraphs(cJSON *object, const char *name, const char *text);

/* Adds a section at the end of an experiment; about: paragraphs or NULL. */
cJSON *lab_section(cJSON *experiment, const char *kind, const char *title, const char *about);

/* --- members --- */
void lab_add_text(cJSON *object, const char *name, const char *text);
void lab_add_number(cJSON *object, const char *name, double value); /* not finite: left out */
void lab_add_flag(cJSON *object, const char *name, bool value);
/* Adds the name of a file of lab/: "lab/reduce/02-modulo.cl". */
void lab_add_file(cJSON *object, const char *file);
cJSON *lab_add_object(cJSON *object, const char *name);
cJSON *lab_add_array(cJSON *object, const char *name);
cJSON *lab_append_object(cJSON *array);
cJSON *lab_append_array(cJSON *array);

/* --- reading, of a document that may be anything --- */
double lab_number(const cJSON *item);                        /* NAN if no number, NULL, or not finite */
double lab_number_of(const cJSON *object, const char *name); /* NAN if it has no finite one */
const char *lab_text_in(const cJSON *object, const char *name, const char *otherwise);
/* A coordinate of a point of a curve: i is 0 for x, 1 for y. */
double lab_coordinate(const cJSON *point, int i);
/* All x of an array of series, each once, in ascending order; returns how many.  The caller frees x. */
size_t lab_every_x(const cJSON *series, double **x);
/* The y of a series at x. */
double lab_y_at(const cJSON *series, double x);

/* --- curves --- */
cJSON *lab_curves(cJSON *experiment, const char *title, const char *about, const char *x, const char *x_unit,
                  bool x_log, const char *y, const char *y_unit, bool y_log);
cJSON *lab_series(cJSON *curves, const char *name, const char *style); /* "line", "dots", "dashed" */
void lab_point(cJSON *series, double x, double y);

/* --- tables --- */
/* columns: "chunk:bytes|pageable:GB/s|pinned:GB/s" */
cJSON *lab_table(cJSON *experiment, const char *title, const char *about, const char *columns);
cJSON *lab_row(cJSON *table);
void lab_cell_text(cJSON *row, const char *text); /* NULL: unknown */
void lab_cell_number(cJSON *row, double value);   /* not finite: unknown */

/* lab_add_row(table, lab_is_text("tiled"), lab_is(12.5), lab_is_measured(seconds)): a whole row. */
typedef struct lab_cell {
    const char *text; /* NULL: the number */
    double number;
} lab_cell;

static inline lab_cell lab_is(double number) { return (lab_cell){NULL, number}; }
static inline lab_cell lab_is_text(const char *text) { return (lab_cell){text ? text : "", 0}; }
static inline lab_cell lab_is_if(bool right, double number) { return right ? lab_is(number) : lab_is_text("WRONG"); }
static inline lab_cell lab_is_measured(double number) { return lab_is_if(isfinite(number), number); }
#define lab_add_row(table, ...)                                                                                        \
    lab_add_cells(lab_row(table), (const lab_cell[]){__VA_ARGS__},                                                     \
                  sizeof((const lab_cell[]){__VA_ARGS__}) / sizeof(lab_cell))
void lab_add_cells(cJSON *row, const lab_cell *cells, size_t count);

/* --- drawings and kernels --- */
cJSON *lab_steps(cJSON *experiment, const char *title, const char *about, const char *text);
/* lab_code(experiment, title, about, "reduce/02-modulo.cl", ...): files of lab/, in this order. */
#define lab_code(experiment, title, about, ...)                                                                        \
    lab_code_of(experiment, title, about, (const char *const[]){__VA_ARGS__, NULL})
cJSON *lab_code_of(cJSON *experiment, const char *title, const char *about,
                   const char *const *files); /* ends with NULL */

/* The counters of a rung. */
void lab_add_counts(cJSON *rung, const lab_counts *counts, bool by_hardware);
/* Their members' names, in the order of lab_counter. */
extern const char *const lab_counter_names[LAB_COUNTERS];

#endif
