/* The output on a terminal: the progress, and each section as a table when it is finished. */
#ifndef LAB_SHOW_H
#define LAB_SHOW_H

#include "lab/lab.h"

/* On stderr, if that is a terminal: what is done now, the i-th of `of`. */
void lab_show_step(const char *title, const char *what, int i, int of);
/* A finished section: call it once for each.  Wipes the line of lab_show_step. */
void lab_show_section(const lab *l, const cJSON *section);
/* The same for an experiment of a document that was read. */
void lab_show_experiment(FILE *out, const cJSON *experiment);
/* A paragraph, in lines of 100 characters, and an empty line. */
void lab_print_wrapped(FILE *out, const char *text);
void lab_print_section(FILE *out, const cJSON *section);

#endif
