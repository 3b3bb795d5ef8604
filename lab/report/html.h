/* The findings as one page of HTML that needs nothing else: no network, no other file. */
#ifndef LAB_REPORT_HTML_H
#define LAB_REPORT_HTML_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Writes the page: a fixed text (page.html), which contains the document (lab/record.h) unchanged.  The scripts of
 * the page draw it when a browser shows it; they treat members that are missing, null or of another type as unknown,
 * and texts may be anything.  ferror(to) tells whether everything could be written. */
void lab_report_write(FILE *to, const cJSON *document);

#endif
