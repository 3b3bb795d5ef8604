#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "text/text.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_VALUES = 64 };

/* --- 1. words and signs ------------------------------------------------------------------------------------------- */

static bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static bool is_digit(int c) { return c >= '0' && c <= '9'; }
static bool is_letter(int c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static size_t word_length(const char *at)
{
    size_t n = 0;
    while (is_letter(at[n]) || is_digit(at[n])) n++;
    return n;
}

static bool is_among(const char *word, size_t n, const char *const *words)
{
    for (; *words; words++)
        if (strlen(*words) == n && memcmp(word, *words, n) == 0) return true;
    return false;
}

bool opi_text_is_name(const char *word)
{
    static const char *const keywords[] = {
        "auto",     "break",    "case",       "char",      "const",          "continue",      "default",  "do",
        "double",   "else",     "enum",       "extern",    "float",          "for",           "goto",     "if",
        "inline",   "int",      "long",       "register",  "restrict",       "return",        "short",    "signed",
        "sizeof",   "static",   "struct",     "switch",    "typedef",        "union",         "unsigned", "void",
        "volatile", "while",    "asm",        "typeof",    "_Alignas",       "_Alignof",      "_Atomic",  "_Bool",
        "_Complex", "_Generic", "_Imaginary", "_Noreturn", "_Static_assert", "_Thread_local", "bool",     "true",
        "false",    "NULL",     "NAN",        "INFINITY",  "HUGE_VAL",       "errno",         NULL};
    return word && is_letter(*word) && word[word_length(word)] == '\0' && !is_among(word, strlen(word), keywords);
}

/* --- 2. read the text --------------------------------------------------------------------------------------------- */

/* An expression whose value the text gives: behind a return, or an `r =`. */
typedef struct value {
    const char *begin, *end; /* end NULL: it has not been reached */
    int depth;               /* of the brackets around it */
    bool listed;             /* a comma ends it */
} value;

/* The parts of a text that decide its form. */
typedef struct outline {
    const char *text, *begin, *end; /* begin, end: without blanks around */
    bool returns;                   /* the word return occurs */
    bool sets;                      /* the result r, or a member of it, is set */
    bool own;                       /* an r is declared */
    bool statements;                /* a ; outside of parentheses */
    bool index, own_index;          /* the word i occurs; an i is declared */
    char open[MAX_DEPTH];
    int depth, round; /* brackets that are open; those among them that are ( or [ */
    int inner;        /* braces inside of ( or [: a statement expression, whose words are its own */
    value values[MAX_VALUES];
    int count, questions; /* questions: each ? of the last value whose : has not come yet */
    bool parts;           /* a member of r is set, or r by its address, or more than MAX_VALUES values are given */
    char *why;
    size_t why_bytes;
} outline;

static const char *complain(outline *o, const char *message, const char *at)
{
    const int line = (int)strcspn(at, "\n");
    const int shown = opi_cut(at, line < 23 ? line : 23);
    snprintf(o->why, o->why_bytes, "%s at \"%.*s\"", message, shown, at);
    return NULL;
}

/* Whether a \ joins its line to the next one; gcc allows blanks between it and the end of the line. */
static bool joins_lines(const char *at)
{
    if (*at != '\\') return false;
    for (at++; is_blank(*at) && *at != '\n'; at++) {
    }
    return *at == '\n' || *at == '\0';
}

static const char *skip_literal(outline *o, const char *at)
{
    const char quote = *at, *const begin = at;
    for (at++; *at && *at != '\n' && !joins_lines(at); at++) {
        if (*at == '\\')
            at++;
        else if (*at == quote)
            return at + 1;
    }
    return complain(o, "a quotation mark has no partner", begin);
}

static const char *skip_comment(outline *o, const char *at)
{
    const bool line = at[1] == '/';
    for (const char *c = at + 2; *c; c++) {
        if (joins_lines(c)) return complain(o, "a comment has a line that ends in \\", at);
        if (line ? *c == '\n' : c[0] == '*' && c[1] == '/') return c + (line ? 0 : 2);
    }
    return line ? o->end : complain(o, "a comment has no end", at);
}

/* Looks past blanks and members for an assignment: r, r.x, r.x[3] = ... is set; r.x == ... is not.  Returns the place
 * behind the sign, or NULL. */
static const char *assigned(const char *at, bool *part)
{
    for (int brackets = 0; *at; at++) {
        *part |= *at == '.' || *at == '[';
        if (*at == '[')
            brackets++;
        else if (*at == ']' && brackets > 0)
            brackets--;
        else if (brackets == 0 && !is_blank(*at) && !is_letter(*at) && !is_digit(*at) && *at != '.')
            break;
    }
    if (*at == '=') return at[1] != '=' ? at + 1 : NULL;
    if ((*at == '+' || *at == '-') && at[1] == *at) return at + 2;
    if (*at && strchr("+-*/%&|^", *at)) return at[1] == '=' ? at + 2 : NULL;
    return (*at == '<' || *at == '>') && at[1] == *at && at[2] == '=' ? at + 3 : NULL;
}

static value *open_value(outline *o)
{
    value *const last = o->count > 0 ? &o->values[o->count - 1] : NULL;
    return last && !last->end ? last : NULL;
}

static void begin_value(outline *o, const char *at, bool listed)
{
    if (open_value(o)) return; /* in `return r = a` the value is the one behind the return */
    o->parts |= o->count == MAX_VALUES;
    if (o->count == MAX_VALUES) return;
    o->values[o->count++] = (value){.begin = at, .depth = o->depth, .listed = listed};
    o->questions = 0;
}

/* Called before each sign, which may end the last value. */
static void end_value(outline *o, const char *at)
{
    value *const v = open_value(o);
    if (!v || o->depth != v->depth) return;
    if (*at == '?') o->questions++;
    const bool closed = *at == ';' || *at == ')' || *at == ']' || *at == '}';
    if (closed || (v->listed && o->questions == 0 && (*at == ',' || *at == ':'))) v->end = at;
    if (*at == ':') o->questions--;
}

/* What stands before a word: its last two signs that are no blanks. */
typedef struct before_word {
    int last, second;
    bool member;   /* the word is a member of something */
    bool declared; /* a type is there: the word is declared */
} before_word;

static before_word look_before(const outline *o, const char *at)
{
    static const char *const no_types[] = {"return", "else", "do", "case", "goto", "sizeof", NULL};
    const char *before = at;
    while (before > o->begin && is_blank(before[-1])) before--;
    const size_t room = (size_t)(before - o->begin);
    before_word w = {.last = room > 0 ? before[-1] : ' ', .second = room > 1 ? before[-2] : ' '};
    w.member = w.last == '.' || (w.last == '>' && w.second == '-');
    if (w.member || !(is_letter(w.last) || is_digit(w.last))) return w;
    size_t n = 0;
    while (n < room && (is_letter(before[-1 - (ptrdiff_t)n]) || is_digit(before[-1 - (ptrdiff_t)n]))) n++;
    w.declared = !is_among(before - n, n, no_types);
    return w;
}

/* Reads a word i: a member of something, the declaration of another i, or the index. */
static void read_i(outline *o, const char *at)
{
    const before_word w = look_before(o, at);
    o->index |= !w.member;
    o->own_index |= w.declared;
}

/* Reads a word r: a member of something, the declaration of another r, or the result, which may be set here. */
static void read_r(outline *o, const char *at)
{
    const before_word w = look_before(o, at);
    const int last = w.last, second = w.second;
    if (w.member) return;
    o->own |= w.declared;
    const bool by_address = last == '&' && second != '&', stepped = (last == '+' || last == '-') && second == last;
    bool part = by_address;
    const char *const behind = assigned(at + 1, &part);
    if (!by_address && !stepped && !behind) return;
    o->sets = true;
    o->parts |= part;
    if (!part && behind && behind[-1] == '=') begin_value(o, behind, true);
}

static const char *read_word(outline *o, const char *at)
{
    const size_t n = word_length(at);
    if (o->inner == 0 && n == 6 && memcmp(at, "return", 6) == 0) {
        o->returns = true;
        begin_value(o, at + n, false);
    }
    if (o->inner == 0 && n == 1 && *at == 'r') read_r(o, at);
    if (n == 1 && *at == 'i') read_i(o, at);
    return at + n;
}

static const char *read_number(const char *at)
{
    while (is_letter(*at) || is_digit(*at) || *at == '.' || ((*at == '+' || *at == '-') && strchr("eEpP", at[-1])))
        at++;
    return at;
}

static const char *open_bracket(outline *o, const char *at)
{
    if (o->depth == MAX_DEPTH) return complain(o, "more than 64 brackets are open", at);
    if (*at != '{')
        o->round++;
    else if (o->round > 0)
        o->inner++;
    o->open[o->depth++] = *at;
    return at + 1;
}

static const char *close_bracket(outline *o, const char *at)
{
    static const char openers[] = "([{", closers[] = ")]}";
    const char opener = openers[strchr(closers, *at) - closers];
    if (o->depth == 0 || o->open[o->depth - 1] != opener) {
        char message[] = "a ? has no partner";
        message[2] = *at;
        return complain(o, message, at);
    }
    o->depth--;
    if (opener != '{')
        o->round--;
    else if (o->round > 0)
        o->inner--;
    return at + 1;
}

/* Whether another spelling of # { } [ ] begins here, which would escape the counting of brackets. */
static bool is_digraph(const char *at)
{
    static const char *const digraphs[] = {"<%", "%>", "<:", ":>", "%:", NULL};
    return at[0] && is_among(at, at[1] ? 2 : 1, digraphs);
}

/* Returns the place behind the next sign, word, literal or comment. */
static const char *read_one(outline *o, const char *at)
{
    if (is_letter(*at)) return read_word(o, at);
    if (is_digit(*at) || (*at == '.' && is_digit(at[1]))) return read_number(at);
    if (is_digraph(at)) return complain(o, "a digraph stands", at);
    end_value(o, at);
    switch (*at) {
    case '"':
    case '\'':
        return skip_literal(o, at);
    case '/':
        return at[1] == '/' || at[1] == '*' ? skip_comment(o, at) : at + 1;
    case '(':
    case '[':
    case '{':
        return open_bracket(o, at);
    case ')':
    case ']':
    case '}':
        return close_bracket(o, at);
    case '#':
        return complain(o, "a text has no directives, but there is a #", at);
    case '\\':
        return complain(o, "a \\ stands outside of quotation marks", at);
    case ';':
        if (o->round == 0) o->statements = true;
        return at + 1;
    default:
        return at + 1;
    }
}

static bool refuse(outline *o, const char *why)
{
    snprintf(o->why, o->why_bytes, "%s", why);
    return false;
}

static bool read_text(outline *o)
{
    o->begin = o->text;
    o->end = o->text + strlen(o->text);
    while (is_blank(*o->begin)) o->begin++;
    while (o->end > o->begin && is_blank(o->end[-1])) o->end--;
    if (o->begin == o->end) return refuse(o, "it is empty");
    if (o->end - o->text > OPI_TEXT_BYTES) return refuse(o, "it is longer than 65536 bytes");
    for (const char *at = o->begin; at < o->end;) {
        at = read_one(o, at);
        if (!at) return false;
    }
    if (open_value(o)) open_value(o)->end = o->end;
    if (o->depth > 0) {
        snprintf(o->why, o->why_bytes, "%d bracket%s not closed, the last is a %c", o->depth,
                 o->depth > 1 ? "s are" : " is", o->open[o->depth - 1]);
        return false;
    }
    const bool expression = !o->statements && !o->sets && !o->returns;
    if (expression || o->returns || (o->sets && !o->own)) return true;
    if (o->own) return refuse(o, "it declares an r of its own and does not return it");
    return refuse(o, "it neither returns a value nor sets the result r; an expression has no ; at its end");
}

/* --- 3. make a body of it ----------------------------------------------------------------------------------------- */

/* Puts line breaks around the text: lines and columns stay the user's, and a // at its end hides nothing of ours. */
char *opi_text_body(const char *text, const char *label, const char *result, char *why, size_t why_bytes)
{
    outline o = {.text = text, .why = why, .why_bytes = why_bytes};
    why[0] = '\0';
    if (!read_text(&o)) return NULL;
    const int n = (int)(o.end - text);
    const size_t room = (size_t)n + strlen(label) + strlen(result) + 64;
    char *const body = malloc(room);
    if (!body) return NULL;
    if (o.returns && (o.own || !o.sets))
        snprintf(body, room, "{{\n#line 1 \"%s\"\n%.*s\n}}", label, n, text);
    else if (o.returns || o.sets)
        snprintf(body, room, "{ %s r = {0}; {\n#line 1 \"%s\"\n%.*s\n; } return r; }", result, label, n, text);
    else
        snprintf(body, room, "{ return (\n#line 1 \"%s\"\n%.*s\n); }", label, n, text);
    return body;
}

bool opi_text_uses_index(const char *text)
{
    char why[128];
    outline o = {.text = text, .why = why, .why_bytes = sizeof why};
    return read_text(&o) && o.index && !o.own_index;
}

/* --- 4. or a body that only looks at the values ------------------------------------------------------------------- */

/* Writes the text with OPLUS_SEEN_( ) around each value; its returns give no value. */
static void write_values(FILE *to, const outline *o)
{
    const char *at = o->text;
    for (int i = 0; i < o->count; i++) {
        const value *const v = &o->values[i];
        fprintf(to, "%.*s%s OPLUS_SEEN_(%.*s%s)", (int)(v->begin - at), at, v->listed ? "" : " (void)",
                (int)(v->end - v->begin), v->begin, v->end == o->end ? "\n" : ""); /* it may end in a // */
        at = v->end;
    }
    fprintf(to, "%.*s", (int)(o->end - at), at);
}

char *opi_text_probe(const char *text, const char *label, const char *result)
{
    char why[128], *body = NULL;
    size_t bytes;
    outline o = {.text = text, .why = why, .why_bytes = sizeof why};
    if (!read_text(&o) || o.parts) return NULL;
    FILE *const to = open_memstream(&body, &bytes);
    if (!to) return NULL;
    const bool expression = !o.returns && !o.sets;
    fprintf(to, "{ %s r = {0}; (void)r; {\n#line 1 \"%s\"\n", result, label);
    if (expression)
        fprintf(to, "(void)OPLUS_SEEN_(%.*s\n)", (int)(o.end - text), text);
    else
        write_values(to, &o);
    fprintf(to, "\n; } }");
    const bool failed = ferror(to);
    if (fclose(to) == 0 && !failed) return body;
    free(body);
    return NULL;
}
