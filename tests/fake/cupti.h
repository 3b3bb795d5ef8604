/* What a test sees of the fake CUPTI (cupti.c), and what the test tells it. */
#ifndef FAKE_CUPTI_H
#define FAKE_CUPTI_H

#include <stdbool.h>
#include <stddef.h>

/* Objects that must be given back. */
enum { FAKE_INITIALIZED, FAKE_HOSTS, FAKE_PROFILERS, FAKE_STARTED, FAKE_PUSHED, FAKE_CUPTI_KINDS };

typedef struct fake_cupti {
    /* --- told --- */
    int failing;           /* which call fails, from 1 on; 0: none */
    int error;             /* with which result */
    size_t passes;         /* number of passes that are announced */
    size_t needed;         /* number of passes that are needed; 0: as announced */
    const char *lacks[4];  /* metrics that contain one of these do not exist */
    const char *undefined; /* metrics that contain this have no number */
    int unsupported;       /* which member of cuptiProfilerDeviceSupported says so, from 1 on; 0: none */
    size_t ranges;         /* number of ranges that the counter data have at the end */
    size_t dropped;
    double (*value)(const char *metric); /* gives the value of a metric; NULL: all are 1 */
    void *(*current)(void);              /* the thread's context */
    /* --- seen --- */
    int calls;
    const char *failed; /* the name of the call that was made to fail */
    const char *wrong;  /* the first rule that was broken; NULL: none */
    int live[FAKE_CUPTI_KINDS];
    size_t done;          /* passes of the last measurement */
    bool measuring;       /* between push and pop */
    size_t metrics;       /* number of metrics of the last measurement */
    const char *last[64]; /* their names, which are the caller's */
    /* --- done --- */
    void (*reset)(void); /* frees what is left over, too */
} fake_cupti;

/* Exported as fake_cupti_state. */
typedef fake_cupti *fake_cupti_of(void);

#endif
