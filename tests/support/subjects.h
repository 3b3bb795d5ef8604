/* The operators under test, each with a definition of its own that shares nothing with the library. */
#ifndef TEST_SUBJECTS_H
#define TEST_SUBJECTS_H

#include <oplus/oplus.h>

#include <stdbool.h>

#include "support/rng.h"

typedef struct subject {
    const char *name;
    const oplus_op *op;
    void (*combine)(void *out, const void *a, const void *b); /* the reference computes with this */
    void (*random)(rng *r, void *out);                        /* makes one element */
    void (*quiet)(void *x);                                   /* makes NaN members canonical; NULL: no floats */
    void (*blank)(void *x);                                   /* makes padding 0; NULL: no padding */
    size_t limit;                                             /* most elements of one test */
} subject;

extern const subject subjects[];
extern const size_t subject_count;

/* Returns the subject of that name; ends the program if there is none. */
const subject *subject_named(const char *name);

/* --- the user's operators among them -------------------------------------------------------------------------- */

OPLUS_STRUCT(affine32, float a; float b;)
OPLUS_STRUCT(affine64, double a; double b;)
OPLUS_STRUCT(turn32, float c; float s;)
OPLUS_STRUCT(matrix22, uint32_t m[4];)
OPLUS_STRUCT(small3, uint8_t scale; uint8_t shift; uint8_t mask;)
OPLUS_STRUCT(mixed12, int32_t count; float scale; float shift;)
OPLUS_STRUCT(padded16, int8_t mask; double sum;)
OPLUS_STRUCT(huge5000, uint32_t v[1250];)
OPLUS_STRUCT(pair32, uint32_t a; uint32_t b;)
OPLUS_STRUCT(mixing, uint8_t shift; uint64_t factor;)

/* Puts the canonical NaN in place of any other. */
void quiet_f32(void *x);
void quiet_f64(void *x);

#endif
