/* The suffix array of a part of a chromosome, by doubling, in the memory of a device: the suffixes in alphabetical order.
 * Each suffix has a rank by its first h letters.  The pair of the ranks of suffixes i and i + h orders them by 2 h letters:
 * a sort of pairs, a running count of how many differ from the one before, and a put of the counts to where they belong. */
#include "../tutorial/tutorial.h"

#include <string.h>

enum { N = 60000 };

OPLUS_MAP(first_rank, uint32_t, uint8_t, { return a + 1u; }) /* 0: there is no letter */
OPLUS_ZIP(pair, uint64_t, uint32_t, uint32_t, { return (uint64_t)a << 32 | b; })
OPLUS_ZIP(differs, uint32_t, uint64_t, uint64_t, { return a != b; })

static void *there(oplus_device *dev, const void *from, size_t bytes)
{
    void *memory;
    must(oplus_alloc(dev, bytes, &memory));
    if (from) must(oplus_copy(dev, memory, from, bytes));
    return memory;
}

/* Returns how often the length was doubled. */
static int order_suffixes(oplus_device *dev, const uint8_t *letter, uint32_t *suffix)
{
    int rounds = 0;
    uint32_t *nothing = room(2 * N, sizeof *nothing), *numbers = room(N, sizeof *numbers), ranks = 0;
    for (uint32_t i = 0; i < N; i++) numbers[i] = i;
    uint8_t *letters = there(dev, letter, N);
    uint32_t *rank = there(dev, nothing, 2 * N * sizeof *rank); /* behind the end all ranks are 0 */
    uint32_t *index = there(dev, numbers, N * sizeof *index), *order = there(dev, NULL, N * sizeof *order);
    uint32_t *count = there(dev, NULL, N * sizeof *count);
    uint64_t *key = there(dev, nothing, (N + 1) * sizeof *key); /* key[0], which is 0, comes before all others */
    must(OPLUS_MAP_ARRAYS(dev, first_rank_fn, (letters), N, rank));
    for (size_t h = 1; ranks < N && h <= N; h *= 2, rounds++) {
        must(OPLUS_MAP_ARRAYS(dev, pair_fn, (rank, rank + h), N, key + 1));
        must(oplus_copy(dev, order, index, N * sizeof *order));
        must(OPLUS_SORT_PAIRS(dev, OPLUS_ASCENDING, key + 1, order, N));
        must(OPLUS_MAP_ARRAYS(dev, differs_fn, (key, key + 1), N, count));
        must(OPLUS_SCAN(dev, oplus_sum_u32, OPLUS_INCLUSIVE, count, N, count));
        must(OPLUS_PUT(dev, OPLUS_REFUSE, count, order, N, rank, N));
        must(oplus_copy(dev, &ranks, count + N - 1, sizeof ranks));
    }
    must(oplus_copy(dev, suffix, order, N * sizeof *suffix));
    oplus_free(dev, letters), oplus_free(dev, rank), oplus_free(dev, index), oplus_free(dev, order);
    oplus_free(dev, count), oplus_free(dev, key);
    free(nothing), free(numbers);
    return rounds;
}

/* How many letters the suffixes at a and b have in common. */
static uint32_t common(const uint8_t *letter, uint32_t a, uint32_t b)
{
    uint32_t n = 0;
    while (a + n < N && b + n < N && letter[a + n] == letter[b + n]) n++;
    return n;
}

int main(int argc, char **argv)
{
    static uint32_t suffix[N], longest, at[2];
    uint8_t *letter = read_letters();
    oplus_device *dev;
    must(oplus_open(argc > 1 ? argv[1] : "threads", &dev));
    const int rounds = order_suffixes(dev, letter, suffix);
    for (uint32_t k = 1; k < N; k++) {
        const uint32_t a = suffix[k - 1], b = suffix[k], same = common(letter, a, b);
        if (b + same == N || (a + same < N && letter[a + same] >= letter[b + same]))
            stop("two suffixes are not in order");
        if (same > longest) longest = same, at[0] = a < b ? a : b, at[1] = a < b ? b : a;
    }
    printf("%d suffixes are in order after %d rounds\n", N, rounds);
    printf("the longest repeat has %u letters, at %u and %u\n", longest, at[0], at[1]);
    oplus_close(dev);
    free(letter);
    return 0;
}
