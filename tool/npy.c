#include "npy.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC = sizeof NPY_MAGIC - 1 };

/* Larger elements are refused, so that sizes stay far from overflow. */
static const uint64_t max_item = 1 << 20;

static void explain(char *error, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void explain(char *error, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error, TOOL_ERROR_BYTES, format, arguments);
    va_end(arguments);
    for (; *error; error++) /* what a file says must not reach a terminal as commands */
        if (iscntrl((unsigned char)*error) || (unsigned char)*error >= 0x80) *error = '?';
}

/* The value is false, and analysers of the code can see that. */
#define FAIL(error, ...) (explain(error, __VA_ARGS__), false)

/* --- element types of NumPy --------------------------------------------------------------------------------------- */

static const struct {
    char kind;
    int size;
    oplus_scalar scalar;
    int count; /* 2: complex */
} kinds[] = {
    {'f', 4, OPLUS_F32, 1},  {'f', 8, OPLUS_F64, 1}, {'i', 1, OPLUS_I8, 1}, {'i', 2, OPLUS_I16, 1},
    {'i', 4, OPLUS_I32, 1},  {'i', 8, OPLUS_I64, 1}, {'u', 1, OPLUS_U8, 1}, {'u', 2, OPLUS_U16, 1},
    {'u', 4, OPLUS_U32, 1},  {'u', 8, OPLUS_U64, 1}, {'b', 1, OPLUS_U8, 1}, {'c', 8, OPLUS_F32, 2},
    {'c', 16, OPLUS_F64, 2},
};

/* Types of NumPy that have no C type, and what to do in NumPy; size 0: any size. */
static const struct {
    char kind;
    int size;
    const char *what, *remedy;
} refused[] = {
    {'f', 2, "16-bit floats", "save x.astype('f4')"},
    {'f', 12, "long doubles", "save x.astype('f8')"},
    {'f', 16, "long doubles", "save x.astype('f8')"},
    {'c', 24, "long complex numbers", "save x.astype('c16')"},
    {'c', 32, "long complex numbers", "save x.astype('c16')"},
    {'O', 0, "Python objects", "save numbers, as x.astype('f8') makes them"},
    {'S', 0, "strings", "save numbers, as x.astype('f8') makes them"},
    {'a', 0, "strings", "save numbers, as x.astype('f8') makes them"},
    {'U', 0, "strings", "save numbers, as x.astype('f8') makes them"},
    {'M', 0, "dates", "save x.view('i8')"},
    {'m', 0, "time spans", "save x.view('i8')"},
    {'V', 0, "raw bytes", "save a view of them, as x.view('u1')"},
};

/* --- a literal of Python, read from left to right ----------------------------------------------------------------- */

typedef struct cursor {
    const char *at, *end;
    char *error;
} cursor;

typedef struct span {
    const char *at;
    int n;
} span;

static void skip_blanks(cursor *c)
{
    while (c->at < c->end && (*c->at == ' ' || *c->at == '\t' || *c->at == '\n' || *c->at == '\r')) c->at++;
}

static bool peek(cursor *c, char sign)
{
    skip_blanks(c);
    return c->at < c->end && *c->at == sign;
}

static bool take(cursor *c, char sign)
{
    if (!peek(c, sign)) return false;
    c->at++;
    return true;
}

static bool take_word(cursor *c, const char *word)
{
    skip_blanks(c);
    const size_t n = strlen(word);
    if ((size_t)(c->end - c->at) < n || memcmp(c->at, word, n) != 0) return false;
    c->at += n;
    return true;
}

static bool need(cursor *c, char sign)
{
    return take(c, sign) || FAIL(c->error, "a damaged header: no '%c' where it should be", sign);
}

/* 'text' or "text"; backslashes are not interpreted, as no accepted name has one. */
static bool need_string(cursor *c, span *out)
{
    enum { LONGEST = 4096 };
    skip_blanks(c);
    if (c->at == c->end || (*c->at != '\'' && *c->at != '"'))
        return FAIL(c->error, "a damaged header: no string where one should be");
    const char quote = *c->at++;
    out->at = c->at;
    while (c->at < c->end && *c->at != quote) c->at += *c->at == '\\' && c->end - c->at > 1 ? 2 : 1;
    if (c->at >= c->end || c->at - out->at > LONGEST) return FAIL(c->error, "a damaged header: a string without end");
    out->n = (int)(c->at++ - out->at);
    return true;
}

static bool is(span s, const char *text) { return strlen(text) == (size_t)s.n && memcmp(s.at, text, (size_t)s.n) == 0; }

