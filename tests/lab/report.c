/* The page of documents that are empty, incomplete, hostile or odd: its tags balance, every text is escaped, and no
 * number is printed as "nan" or "inf". */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <math.h>

#include "lab/report/diff.h"
#include "lab/report/html.h"
#include "lab/report/scale.h"
#include "lab/report/write.h"

/* --- pages -------------------------------------------------------------------------------------------------------- */

static char *page_of(const cJSON *document)
{
    char *page = NULL;
    size_t bytes = 0;
    FILE *const to = open_memstream(&page, &bytes);
    assert_non_null(to);
    lab_report_write(to, document);
    assert_int_equal(fclose(to), 0);
    assert_int_equal(strlen(page), bytes);
    return page;
}

static cJSON *parsed(const char *json)
{
    cJSON *const document = cJSON_Parse(json);
    if (!document) fail_msg("the test's own JSON is wrong: %s", json);
    return document;
}

/* A page with one experiment of one section. */
static cJSON *document_of(cJSON *section)
{
    cJSON *const document = parsed("{\"device\":{\"name\":\"d\"},\"experiments\":[{\"name\":\"x\",\"sections\":[]}]}");
    cJSON *const experiment = cJSON_GetObjectItem(document, "experiments")->child;
    cJSON_AddItemToArray(cJSON_GetObjectItem(experiment, "sections"), section);
    return document;
}

/* --- what holds for every page ------------------------------------------------------------------------------------ */

enum { DEPTH = 64 };

/* An & begins one of the five entities that the page uses. */
static void expect_entity(const char *at)
{
    static const char *const entities[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"};
    for (size_t i = 0; i < sizeof entities / sizeof *entities; i++)
        if (strncmp(at, entities[i], strlen(entities[i])) == 0) return;
    fail_msg("an & that is none: %.20s", at);
}

/* Of the attributes in a tag: each has a value in double quotes, in which no < stands.  Returns the tag's end. */
static const char *past_attributes(const char *at)
{
    while (*at && *at != '>' && strncmp(at, "/>", 2) != 0) {
        if (*at == '=') {
            assert_int_equal(at[1], '"');
            for (at += 2; *at != '"'; at++) {
                assert_true(*at && *at != '<' && *at != '>');
                if (*at == '&') expect_entity(at);
            }
        }
        at++;
    }
    return at;
}

static bool is_style(const char *name, size_t length) { return length == 5 && strncmp(name, "style", 5) == 0; }

/* What is opened is closed, in order; nothing but tags has a < or a >, and nothing but entities has an &. */
static void expect_balance(const char *page)
{
    const char *open[DEPTH];
    size_t length[DEPTH], depth = 0;
    const char *const doctype = "<!DOCTYPE html>\n";
    assert_memory_equal(page, doctype, strlen(doctype));
    for (const char *at = page + strlen(doctype); *at; at++) {
        if (*at == '&') expect_entity(at);
        assert_int_not_equal(*at, '>');
        if (*at != '<') continue;
        const bool closes = *++at == '/';
        at += closes;
        const size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz12345");
        const char *const name = at;
        assert_true(n > 0);
        at = past_attributes(at + n);
        if (closes) {
            if (depth == 0 || depth > DEPTH || length[depth - 1] != n || memcmp(open[depth - 1], name, n) != 0)
                fail_msg("</%.*s> closes <%.*s>", (int)n, name, depth ? (int)length[depth - 1] : 0,
                         depth ? open[depth - 1] : "");
            depth--;
        } else if (*at == '>') {
            assert_true(depth < DEPTH);
            open[depth] = name;
            length[depth++] = n;
        } else {
            at++; /* "/>" */
        }
        assert_int_equal(*at, '>');
        if (!closes && is_style(name, n)) at = strstr(at, "</style>") - 1; /* is no markup */
    }
    assert_int_equal(depth, 0);
}

/* As a word of its own in what is no tag's name: "nan", "-inf", "1.#IND" and the like. */
static void expect_no_odd_number(const char *page)
{
    static const char *const odd[] = {">nan", ">-nan", ">inf", ">-inf", "\"nan", "\"-nan", "\"inf", "\"-inf", " nan",
                                      " inf", "Lnan",  "Mnan", "Linf",  "Minf",  ".#",     ">NaN",  "e+"};
    const char *const body = strstr(page, "<body>");
    assert_non_null(body);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        const char *const found = strstr(body, odd[i]);
        if (found) fail_msg("\"%s\" in %.60s", odd[i], found - 20);
    }
}

