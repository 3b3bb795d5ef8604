/* Random numbers for tests: splitmix64 (Steele, Lea and Flood, 2014), one state a stream, the same on every machine. */
#ifndef TEST_RNG_H
#define TEST_RNG_H

#include <stddef.h>
#include <stdint.h>

typedef struct rng {
    uint64_t state;
} rng;

static inline uint64_t rng_next(rng *r)
{
    uint64_t z = (r->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Uniform in [0, bound), bound > 0. */
static inline size_t rng_below(rng *r, size_t bound) { return (size_t)(rng_next(r) % bound); }

/* Uniform in [-1, 1), a multiple of 2^-52. */
static inline double rng_unit(rng *r) { return (double)(int64_t)(rng_next(r) >> 11) * 0x1p-52 - 1.0; }

#endif
