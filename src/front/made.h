/* What oplus_op_make, oplus_fn_make and the binding of parameters allocate, and oplus_op_free, oplus_fn_free free: one
 * block that begins with the descriptor. */
#ifndef OPI_MADE_H
#define OPI_MADE_H

#include "task/late.h"

#include <pthread.h>

/* The code of a text.  One that was bound uses that of what it was bound from, which lives longer. */
typedef struct opi_made_code {
    opi_late late; /* first: what a descriptor points to */
    pthread_mutex_t lock;
    void *module;       /* NULL: none */
    const oplus_op *op; /* whose text it is: of an operator, */
    const oplus_fn *fn; /* or of a function */
} opi_made_code;

typedef struct opi_made_op {
    oplus_op op; /* first: the caller's pointer is that of the block */
    opi_made_code code;
} opi_made_op;

typedef struct opi_made_fn {
    oplus_fn fn;
    opi_made_code code;
} opi_made_fn;

/* Once the text is in its place. */
void opi_made_open_op(opi_made_op *made);
void opi_made_open_fn(opi_made_fn *made);
void opi_made_close(opi_made_code *code);

#endif
