/* Random 64 bits, the same on every machine and in every run: splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
#ifndef BENCH_RANDOM_H
#define BENCH_RANDOM_H

#include <stdint.h>

/* The next 64 random bits of a sequence; the caller keeps its state, whose first value is the seed. */
static inline uint64_t bench_random_u64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

#endif
