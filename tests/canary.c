/* Faults planted on purpose: the check runs each of them and demands that its sanitizer reports it.
 *   canary clean | race | leak | overrun | overflow */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums 0 .. 999 by threads, with everything an honest OpenMP program does; a race is two lines of it left out. */
static long sum_by_threads(int race)
{
    long *squares = calloc(1000, sizeof *squares), sum = 0, rounds = 0;
    if (!squares) return -1;
#pragma omp parallel num_threads(4)
    {
        if (race) {
            rounds++;
        } else {
#pragma omp atomic
            rounds++;
        }
#pragma omp for
        for (int i = 0; i < 1000; i++) squares[i] = i;
#pragma omp for schedule(dynamic, 7) reduction(+ : sum)
        for (int i = 0; i < 1000; i++) sum += squares[999 - i];
    }
    free(squares);
    return rounds > 0 ? sum : -1;
}

static int byte_at(size_t bytes, size_t at, int leak)
{
    volatile char *mem = calloc(bytes, 1);
    const int value = mem ? mem[at] : 0;
    if (!leak) free((void *)mem);
    return value;
}

int main(int argc, char **argv)
{
    const char *fault = argc > 1 ? argv[1] : "clean";
    const long sum = sum_by_threads(strcmp(fault, "race") == 0);
    const int byte = byte_at(16, strcmp(fault, "overrun") == 0 ? 16 : 15, strcmp(fault, "leak") == 0);
    const int most = INT_MAX - (strcmp(fault, "overflow") == 0 ? 0 : argc) + argc;
    printf("%ld %d %d\n", sum, byte, most);
    return sum != 499500;
}