/* No id stands twice, and each link leads to one. */
static void expect_links(const char *page)
{
    char id[64];
    for (const char *at = page; (at = strstr(at, " id=\"")); at++) {
        const int n = snprintf(id, sizeof id, "%.*s", (int)(strcspn(at + 5, "\"") + 6), at);
        assert_true(n < (int)sizeof id);
        if (strstr(at + 1, id)) fail_msg("twice: %s", id);
    }
    for (const char *at = page; (at = strstr(at, " href=\"#")); at++) {
        snprintf(id, sizeof id, " id=\"%.*s\"", (int)strcspn(at + 8, "\""), at + 8);
        if (!strstr(page, id)) fail_msg("leads nowhere: %s", id);
    }
}

/* The page, after all that must hold for every one; freed by the caller.  Takes the document. */
static char *checked(cJSON *document)
{
    char *const page = page_of(document);
    cJSON_Delete(document);
    expect_balance(page);
    expect_no_odd_number(page);
    expect_links(page);
    assert_null(strstr(page, "<script"));
    assert_null(strstr(page, "://"));
    return page;
}

static void expect_in(cJSON *document, const char *const *texts, size_t count)
{
    char *const page = checked(document);
    for (size_t i = 0; i < count; i++)
        if (!strstr(page, texts[i])) fail_msg("not in the page: %s", texts[i]);
    free(page);
}
#define EXPECT_IN(document, ...)                                                                                       \
    expect_in(document, (const char *const[]){__VA_ARGS__},                                                            \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

/* --- documents ---------------------------------------------------------------------------------------------------- */

static void test_little(void **state)
{
    (void)state;
    static const char *const documents[] = {
        "{}",
        "[]",
        "null",
        "3",
        "\"text\"",
        "{\"experiments\":null}",
        "{\"experiments\":[]}",
        "{\"experiments\":{\"a\":1}}",
        "{\"experiments\":[null, 1, \"x\", [], {}]}",
        "{\"device\":3,\"experiments\":[{\"sections\":4}]}",
        "{\"device\":{\"units\":\"many\",\"memory\":null},\"experiments\":[{\"sections\":[null,[],1,{}]}]}",
        ("{\"experiments\":[{\"about\":\"one text\",\"sections\":[{\"kind\":\"ladder\"},{\"kind\":\"curves\"},"
         "{\"kind\":\"table\"},{\"kind\":\"steps\"},{\"kind\":\"code\"},{\"kind\":\"unheard of\"},{\"kind\":7}]}]}"),
    };
    for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) free(checked(parsed(documents[i])));
    char *const page = page_of(NULL);
    expect_balance(page);
    free(page);
    EXPECT_IN(parsed("{}"), "No experiment was run.");
}

/* Members of a wrong type, of every kind of section. */
static void test_wrong_types(void **state)
{
    (void)state;
    static const char *const kinds[] = {"ladder", "curves", "table", "steps", "code"};
    static const char *const members[] = {"title", "about", "n",       "unit", "limit",  "limit_name", "rungs",   "x",
                                          "y",     "text",  "columns", "rows", "series", "kernels",    "pictures"};
    static const char *const values[] = {"null",      "true", "-1", "\"<\"", "[]", "[[]]", "[null,3,\"a\",[1],{}]",
                                         "{\"a\":{}}"};
    char json[256];
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            for (size_t m = 0; m < sizeof members / sizeof *members; m++) {
                snprintf(json, sizeof json, "{\"kind\":\"%s\",\"%s\":%s}", kinds[k], members[m], values[v]);
                free(checked(document_of(parsed(json))));
            }
}

/* --- hostile texts ------------------------------------------------------------------------------------------------ */

