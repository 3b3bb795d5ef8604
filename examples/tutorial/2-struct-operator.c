/* 2. Mean and variance in one pass, with an operator on a struct: what is known of some numbers, and how the
 * knowledge of two neighbouring pieces is put together (Chan, Golub, LeVeque 1979). */
#include "tutorial.h"

enum { N = 700000 };

OPLUS_STRUCT(stats, double n; double mean; double m2;) /* m2: the sum of the squared distances from the mean */

OPLUS_MAP(of_one, stats, double, {
    stats r = {1, a, 0};
    return r;
})

OPLUS_OP(merge, stats, (0, 0, 0), 0, {
    stats r;
    r.n = a.n + b.n;
    const double share = r.n > 0 ? b.n / r.n : 0; /* nothing and nothing is nothing, not 0 / 0 */
    const double apart = b.mean - a.mean;
    r.mean = a.mean + apart * share;
    r.m2 = a.m2 + b.m2 + apart * apart * a.n * share;
    return r;
})

OPLUS_MAP(square, double, double, { return a * a; })

int main(int argc, char **argv)
{
    double *x = room(N, sizeof *x), *squares = room(N, sizeof *squares), sum, sum_of_squares;
    stats *each = room(N, sizeof *each), all, none;
    for (int i = 0; i < N; i++) x[i] = 1e9 + i % 7; /* mean 1000000003, variance 4 */

    oplus_device *dev;
    must(oplus_open(argc > 1 ? argv[1] : "auto", &dev));
    must(OPLUS_MAP_ARRAYS(dev, of_one_fn, (x), N, each));
    must(OPLUS_REDUCE(dev, merge_op, each, N, &all));
    must(OPLUS_REDUCE(dev, merge_op, each, 0, &none)); /* the identity */

    must(OPLUS_MAP_ARRAYS(dev, square_fn, (x), N, squares));
    must(OPLUS_REDUCE(dev, OPLUS_SUM(x), x, N, &sum));
    must(OPLUS_REDUCE(dev, OPLUS_SUM(squares), squares, N, &sum_of_squares));
    oplus_close(dev);

    printf("merged    %.0f numbers, mean %.6f, variance %.6f\n", all.n, all.mean, all.m2 / all.n);
    printf("          bits %a, %a\n", all.mean, all.m2);
    printf("textbook  mean of squares - square of mean: %.6f\n", sum_of_squares / N - sum / N * (sum / N));
    printf("nothing   %.0f numbers, mean %.0f\n", none.n, none.mean);
    free(x), free(squares), free(each);
    return 0;
}
