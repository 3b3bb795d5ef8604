/* Even bins: what a bin is (see oplus_histogram), for loops that find those of many numbers. */
#ifndef OPI_EVEN_H
#define OPI_EVEN_H

#include <stdbool.h>

static inline bool opi_is_in_bins(double value, double low, double high) { return (value >= low) & (value <= high); }

/* A number whose whole part is the bin of `value`, which is `inside`; else 0.  last: the last bin. */
static inline double opi_even_place(double value, bool inside, double low, double scale, double last)
{
    const double place = (value - low) * scale, kept = place < last ? place : last;
    return inside ? kept : 0.0;
}

#endif
