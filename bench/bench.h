/* The benchmark's basic types: a problem (its data and the place for its result), and contenders that solve it.
 *
 * A machine limit, oplus, a plain loop and a peer library are all contenders: they are warmed up, checked against
 * one another and timed in turn, so that noise of the machine affects all alike.  Read by C and C++, and by peers,
 * which are modules loaded at run time. */
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
    X(MAP, "map")               /* out = x * x */                                                                      \
    X(ZIP, "zip")               /* out = 2 a + b */                                                                    \
    X(REDUCE, "reduce")         /* sum; affine maps: composition */                                                    \
    X(MAXIMUM, "max")           /* reduce by maximum */                                                                \
    X(ARGMAX, "argmax")         /* where the greatest is: the first of equal ones */                                   \
    X(FOLD, "fold")             /* reduce with an initial value */                                                     \
    X(DOT, "dot")               /* sum of x * y, which is fused: no products in memory */                              \
    X(MAP_SCAN, "map-scan")     /* the inclusive scan of x * y, fused likewise */                                      \
    X(MAP_FILTER, "map-filter") /* those of x * y that are odd: about a quarter, at random */                          \
    X(SCAN, "scan")             /* inclusive, of the same operators as reduce */                                       \
    X(EXCLUSIVE, "exclusive")   /* exclusive scan */                                                                   \
    X(REVERSE, "reverse")       /* inclusive scan from the end */                                                      \
    X(WINDOW, "window")         /* the sum of the last 100 at each */                                                  \
    X(NEIGHBOURS, "neighbours") /* out = a + 2 b + c of three neighbours; beyond the ends are the ends */              \
    X(IOTA, "iota")             /* out = 0, 1, 2, ... */                                                               \
    X(REPEAT, "repeat")         /* elements each so many times, 3 on average; counts have their width */               \
    X(SEGSCAN, "segscan")       /* segments of 100 on average */                                                       \
    X(SEGREDUCE, "segreduce")                                                                                          \
    X(FILTER, "filter")       /* about half is kept, at random */                                                      \
    X(UNIQUE, "unique")       /* each run of equal neighbours once; runs of 2 on average */                            \
    X(RLE, "rle")             /* the same, and how long each run is, in 4 bytes */                                     \
    X(BY_KEY, "by-key")       /* the sum and the key of each run of equal keys of 4 bytes; runs of 100 on average */   \
    X(HISTOGRAM, "histogram") /* counts in 256 even bins; counts have the width of an element */                       \
    X(BINS, "bins") /* the sum of the elements of each of 1000 bins, by an index with the width of an element */       \
    X(SORT, "sort")                                                                                                    \
    X(BITS, "bits")       /* stable, in the order of bits 8 to 23 */                                                   \
    X(MEMBERS, "members") /* structs of two members: by the first, which has 16 values, then down by the other */      \
    X(SORT_BY, "sort-by") /* stable, in the order of a function: a < b */                                              \
    X(SEGSORT, "segsort") /* each segment by itself */                                                                 \
    X(PAIRS, "pairs")     /* keys of 4 bytes with values of 4 bytes */                                                 \
    X(MERGE, "merge")     /* the first half of the elements with the rest, both sorted */                              \
    X(MERGE_MANY, "merge-many") /* of eight parts of the elements, each of them sorted */                              \
    X(ARGSORT, "argsort")       /* which element comes first, second, ...; indices have the width of an element */     \
    X(TOP, "top")               /* the 100 greatest ones, the greatest first */                                        \
    X(NTH, "nth")               /* the element in the middle of the order */                                           \
    X(SEARCH, "search")         /* lower bounds of n random keys in n sorted ones */                                   \
    X(TAKE, "take")       /* out[i] = in[j], where the j are a random permutation; j has the width of an element */    \
    X(PUT, "put")         /* out[j] = in[i] */                                                                         \
    X(ROWS, "rows")       /* the sum of each row of a matrix */                                                        \
    X(COLUMNS, "columns") /* of each column */                                                                         \
    X(SCAN_ROWS, "scan-rows")       /* the inclusive scan of each row */                                               \
    X(SCAN_COLUMNS, "scan-columns") /* of each column */                                                               \
    X(ARGMAX_ROWS, "argmax-rows")   /* where the greatest of each row is; as wide as an element */                     \
    X(ARGMAX_COLUMNS, "argmax-columns")                                                                                \
    X(SORT_ROWS, "sort-rows")                                                                                          \
    X(SORT_COLUMNS, "sort-columns")                                                                                    \
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
    BENCH_U8,       /* this and the next ones are transposed only */
    BENCH_U16,
    BENCH_TRIPLE, /* bench_triple: 24 bytes */
    BENCH_PIXEL,  /* bench_pixel: 3 bytes */
    BENCH_POINT,  /* bench_point: 12 bytes */
    BENCH_TYPE_COUNT,
    BENCH_ANY_TYPE = BENCH_TYPE_COUNT
} bench_type;

typedef struct bench_affine {
    float a, b;
} bench_affine;

typedef struct bench_affine64 {
    double a, b;
} bench_affine64;

typedef struct bench_triple {
    double x, y, z;
} bench_triple;

typedef struct bench_pixel {
    uint8_t r, g, b;
} bench_pixel;

typedef struct bench_point {
    float x, y, z;
} bench_point;

typedef struct bench_pair { /* key last: comparable as one little-endian word */
    uint32_t value, key;
} bench_pair;

