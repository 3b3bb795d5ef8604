/* Keys alone, sorted by vectors: networks and quicksort, for instruction sets that support them. */
#include "cores/isa/leaves.h"
#include "cores/sort.h"

#if defined(__AVX2__)

#include "cores/isa/lanes.h"
#include "cores/isa/sort_counts.h"
#if !defined(__AVX512F__)
#include "cores/isa/positions.h"
#endif

#define KEY_BITS 32
#include "cores/isa/sort_lanes.h"
#include "cores/isa/sort_network.h"
#include "cores/isa/sort_split.h"
#undef KEY_BITS

#define KEY_BITS 64
#include "cores/isa/sort_lanes.h"
#include "cores/isa/sort_network.h"
#include "cores/isa/sort_split.h"
#undef KEY_BITS

void OPI_ISA_NAME(opi_sort_words_32)(const opi_sort *sort, opi_sort_range range, void *other, uint32_t *counts)
{
    (void)counts;
    sort_range_32(sort, range, other);
}

void OPI_ISA_NAME(opi_sort_words_64)(const opi_sort *sort, opi_sort_range range, void *other, uint32_t *counts)
{
    (void)counts;
    sort_range_64(sort, range, other);
}

#endif
