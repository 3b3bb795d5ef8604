/* A pair is a grid in which each line knows its row: the columns stay in step even where a long line wraps, and where
 * there is no room for two, one text follows the other, whole. */
#include "listing.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "diff.h"
#include "die.h"
#include "write.h"

/* The style of a line: its row, if it has one, and its indentation, which what wraps of it has, too. */
static void write_style(FILE *to, report_part line, int row)
{
    size_t indent = 0;
    while (indent < line.bytes && indent < 16 && line.text[indent] == ' ') indent++;
    if (row == 0 && indent == 0) return;
    fputs(" style=\"", to);
    if (row > 0) fprintf(to, "--r:%d", row);
    if (indent > 0) fprintf(to, "%s--i:%zu", row > 0 ? ";" : "", indent);
    fputs("\"", to);
}

/* --- one ---------------------------------------------------------------------------------------------------------- */

static void write_head(FILE *to, report_listing one)
{
    fputs(*one.name ? "<p class=\"head\"><b>" : "<p class=\"head\">", to);
    report_text(to, one.name);
    fputs(*one.name ? "</b> <code>" : "<code>", to);
    report_text(to, one.file);
    fputs("</code></p>\n", to);
}

void report_listing_alone(FILE *to, report_listing one)
{
    const report_parts lines = report_lines(one.text);
    fputs("<div class=\"listing\">\n", to);
    write_head(to, one);
    fputs("<pre><code>", to);
    for (size_t i = 0; i < lines.count; i++) {
        fputs("<span class=\"line\"", to);
        write_style(to, lines.of[i], 0);
        fputs(">", to);
        report_text_part(to, lines.of[i].text, lines.of[i].bytes);
        fputs("</span>\n", to);
    }
    fputs("</code></pre>\n</div>\n", to);
    report_parts_free(lines);
}

/* --- two ---------------------------------------------------------------------------------------------------------- */

/* One of the two texts: which row each line has, and its partner in the other one, or -1. */
typedef struct side {
    report_parts lines;
    int *row, *partner;
    const char *mark; /* "del", "ins": the element of what the other one lacks */
} side;

/* Between two pairs of partners, lines that have none share rows. */
static void deal_rows(side *before, side *after)
{
    int row = 1;
    for (size_t i = 0, j = 0; i < before->lines.count || j < after->lines.count; row++) {
        const bool left = i < before->lines.count, right = j < after->lines.count;
        const bool pair = left && right && before->partner[i] == (int)j;
        if (left && (pair || before->partner[i] < 0)) before->row[i++] = row;
        if (right && (pair || after->partner[j] < 0)) after->row[j++] = row;
    }
}

/* A word that its partner's line lacks; blanks only between two such words. */
static bool is_new(report_parts words, const int *partner, size_t i)
{
    if (!report_part_blank(words.of[i])) return partner[i] < 0;
    return i > 0 && i + 1 < words.count && partner[i - 1] < 0 && partner[i + 1] < 0;
}

/* The words of a line, marked where its partner has no such word. */
static void write_words(FILE *to, report_parts words, const int *partner, const char *mark)
{
    bool marked = false;
    for (size_t i = 0; i < words.count; i++) {
        const bool mark_it = is_new(words, partner, i);
        if (mark_it != marked) fprintf(to, mark_it ? "<%s>" : "</%s>", mark);
        report_text_part(to, words.of[i].text, words.of[i].bytes);
        marked = mark_it;
    }
    if (marked) fprintf(to, "</%s>", mark);
}

static void write_changed(FILE *to, report_part line, report_part other, const char *mark)
{
    const report_parts words = report_words(line), others = report_words(other);
    int *const partner = report_match_words(words, others);
    write_words(to, words, partner, mark);
    free(partner);
    report_parts_free(words);
    report_parts_free(others);
}

static void write_line(FILE *to, const side *own, const side *other, size_t i)
{
    const report_part line = own->lines.of[i];
    const bool alone = own->partner[i] < 0;
    const bool same = !alone && report_part_same(line, other->lines.of[own->partner[i]]);
    const char *const element = alone ? own->mark : "span";
    fprintf(to, "<%s class=\"line%s\"", element, same ? "" : alone ? " whole" : " part");
    write_style(to, line, own->row[i]);
    fputs(">", to);
    if (alone || same)
        report_text_part(to, line.text, line.bytes);
    else
        write_changed(to, line, other->lines.of[own->partner[i]], own->mark);
    fprintf(to, "</%s>\n", element);
}

static void write_side(FILE *to, report_listing one, const side *own, const side *other, const char *name)
{
    fprintf(to, "<div class=\"%s\">\n", name);
    write_head(to, one);
    fputs("<pre><code>", to);
    for (size_t i = 0; i < own->lines.count; i++) write_line(to, own, other, i);
    fputs("</code></pre>\n</div>\n", to);
}

static side side_of(report_listing one, const char *mark)
{
    side own = {.lines = report_lines(one.text), .mark = mark};
    own.row = tool_alloc((own.lines.count + 1) * sizeof *own.row);
    return own;
}

/* The other way round. */
static int *inverse(const int *partner, size_t count, size_t others)
{
    int *const back = tool_alloc((others + 1) * sizeof *back);
    for (size_t j = 0; j < others; j++) back[j] = -1;
    for (size_t i = 0; i < count; i++)
        if (partner[i] >= 0) back[partner[i]] = (int)i;
    return back;
}

static void free_side(side own)
{
    report_parts_free(own.lines);
    free(own.row);
    free(own.partner);
}

void report_listing_pair(FILE *to, report_listing before, report_listing after)
{
    side left = side_of(before, "del"), right = side_of(after, "ins");
    left.partner = report_match_lines(left.lines, right.lines);
    right.partner = inverse(left.partner, left.lines.count, right.lines.count);
    deal_rows(&left, &right);
    fputs("<div class=\"pair\">\n", to);
    write_side(to, before, &left, &right, "before");
    write_side(to, after, &right, &left, "after");
    fputs("</div>\n", to);
    free_side(left);
    free_side(right);
}
