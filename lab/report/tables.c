/* Tables, drawings made of text, and kernels that stand alone. */
#include <ctype.h>
#include <stdbool.h>

#include "listing.h"
#include "section.h"
#include "write.h"

/* --- tables ------------------------------------------------------------------------------------------------------- */

/* Whether a column is set at the right: its first cell that says something is a number. */
static bool is_numeric(const cJSON *rows, int column)
{
    const cJSON *row;
    cJSON_ArrayForEach (row, rows) {
        const cJSON *const cell = cJSON_IsArray(row) ? cJSON_GetArrayItem(row, column) : NULL;
        if (cell && !cJSON_IsNull(cell)) return cJSON_IsNumber(cell);
    }
    return false;
}

static void write_cell(FILE *to, const cJSON *cell, bool numeric)
{
    fputs(numeric ? "<td class=\"n\">" : "<td>", to);
    const char *const text = cJSON_GetStringValue(cell);
    if (text)
        report_text(to, text);
    else if (cJSON_IsBool(cell))
        fputs(cJSON_IsTrue(cell) ? "yes" : "no", to);
    else
        fputs(report_number_of(report_item(cell)).text, to);
    fputs("</td>", to);
}

static void write_head(FILE *to, const cJSON *columns, const cJSON *rows)
{
    const cJSON *column;
    int c = 0;
    fputs("<thead><tr>", to);
    cJSON_ArrayForEach (column, columns) {
        const char *const unit = report_member(column, "unit");
        fprintf(to, "<th scope=\"col\"%s>", is_numeric(rows, c++) ? " class=\"n\"" : "");
        report_text(to, report_member(column, "name"));
        if (*unit) fputs("<small>", to);
        report_text(to, unit);
        fputs(*unit ? "</small></th>" : "</th>", to);
    }
    fputs("</tr></thead>\n", to);
}

void report_table(FILE *to, const cJSON *section, const char *id)
{
    const cJSON *const columns = cJSON_GetObjectItemCaseSensitive(section, "columns");
    const cJSON *const rows = cJSON_GetObjectItemCaseSensitive(section, "rows"), *row;
    const int count = cJSON_IsArray(columns) ? cJSON_GetArraySize(columns) : 0;
    (void)id;
    if (count == 0 || !cJSON_IsArray(rows) || !rows->child) {
        fputs("<p class=\"empty\">The table is empty.</p>\n", to);
        return;
    }
    report_scroll_begin(to, report_member(section, "title"));
    fputs("<table>\n", to);
    write_head(to, columns, rows);
    fputs("<tbody>\n", to);
    cJSON_ArrayForEach (row, rows) {
        fputs("<tr>", to);
        for (int c = 0; c < count; c++)
            write_cell(to, cJSON_IsArray(row) ? cJSON_GetArrayItem(row, c) : NULL, is_numeric(rows, c));
        fputs("</tr>\n", to);
    }
    fputs("</tbody></table>\n", to);
    report_scroll_end(to);
}

/* --- steps -------------------------------------------------------------------------------------------------------- */

/* Where there are pictures, they say what the text does, which is then folded away. */
void report_steps(FILE *to, const cJSON *section, const char *id)
{
    const bool pictured = cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(section, "pictures"));
    report_pictures(to, section, id);
    if (pictured) fputs("<details><summary>Every step, in numbers</summary>\n", to);
    report_scroll_begin(to, report_member(section, "title"));
    fputs("<pre class=\"steps\">\n", to); /* the line's end behind <pre> is no part of it */
    report_text(to, report_member(section, "text"));
    fputs("</pre>\n", to);
    report_scroll_end(to);
    if (pictured) fputs("</details>\n", to);
}

/* --- code --------------------------------------------------------------------------------------------------------- */

/* A title as a heading: with a capital. */
static void write_heading(FILE *to, const char *title)
{
    const bool small = *title >= 'a' && *title <= 'z';
    if (small) fputc(toupper((unsigned char)*title), to);
    report_text(to, title + small);
}

static void write_code(FILE *to, const cJSON *kernel)
{
    const char *const file = report_member(kernel, "file"), *const title = report_member(kernel, "title");
    fputs("<h4>", to);
    write_heading(to, *title ? title : *file ? file : "A kernel");
    fputs("</h4>\n", to);
    report_note(to, "what", "<b>What it does:</b> ", report_member(kernel, "what"));
    report_note(to, "why", "<b>Why:</b> ", report_member(kernel, "why"));
    report_listing_alone(to, (report_listing){"", file, report_member(kernel, "text")});
}

void report_code(FILE *to, const cJSON *section, const char *id)
{
    const cJSON *const kernels = cJSON_GetObjectItemCaseSensitive(section, "kernels"), *kernel;
    int number = 0;
    cJSON_ArrayForEach (kernel, kernels) {
        fprintf(to, "<article class=\"rung\" id=\"%s-%d\">\n", id, ++number);
        write_code(to, kernel);
        fputs("</article>\n", to);
    }
    if (number == 0) fputs("<p class=\"empty\">There is no kernel to show.</p>\n", to);
}
