/* Any bytes as one number: read as strtod reads it; a quick reading is the slow one; what is read is written and read
 * again.  The first byte chooses the type. */
#include "number.h"
#include "type.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int holds, const char *what)
{
    if (holds) return;
    fprintf(stderr, "does not hold: %s\n", what);
    abort();
}

static void expect_as_strtod(const char *text, size_t n, number_verdict verdict, double value)
{
    char *stop;
    const double right = strtod(text, &stop);
    const int all = n > 0 && stop == text + n && !isspace((unsigned char)*text);
    need(all == (verdict != NUMBER_NONE), "a number where strtod sees one");
    if (verdict == NUMBER_GOOD) need(memcmp(&value, &right, sizeof value) == 0 || isnan(right), "the bits of strtod");
    if (verdict == NUMBER_NO_FIT) need(isinf(right), "too large is infinite");
}

/* The bits themselves, as a number. */
static void write_and_read(oplus_scalar scalar, const uint8_t *data)
{
    char text[NUMBER_MAX];
    uint8_t value[8], again[8];
    const size_t size = tool_scalar_size(scalar);
    memcpy(value, data, sizeof value);
    char *const end = number_write(scalar, value, text);
    need(end - text < NUMBER_MAX, "room");
    need(number_read(scalar, text, end, again) == NUMBER_GOOD, "what is written is read");
    need(memcmp(value, again, size) == 0 || (end - text == 3 && memcmp(text, "nan", 3) == 0), "the same bits");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
    if (n < 1) return 0;
    const oplus_scalar scalar = OPLUS_I8 + data[0] % 10;
    if (n >= 9) write_and_read(scalar, data + 1);
    char *const text = malloc(n); /* of exactly the size: the last byte is not of the number */
    memcpy(text, data + 1, n - 1);
    text[n - 1] = '\0';
    uint8_t value[8] = {0}, quick[8] = {0};
    bool whole = true, exact_whole = true;
    double exact = 0;
    const number_verdict verdict = number_read(scalar, text, text + n - 1, value);
    if (number_front(scalar, text, text + n - 1, quick, &whole) == text + n - 1) {
        need(verdict == NUMBER_GOOD, "quick only where it is a number");
        need(memcmp(value, quick, tool_scalar_size(scalar)) == 0, "the same bits, quick or slow");
    }
    const number_verdict read = number_read_exact(text, text + n - 1, &exact, &exact_whole);
    need(read != NUMBER_INEXACT || exact_whole, "inexact integers are integers");
    if (scalar == OPLUS_F64) {
        expect_as_strtod(text, n - 1, verdict, *(double *)memcpy(&(double){0}, value, 8));
        need(read == verdict || (read == NUMBER_INEXACT && verdict == NUMBER_GOOD), "exact or not");
    }
    free(text);
    return 0;
}
