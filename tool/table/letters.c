/* letters: a radix sort by eight letters at a time, up to the length of most texts; the few texts equal up to there
 * are compared. */
#include "table/letters.h"

#include <stdlib.h>
#include <string.h>

enum { WORD = 8, MOST_WORDS = 8 };

/* The letters of the fields, one field after the other. */
typedef struct texts {
    char *letters;
    size_t *at; /* [n + 1] */
    size_t longest;
    oplus_order direction;
} texts;

static texts take_texts(const tool_table *table, size_t k, size_t n)
{
    size_t bytes = 0, room = 0, used = 0;
    for (size_t i = 0; i < n; i++) {
        tool_table_field(table, i, k, &bytes);
        room += bytes;
    }
    texts all = {.letters = tool_alloc(room + 1), .at = tool_alloc((n + 1) * sizeof *all.at)};
    for (size_t i = 0; i < n; i++) {
        const char *const field = tool_table_field(table, i, k, &bytes);
        const size_t length = csv_unquote(tool_table_delimiter(table), field, bytes, all.letters + used);
        if (length > all.longest) all.longest = length;
        all.at[i] = used;
        used += length;
    }
    all.at[n] = used;
    return all;
}

/* Eight letters from 8 w on as a number; missing letters are 0, less than any letter. */
static uint64_t word_of(const texts *all, size_t i, size_t w)
{
    uint64_t word = 0;
    const size_t begin = all->at[i] + w * WORD, end = all->at[i + 1];
    if (begin < end) memcpy(&word, all->letters + begin, end - begin < WORD ? end - begin : WORD);
    return __builtin_bswap64(word); /* little-endian: see type.h */
}

static void sort_by_word(const tool_job *job, const texts *all, size_t w, uint64_t *order, uint64_t *keys, size_t n)
{
    bool differ = false;
    for (size_t i = 0; i < n; i++) {
        keys[i] = word_of(all, (size_t)order[i], w);
        differ |= keys[i] != keys[0];
    }
    if (differ) tool_try(oplus_sort_pairs(job->dev, &oplus_u64, all->direction, keys, &oplus_u64, order, n));
}

/* --- texts that are longer than the words ------------------------------------------------------------------------- */

static int compare_bytes(const texts *all, size_t i, size_t j)
{
    const size_t p = all->at[i + 1] - all->at[i], q = all->at[j + 1] - all->at[j];
    const int first = memcmp(all->letters + all->at[i], all->letters + all->at[j], p < q ? p : q);
    return first ? first : (p > q) - (p < q);
}

/* Merges [0, middle) and [middle, n) of `order`; half is room for the first of them. */
static void merge(const texts *all, uint64_t *order, size_t middle, size_t n, uint64_t *half)
{
    const int sign = all->direction == OPLUS_DESCENDING ? -1 : 1;
    memcpy(half, order, middle * sizeof *half);
    for (size_t i = 0, j = middle, to = 0; i < middle; to++) {
        const bool second = j < n && sign * compare_bytes(all, (size_t)order[j], (size_t)half[i]) < 0;
        order[to] = second ? order[j++] : half[i++];
    }
}

static void merge_sort(const texts *all, uint64_t *order, size_t n, uint64_t *half)
{
    for (size_t width = 1; width < n; width *= 2)
        for (size_t begin = 0; begin + width < n; begin += 2 * width) {
            const size_t left = n - begin;
            merge(all, order + begin, width, left < 2 * width ? left : 2 * width, half);
        }
}

static bool same_words(const texts *all, size_t i, size_t j)
{
    size_t w = 0;
    while (w < MOST_WORDS && word_of(all, i, w) == word_of(all, j, w)) w++;
    return w == MOST_WORDS;
}

/* Sorts each run of texts that are equal in the letters sorted so far. */
static void sort_rest(const texts *all, uint64_t *order, uint64_t *half, size_t n)
{
    for (size_t begin = 0, end; begin < n; begin = end) {
        for (end = begin + 1; end < n && same_words(all, (size_t)order[begin], (size_t)order[end]);) end++;
        merge_sort(all, order + begin, end - begin, half);
    }
}

void tool_sort_letters(const tool_job *job, const tool_table *table, size_t k, oplus_order direction, uint64_t *order,
                       size_t n)
{
    texts all = take_texts(table, k, n);
    uint64_t *const keys = tool_alloc((n + 1) * sizeof *keys);
    const size_t words = (all.longest + WORD - 1) / WORD;
    all.direction = direction;
    for (size_t w = words < MOST_WORDS ? words : MOST_WORDS; w-- > 0;) sort_by_word(job, &all, w, order, keys, n);
    if (words > MOST_WORDS) sort_rest(&all, order, keys, n);
    free(keys);
    free(all.at);
    free(all.letters);
}
