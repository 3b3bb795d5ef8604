#include "text.h"

#include "number.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* --- writing ------------------------------------------------------------------------------------------------------ */

char *text_write(const tool_layout *layout, const void *value, char *to)
{
    if (layout->scalars == 1)
        return number_write(layout->member->scalar, (const char *)value + layout->member->offset, to);
    bool first = true;
    for (int i = 0; i < layout->members; i++) {
        const oplus_member *const member = &layout->member[i];
        const char *from = (const char *)value + member->offset;
        for (size_t k = 0; k < member->count; k++, from += tool_scalar_size(member->scalar)) {
            if (!first) *to++ = ' ';
            first = false;
            to = number_write(member->scalar, from, to);
        }
    }
    return to;
}

/* --- what stands between numbers ---------------------------------------------------------------------------------- */

typedef enum sign { TOKEN = 0, BLANK, COMMA, LINE_END, COMMENT } sign;

static const unsigned char signs[256] = {
    [' '] = BLANK,  ['\t'] = BLANK,    ['\r'] = BLANK, ['\v'] = BLANK,
    ['\f'] = BLANK, ['\n'] = LINE_END, [','] = COMMA,  ['#'] = COMMENT,
};

static sign sign_of(char c) { return (sign)signs[(unsigned char)c]; }

static const char *end_of_token(const char *at, const char *end)
{
    while (at < end && sign_of(*at) == TOKEN) at++;
    return at;
}

static void end_line(text_reader *reader)
{
    if (reader->on_line > 0) {
        if (reader->columns == 0) reader->columns = reader->on_line;
        if (reader->columns != reader->on_line) reader->ragged = true;
    }
    reader->on_line = 0;
}

/* --- errors ------------------------------------------------------------------------------------------------------- */

/* The token as it may be printed. */
static void show(const char *at, const char *end, char *to, size_t bytes)
{
    enum { ESCAPE = 4, DOTS = 3 }; /* \x1b ... */
    size_t used = 0;
    for (; at < end && used + ESCAPE + DOTS < bytes; at++) {
        const unsigned char c = (unsigned char)*at;
        used += (size_t)(c > 31 && c < 127 ? sprintf(to + used, "%c", c) : sprintf(to + used, "\\x%02x", c));
    }
    snprintf(to + used, bytes - used, "%s", at < end ? "..." : "");
}

/* The narrowest type that takes the number that does not fit. */
static const char *wider(oplus_scalar scalar, const char *at, const char *end)
{
    const bool integers = scalar != OPLUS_F32 && scalar != OPLUS_F64;
    const char *const other = integers ? number_integer_type(at, end) : NULL;
    double number;
    if (other) return other;
    return number_read(OPLUS_F64, at, end, &number) == NUMBER_GOOD ? "f64" : NULL;
}

static bool has_control(const char *at, const char *end)
{
    while (at < end && !iscntrl((unsigned char)*at)) at++;
    return at < end;
}

/* Appends which type would take the number; nothing if none would. */
static void advise(const text_reader *reader, oplus_scalar scalar, number_verdict why, const char *at, const char *end,
                   char *hint, size_t bytes)
{
    const char *const option = reader->option;
    const char *const other = why == NUMBER_FRACTION ? "f64" : wider(scalar, at, end);
    hint[0] = '\0';
    if (why == NUMBER_NONE && option && has_control(at, end))
        snprintf(hint, bytes, "%s",
                 *at == 0x1f ? "; a compressed file is read by zcat FILE | oplus ..."
                             : "; a binary file needs --format raw and -t TYPE");
    if (why == NUMBER_NONE || !option || !other || reader->record) return;
    if (why == NUMBER_FRACTION && reader->integers_for)
        snprintf(hint, bytes, ": '%.60s' is for integers alone", reader->integers_for);
    else
        snprintf(hint, bytes, "; %s %s would take it", option, other);
}

