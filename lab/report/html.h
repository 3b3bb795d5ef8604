/* What was found out, as one page of HTML that needs nothing else: no network, no other file. */
#ifndef LAB_REPORT_HTML_H
#define LAB_REPORT_HTML_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Writes the page: a fixed text (page.html), in which the document (lab/record.h) stands as it is.  The scripts of the
 * page draw it when a browser shows it; members that are missing, null or of another type are unknown to them, and texts
 * may be anything.  Whether all could be written is `to`'s to say (ferror). */
void lab_report_write(FILE *to, const cJSON *document);

#endif
