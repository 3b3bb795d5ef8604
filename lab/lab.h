/* The lab: experiments that show on the user's own device why a kernel is slow.
 *
 * The results of an experiment are not needed; it runs kernels that differ in one thing each, checks every result,
 * times the kernels and counts what the hardware did.  The findings go into a document (record.h), from which the
 * table, --json and the page are made. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "lab/device.h"
#include "lab/record.h"

#include <stdio.h>

/* The most elements: kernels and the code that prepares them count in 32 bits, which is safe up to twice this
 * number. */
enum { LAB_MOST = 1 << 30 };

typedef struct lab_options {
    size_t n;   /* elements, for experiments that have a size, up to LAB_MOST; 0: as suits the device */
    bool quick; /* small and short: to check that all runs, not for rates */
    bool quiet; /* no progress */
} lab_options;

/* A run of an experiment. */
typedef struct lab {
    lab_device *dev;
    lab_options options;
    cJSON *experiment; /* in the document: its sections go there */
    FILE *out;         /* shows sections as they are finished; NULL: nowhere */
    bool wrong;        /* a result was wrong */
} lab;

typedef struct lab_experiment {
    const char *name;    /* "reduce" */
    const char *title;   /* "Reduction" */
    const char *summary; /* one line of the list */
    const char *about;   /* what it shows, and how: paragraphs, an empty line between */
    unsigned items;      /* of its work-groups; 0: it checks itself whether the device allows as many */
    bool on_cores;       /* has a meaning on "serial" and "threads" too, */
    bool on_model;       /* and on "model": all its kernels are modelled */
    bool counts;         /* reads the hardware's counters */
    void (*run)(lab *l);
} lab_experiment;

extern const lab_experiment lab_reduce, lab_scan, lab_transpose, lab_access, lab_transfers, lab_patterns, lab_cost;

/* All experiments, in the order in which to read them. */
enum { LAB_EXPERIMENTS = 7 };
extern const lab_experiment *const lab_experiments[LAB_EXPERIMENTS];

/* The size that was asked for, or one that suits the device: `gpu` elements on a GPU (several times its caches),
 * `cores` on the host's cores through OpenCL, `quick` with --quick. */
size_t lab_size(const lab *l, size_t gpu, size_t cores, size_t quick);

/* n random words, the same ones in every run, to be freed by free. */
uint32_t *lab_random(size_t n);

/* Tells that a result was wrong: the command fails in the end. */
static inline void lab_wrong(lab *l) { l->wrong = true; }

#endif
