#include "leaf/layout.h"

#include <limits.h>
#include <string.h>

/* The scalars with their alignment inside a struct, which on some targets is not _Alignof: where a compiler puts a
 * member after a char. */
#define BEHIND_A_CHAR(suffix, T, scalar)                                                                               \
    struct behind_a_char_##suffix {                                                                                    \
        char c;                                                                                                        \
        T x;                                                                                                           \
    };
OPLUS_FOR_SCALARS(BEHIND_A_CHAR)

static const struct {
    size_t size, align;
} scalars[] = {
#define ROW(suffix, T, scalar) [scalar] = {sizeof(T), offsetof(struct behind_a_char_##suffix, x)},
    OPLUS_FOR_SCALARS(ROW)
#undef ROW
};

size_t opi_scalar_size(oplus_scalar scalar) { return scalars[scalar].size; }
size_t opi_scalar_align(oplus_scalar scalar) { return scalars[scalar].align; }

static oplus_scalar integer(size_t size, bool is_signed)
{
    switch (size) {
    case 1:
        return is_signed ? OPLUS_I8 : OPLUS_U8;
    case 2:
        return is_signed ? OPLUS_I16 : OPLUS_U16;
    case 4:
        return is_signed ? OPLUS_I32 : OPLUS_U32;
    case 8:
        return is_signed ? OPLUS_I64 : OPLUS_U64;
    default:
        return OPLUS_RECORD;
    }
}

/* --- words and signs ---------------------------------------------------------------------------------------------- */

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static void skip_space(const char **at)
{
    while (**at == ' ' || **at == '\t' || **at == '\n' || **at == '\r') ++*at;
}

static bool take_sign(const char **at, char sign)
{
    skip_space(at);
    if (**at != sign) return false;
    ++*at;
    return true;
}

/* Length of the word at *at, 0 if there is none; does not take it. */
static size_t word_length(const char **at)
{
    skip_space(at);
    size_t n = 0;
    if (is_letter(**at))
        while (is_letter((*at)[n]) || is_digit((*at)[n])) n++;
    return n;
}

/* A decimal number from 1 to limit, 0 if there is none. */
static size_t take_number(const char **at, size_t limit)
{
    size_t value = 0;
    skip_space(at);
    if (**at == '0') return 0; /* nothing, octal or hexadecimal */
    for (; is_digit(**at); ++*at) {
        value = value * 10 + (size_t)(**at - '0');
        if (value > limit) return 0;
    }
    return is_letter(**at) ? 0 : value;
}

/* --- a base type: one typedef's name, or the words of C in any order ---------------------------------------------- */

static bool is_word(const char *word, size_t n, const char *text)
{
    return strlen(text) == n && !memcmp(word, text, n);
}

