/* 5. Sort, then filter.  Which words of eight letters are the most frequent of the chromosome?  Sorted, equal words are
 * neighbours; where a word differs from the one before it, a group begins. */
#include "tutorial.h"

enum { WORD = 8, WORDS = LETTERS - WORD + 1, TOP = 5 };

OPLUS_STRUCT(group, uint32_t at; uint16_t word; uint16_t begins;)
OPLUS_ZIP3(mark, group, uint16_t, uint16_t, uint32_t, { /* the word before, the word, its index */
                                                        group r = {c, b, a != b};
                                                        return r;
})
OPLUS_PREDICATE(begins, group, { return a.begins; })
OPLUS_ZIP(size, uint32_t, group, group, { return b.at - a.at; }) /* from where a group begins to where the next does */
OPLUS_MAP(word_of, uint16_t, group, { return a.word; })

int main(int argc, char **argv)
{
    uint8_t *letter = read_letters();
    uint16_t *word = room(WORDS + 1, sizeof *word); /* from 1 on: word[0] is a neighbour for the first */
    uint32_t *index = room(WORDS, sizeof *index);
    group *groups = room(WORDS + 1, sizeof *groups);
    for (uint32_t i = 0, w = 0; i < LETTERS; i++) {
        w = w << 2 | letter[i]; /* 16 bits are 8 letters */
        if (i + 1 >= WORD) word[i + 2 - WORD] = (uint16_t)w;
    }
    for (uint32_t i = 0; i < WORDS; i++) index[i] = i;

    /* --- 1. equal words side by side, and where each group begins --- */
    oplus_device *dev;
    size_t n;
    must(oplus_open(argc > 1 ? argv[1] : "auto", &dev));
    must(OPLUS_SORT(dev, OPLUS_ASCENDING, word + 1, WORDS));
    word[0] = (uint16_t)~word[1]; /* so that the first begins a group */
    must(OPLUS_MAP_ARRAYS(dev, mark_fn, (word, word + 1, index), WORDS, groups));
    must(OPLUS_FILTER(dev, begins_fn, groups, WORDS, groups, &n));
    groups[n].at = WORDS;

    /* --- 2. the sizes of the groups, largest first, and whose they are --- */
    uint32_t *count = room(n, sizeof *count);
    must(OPLUS_MAP_ARRAYS(dev, size_fn, (groups, groups + 1), n, count));
    must(OPLUS_MAP_ARRAYS(dev, word_of_fn, (groups), n, word));
    must(OPLUS_SORT_PAIRS(dev, OPLUS_DESCENDING, count, word, n));
    oplus_close(dev);

    printf("%d words of %d letters, %zu different\n", WORDS, WORD, n);
    for (int i = 0; i < TOP; i++) {
        for (int k = WORD; k-- > 0;) putchar("ACGT"[word[i] >> 2 * k & 3]);
        printf("  %u times\n", count[i]);
    }
    free(letter), free(word), free(index), free(groups), free(count);
    return 0;
}