static bool need_size(cursor *c, uint64_t *out)
{
    skip_blanks(c);
    if (c->at == c->end || *c->at < '0' || *c->at > '9')
        return FAIL(c->error, "a damaged header: no size where one should be");
    for (*out = 0; c->at < c->end && *c->at >= '0' && *c->at <= '9'; c->at++) {
        const uint64_t digit = (uint64_t)(*c->at - '0');
        if (*out > (INT64_MAX - digit) / 10) return FAIL(c->error, "a dimension of more than 2^63 elements");
        *out = *out * 10 + digit;
    }
    if (c->at < c->end && *c->at == 'L') c->at++; /* Python 2 writes it */
    return true;
}

/* (), (3,), (2, 3), or, if `bare`, 3 */
static bool need_sizes(cursor *c, uint64_t *out, int capacity, bool bare, int *count)
{
    *count = 0;
    if (bare && !peek(c, '(')) return need_size(c, &out[(*count)++]);
    if (!need(c, '(')) return false;
    while (!take(c, ')')) {
        if (*count == capacity) return FAIL(c->error, "more than %d dimensions", capacity);
        if (!need_size(c, &out[(*count)++])) return false;
        if (!take(c, ',') && !peek(c, ')')) return need(c, ',');
    }
    return true;
}

/* --- descr: one type, or a list of members ------------------------------------------------------------------------ */

typedef struct base {
    oplus_scalar scalar;
    int size, count; /* bytes in all, scalars */
    bool swap, padding;
} base;

/* "<f4", ">i8", "|b1"; for padding "|V3". */
static bool read_base(span text, base *out, char *error)
{
    const char *at = text.at, *const end = text.at + text.n;
    char order = '=', kind = '?';
    if (at < end && strchr("<>|=", *at)) order = *at++;
    if (at < end) kind = *at++;
    int size = 0;
    for (; at < end && *at >= '0' && *at <= '9' && size <= (int)max_item; at++) size = size * 10 + (*at - '0');
    const bool exactly = at == end && size > 0;

    memset(out, 0, sizeof *out);
    for (size_t i = 0; exactly && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (kinds[i].kind != kind || kinds[i].size != size) continue;
        out->scalar = kinds[i].scalar, out->count = kinds[i].count, out->size = size;
        out->swap = order == '>' && size > kinds[i].count;
        return true;
    }
    if (exactly && kind == 'V') {
        out->padding = true, out->size = size;
        return true;
    }
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        if (refused[i].kind == kind && (refused[i].size == 0 || refused[i].size == size))
            return FAIL(error, "it holds %s ('%.*s'), which oplus has no type for; in NumPy, %s", refused[i].what,
                        text.n, text.at, refused[i].remedy);
    return FAIL(error, "it holds elements of an unknown type '%.*s'; in NumPy, save x.astype('f8') or another number",
                text.n, text.at);
}

static bool refuse_bytes(char *error)
{
    return FAIL(error, "it holds raw bytes, which oplus has no type for; in NumPy, save a view of them, as "
                       "x.view('u1')");
}

static bool read_scalar_descr(cursor *c, npy_header *header)
{
    span text;
    base type;
    if (!need_string(c, &text) || !read_base(text, &type, c->error)) return false;
    if (type.padding) return refuse_bytes(c->error);
    header->item = (size_t)type.size;
    header->complex = type.count == 2;
    header->fields = type.count;
    for (int i = 0; i < type.count; i++) {
        npy_field *const field = &header->field[i];
        memset(field, 0, sizeof *field);
        field->scalar = type.scalar, field->count = 1, field->swap = type.swap;
        field->offset = (size_t)type.size / (size_t)type.count * (size_t)i;
    }
    return true;
}

static bool is_identifier(span name)
{
    for (int i = 0; i < name.n; i++) {
        const char c = name.at[i];
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        if (!letter && !(i > 0 && c >= '0' && c <= '9')) return false;
    }
    return name.n > 0;
}

static bool read_name(cursor *c, const npy_header *header, span *name)
{
    if (peek(c, '('))
        return FAIL(c->error, "it has members with titles, which oplus does not read; in NumPy, save x.astype([...]) "
                              "without them");
    if (!need_string(c, name)) return false;
    if (name->n == 0) return true; /* padding */
    if (!is_identifier(*name) || name->n >= (int)sizeof header->field[0].name)
        return FAIL(c->error,
                    "the member '%.*s' has no name of C (letters, digits, _; at most 31); in NumPy, rename it "
                    "with numpy.lib.recfunctions.rename_fields",
                    name->n, name->at);
    for (int i = 0; i < header->fields; i++)
        if (is(*name, header->field[i].name))
            return FAIL(c->error, "a damaged header: two members are called '%s'", header->field[i].name);
    return true;
}

