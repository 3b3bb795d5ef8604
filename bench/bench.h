/* The benchmark's vocabulary: a problem (data and where its result goes) and contenders that solve it.
 *
 * A machine limit, oplus, a plain loop and a peer library are all contenders: they are warmed up, checked against one
 * another and timed in turn, so that noise of the machine hits all alike.  Read by C and C++, and by peers, which are
 * modules loaded at run time. */
#ifndef BENCH_H
#define BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* X(id, name); what each moves is in bench_problem_bytes */
#define BENCH_PRIMITIVES(X)                                                                                            \
    X(MAP, "map")             /* out = x * x */                                                                        \
    X(ZIP, "zip")             /* out = 2 a + b */                                                                      \
    X(REDUCE, "reduce")       /* sum; affine maps: composition */                                                      \
    X(MAXIMUM, "max")         /* reduce by maximum */                                                                  \
    X(FOLD, "fold")           /* reduce with an initial value */                                                       \
    X(SCAN, "scan")           /* inclusive, of the same operators as reduce */                                         \
    X(EXCLUSIVE, "exclusive") /* exclusive scan */                                                                     \
    X(SEGSCAN, "segscan")     /* segments of 100 on average */                                                         \
    X(SEGREDUCE, "segreduce")                                                                                          \
    X(FILTER, "filter") /* about half is kept, at random */                                                            \
    X(SORT, "sort")                                                                                                    \
    X(PAIRS, "pairs") /* keys of 4 bytes with values of 4 bytes */                                                     \
    X(TRANSPOSE, "transpose")

typedef enum bench_primitive {
#define BENCH_ID(id, name) BENCH_##id,
    BENCH_PRIMITIVES(BENCH_ID)
#undef BENCH_ID
        BENCH_PRIMITIVE_COUNT
} bench_primitive;

typedef enum bench_type {
    BENCH_F32,
    BENCH_F64,
    BENCH_I32,
    BENCH_I64,
    BENCH_U32,
    BENCH_U64,
    BENCH_AFFINE,   /* bench_affine: 8 bytes, not commutative */
    BENCH_AFFINE64, /* bench_affine64: the same of 16 bytes */
    BENCH_TYPE_COUNT,
    BENCH_ANY_TYPE = BENCH_TYPE_COUNT
} bench_type;

typedef struct bench_affine {
    float a, b;
} bench_affine;

typedef struct bench_affine64 {
    double a, b;
} bench_affine64;

typedef struct bench_pair { /* the key last: where a little-endian machine wants it to see the record as one word */
    uint32_t value, key;
} bench_pair;

/* One primitive, type, size and number of threads.  Values are small integers, whatever the type, so that sums of
 * floats are exact and all contenders must agree to the bit; keys to be sorted are random numbers. */
typedef struct bench_problem {
    bench_primitive primitive;
    bench_type type;
    size_t n, element; /* elements, and bytes of one */
    size_t rows, cols; /* of a transpose: n == rows * cols */
    int threads;
    struct oplus_device *dev;

    const void *in, *in2;  /* in2: of a zip; the values of pairs */
    const uint8_t *heads;  /* segments as flags, */
    const int32_t *ids;    /* as numbers that rise by one at each head, */
    const size_t *offsets; /* and as offsets */
    size_t segments;
    const bench_pair *pairs;

    void *out;             /* n elements: the result; the keys of a sort, restored before each call */
    void *out2;            /* the values of pairs */
    bench_pair *out_pairs; /* the pairs, for a contender that sorts records */
    size_t kept;           /* elements in out, of a filter */
} bench_problem;

typedef enum bench_role { BENCH_LIMIT, BENCH_OURS, BENCH_LOOP, BENCH_PEER } bench_role;

enum {
    BENCH_UNSTABLE = 1, /* a sort that may permute equal keys */
    BENCH_RECORDS = 2   /* sorts out_pairs instead of out and out2 */
};

typedef struct bench_contender {
    const char *name;
    bench_role role;
    bench_primitive primitive;
    bench_type type; /* or BENCH_ANY_TYPE */
    unsigned traits;
    void (*run)(bench_problem *problem);
} bench_contender;

/* --- peers ------------------------------------------------------------------------------------------------------ */

/* What a module exports under the name bench_peer_module. */
typedef struct bench_peer {
    unsigned abi;        /* BENCH_ABI of the benchmark that it was built for; another one refuses it */
    const char *title;   /* "oneTBB" */
    const char *version; /* of the peer, known once it is open */
    const char *built;   /* compiler and flags */
    /* Those below may be NULL.  open is called once, before all else, and returns why the peer cannot take part, or
     * NULL; begin before the calls on a problem, end after them, while its memory is still there. */
    const char *(*open)(void);
    void (*begin)(const bench_problem *problem);
    void (*end)(void);
    const bench_contender *contenders; /* ends where run is NULL */
} bench_peer;

enum { BENCH_ABI = 1000 + sizeof(bench_problem) };

extern __attribute__((visibility("default"))) const bench_peer bench_peer_module;

#ifdef __cplusplus
}
#endif
#endif