/* One text as every member of everything: it stands where this has a T. */
static const char everywhere[] =
    "{'oplus':T,'date':T,'command':T,'caution':T,'device':{'where':T,'name':T,'driver':T,'counters':T},"
    "'experiments':[{'name':T,'title':T,'about':[T,T],'sections':["
    "{'kind':'ladder','title':T,'about':[T],'unit':T,'limit_name':T,'limit':9,'lecture_about':T,"
    "'rungs':[{'name':T,'title':T,'what':T,'why':T,'file':T,'kernel':T,'note':T,'gbs':1,"
    "'counters':{'source':T,'warps':1},'lecture':{T:2}},"
    "{'name':T,'title':T,'file':T,'kernel':T,'skipped':T},{'kernel':T,'before':T,'over_before':2,'gbs':2,'lecture':{T:"
    "4}}]},"
    "{'kind':'curves','title':T,'x':{'name':T,'unit':T},'y':{'name':T,'unit':T},"
    "'series':[{'name':T,'style':T,'points':[[1,2]]},{'name':T,'points':[[2,3]]}]},"
    "{'kind':'table','title':T,'columns':[{'name':T,'unit':T}],'rows':[[T]]},"
    "{'kind':'steps','title':T,'text':T,'pictures':[{'title':T,'columns':1,'rows':[{'label':T,'cells':[T]}]}]},"
    "{'kind':T,'title':T},"
    "{'kind':'code','kernels':[{'file':T,'title':T,'what':T,'why':T,'text':T}]}]}]}";

/* The document with this JSON string, quotes and all, everywhere. */
static cJSON *hostile(const char *text)
{
    char *json = NULL;
    size_t bytes;
    FILE *const to = open_memstream(&json, &bytes);
    for (const char *c = everywhere; *c; c++)
        if (*c == 'T')
            fputs(text, to);
        else
            fputc(*c == '\'' ? '"' : *c, to);
    fclose(to);
    cJSON *const document = parsed(json);
    free(json);
    return document;
}

static void test_hostile(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "\"</style></pre><script>alert('1')</script>&amp;\\\"\\\\\"",
        "\"<!-- ]]> --\"",
        "\"x\\\" onmouseover=\\\"alert(1)\"",
        "\"&nbsp;&\"",
        "\"%s%n%d\"",
        "\"\\u0001\\u001b\\u007f\\u0085\\r\\n\\ttab\"",
        "\"\xff\xc0\xaf\xed\xa0\x80\xf5\xe2\x82\"",
        "\"\xef\xbf\xbe\xf4\x90\x80\x80\xc3\"",
        "\"\"",
        "\"\\n\\n\\n\"",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) free(checked(hostile(texts[i])));
    EXPECT_IN(hostile(texts[0]),
              "&lt;/style&gt;&lt;/pre&gt;&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt;&amp;amp;&quot;\\");
    EXPECT_IN(hostile(texts[5]), "<p>\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\n\ttab</p>");
}

