#define _GNU_SOURCE /* strsep */
#include "lists.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

void bench_list_names(const char *option, const char *list, bool *chosen, size_t count, const char *(*name)(size_t))
{
    char *copy = strdup(list), *rest = copy;
    memset(chosen, 0, count * sizeof *chosen);
    for (char *word = strsep(&rest, ","); word; word = strsep(&rest, ",")) {
        bool found = false;
        for (size_t i = 0; i < count; i++)
            if (strcmp(word, "all") == 0 || strcmp(word, name(i)) == 0) chosen[i] = found = true;
        if (!found) tool_die(TOOL_USAGE, "%s: there is no '%s'; see oplus bench --help", option, word);
    }
    free(copy);
}

static void check_room(const char *option, const char *list, size_t count)
{
    if (count == BENCH_MAX_LIST) tool_die(TOOL_USAGE, "%s: '%s' has more than %d items", option, list, BENCH_MAX_LIST);
}

/* "1e6", "1000", "2^20", up to the end of the text, a comma, a colon, an x or two dots; 0 if it is none. */
static double parse_size(const char *text, const char **end)
{
    char word[32], *rest;
    size_t length = 0;
    while (text[length] && !strchr(",:x", text[length]) && strncmp(text + length, "..", 2) != 0) length++;
    *end = text + length;
    snprintf(word, sizeof word, "%.*s", (int)length, text);
    double x = strtod(word, &rest);
    if (rest > word && *rest == '^') x = pow(x, strtod(rest + 1, &rest));
    return *rest ? 0 : x;
}

size_t bench_list_sizes(const char *option, const char *list, size_t *sizes)
{
    const char *text = list, *end;
    size_t count = 0;
    do {
        const double first = parse_size(text, &end);
        double last = first, step = 2;
        if (*end == '.') last = parse_size(end + 2, &end);
        if (*end == ':') step = parse_size(end + 1, &end);
        if ((*end && *end != ',') || !(step > 1) || !(first >= 1) || !(first <= last) || !(last <= 0x1p40))
            tool_die(TOOL_USAGE, "%s: '%s' is no list of sizes of 1 to 2^40, as 1e3,2^20 or 2^10..2^27:4", option,
                     list);
        double n = first;
        do {
            check_room(option, list, count);
            sizes[count++] = (size_t)n;
        } while ((n *= step) <= last * 1.0001);
        text = end + 1;
    } while (*end);
    return count;
}

static int parse_number(const char *option, const char *text, char **end, long least, long most)
{
    const long number = strtol(text, end, 10);
    if (*end == text || number < least || number > most || (**end && **end != ','))
        tool_die(TOOL_USAGE, "%s: '%s' is not a number of %ld to %ld", option, text, least, most);
    return (int)number;
}

size_t bench_list_numbers(const char *option, const char *list, int *numbers, long least, long most)
{
    const char *text = list;
    size_t count = 0;
    char *end;
    do {
        check_room(option, list, count);
        numbers[count++] = parse_number(option, text, &end, least, most);
        text = end + 1;
    } while (*end);
    return count;
}

int bench_list_number(const char *option, const char *text, long most)
{
    char *end;
    const int number = parse_number(option, text, &end, 1, most);
    if (*end) tool_die(TOOL_USAGE, "%s: '%s' is not one number", option, text);
    return number;
}

/* A mean length, or the name of a law; 0 if it is neither. */
static double parse_length(const char *text, const char **end)
{
    static const struct {
        const char *name;
        double length;
    } laws[] = {{"power", BENCH_LENGTHS_POWER}, {"empty", BENCH_LENGTHS_EMPTY}, {"mixed", BENCH_LENGTHS_MIXED}};
    for (size_t i = 0; i < sizeof laws / sizeof *laws; i++)
        if (strncmp(text, laws[i].name, strlen(laws[i].name)) == 0) {
            *end = text + strlen(laws[i].name);
            return laws[i].length;
        }
    const double length = parse_size(text, end);
    return length >= 0.001 && length <= 0x1p40 ? length : 0;
}

size_t bench_list_lengths(const char *option, const char *list, bench_shape *shapes)
{
    const char *text = list, *end;
    size_t count = 0;
    do {
        const double length = parse_length(text, &end);
        if ((*end && *end != ',') || length == 0)
            tool_die(
                TOOL_USAGE,
                "%s: '%s' is no list of mean lengths from 0.001 on, of 'power', 'mixed' and 'empty', as 3,1e4,power",
                option, list);
        check_room(option, list, count);
        shapes[count++] = (bench_shape){.length = length};
        text = end + 1;
    } while (*end);
    return count;
}

size_t bench_list_shapes(const char *option, const char *list, bench_shape *shapes)
{
    const char *text = list, *end;
    size_t count = 0;
    do {
        const double rows = parse_size(text, &end), cols = *end == 'x' ? parse_size(end + 1, &end) : 0;
        if ((*end && *end != ',') || !(rows >= 1) || !(cols >= 1) || !(rows * cols <= 0x1p40))
            tool_die(TOOL_USAGE, "%s: '%s' is no list of rows and columns, as 3x1e7,4096x4096", option, list);
        check_room(option, list, count);
        shapes[count++] = (bench_shape){.rows = (size_t)rows, .cols = (size_t)cols};
        text = end + 1;
    } while (*end);
    return count;
}
