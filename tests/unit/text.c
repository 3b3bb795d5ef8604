/* Texts of operators: their forms, and what is wrong with those that have none. */
#include "support/laws.h"

#include <stdlib.h>
#include <string.h>

#include "jit/text.h"

static void becomes(const char *text, const char *expected)
{
    char why[128];
    char *const body = opi_text_body(text, "T", why, sizeof why);
    if (!body) fail_msg("\"%s\": %s", text, why);
    assert_string_equal(body, expected);
    free(body);
}

static void is_refused(const char *text, const char *message)
{
    char why[128];
    char *const body = opi_text_body(text, "T", why, sizeof why);
    if (body) fail_msg("\"%s\" became \"%s\"", text, body);
    if (!strstr(why, message)) fail_msg("\"%s\": \"%s\" does not say \"%s\"", text, why, message);
}

static void expressions(void **state)
{
    (void)state;
    becomes("a + b", "{ return ( a + b\n); }");
    becomes("  a > b ? a : b \n", "{ return ( a > b ? a : b\n); }");
    becomes("a == b", "{ return ( a == b\n); }");
    becomes("a.r + b.r", "{ return ( a.r + b.r\n); }");
    becomes("a // the earlier", "{ return ( a // the earlier\n); }");
    becomes("a + ';' /* ; return r = 1 */", "{ return ( a + ';' /* ; return r = 1 */\n); }");
    becomes("1e+3 + 0x1p-3", "{ return ( 1e+3 + 0x1p-3\n); }");
    becomes("a /b", "{ return ( a /b\n); }");
    becomes("f(\"(\", '\\'', '\\\\')", "{ return ( f(\"(\", '\\'', '\\\\')\n); }");
}

static void statements(void **state)
{
    (void)state;
    becomes("r = a", "{ T r = {0}; r = a\n; return r; }");
    becomes("r.x = a.x; r.y = b.y", "{ T r = {0}; r.x = a.x; r.y = b.y\n; return r; }");
    becomes("r.x [ 2 ] += a.x;", "{ T r = {0}; r.x [ 2 ] += a.x;\n; return r; }");
    becomes("r.n++", "{ T r = {0}; r.n++\n; return r; }");
    becomes("r <<= 1", "{ T r = {0}; r <<= 1\n; return r; }");
    becomes("{ r = a; }", "{ T r = {0}; { r = a; }\n; return r; }");
    becomes("for (int i = 0; i < 2; i++) r.x[i] = a.x[i];",
            "{ T r = {0}; for (int i = 0; i < 2; i++) r.x[i] = a.x[i];\n; return r; }");
}

static void bodies(void **state)
{
    (void)state;
    becomes("if (a < b) return a; return b;", "{ if (a < b) return a; return b;\n; }");
    becomes("{ return a; }", "{ return a; }");
    becomes("{ float t = a; } return b;", "{ { float t = a; } return b;\n; }");
    becomes("{ if (a < 0) { return b; } r = a; }", "{ T r = {0}; { if (a < 0) { return b; } r = a; }\n; return r; }");
    becomes("T r = {1}; return r;", "{ T r = {0}; T r = {1}; return r;\n; return r; }");
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(expressions), cmocka_unit_test(statements),
                                       cmocka_unit_test(bodies), cmocka_unit_test(refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
