#include "type/layout.h"
#include "type/layout_text.h"
#include "base/words.h"

#include <string.h>

/* --- the text ----------------------------------------------------------------------------------------------------- */

/* Whether the text gives the size and the alignment of the type. */
static bool text_measures(const oplus_type *type, const char **declaration)
{
    opi_layout_reader r = {.at = type->text, .declaration = type->text, .limit = type->size};
    size_t size, align;
    const bool understood = opi_layout_read(&r, &size, &align);
    *declaration = understood ? NULL : r.declaration;
    return understood && size == type->size && align == type->align;
}

static void read_text(const oplus_type *type, opi_visit visit, void *context)
{
    opi_layout_reader r = {.at = type->text, .limit = type->size, .visit = visit, .context = context};
    size_t size, align;
    opi_layout_read(&r, &size, &align);
}

/* --- the sample: what the compiler made of OPLUS_SAMPLE_ scalars that are all -3 ---------------------------------- */

static inline bool has_bytes(const unsigned char *x, const unsigned char *end, const void *value, size_t size)
{
    return (size_t)(end - x) >= size && memcmp(x, value, size) == 0;
}

/* The scalar at x that is -3 (a bool is 1), none of whose bytes is at `end` or beyond; OPLUS_RECORD if none is. */
static oplus_scalar sampled(const unsigned char *x, const unsigned char *end)
{
    static const double f64 = -3;
    static const float f32 = -3;
    static const int64_t i64 = -3;
    static const int32_t i32 = -3;
    static const int16_t i16 = -3;
    if (has_bytes(x, end, &f64, sizeof f64)) return OPLUS_F64;
    if (has_bytes(x, end, &f32, sizeof f32)) return OPLUS_F32;
    if (has_bytes(x, end, &i64, sizeof i64)) return OPLUS_I64;
    if (has_bytes(x, end, &i32, sizeof i32)) return OPLUS_I32;
    if (has_bytes(x, end, &i16, sizeof i16)) return OPLUS_I16;
    return *x == 0xfd ? OPLUS_I8 : *x == 1 ? OPLUS_U8 : OPLUS_RECORD;
}

/* Lists what the sample shows, runs of the same scalar as one member without a name.  False where it shows too little:
 * more scalars than it has, or gaps that no alignment explains (a union). */
static bool read_sample(const oplus_type *type, opi_visit visit, void *context)
{
    if (!type->sample) return false;
    const unsigned char *const x = type->sample, *const end = x + type->size;
    oplus_member run = {"", OPLUS_RECORD, 0, 0};
    size_t at = 0;
    if (*end != 0xfd) return false;
    for (size_t gap = 0; at < type->size;) {
        const oplus_scalar scalar = sampled(x + at, end);
        if (scalar == OPLUS_RECORD) {
            if (x[at++] != 0 || ++gap >= type->align) return false;
            continue;
        }
        const size_t size = opi_scalars[scalar].size;
        if (scalar != run.scalar || run.offset + run.count * size != at) {
            if (visit && run.count) visit(context, &run);
            run = (oplus_member){"", scalar, at, 0};
        }
        run.count++;
        at += size;
        gap = 0;
    }
    if (visit && run.count) visit(context, &run);
    return run.count > 0;
}

/* --- which of them ------------------------------------------------------------------------------------------------ */

static bool has_word(const char *text, const char *word)
{
    while (*text) {
        const size_t n = opi_word_length(&text);
        if (n && opi_is_word(text, n, word)) return true;
        text += n ? n : *text != '\0';
        while (opi_is_digit(*text)) text++;
    }
    return false;
}

/* Each call asks this, so it must be quick: strstr rules out nearly all texts. */

/* The members of a union share their bytes: only the program knows which one is in use.  A union is left as it is. */
static bool has_union(const char *text) { return strstr(text, "union") && has_word(text, "union"); }

/* A sample shows only the real part of a complex number; the imaginary part may look like padding. */
static bool has_complex(const char *text)
{
    return strstr(text, "omplex") && (has_word(text, "_Complex") || has_word(text, "complex"));
}

static bool sample_shows(const oplus_type *type)
{
    return type->text && !has_complex(type->text) && read_sample(type, NULL, NULL);
}

bool opi_layout_walk(const oplus_type *type, opi_visit visit, void *context)
{
    const char *declaration;
    if (type->scalar != OPLUS_RECORD) {
        const oplus_member alone = {"", type->scalar, 0, 1};
        visit(context, &alone);
        return true;
    }
    if (!type->text || !text_measures(type, &declaration)) return false;
    read_text(type, visit, context);
    return true;
}

/* --- what the last text gave: a small call takes less time than reading the text twice ----------------------------- */

enum { MEMO_TEXT = 128, MEMO_MEMBERS = 8 };

/* Of one thread.  A text is known by its content: the same descriptor may get another one. */
typedef struct memo {
    char text[MEMO_TEXT];
    size_t size, align;
    int count; /* of member; 0: nothing is remembered */
    oplus_member member[MEMO_MEMBERS];
} memo;
static _Thread_local memo last;

static bool is_remembered(const oplus_type *type)
{
    return last.count > 0 && last.size == type->size && last.align == type->align && strcmp(last.text, type->text) == 0;
}

static void remember(void *context, const oplus_member *member)
{
    (void)context;
    if (last.count < 0) return;
    if (last.count == MEMO_MEMBERS) {
        last.count = -1; /* too many */
        return;
    }
    last.member[last.count] = *member;
    last.count++;
}

/* Whether the text gives the type's size and alignment; then it is remembered if it is short. */
static bool text_is_known(const oplus_type *type, const char **declaration)
{
    if (is_remembered(type)) return true;
    if (!text_measures(type, declaration)) return false;
    last.count = 0;
    const size_t length = strlen(type->text);
    if (length >= MEMO_TEXT) return true;
    memcpy(last.text, type->text, length + 1);
    last.size = type->size;
    last.align = type->align;
    read_text(type, remember, NULL);
    return true;
}

bool opi_layout_scalars(const oplus_type *type, opi_visit visit, void *context)
{
    if (type->scalar == OPLUS_RECORD && sample_shows(type) && !has_union(type->text))
        return read_sample(type, visit, context);
    if (type->scalar != OPLUS_RECORD || !type->text || !is_remembered(type))
        return opi_layout_walk(type, visit, context);
    for (int i = 0; i < last.count; i++) visit(context, &last.member[i]);
    return true;
}

bool opi_layout_is_known(const oplus_type *type, const char **declaration)
{
    *declaration = NULL;
    return type->scalar != OPLUS_RECORD || !type->text || sample_shows(type) || has_union(type->text) ||
           text_is_known(type, declaration);
}

typedef struct list {
    oplus_member *member;
    int count, capacity;
} list;

static void append(void *context, const oplus_member *member)
{
    list *const to = context;
    if (to->count < to->capacity) to->member[to->count] = *member;
    to->count++;
}

int opi_layout(const oplus_type *type, oplus_member *members, int capacity)
{
    list to = {members, 0, capacity};
    return opi_layout_walk(type, append, &to) && to.count <= capacity ? to.count : -1;
}

int opi_layout_flat(const char *text, oplus_member *members, int capacity, size_t *size, size_t *align)
{
    list to = {members, 0, capacity};
    opi_layout_reader r = {.at = text, .limit = OPI_LARGEST_ELEMENT, .flat = true, .visit = append, .context = &to};
    const bool understood = opi_layout_read(&r, size, align) && *size <= OPI_LARGEST_ELEMENT;
    return understood && to.count <= capacity ? to.count : -1;
}
