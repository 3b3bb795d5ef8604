/* The quantities of lab/counters.h in the names of NVIDIA's tools. */
#ifndef LAB_METRICS_H
#define LAB_METRICS_H

#include "lab/counters.h"

/* A counter is the sum of all metrics of one choice, scaled: of the first whose metrics the device has all. */
typedef struct lab_metric {
    lab_counter counter;
    int choice; /* 0, 1: the second stands in for the first */
    double scale;
    const char *name;
} lab_metric;

enum { LAB_METRICS = 16, LAB_CHOICES = 2 };

extern const lab_metric lab_metrics[LAB_METRICS];

#endif
