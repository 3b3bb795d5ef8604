/* 7. An operator of your own, and how to trust it.  G and C score 1, A and T score -1; which stretch of the chromosome
 * has the highest score?  (The maximum subarray.) */
#include "tutorial.h"

#include <oplus/selfcheck.h>

OPLUS_HELPER int32_t larger(int32_t a, int32_t b) { return a < b ? b : a; }

/* The highest score of all, of those that begin where the piece does, and of those that end where it does. */
OPLUS_STRUCT(run, int32_t sum; int32_t prefix; int32_t suffix; int32_t best;)
OPLUS_MAP(of_letter, run, uint8_t, {
    const int32_t score = a == 1 || a == 2 ? 1 : -1;
    run r = {score, larger(score, 0), larger(score, 0), larger(score, 0)}; /* an empty stretch scores 0 */
    return r;
})
OPLUS_OP(join, run, (0, 0, 0, 0), OPLUS_EXACT, {
    run r;
    r.sum = a.sum + b.sum;
    r.prefix = larger(a.prefix, a.sum + b.prefix);
    r.suffix = larger(b.suffix, a.suffix + b.sum);
    r.best = larger(larger(a.best, b.best), a.suffix + b.prefix);
    return r;
})
OPLUS_OP(swapped, run, (0, 0, 0, 0), OPLUS_EXACT, { /* the same with a mistake: which end of a meets which of b? */
                                                    run r = join(a, b);
                                                    r.best = larger(larger(a.best, b.best), a.prefix + b.suffix);
                                                    return r;
})

int main(int argc, char **argv)
{
    uint8_t *letter = read_letters();
    run *each = room(LETTERS, sizeof *each), *upto = room(LETTERS, sizeof *upto);
    oplus_device *dev;
    must(oplus_open(argc > 1 ? argv[1] : "auto", &dev));
    must(OPLUS_MAP_ARRAYS(dev, of_letter_fn, (letter), LETTERS, each));

    /* --- 1. is it an operator?  Samples: single elements and joined ones, as they really occur --- */
    run samples[32];
    for (size_t i = 0; i < 32; i++) must(OPLUS_REDUCE(dev, join_op, each + 100 * i, i + 1, samples + i));
    if (oplus_op_check(dev, &swapped_op, samples, 32) != OPLUS_OK) printf("%s\n\n", oplus_last_error());
    must(oplus_op_check(dev, &join_op, samples, 32));
    must(oplus_selfcheck(dev)); /* and do the flags of the compiler keep the bits? */

    /* --- 2. is it the right one?  A plain loop is the oracle --- */
    must(OPLUS_SCAN(dev, join_op, OPLUS_INCLUSIVE, each, LETTERS, upto));
    oplus_close(dev);
    size_t end = 0, begin;
    for (int32_t i = 0, best = 0, ending_here = 0; i < LETTERS; i++) {
        ending_here = larger(ending_here + each[i].sum, 0);
        if (ending_here > best) best = ending_here, end = (size_t)i;
        if (upto[i].best != best) stop("the scan and the loop differ");
    }
    for (begin = end; upto[end].sum - upto[begin].sum + each[begin].sum < upto[end].best;) begin--;
    printf("letters %zu to %zu score %d: %zu letters, %.1f %% of them G or C\n", begin + 1, end + 1, upto[end].best,
           end - begin + 1, 50 + 50.0 * upto[end].best / (double)(end - begin + 1));
    free(letter), free(each), free(upto);
    return 0;
}
