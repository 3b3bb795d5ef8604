/* The page has the document as it is, whatever its texts are, and everything that its scripts need. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lab/report/html.h"

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

static int count_of(const char *page, const char *what)
{
    int count = 0;
    for (; (page = strstr(page, what)); page++) count++;
    return count;
}

/* The text in the page where a browser looks for the document: it equals the document, and has nothing that could end
 * it. */
static void expect_document(const cJSON *document)
{
    static const char begin[] = "<script type=\"application/json\" id=\"document\">\n", end[] = "</script>";
    char *const page = page_of(document), *const text = strstr(page, begin);
    assert_non_null(text);
    const char *const from = text + strlen(begin);
    assert_int_equal(strcspn(from, "<"), strstr(from, end) - from);
    cJSON *const read = cJSON_Parse(from);
    assert_true(cJSON_Compare(read, document, true));
    cJSON_Delete(read);
    free(page);
}

static void test_document(void **state)
{
    (void)state;
    static const char *const texts[] = {"",     "</script><!-- <script>", "@page.css@", "\n@document@\n", "%s%n",
                                        "\"\\", "\x01\x1f\r\n",           "ü€😀",        "\xff\xc0"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        cJSON *const document = cJSON_CreateObject();
        cJSON_AddStringToObject(document, "title", texts[i]);
        cJSON_AddNumberToObject(document, texts[i], 0.1 + (double)i);
        expect_document(document);
        cJSON_Delete(document);
    }
}

static void test_sample(void **state)
{
    (void)state;
    FILE *const file = fopen("tests/lab/sample.json", "rb"); /* from the root of the sources */
    assert_non_null(file);
    char *const json = calloc(1, 1 << 20);
    assert_true(fread(json, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    cJSON *const document = cJSON_Parse(json);
    assert_non_null(document);
    expect_document(document);
    cJSON_Delete(document);
    free(json);
}

/* Each part of the page is there once, and the page asks for nothing from elsewhere. */
static void test_parts(void **state)
{
    (void)state;
    static const char *const parts[] = {
        "<!DOCTYPE html>\n",   "<style>\n/* One column", "\n/* --- markup:", "\n/* An axis:", "\n/* Pictures",
        "\n/* Kernels, alone", "\n/* A ladder:",         "\n/* The page:",   "\n</html>\n"};
    cJSON *const document = cJSON_CreateObject();
    char *const page = page_of(document);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (count_of(page, parts[i]) != 1) fail_msg("%d times in the page: %s", count_of(page, parts[i]), parts[i]);
    assert_int_equal(count_of(page, ".js@") + count_of(page, ".css@") + count_of(page, "@document@"), 0);
    assert_int_equal(count_of(page, "://"), 0);
    assert_int_equal(count_of(page, "<script"), count_of(page, "</script>"));
    cJSON_Delete(document);
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_document), cmocka_unit_test(test_sample),
                                       cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests_name("lab/report", tests, NULL, NULL);
}
