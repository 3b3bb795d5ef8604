/* Any bytes as numbers in text: the same elements, letters or error however the text is cut, also at its line ends into
 * blocks that are read side by side; what was read is written and read again, and its letters are.  The first byte
 * chooses the type and what is allowed, the second how long the pieces are. */
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
    size_t *lengths; /* of the letters of each element */
    size_t n;
    uint64_t columns;
    bool whole;
    char error[TOOL_ERROR_BYTES];
} result;

typedef struct task {
    const oplus_type *type;
    bool commas, free;
    const char *text;
    size_t bytes;
} task;

static text_reader reader_of(const task *task)
{
    text_reader reader;
    need(text_reader_open(&reader, task->type), "members are understood");
    reader.commas = task->commas;
    reader.free = task->free;
    return reader;
}

static result result_of(const task *task)
{
    return (result){.elements = calloc(task->bytes + 1, task->type->size),
                    .lengths = calloc(task->bytes + 1, sizeof(size_t))};
}

static void free_result(result *got)
{
    free(got->elements);
    free(got->lengths);
}

static void take(const task *task, result *got, const unsigned char *elements, const text_span *spans, size_t n)
{
    need(got->n + n <= task->bytes, "no more elements than letters");
    memcpy(got->elements + got->n * task->type->size, elements, n * task->type->size);
    for (size_t i = 0; i < n; i++) got->lengths[got->n + i] = (size_t)(spans[i].end - spans[i].at);
    got->n += n;
}

static void finish(result *got, const text_reader *reader)
{
    got->columns = reader->ragged ? 0 : reader->columns;
    got->whole = reader->free && reader->whole; /* which else has no meaning */
    strcpy(got->error, reader->error);
}

/* Reads as a pipe comes: `step` bytes more at a time, in memory of exactly the size, `capacity` elements at a time. */
static result read_all(const task *task, size_t step, size_t capacity)
{
    text_reader reader = reader_of(task);
    result got = result_of(task);
    unsigned char *const elements = calloc(capacity, task->type->size);
    text_span *const spans = malloc(capacity * sizeof *spans);
    for (size_t at = 0, end = 0; end < task->bytes || at == 0;) {
        end = task->bytes - end < step ? task->bytes : end + step;
        char *const piece = malloc(end - at + 1);
        memcpy(piece, task->text + at, end - at);
        const char *here = piece;
        size_t n;
        do {
            here = text_read(&reader, here, piece + (end - at), end == task->bytes, elements, capacity, &n, spans);
            take(task, &got, elements, spans, n);
        } while (n > 0);
        at += (size_t)(here - piece);
        free(piece);
        if (reader.error[0] || end == task->bytes) break;
    }
    finish(&got, &reader);
    free(elements);
    free(spans);
    return got;
}

/* Reads it in blocks of `lines` lines, each by a reader of its own. */
static result read_blocks(const task *task, size_t lines)
{
    text_reader reader = reader_of(task);
    result got = result_of(task);
    const char *at = task->text, *const all = at + task->bytes;
    while (at < all && !reader.error[0]) {
        const char *end = at;
        for (size_t i = 0; i < lines && end < all; i++) {
            const char *const line_end = memchr(end, '\n', (size_t)(all - end));
            end = line_end ? line_end + 1 : all;
        }
        text_reader block;
        size_t n;
        const size_t most = text_most(&reader, (size_t)(end - at));
        unsigned char *const elements = calloc(most, task->type->size);
        text_span *const spans = malloc(most * sizeof *spans);
        text_reader_fork(&reader, &block);
        text_read(&block, at, end, end == all, elements, most, &n, spans);
        need(n < most || block.error[0], "room for one more");
        take(task, &got, elements, spans, n);
        if (block.error[0])
            text_read(&reader, at, end, end == all, elements, most, &n, spans);
        else
            text_reader_join(&reader, &block);
        free(elements);
        free(spans);
        at = end;
    }
    finish(&got, &reader);
    return got;
}

static void expect_same(const result *x, const result *y, size_t size)
{
    need(x->n == y->n && memcmp(x->elements, y->elements, x->n * size) == 0, "the same elements");
    need(memcmp(x->lengths, y->lengths, x->n * sizeof *x->lengths) == 0, "the same letters");
    need(strcmp(x->error, y->error) == 0, "the same error");
    need(x->error[0] || (x->columns == y->columns && x->whole == y->whole), "the same columns");
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
    char *const text = malloc(layout.scalars * NUMBER_MAX + 1);
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
    task task = {.type = types[data[0] % TYPES], .text = (const char *)data + 2, .bytes = n - 2};
    task.commas = data[0] / TYPES % 2;
    task.free = data[0] / TYPES / 2 % 2 && task.type == &oplus_f64;
    result whole = read_all(&task, n, n), pieces = read_all(&task, 1 + data[1] % 32, 1 + data[1] / 32);
    expect_same(&whole, &pieces, task.type->size);
    if (!task.commas) { /* which may go on over a line end */
        result blocks = read_blocks(&task, 1 + data[1] % 4);
        expect_same(&whole, &blocks, task.type->size);
        free_result(&blocks);
    }
    write_and_read(task.type, &whole);
    free_result(&whole);
    free_result(&pieces);
    return 0;
}
