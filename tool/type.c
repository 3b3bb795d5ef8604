#include "type.h"

#include "die.h"
#include "text.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- scalars ------------------------------------------------------------------------------------------------------ */

static const struct {
    const char *name;
    size_t size;
} scalars[] = {
    [OPLUS_RECORD] = {"struct", 0}, [OPLUS_I8] = {"i8", 1},   [OPLUS_I16] = {"i16", 2}, [OPLUS_I32] = {"i32", 4},
    [OPLUS_I64] = {"i64", 8},       [OPLUS_U8] = {"u8", 1},   [OPLUS_U16] = {"u16", 2}, [OPLUS_U32] = {"u32", 4},
    [OPLUS_U64] = {"u64", 8},       [OPLUS_F32] = {"f32", 4}, [OPLUS_F64] = {"f64", 8},
};

size_t tool_scalar_size(oplus_scalar scalar) { return scalars[scalar].size; }
const char *tool_scalar_name(oplus_scalar scalar) { return scalars[scalar].name; }

/* --- names -------------------------------------------------------------------------------------------------------- */

static bool is_named(const oplus_type *type, const char *name)
{
    const oplus_type *const named = oplus_type_named(name);
    return strcmp(type->name, named->name) == 0 && type->text && strcmp(type->text, named->text) == 0;
}

bool tool_type_is_complex(const oplus_type *type)
{
    return type->scalar == OPLUS_RECORD && (is_named(type, "c64") || is_named(type, "c128"));
}

const char *tool_type_name(const oplus_type *type)
{
    if (type->scalar != OPLUS_RECORD) return scalars[type->scalar].name;
    if (tool_type_is_complex(type)) return is_named(type, "c64") ? "c64" : "c128";
    return type->text ? type->text : type->name;
}

bool tool_type_same(const oplus_type *x, const oplus_type *y)
{
    tool_layout p, q;
    if (!tool_layout_of(x, &p) || !tool_layout_of(y, &q)) return x == y;
    if (p.size != q.size || p.members != q.members) return false;
    for (int i = 0; i < p.members; i++)
        if (p.member[i].scalar != q.member[i].scalar || p.member[i].offset != q.member[i].offset ||
            p.member[i].count != q.member[i].count)
            return false;
    return true;
}

/* The library cuts longer names of members: such a type is refused, as its names would change. */
static bool has_long_word(const char *text)
{
    enum { LONGEST = sizeof((oplus_member *)0)->name - 1 };
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    for (; *text; text++) {
        const size_t n = strspn(text, letters);
        if (n > LONGEST) return true;
        if (n) text += n - 1;
    }
    return false;
}

/* What stands in "struct {...}", as our own messages write it; else the text itself.  The caller frees it. */
static char *members_of(const char *text)
{
    static const char blanks[] = " \t\r\n", word[] = "struct";
    const char *open = text + strspn(text, blanks), *end = text + strlen(text);
    if (strncmp(open, word, sizeof word - 1) == 0) open += sizeof word - 1, open += strspn(open, blanks);
    while (end > open && strchr(blanks, end[-1])) end--;
    const bool braces = *open == '{' && end[-1] == '}';
    char *const members = tool_copy(braces ? open + 1 : text);
    if (braces) members[end - open - 2] = '\0';
    return members;
}

enum { MAX_MADE = 64 };
static oplus_type *made_types[MAX_MADE]; /* they live as long as the command */
static int made;

static void free_made(void)
{
    while (made > 0) oplus_type_free(made_types[--made]);
}

/* What NumPy and C call a type; NULL: it is no such name. */
static const char *other_name(const char *text)
{
    static const struct {
        const char *word, *name;
    } names[] = {{"int8", "i8"},     {"int16", "i16"},   {"int32", "i32"},     {"int64", "i64"},
                 {"uint8", "u8"},    {"uint16", "u16"},  {"uint32", "u32"},    {"uint64", "u64"},
                 {"float32", "f32"}, {"float64", "f64"}, {"complex64", "c64"}, {"complex128", "c128"},
                 {"f4", "f32"},      {"f8", "f64"},      {"i4", "i32"},        {"bool", "u8"},
                 {"char", "i8"},     {"complex", "c128"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i].word, text) == 0) return names[i].name;
    return NULL;
}

