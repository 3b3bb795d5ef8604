/* Any bytes as the header of a .npy file: read, or refused with words; what was read is written, and read again. */
#include "npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

/* Each member keeps its name, its type, its place, and its dimensions. */
static void expect_same_fields(const npy_header *read, const tool_layout *layout, const npy_header *again)
{
    need(read->fields == again->fields && read->fields == layout->members, "as many members");
    for (int i = 0; i < read->fields; i++) {
        const npy_field *const x = &read->field[i], *const y = &again->field[i];
        need(x->scalar == y->scalar && x->count == y->count && !y->swap, "the same member");
        need(strcmp(x->name, y->name) == 0 && strcmp(x->dims, y->dims) == 0, "the same name and dimensions");
        need(y->offset == layout->member[i].offset, "where C has it");
    }
}

static void write_and_read(const npy_header *header, const oplus_type *type)
{
    char error[TOOL_ERROR_BYTES] = "";
    tool_layout layout;
    npy_header again;
    size_t bytes;
    need(tool_layout_of(type, &layout), "members are understood");
    unsigned char *const written = npy_write(type, header->dims, header->shape, &bytes, error);
    need(written != NULL && bytes % 64 == 0, "what was read can be written");
    need(npy_parse(written, bytes, &again, error), error);
    need(again.bytes == bytes && again.item == type->size, "sizes");
    need(again.dims == header->dims && !again.fortran, "dimensions");
    need(memcmp(again.shape, header->shape, sizeof again.shape) == 0, "the same shape");
    need(again.complex == header->complex && again.record == header->record, "the same kind of element");
    expect_same_fields(header, &layout, &again);
    free(written);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    char error[TOOL_ERROR_BYTES] = "";
    npy_header header;
    unsigned char *const bytes = malloc(n + !n); /* of this size, so that reading behind it is seen */
    memcpy(bytes, data, n);
    if (npy_parse(bytes, n, &header, error)) {
        oplus_type *made;
        const oplus_type *const type = npy_type(&header, &made, error);
        need(header.bytes <= n && header.item > 0, "sizes");
        need(header.count <= (uint64_t)PTRDIFF_MAX / header.item, "the array fits memory");
        if (type)
            write_and_read(&header, type);
        else
            need(error[0] != '\0', "a refusal has words");
        oplus_type_free(made);
    } else {
        need(error[0] != '\0' && strlen(error) < sizeof error, "a refusal has words");
        for (const char *c = error; *c; c++) need((unsigned char)*c >= ' ' && *c != 127, "that a terminal can show");
    }
    free(bytes);
    return 0;
}
