/* A group: as many neighbouring segments as a vector has lanes.  Short segments are reduced group by group. */
#ifndef OPI_ISA_GROUPS_H
#define OPI_ISA_GROUPS_H

#include "cores/isa/lanes.h"

typedef uint64_t opi_words __attribute__((vector_size(OPI_VECTOR)));
typedef uint32_t opi_halves __attribute__((vector_size(OPI_VECTOR)));

enum { OPI_GROUP_PARTS = 2 }; /* vectors of words at most */

/* The numbers of a group are computed as vectors and read one by one.  Without this, compilers skip the memory and
 * extract the lanes from the vectors one after the other, which is three times slower. */
#define OPI_IN_MEMORY(array) __asm__("" : "+m"(array))

OPI_INLINE opi_words opi_load_words(const uint64_t *from)
{
    opi_words v;
    memcpy(&v, from, sizeof v);
    return v;
}

/* elements[k]: the numbers of elements of the segments from k * OPI_LANES_64 on; returns the OR of all the numbers. */
OPI_INLINE uint64_t opi_group_elements(const uint64_t *offsets, int parts, opi_words elements[OPI_GROUP_PARTS])
{
    opi_words any = {0};
    for (int k = 0; k < parts; k++) {
        const uint64_t *const at = offsets + k * OPI_LANES_64;
        elements[k] = opi_load_words(at + 1) - opi_load_words(at);
        any |= elements[k];
    }
    uint64_t all = any[0];
    for (int l = 1; l < OPI_LANES_64; l++) all |= any[l];
    return all;
}

/* The low halves of words, in order. */
#define OPI_EVEN(W, h, l) (2 * (l))
OPI_INLINE opi_halves opi_low_halves(const opi_words words[OPI_GROUP_PARTS])
{
    return OPI_SHUFFLE(OPI_LANES_32, (opi_halves)words[0], (opi_halves)words[1], OPI_EVEN, 0);
}

/* How many of W segments come before the first of `limit` elements or more; there must be one.  The segments from
 * it on become empty. */
OPI_INLINE size_t opi_group_cut(uint64_t limit, int parts, opi_words elements[OPI_GROUP_PARTS])
{
    uint64_t number[OPI_GROUP_PARTS * OPI_LANES_64];
    size_t count = 0;
    memcpy(number, elements, (size_t)parts * sizeof *elements);
    while (number[count] < limit) count++;
    for (size_t j = count; j < (size_t)parts * OPI_LANES_64; j++) number[j] = 0;
    memcpy(elements, number, (size_t)parts * sizeof *elements);
    return count;
}

/* Segments of one element or none.  For none, in[0] is read instead, which must exist: to choose whether to read would
 * become a jump. */
#define OPI_CHOOSE_ONES(lanes, T, in, offsets, none, to)                                                               \
    for (int j = 0; j < (lanes); j++) {                                                                                \
        const uint64_t n = (offsets)[j + 1] - (offsets)[j];                                                            \
        const T own = ((const T *)(in))[(offsets)[j] & -n];                                                            \
        (to)[j] = n ? own : (none);                                                                                    \
    }

#endif
