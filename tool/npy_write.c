/* npy_write: the header as NumPy writes it. */
#include "npy.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ALIGN = 64,        /* the data begin at a multiple of it */
    LENGTH_DIGITS = 21 /* room that NumPy leaves for the first dimension to grow */
};

typedef struct writer {
    char *text;
    size_t used, bytes;
} writer;

static void say(writer *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void say(writer *to, const char *format, ...)
{
    if (to->used >= to->bytes) return; /* full; the caller notices it later */
    va_list arguments;
    va_start(arguments, format);
    to->used += (size_t)vsnprintf(to->text + to->used, to->bytes - to->used, format, arguments);
    va_end(arguments);
}

static void say_base(writer *to, oplus_scalar scalar, size_t count)
{
    const char *const letter = count == 2                                   ? "c"
                               : scalar == OPLUS_F32 || scalar == OPLUS_F64 ? "f"
                               : scalar < OPLUS_U8                          ? "i"
                                                                            : "u";
    const size_t size = tool_scalar_size(scalar);
    say(to, "'%s%s%zu'", size == 1 ? "|" : "<", letter, size * count);
}

/* The dimensions of the member as its type's text declares it, "(2, 3)", from *at on; a layout has only the product
 * of the dimensions. */
static void say_dims(writer *to, const char **at, const oplus_member *member)
{
    static const char blanks[] = " \t\r\n";
    const size_t n = strlen(member->name);
    const char *found = *at;
    for (;; found += n) { /* the name before [ , or ; is the declared one: others are types */
        found = strstr(found, member->name);
        if (!found) return;
        const char *const behind = found + n + strspn(found + n, blanks);
        if (strchr("[,;", *behind)) {
            found = behind;
            break;
        }
    }
    const char *separator = "(";
    int dims = 0;
    for (; *found == '['; dims++) {
        char *rest;
        const unsigned long dim = strtoul(found + 1, &rest, 10);
        say(to, "%s%lu", separator, dim);
        separator = ", ";
        found = rest + strspn(rest, blanks);
        if (*found == ']') found++;
        found += strspn(found, blanks);
    }
    if (dims > 0) say(to, "%s", dims == 1 ? ",)" : ")");
    *at = found;
}

static void say_padding(writer *to, size_t bytes)
{
    if (bytes > 0) say(to, ", ('', '|V%zu')", bytes);
}

static void say_record(writer *to, const oplus_type *type, const tool_layout *layout)
{
    const char *at = type->text;
    size_t end = 0;
    for (int i = 0; i < layout->members; i++) {
        const oplus_member *const member = &layout->member[i];
        say_padding(to, member->offset - end);
        say(to, "%s('%s', ", i ? ", " : "[", member->name);
        say_base(to, member->scalar, 1);
        const size_t before = to->used;
        say(to, ", ");
        say_dims(to, &at, member);
        if (to->used == before + 2) to->used = before; /* no array */
        say(to, ")");
        end = member->offset + member->count * tool_scalar_size(member->scalar);
    }
    say_padding(to, layout->size - end);
    say(to, "]");
}

static void say_shape(writer *to, int dims, const uint64_t *shape)
{
    say(to, "(");
    for (int i = 0; i < dims; i++) say(to, "%s%llu", i ? ", " : "", (unsigned long long)shape[i]);
    say(to, dims == 1 ? ",)" : ")");
}

unsigned char *npy_write(const oplus_type *type, int dims, const uint64_t *shape, size_t *bytes, char *error)
{
    enum { ROOM = 32 << 10, MAGIC = sizeof NPY_MAGIC - 1, PREFIX = MAGIC + 4 }; /* room for 64 members, 64 dimensions */
    tool_layout layout;
    if (!tool_layout_of(type, &layout)) {
        snprintf(error, TOOL_ERROR_BYTES,
                 "the members of '%s' are not understood, so that .npy cannot name them; write --to raw",
                 tool_type_name(type));
        return NULL;
    }
    char *const header = malloc(ROOM);
    if (!header) {
        snprintf(error, TOOL_ERROR_BYTES, "out of memory");
        return NULL;
    }
    writer to = {header, PREFIX, ROOM};

    /* --- 1. the dictionary, as NumPy writes it */
    say(&to, "{'descr': ");
    if (tool_type_is_complex(type))
        say_base(&to, layout.member[0].scalar, 2);
    else if (type->scalar != OPLUS_RECORD)
        say_base(&to, type->scalar, 1);
    else
        say_record(&to, type, &layout);
    say(&to, ", 'fortran_order': False, 'shape': ");
    say_shape(&to, dims, shape);
    say(&to, ", }");

    /* --- 2. blanks up to where the data begin */
    if (dims > 0) say(&to, "%*s", LENGTH_DIGITS - snprintf(NULL, 0, "%llu", (unsigned long long)shape[0]), "");
    const size_t whole = (to.used + 1) / ALIGN * ALIGN + ALIGN;
    say(&to, "%*s\n", (int)(whole - 1 - to.used), "");
    if (to.used != whole) {
        free(header);
        snprintf(error, TOOL_ERROR_BYTES, "'%.99s...' is too long for a header of .npy; write --to raw",
                 tool_type_name(type));
        return NULL;
    }

    /* --- 3. what stands before it; the two-byte length of version 1 always suffices */
    const size_t length = whole - PREFIX;
    const unsigned char version_and_length[] = {1, 0, (unsigned char)(length & 255), (unsigned char)(length >> 8)};
    memcpy(header, NPY_MAGIC, MAGIC);
    memcpy(header + MAGIC, version_and_length, sizeof version_and_length);
    *bytes = whole;
    return (unsigned char *)header;
}