/* What is no UTF-8 is marked, byte by byte; what is, stays. */
static void test_bytes(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"plain", "plain"},
        {"\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80", "\xc3\xbc\xe2\x82\xac\xf0\x9f\x98\x80"},
        {"a\xff"
         "b",
         "a\xef\xbf\xbd"
         "b"},
        {"\xc0\x80", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* longer than it need be */
        {"\xe2\x82", "\xef\xbf\xbd\xef\xbf\xbd"},                 /* cut off */
        {"\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* half of a pair */
        {"\r\n", "\n"},
        {"\x01", "\xef\xbf\xbd"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char *out = NULL;
        size_t bytes;
        FILE *const to = open_memstream(&out, &bytes);
        report_text(to, cases[i].in);
        fclose(to);
        assert_string_equal(out, cases[i].out);
        free(out);
    }
}

static void test_short(void **state)
{
    (void)state;
    static const char *const texts[] = {"123456", "1234567", "äöüäöüä", "<<<<<<<", "\xe4\xe4\xe4\xe4\xe4\xe4\xe4\xe4"};
    static const char *const cut[] = {"123456", "12345…", "äöüäö…", "&lt;&lt;&lt;&lt;&lt;…",
                                      "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd…"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *out = NULL;
        size_t bytes;
        FILE *const to = open_memstream(&out, &bytes);
        report_text_short(to, texts[i], 6);
        fclose(to);
        assert_string_equal(out, cut[i]);
        free(out);
    }
}

/* --- numbers ------------------------------------------------------------------------------------------------------ */

#define _ "\xe2\x80\xaf" /* between thousands */

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        double x;
        const char *text;
    } cases[] = {
        {0, "0"},
        {-0.0, "0"},
        {1, "1"},
        {999, "999"},
        {1000, "1" _ "000"},
        {67108864, "67" _ "108" _ "864"},
        {-1234567, "−1" _ "234" _ "567"},
        {1.5, "1.50"},
        {12.345, "12.3"},
        {123.45, "123"},
        {1234.5, "1" _ "230"},
        {9.996, "10.0"},
        {99.96, "100"},
        {999.6, "1" _ "000"},
        {0.001234, "0.00123"},
        {0.00001234, "1.23·10⁻⁵"},
        {-0.25, "−0.250"},
        {1e15, "1.00·10¹⁵"},
        {1.7976931348623157e308, "1.80·10³⁰⁸"},
        {5e-324, "4.94·10⁻³²⁴"},
        {NAN, "–"},
        {INFINITY, "–"},
        {-INFINITY, "–"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(report_number_of(cases[i].x).text, cases[i].text);
    assert_string_equal(report_bytes(150754820096).text, "140" _ "GiB");
    assert_string_equal(report_bytes_counted(1090000000).text, "1.09" _ "GB");
    assert_string_equal(report_bytes_counted(999).text, "999" _ "bytes");
    assert_string_equal(report_bytes_counted(NAN).text, "–");
    assert_string_equal(report_bytes(0).text, "0" _ "bytes");
    assert_string_equal(report_fixed(-0.001, 2).text, "0.00");
}

/* Built, not parsed: JSON itself has no such numbers. */
static void test_no_numbers(void **state)
{
    (void)state;
    static const double odd[] = {NAN, INFINITY, -INFINITY, 0, -1, 1e308, -1e308, 5e-324};
    static const char *const members[] = {"ms", "gbs", "over_before", "over_first", "of_limit", "launches"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        cJSON *const section = parsed("{\"kind\":\"ladder\",\"rungs\":[{},{\"gbs\":2,\"lecture\":{\"a\":1}}]}");
        cJSON *const rung = cJSON_GetObjectItem(section, "rungs")->child;
        for (size_t m = 0; m < sizeof members / sizeof *members; m++) cJSON_AddNumberToObject(rung, members[m], odd[i]);
        cJSON_AddNumberToObject(section, "limit", odd[i]);
        cJSON_AddNumberToObject(section, "n", odd[i]);
        cJSON_AddNumberToObject(cJSON_AddObjectToObject(rung, "counters"), "sectors", odd[i]);
        cJSON_AddNumberToObject(cJSON_AddObjectToObject(rung, "lecture"), "a", odd[i]);
        cJSON *const document = document_of(section), *const device = cJSON_GetObjectItem(document, "device");
        cJSON_AddNumberToObject(device, "memory", odd[i]);
        cJSON_AddNumberToObject(device, "read_gbs", odd[i]);
        free(checked(document));
    }
}

/* --- curves ------------------------------------------------------------------------------------------------------- */

/* Of one series with these points. */
static cJSON *curves_of(bool log_x, bool log_y, const double (*points)[2], size_t count)
{
    cJSON *const section = parsed("{\"kind\":\"curves\",\"title\":\"c\",\"x\":{\"name\":\"x\",\"unit\":\"bytes\"},"
                                  "\"y\":{},\"series\":[{\"name\":\"s\",\"points\":[]}]}");
    cJSON_AddBoolToObject(cJSON_GetObjectItem(section, "x"), "log", log_x);
    cJSON_AddBoolToObject(cJSON_GetObjectItem(section, "y"), "log", log_y);
    cJSON *const all = cJSON_GetObjectItem(cJSON_GetObjectItem(section, "series")->child, "points");
    for (size_t i = 0; i < count; i++) cJSON_AddItemToArray(all, cJSON_CreateDoubleArray(points[i], 2));
    return document_of(section);
}

static void test_odd_points(void **state)
{
    (void)state;
    static const double values[] = {0, 1, -1, 1e-300, 1e300, 1.7976931348623157e308, 5e-324, 1024, NAN, INFINITY, 3.7};
    enum { VALUES = sizeof values / sizeof *values };
    for (int logs = 0; logs < 4; logs++)
        for (int i = 0; i < VALUES; i++) {
            const double one[][2] = {{values[i], values[i]}};
            free(checked(curves_of(logs & 1, logs & 2, one, 1)));
            for (int j = 0; j < VALUES; j++) {
                const double two[][2] = {{values[i], values[j]}, {values[j], values[i]}, {1, 1}};
                free(checked(curves_of(logs & 1, logs & 2, two, 3)));
            }
        }
}

static void test_curves(void **state)
{
    (void)state;
    const double fall[][2] = {{1024, 10}, {2048, 5}, {0, 3}, {4096, NAN}, {8192, 1}};
    EXPECT_IN(curves_of(true, false, fall, 5), "2" _ "KiB", "8" _ "KiB", "place for 0 and below: 1 point.",
              "role=\"img\"", "<title id=\"e1-1-p\">c:", "<td class=\"n\">–</td>");
    EXPECT_IN(curves_of(false, false, fall, 0), "Nothing was measured that could be drawn.");
    EXPECT_IN(document_of(parsed("{\"kind\":\"curves\",\"series\":[]}")), "Nothing was measured");
    EXPECT_IN(document_of(parsed("{\"kind\":\"curves\",\"series\":[{\"points\":[[1,2]]},{\"points\":[]},{},null]}")),
              "<figure");
}

/* A formula has the colour of what was measured, and no marks but where it is a point alone. */
static void test_formulas(void **state)
{
    (void)state;
    char *const page = checked(document_of(
        parsed("{\"kind\":\"curves\",\"series\":[{\"name\":\"n = 64\",\"style\":\"dots\",\"points\":[[1,2],[2,3]]},"
               "{\"name\":\"64, formula\",\"style\":\"dashed\",\"points\":[[1,2],[2,3]]},"
               "{\"name\":\"up\",\"points\":[[1,2],[2,4]]},{\"name\":\"n = 6\",\"points\":[[1,2],[2,4]]},"
               "{\"name\":\"up: fitted\",\"style\":\"dashed\",\"points\":[[1,2],[2,3]]},"
               "{\"name\":\"n = 6, formula\",\"style\":\"dashed\",\"points\":[[1,2],[2,3]]},"
               "{\"name\":\"law\",\"style\":\"dashed\",\"points\":[[1,5]]}]}")));
    const char *at = page;
    static const char *const lines[] = {"c0 dashed", "c1 line", "c2 line", "c1 dashed", "c2 dashed", "c3 dashed"};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char path[64];
        snprintf(path, sizeof path, "<path class=\"%s\"", lines[i]);
        at = strstr(at, path);
        if (!at) fail_msg("not in the page, or not in order: %s", path);
    }
    assert_null(strstr(page, "<title>up: fitted"));
    assert_non_null(strstr(page, "<title>law: 1"));
    free(page);
}