/* What computes, and where the arrays are: the cores and the host's memory, unless stated otherwise. */
typedef enum bench_place {
    BENCH_CORES = 0,
    BENCH_CUDA = 4,    /* a CUDA device, arrays in its memory, known to the runtime of CUDA */
    BENCH_OPENCL = 8,  /* an OpenCL device, arrays in its memory, at addresses that only oplus knows */
    BENCH_ACROSS = 16, /* either, arrays in the host's memory: copied there and back */
    BENCH_PLACES = BENCH_CUDA | BENCH_OPENCL | BENCH_ACROSS
} bench_place;

/* One primitive with a type, size, place, and number of threads.  Values are small integers, whatever the type, so
 * that sums of floats are exact and all contenders must agree to the bit; keys to be sorted are random numbers. */
typedef struct bench_problem {
    bench_primitive primitive;
    bench_type type;
    size_t n, element; /* elements, and bytes of one */
    size_t rows, cols; /* of a matrix: n == rows * cols */
    char shape[48];    /* what is unusual about the data (shape.h), or "" */
    bench_place place;
    int threads; /* of cores */
    struct oplus_device *dev;

    /* in2: the y of a zip and of x * y; the values of pairs; the keys of a search; indices; keys */
    const void *in, *in2;
    const uint8_t *heads;    /* segments as flags, */
    const int32_t *ids;      /* as numbers that rise by one at each head (both NULL if segments may be empty), */
    const uint64_t *offsets; /* and as offsets */
    size_t segments, inside; /* inside: how many elements belong to any segment */
    const bench_pair *pairs;

    void *out;             /* n elements: the result; the keys of a sort, restored before each call */
    void *out2;            /* the values of pairs; the keys of runs, or their lengths */
    bench_pair *out_pairs; /* the pairs, for a contender that sorts records; NULL in a device's memory */
    size_t kept;           /* elements in out: of a filter, of runs */

    /* For an accelerator, else 0: */
    struct bench_problem *host; /* the same problem in the host's memory */
    void *stage;                /* ACROSS: n elements of its memory */
    size_t *kept_there;         /* CUDA, OPENCL: where kept is to be written, in its memory */
    size_t slots;               /* copies of out and out2, one behind the other, so that many sorts need no wait */

    const char *refused; /* why a contender cannot do this; it sets this */
} bench_problem;

/* The bits by which a sort by bits sorts: from the first one up to, but not including, the last. */
enum { BENCH_LOW_BIT = 8, BENCH_HIGH_BIT = 24 };

/* How many arrays a merge of many has, how many elements a window has, how many a top gives, and into how many bins a
 * histogram and sums by index go; fewer if the arrays are shorter. */
enum {
    BENCH_MERGED = 8,
    BENCH_OF_WINDOW = 100,
    BENCH_MOST_OF_TOP = 100,
    BENCH_EVEN_BINS = 256,
    BENCH_INDEXED_BINS = 1000
};
static inline size_t bench_at_most(const bench_problem *p, size_t most) { return p->n < most ? p->n : most; }
static inline size_t bench_top(const bench_problem *p) { return bench_at_most(p, BENCH_MOST_OF_TOP); }
static inline size_t bench_bins(const bench_problem *p)
{
    return bench_at_most(p, p->primitive == BENCH_HISTOGRAM ? BENCH_EVEN_BINS : BENCH_INDEXED_BINS);
}

/* How many elements are repeated, so that n come of them; the counts are at in2. */
static inline size_t bench_repeated(const bench_problem *p) { return (p->n + 2) / 3; }
/* Where array k of a merge of many begins in `in`, and array k - 1 ends. */
static inline size_t bench_part(const bench_problem *p, size_t k)
{
    return k < BENCH_MERGED ? p->n / BENCH_MERGED * k : p->n;
}

typedef enum bench_role { BENCH_LIMIT, BENCH_OURS, BENCH_LOOP, BENCH_PEER } bench_role;

/* Traits of a contender, and its place if that is not the cores.  Our own contenders are for every place. */
enum {
    BENCH_UNSTABLE = 1, /* a sort that may permute equal keys */
    BENCH_RECORDS = 2,  /* sorts out_pairs instead of out and out2 */
    BENCH_READS = 32,   /* a limit whose rate counts the bytes of in, */
    BENCH_COPIES = 64,  /* or twice as many, whatever the problem moves */
    BENCH_HEADS = 128   /* a segmented reduce that cannot have empty segments */
};

typedef struct bench_contender {
    const char *name;
    bench_role role;
    bench_primitive primitive;
    bench_type type; /* or BENCH_ANY_TYPE */
    unsigned traits;
    void (*run)(bench_problem *problem); /* on a device: may return before all is done */
} bench_contender;

/* --- peers ------------------------------------------------------------------------------------------------------ */

/* What a module exports under the name bench_peer_module. */
typedef struct bench_peer {
    unsigned abi;        /* BENCH_ABI of the benchmark that it was built for; another benchmark refuses it */
    const char *title;   /* "oneTBB" */
    const char *version; /* of the peer, known once it is open */
    const char *built;   /* compiler and flags */
    /* Those below may be NULL. open is called once, first; it returns NULL, or why the peer cannot take part.  begin
     * is called before the calls on a problem, end after them, while the problem's memory still exists.  wait
     * returns when all calls are done: NULL, or what went wrong.  All contenders of a module have the same place. */
    const char *(*open)(void);
    void (*begin)(const bench_problem *problem);
    void (*end)(void);
    const char *(*wait)(void);
    const bench_contender *contenders; /* ends where run is NULL */
} bench_peer;

enum { BENCH_ABI = 1000 + sizeof(bench_problem) + 1000 * sizeof(bench_peer) + 1000000 * BENCH_PRIMITIVE_COUNT };

extern __attribute__((visibility("default"))) const bench_peer bench_peer_module;

#ifdef __cplusplus
}
#endif
#endif
