/* Any bytes as numbers in text: the same elements or the same error however the text is cut, and what was read is
 * written and read again.  The first byte chooses the type, the second how long the pieces are. */
#include "text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

OPLUS_STRUCT(record, int32_t count; double x[2]; uint8_t flag;)

static const oplus_type *const types[] = {
    &oplus_i8,  &oplus_i16, &oplus_i32, &oplus_i64, &oplus_u8,    &oplus_u16,
    &oplus_u32, &oplus_u64, &oplus_f32, &oplus_f64, &record_type, &oplus_c64,
};
enum { TYPES = sizeof types / sizeof types[0] };

static void need(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

typedef struct result {
    unsigned char *elements;
    size_t n;
    uint64_t columns;
    char error[TOOL_ERROR_BYTES];
} result;

/* Reads as a pipe comes: `step` bytes more at a time, in memory of exactly the size, `capacity` elements at a time. */
static result read_all(const oplus_type *type, const char *text, size_t bytes, size_t step, size_t capacity)
{
    text_reader reader;
    result got = {calloc(bytes + 1, type->size), 0, 0, ""};
    need(text_reader_open(&reader, type), "members are understood");
    for (size_t at = 0, end = 0; end < bytes || at == 0;) {
        end = bytes - end < step ? bytes : end + step;
        char *const piece = malloc(end - at + 1);
        memcpy(piece, text + at, end - at);
        piece[end - at] = '\0';
        const char *here = piece;
        size_t n;
        do {
            here = text_read(&reader, here, piece + (end - at), end == bytes, got.elements + got.n * type->size,
                             capacity, &n);
            got.n += n;
        } while (n > 0);
        need(got.n <= bytes, "no more elements than letters");
        at += (size_t)(here - piece);
        free(piece);
        if (reader.error[0] || end == bytes) break;
    }
    got.columns = reader.ragged ? 0 : reader.columns;
    strcpy(got.error, reader.error);
    return got;
}

static void expect_same(const result *x, const result *y, size_t size)
{
    need(x->n == y->n && memcmp(x->elements, y->elements, x->n * size) == 0, "the same elements");
    need(strcmp(x->error, y->error) == 0, "the same error");
    need(x->columns == y->columns, "the same columns");
}

static int is_nan(oplus_scalar scalar, const unsigned char *value)
{
    float narrow = 0;
    double wide = 0;
    if (scalar == OPLUS_F32) memcpy(&narrow, value, sizeof narrow);
    if (scalar == OPLUS_F64) memcpy(&wide, value, sizeof wide);
    return narrow != narrow || wide != wide;
}

static void expect_same_value(const tool_layout *layout, const unsigned char *x, const unsigned char *y)
{
    for (int i = 0; i < layout->members; i++) {
        const size_t size = tool_scalar_size(layout->member[i].scalar);
        for (size_t k = 0; k < layout->member[i].count; k++) {
            const size_t at = layout->member[i].offset + k * size;
            if (!is_nan(layout->member[i].scalar, x + at)) need(memcmp(x + at, y + at, size) == 0, "the same bits");
        }
    }
}

static void write_and_read(const oplus_type *type, const result *got)
{
    tool_layout layout;
    tool_layout_of(type, &layout);
    char *const text = malloc(layout.scalars * TEXT_MAX_SCALAR + 1);
    unsigned char *const value = calloc(1, type->size);
    for (size_t i = 0; i < got->n; i++) {
        char error[TOOL_ERROR_BYTES];
        *text_write(&layout, got->elements + i * type->size, text) = '\0';
        need(tool_value_parse(type, text, value, error), error);
        expect_same_value(&layout, got->elements + i * type->size, value);
    }
    free(text);
    free(value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 2) return 0;
    const oplus_type *const type = types[data[0] % TYPES];
    const char *const text = (const char *)data + 2;
    const result whole = read_all(type, text, n - 2, n, n);
    const result pieces = read_all(type, text, n - 2, 1 + data[1] % 32, 1 + data[1] / 32);
    expect_same(&whole, &pieces, type->size);
    write_and_read(type, &whole);

    char *const copy = malloc(n - 1);
    memcpy(copy, text, n - 2);
    copy[n - 2] = '\0';
    const int integers = text_is_integers(copy, copy + n - 2, true);
    if (type == &oplus_i64 && !whole.error[0]) need(integers, "what i64 takes is integers");
    free(copy);
    free(whole.elements);
    free(pieces.elements);
    return 0;
}