static void test_tick_labels(void **state)
{
    (void)state;
    static const struct {
        double low, high;
        bool log, rounded;
        const char *labels;
    } cases[] = {
        {0.2, 1.7, true, true, "0.2 0.5 1 2 "},
        {0.3, 15, true, true, "0.2 0.5 1 2 5 10 20 "},
        {0, 1.2, false, true, "0.0 0.5 1.0 1.5 "},
        {0, 0.9, false, true, "0.0 0.2 0.4 0.6 0.8 1.0 "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        report_extent extent = report_extent_of(cases[i].log);
        report_tick ticks[REPORT_TICKS];
        char labels[256] = "";
        report_extent_see(&extent, cases[i].low);
        report_extent_see(&extent, cases[i].high);
        const report_scale scale = report_scale_of(extent, cases[i].rounded);
        const int n = report_ticks(&scale, "", ticks);
        for (int t = 0; t < n; t++) strcat(strcat(labels, ticks[t].label.text), " ");
        assert_string_equal(labels, cases[i].labels);
    }
}

/* Ticks are in order, on the axis, and few. */
static void test_ticks(void **state)
{
    (void)state;
    static const double ends[] = {0, 5e-324, 1e-300, 1e-9, 0.3,  1,       2,    1.0001,
                                  7, 8,      32,     1000, 4300, 1 << 20, 1e15, 1e300};
    enum { ENDS = sizeof ends / sizeof *ends };
    for (int kind = 0; kind < 4; kind++)
        for (int i = 0; i < ENDS; i++)
            for (int j = 0; j < ENDS; j++) {
                report_extent extent = report_extent_of(kind & 1);
                report_tick ticks[REPORT_TICKS];
                report_extent_see(&extent, ends[i]);
                report_extent_see(&extent, ends[j]);
                const report_scale scale = report_scale_of(extent, kind & 2);
                const int n = report_ticks(&scale, "bytes", ticks);
                assert_true(scale.low < scale.high);
                assert_in_range(n, 1, REPORT_TICKS);
                for (int t = 0; t < n; t++) {
                    assert_true(ticks[t].at >= 0 && ticks[t].at <= 1);
                    if (t > 0) assert_true(ticks[t].at > ticks[t - 1].at);
                }
            }
}

/* --- ladders ------------------------------------------------------------------------------------------------------ */

static void test_one_rung(void **state)
{
    (void)state;
    EXPECT_IN(document_of(parsed("{\"kind\":\"ladder\",\"rungs\":[{\"name\":\"only\",\"gbs\":217.4,\"right\":true,"
                                 "\"kernel\":\"a < b;\\n\",\"lecture\":{\"GTX\":2}}]}")),
              "only", ">217<", "a &lt; b;", "GTX", "<td class=\"n\">yes</td>");
    EXPECT_IN(
        document_of(parsed("{\"kind\":\"ladder\",\"rungs\":[{\"name\":\"none\",\"skipped\":\"as < is\",\"gbs\":5}]}")),
        "skipped: as &lt; is", "Skipped: as &lt; is");
}

static void test_ladder(void **state)
{
    (void)state;
    EXPECT_IN(
        document_of(parsed(
            "{\"kind\":\"ladder\",\"limit_name\":\"read\",\"limit\":4300,\"n\":67108864,\"rungs\":["
            "{\"name\":\"a\",\"gbs\":100,\"of_limit\":0.0232,\"kernel\":\"x();\\nif (t % 2 == 0)\\n    y();\\nz();\","
            "\"counters\":{\"source\":\"hardware\",\"sectors\":400,\"requests\":100,\"occupancy\":0.5}},"
            "{\"name\":\"b\",\"gbs\":250,\"right\":false,\"kernel\":\"x();\\nif (t < 2 == 0)\\n    "
            "y();\\nnew();\\nz();\","
            "\"counters\":{\"source\":\"model\",\"sectors\":800,\"requests\":100}}]}")),
        "<td class=\"n\">2.32</td>", "read: 4" _ "300 GB/s", "67" _ "108" _ "864", "<span class=\"model\">model</span>",
        "sectors per request", "<td class=\"n\">8</td>", "<td class=\"n wrong\">no</td>", "the result is wrong",
        "if (t <del>%</del> 2 == 0)", "if (t <ins>&lt;</ins> 2 == 0)",
        "<ins class=\"line whole\" style=\"--r:4\">new();</ins>", "<span class=\"line\" style=\"--r:5\">z();</span>");
}

/* What the page says of figures: which step paid, which did not although its counters say that it did something. */
static void test_seen(void **state)
{
    (void)state;
    EXPECT_IN(
        document_of(parsed("{\"kind\":\"ladder\",\"title\":\"Sums\",\"limit\":100,\"rungs\":["
                           "{\"name\":\"first\",\"gbs\":10,\"of_limit\":0.1,\"lecture\":{\"A\":1,\"B\":1},"
                           "\"counters\":{\"source\":\"model\",\"conflicts\":9000000}},"
                           "{\"name\":\"no-banks\",\"gbs\":10.2,\"of_limit\":0.102,\"over_before\":1.02,"
                           "\"lecture\":{\"A\":2,\"B\":3},\"counters\":{\"source\":\"model\",\"conflicts\":0}},"
                           "{\"name\":\"wide\",\"gbs\":40,\"of_limit\":0.4,\"over_before\":3.92},"
                           "{\"name\":\"twisted\",\"gbs\":20,\"of_limit\":0.2,\"over_before\":0.5},"
                           "{\"name\":\"copy\",\"role\":\"yardstick\",\"gbs\":99,\"of_limit\":0.99,\"over_before\":9},"
                           "{\"name\":\"oplus\",\"role\":\"oplus\",\"gbs\":60,\"of_limit\":0.6,\"over_before\":3},"
                           "{\"name\":\"CUB\",\"role\":\"peer\",\"gbs\":50,\"of_limit\":0.5,\"over_before\":0.83}]}")),
        "<b>no gain</b>: 1.02 × first, though bank conflicts went from 9" _ "M to 0: that is not what limits it here. "
        "The lectures&#39; devices: 2 to 3 ×.",
        "<b>a gain</b>: 3.92 × no-banks.", "<b>slower</b>: 0.500 × wide.",
        "1 step paid: wide (3.92 ×). 1 step changed nothing here: no-banks (1.02 ×). 1 step made it slower here: "
        "twisted "
        "(0.500 ×). The fastest step reaches 40 % of the limit. oplus reaches 60 % of the limit. CUB reaches 50 %",
        "first kernels of the ladders reach 10 % of the rate of a copy, the fastest 40 %. The step that pays most is "
        "wide: 3.92 ×, in Sums. oplus itself reaches 60 %; it is 1.20 times as fast as CUB in Sums.",
        "class=\"bar yardstick\"", "class=\"bar oplus\"", "class=\"bar peer\"");
}

/* A picture has its cells, and links between those that are there. */
static void test_picture(void **state)
{
    (void)state;
    char *const page = checked(document_of(parsed(
        "{\"kind\":\"steps\",\"text\":\"3 4\",\"pictures\":[{\"title\":\"sums\",\"columns\":2,\"rows\":["
        "{\"label\":\"x\",\"cells\":[\"3\",\"1\"],\"tints\":[0.5]},"
        "{\"label\":\"y\",\"cells\":[null,\"4\"],\"marks\":[1],\"links\":[[0,1,1],[1,1,0],[0,7,1],[\"a\"],3]}]}]}")));
    int links = 0, cells = 0;
    for (const char *at = page; (at = strstr(at, "class=\"link")); at++) links++;
    for (const char *at = page; (at = strstr(at, "class=\"cell")); at++) cells++;
    assert_int_equal(links, 2);
    assert_int_equal(cells, 3);
    assert_non_null(strstr(page, "class=\"link taken\""));
    assert_non_null(strstr(page, "class=\"cell marked\""));
    assert_non_null(strstr(page, "class=\"tint\""));
    assert_non_null(strstr(page, "Every step, in numbers"));
    free(page);
}

/* A rung that names another one is beside it, wherever that stands, and says so. */
static void test_before(void **state)
{
    (void)state;
    static const char ladder[] =
        "{\"kind\":\"ladder\",\"rungs\":[{\"name\":\"a\",\"kernel\":\"one();\"},{\"name\":\"b\",\"kernel\":\"two();\"},"
        "{\"name\":\"c\",\"kernel\":\"one();\\nmore();\",\"over_before\":2.25,\"before\":\"%s\"},{\"name\":\"bare\"}]}";
    static const struct {
        const char *before, *cell, *beside;
    } cases[] = {
        {"a", "2.25 <small>× a</small>", "The kernel, beside a<"},
        {"c", "2.25 <small>× c</small>", "The kernel, beside b<"}, /* itself: beside the one above */
        {"bare", "2.25 <small>× bare</small>", "The kernel, beside b<"},
        {"unheard of", "2.25 <small>× unheard of</small>", "The kernel, beside b<"},
        {"", "<td class=\"n\">2.25</td>", "2.25 × the rung before"},
    };
    char json[512];
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(json, sizeof json, ladder, cases[i].before);
        EXPECT_IN(document_of(parsed(json)), cases[i].cell, cases[i].beside);
    }
    snprintf(json, sizeof json, ladder, "a");
    EXPECT_IN(document_of(parsed(json)), "<ins class=\"line whole\" style=\"--r:2\">more();</ins>", "2.25 × a</p>");
}

