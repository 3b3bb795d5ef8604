#define _XOPEN_SOURCE 700 /* memccpy */
#include "type/layout_text.h"
#include "type/constant.h"
#include "base/words.h"

#include <limits.h>
#include <stdio.h>

enum { MOST_DEPTH = 8 /* of structs inside of others */ };

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

/* --- a base type: one typedef's name, or the words of C in any order ---------------------------------------------- */

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
        if (opi_is_word(word, n, names[i].name)) return names[i].scalar;
    if (opi_is_word(word, n, "size_t")) return integer(sizeof(size_t), false);
    if (opi_is_word(word, n, "ptrdiff_t")) return integer(sizeof(ptrdiff_t), true);
    return OPLUS_RECORD;
}

/* Takes the name of a scalar type; returns OPLUS_RECORD if there is none. */
static oplus_scalar take_type(const char **at)
{
    enum { CHAR, SHORT, INT, LONG, SIGNED, UNSIGNED, WORDS };
    static const char *const words[WORDS] = {"char", "short", "int", "long", "signed", "unsigned"};
    int seen[WORDS] = {0}, total = 0;

    for (size_t n; (n = opi_word_length(at)) > 0; *at += n, total++) {
        int w = 0;
        while (w < WORDS && !opi_is_word(*at, n, words[w])) w++;
        if (w == WORDS) break; /* the member's name, or another type */
        seen[w]++;
    }
    if (total == 0) {
        const size_t n = opi_word_length(at);
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

typedef opi_layout_reader reader;

/* What a member is, apart from its name and dimensions: a scalar, or the members between braces at `inside`. */
typedef struct base {
    oplus_scalar scalar; /* OPLUS_RECORD: a struct */
    const char *inside;
    size_t size, align;
} base;

static bool read_block(reader *r, char end, const char *prefix, size_t offset, size_t *size, size_t *align);

static size_t round_up(size_t n, size_t align) { return (n + align - 1) / align * align; }

/* NOLINTBEGIN(misc-no-recursion): structs inside of structs, at most MOST_DEPTH */
static bool take_base(reader *r, base *b)
{
    const size_t n = opi_word_length(&r->at);
    if (!opi_is_word(r->at, n, "struct")) {
        b->scalar = take_type(&r->at);
        b->size = opi_scalars[b->scalar].size;
        b->align = opi_scalars[b->scalar].align;
        return b->scalar != OPLUS_RECORD;
    }
    const opi_visit visit = r->visit;
    r->at += n;
    r->at += opi_word_length(&r->at); /* its tag */
    if (r->flat || r->depth >= MOST_DEPTH || !opi_take_sign(&r->at, '{')) return false;
    b->scalar = OPLUS_RECORD;
    b->inside = r->at;
    r->visit = NULL;
    r->depth++;
    const bool understood = read_block(r, '}', "", 0, &b->size, &b->align) && opi_take_sign(&r->at, '}');
    r->depth--;
    r->visit = visit;
    return understood;
}

/* Visits the members of b, which may be an array of `count`: "p.x", "p[1].x". */
static void visit_struct(const reader *r, const base *b, const char *name, bool array, size_t count, size_t offset)
{
    char prefix[2 * sizeof((oplus_member *)0)->name];
    for (size_t i = 0; i < count; i++) {
        reader inside = *r;
        size_t size, align;
        inside.at = b->inside;
        inside.depth++;
        if (array)
            snprintf(prefix, sizeof prefix, "%s[%zu].", name, i);
        else
            snprintf(prefix, sizeof prefix, "%s%s", name, *name ? "." : "");
        read_block(&inside, '}', prefix, offset + i * b->size, &size, &align);
    }
}

/* Takes a name and its array dimensions.  *end: where the member before it ends; on return, where this one ends. */
static bool take_declarator(reader *r, const base *b, const char *prefix, size_t offset, size_t *end)
{
    char name[2 * sizeof((oplus_member *)0)->name];
    const size_t n = opi_word_length(&r->at);
    const bool nameless = n == 0 && b->scalar == OPLUS_RECORD;
    size_t count = 1;
    bool array = false;
    if (n == 0 && !nameless) return false;
    snprintf(name, sizeof name, "%s%.*s", prefix, (int)(n < sizeof name ? n : sizeof name - 1), r->at);
    if (nameless && *name) name[strlen(name) - 1] = '\0'; /* its members are the outer struct's */
    for (r->at += n; opi_take_sign(&r->at, '['); array = true) {
        const size_t dimension = opi_take_number(&r->at, r->limit / b->size / count);
        if (dimension == 0 || !opi_take_sign(&r->at, ']')) return false;
        count *= dimension;
    }
    const size_t begin = round_up(*end, b->align);
    *end = begin + count * b->size;
    if (!r->visit) return true;
    if (b->scalar == OPLUS_RECORD) {
        visit_struct(r, b, name, array, count, offset + begin);
        return true;
    }
    oplus_member member = {"", b->scalar, offset + begin, count};
    memccpy(member.name, name, '\0', sizeof member.name - 1);
    r->visit(r->context, &member);
    return true;
}

/* Reads the declarations up to `stop`, which is not taken. */
static bool read_block(reader *r, char stop, const char *prefix, size_t offset, size_t *size, size_t *align)
{
    size_t end = 0;
    *align = 1;
    for (opi_skip_space(&r->at); *r->at && *r->at != stop; opi_skip_space(&r->at)) {
        base b;
        r->declaration = r->at;
        if (!take_base(r, &b)) return false;
        do {
            if (!take_declarator(r, &b, prefix, offset, &end)) return false;
        } while (opi_take_sign(&r->at, ','));
        if (!opi_take_sign(&r->at, ';')) return false;
        if (b.align > *align) *align = b.align;
    }
    *size = round_up(end, *align);
    return end > 0 && *r->at == stop;
}

/* NOLINTEND(misc-no-recursion) */

bool opi_layout_read(opi_layout_reader *r, size_t *size, size_t *align)
{
    return read_block(r, '\0', "", 0, size, align);
}