/* The dimensions of a member that is an array, as C writes them. */
static bool read_dims(cursor *c, npy_field *field)
{
    uint64_t dim[NPY_MAX_DIMS];
    int dims;
    size_t used = 0;
    if (!need_sizes(c, dim, NPY_MAX_DIMS, true, &dims)) return false;
    for (int i = 0; i < dims; i++) {
        if (dim[i] == 0 || dim[i] > max_item / field->count)
            return FAIL(c->error, "the member '%s' is an array of %s elements", field->name, dim[i] ? "too many" : "0");
        field->count *= (size_t)dim[i];
        used += (size_t)snprintf(field->dims + used, sizeof field->dims - used, "[%llu]", (unsigned long long)dim[i]);
        if (used >= sizeof field->dims) return FAIL(c->error, "the member '%s' has too many dimensions", field->name);
    }
    return true;
}

/* ('name', '<f4') or ('name', '<f4', (2, 3)) */
static bool read_member(cursor *c, npy_header *header)
{
    span name, text;
    base type;
    if (!need(c, '(') || !read_name(c, header, &name) || !need(c, ',')) return false;
    if (peek(c, '['))
        return FAIL(c->error,
                    "the member '%.*s' is a struct itself, which oplus does not read; in NumPy, save its "
                    "members, as x['%.*s']",
                    name.n, name.at, name.n, name.at);
    if (!need_string(c, &text) || !read_base(text, &type, c->error)) return false;
    if (type.count == 2)
        return FAIL(c->error, "the member '%.*s' is complex; in NumPy, save a view that has two floats instead", name.n,
                    name.at);
    if (name.n > 0 && type.padding) return refuse_bytes(c->error);

    npy_field field = {.scalar = type.scalar, .count = 1, .swap = type.swap, .offset = header->item};
    memcpy(field.name, name.at, (size_t)name.n);
    if (take(c, ',') && !peek(c, ')') && !read_dims(c, &field)) return false;
    header->item += (size_t)type.size * field.count;
    if (header->item > max_item)
        return FAIL(c->error, "an element of more than %llu bytes", (unsigned long long)max_item);
    if (name.n > 0) {
        if (header->fields == TOOL_MAX_MEMBERS) return FAIL(c->error, "more than %d members", TOOL_MAX_MEMBERS);
        header->field[header->fields++] = field;
    }
    return need(c, ')');
}

static bool read_descr(cursor *c, npy_header *header)
{
    header->item = 0, header->fields = 0;
    header->record = peek(c, '[');
    if (!header->record) return read_scalar_descr(c, header);
    c->at++;
    while (!take(c, ']')) {
        if (!read_member(c, header)) return false;
        if (!take(c, ',') && !peek(c, ']')) return need(c, ',');
    }
    return header->fields > 0 || FAIL(c->error, "it holds structs without members");
}

/* --- the whole header --------------------------------------------------------------------------------------------- */

bool npy_magic(const void *bytes, size_t n) { return n >= MAGIC && memcmp(bytes, NPY_MAGIC, MAGIC) == 0; }

/* The size of magic, version, and the length field: 10 bytes, or 12 in versions 2 and 3.  0: not a version that we
 * know. */
static size_t prefix_bytes(const unsigned char *bytes, size_t n)
{
    if (!npy_magic(bytes, n) || n < NPY_PREFIX || bytes[MAGIC] < 1 || bytes[MAGIC] > 3) return 0;
    return bytes[MAGIC] == 1 ? 10 : 12;
}

size_t npy_header_bytes(const unsigned char *bytes, size_t n, char *error)
{
    const size_t prefix = prefix_bytes(bytes, n);
    if (prefix == 0) {
        if (!npy_magic(bytes, n))
            explain(error, "it is no .npy file: it does not begin with \\x93NUMPY");
        else if (n < NPY_PREFIX)
            explain(error, "it ends inside its header");
        else
            explain(error, "it is of version %d of the .npy format; there are 1, 2 and 3 so far", bytes[MAGIC]);
        return 0;
    }
    size_t length = 0;
    for (size_t at = prefix; at-- > MAGIC + 2;) length = length << 8 | bytes[at];
    if (length > NPY_MAX_HEADER) {
        explain(error, "a damaged header: it says that it has %zu bytes", length);
        return 0;
    }
    return prefix + length;
}

