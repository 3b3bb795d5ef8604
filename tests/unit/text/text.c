/* Texts of operators: their forms, and errors of texts that have no form. */
#include "support/laws.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/text.h"

/* The forms of a body; the text stands in it as line 1 of "file". */
#define LINE       "\n#line 1 \"file\"\n"
#define VALUE(t)   "{ return (" LINE t "\n); }"
#define RESULT(t)  "{ T r = {0}; {" LINE t "\n; } return r; }"
#define RETURNS(t) "{{" LINE t "\n}}"

static void becomes(const char *text, const char *expected)
{
    char why[128];
    char *const body = opi_text_body(text, "file", "T", why, sizeof why);
    if (!body) fail_msg("\"%s\": %s", text, why);
    assert_string_equal(body, expected);
    free(body);
}

static void all_become(const char *const *texts, size_t n, const char *form)
{
    for (size_t i = 0; i < n; i++) {
        char expected[256];
        snprintf(expected, sizeof expected, form, texts[i]);
        becomes(texts[i], expected);
    }
}

static void is_refused(const char *text, const char *message)
{
    char why[128];
    char *const body = opi_text_body(text, "file", "T", why, sizeof why);
    if (body) fail_msg("\"%s\" became \"%s\"", text, body);
    if (!strstr(why, message)) fail_msg("\"%s\": \"%s\" does not say \"%s\"", text, why, message);
}

static void expressions(void **state)
{
    static const char *const texts[] = {"a + b",
                                        "a == b",
                                        "a.r + b.r",
                                        "a->r = 1",
                                        "a // the earlier",
                                        "a + ';' /* ; return r = 1 */",
                                        "1e+3 + 0x1p-3",
                                        "a /b",
                                        "f(\"(\", '\\'', '\\\\')",
                                        "(T){a.x + b.x, a.y * b.y}",
                                        "({ double r = a; r + b; })",
                                        "({ return a; })",
                                        "r == a",
                                        "a % b < c : d"};
    (void)state;
    all_become(texts, sizeof texts / sizeof *texts, VALUE("%s"));
    becomes("\n  a > b ? a : b \n", VALUE("\n  a > b ? a : b")); /* the lines and columns of the text are kept */
}

static void statements(void **state)
{
    static const char *const texts[] = {"r = a",
                                        "r.x = a.x; r.y = b.y",
                                        "r.x [ 2 ] += a.x;",
                                        "r.n++",
                                        "++r;",
                                        "r <<= 1",
                                        "{ r = a; }",
                                        "memcpy(&r, &a, sizeof r);",
                                        "sincosf(a.x, &r.x, &r.y)",
                                        "for (r = a; r < b; r++) ;",
                                        "if (a < b) r = a; else r = b;",
                                        "for (int i = 0; i < 2; i++) r.x[i] = a.x[i];",
                                        "{ if (a < 0) { return b; } r = a; }"};
    (void)state;
    all_become(texts, sizeof texts / sizeof *texts, RESULT("%s"));
}

static void bodies(void **state)
{
    static const char *const texts[] = {"if (a < b) return a; return b;", "{ return a; }",
                                        "{ float t = a; } return b;",     "double r = a * b; return r;",
                                        "T r; r.x = a.x; return r;",      "return a"};
    (void)state;
    all_become(texts, sizeof texts / sizeof *texts, RETURNS("%s"));
}

static void indices(void **state)
{
    static const char *const
        with[] = {"a + i", "a[i]", "return i;", "r = -i", "r.x = (float)i;", "i"},
        *const without[] = {
            "a",   "a.i",    "a->i", "ii + i2", "1i", "for (int i = 0; i < 2; i++) r += i;", "uint8_t i = a; return i;",
            "'i'", "a // i", "(i"};
    (void)state;
    for (size_t k = 0; k < sizeof with / sizeof *with; k++)
        if (!opi_text_uses_index(with[k])) fail_msg("\"%s\" uses the index", with[k]);
    for (size_t k = 0; k < sizeof without / sizeof *without; k++)
        if (opi_text_uses_index(without[k])) fail_msg("\"%s\" does not use the index", without[k]);
}

static void refusals(void **state)
{
    (void)state;
    is_refused("", "empty");
    is_refused(" \t\n", "empty");
    is_refused("a + (b", "1 bracket is not closed, the last is a (");
    is_refused("((a[", "3 brackets are not closed, the last is a [");
    is_refused("a) + b", "a ) has no partner at \") + b\"");
    is_refused("a + (b]", "a ] has no partner");
    is_refused("return a; } int f(void) { return 1;", "a } has no partner");
    is_refused("a + 'b", "a quotation mark has no partner at \"'b\"");
    is_refused("\"a\nb\"", "a quotation mark has no partner");
    is_refused("a /* b", "a comment has no end");
    is_refused("a\n#include <stdio.h>", "there is a #");
    is_refused("a \\ b", "a \\ stands outside");
    is_refused("float t = a + b;", "neither returns a value nor sets the result r");
    is_refused("r == a;", "neither returns");
    is_refused("a + b;", "an expression has no ; at its end");
    is_refused("double r = a;", "declares an r of its own");
    is_refused("return a; %> double f(double a) <% return a;", "a digraph stands at \"%> double");
    is_refused("%:define b 1", "a digraph");
    is_refused("a + b // say \\", "a line that ends in \\");
    is_refused("(a // \\\n) + 1", "a line that ends in \\");
    is_refused("a /* *\\ \n/ + b", "a line that ends in \\");
    is_refused("'\\\n'", "a quotation mark has no partner");

    char deep[200];
    memset(deep, '(', 100);
    memset(deep + 100, ')', 99);
    deep[199] = '\0';
    is_refused(deep, "more than 64 brackets");
    char *const large = must(malloc(OPI_TEXT_BYTES + 2));
    memset(large, 'a', OPI_TEXT_BYTES + 1);
    large[OPI_TEXT_BYTES + 1] = '\0';
    is_refused(large, "longer than 65536 bytes");
    free(large);
}

static void names(void **state)
{
    (void)state;
    assert_true(opi_text_is_name("affine"));
    assert_true(opi_text_is_name("_x2"));
    assert_true(opi_text_is_name("integer"));
    assert_false(opi_text_is_name("int"));
    assert_false(opi_text_is_name("_Bool"));
    assert_false(opi_text_is_name("2d"));
    assert_false(opi_text_is_name("a b"));
    assert_false(opi_text_is_name(""));
    assert_false(opi_text_is_name(NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(expressions), cmocka_unit_test(statements),
                                       cmocka_unit_test(bodies),      cmocka_unit_test(indices),
                                       cmocka_unit_test(indices),     cmocka_unit_test(refusals),
                                       cmocka_unit_test(names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
