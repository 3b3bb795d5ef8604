/* What the four programs share: the steps, which are a function of their number alone, and how a result is printed. */
#include <oplus/oplus.h>

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define STEPS ((size_t)10000000)

/* On a cluster the launcher ends the other ranks then. */
static inline void must(oplus_status status)
{
    if (status == OPLUS_OK) return;
    fprintf(stderr, "%s\n", oplus_last_error());
    exit(1);
}

/* Steps first .. first + n - 1, each between -1 and 1; to be freed. */
static inline float *steps(size_t first, size_t n)
{
    float *x = malloc(n ? n * sizeof *x : 1);
    if (!x) exit(1);
    for (size_t i = 0; i < n; i++) {
        uint64_t z = (first + i + 1) * UINT64_C(0x9e3779b97f4a7c15); /* splitmix64 */
        z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
        z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
        x[i] = (float)((double)(int64_t)(z ^ (z >> 31)) * 0x1p-63);
    }
    return x;
}

/* With its bits, which are the same on all of them. */
static inline void say(float highest) { printf("highest %.3f, bits %a\n", (double)highest, (double)highest); }
