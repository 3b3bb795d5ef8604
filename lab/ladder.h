/* A ladder: kernels that compute the same, each with one thing changed; run, checked, timed, counted. */
#ifndef LAB_LADDER_H
#define LAB_LADDER_H

#include "lab/lab.h"
#include "lab/peer.h"

typedef struct lab_rung lab_rung;

/* What the rungs of a ladder work on. */
typedef struct lab_work {
    lab_device *dev; /* the model while the model counts */
    uint32_t n;
    void *in, *out; /* memory of dev */
    void *scratch[2];
    const lab_rung *rung; /* the one that runs */
    void *context;        /* the experiment's own */
    lab_peer *cub;        /* or NULL: lab_no_cub says why */
} lab_work;

enum { LAB_LECTURES = 3 };

/* The purpose of a rung: one more step, or a comparison. */
typedef enum lab_role { LAB_STEP = 0, LAB_YARDSTICK, LAB_OPLUS, LAB_PEER } lab_role;

struct lab_rung {
    const char *name;
    const char *file;                          /* of the kernel; NULL: none of ours */
    const char *title, *what, *why;            /* NULL: from its leading comment */
    const char *before;                        /* the rung that it is compared with; NULL: the one above */
    void (*run)(lab_work *work);               /* enqueues, or waits too */
    const char *(*skip)(const lab_work *work); /* why it cannot be run, or NULL; may itself be NULL */
    const char *(*note)(const lab_work *work); /* a further remark if it runs; may be NULL */
    double bytes;  /* moved for each of the n elements, if not the ladder's number; else 0 */
    unsigned tile; /* the side of its tiles, if it has tiles */
    lab_role role;
    bool uncounted;               /* neither the model nor the hardware counts it */
    double lecture[LAB_LECTURES]; /* its rate on the lectures' devices; 0: unknown */
};

/* Rungs that are no kernels of the lab: LAB_RUNG_OF_OPLUS(by_oplus, "oplus_scan(...)", "remark"). */
#define LAB_RUNG_OF_OPLUS(by, call, ...)                                                                               \
    {                                                                                                                  \
        .name = "oplus", .role = LAB_OPLUS, .title = "oplus itself", .what = call, .run = by, .why = __VA_ARGS__       \
    }
#define LAB_RUNG_OF_CUB(by, call, ...)                                                                                 \
    {                                                                                                                  \
        .name = "CUB", .role = LAB_PEER, .title = "CUB", .what = "cub::" call " of the CUDA toolkit.", .run = by,      \
        .skip = lab_no_cub, .note = lab_cub_name, .why = __VA_ARGS__                                                   \
    }

typedef struct lab_ladder {
    const char *title, *about;
    double bytes;                       /* moved for each of the n elements, for rates */
    const char *lectures[LAB_LECTURES]; /* "GTX 280"; NULL: no more */
    const char *lecture_about;
    const lab_rung *rungs; /* ends where run is NULL */
    /* spoil: overwrites the output before a rung runs.  right: is the output right afterwards? */
    void (*spoil)(lab_work *work);
    bool (*right)(lab_work *work);
    /* The same work in the memory of a model: model allocates in, out and scratch; the other call frees them. */
    void (*model)(lab_work *work);
    void (*model_free)(lab_work *work);
} lab_ladder;

/* Runs all rungs on the work, and records them. */
cJSON *lab_climb(lab *l, const lab_ladder *ladder, lab_work *work);

/* --- what ladders have in common --- */

/* Runs work->rung: for lab_seconds and lab_count. */
void lab_run_rung(void *work);
/* The rung of this name, which must be in the table. */
const lab_rung *lab_rung_called(const lab_rung *rungs, const char *name);
/* Allocates in and out, of n words each, on work->dev; and frees them. */
void lab_allocate_words(lab_work *work);
void lab_release_words(lab_work *work);
/* For a rung that is CUB: why CUB is missing, or NULL; and its version. */
const char *lab_no_cub(const lab_work *work);
const char *lab_cub_name(const lab_work *work);
/* Why a rung with shuffles cannot run on the device; or NULL. */
const char *lab_no_shuffles(const lab_work *work);

#endif
