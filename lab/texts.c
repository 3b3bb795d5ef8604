#include "lab/texts.h"

#include "die.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *lab_text_find(const char *name)
{
    for (const lab_text *t = lab_texts; t->name; t++)
        if (strcmp(t->name, name) == 0) return t->text;
    return NULL;
}

const char *lab_text_of(const char *name)
{
    const char *const text = lab_text_find(name);
    if (text) return text;
    tool_die(TOOL_FAILED, "the text lab/%s is missing in this program; build it again", name);
}

/* The sizes.h of a kernel's folder; "" if it has none. */
static const char *sizes_of(const char *file)
{
    char name[128];
    const char *const slash = strrchr(file, '/');
    snprintf(name, sizeof name, "%.*s/sizes.h", slash ? (int)(slash - file) : 0, file);
    const char *const text = lab_text_find(name);
    return text ? text : "";
}

char *lab_source_of(const char *dialect, const char *file, const char *macros)
{
    char words[64];
    snprintf(words, sizeof words, "dialect/%s.cl", dialect);
    const char *const part[] = {macros, "\n",   lab_text_of(words), sizes_of(file), "#line 1 \"",
                                file,   "\"\n", lab_text_of(file)};
    size_t bytes = 1;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) bytes += strlen(part[i]);
    char *const source = tool_alloc(bytes);
    char *end = source;
    for (size_t i = 0; i < sizeof part / sizeof *part; i++) end += sprintf(end, "%s", part[i]);
    return source;
}

/* --- the leading comment of a kernel ------------------------------------------------------------------------------ */

/* Where a comment's line has its words: behind blanks and the star. */
static const char *words_of(const char *line)
{
    line += strspn(line, " ");
    if (*line == '*' && line[1] != '/') line++;
    return line + strspn(line, " ");
}

/* Adds a line behind a blank; there is room. */
static void add_line(char *to, const char *from, size_t length)
{
    size_t at = strlen(to);
    if (length == 0) return;
    if (at > 0) to[at++] = ' ';
    memcpy(to + at, from, length);
    to[at + length] = '\0';
}

static size_t length_of(const char *words, const char *end)
{
    const char *const line_end = strchr(words, '\n');
    const char *stop = line_end && line_end < end ? line_end : end;
    while (stop > words && stop[-1] == ' ') stop--;
    return (size_t)(stop - words);
}

/* If the words begin with this one: the text behind it; else NULL. */
static const char *behind(const char *words, const char *first)
{
    const size_t length = strlen(first);
    return strncmp(words, first, length) == 0 ? words + length + strspn(words + length, " ") : NULL;
}

/* The first word of a paragraph ("Changes:", "Why:") says where it belongs; other paragraphs belong to the one
 * before. */
lab_caption lab_caption_of(const char *name)
{
    const char *const text = lab_text_of(name);
    const char *const end = strstr(text, "*/");
    if (strncmp(text, "/*", 2) != 0 || !end) tool_die(TOOL_FAILED, "lab/%s does not begin with a comment", name);
    const size_t room = (size_t)(end - text) + 1;
    lab_caption c = {tool_alloc(room), tool_alloc(room), tool_alloc(room), end + 2};
    *c.title = *c.what = *c.why = '\0';
    char *to = c.title;
    for (const char *line = text + 2; line < end;) {
        const char *words = words_of(line);
        const char *const changes = behind(words, "Changes:"), *const why = behind(words, "Why:");
        if (changes) to = c.what, words = changes;
        if (why) to = c.why, words = why;
        if (words < end) add_line(to, words, length_of(words, end));
        const char *const next = strchr(line, '\n');
        if (!next) break;
        line = next + 1;
    }
    while (*c.code == '\n') c.code++;
    return c;
}

void lab_caption_free(lab_caption *c)
{
    free(c->title);
    free(c->what);
    free(c->why);
}