/* Says why a word is no type. */
static void explain_word(const char *text, char *error)
{
    static const char types[] = "there are f32 f64 i8 i16 i32 i64 u8 u16 u32 u64 c64 c128, names of C as float and "
                                "int64_t, and structs as in 'float scale; float shift'";
    const char *const other = other_name(text);
    if (other)
        snprintf(error, TOOL_ERROR_BYTES, "'%s' is no type; did you mean %s?", text, other);
    else if (ispunct((unsigned char)*text) && !text[1])
        snprintf(error, TOOL_ERROR_BYTES, "'%s' is no type; what separates fields is said by --delimiter", text);
    else
        snprintf(error, TOOL_ERROR_BYTES, "'%s' is no type; %s", text, types);
}

const oplus_type *tool_type_parse(const char *text, char *error)
{
    const oplus_type *const named = oplus_type_named(text);
    if (named) return named;
    if (!strpbrk(text, " \t\n;[{")) {
        explain_word(text, error);
        return NULL;
    }
    const char *wrong = NULL;
    if (has_long_word(text))
        wrong = "has a member whose name has more than 31 letters";
    else if (made == MAX_MADE)
        wrong = "is one struct type too many";
    if (wrong) {
        snprintf(error, TOOL_ERROR_BYTES, "'%s' %s", text, wrong);
        return NULL;
    }
    char *const members = members_of(text);
    const oplus_status status = oplus_type_make("element", members, &made_types[made]);
    free(members);
    if (status != OPLUS_OK) {
        const char *const why = strstr(oplus_last_error(), ": "); /* behind the name of the call */
        snprintf(error, TOOL_ERROR_BYTES, "'%s' is no type: %s", text, why ? why + 2 : oplus_last_error());
        return NULL;
    }
    if (made == 0) atexit(free_made);
    return made_types[made++];
}

const oplus_type *tool_type(const char *option, const char *text)
{
    char error[TOOL_ERROR_BYTES];
    const oplus_type *const type = tool_type_parse(text, error);
    if (!type) tool_die(TOOL_USAGE, "%s: %s", option, error);
    return type;
}

/* --- what an element is made of ----------------------------------------------------------------------------------- */

bool tool_layout_of(const oplus_type *type, tool_layout *layout)
{
    layout->size = type->size;
    layout->scalars = 0;
    layout->members = oplus_type_members(type, layout->member, TOOL_MAX_MEMBERS);
    for (int i = 0; i < layout->members; i++) layout->scalars += layout->member[i].count;
    return layout->members > 0;
}

/* --- single values ------------------------------------------------------------------------------------------------ */

bool tool_value_parse(const oplus_type *type, const char *text, void *value, char *error)
{
    text_reader reader;
    if (!text_reader_open(&reader, type)) {
        snprintf(error, TOOL_ERROR_BYTES, "the members of '%s' are not understood", tool_type_name(type));
        return false;
    }
    size_t n;
    reader.commas = true;
    const char *const rest = text_read(&reader, text, text + strlen(text), true, value, 1, &n, NULL);
    if (reader.error[0]) {
        static const char line[] = "line 1"; /* a line number means nothing here */
        const char *const what = reader.error + (strncmp(reader.error, line, strlen(line)) == 0 ? strlen(line) : 0);
        if (what[0] == ':')
            memmove(error, what + 2, strlen(what + 2) + 1);
        else
            snprintf(error, TOOL_ERROR_BYTES, "'%.99s'%.99s", text, what);
        return false;
    }
    if (n != 1 || rest[strspn(rest, " \t\r\n")]) {
        snprintf(error, TOOL_ERROR_BYTES, "'%s' should be one %s", text, tool_type_name(type));
        return false;
    }
    return true;
}

void tool_value(const oplus_type *type, const char *option, const char *text, void *value)
{
    char error[TOOL_ERROR_BYTES];
    if (!tool_value_parse(type, text, value, error)) tool_die(TOOL_USAGE, "%s: %s", option, error);
}

char *tool_value_print(const oplus_type *type, const void *value)
{
    tool_layout layout;
    if (!tool_layout_of(type, &layout))
        tool_die(TOOL_FAILED, "the members of '%s' are not understood: no text of it", tool_type_name(type));
    char *const text = tool_alloc(layout.scalars * NUMBER_MAX + 1);
    *text_write(&layout, value, text) = '\0';
    return text;
}
