/* 1. A sum.  1 + 1/4 + 1/9 + 1/16 + ... tends to pi^2 / 6 = 1.644934...  What do ten million terms give in float? */
#include <oplus/oplus.h>

#include <stdio.h>
#include <stdlib.h>

enum { N = 10000000 };

int main(int argc, char **argv)
{
    float *x = malloc(N * sizeof *x), sum, largest, by_loop = 0;
    double exactly = 0;
    if (!x) return perror("1-sum"), 1;
    for (int i = 0; i < N; i++) x[i] = 1 / ((float)(i + 1) * (float)(i + 1));

    oplus_device *dev = NULL;
    if (oplus_open(argc > 1 ? argv[1] : "auto", &dev) != OPLUS_OK ||
        OPLUS_REDUCE(dev, oplus_sum_f32, x, N, &sum) != OPLUS_OK ||
        OPLUS_REDUCE(dev, OPLUS_MAX(x), x, N, &largest) != OPLUS_OK) { /* oplus_max_f32, by the type of *x */
        fprintf(stderr, "1-sum: %s\n", oplus_last_error());
        return 1;
    }
    oplus_close(dev);

    for (int i = 0; i < N; i++) by_loop += x[i];
    for (int i = N; i > 0; i--) exactly += 1 / ((double)i * i); /* in double, the small ones first */
    printf("oplus     %.7f   bits %a\n", sum, sum);
    printf("a loop    %.7f\n", by_loop);
    printf("exactly   %.7f\n", exactly);
    printf("largest   %g\n", largest);
    free(x);
    return 0;
}
