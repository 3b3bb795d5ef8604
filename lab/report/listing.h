/* Kernel texts: one alone, or two side by side with their differences marked. */
#ifndef LAB_REPORT_LISTING_H
#define LAB_REPORT_LISTING_H

#include <stdio.h>

/* A text and what is said of it, none of it NULL; the name may be empty. */
typedef struct report_listing {
    const char *name; /* "2 modulo" */
    const char *file, *text;
} report_listing;

void report_listing_alone(FILE *to, report_listing one);
void report_listing_pair(FILE *to, report_listing before, report_listing after);

#endif
