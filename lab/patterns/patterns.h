/* Patterns: what the files of this folder share. */
#ifndef LAB_PATTERNS_PATTERNS_H
#define LAB_PATTERNS_PATTERNS_H

#include "lab/drawing.h"

/* The patterns, drawn: each really does its steps on a few elements. */
void draw_map(lab *l);
void draw_reduce(lab *l);
void draw_scan(lab *l);
void draw_segscan(lab *l);
void draw_filter(lab *l);
void draw_sort(lab *l);

/* The patterns, timed. */
void time_patterns(lab *l);

#endif
