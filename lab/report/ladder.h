/* What the document says of a ladder and its rungs. */
#ifndef LAB_REPORT_LADDER_H
#define LAB_REPORT_LADDER_H

#include <cjson/cJSON.h>
#include <stdbool.h>

enum { REPORT_LECTURES = 12 };

typedef struct report_ladder_facts {
    const char *unit, *limit_name;
    double limit;       /* NaN: unknown, as all numbers here */
    const cJSON *rungs; /* an array, or NULL */
    int count;
    const char *lecture[REPORT_LECTURES]; /* the devices of lectures, as they come */
    int lectures;
} report_ladder_facts;

typedef struct report_rung {
    int number; /* from 1 */
    const cJSON *of;
    const char *name, *title, *text; /* text: of its kernel; "" if there is none */
    bool skipped;
    double gbs;
    const char *before; /* the name of the rung that it is compared with; "": the one above */
} report_rung;

report_ladder_facts report_ladder_facts_of(const cJSON *section);
report_rung report_rung_of(const report_ladder_facts *facts, int i);
/* The number, from 0, of the rung of this name; -1: there is none. */
int report_rung_named(const report_ladder_facts *facts, const char *name);
/* GB/s that a lecture had on a device. */
double report_lecture(const report_rung *rung, const char *device);

#endif
