/* What every law is tested with: random problems, all places to compute at, sizes around every edge, and a search for
 * a smaller counterexample when a law does not hold.
 *
 *     OPLUS_TEST_SEED=n         draws the same problems again (each run prints its seed)
 *     OPLUS_TEST_QUICK=1        makes everything about five times smaller
 *     OPLUS_TEST_DEVICES=list   accelerators, thoroughly: "cuda:0 opencl:1"; "cuda:0@chunk" forces a shape of kernels
 *                               (OPLUS_SHAPE), "cuda:0@@1M" pieces of the host's arrays (OPLUS_DEVICE_MEMORY),
 *                               "cuda:0@@@one-group" ways (OPLUS_WAY: "tiles+passes").  Without it some
 *                               subjects are tried on OpenCL's cores, if they are there; "" is none
 *     OPLUS_TEST_CORES=0        leaves the cores out, but for one thread */
#ifndef TEST_LAWS_H
#define TEST_LAWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/reference.h"

/* --- the run ------------------------------------------------------------------------------------------------------ */

uint64_t test_seed(void);
/* Has it read from the environment anew. */
void test_seed_again(void);
bool test_quick(void);
/* OPLUS_TEST_ALL: what takes long is tried, too. */
bool test_all(void);
/* A stream of its own for each name, so that a test draws the same whatever runs before it. */
rng test_rng(const char *name);
/* The memory, or the end of the test program. */
void *must(void *mem);

/* --- places: every device with every instruction set that this machine has --------------------------------------- */

/* Which subjects are tried at a place where each has to be compiled first; names, ended by NULL. */
typedef struct selection {
    const char *const *plain;  /* NULL: all */
    const char *const *lifted; /* of these, those with heads or segments too */
} selection;

typedef struct place {
    char where[64];    /* "threads:3", "opencl:cpu@group" */
    const char *isa;   /* "" of an accelerator */
    const char *shape; /* OPLUS_SHAPE of an accelerator; NULL: as it likes */
    bool thorough;     /* all sizes here; elsewhere a dozen */
    bool accelerator;
    selection tries;
    oplus_device *dev;
} place;

/* Opened at the first call, and closed by run_subjects or close_places.  The first one is this thread. */
const place *all_places(size_t *count);
void close_places(void);
/* To be called before anything is computed at a place.  False if this subject (NULL: something else, that needs to be
 * compiled too) is not tried there: it said why, or the place tries some only. */
bool stand_at(const place *at, const subject *s, bool heads);
/* Opens one with that instruction set; NULL: the best. */
oplus_device *open_at(const char *where, const char *isa);

/* --- problems: an operator, an input, and what the reference makes of it ----------------------------------------- */

typedef struct problem {
    const subject *s;
    size_t size; /* of an element */
    size_t max;  /* elements in x */
    unsigned char *x;
    uint8_t *heads;           /* NULL: none */
    unsigned char *init;      /* NULL: none */
    unsigned char *prefix;    /* P(0) .. P(max) */
    unsigned char *exclusive; /* the exclusive scan; NULL: no identity */
} problem;

/* heads: one in so many elements is a head; 0: none. */
problem problem_open(const subject *s, size_t max, size_t heads, bool init);
void problem_close(problem *p);
/* The largest problem that is tested with this subject. */
size_t largest(const subject *s);

/* --- laws */

typedef struct trial {
    const problem *p;
    const place *at;
    size_t n;
    oplus_kind kind;
    bool in_place;
} trial;

typedef struct finding {
    char text[1500];
} finding;

/* Whether something holds; if not, the finding says what was seen. */
typedef bool (*law)(const trial *t, finding *f);

/* What a law varies, beside place and size. */
enum { KINDS = 1, IN_PLACE = 2, FEW_SIZES = 4, ACCELERATORS = 8 /* at these and on one thread only */ };

/* Tries a law at every place and size up to p->max; the first failure is shrunk, printed, and ends the test. */
void for_all(const problem *p, unsigned varies, law holds);
/* Tries it once. */
void expect(const trial *t, law holds);

/* One cmocka test for each subject (wanted: NULL for all), which finds its subject in *state. */
int run_subjects(const char *group, void (*test)(void **state), bool (*wanted)(const subject *s));

/* --- the words of a law */

bool succeeded(oplus_status status, finding *f);
/* n elements, bit for bit (padding aside). */
bool same(const problem *p, const void *got, const void *expected, size_t n, finding *f);
static inline unsigned char *at(const problem *p, unsigned char *array, size_t i) { return array + i * p->size; }

/* Room for n elements between guards, aligned to the element and to no more, filled with bytes that no result has by
 * accident; x, if not NULL, is copied in.  One at a time. */
void *output(const problem *p, const void *x, size_t n);
/* Whether nothing was written beyond it. */
bool kept_inside(finding *f);

#endif
