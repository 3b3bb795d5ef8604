/* What was found out, as one page of HTML that needs nothing else: no network, no script. */
#ifndef LAB_REPORT_HTML_H
#define LAB_REPORT_HTML_H

#include <cjson/cJSON.h>
#include <stdio.h>

/* Writes the document (lab/record.h) as a page.  Members that are missing, null or of another type are unknown and
 * shown as such; texts may be anything.  Whether all could be written is `to`'s to say (ferror). */
void lab_report_write(FILE *to, const cJSON *document);

#endif
