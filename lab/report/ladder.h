/* What the document says of a ladder and its rungs. */
#ifndef LAB_REPORT_LADDER_H
#define LAB_REPORT_LADDER_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdio.h>

enum { REPORT_LECTURES = 12 };

typedef struct report_ladder_facts {
    const char *unit, *limit_name;
    double limit;       /* NaN: unknown, as all numbers here */
    const cJSON *rungs; /* an array, or NULL */
    int count;
    const char *lecture[REPORT_LECTURES]; /* the devices of lectures, as they come */
    int lectures;
} report_ladder_facts;

/* What a rung is there for: one more step; or to be compared with. */
typedef enum report_role { REPORT_STEP = 0, REPORT_YARDSTICK, REPORT_OPLUS, REPORT_PEER } report_role;

/* What a step did to the speed; UNKNOWN: of what was not measured, or is a yardstick. */
typedef enum report_outcome { REPORT_UNKNOWN = 0, REPORT_GAIN, REPORT_NO_GAIN, REPORT_LOSS } report_outcome;

typedef struct report_rung {
    int number; /* from 1 */
    const cJSON *of;
    const char *name, *title, *text; /* text: of its kernel; "" if there is none */
    report_role role;
    bool skipped;
    double gbs;
    const char *before; /* the name of the rung that it is compared with; "": the one above */
} report_rung;

report_ladder_facts report_ladder_facts_of(const cJSON *section);
report_rung report_rung_of(const report_ladder_facts *facts, int i);
/* The number, from 0, of the rung of this name; -1: there is none. */
int report_rung_named(const report_ladder_facts *facts, const char *name);
/* The number, from 0, of the fastest rung of this role; -1: none was measured. */
int report_best(const report_ladder_facts *facts, report_role role);
report_outcome report_outcome_of(const report_rung *rung);
/* A paragraph: what this device showed, of a rung, and of all of them. */
void report_seen(FILE *to, const report_ladder_facts *facts, const report_rung *rung);
void report_ladder_seen(FILE *to, const report_ladder_facts *facts);
/* GB/s that a lecture had on a device. */
double report_lecture(const report_rung *rung, const char *device);

#endif
