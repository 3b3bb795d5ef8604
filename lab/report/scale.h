/* An axis: numbers to places on it, and where its ticks are. */
#ifndef LAB_REPORT_SCALE_H
#define LAB_REPORT_SCALE_H

#include <stdbool.h>

#include "write.h"

typedef struct report_scale {
    double low, high; /* of the axis, low < high */
    bool log;
    bool twos; /* all numbers on it are powers of two, or it is from 0 to one: so are its ticks */
} report_scale;

/* Numbers are seen one by one; those that are not finite (or near the end of
 * what a double can hold), and on a logarithmic axis 0 and below, have no place. */
typedef struct report_extent {
    double least, most;
    bool log, twos;
    int count;
} report_extent;

report_extent report_extent_of(bool log);
void report_extent_see(report_extent *extent, double x);
bool report_has_place(bool log, double x);

/* From the least to the most; rounded: from 0 (if not logarithmic) to the tick behind the most. */
report_scale report_scale_of(report_extent extent, bool rounded);
/* 0 to 1 */
double report_place_on(const report_scale *scale, double x);

enum { REPORT_TICKS = 10 };
typedef struct report_tick {
    double at; /* 0 to 1 */
    report_number label;
} report_tick;

/* In order; at least one, at most REPORT_TICKS.  Of bytes powers of two are KiB and so on. */
int report_ticks(const report_scale *scale, const char *unit, report_tick ticks[REPORT_TICKS]);

#endif
