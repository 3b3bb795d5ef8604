/* A random case: everything that tells it from another.  The content of the arrays follows from the seed. */
#ifndef RANDOM_DIFFER_H
#define RANDOM_DIFFER_H

#include <oplus/oplus.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum primitive {
    REDUCE,
    FOLD,
    SCAN,
    SEGSCAN,
    SEGREDUCE,
    CARRY,
    REDUCE_BY_KEY,
    SCAN_BY_KEY,
    MAP,
    FILTER,
    MAP_REDUCE,
    MAP_SCAN,
    MAP_FILTER,
    SORT,
    SORT_PAIRS,
    TRANSPOSE,
    PRIMITIVES
} primitive;

enum { MAX_ARRAYS = 5, MAX_SHIFT = 8 };

typedef struct random_case {
    uint64_t seed;
    primitive primitive;
    int place;                  /* index in places[] */
    int what;                   /* which operation, function, predicate, or key */
    int value;                  /* which kind of value a sort of pairs has; which operation or predicate a function is
                                   fused with */
    bool after;                 /* a fused scan has a function after it, if there is one */
    size_t n, rows;             /* rows of a transpose, which has n / rows columns */
    int style;                  /* style of the data */
    unsigned shift[MAX_ARRAYS]; /* elements from an aligned place */
    bool in_place, on_device, traps;
    oplus_kind kind;
    oplus_order order;
    size_t heads;    /* one of so many elements is a head, or has another key than the one before; 0: none */
    size_t segments; /* segments of a segmented reduce */
    int offset;      /* type of the offsets */
    int cuts;        /* parts of a stream */
    int ranks;       /* 0: the call of one process */
} random_case;

typedef struct finding {
    char text[1200];
} finding;

/* A place to compute at, opened by main. */
typedef struct place {
    const char *name;
    bool accelerator;
    oplus_device *dev;
} place;
enum { MAX_PLACES = 16 };
extern place places[MAX_PLACES];

/* Whether the library gives what the reference gives, and changes nothing else. */
bool case_holds(const random_case *c, finding *f);

#endif