static bool read_shape(cursor *c, npy_header *header)
{
    return need_sizes(c, header->shape, NPY_MAX_DIMS, false, &header->dims);
}

static bool read_order(cursor *c, npy_header *header)
{
    header->fortran = take_word(c, "True");
    return header->fortran || take_word(c, "False") ||
           FAIL(c->error, "a damaged header: fortran_order is neither True nor False");
}

static const struct {
    const char *key;
    bool (*read)(cursor *c, npy_header *header);
} entries[] = {{"descr", read_descr}, {"fortran_order", read_order}, {"shape", read_shape}};
enum { ENTRIES = sizeof entries / sizeof entries[0] };

static bool read_entry(cursor *c, npy_header *header, bool *seen)
{
    span key;
    if (!need_string(c, &key) || !need(c, ':')) return false;
    size_t i = 0;
    while (i < ENTRIES && !is(key, entries[i].key)) i++;
    if (i == ENTRIES || seen[i]) return FAIL(c->error, "a damaged header: '%.*s' should not be there", key.n, key.at);
    seen[i] = true;
    return entries[i].read(c, header);
}

/* How many elements; no array in memory has more than PTRDIFF_MAX bytes. */
static bool count_elements(npy_header *header, char *error)
{
    uint64_t room = (uint64_t)PTRDIFF_MAX / header->item;
    bool empty = false;
    header->count = 1;
    for (int i = 0; i < header->dims; i++) {
        const uint64_t dim = header->shape[i];
        if (dim == 0) {
            empty = true;
            continue;
        }
        if (dim > room) return FAIL(error, "a damaged header: its shape has more elements than memory has addresses");
        room /= dim;
        header->count *= dim;
    }
    if (empty) header->count = 0;
    return true;
}

bool npy_parse(const unsigned char *bytes, size_t n, npy_header *header, char *error)
{
    bool seen[ENTRIES] = {false};
    memset(header, 0, sizeof *header);
    header->bytes = npy_header_bytes(bytes, n, error);
    if (header->bytes == 0) return false;
    if (header->bytes > n) return FAIL(error, "it ends inside its header");

    cursor c = {(const char *)bytes + prefix_bytes(bytes, n), (const char *)bytes + header->bytes, error};
    if (!need(&c, '{')) return false;
    while (!take(&c, '}')) {
        if (!read_entry(&c, header, seen)) return false;
        if (!take(&c, ',') && !peek(&c, '}')) return need(&c, ',');
    }
    skip_blanks(&c);
    if (c.at != c.end) return FAIL(error, "a damaged header: something stands behind its '}'");
    for (size_t i = 0; i < ENTRIES; i++)
        if (!seen[i]) return FAIL(error, "a damaged header: it lacks '%s'", entries[i].key);
    return count_elements(header, error);
}

/* --- as a type of the library ------------------------------------------------------------------------------------- */

static const char *c_name(oplus_scalar scalar)
{
    static const char *const names[] = {
        [OPLUS_I8] = "int8_t",  [OPLUS_I16] = "int16_t",  [OPLUS_I32] = "int32_t",  [OPLUS_I64] = "int64_t",
        [OPLUS_U8] = "uint8_t", [OPLUS_U16] = "uint16_t", [OPLUS_U32] = "uint32_t", [OPLUS_U64] = "uint64_t",
        [OPLUS_F32] = "float",  [OPLUS_F64] = "double",
    };
    return names[scalar];
}

const oplus_type *npy_type(const npy_header *header, oplus_type **made, char *error)
{
    enum { MEMBER_BYTES = 32 + 64 + 16 };
    *made = NULL;
    if (header->complex) return oplus_type_named(header->field[0].scalar == OPLUS_F32 ? "c64" : "c128");
    if (!header->record) return oplus_type_named(tool_scalar_name(header->field[0].scalar));

    char members[TOOL_MAX_MEMBERS * MEMBER_BYTES];
    size_t used = 0;
    for (int i = 0; i < header->fields; i++) {
        const npy_field *const field = &header->field[i];
        used += (size_t)snprintf(members + used, sizeof members - used, "%s%s %s%s;", i ? " " : "",
                                 c_name(field->scalar), field->name, field->dims);
    }
    if (oplus_type_make("element", members, made) != OPLUS_OK) {
        const char *const why = strstr(oplus_last_error(), ": "); /* behind the name of the call */
        explain(error, "its members make no struct of C: %s", why ? why + 2 : oplus_last_error());
    }
    return *made;
}
