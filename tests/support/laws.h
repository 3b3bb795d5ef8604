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
/* Makes it read from the environment again. */
void test_seed_again(void);
bool test_quick(void);
/* OPLUS_TEST_ALL: long tests are run, too; OPLUS_TEST_LONG: those that find something new of few changes. */
bool test_all(void);
bool test_long(void);
/* A number in the environment. */
long test_number(const char *name, long otherwise);
/* Random numbers of its own for each name, so that a test draws the same numbers whatever runs before it. */
rng test_rng(const char *name);
/* Bytes of the host's memory that are free. */
uint64_t test_free_bytes(void);
/* Returns the memory, or ends the test program. */
void *must(void *mem);
/* Fails the test with the call's message, unless the status is OPLUS_OK. */
void must_be_ok(oplus_status status, const char *what);

/* --- places: every device with every instruction set that this machine has --------------------------------------- */

/* Which subjects are tried at a place where each must be compiled first; names, ended by NULL. */
typedef struct selection {
    const char *const *plain;  /* NULL: all */
    const char *const *lifted; /* those of them that are tried with heads or segments too */
} selection;

typedef struct place {
    char where[64];    /* "threads:3", "opencl:cpu@group" */
    const char *isa;   /* "" for an accelerator */
    const char *shape; /* OPLUS_SHAPE of an accelerator; NULL: it chooses */
    bool thorough;     /* all sizes are tried here; elsewhere a dozen */
    bool accelerator;
    selection tries;
    oplus_device *dev;
} place;

/* The places, opened at the first call, and closed by run_subjects or close_places.  The first place is this thread. */
const place *all_places(size_t *count);
void close_places(void);
/* To be called before anything is computed at a place.  False if this subject (NULL: something else that must be
 * compiled) is not tried there: the reason was printed, or the place tries only some subjects. */
bool stand_at(const place *at, const subject *s, bool heads);
/* Tries a law at each place so many times, on average: `quick` or `many`. */
void often(const char *name, size_t quick, size_t many, void (*law)(rng *r, const place *at));
/* The same also where a place tries only some subjects, of which the law has none. */
void often_everywhere(const char *name, size_t quick, size_t many, void (*law)(rng *r, const place *at));
/* Makes of a law the test law_often. */
#define LAW_OFTEN(law, quick, many)                                                                                    \
    static void law##_often(void **state)                                                                              \
    {                                                                                                                  \
        (void)state;                                                                                                   \
        often(#law, quick, many, law);                                                                                 \
    }
/* Lends an array to a device: returns a copy in its memory, or, if it is not to lie there, the array itself. */
void *lend(oplus_device *dev, bool there, const void *mem, size_t bytes);
/* Copies a lent array back, and frees the copy. */
void end_loan(oplus_device *dev, void *lent, void *mem, size_t bytes);
/* Opens a device with that instruction set; NULL: the best. */
oplus_device *open_at(const char *where, const char *isa);

/* --- problems: an operator, an input, and what the reference makes of it ----------------------------------------- */

typedef struct problem {
    const subject *s;
    size_t size; /* bytes of an element */
    size_t max;  /* number of elements in x */
    unsigned char *x;
    uint8_t *heads;           /* NULL: none */
    unsigned char *init;      /* NULL: none */
    unsigned char *prefix;    /* P(0) .. P(max) */
    unsigned char *exclusive; /* the exclusive scan; NULL: no identity */
} problem;

/* heads: one of so many elements is a head; 0: none. */
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

/* What a law varies besides place and size. */
enum { KINDS = 1, IN_PLACE = 2, FEW_SIZES = 4, ACCELERATORS = 8 /* at these and on one thread only */ };

/* Tries a law at every place and size up to p->max.  The first failure is made smaller, printed, and ends the test. */
void for_all(const problem *p, unsigned varies, law holds);
/* Tries a law once. */
void expect(const trial *t, law holds);

/* Makes a cmocka test for each subject (wanted: NULL for all), which finds its subject in *state. */
int run_subjects(const char *group, void (*test)(void **state), bool (*wanted)(const subject *s));

/* --- the words of a law */

bool succeeded(oplus_status status, finding *f);
/* Compares n elements bit for bit, except for padding. */
bool same(const problem *p, const void *got, const void *expected, size_t n, finding *f);
static inline unsigned char *at(const problem *p, unsigned char *array, size_t i) { return array + i * p->size; }

/* Room for n elements between guards, aligned to the element and to no more, filled with bytes that no result has by
 * accident; x, if not NULL, is copied into it.  There is one at a time. */
void *output(const problem *p, const void *x, size_t n);
/* Whether nothing was written outside. */
bool kept_inside(finding *f);

#endif
