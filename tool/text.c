#include "text.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- integers ----------------------------------------------------------------------------------------------------- */

typedef enum verdict { GOOD = 0, NO_NUMBER, NO_INTEGER, NO_FIT } verdict;

static const struct {
    uint64_t below, above; /* the largest magnitudes of negative and of other numbers */
} ranges[] = {
    [OPLUS_I8] = {128, INT8_MAX},          [OPLUS_I16] = {32768, INT16_MAX},
    [OPLUS_I32] = {2147483648, INT32_MAX}, [OPLUS_I64] = {(uint64_t)1 << 63, INT64_MAX},
    [OPLUS_U8] = {0, UINT8_MAX},           [OPLUS_U16] = {0, UINT16_MAX},
    [OPLUS_U32] = {0, UINT32_MAX},         [OPLUS_U64] = {0, UINT64_MAX},
};

typedef struct integer {
    bool negative;
    uint64_t magnitude;
} integer;

static int digit_of(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    const char lower = (char)(c | 32);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

/* [+-]digits or [+-]0xdigits */
static verdict read_integer(const char *at, const char *end, integer *out)
{
    out->negative = *at == '-';
    at += *at == '-' || *at == '+';
    unsigned base = 10;
    if (end - at > 2 && at[0] == '0' && (at[1] | 32) == 'x') base = 16, at += 2;
    if (at == end) return NO_NUMBER;
    uint64_t value = 0;
    bool fits = true;
    for (; at < end; at++) {
        const unsigned digit = (unsigned)digit_of(*at);
        if (digit >= base) return NO_NUMBER;
        if (value > (UINT64_MAX - digit) / base) fits = false;
        value = value * base + digit;
    }
    out->magnitude = value;
    return fits ? GOOD : NO_FIT;
}

static void store_integer(oplus_scalar scalar, uint64_t bits, void *to)
{
    /* Two's complement, so that the low bytes are the value. */
    const uint8_t u8 = (uint8_t)bits;
    const uint16_t u16 = (uint16_t)bits;
    const uint32_t u32 = (uint32_t)bits;
    switch (tool_scalar_size(scalar)) {
    case 1:
        memcpy(to, &u8, sizeof u8);
        break;
    case 2:
        memcpy(to, &u16, sizeof u16);
        break;
    case 4:
        memcpy(to, &u32, sizeof u32);
        break;
    default:
        memcpy(to, &bits, sizeof bits);
    }
}

/* --- floats ------------------------------------------------------------------------------------------------------- */

static bool is_float(oplus_scalar scalar) { return scalar == OPLUS_F32 || scalar == OPLUS_F64; }

/* m * 10^e of a plain decimal number; false: of more digits than fit, or written otherwise. */
static bool read_decimal(const char *at, const char *end, bool *negative, uint64_t *m, int *e)
{
    enum { DIGITS = 18, EXPONENT = 9999 };
    *negative = *at == '-';
    at += *at == '-' || *at == '+';
    int digits = 0, scale = 0;
    bool point = false;
    for (*m = 0; at < end; at++) {
        if (*at >= '0' && *at <= '9') {
            *m = *m * 10 + (uint64_t)(*at - '0');
            scale -= point;
            if (++digits > DIGITS) return false;
        } else if (*at == '.' && !point) {
            point = true;
        } else {
            break;
        }
    }
    if (digits == 0) return false;
    if (at < end) {
        int exponent = 0;
        if ((*at++ | 32) != 'e') return false;
        const bool down = at < end && *at == '-';
        at += at < end && (*at == '-' || *at == '+');
        if (at == end) return false;
        for (; at < end; at++) {
            if (*at < '0' || *at > '9' || exponent > EXPONENT) return false;
            exponent = exponent * 10 + (*at - '0');
        }
        scale += down ? -exponent : exponent;
    }
    *e = scale;
    return true;
}

/* Where both the digits and the power of ten are exact in the type, one operation rounds correctly (Clinger 1990). */
static bool read_quickly(oplus_scalar scalar, const char *at, const char *end, void *to)
{
    static const double tens[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    enum { EXACT_F64 = 22, EXACT_F32 = 10 };
    bool negative;
    uint64_t m;
    int e;
    if (!read_decimal(at, end, &negative, &m, &e)) return false;
    if (scalar == OPLUS_F64) {
        if (m > (uint64_t)1 << 53 || e < -EXACT_F64 || e > EXACT_F64) return false;
        const double size = e < 0 ? (double)m / tens[-e] : (double)m * tens[e];
        const double value = negative ? -size : size;
        memcpy(to, &value, sizeof value);
    } else {
        if (m > (uint64_t)1 << 24 || e < -EXACT_F32 || e > EXACT_F32) return false;
        const float size = e < 0 ? (float)m / (float)tens[-e] : (float)m * (float)tens[e];
        const float value = negative ? -size : size;
        memcpy(to, &value, sizeof value);
    }
    return true;
}

static verdict read_float(oplus_scalar scalar, const char *at, const char *end, void *to)
{
    if (read_quickly(scalar, at, end, to)) return GOOD;
    char *stop;
    bool infinite;
    errno = 0;
    if (scalar == OPLUS_F64) {
        const double value = strtod(at, &stop);
        infinite = isinf(value);
        memcpy(to, &value, sizeof value);
    } else {
        const float value = strtof(at, &stop);
        infinite = isinf(value);
        memcpy(to, &value, sizeof value);
    }
    if (stop != end) return NO_NUMBER;
    return infinite && errno == ERANGE ? NO_FIT : GOOD;
}

/* --- one scalar --------------------------------------------------------------------------------------------------- */

static verdict read_scalar(oplus_scalar scalar, const char *at, const char *end, void *to)
{
    if (is_float(scalar)) return read_float(scalar, at, end, to);
    integer value;
    const verdict read = read_integer(at, end, &value);
    if (read == NO_NUMBER) {
        double number;
        return read_float(OPLUS_F64, at, end, &number) == NO_NUMBER ? NO_NUMBER : NO_INTEGER;
    }
    if (read != GOOD || value.magnitude > (value.negative ? ranges[scalar].below : ranges[scalar].above)) return NO_FIT;
    store_integer(scalar, value.negative ? -value.magnitude : value.magnitude, to);
    return GOOD;
}

static char *write_unsigned(uint64_t value, char *to)
{
    char digits[20], *first = digits + sizeof digits;
    do {
        *--first = (char)('0' + value % 10);
        value /= 10;
    } while (value);
    const size_t n = (size_t)(digits + sizeof digits - first);
    memcpy(to, first, n);
    return to + n;
}

static char *write_signed(int64_t value, char *to)
{
    if (value >= 0) return write_unsigned((uint64_t)value, to);
    *to++ = '-';
    return write_unsigned(-(uint64_t)value, to);
}

/* As %g would, in the fewest digits from `least` on that read back the same; a NaN without sign, which means nothing.
 */
static char *write_float(oplus_scalar scalar, double value, char *to)
{
    const bool wide = scalar == OPLUS_F64;
    const double countable = wide ? 0x1p53 : 0x1p24;
    if (isnan(value)) return to + sprintf(to, "nan");
    if (fabs(value) <= countable && value == trunc(value) && (value != 0 || !signbit(value)))
        return write_signed((int64_t)value, to);
    int length = 0;
    for (int digits = wide ? 15 : 6, most = wide ? 17 : 9; digits <= most; digits++) {
        length = snprintf(to, TEXT_MAX_SCALAR, "%.*g", digits, value);
        if (wide ? strtod(to, NULL) == value : strtof(to, NULL) == (float)value) break;
    }
    return to + length;
}

char *text_scalar_write(oplus_scalar scalar, const void *value, char *to)
{
#define WRITE(KIND, T, how)                                                                                            \
    case KIND: {                                                                                                       \
        T x;                                                                                                           \
        memcpy(&x, value, sizeof x);                                                                                   \
        return how;                                                                                                    \
    }
    switch (scalar) {
        WRITE(OPLUS_I8, int8_t, write_signed(x, to))
        WRITE(OPLUS_I16, int16_t, write_signed(x, to))
        WRITE(OPLUS_I32, int32_t, write_signed(x, to))
        WRITE(OPLUS_I64, int64_t, write_signed(x, to))
        WRITE(OPLUS_U8, uint8_t, write_unsigned(x, to))
        WRITE(OPLUS_U16, uint16_t, write_unsigned(x, to))
        WRITE(OPLUS_U32, uint32_t, write_unsigned(x, to))
        WRITE(OPLUS_U64, uint64_t, write_unsigned(x, to))
        WRITE(OPLUS_F32, float, write_float(scalar, (double)x, to))
        WRITE(OPLUS_F64, double, write_float(scalar, x, to))
    case OPLUS_RECORD:
        break;
    }
#undef WRITE
    return to;
}

char *text_write(const tool_layout *layout, const void *value, char *to)
{
    bool first = true;
    for (int i = 0; i < layout->members; i++) {
        const oplus_member *const member = &layout->member[i];
        const char *from = (const char *)value + member->offset;
        for (size_t k = 0; k < member->count; k++, from += tool_scalar_size(member->scalar)) {
            if (!first) *to++ = ' ';
            first = false;
            to = text_scalar_write(member->scalar, from, to);
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

/* The narrowest type that takes what does not fit. */
static const char *wider(oplus_scalar scalar, const char *at, const char *end)
{
    integer value;
    double number;
    if (scalar != OPLUS_F32 && read_integer(at, end, &value) == GOOD) {
        if (value.magnitude <= (value.negative ? ranges[OPLUS_I64].below : ranges[OPLUS_I64].above)) return "i64";
        if (!value.negative) return "u64";
    }
    return read_float(OPLUS_F64, at, end, &number) == GOOD ? "f64" : NULL;
}

static bool has_control(const char *at, const char *end)
{
    while (at < end && !iscntrl((unsigned char)*at)) at++;
    return at < end;
}

static void refuse(text_reader *reader, const oplus_member *member, verdict why, const char *at, const char *end)
{
    char token[48], what[64];
    show(at, end, token, sizeof token);
    if (member->name[0])
        snprintf(what, sizeof what, "member %s (%s)", member->name, tool_scalar_name(member->scalar));
    else
        snprintf(what, sizeof what, "%s", tool_scalar_name(member->scalar));

    const char *const other = why == NO_INTEGER ? "f64" : wider(member->scalar, at, end);
    const char *const option = reader->option;
    char hint[64] = "";
    if (why != NO_NUMBER && option && other && !reader->record)
        snprintf(hint, sizeof hint, "; %s %s would take it", option, other);
    if (why == NO_NUMBER && option && has_control(at, end))
        snprintf(hint, sizeof hint, "; a binary file needs --format raw and -t TYPE");
    static const char *const reasons[] = {
        [NO_NUMBER] = "is not a number", [NO_INTEGER] = "is not an integer, as", [NO_FIT] = "does not fit"};
    snprintf(reader->error, sizeof reader->error, "line %llu: '%s' %s%s%s%s%s", (unsigned long long)reader->line, token,
             reasons[why], why == NO_NUMBER ? "" : " ", why == NO_NUMBER ? "" : what,
             why == NO_INTEGER ? " must be" : "", hint);
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
    return tool_layout_of(type, &reader->layout);
}

/* Where the next token begins, or end; or an error.  `inside` an element a line must not end. */
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
            if (!reader->comma) {
                snprintf(reader->error, sizeof reader->error, "line %llu: no number before a comma",
                         (unsigned long long)reader->line);
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

/* One element from *at on: READ, and *at is behind it; MORE is needed, and *at is where it begins; or FAILED. */
static outcome read_element(text_reader *reader, const char **at, const char *end, bool last, char *out)
{
    const char *here = *at;
    bool inside = false;
    uint64_t on_line = 0;
    for (int i = 0; i < reader->layout.members; i++) {
        const oplus_member *const member = &reader->layout.member[i];
        for (size_t k = 0; k < member->count; k++) {
            here = skip(reader, here, end, inside);
            if (reader->error[0]) return FAILED;
            const char *const stop = end_of_token(here, end);
            if (!inside) *at = here, on_line = reader->on_line;
            if (here == end || (stop == end && !last)) {
                if (!inside) return MORE;
                if (last) return refuse_line(reader, "ends too early: it should have"), FAILED;
                reader->on_line = on_line, reader->comment = false; /* begin it again */
                return MORE;
            }
            if (reader->record && reader->on_line >= reader->layout.scalars)
                return refuse_line(reader, "is too long: it should have"), FAILED;
            const verdict read =
                read_scalar(member->scalar, here, stop, out + member->offset + k * tool_scalar_size(member->scalar));
            if (read != GOOD) return refuse(reader, member, read, here, stop), FAILED;
            reader->comma = inside = true;
            reader->on_line++;
            here = stop;
        }
    }
    *at = here;
    return READ;
}

const char *text_read(text_reader *reader, const char *at, const char *end, bool last, void *out, size_t capacity,
                      size_t *count)
{
    outcome got = reader->error[0] ? FAILED : READ;
    for (*count = 0; got == READ && *count < capacity;) {
        got = read_element(reader, &at, end, last, (char *)out + *count * reader->layout.size);
        *count += got == READ;
    }
    if (got == MORE && last) end_line(reader);
    return at;
}

bool text_is_integers(const char *at, const char *end, bool last)
{
    while (at < end) {
        if (sign_of(*at) == COMMENT) {
            at = memchr(at, '\n', (size_t)(end - at));
            if (!at) return true;
        } else if (sign_of(*at) == TOKEN) {
            const char *const stop = end_of_token(at, end);
            integer value;
            double number;
            if (stop == end && !last) return true;
            if (read_integer(at, stop, &value) == NO_NUMBER && read_float(OPLUS_F64, at, stop, &number) != NO_NUMBER)
                return false;
            at = stop;
        } else {
            at++;
        }
    }
    return true;
}
