/* Shared by the files of the sort that are compiled once for each instruction set. */
#ifndef OPI_ISA_SORT_COUNTS_H
#define OPI_ISA_SORT_COUNTS_H

#include <stddef.h>
#include <stdint.h>

/* Replaces counts of records by the position of the first record of each. */
static inline void counts_to_positions(uint32_t *count, size_t n)
{
    uint32_t sum = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t own = count[i];
        count[i] = sum;
        sum += own;
    }
}

#endif
