/* The parts of random calls (calls.h) that are about TAKE and the primitives behind it, and about REDUCE_AXIS and those
 * behind it; and what they need of each other. */
#ifndef TEST_CALLS_FAMILY_H
#define TEST_CALLS_FAMILY_H

#include "support/calls.h"

void family_draw(call *c, rng *r);
void family_fill(const call *c, rng *r, unsigned char *const to[]);
oplus_status family_make(const call *c, oplus_device *d, unsigned char *const a[]);

void shapes_draw(call *c, rng *r);
void shapes_fill(const call *c, rng *r, unsigned char *const to[]);
oplus_status shapes_make(const call *c, oplus_device *d, unsigned char *const a[]);

/* n keys in order, with gaps and equal ones; calls_family.c. */
void call_fill_sorted(const call *c, rng *r, unsigned char *to, size_t n);

/* --- of calls.c ---------------------------------------------------------------------------------------------------- */

/* Functions, and the subjects whose elements they get. */
typedef struct call_function {
    const oplus_fn *fn;
    const char *from[2];
} call_function;
enum { CALL_PREDICATES = 8, CALL_FUNCTIONS = 5 };
extern const call_function call_predicates[CALL_PREDICATES], call_functions[CALL_FUNCTIONS];

/* A number of elements of this size. */
size_t call_draw_n(rng *r, size_t size, bool slow);
/* Draws where array k lies, which has n elements. */
void call_lay(call *c, int k, rng *r, size_t size, size_t n);
/* Random elements of a subject. */
void call_fill_by(void (*random)(rng *r, void *out), unsigned style, rng *r, size_t size, unsigned char *to, size_t n);
/* n keys of a kind of odd_key; longer elements are several. */
void call_fill_keys(rng *r, const oplus_type *type, unsigned style, unsigned char *to, size_t n);
/* The offsets of c->segments segments of c->n elements. */
void call_fill_offsets(const call *c, rng *r, unsigned char *to);

#endif
