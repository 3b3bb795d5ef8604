#include "write.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lab/record.h"

/* --- texts -------------------------------------------------------------------------------------------------------- */

/* How many bytes the character at `text` has, of at most `bytes`; 0 if that is no UTF-8. */
static size_t character(const unsigned char *text, size_t bytes, unsigned long *point)
{
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char first = *text;
    const size_t n = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
    if (n == 0 || n > bytes) return 0;
    *point = n == 1 ? first : first & (0x7fU >> n);
    for (size_t i = 1; i < n; i++) {
        if (text[i] >> 6 != 2) return 0;
        *point = *point << 6 | (text[i] & 0x3fU);
    }
    const bool half = *point >= 0xd800 && *point < 0xe000; /* of a pair of UTF-16 */
    return half || *point > 0x10ffff || *point < least[n] ? 0 : n;
}

/* As HTML and XML say. */
static bool is_allowed(unsigned long point)
{
    const bool control = (point < 0x20 && point != '\t' && point != '\n') || (point >= 0x7f && point < 0xa0);
    return !control && (point & 0xfffe) != 0xfffe;
}

static const char *entity(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* Writes the character at `text`; returns its bytes. */
static size_t write_character(FILE *to, const char *text, size_t bytes)
{
    unsigned long point = 0;
    const size_t n = character((const unsigned char *)text, bytes, &point);
    if (n == 1 && entity(*text))
        fputs(entity(*text), to);
    else if (n > 0 && is_allowed(point))
        fwrite(text, 1, n, to);
    else if (*text != '\r')
        fputs("\xef\xbf\xbd", to); /* U+FFFD */
    return n > 0 ? n : 1;
}

void report_text_part(FILE *to, const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes;) i += write_character(to, text + i, bytes - i);
}

void report_text(FILE *to, const char *text)
{
    if (text) report_text_part(to, text, strlen(text));
}

int report_text_length(const char *text)
{
    int length = 0;
    for (; *text; text++) length += ((unsigned char)*text >> 6) != 2;
    return length;
}

void report_text_short(FILE *to, const char *text, int most)
{
    const bool cut = report_text_length(text) > most;
    const size_t bytes = strlen(text);
    size_t i = 0;
    for (int n = cut ? 1 : 0; n < most && i < bytes; n++) i += write_character(to, text + i, bytes - i);
    if (cut) fputs("…", to);
}

/* --- members ------------------------------------------------------------------------------------------------------ */

const char *report_member(const cJSON *of, const char *name) { return lab_text_in(of, name, ""); }

double report_item(const cJSON *item) { return lab_number(item); }

double report_value(const cJSON *of, const char *name) { return lab_number_of(of, name); }

/* --- numbers ------------------------------------------------------------------------------------------------------ */

/* Narrow, and no line ends there: U+202F. */
#define THIN "\xe2\x80\xaf"

/* Digits with thin spaces between thousands and a true minus. */
static report_number grouped(const char *plain)
{
    report_number out = {""};
    char *end = out.text;
    if (*plain == '-') {
        end += sprintf(end, "−");
        plain++;
    }
    const size_t whole = strcspn(plain, ".");
    for (size_t i = 0; plain[i]; i++) {
        if (i > 0 && i < whole && whole > 3 && (whole - i) % 3 == 0) end += sprintf(end, THIN);
        *end++ = plain[i];
    }
    *end = '\0';
    return out;
}

report_number report_fixed(double x, int digits)
{
    char plain[32];
    snprintf(plain, sizeof plain, "%.*f", digits, x);
    if (strtod(plain, NULL) == 0 && *plain == '-') memmove(plain, plain + 1, strlen(plain)); /* no -0 */
    return grouped(plain);
}

report_number report_power(int base, int exponent)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    report_number out;
    char digits[16];
    snprintf(digits, sizeof digits, "%d", abs(exponent));
    char *end = out.text + snprintf(out.text, sizeof out.text, "%d%s", base, exponent < 0 ? "⁻" : "");
    for (const char *digit = digits; *digit; digit++) end += sprintf(end, "%s", raised[*digit - '0']);
    return out;
}

/* 1.23·10⁻⁷ */
static report_number scientific(double x)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.2e", x);
    const size_t e = strcspn(digits, "e");
    digits[e] = '\0';
    const report_number mantissa = grouped(digits), power = report_power(10, (int)strtol(digits + e + 1, NULL, 10));
    report_number out;
    snprintf(out.text, sizeof out.text, "%.15s·%.30s", mantissa.text, power.text);
    return out;
}

report_number report_number_of(double x)
{
    if (!isfinite(x)) return (report_number){"–"};
    const double size = fabs(x);
    if (size >= 1e15 || (size > 0 && size < 1e-3)) return scientific(x);
    if (x == floor(x)) return report_fixed(x, 0);
    char digits[32];
    snprintf(digits, sizeof digits, "%.2e", x);
    const long exponent = strtol(strchr(digits, 'e') + 1, NULL, 10); /* of what it is rounded to: 9.996 is 10.0 */
    return report_fixed(strtod(digits, NULL), exponent < 2 ? (int)(2 - exponent) : 0);
}

report_number report_bytes(double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit < sizeof units / sizeof *units - 1; unit++) bytes /= 1024;
    const report_number number = report_number_of(bytes);
    report_number out;
    snprintf(out.text, sizeof out.text, "%.30s" THIN "%s", number.text, units[unit]);
    return out;
}

/* In the first of five units, each 1000 of the one before, that leaves less than 1000. */
static report_number in_units(double x, const char *const units[5])
{
    int unit = 0;
    if (!isfinite(x)) return report_number_of(x);
    for (; x >= 1000 && unit < 4; unit++) x /= 1000;
    const report_number number = report_number_of(x);
    report_number out;
    snprintf(out.text, sizeof out.text, "%.30s%s%s", number.text, *units[unit] ? THIN : "", units[unit]);
    return out;
}

report_number report_bytes_counted(double bytes)
{
    static const char *const units[] = {"bytes", "kB", "MB", "GB", "TB"};
    return in_units(bytes, units);
}

report_number report_count_of(double count)
{
    static const char *const units[] = {"", "k", "M", "G", "T"};
    return count < 1e5 ? report_number_of(count) : in_units(count, units);
}

/* --- pieces of a page --------------------------------------------------------------------------------------------- */

static void paragraph(FILE *to, const cJSON *text)
{
    const char *const words = cJSON_GetStringValue(text);
    if (!words || !*words) return;
    fputs("<p>", to);
    report_text(to, words);
    fputs("</p>\n", to);
}

void report_paragraphs(FILE *to, const cJSON *texts)
{
    const cJSON *text;
    paragraph(to, texts);
    if (cJSON_IsArray(texts))
        cJSON_ArrayForEach (text, texts) {
            paragraph(to, text);
        }
}

void report_note(FILE *to, const char *name, const char *title, const char *text)
{
    if (!*text) return;
    fprintf(to, "<p class=\"%s\">%s", name, title);
    report_text(to, text);
    fputs("</p>\n", to);
}

void report_scroll_begin(FILE *to, const char *name)
{
    fputs("<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"", to);
    report_text(to, name);
    fputs("\">\n", to);
}

void report_scroll_end(FILE *to) { fputs("</div>\n", to); }