static void test_code(void **state)
{
    (void)state;
    EXPECT_IN(
        document_of(parsed("{\"kind\":\"code\",\"kernels\":[{\"title\":\"an offset\",\"file\":\"f.cl\",\"what\":\"w\","
                           "\"why\":\"y\",\"text\":\"t\"},{\"file\":\"g.cl\"},{}]}")),
        "<h4>An offset</h4>", "<b>What it does:</b> w", "<b>Why:</b> y", "<p class=\"head\"><code>f.cl</code>",
        "<h4>G.cl</h4>", "<h4>A kernel</h4>");
}

/* --- the head ----------------------------------------------------------------------------------------------------- */

static void test_head(void **state)
{
    (void)state;
    EXPECT_IN(parsed("{\"caution\":\"c < d\",\"device\":{\"units\":132},\"experiments\":[{}]}"),
              "<p class=\"caution\"><b>Caution:</b> c &lt; d</p>", "<dt>multiprocessors or cores</dt><dd>132</dd>",
              "<section class=\"experiment words\" id=\"words\"", "<code>FIRST_WARP(i)</code>", "<dt>occupancy</dt>");
}

/* --- tables ------------------------------------------------------------------------------------------------------- */

static void test_table(void **state)
{
    (void)state;
    EXPECT_IN(document_of(
                  parsed("{\"kind\":\"table\",\"columns\":[{\"name\":\"a\",\"unit\":\"bytes\"},{\"name\":\"b\"},null],"
                         "\"rows\":[[65536,\"<t>\"],[null,true,false,\"too many\"],3]}")),
              "<td class=\"n\">65" _ "536</td><td>&lt;t&gt;</td>", "<td>yes</td><td>no</td>", "<td class=\"n\">–</td>");
}