static oplus_scalar named_type(const char *word, size_t n)
{
    static const struct {
        const char *name;
        oplus_scalar scalar;
    } names[] = {
        {"float", OPLUS_F32},    {"double", OPLUS_F64},   {"int8_t", OPLUS_I8},  {"int16_t", OPLUS_I16},
        {"int32_t", OPLUS_I32},  {"int64_t", OPLUS_I64},  {"uint8_t", OPLUS_U8}, {"uint16_t", OPLUS_U16},
        {"uint32_t", OPLUS_U32}, {"uint64_t", OPLUS_U64}, {"_Bool", OPLUS_U8},   {"bool", OPLUS_U8},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (is_word(word, n, names[i].name)) return names[i].scalar;
    if (is_word(word, n, "size_t")) return integer(sizeof(size_t), false);
    if (is_word(word, n, "ptrdiff_t")) return integer(sizeof(ptrdiff_t), true);
    return OPLUS_RECORD;
}

/* OPLUS_RECORD if it is none. */
static oplus_scalar take_type(const char **at)
{
    enum { CHAR, SHORT, INT, LONG, SIGNED, UNSIGNED, WORDS };
    static const char *const words[WORDS] = {"char", "short", "int", "long", "signed", "unsigned"};
    int seen[WORDS] = {0}, total = 0;

    for (size_t n; (n = word_length(at)) > 0; *at += n, total++) {
        int w = 0;
        while (w < WORDS && !is_word(*at, n, words[w])) w++;
        if (w == WORDS) break; /* the member's name, or another type */
        seen[w]++;
    }
    if (total == 0) {
        const size_t n = word_length(at);
        const oplus_scalar scalar = named_type(*at, n);
        *at += n;
        return scalar;
    }
    const bool twice =
        seen[CHAR] > 1 || seen[SHORT] > 1 || seen[INT] > 1 || seen[LONG] > 2 || seen[SIGNED] + seen[UNSIGNED] > 1;
    if (twice || (seen[CHAR] > 0) + (seen[SHORT] > 0) + (seen[LONG] > 0) > 1 || (seen[CHAR] && seen[INT]))
        return OPLUS_RECORD;
    if (seen[CHAR]) return seen[UNSIGNED] || (!seen[SIGNED] && CHAR_MIN == 0) ? OPLUS_U8 : OPLUS_I8;
    const size_t size = seen[SHORT]       ? sizeof(short)
                        : seen[LONG] == 2 ? sizeof(long long)
                        : seen[LONG] == 1 ? sizeof(long)
                                          : sizeof(int);
    return integer(size, !seen[UNSIGNED]);
}

/* --- members ------------------------------------------------------------------------------------------------------ */

/* A name and its array dimensions; at most `limit` elements. */
static bool take_declarator(const char **at, size_t limit, oplus_member *member)
{
    const size_t n = word_length(at);
    if (n == 0) return false;
    const size_t kept = n < sizeof member->name ? n : sizeof member->name - 1;
    memcpy(member->name, *at, kept);
    member->name[kept] = '\0';
    *at += n;
    for (member->count = 1; take_sign(at, '[');) {
        const size_t dimension = take_number(at, limit / member->count);
        if (dimension == 0 || !take_sign(at, ']')) return false;
        member->count *= dimension;
    }
    return true;
}

/* Lists the members of a struct's text and measures it, up to `limit` bytes an array; -1 if it is not understood. */
static int read_members(const char *at, size_t limit, oplus_member *members, int capacity, size_t *size, size_t *align)
{
    size_t end = 0;
    int count = 0;
    *align = 1;
    for (skip_space(&at); *at; skip_space(&at)) {
        const oplus_scalar scalar = take_type(&at);
        if (scalar == OPLUS_RECORD) return -1;
        const size_t own_size = scalars[scalar].size, own_align = scalars[scalar].align;
        do {
            if (count == capacity) return -1;
            oplus_member *const member = &members[count++];
            if (!take_declarator(&at, limit / own_size, member)) return -1;
            member->scalar = scalar;
            member->offset = (end + own_align - 1) / own_align * own_align;
            end = member->offset + member->count * own_size;
        } while (take_sign(&at, ','));
        if (!take_sign(&at, ';')) return -1;
        if (own_align > *align) *align = own_align;
    }
    *size = (end + *align - 1) / *align * *align;
    return count > 0 ? count : -1;
}

int opi_layout(const oplus_type *type, oplus_member *members, int capacity)
{
    size_t size, align;
    if (type->scalar != OPLUS_RECORD) {
        if (capacity < 1) return -1;
        members[0] = (oplus_member){"", type->scalar, 0, 1};
        return 1;
    }
    if (!type->text) return -1;
    const int count = read_members(type->text, type->size, members, capacity, &size, &align);
    return count > 0 && align == type->align && size == type->size ? count : -1;
}

bool opi_layout_measure(const char *text, size_t *size, size_t *align)
{
    oplus_member members[OPI_MAX_MEMBERS];
    return read_members(text, OPI_LARGEST_ELEMENT, members, OPI_MAX_MEMBERS, size, align) > 0 &&
           *size <= OPI_LARGEST_ELEMENT;
}
