/* The counters of a CUDA device, read in this process through CUPTI's range profiler, which is opened at run time. */
#ifndef LAB_CUPTI_H
#define LAB_CUPTI_H

#include "lab/counters.h"

typedef struct lab_cupti lab_cupti;

/* For a context (a CUcontext) of the device with this number.  NULL, with the reason in why, if CUPTI is missing or
 * too old, or this user may not read the counters (why then tells how to permit it). */
lab_cupti *lab_cupti_open(void *context, int ordinal, char *why, size_t why_bytes);
void lab_cupti_close(lab_cupti *cupti); /* NULL allowed */
/* "CUPTI 13.0" */
const char *lab_cupti_version(const lab_cupti *cupti);

/* Counts what `run` launches in the context; run is called once for each pass that the counters need, must launch
 * the same each time, and waits for its launches.  A counter that the device lacks stays unknown.  false, and why. */
bool lab_cupti_count(lab_cupti *cupti, void (*run)(void *context), void *context, lab_counts *counts, char *why,
                     size_t why_bytes);

#endif