/* --- differences -------------------------------------------------------------------------------------------------- */

static void expect_partners(const char *before, const char *after, const int *partners)
{
    const report_parts a = report_lines(before), b = report_lines(after);
    int *const partner = report_match_lines(a, b);
    for (size_t i = 0; i < a.count; i++) assert_int_equal(partner[i], partners[i]);
    free(partner);
    report_parts_free(a);
    report_parts_free(b);
}

static void test_differences(void **state)
{
    (void)state;
    expect_partners("", "a", NULL);
    expect_partners("a", "", (int[]){-1});
    expect_partners("a\nb\nc", "a\nb\nc\n", (int[]){0, 1, 2});
    expect_partners("\n\na\n\nb\n", "a\n\nb", (int[]){0, 1, 2});
    expect_partners("a = 1;\n}\n", "}\na = 1;\n}\n", (int[]){1, 2});
    expect_partners("x[t] += x[t + s];\ny", "z\nx[k] += x[k + s];\ny", (int[]){1, 2}); /* alike */
    expect_partners("one two three\n", "four five six\n", (int[]){-1});
}

/* Many lines, few of them equal: in a reasonable time, and the larger ones not at all. */
static void test_long_texts(void **state)
{
    (void)state;
    for (int lines = 300; lines <= 3000; lines *= 10) {
        char *before = NULL, *after = NULL;
        size_t bytes;
        FILE *to = open_memstream(&before, &bytes);
        for (int i = 0; i < lines; i++) fprintf(to, "line %d;\n", i);
        fclose(to);
        to = open_memstream(&after, &bytes);
        for (int i = 0; i < lines; i++) fprintf(to, "line %d;\n", i * 2);
        fclose(to);
        cJSON *const section = parsed("{\"kind\":\"ladder\",\"rungs\":[{},{}]}");
        cJSON *const rungs = cJSON_GetObjectItem(section, "rungs");
        cJSON_AddStringToObject(rungs->child, "kernel", before);
        cJSON_AddStringToObject(rungs->child->next, "kernel", after);
        free(checked(document_of(section)));
        free(before);
        free(after);
    }
}

