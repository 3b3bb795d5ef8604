/* Texts and numbers as HTML. */
#ifndef LAB_REPORT_WRITE_H
#define LAB_REPORT_WRITE_H

#include <cjson/cJSON.h>
#include <stddef.h>
#include <stdio.h>

/* A text as content or between double quotes.  What is no UTF-8, and control characters, become U+FFFD.  NULL: nothing.
 */
void report_text(FILE *to, const char *text);
void report_text_part(FILE *to, const char *text, size_t bytes);
/* At most so many characters of it, for places where nothing wraps; what is cut off leaves an ellipsis. */
void report_text_short(FILE *to, const char *text, int most);
/* How many characters a text has. */
int report_text_length(const char *text);

/* A member of an object: "" or NaN where it is missing, null, of another type or no finite number. */
const char *report_member(const cJSON *of, const char *name);
double report_value(const cJSON *of, const char *name);
/* The same of an element of an array, or NULL. */
double report_item(const cJSON *item);

/* A number as text: whole ones in full, others with 3 significant digits, thousands apart; an en dash if not finite. */
enum { REPORT_NUMBER = 48 };
typedef struct report_number {
    char text[REPORT_NUMBER];
} report_number;
report_number report_number_of(double x);
/* With so many digits behind the point. */
report_number report_fixed(double x, int digits);
/* base to the power of exponent, as 10⁻³ */
report_number report_power(int base, int exponent);
/* Bytes as "140 GiB". */
report_number report_bytes(double bytes);
/* Bytes that were counted, in powers of ten as those of a rate are: "1.09 GB"; an en dash if not finite. */
report_number report_bytes_counted(double bytes);

/* Things that were counted: "90.4 M"; below 100 000 in full. */
report_number report_count_of(double count);

/* A paragraph for each text of an array, or for the one that a string is. */
void report_paragraphs(FILE *to, const cJSON *texts);
/* <p class="name">, its title and text; nothing if there is no text. */
void report_note(FILE *to, const char *name, const char *title, const char *text);

/* What may be wider than a phone: begins and ends a box that scrolls, which has a name for who cannot see it. */
void report_scroll_begin(FILE *to, const char *name);
void report_scroll_end(FILE *to);

#endif
