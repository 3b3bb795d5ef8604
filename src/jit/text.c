#include "jit/text.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64 };

/* --- 1. read it as a sequence of signs, words and literals ---------------------------------------------------------
 */

/* What a text is made of, as far as its form depends on it. */
typedef struct outline {
    bool returns;    /* the word return */
    bool result;     /* the word r, not as a member */
    bool sets;       /* r, or a member of it, is set */
    bool statements; /* a ; outside of parentheses, or a block */
    bool braced;     /* all of it in one pair of braces */
    char open[MAX_DEPTH];
    int depth;
    const char *begin, *end; /* without blanks around */
} outline;

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_word(const char *word, size_t n, const char *text)
{
    return strlen(text) == n && memcmp(word, text, n) == 0;
}

static const char *complain(char *why, size_t bytes, const char *message, const char *at)
{
    char rest[24];
    snprintf(rest, sizeof rest, "%s", at);
    rest[strcspn(rest, "\n")] = '\0';
    snprintf(why, bytes, "%s at \"%s\"", message, rest);
    return NULL;
}

/* Past a literal in quotes. */
static const char *skip_literal(const char *at, char *why, size_t bytes)
{
    const char quote = *at, *const begin = at;
    for (at++; *at && *at != '\n'; at++) {
        if (*at == '\\' && at[1] && at[1] != '\n')
            at++;
        else if (*at == quote)
            return at + 1;
    }
    return complain(why, bytes, "a quotation mark has no partner", begin);
}

static const char *skip_comment(const char *at, char *why, size_t bytes)
{
    if (at[1] == '/') return at + strcspn(at, "\n");
    const char *const end = strstr(at + 2, "*/");
    return end ? end + 2 : complain(why, bytes, "a comment has no end", at);
}

/* Past blanks and members: r, r.x, r.x[3] = ... is set; r.x == ... is not. */
static bool is_set(const char *at)
{
    for (int brackets = 0; *at; at++) {
        if (*at == '[')
            brackets++;
        else if (*at == ']' && brackets > 0)
            brackets--;
        else if (brackets == 0 && !is_blank(*at) && !is_letter(*at) && !is_digit(*at) && *at != '.')
            break;
    }
    if (*at == '=') return at[1] != '=';
    if ((*at == '+' || *at == '-') && at[1] == *at) return true;
    if (*at && strchr("+-*/%&|^", *at)) return at[1] == '=';
    return (*at == '<' || *at == '>') && at[1] == *at && at[2] == '=';
}

static const char *read_word(outline *o, const char *text, const char *at)
{
    const char *end = at, *before = at;
    while (is_letter(*end) || is_digit(*end)) end++;
    while (before > text && is_blank(before[-1])) before--;
    const bool is_member =
        before > text && (before[-1] == '.' || (before - 1 > text && before[-1] == '>' && before[-2] == '-'));
    const size_t n = (size_t)(end - at);
    if (is_word(at, n, "return")) o->returns = true;
    if (is_word(at, n, "r") && !is_member) {
        o->result = true;
        o->sets = o->sets || is_set(end);
    }
    return end;
}

static const char *read_number(const char *at)
{
    while (is_letter(*at) || is_digit(*at) || *at == '.' || ((*at == '+' || *at == '-') && strchr("eEpP", at[-1])))
        at++;
    return at;
}

static const char *open_bracket(outline *o, const char *at, char *why, size_t bytes)
{
    if (o->depth == MAX_DEPTH) return complain(why, bytes, "more than 64 brackets are open", at);
    if (*at == '{') o->statements = true;
    o->open[o->depth++] = *at;
    return at + 1;
}

static const char *close_bracket(outline *o, const char *at, char *why, size_t bytes)
{
    static const char openers[] = "([{", closers[] = ")]}";
    const char opener = openers[strchr(closers, *at) - closers];
    if (o->depth == 0 || o->open[o->depth - 1] != opener) {
        char message[] = "a ? has no partner";
        message[2] = *at;
        return complain(why, bytes, message, at);
    }
    o->depth--;
    /* the brace that opened the text closes before its end: it does not embrace all of it */
    if (o->depth == 0 && at + 1 < o->end) o->braced = false;
    return at + 1;
}

/* Past the next sign, word, literal or comment. */
static const char *read_one(outline *o, const char *text, const char *at, char *why, size_t bytes)
{
    if (is_letter(*at)) return read_word(o, text, at);
    if (is_digit(*at) || (*at == '.' && is_digit(at[1]))) return read_number(at);
    switch (*at) {
    case '"':
    case '\'':
        return skip_literal(at, why, bytes);
    case '/':
        return at[1] == '/' || at[1] == '*' ? skip_comment(at, why, bytes) : at + 1;
    case '(':
    case '[':
    case '{':
        return open_bracket(o, at, why, bytes);
    case ')':
    case ']':
    case '}':
        return close_bracket(o, at, why, bytes);
    case '#':
        return complain(why, bytes, "a text has no directives, but there is a #", at);
    case '\\':
        return complain(why, bytes, "a \\ stands outside of quotation marks", at);
    case ';':
        if (o->depth == 0 || o->open[o->depth - 1] == '{') o->statements = true;
        return at + 1;
    default:
        return at + 1;
    }
}

static bool read_text(outline *o, const char *text, char *why, size_t bytes)
{
    *o = (outline){.begin = text, .end = text + strlen(text)};
    while (is_blank(*o->begin)) o->begin++;
    while (o->end > o->begin && is_blank(o->end[-1])) o->end--;
    if (o->begin == o->end) return snprintf(why, bytes, "it is empty"), false;
    if (o->end - o->begin > OPI_TEXT_BYTES)
        return snprintf(why, bytes, "it is longer than %d bytes", (int)OPI_TEXT_BYTES), false;
    o->braced = *o->begin == '{';
    for (const char *at = o->begin; at < o->end;) {
        at = read_one(o, o->begin, at, why, bytes);
        if (!at) return false;
    }
    if (o->depth == 0) return true;
    snprintf(why, bytes, "%d bracket%s not closed, the last is a %c", o->depth, o->depth > 1 ? "s are" : " is",
             o->open[o->depth - 1]);
    return false;
}

/* --- 2. make a body of it ------------------------------------------------------------------------------------------
 */

/* A // comment at the end must not swallow what follows: hence the line breaks. */
char *opi_text_body(const char *text, const char *result, char *why, size_t why_bytes)
{
    outline o;
    why[0] = '\0';
    if (!read_text(&o, text, why, why_bytes)) return NULL;
    const int n = (int)(o.end - o.begin);
    const size_t room = (size_t)n + 2 * strlen(result) + 64;
    const bool statements = o.statements || o.sets || o.returns;
    if (statements && !o.returns && !o.sets)
        return snprintf(why, why_bytes, "it neither returns a value nor sets the result r"), NULL;

    char *const body = malloc(room);
    if (!body) return NULL;
    if (!statements)
        snprintf(body, room, "{ return ( %.*s\n); }", n, o.begin);
    else if (o.braced && o.returns && !o.result)
        snprintf(body, room, "%.*s", n, o.begin);
    else if (!o.result)
        snprintf(body, room, "{ %.*s\n; }", n, o.begin);
    else
        snprintf(body, room, "{ %s r = {0}; %.*s\n; return r; }", result, n, o.begin);
    return body;
}
