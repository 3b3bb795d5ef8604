/* Splitters: where each rank's sorted keys are cut, so that the parts of the ranks' results follow one another in
 * order. */
#ifndef OPI_SPLITTERS_H
#define OPI_SPLITTERS_H

#include "cores/merge.h"
#include "ranks/ranks.h"

/* A boundary: where the part of a rank begins in the result. */
typedef struct opi_boundary {
    uint64_t target; /* index of the boundary in the result, the same on all ranks; the caller fills it in */
    uint64_t prefix; /* the first bits of the key at the boundary: as many as are known */
    size_t begin;    /* index of this rank's first key with these first bits; in the end, where its keys are cut */
    size_t end;      /* index behind this rank's last key with these first bits; in the end, equal to begin */
    bool open;       /* true: the boundary is not found yet */
    const unsigned char *keys; /* in host memory: this rank's keys from index `base` on, at least up to `end` */
    size_t base;
} opi_boundary;

typedef struct opi_splitters {
    opi_key_order order;
    const oplus_type *key;  /* type of a key, */
    oplus_order direction;  /* ... and the order in words */
    bool there;             /* true: the keys are in the device's memory, where the machine counts them, */
    bool near;              /* ... until those that may be at a boundary are few, and copied to the host */
    unsigned digit_bits;    /* the largest number of bits of the key that a round finds */
    opi_buffer memory;      /* memory of the arrays below */
    opi_boundary *boundary; /* comm->size + 1 boundaries; the last is the end of the result */
    uint64_t *row;          /* for each boundary, how many of this rank's keys have each digit */
    uint64_t *rows;         /* for this rank's boundary, how many of each rank's keys have each digit */
    uint64_t left;          /* how many keys with the first bits of the key at this rank's boundary come before it */
    size_t *counts;         /* lists for an exchange of rows */
    unsigned char *bounds;  /* if the keys are there: keys of which the machine says where they belong, */
    uint64_t *places;       /* ... and where; */
    unsigned char *copied;  /* ... and keys that may be at a boundary */
} opi_splitters;

/* Reserves memory, and room for records; to be called before opi_ranks_index. */
oplus_status opi_splitters_reserve(opi_ranks *ranks, opi_splitters *s);
void opi_splitters_release(opi_splitters *s);

/* Finds where this rank's keys are cut for the boundaries; to be called after opi_ranks_index.  keys: this rank's
 * keys, sorted, in host memory or, if s->there, in the device's; status: whether the sort succeeded.  Equal keys stay in the order of the ranks.
 *
 * It takes one exchange, and two more for each round.  A round looks at one digit of the bits in which keys differ;
 * rounds end when the keys at every boundary are told from their neighbours. */
oplus_status opi_splitters_find(opi_ranks *ranks, opi_splitters *s, oplus_status status, const void *keys);

#endif
