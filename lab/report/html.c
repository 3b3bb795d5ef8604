#include "html.h"

#include <string.h>

#include "die.h"
#include "lab/texts.h"

/* Writes JSON inside an element <script>; a < in a string could end the element, so it is escaped. */
static void write_document(FILE *to, const cJSON *document)
{
    char *const text = cJSON_Print(document);
    if (!text) tool_die(TOOL_FAILED, "out of memory");
    for (const char *c = text; *c; c++)
        if (*c == '<')
            fputs("\\u003c", to);
        else
            fputc(*c, to);
    cJSON_free(text);
}

/* A line "@name@" of the page stands for a file of this folder, or for the document. */
void lab_report_write(FILE *to, const cJSON *document)
{
    char name[64];
    for (const char *line = lab_text_of("report/page.html"); *line;) {
        const size_t length = strcspn(line, "\n");
        snprintf(name, sizeof name, "report/%.*s", length > 1 ? (int)length - 2 : 0, line + 1);
        if (*line != '@')
            fprintf(to, "%.*s\n", (int)length, line);
        else if (strcmp(name, "report/document") == 0)
            write_document(to, document), fputc('\n', to);
        else
            fputs(lab_text_of(name), to);
        line += length + (line[length] == '\n');
    }
}
