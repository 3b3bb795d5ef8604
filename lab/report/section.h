/* The parts of a page.  `id` is the section's, unique in the page; what is inside of it adds to it: "e1-2", "e1-2-5".
 */
#ifndef LAB_REPORT_SECTION_H
#define LAB_REPORT_SECTION_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Each writes what follows the title and the text of a section of one kind. */
void report_ladder(FILE *to, const cJSON *section, const char *id);
void report_curves(FILE *to, const cJSON *section, const char *id);
void report_table(FILE *to, const cJSON *section, const char *id);
void report_steps(FILE *to, const cJSON *section, const char *id);
void report_code(FILE *to, const cJSON *section, const char *id);

/* The pictures of a section of steps. */
void report_pictures(FILE *to, const cJSON *section, const char *id);

/* All ladders in one picture and three sentences; a section of its own, or nothing where none has run. */
void report_summary(FILE *to, const cJSON *experiments);

/* What the words of the page mean; a section of its own. */
void report_vocabulary(FILE *to);

/* Of a ladder: how fast each rung is; how much faster than the first, beside the lectures'; and each rung's text. */
void report_bars(FILE *to, const cJSON *section, const char *id);
void report_gains(FILE *to, const cJSON *section, const char *id);
void report_rungs(FILE *to, const cJSON *section, const char *id);

/* The shapes that report_mark draws, once in a page, and one of them as a `use` at a share of the width. */
void report_marks(FILE *to);
/* At x in percent and y in pixels, in the colour and shape of the series with this number; <title> and </use> follow.
 */
void report_mark(FILE *to, int series, double x, double y);
/* An item of a legend: a line in this style ("line", "dots", "dashed"), its mark unless it is dashed, and the name. */
void report_key(FILE *to, int series, const char *style, const char *name);

enum { REPORT_COLOURS = 8, REPORT_SHAPES = 6 };

#endif