static void refuse(text_reader *reader, const oplus_member *member, number_verdict why, const char *at, const char *end)
{
    char token[48], what[64], hint[96];
    show(at, end, token, sizeof token);
    if (member->name[0])
        snprintf(what, sizeof what, "member %s (%s)", member->name, tool_scalar_name(member->scalar));
    else
        snprintf(what, sizeof what, "%s", tool_scalar_name(member->scalar));
    advise(reader, member->scalar, why, at, end, hint, sizeof hint);
    static const char *const reasons[] = {[NUMBER_NONE] = "is not a number",
                                          [NUMBER_FRACTION] = "is not an integer, as",
                                          [NUMBER_NO_FIT] = "does not fit"};
    snprintf(reader->error, sizeof reader->error, "line %llu: '%s' %s%s%s%s%s", (unsigned long long)reader->line, token,
             reasons[why], why == NUMBER_NONE ? "" : " ", why == NUMBER_NONE ? "" : what,
             why == NUMBER_FRACTION ? " must be" : "", hint);
}

/* Refuses an integer that f64 would round, in text without a type. */
static void refuse_inexact(text_reader *reader, const char *at, const char *end)
{
    char token[48], keeps[64] = "";
    char remedy[160] = "; oplus map copy -t i64 -o FILE.npy makes a file that keeps it";
    show(at, end, token, sizeof token);
    const char *const type = number_integer_type(at, end), *const option = reader->option;
    if (strcmp(type, "f64") != 0) snprintf(keeps, sizeof keeps, "%.20s %s keeps it, ", option ? option : "", type);
    if (option)
        snprintf(remedy, sizeof remedy, ", which numbers without %.20s are; %s%.20s f64 rounds it", option, keeps,
                 option);
    snprintf(reader->error, sizeof reader->error, "line %llu: '%s' has more digits than f64 holds%s",
             (unsigned long long)reader->line, token, remedy);
}

static void refuse_comma(text_reader *reader)
{
    snprintf(reader->error, sizeof reader->error,
             reader->commas ? "line %llu: no number before a comma"
                            : "line %llu: a comma: blanks and line ends separate numbers; --delimiter , takes columns "
                              "between commas",
             (unsigned long long)reader->line);
}

static void refuse_line(text_reader *reader, const char *what)
{
    snprintf(reader->error, sizeof reader->error, "line %llu %s %zu numbers, a member each",
             (unsigned long long)reader->line, what, reader->layout.scalars);
}

/* --- reading ------------------------------------------------------------------------------------------------------ */

bool text_reader_open(text_reader *reader, const oplus_type *type)
{
    memset(reader, 0, sizeof *reader);
    reader->line = 1;
    reader->option = "-t";
    reader->record = type->scalar == OPLUS_RECORD;
    reader->whole = true;
    return tool_layout_of(type, &reader->layout);
}

/* Returns where the next token begins, or end; or reports an error.  inside: within an element, where a line must
 * not end. */
static const char *skip(text_reader *reader, const char *at, const char *end, bool inside)
{
    for (; at < end; at++) {
        if (reader->comment) {
            at = memchr(at, '\n', (size_t)(end - at));
            if (!at) return end;
            reader->comment = false;
        }
        switch (sign_of(*at)) {
        case TOKEN:
            return at;
        case BLANK:
            break;
        case COMMA:
            if (!reader->commas || !reader->comma) {
                refuse_comma(reader);
                return at;
            }
            reader->comma = false;
            break;
        case LINE_END:
            if (inside) {
                refuse_line(reader, "ends too early: it should have");
                return at;
            }
            end_line(reader);
            reader->line++;
            break;
        case COMMENT:
            reader->comment = true;
        }
    }
    return end;
}

typedef enum outcome { READ, MORE, FAILED } outcome;

/* A number that is quick to read, up to what separates it from the next one; NULL: it is not. */
static const char *read_front(text_reader *reader, const oplus_member *member, const char *at, const char *end,
                              char *to)
{
    const char *const stop = number_front(member->scalar, at, end, to, &reader->whole);
    return stop && stop < end && sign_of(*stop) != TOKEN ? stop : NULL;
}

