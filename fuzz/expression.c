/* Texts of operators and types, as a user types them: the members of a struct up to the first line break, then the
 * text. What is accepted must be a body that a compiler can put into a function: its brackets close, none before it
 * opened, and the user's text stands in it unchanged.  The fuzzer does not compile: a text is a program. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "text/source.h"
#include "text/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* As a compiler sees it: lines that end in \ (and blanks) are joined to the next, digraphs are what they stand for. */
static void translate(char *text)
{
    static const char digraphs[][3] = {"<%{", "%>}", "<:[", ":>]", "%:#"};
    char *to = text;
    for (const char *c = text; *c;) {
        const char *after = c + 1;
        while (*c == '\\' && *after && strchr(" \t\v\f\r", *after)) after++;
        if (*c == '\\' && *after == '\n') {
            c = after + 1;
            continue;
        }
        *to++ = *c++;
    }
    *to = '\0';
    to = text;
    for (const char *c = text; *c; c++) {
        char sign = *c;
        for (size_t i = 0; i < sizeof digraphs / sizeof *digraphs; i++)
            if (c[0] == digraphs[i][0] && c[1] == digraphs[i][1]) sign = digraphs[i][2];
        if (sign != *c) c++;
        *to++ = sign;
    }
    *to = '\0';
}

/* Counts brackets outside of comments and quotes, in another way than the library does: by removing what does not
 * count. */
static int depth_at_end(char *text, int *least)
{
    translate(text);
    enum { CODE, LINE, BLOCK, QUOTE, APOSTROPHE } in = CODE;
    int depth = 0;
    *least = 0;
    for (const char *c = text; *c; c++) {
        if (in == LINE)
            in = *c == '\n' ? CODE : LINE;
        else if (in == BLOCK && c[0] == '*' && c[1] == '/')
            in = CODE, c++;
        else if ((in == QUOTE || in == APOSTROPHE) && *c == '\\' && c[1])
            c++;
        else if (in == QUOTE || in == APOSTROPHE)
            in = *c == (in == QUOTE ? '"' : '\'') ? CODE : in;
        else if (in == CODE && c[0] == '/' && (c[1] == '/' || c[1] == '*'))
            in = c[1] == '/' ? LINE : BLOCK, c++;
        else if (in == CODE && (*c == '"' || *c == '\''))
            in = *c == '"' ? QUOTE : APOSTROPHE;
        else if (in == CODE && strchr("([{", *c))
            depth++;
        else if (in == CODE && strchr(")]}", *c) && --depth < *least)
            *least = depth;
    }
    return in == CODE ? depth : -1;
}

static void expect(int truth)
{
    if (!truth) abort();
}

static void check_body(const char *text, const oplus_type *type)
{
    char why[128];
    int least;
    char *const body = opi_text_body(text, OPI_LABEL_OP, opi_source_type(type), why, sizeof why);
    expect(body || *why);
    if (!body) return;
    expect(body[0] == '{' && body[strlen(body) - 1] == '}');
    const oplus_op op = {.abi = OPLUS_ABI, .name = "fuzz", .type = type, .text = body};
    char *const source = opi_source_op(&op);
    expect(source && strstr(source, body));
    free(source);
    expect(depth_at_end(body, &least) == 0 && least == 0);
    free(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char *const input = malloc(size + 1);
    if (!input) return 0;
    memcpy(input, bytes, size);
    input[size] = '\0';
    char *const line_break = strchr(input, '\n'), *const text = line_break ? line_break + 1 : input;
    oplus_type *type = NULL;
    if (line_break) {
        *line_break = '\0';
        if (oplus_type_make("record", input, &type) == OPLUS_OK) {
            oplus_member members[64];
            expect(type->size > 0 && type->size % type->align == 0);
            expect(oplus_type_members(type, members, 64) > 0);
        } else
            expect(strlen(oplus_last_error()) > 0);
    }
    check_body(text, type ? type : &oplus_f32);
    oplus_type_free(type);
    free(input);
    return 0;
}
