/* Two texts side by side: which lines belong to each other, and which words of them. */
#ifndef LAB_REPORT_DIFF_H
#define LAB_REPORT_DIFF_H

#include <stdbool.h>
#include <stddef.h>

/* A line or a word of a text. */
typedef struct report_part {
    const char *text;
    size_t bytes;
} report_part;

typedef struct report_parts {
    report_part *of;
    size_t count;
} report_parts;

/* The lines of a text, without those that are empty at its ends; the words and single signs of a line. */
report_parts report_lines(const char *text);
report_parts report_words(report_part line);
void report_parts_free(report_parts parts);
bool report_part_same(report_part a, report_part b);
bool report_part_blank(report_part part);

/* For each part of `before` the number of its partner in `after`, or -1; partners are in order.  The caller frees it.
 * Lines: equal ones and similar ones are partners, as it is best for the sum of all.  Words: equal ones alone. */
int *report_match_lines(report_parts before, report_parts after);
int *report_match_words(report_parts before, report_parts after);

#endif