/* --- the sample --------------------------------------------------------------------------------------------------- */

static void test_sample(void **state)
{
    (void)state;
    FILE *const file = fopen("tests/lab/sample.json", "rb"); /* from the root of the sources */
    assert_non_null(file);
    char *const json = calloc(1, 1 << 20);
    assert_true(fread(json, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    EXPECT_IN(parsed(json), "NVIDIA H200", "140" _ "GiB", "lab/reduce/02-modulo.cl", "Filter, step by step",
              "lab/transpose/05-padded.cl", "The kernel, beside first-add<", "3.60 <small>× naive</small>",
              "&lt;on paper too&gt;", "&lt;script&gt;alert(&quot;not run&quot;)&lt;/script&gt;");
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seen),        cmocka_unit_test(test_picture),     cmocka_unit_test(test_little),
        cmocka_unit_test(test_wrong_types), cmocka_unit_test(test_hostile),     cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_short),       cmocka_unit_test(test_numbers),     cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_odd_points),  cmocka_unit_test(test_curves),      cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_one_rung),    cmocka_unit_test(test_ladder),      cmocka_unit_test(test_table),
        cmocka_unit_test(test_differences), cmocka_unit_test(test_long_texts),  cmocka_unit_test(test_sample),
        cmocka_unit_test(test_before),      cmocka_unit_test(test_code),        cmocka_unit_test(test_head),
        cmocka_unit_test(test_formulas),    cmocka_unit_test(test_tick_labels),
    };
    return cmocka_run_group_tests_name("lab/report", tests, NULL, NULL);
}