static bool read_number(text_reader *reader, const oplus_member *member, const char *at, const char *end, char *to)
{
    double value;
    const number_verdict read =
        reader->free ? number_read_exact(at, end, &value, &reader->whole) : number_read(member->scalar, at, end, to);
    if (reader->free) memcpy(to, &value, sizeof value);
    if (read == NUMBER_INEXACT) refuse_inexact(reader, at, end);
    if (read != NUMBER_GOOD && read != NUMBER_INEXACT) refuse(reader, member, read, at, end);
    return read == NUMBER_GOOD;
}

/* One element from *at on: READ, and *at is behind it; MORE is needed, and *at is where it begins; or FAILED. */
static outcome read_element(text_reader *reader, const char **at, const char *end, bool last, char *out,
                            text_span *span)
{
    const char *here = *at;
    bool inside = false;
    uint64_t on_line = 0;
    for (int i = 0; i < reader->layout.members; i++) {
        const oplus_member *const member = &reader->layout.member[i];
        for (size_t k = 0; k < member->count; k++) {
            here = skip(reader, here, end, inside);
            if (reader->error[0]) return FAILED;
            char *const to = out + member->offset + k * tool_scalar_size(member->scalar);
            const char *const quick = read_front(reader, member, here, end, to);
            const char *const stop = quick ? quick : end_of_token(here, end);
            if (!inside) *at = here, on_line = reader->on_line;
            if (here == end || (stop == end && !last)) {
                if (!inside) return MORE;
                if (last) return refuse_line(reader, "ends too early: it should have"), FAILED;
                reader->on_line = on_line, reader->comment = false; /* read the element again later */
                return MORE;
            }
            if (reader->record && reader->on_line >= reader->layout.scalars)
                return refuse_line(reader, "is too long: it should have"), FAILED;
            if (!quick && !read_number(reader, member, here, stop, to)) return FAILED;
            reader->comma = inside = true;
            reader->on_line++;
            here = stop;
        }
    }
    if (span) *span = (text_span){*at, here};
    *at = here;
    return READ;
}

/* Numbers between blanks and line ends, as long as they are quick to read; returns where the others begin. */
static const char *read_plain(text_reader *reader, const char *at, const char *end, char *out, size_t capacity,
                              size_t *count, text_span *spans)
{
    for (sign between; *count < capacity && !reader->comment; ++*count) {
        for (; at < end && (between = sign_of(*at)) != TOKEN; at++) {
            if (between != BLANK && between != LINE_END) return at;
            if (between == BLANK) continue;
            end_line(reader);
            reader->line++;
        }
        const char *const stop = read_front(reader, reader->layout.member, at, end, out + *count * reader->layout.size);
        if (!stop) return at;
        if (spans) spans[*count] = (text_span){at, stop};
        reader->comma = true;
        reader->on_line++;
        at = stop;
    }
    return at;
}

const char *text_read(text_reader *reader, const char *at, const char *end, bool last, void *out, size_t capacity,
                      size_t *count, text_span *spans)
{
    outcome got = reader->error[0] ? FAILED : READ;
    for (*count = 0; got == READ && *count < capacity; *count += got == READ) {
        if (!reader->record) at = read_plain(reader, at, end, out, capacity, count, spans);
        if (*count == capacity) break;
        got = read_element(reader, &at, end, last, (char *)out + *count * reader->layout.size,
                           spans ? &spans[*count] : NULL);
    }
    if (got == MORE && last) end_line(reader);
    return at;
}

size_t text_most(const text_reader *reader, size_t letters)
{
    return letters / (2 * reader->layout.scalars) + 2; /* a letter and a separator each; one is never used */
}

/* --- in blocks ---------------------------------------------------------------------------------------------------- */

void text_reader_fork(const text_reader *reader, text_reader *block)
{
    *block = *reader;
    block->comment = block->ragged = false;
    block->line = block->on_line = block->columns = 0;
}

void text_reader_join(text_reader *reader, const text_reader *block)
{
    reader->line += block->line;
    reader->on_line = block->on_line;
    reader->comment = block->comment;
    reader->whole &= block->whole;
    if (reader->columns == 0) reader->columns = block->columns;
    reader->ragged |= block->ragged || (block->columns > 0 && block->columns != reader->columns);
}
