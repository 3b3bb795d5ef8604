/* suggest: edit distance, a swap of neighbouring letters counting as one edit (Damerau 1964). */
#include "suggest.h"

#include <string.h>

enum { LONGEST = 32 }; /* names are shorter */

static size_t least(size_t a, size_t b) { return a < b ? a : b; }

static size_t distance(const char *a, const char *b)
{
    const size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST) return 2 * LONGEST;
    size_t d[LONGEST + 1][LONGEST + 1]; /* d[i][j]: of the first i letters of a and the first j of b */
    for (size_t i = 0; i <= m; i++) d[i][0] = i;
    for (size_t j = 0; j <= n; j++) d[0][j] = j;
    for (size_t i = 1; i <= m; i++)
        for (size_t j = 1; j <= n; j++) {
            const size_t replace = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(replace, 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[m][n];
}

const char *tool_nearest(const char *word, const char *(*next)(size_t i))
{
    const char *nearest = NULL;
    const size_t length = strlen(word);
    for (size_t i = 0; length > 1 && next(i); i++) /* word is a name cut short */
        if (strncmp(word, next(i), length) == 0) return next(i);
    size_t reach = length < 6 ? 1 : length / 3; /* one slip in a short word, more in a long one */
    for (size_t i = 0; next(i); i++) {
        const size_t far = distance(word, next(i));
        if (far > reach || (far == reach && nearest)) continue;
        reach = far;
        nearest = next(i);
    }
    return nearest;
}
