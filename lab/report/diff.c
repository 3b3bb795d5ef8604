/* The longest common subsequence, weighed: a long line in common counts more than a brace, and lines that are alike
 * count too, a little less than equal ones. */
#include "diff.h"

#include <ctype.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "die.h"

/* --- parts -------------------------------------------------------------------------------------------------------- */

static void add(report_parts *parts, const char *text, size_t bytes)
{
    if ((parts->count & (parts->count - 1)) == 0) /* a power of two: full */
        parts->of = tool_realloc(parts->of, (parts->count ? 2 * parts->count : 1) * sizeof *parts->of);
    parts->of[parts->count++] = (report_part){text, bytes};
}

void report_parts_free(report_parts parts) { free(parts.of); }

bool report_part_same(report_part a, report_part b)
{
    return a.bytes == b.bytes && memcmp(a.text, b.text, a.bytes) == 0;
}

bool report_part_blank(report_part part)
{
    for (size_t i = 0; i < part.bytes; i++)
        if (!isspace((unsigned char)part.text[i])) return false;
    return true;
}

report_parts report_lines(const char *text)
{
    report_parts lines = {NULL, 0};
    while (*text) {
        const report_part line = {text, strcspn(text, "\n")};
        if (lines.count > 0 || !report_part_blank(line)) add(&lines, line.text, line.bytes);
        text += line.bytes + (text[line.bytes] == '\n');
    }
    while (lines.count > 0 && report_part_blank(lines.of[lines.count - 1])) lines.count--;
    return lines;
}

/* 0: a sign that stands alone */
static int kind_of(char c)
{
    return isspace((unsigned char)c) ? 1 : isalnum((unsigned char)c) || c == '_' || c < 0 ? 2 : 0;
}

report_parts report_words(report_part line)
{
    report_parts words = {NULL, 0};
    for (size_t first = 0, end; first < line.bytes; first = end) {
        const int kind = kind_of(line.text[first]);
        end = first + 1;
        while (kind && end < line.bytes && kind_of(line.text[end]) == kind) end++;
        add(&words, line.text + first, end - first);
    }
    return words;
}

/* --- matching ----------------------------------------------------------------------------------------------------- */

typedef uint32_t weigh(const void *context, size_t i, size_t j); /* of two parts as partners; 0: they are none */

enum { MOST_CELLS = 1 << 22, MOST_COMPARED = 1 << 16 };

/* best[i][j]: the most that before[i...] and after[j...] weigh together. */
static int *match(size_t n, size_t m, weigh *weight, const void *context)
{
    int *const partner = tool_alloc((n + 1) * sizeof *partner);
    for (size_t i = 0; i < n; i++) partner[i] = -1;
    if (n == 0 || m == 0 || n > MOST_CELLS / m) return partner; /* nobody reads that side by side */

    const size_t row = m + 1;
    uint32_t *const best = tool_alloc((n + 1) * row * sizeof *best), *const own = tool_alloc(n * m * sizeof *own);
    memset(best, 0, (n + 1) * row * sizeof *best);
    for (size_t i = n; i-- > 0;)
        for (size_t j = m; j-- > 0;) {
            const uint32_t w = own[i * m + j] = weight(context, i, j), both = w ? best[(i + 1) * row + j + 1] + w : 0;
            const uint32_t down = best[(i + 1) * row + j], right = best[i * row + j + 1];
            best[i * row + j] = both > down ? (both > right ? both : right) : (down > right ? down : right);
        }
    for (size_t i = 0, j = 0; i < n && j < m;) {
        const uint32_t w = own[i * m + j], here = best[i * row + j];
        if (w && here == best[(i + 1) * row + j + 1] + w)
            partner[i++] = (int)j++;
        else if (here == best[(i + 1) * row + j])
            i++;
        else
            j++;
    }
    free(own);
    free(best);
    return partner;
}

typedef struct two_texts {
    report_parts before, after;
    report_parts *words_before, *words_after; /* of lines: their words */
} two_texts;

static uint32_t weigh_words(const void *context, size_t i, size_t j)
{
    const two_texts *const two = context;
    const report_part word = two->before.of[i];
    if (!report_part_same(word, two->after.of[j])) return 0;
    return report_part_blank(word) ? 1 : (uint32_t)(2 + 4 * word.bytes);
}

int *report_match_words(report_parts before, report_parts after)
{
    const two_texts two = {before, after, NULL, NULL};
    return match(before.count, after.count, weigh_words, &two);
}

/* How much of a line is no blank. */
static uint32_t ink(report_parts words)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < words.count; i++) sum += report_part_blank(words.of[i]) ? 0 : (uint32_t)words.of[i].bytes;
    return sum;
}

/* Of the ink that two lines have, how much they share, where that is half of it or more. */
static uint32_t shared_ink(report_parts before, report_parts after)
{
    int *const partner = report_match_words(before, after);
    uint32_t shared = 0;
    for (size_t i = 0; i < before.count; i++)
        if (partner[i] >= 0 && !report_part_blank(before.of[i])) shared += (uint32_t)before.of[i].bytes;
    free(partner);
    return 4 * shared >= ink(before) + ink(after) ? shared : 0;
}

static uint32_t weigh_lines(const void *context, size_t i, size_t j)
{
    const two_texts *const two = context;
    const report_parts a = two->words_before[i], b = two->words_after[j];
    if (report_part_same(two->before.of[i], two->after.of[j])) return 4 + 8 * ink(a);
    return two->before.count > MOST_COMPARED / two->after.count ? 0 : 5 * shared_ink(a, b);
}

static report_parts *words_of_all(report_parts lines)
{
    report_parts *const words = tool_alloc((lines.count + 1) * sizeof *words);
    for (size_t i = 0; i < lines.count; i++) words[i] = report_words(lines.of[i]);
    return words;
}

static void free_all(report_parts *words, size_t count)
{
    for (size_t i = 0; i < count; i++) report_parts_free(words[i]);
    free(words);
}

int *report_match_lines(report_parts before, report_parts after)
{
    const two_texts two = {before, after, words_of_all(before), words_of_all(after)};
    int *const partner = match(before.count, after.count, weigh_lines, &two);
    free_all(two.words_before, before.count);
    free_all(two.words_after, after.count);
    return partner;
}
